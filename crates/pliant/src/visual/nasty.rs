//! Meshes that artists, exporters and accidents make, for tests here and elsewhere.

use glam::{Vec2, Vec3};

use super::polygons::PolygonMesh;
use crate::random::Random;
use crate::state::Csr;

/// A mesh of positions and faces.
pub fn polygon_mesh(positions: &[[f32; 3]], faces: &[&[u32]]) -> PolygonMesh {
    let mut rows = Csr::default();
    for f in faces {
        rows.push(f.iter().copied());
    }
    PolygonMesh {
        positions: positions.iter().map(|&p| Vec3::from(p)).collect(),
        faces: rows,
        ..PolygonMesh::default()
    }
}

/// Puts the faces of a second mesh behind those of the first, without welding; each becomes a part if they are named.
pub fn append(a: &mut PolygonMesh, b: &PolygonMesh) {
    let first = a.positions.len() as u32;
    a.positions.extend_from_slice(&b.positions);
    b.faces
        .iter()
        .for_each(|f| a.faces.push(f.iter().map(|v| v + first)));
}

/// The same mesh moved by `by`.
pub fn moved(mut mesh: PolygonMesh, by: Vec3) -> PolygonMesh {
    mesh.positions.iter_mut().for_each(|p| *p += by);
    mesh
}

/// The same mesh with its inside out.
pub fn inside_out(mesh: &PolygonMesh) -> PolygonMesh {
    let mut out = mesh.clone();
    out.faces = Csr::default();
    mesh.faces
        .iter()
        .for_each(|f| out.faces.push(f.iter().rev().copied()));
    out
}

/// A cube of six quads between `lo` and `hi`.
pub fn cube(lo: f32, hi: f32) -> PolygonMesh {
    let at = |bit: usize, i: usize| if i & bit == 0 { lo } else { hi };
    let positions: Vec<[f32; 3]> = (0..8).map(|i| [at(1, i), at(2, i), at(4, i)]).collect();
    let faces: [&[u32]; 6] = [
        &[0, 4, 6, 2],
        &[1, 3, 7, 5],
        &[0, 1, 5, 4],
        &[2, 6, 7, 3],
        &[0, 2, 3, 1],
        &[4, 5, 7, 6],
    ];
    polygon_mesh(&positions, &faces)
}

/// A flat sheet of `n` × `m` quads of side `side` in the plane z = 0, looking up.
pub fn sheet(n: u32, m: u32, side: f32) -> PolygonMesh {
    let mut mesh = PolygonMesh::default();
    for j in 0..=m {
        let row = (0..=n).map(|i| Vec3::new(i as f32 * side, j as f32 * side, 0.0));
        mesh.positions.extend(row);
    }
    for j in 0..m {
        for i in 0..n {
            let v = j * (n + 1) + i;
            mesh.faces.push([v, v + 1, v + n + 2, v + n + 1]);
        }
    }
    mesh
}

/// A sphere of 20 · 4ᵏ triangles of radius 1.
pub fn icosphere(k: u32) -> PolygonMesh {
    let g = f32::midpoint(1.0, 5.0f32.sqrt());
    let mut positions: Vec<Vec3> = Vec::new();
    for (a, b) in [(-1.0, g), (1.0, g), (-1.0, -g), (1.0, -g)] {
        positions.push(Vec3::new(a, b, 0.0));
    }
    for (a, b) in [(-1.0, g), (1.0, g), (-1.0, -g), (1.0, -g)] {
        positions.push(Vec3::new(0.0, a, b));
    }
    for (a, b) in [(-1.0, g), (1.0, g), (-1.0, -g), (1.0, -g)] {
        positions.push(Vec3::new(b, 0.0, a));
    }
    let mut triangles: Vec<[u32; 3]> = vec![
        [0, 11, 5],
        [0, 5, 1],
        [0, 1, 7],
        [0, 7, 10],
        [0, 10, 11],
        [1, 5, 9],
        [5, 11, 4],
        [11, 10, 2],
        [10, 7, 6],
        [7, 1, 8],
        [3, 9, 4],
        [3, 4, 2],
        [3, 2, 6],
        [3, 6, 8],
        [3, 8, 9],
        [4, 9, 5],
        [2, 4, 11],
        [6, 2, 10],
        [8, 6, 7],
        [9, 8, 1],
    ];
    for p in &mut positions {
        *p = p.normalize();
    }
    for _ in 0..k {
        let mut middles = std::collections::HashMap::new();
        let mut finer = Vec::with_capacity(4 * triangles.len());
        for [a, b, c] in triangles {
            let mut middle = |i: u32, j: u32| {
                *middles.entry((i.min(j), i.max(j))).or_insert_with(|| {
                    let p = (positions[i as usize] + positions[j as usize]).normalize();
                    positions.push(p);
                    positions.len() as u32 - 1
                })
            };
            let (ab, bc, ca) = (middle(a, b), middle(b, c), middle(c, a));
            finer.extend([[a, ab, ca], [b, bc, ab], [c, ca, bc], [ab, bc, ca]]);
        }
        triangles = finer;
    }
    let mut mesh = PolygonMesh {
        positions,
        ..PolygonMesh::default()
    };
    for t in triangles {
        mesh.faces.push(t);
    }
    mesh
}

