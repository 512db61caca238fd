//! Bodies whose surface merges and splits.

use glam::{Vec2, Vec3};
use pliant::dynamics::{Action, ActionKind, Collider};
use pliant::geometry::surface_nets::mesh_shape;
use pliant::geometry::{Mesh, Shape};
use pliant::state::Surface;
use pliant::surface::Tracked;
use pliant::surface::cut::Blade;
use pliant::surface::export::inner_part;
use pliant::surface::validate::Level;
use pliant::{BodyDesc, BuildError, Settings, SurfaceKind, World};

const DT: f32 = 1.0 / 60.0;
const R: f32 = 0.09;
const EDGE: f32 = 0.09;

fn tracked(keep_volume: bool) -> SurfaceKind {
    SurfaceKind::Tracked {
        edge_length: EDGE,
        keep_volume,
    }
}

/// Two balls that are one body, with texture coordinates; too far apart along x for a cluster to hold both.
fn lobes(name: &str, at: Vec3, keep_volume: bool) -> BodyDesc {
    let ball = |x: f32| Shape::Sphere {
        center: at + Vec3::X * x,
        radius: 0.4,
    };
    let shape = Shape::Union(vec![ball(-0.6), ball(0.6)]);
    let mut mesh = mesh_shape(&shape, EDGE).expect("two balls");
    mesh.corner_uvs = mesh
        .triangles
        .iter()
        .map(|t| t.map(|v| mesh.positions[v as usize].truncate() * 3.0))
        .collect();
    let mut desc = BodyDesc::new(name, mesh, R);
    desc.surface = tracked(keep_volume);
    desc
}

/// The two balls fly into each other.
fn collision(keep_volume: bool) -> World {
    let mut world = World::new(Settings {
        gravity: Vec3::ZERO,
        ..Settings::default()
    });
    world
        .add_body(lobes("lobes", Vec3::ZERO, keep_volume))
        .expect("a body");
    let points = world.points_mut();
    for i in 0..points.len() {
        points.v[i].x = -2.5 * points.x[i].x.signum();
    }
    world
}

fn surface_of(world: &World, body: usize) -> &Tracked {
    match &world.surfaces()[body] {
        Surface::Tracked(tracked) => tracked,
        _ => panic!("body {body} has a tracked surface"),
    }
}

fn assert_sound(world: &World, body: usize) {
    let surface = surface_of(world, body);
    let mesh = surface.mesh();
    mesh.validate(Level::Everything).expect("a sound surface");
    let own = &world.bodies()[body].points;
    for v in mesh.vertices() {
        let skin = &surface.skin()[v as usize];
        assert!(skin.point.iter().all(|&i| own.contains(&(i as usize))));
        assert!((skin.weight.iter().sum::<f32>() - 1.0).abs() < 1e-4);
        let y = mesh.positions()[v as usize];
        let near = skin.point.map(|i| world.points().x[i as usize].distance(y));
        assert!(
            near.iter().fold(f32::MAX, |m, &d| m.min(d)) < 3.0 * R,
            "vertex {v} hangs on particles that are far away"
        );
    }
}

fn on_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .expect("a pool");
    pool.install(work)
}

/// Two lobes that are pressed together become one piece, which stays sound; one, two and four threads give the same bits.
#[test]
fn a_merge_has_the_same_bits_for_any_number_of_threads() {
    for keep_volume in [false, true] {
        let with_threads = |threads| {
            on_threads(threads, || {
                let mut world = collision(keep_volume);
                let mut merges = 0;
                let hashes: Vec<u64> = (0..60)
                    .map(|_| {
                        let report = world.step(DT);
                        assert_eq!(report.non_finite, 0);
                        merges += report.surfaces[0].merges;
                        world.hash()
                    })
                    .collect();
                (hashes, merges, world)
            })
        };
        let (hashes, merges, world) = with_threads(1);
        assert_eq!((merges, world.surfaces()[0].piece_count()), (1, 1));
        assert_sound(&world, 0);
        assert_eq!(hashes, with_threads(2).0);
        assert_eq!(hashes, with_threads(4).0);
    }
}

