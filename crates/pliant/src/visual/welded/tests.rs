use super::super::fracture::{FractureOptions, fracture, relink};
use super::super::intake::{Intake, IntakeOptions, intake};
use super::super::links::find_links;
use super::super::nasty::{cube, ell, nasty_meshes, sheet};
use super::super::patterns::{bricks, glass, shards};
use super::super::tear::{split_all, split_gids};
use super::*;
use crate::random::Random;
use glam::{DVec3, Quat};

fn extruded(mesh: &PolygonMesh) -> Intake {
    let options = IntakeOptions {
        thickness: vec![0.05],
        detect_convex: false,
        ..IntakeOptions::default()
    };
    intake(mesh, &options).unwrap()
}

/// At rest every nasty mesh is drawn watertight, with valid attributes, and stays so however it is deformed.
#[test]
fn watertight_at_rest() {
    for (name, mesh) in nasty_meshes() {
        let Ok(body) = intake(&mesh, &IntakeOptions::default()) else {
            continue;
        };
        let graph = find_links(&body.primitives);
        let mut welded = Welded::new(&body.primitives, &graph, &body.mesh);
        assert_eq!(welded.imbalance(), 0, "{name}");
        assert_eq!(welded.mesh().validate(), Ok(()), "{name}");
        let mut random = Random::new([1, 0, 0, 0]);
        let mut pose = |p: &Primitive| Pose {
            x: p.centroid + random.next_in_cube() * 0.1,
            d: Mat3::from_quat(Quat::from_axis_angle(random.next_direction(), 0.2)) * 1.1,
        };
        let poses: Vec<Pose> = body.primitives.iter().map(&mut pose).collect();
        welded.update(&poses);
        assert_eq!(welded.imbalance(), 0, "{name}");
        assert_eq!(welded.mesh().validate(), Ok(()), "{name}");
    }
}

/// A sheet is drawn without the sides between its quads; the outer side lies where the source does, and the whole encloses its volume.
#[test]
fn sides_are_hidden() {
    let body = extruded(&sheet(3, 3, 1.0));
    let graph = find_links(&body.primitives);
    let welded = Welded::new(&body.primitives, &graph, &body.mesh);
    // Two sides of nine quads and twelve quads around, two triangles each.
    assert_eq!(welded.mesh().triangles.len(), 2 * (9 + 9 + 12));
    assert!((welded.mesh().volume() - 9.0 * 0.05).abs() < 1e-5);
    for (v, p) in body.mesh.positions.iter().enumerate() {
        let at = welded.gids().binary_search(&(v as u32)).unwrap();
        assert!((welded.mesh().positions[at] - *p).length() < 1e-6);
    }
}

/// Parts, texture coordinates and colours of the source reach the drawn mesh, also on pieces of cut faces.
#[test]
fn attributes() {
    let mut mesh = sheet(2, 1, 1.0);
    mesh.corner_uvs = mesh
        .faces
        .items
        .iter()
        .map(|&v| mesh.positions[v as usize].truncate())
        .collect();
    mesh.colors = mesh
        .positions
        .iter()
        .map(|p| [(p.x * 100.0) as u8, 0, 0, 255])
        .collect();
    mesh.parts = vec![0, 1];
    mesh.part_names = vec!["a".to_owned(), "b".to_owned()];
    let options = IntakeOptions {
        thickness: vec![0.05; 2],
        join_parts: true,
        ..IntakeOptions::default()
    };
    let body = intake(&mesh, &options).unwrap();
    let pattern = shards(12, 1.0, 4).placed(DVec3::new(0.9, 0.4, 0.0), DVec3::Z, 0.3, 1.0);
    let made = fracture(
        &body.primitives,
        &pattern,
        body.gid_count,
        &FractureOptions::default(),
    );
    let graph = relink(&made, &find_links(&body.primitives), &pattern);
    let welded = Welded::new(&made.primitives, &graph, &body.mesh);
    let drawn = welded.mesh();
    assert_eq!(drawn.validate(), Ok(()));
    for (t, uvs) in drawn.triangles.iter().zip(&drawn.corner_uvs) {
        for (v, uv) in t.iter().zip(uvs) {
            let p = drawn.positions[*v as usize];
            assert!((p.truncate() - *uv).length() < 1e-4, "{p} {uv}");
            let red = f32::from(drawn.colors[*v as usize][0]);
            assert!((red - p.x * 100.0).abs() < 1.5, "{p} {red}");
        }
    }
}