/// A solid L of eight faces, two of them hexagons with an inward corner.
pub fn ell() -> PolygonMesh {
    let outline = [[0., 0.], [2., 0.], [2., 1.], [1., 1.], [1., 2.], [0., 2.]];
    let mut positions: Vec<[f32; 3]> = outline.iter().map(|p| [p[0], p[1], 0.0]).collect();
    positions.extend(outline.iter().map(|p| [p[0], p[1], 1.0]));
    let mut mesh = polygon_mesh(&positions, &[&[5, 4, 3, 2, 1, 0], &[6, 7, 8, 9, 10, 11]]);
    for i in 0..6 {
        let j = (i + 1) % 6;
        mesh.faces.push([i, j, 6 + j, 6 + i]);
    }
    mesh
}

/// Triangles at random places, each with vertices of its own.
pub fn soup(count: u32, size: f32, seed: u64) -> PolygonMesh {
    let mut random = Random::new([seed, 0, 0, 0]);
    let mut mesh = PolygonMesh::default();
    for t in 0..count {
        let center = random.next_in_cube();
        for _ in 0..3 {
            mesh.positions
                .push(center + (random.next_in_cube() - 0.5) * size);
        }
        mesh.faces.push([3 * t, 3 * t + 1, 3 * t + 2]);
    }
    mesh
}

fn fan(blades: u32) -> PolygonMesh {
    let mut mesh = polygon_mesh(&[[0.0, 0.0, 0.0], [0.0, 0.0, 1.0]], &[]);
    for i in 0..blades {
        let angle = std::f32::consts::TAU * i as f32 / blades as f32;
        mesh.positions
            .push(Vec3::new(libm::cosf(angle), libm::sinf(angle), 0.5));
        mesh.faces.push([0, 2 + i, 1]);
    }
    mesh
}

fn cone(sides: u32) -> PolygonMesh {
    let mut mesh = polygon_mesh(&[[0.0, 0.0, 1.0]], &[]);
    for i in 0..sides {
        let angle = std::f32::consts::TAU * i as f32 / sides as f32;
        mesh.positions
            .push(Vec3::new(libm::cosf(angle), libm::sinf(angle), 0.0));
        mesh.faces.push([0, 1 + i, 1 + (i + 1) % sides]);
    }
    mesh
}

fn star(points: u32) -> PolygonMesh {
    let mut mesh = PolygonMesh::default();
    for i in 0..2 * points {
        let angle = std::f32::consts::PI * i as f32 / points as f32;
        let r = if i % 2 == 0 { 1.0 } else { 0.3 };
        mesh.positions
            .push(Vec3::new(r * libm::cosf(angle), r * libm::sinf(angle), 0.0));
    }
    mesh.faces.push(0..2 * points);
    mesh
}

fn disc(corners: u32) -> PolygonMesh {
    let mut mesh = star(corners / 2);
    mesh.positions.iter_mut().for_each(|p| *p = p.normalize());
    mesh
}

fn pentagram() -> PolygonMesh {
    let mut mesh = PolygonMesh::default();
    for i in 0..5 {
        let angle = std::f32::consts::TAU * (2 * i) as f32 / 5.0;
        mesh.positions
            .push(Vec3::new(libm::cosf(angle), libm::sinf(angle), 0.0));
    }
    mesh.faces.push(0..5);
    mesh
}

/// A mesh in which every face has vertices and texture coordinates of its own, as exporters write seams.
fn seams() -> PolygonMesh {
    let source = cube(0.0, 1.0);
    let mut mesh = PolygonMesh::default();
    for face in source.faces.iter() {
        let first = mesh.positions.len() as u32;
        mesh.positions
            .extend(face.iter().map(|&v| source.positions[v as usize]));
        mesh.faces.push(first..first + 4);
        mesh.corner_uvs
            .extend([Vec2::ZERO, Vec2::X, Vec2::ONE, Vec2::Y]);
    }
    mesh
}