/// What a merge has made is a part of its own in the exported mesh, with texture coordinates of the scale of the outside; the
/// outside keeps those that it had.
#[test]
fn exported_attributes_survive_a_merge() {
    let mut world = collision(false);
    for _ in 0..60 {
        world.step(DT);
    }
    let surface = &world.surfaces()[0];
    let (mesh, rest) = (surface.mesh(), surface.rest());
    mesh.validate().expect("a sound mesh");
    assert_eq!(rest.len(), mesh.positions.len());
    assert_eq!(mesh.positions.len(), surface.vertex_count());
    assert_eq!(mesh.triangles.len(), surface.triangle_count());
    assert_eq!(mesh.bounds(), surface.bounds());
    assert!((mesh.area() - surface.area()).abs() < 1e-6 * mesh.area());
    assert!((mesh.volume() - surface.volume()).abs() < 1e-6 * mesh.volume());
    let inner = inner_part(&mesh).expect("a seam");
    let mut outer = 0;
    for (t, corners) in mesh.triangles.iter().enumerate() {
        let uvs = mesh.corner_uvs[t];
        if mesh.parts[t] == inner {
            let scale = (uvs[1] - uvs[0]).length()
                / (rest[corners[1] as usize] - rest[corners[0] as usize]).length();
            assert!(scale < 3.5 || scale.is_nan(), "{scale}");
            continue;
        }
        outer += 1;
        // No triangle is smeared over both lobes' textures.
        for k in 0..3 {
            assert!(uvs[k].distance(uvs[(k + 1) % 3]) < 3.0 * 1.5 * EDGE);
        }
    }
    assert!(outer * 10 > mesh.triangles.len() * 9);
    assert_eq!(painted_wrong(&mesh, &rest, inner), 0);
}

/// Vertices away from the seam whose texture coordinates are not those that their rest positions were painted with. On the seam
/// the corners keep those of their lobes, and one rest position cannot be right for both.
fn painted_wrong(mesh: &Mesh, rest: &[Vec3], inner: u16) -> usize {
    let mut seam = vec![false; rest.len()];
    let mut seen: Vec<Option<Vec2>> = vec![None; rest.len()];
    for (t, corners) in mesh.triangles.iter().enumerate() {
        for (v, uv) in corners.iter().zip(mesh.corner_uvs[t]) {
            let v = *v as usize;
            let other = seen[v].replace(uv).is_some_and(|seen| seen != uv);
            seam[v] |= other || mesh.parts[t] == inner;
        }
    }
    let painted = |v: usize| rest[v].truncate() * 3.0;
    let wrong = |v: &usize| !seam[*v] && seen[*v].is_some_and(|uv| uv.distance(painted(*v)) > 1e-3);
    (0..rest.len()).filter(wrong).count()
}

/// A body with a tracked surface leaves, and the surface of the next one follows its particles.
#[test]
fn bodies_come_and_go() {
    let mut world = World::new(Settings::default());
    world.add_collider(Collider::floor(0.0));
    let first = world
        .add_body(lobes("first", Vec3::Y * 0.6, false))
        .expect("a body");
    world
        .add_body(lobes("second", Vec3::new(0.0, 0.6, 3.0), true))
        .expect("a body");
    let mut unseen = lobes("unseen", Vec3::new(0.0, 0.6, 6.0), false);
    unseen.surface = SurfaceKind::None;
    world.add_body(unseen).expect("a body");
    for _ in 0..10 {
        world.step(DT);
    }
    assert!(world.remove_body(first));
    for _ in 0..20 {
        assert_eq!(world.step(DT).surfaces.len(), 2);
    }
    assert_sound(&world, 0);
    let (lo, _) = world.surfaces()[0].bounds().expect("a surface");
    assert!(lo.y > -0.01 && lo.z > 2.0, "{lo}");
    assert_eq!(*world.surfaces()[1].mesh(), Mesh::default());
    assert_eq!(world.surfaces()[1].bounds(), None);
}