/// A body stays watertight after a cut, brittle or ductile, after a second cut, and after a tear, each piece by itself.
#[test]
fn watertight_after_cuts_and_tears() {
    let cases = [sheet(4, 4, 0.5), ell(), cube(0.0, 1.0)];
    for (number, mesh) in cases.iter().enumerate() {
        for convex in [false, true] {
            let options = IntakeOptions {
                thickness: vec![0.05],
                detect_convex: convex,
                ..IntakeOptions::default()
            };
            let body = intake(mesh, &options).unwrap();
            let mut graph = find_links(&body.primitives);
            let (mut primitives, mut gid_count) = (body.primitives.clone(), body.gid_count);
            for pattern in [
                shards(15, 0.8, 7),
                glass(7, 2, 0.7, 3),
                bricks(3, 3, 0.4, 0.9),
            ] {
                let placed = pattern.placed(
                    DVec3::new(0.7, 0.6, 0.0),
                    DVec3::new(0.1, 0.2, 1.0),
                    0.4,
                    1.0,
                );
                let made = fracture(&primitives, &placed, gid_count, &FractureOptions::default());
                graph = relink(&made, &graph, &placed);
                (primitives, gid_count) = (made.primitives, made.gid_count);
                split_all(&mut primitives, &graph, &mut gid_count);
                let welded = Welded::new(&primitives, &graph, &body.mesh);
                assert_eq!(welded.imbalance(), 0, "{number}");
                assert_eq!(welded.mesh().validate(), Ok(()));
                assert_eq!(graph.components().1, 1, "{number}");
            }
            tear_apart(&mut primitives, &mut graph, gid_count, &body.mesh);
        }
    }
}

fn tear_apart(
    primitives: &mut [Primitive],
    graph: &mut LinkGraph,
    mut gid_count: u32,
    source: &PolygonMesh,
) {
    let broken: Vec<u32> = (0u32..)
        .zip(&graph.links)
        .filter(|(_, l)| l.is_breakable())
        .map(|(k, _)| k)
        .collect();
    for &k in &broken {
        graph.links[k as usize].broken = true;
    }
    split_gids(primitives, graph, &broken, &mut gid_count);
    let (of, count) = graph.components();
    assert!(count > 5);
    for c in 0..count {
        let keep: Vec<usize> = (0..primitives.len()).filter(|&k| of[k] == c).collect();
        let some: Vec<Primitive> = keep.iter().map(|&k| primitives[k].clone()).collect();
        let number = |k: u32| keep.binary_search(&(k as usize)).ok().map(|k| k as u32);
        let links = graph.links.iter().filter_map(|l| {
            Some(super::super::Link {
                i: number(l.i)?,
                j: number(l.j)?,
                ..*l
            })
        });
        let own = LinkGraph::new(some.len(), links.collect());
        assert_eq!(Welded::new(&some, &own, source).imbalance(), 0);
    }
}

/// Poses that stretch the body as a whole leave no gap between the copies of a vertex of a flat sheet.
#[test]
fn no_gaps_in_a_stretched_sheet() {
    let body = extruded(&sheet(4, 4, 1.0));
    let d = Mat3::from_diagonal(Vec3::new(1.5, 0.8, 1.0));
    let poses: Vec<Pose> = body
        .primitives
        .iter()
        .map(|p| Pose {
            x: d * p.centroid,
            d,
        })
        .collect();
    assert!(spread(&body.primitives, &poses) < 1e-6);
}

/// Where a bounded pattern cuts one quad and not its neighbour, the cut's end is a vertex of both: no edge of the drawn outside ends in the
/// middle of another.
#[test]
fn no_cracks_at_the_border_of_a_pattern() {
    let mut cells = cube(0.0, 1.0);
    super::super::nasty::append(
        &mut cells,
        &super::super::nasty::moved(cube(0.0, 1.0), Vec3::X),
    );
    cells.parts = [[0; 6], [1; 6]].concat();
    cells.part_names = vec!["a".to_owned(), "b".to_owned()];
    let pattern = super::super::pattern::from_mesh(&cells).unwrap();
    let pattern = pattern.placed(DVec3::new(0.05, 0.45, -0.5), DVec3::Z, 0.1, 0.9);
    let body = extruded(&sheet(3, 3, 1.0));
    let made = fracture(
        &body.primitives,
        &pattern,
        body.gid_count,
        &FractureOptions::default(),
    );
    assert!(made.report.cut > 0 && made.report.cut < 9);
    let graph = relink(&made, &find_links(&body.primitives), &pattern);
    let mut welded = Welded::new(&made.primitives, &graph, &body.mesh);
    assert_eq!(welded.imbalance(), 0);
    // Bent, but as one: every vertex of the drawn outside still lies on edges, not beside them.
    let bend = |p: &Primitive| Pose {
        x: p.centroid,
        d: Mat3::from_quat(Quat::from_rotation_x(0.3 * p.centroid.y)),
    };
    let poses: Vec<Pose> = made.primitives.iter().map(bend).collect();
    let before = welded.mesh().clone();
    welded.update(&poses);
    let mut open = 0;
    for t in &before.triangles {
        for (a, b) in [(t[0], t[1]), (t[1], t[2]), (t[2], t[0])] {
            let (p, q) = (before.positions[a as usize], before.positions[b as usize]);
            let on = |v: &Vec3| {
                let k = (*v - p).dot(q - p) / (q - p).length_squared();
                (0.001..0.999).contains(&k) && (p + (q - p) * k - *v).length() < 1e-5
            };
            let outside = p.z > -1e-6 && q.z > -1e-6;
            open += usize::from(outside && before.positions.iter().any(on));
        }
    }
    assert_eq!(open, 0, "edges with a vertex in their middle");
}