fn in_parts() -> PolygonMesh {
    let mut mesh = cube(0.0, 1.0);
    append(&mut mesh, &cube(0.5, 1.5));
    mesh.parts = vec![0; 6];
    mesh.parts.extend([1; 6]);
    mesh.part_names = vec!["a".to_owned(), "b".to_owned()];
    mesh
}

fn nested(cavity: bool) -> PolygonMesh {
    let mut mesh = cube(0.0, 1.0);
    let inner = cube(0.25, 0.75);
    append(&mut mesh, &if cavity { inside_out(&inner) } else { inner });
    mesh
}

fn joined(a: PolygonMesh, b: &PolygonMesh) -> PolygonMesh {
    let mut mesh = a;
    append(&mut mesh, b);
    mesh
}

/// Meshes that must be survived, each with a name: primitives or one clear error, never a panic.
pub fn nasty_meshes() -> Vec<(&'static str, PolygonMesh)> {
    let mut all = nasty_faces();
    all.extend(nasty_doubles());
    all.extend(nasty_polygons());
    all.extend(nasty_crowds());
    all.extend(nasty_solids());
    all.extend(nasty_places());
    all
}

const SQUARE: [[f32; 3]; 4] = [[0., 0., 0.], [1., 0., 0.], [1., 1., 0.], [0., 1., 0.]];

fn nasty_faces() -> Vec<(&'static str, PolygonMesh)> {
    let p = polygon_mesh;
    let leaning = [[0., 0., 0.], [2., 2., 0.1], [1., 0., 0.], [0., 1., 0.]];
    let dart = [[0., 0., 0.], [2., 1., 0.], [0., 2., 0.], [0.5, 1., 0.]];
    let bent = [[0., 0., 0.], [1., 0., 0.], [1., 1., 0.4], [0., 1., 0.]];
    let line = [[0., 0., 0.], [1., 0., 0.], [2., 0., 0.], [0., 1., 0.]];
    let needles = [
        [0., 0., 0.],
        [1., 1e-4, 0.],
        [1., 0., 0.],
        [0.5, -1e-3, 1.],
        [0., 1., 0.],
    ];
    vec![
        ("triangle", p(&SQUARE, &[&[0, 1, 2]])),
        ("bow-tie", p(&SQUARE, &[&[0, 2, 1, 3]])),
        ("leaning bow-tie", p(&leaning, &[&[0, 1, 2, 3]])),
        ("dart", p(&dart, &[&[0, 1, 2, 3]])),
        ("bent quad", p(&bent, &[&[0, 1, 2, 3]])),
        ("zero area", p(&line, &[&[0, 1, 2], &[0, 1, 3]])),
        ("only zero area", p(&line[..3], &[&[0, 1, 2]])),
        (
            "needles",
            p(&needles, &[&[0, 2, 1], &[0, 3, 2], &[0, 1, 4]]),
        ),
        ("one place", p(&[[1., 1., 1.]], &[&[0, 0, 0]])),
    ]
}

fn nasty_doubles() -> Vec<(&'static str, PolygonMesh)> {
    let p = polygon_mesh;
    let pinch = [
        [0., 0., 0.],
        [1., 0., 0.],
        [1., 1., 0.],
        [-1., 0., 0.],
        [-1., -1., 0.],
    ];
    let fold = [[0., 0., 0.], [1., 0., 0.], [1., 1., 0.], [1., 1., 1e-7]];
    let mut minus_zero = joined(p(&SQUARE, &[&[0, 1, 2]]), &p(&SQUARE, &[&[0, 2, 3]]));
    minus_zero.positions[4].x = -0.0;
    vec![
        (
            "duplicate faces",
            p(&SQUARE, &[&[0, 1, 2, 3], &[2, 3, 0, 1], &[1, 2, 3, 0]]),
        ),
        ("double-sided", p(&SQUARE, &[&[0, 1, 2, 3], &[3, 2, 1, 0]])),
        (
            "three sides",
            p(&SQUARE, &[&[0, 1, 2], &[2, 1, 0], &[0, 2, 1]]),
        ),
        (
            "flat closed",
            p(&SQUARE, &[&[0, 1, 2], &[0, 2, 3], &[2, 1, 0], &[3, 2, 0]]),
        ),
        ("folded on itself", p(&fold, &[&[0, 1, 2], &[1, 0, 3]])),
        (
            "repeated vertices",
            p(&SQUARE, &[&[0, 0, 1, 1, 2, 3, 0], &[0, 1, 1]]),
        ),
        ("pinched loop", p(&pinch, &[&[0, 1, 2, 0, 3, 4]])),
        ("minus zero", minus_zero),
        ("seams", seams()),
    ]
}