/// A cube of twelve triangles is split until its edges are in range; an open one is closed first.
#[test]
fn coarse_and_open_meshes_are_taken() {
    let mut positions = Vec::new();
    for k in 0..8_u32 {
        let at = |bit: u32| if k >> bit & 1 == 1 { 0.5 } else { -0.5 };
        positions.push(Vec3::new(at(0), at(1), at(2)));
    }
    let quads = [
        [0, 2, 3, 1],
        [4, 5, 7, 6],
        [0, 1, 5, 4],
        [2, 6, 7, 3],
        [0, 4, 6, 2],
        [1, 3, 7, 5],
    ];
    let triangles = quads
        .iter()
        .flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]);
    let cube = Mesh {
        positions,
        triangles: triangles.collect(),
        ..Mesh::default()
    };
    let mut open = cube.clone();
    open.triangles.truncate(10);
    for mesh in [cube.clone(), open] {
        let mut desc = BodyDesc::new("cube", mesh, R);
        desc.surface = tracked(false);
        let mut world = World::new(Settings::default());
        world.add_body(desc).expect("a body");
        let closed = surface_of(&world, 0).mesh();
        let census = closed.validate(Level::Everything).expect("a sound surface");
        assert_eq!((census.sheets, census.euler), (1, 2));
        assert!((census.volume - 1.0).abs() < 0.02, "{}", census.volume);
        for t in closed.triangles() {
            let [a, b, c] = closed.triangle(t).map(|v| closed.positions()[v as usize]);
            let longest = a.distance(b).max(b.distance(c)).max(c.distance(a));
            assert!(longest < 1.01 * EDGE, "{longest}");
        }
    }

    // What cannot be tracked is refused.
    let refused = |change: &dyn Fn(&mut BodyDesc)| {
        let mut desc = BodyDesc::new("cube", cube.clone(), R);
        desc.surface = tracked(false);
        change(&mut desc);
        World::new(Settings::default()).add_body(desc).unwrap_err()
    };
    let sheet = refused(&|desc| desc.mesh.triangles.truncate(2));
    assert!(matches!(sheet, BuildError::Repair(_)), "{sheet}");
    for edge_length in [0.0, -1.0, f32::NAN, f32::INFINITY] {
        let keep_volume = false;
        let kind = SurfaceKind::Tracked {
            edge_length,
            keep_volume,
        };
        let bad = refused(&|desc| desc.surface = kind);
        assert!(matches!(bad, BuildError::Parameter(_)), "{bad}");
    }
    let fine = refused(&|desc| desc.max_triangles = 1000);
    assert!(
        matches!(fine, BuildError::TooManyTriangles { .. }),
        "{fine}"
    );
}

/// A cut parts the surface in the step in which it is asked for, and nothing is lost.
#[test]
fn a_cut_parts_the_surface() {
    let mut world = World::new(Settings {
        gravity: Vec3::ZERO,
        ..Settings::default()
    });
    let whole = world
        .add_body(lobes("whole", Vec3::ZERO, false))
        .expect("a body");
    world
        .add_body(lobes("other", Vec3::Z * 4.0, false))
        .expect("a body");
    let volume = world.surfaces()[0].volume();
    let cut = |normal: Vec3, half: Option<f32>, body| Action {
        at: 0.0,
        kind: ActionKind::Cut {
            point: Vec3::new(-0.6, 0.05, 0.0),
            normal,
            blade: half.map(|half| Blade {
                along: normal.normalize_or(Vec3::X).any_orthonormal_vector(),
                half: [half; 2],
            }),
            body,
        },
    };
    world.add_action(cut(Vec3::new(0.1, 2.0, 0.0), None, Some(whole)));
    let report = world.step(DT);
    assert!(report.warnings.is_empty(), "{:?}", report.warnings);
    assert_eq!(
        (report.surfaces[0].splits, report.surfaces[1].splits),
        (2, 0)
    );
    assert_eq!(world.surfaces()[0].piece_count(), 4);
    assert_eq!(world.surfaces()[1].piece_count(), 2);
    assert_sound(&world, 0);
    assert!((world.surfaces()[0].volume() / volume - 1.0).abs() < 0.005);
    let mesh = world.surfaces()[0].mesh().into_owned();
    assert!(inner_part(&mesh).is_some(), "caps");

    // A blade that is too small to reach through leaves the other body whole; nonsense is left out and said.
    world.add_action(cut(Vec3::ZERO, Some(1.0), None));
    world.add_action(cut(Vec3::X, Some(0.05), None));
    assert_eq!(world.step(DT).warnings.len(), 1);
    assert_eq!(world.surfaces()[1].piece_count(), 2);
}