fn nasty_polygons() -> Vec<(&'static str, PolygonMesh)> {
    let comb = [
        (0, 0),
        (5, 0),
        (5, 2),
        (4, 2),
        (4, 1),
        (3, 1),
        (3, 2),
        (2, 2),
        (2, 1),
        (1, 1),
        (1, 2),
        (0, 2),
    ];
    let comb = comb.map(|(x, y)| [x as f32, y as f32, 0.0]);
    vec![
        (
            "comb",
            polygon_mesh(&comb, &[&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]]),
        ),
        ("star", star(12)),
        ("round star", star(400)),
        ("pentagram", pentagram()),
        ("disc", disc(1000)),
    ]
}

fn nasty_crowds() -> Vec<(&'static str, PolygonMesh)> {
    vec![
        ("loose triangles", soup(10_000, 0.05, 1)),
        ("large loose triangles", soup(200, 1.0, 2)),
        ("fan", fan(5)),
        ("wide fan", fan(300)),
        ("cone", cone(2000)),
        ("overlapping parts", in_parts()),
    ]
}

fn nasty_solids() -> Vec<(&'static str, PolygonMesh)> {
    let beside = |by: Vec3| joined(cube(0.0, 1.0), &moved(cube(0.0, 1.0), by));
    vec![
        ("nested", nested(false)),
        ("cavity", nested(true)),
        ("inside out", inside_out(&cube(0.0, 1.0))),
        ("cube without lid", first_half(cube(0.0, 1.0))),
        ("half sphere", first_half(icosphere(2))),
        ("sphere", icosphere(1)),
        ("fine sphere", icosphere(3)),
        ("ell", ell()),
        ("thin plate", moved(thin_plate(), Vec3::new(3.0, 4.0, 5.0))),
        ("two cubes at an edge", beside(Vec3::new(1.0, 1.0, 0.0))),
        ("two cubes at a corner", beside(Vec3::ONE)),
        ("twisted band", twisted()),
    ]
}

fn nasty_places() -> Vec<(&'static str, PolygonMesh)> {
    let mut unused = polygon_mesh(&SQUARE, &[&[0, 1, 2]]);
    unused.positions[3] = Vec3::splat(1e5);
    vec![
        ("far away", moved(cube(0.0, 1.0), Vec3::splat(1e4))),
        ("unused vertices", unused),
        ("tiny", scaled(cube(0.0, 1.0), 1e-3)),
        ("speck", scaled(cube(0.0, 1.0), 1e-7)),
        ("huge", scaled(cube(0.0, 1.0), 1e9)),
        (
            "tiny beside large",
            joined(cube(0.0, 100.0), &scaled(cube(0.0, 1.0), 1e-3)),
        ),
    ]
}

/// The first half of the faces.
fn first_half(mut mesh: PolygonMesh) -> PolygonMesh {
    let keep = mesh.face_count() / 2;
    mesh.faces.offsets.truncate(keep + 1);
    mesh.faces.items.truncate(mesh.faces.offsets[keep] as usize);
    mesh
}

fn twisted() -> PolygonMesh {
    let mut mesh = sheet(8, 2, 1.0);
    for v in &mut mesh.positions {
        let (a, y) = (0.4 * v.x, v.y - 1.0);
        *v = Vec3::new(v.x, y * libm::cosf(a), y * libm::sinf(a));
    }
    mesh
}

fn scaled(mut mesh: PolygonMesh, by: f32) -> PolygonMesh {
    mesh.positions.iter_mut().for_each(|p| *p *= by);
    mesh
}

/// An open box, two walls of which are nearer to each other than they are thick.
fn thin_plate() -> PolygonMesh {
    let mut mesh = cube(0.0, 1.0);
    mesh.positions.iter_mut().for_each(|p| p.z *= 0.01);
    mesh.faces.offsets.truncate(5);
    mesh.faces.items.truncate(16);
    mesh.faces.push([0, 2, 3, 1]);
    append(
        &mut mesh,
        &polygon_mesh(
            &[
                [0., 0., 0.01],
                [1., 0., 0.01],
                [1., 1., 0.01],
                [0., 1., 0.01],
            ],
            &[&[0, 1, 2]],
        ),
    );
    mesh
}