/// At its limit of triangles a surface that is stretched stays coarser and sound, and a warning says so.
#[test]
fn the_limit_of_triangles_is_told_of() {
    let mut world = World::new(Settings {
        gravity: Vec3::ZERO,
        ..Settings::default()
    });
    let mut desc = lobes("lobes", Vec3::ZERO, false);
    let limit = desc.mesh.triangles.len() + 20;
    desc.max_triangles = limit;
    desc.surface = SurfaceKind::Tracked {
        edge_length: 0.6 * EDGE,
        keep_volume: false,
    };
    world.add_body(desc).expect("a body");
    let points = world.points_mut();
    for i in 0..points.len() {
        points.v[i].z = 60.0 * points.x[i].z;
    }
    let mut told = false;
    for _ in 0..30 {
        let report = world.step(DT);
        told |= report
            .warnings
            .iter()
            .any(|w| w.contains("limit of triangles"));
        assert_sound_mesh(&world);
        assert!(surface_of(&world, 0).mesh().triangle_count() <= limit);
    }
    assert!(told);
}

fn assert_sound_mesh(world: &World) {
    let mesh = surface_of(world, 0).mesh();
    mesh.validate(Level::Everything).expect("a sound surface");
}

/// A ball that is cut while it falls.
fn cut_ball() -> World {
    let shape = Shape::Sphere {
        center: Vec3::Y * 0.7,
        radius: 0.5,
    };
    let mut desc = BodyDesc::new("ball", mesh_shape(&shape, EDGE).expect("a ball"), R);
    desc.surface = tracked(false);
    desc.material.plastic_yield = 0.05;
    let mut world = World::new(Settings::default());
    world.add_collider(Collider::floor(0.0));
    world.add_body(desc).expect("a body");
    for (at, normal) in [(0.05, Vec3::new(0.2, 1.0, 0.3)), (0.5, Vec3::X)] {
        world.add_action(Action {
            at,
            kind: ActionKind::Cut {
                point: Vec3::new(0.02, 0.5, 0.0),
                normal,
                blade: None,
                body: None,
            },
        });
    }
    world
}

/// What is cut in the air is still cut when it lies on the floor: the pieces touch all the time and are neither joined nor tangled.
#[test]
fn pieces_of_a_cut_stay_apart() {
    let mut world = cut_ball();
    let volume = world.surfaces()[0].volume();
    let mut density = 0.0;
    for frame in 1..=75 {
        let report = world.step(DT);
        let surface = &report.surfaces[0];
        let crossed = (surface.merges, surface.tracker.rebuilt);
        assert_eq!(crossed, (0, 0), "frame {frame}");
        assert_sound(&world, 0);
        let pieces = match frame {
            ..=3 => 1,
            4..=30 => 2,
            _ => 4,
        };
        assert_eq!(world.surfaces()[0].piece_count(), pieces, "frame {frame}");
        if pieces == 1 {
            density = triangles_per_area(&world);
        }
    }
    let drift = world.surfaces()[0].volume() / volume - 1.0;
    assert!(drift.abs() < 0.005, "{drift}");
    // Caps are as fine as the rest.
    let after = triangles_per_area(&world);
    assert!(after < 1.2 * density, "{density} → {after}");
}

fn triangles_per_area(world: &World) -> f64 {
    let surface = &world.surfaces()[0];
    surface.triangle_count() as f64 / surface.area()
}

/// One, two and four threads give the same bits through cuts.
#[test]
fn a_cut_has_the_same_bits_for_any_number_of_threads() {
    let with_threads = |threads| {
        on_threads(threads, || {
            let mut world = cut_ball();
            let step = |_| {
                world.step(DT);
                world.hash()
            };
            let hashes: Vec<u64> = (0..45).map(step).collect();
            (hashes, world.surfaces()[0].piece_count())
        })
    };
    let one = with_threads(1);
    assert_eq!(one.1, 4);
    assert_eq!(one, with_threads(2));
    assert_eq!(one, with_threads(4));
}
