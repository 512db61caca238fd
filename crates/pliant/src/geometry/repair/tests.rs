use std::collections::BTreeMap;

use glam::{Vec2, Vec3};
use proptest::prelude::*;

use super::*;
use crate::geometry::topology::tests::sphere;

/// Checks all that the module promises of a mesh, from its triangles alone and in another way than the repair works.
fn check(mesh: &Mesh) -> Result<(), String> {
    mesh.validate().map_err(|error| error.to_string())?;
    let mut half_edges: BTreeMap<(u32, u32), u32> = BTreeMap::new();
    let mut sets: Vec<[u32; 3]> = Vec::new();
    for &[a, b, c] in &mesh.triangles {
        for (from, to, apex) in [(a, b, c), (b, c, a), (c, a, b)] {
            if from == to {
                return Err(format!("a triangle names {from} twice"));
            }
            if half_edges.insert((from, to), apex).is_some() {
                return Err(format!("two half-edges from {from} to {to}"));
            }
        }
        let mut set = [a, b, c];
        set.sort_unstable();
        sets.push(set);
    }
    for &(from, to) in half_edges.keys() {
        if !half_edges.contains_key(&(to, from)) {
            return Err(format!("the edge from {from} to {to} is open"));
        }
    }
    sets.sort_unstable();
    if sets.windows(2).any(|pair| pair[0] == pair[1]) {
        return Err("two triangles have the same vertices".to_owned());
    }
    let mut valence = vec![0; mesh.positions.len()];
    let mut one_neighbour = vec![NONE; mesh.positions.len()];
    for &(from, to) in half_edges.keys() {
        valence[from as usize] += 1;
        one_neighbour[from as usize] = to;
    }
    for v in 0..mesh.positions.len() as u32 {
        let first = one_neighbour[v as usize];
        if first == NONE {
            return Err(format!("vertex {v} is not used"));
        }
        let (mut around, mut to) = (1, half_edges[&(v, first)]);
        while to != first {
            to = half_edges[&(v, to)];
            around += 1;
        }
        if around != valence[v as usize] || around < 3 {
            return Err(format!(
                "{around} of {} edges of vertex {v} are one fan",
                valence[v as usize]
            ));
        }
    }
    Ok(())
}

/// Repairs, checks the promises and that there is nothing more to do.
fn repaired(mesh: &Mesh) -> (Mesh, RepairReport) {
    let (result, report) = repair(mesh).expect("can be repaired");
    check(&result).expect("keeps its promises");
    let (again, second) = repair(&result).expect("can be repaired again");
    assert_eq!(second, RepairReport::default());
    assert_eq!(again, result);
    (result, report)
}

/// A cube of side 1 with its lowest corner at `at`; each face is two triangles, the last face (y = 1) comes last.
fn cube(at: Vec3) -> Mesh {
    let positions = (0..8u32)
        .map(|i| at + Vec3::new((i & 1) as f32, (i >> 1 & 1) as f32, (i >> 2) as f32))
        .collect();
    let quads = [
        [0, 2, 3, 1],
        [4, 5, 7, 6],
        [0, 4, 6, 2],
        [1, 3, 7, 5],
        [0, 1, 5, 4],
        [2, 6, 7, 3],
    ];
    Mesh {
        positions,
        triangles: quads
            .iter()
            .flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]])
            .collect(),
        ..Mesh::default()
    }
}

fn join(mut mesh: Mesh, other: &Mesh) -> Mesh {
    let first = mesh.positions.len() as u32;
    mesh.positions.extend(&other.positions);
    mesh.triangles
        .extend(other.triangles.iter().map(|t| t.map(|v| v + first)));
    mesh
}

/// Makes vertices at one place one.
fn merged(mut mesh: Mesh) -> Mesh {
    for v in mesh.triangles.iter_mut().flatten() {
        let p = mesh.positions[*v as usize];
        *v = mesh
            .positions
            .iter()
            .position(|&q| q == p)
            .map_or(*v, |i| i as u32);
    }
    mesh
}

/// Unit cubes put together, without the faces between them.
fn voxels(corners: impl Iterator<Item = Vec3>) -> Mesh {
    let mut mesh = merged(corners.fold(Mesh::default(), |mesh, at| join(mesh, &cube(at))));
    let quads: Vec<Vec<u32>> = mesh
        .triangles
        .chunks(2)
        .map(|pair| {
            let mut corners = pair.concat();
            corners.sort_unstable();
            corners.dedup();
            corners
        })
        .collect();
    let single = |q: usize| quads.iter().filter(|other| **other == quads[q]).count() == 1;
    mesh.triangles = (0..mesh.triangles.len())
        .filter(|t| single(t / 2))
        .map(|t| mesh.triangles[t])
        .collect();
    mesh
}

/// Gives each triangle vertices of its own.
fn unwelded(mesh: &Mesh) -> Mesh {
    Mesh {
        positions: mesh
            .triangles
            .iter()
            .flatten()
            .map(|&v| mesh.positions[v as usize])
            .collect(),
        triangles: (0..mesh.triangles.len() as u32)
            .map(|t| [3 * t, 3 * t + 1, 3 * t + 2])
            .collect(),
        ..Mesh::default()
    }
}

fn inside_out(mut mesh: Mesh) -> Mesh {
    mesh.triangles.iter_mut().for_each(|t| t.swap(0, 1));
    mesh
}

fn scaled(mut mesh: Mesh, factor: f32) -> Mesh {
    mesh.positions.iter_mut().for_each(|p| *p *= factor);
    mesh
}

/// The independent check finds what it must find.
#[test]
fn the_check_can_fail() {
    assert_eq!(check(&cube(Vec3::ZERO)), Ok(()));
    let mut open = cube(Vec3::ZERO);
    open.triangles.pop();
    assert!(check(&open).is_err());
    let mut flipped = cube(Vec3::ZERO);
    flipped.triangles[3].swap(0, 1);
    assert!(check(&flipped).is_err());
    assert!(check(&merged(join(cube(Vec3::ZERO), &cube(Vec3::ONE)))).is_err());
    assert!(
        check(&merged(join(
            cube(Vec3::ZERO),
            &cube(Vec3::new(1.0, 1.0, 0.0))
        )))
        .is_err()
    );
}

/// Meshes without defects come back bit for bit.
#[test]
fn clean_meshes_stay() {
    let hollow = join(sphere(8, 16, 1.0), &inside_out(sphere(8, 16, 0.5)));
    for mesh in [cube(Vec3::ZERO), sphere(12, 24, 1.0), hollow] {
        let (result, report) = repaired(&mesh);
        assert_eq!(result, mesh);
        assert_eq!(report.summary(), None);
    }
}

/// A box without lid is closed by two triangles of the part `inner`, in the plane of the lid, with textures that fit.
#[test]
fn a_lid_is_put_on() {
    let mut mesh = cube(Vec3::ZERO);
    mesh.triangles.truncate(10);
    mesh.corner_uvs = mesh
        .triangles
        .iter()
        .map(|t| t.map(|v| (mesh.positions[v as usize] * 2.0).truncate()))
        .collect();
    mesh.colors = (0..8).map(|i| [i, 0, 0, 255]).collect();
    let (result, report) = repaired(&mesh);
    assert_eq!(report.summary().as_deref(), Some("closed 1 hole"));
    assert_eq!((report.closed_holes, report.added_triangles), (1, 2));
    assert!((result.volume() - 1.0).abs() < 1e-9);
    assert_eq!(result.part_names, ["outer", "inner"]);
    assert_eq!(result.parts, [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1]);
    assert_eq!(result.triangles[..10], mesh.triangles[..]);
    assert_eq!(result.corner_uvs[..10], mesh.corner_uvs[..]);
    assert_eq!(result.colors, mesh.colors);
    let [a, b, c] = result.corner_uvs[10];
    let longest = a.distance(b).max(b.distance(c)).max(c.distance(a));
    assert!((0.5..3.0).contains(&longest), "{longest}");
}

/// The part of a filled hole is named once, after the parts that are there.
#[test]
fn inner_joins_the_parts() {
    let mut mesh = cube(Vec3::ZERO);
    mesh.triangles.truncate(10);
    mesh.parts = vec![0, 0, 0, 0, 1, 1, 1, 1, 1, 1];
    mesh.part_names = vec!["left".to_owned(), "right".to_owned()];
    let (result, _) = repaired(&mesh);
    assert_eq!(result.part_names, ["left", "right", "inner"]);
    assert_eq!(result.parts[10..], [2, 2]);
    mesh.part_names[0] = "inner".to_owned();
    assert_eq!(repaired(&mesh).0.part_names, ["inner", "right"]);
}

/// A concave hole in a plane is filled within the plane and without overlap.
#[test]
fn a_concave_hole_is_filled_flat() {
    // A prism over a star, closed but for its top.
    let n = 10u32;
    let mut mesh = Mesh::default();
    for i in 0..n {
        let (s, c) = libm::sincosf(std::f32::consts::TAU * i as f32 / n as f32);
        let r = if i % 2 == 0 { 1.0 } else { 0.3 };
        mesh.positions
            .extend([Vec3::new(r * c, 0.0, -r * s), Vec3::new(r * c, 1.0, -r * s)]);
        let (a, b) = (2 * i, 2 * ((i + 1) % n));
        mesh.triangles
            .extend([[a, b, b + 1], [a, b + 1, a + 1], [b, a, 2 * n]]);
    }
    mesh.positions.push(Vec3::ZERO);
    let (result, report) = repaired(&mesh);
    assert_eq!((report.closed_holes, report.added_triangles), (1, 8));
    let added: f64 = result.area() - mesh.area();
    let bottom = f64::from(n) * 0.5 * 0.3 * f64::from(libm::sinf(std::f32::consts::TAU / n as f32));
    assert!((added - bottom).abs() < 1e-6, "{added} {bottom}");
    assert!((result.volume() - bottom).abs() < 1e-6);
}

/// Long loops are closed too, by faster means the longer they are; wavy ones that no plane fits as well.
#[test]
fn long_loops_are_closed() {
    for (n, wave, added) in [(400u32, 0.02, 398), (600, 0.0, 598), (9000, 0.0, 9000)] {
        let mut cone = Mesh::default();
        for i in 0..n {
            let (s, c) = libm::sincosf(std::f32::consts::TAU * i as f32 / n as f32);
            let height = if i % 2 == 0 { wave } else { -wave };
            cone.positions.push(Vec3::new(c, height, s));
            cone.triangles.push([(i + 1) % n, i, n]);
        }
        cone.positions.push(Vec3::Y);
        let (result, report) = repaired(&cone);
        assert_eq!((report.closed_holes, report.added_triangles), (1, added));
        let volume = std::f64::consts::PI / 3.0;
        assert!(
            (result.volume() - volume).abs() < 0.2 * volume,
            "{}",
            result.volume()
        );
    }
}

/// Two cubes that share an edge, or a vertex, become two cubes.
#[test]
fn touching_cubes_are_parted() {
    let edge = merged(join(cube(Vec3::ZERO), &cube(Vec3::new(1.0, 1.0, 0.0))));
    let (result, report) = repaired(&edge);
    assert_eq!((report.parted_edges, report.split_vertices), (1, 0));
    assert_eq!(report.closed_holes, 0);
    assert_eq!(result.positions.len(), 16);
    assert!((result.volume() - 2.0).abs() < 1e-9);
    let vertex = merged(join(cube(Vec3::ZERO), &cube(Vec3::ONE)));
    let (result, report) = repaired(&vertex);
    assert_eq!((report.parted_edges, report.split_vertices), (0, 1));
    assert_eq!(
        report.summary().as_deref(),
        Some("split 1 pinched vertex, left out 1 unused vertex")
    );
    assert_eq!(result.positions.len(), 16);
    // The same from triangles that share nothing.
    let (result, report) = repaired(&unwelded(&edge));
    assert_eq!((report.welded_vertices, report.parted_edges), (72 - 14, 1));
    assert_eq!((result.positions.len(), report.closed_holes), (16, 0));
}

/// Two cubes that share a face become one body, whether the wall was drawn twice or not at all.
#[test]
fn walls_between_cubes_vanish() {
    let pair = merged(join(cube(Vec3::ZERO), &cube(Vec3::Z)));
    // The diagonals of the touching faces agree only if both are cut the same way.
    let mut wall = pair.clone();
    wall.triangles[12..14].copy_from_slice(&[[4, 7, 5], [4, 6, 7]]);
    let (result, report) = repaired(&wall);
    assert_eq!(report.duplicate_triangles, 4, "{report:?}");
    assert!((result.volume() - 2.0).abs() < 1e-9);
    assert_eq!(report.closed_holes, 0);
}

/// Triangles without shared vertices become a surface, seams are closed, and solids that only touch stay apart.
#[test]
fn soups_are_welded() {
    let (result, report) = repaired(&unwelded(&cube(Vec3::ZERO)));
    assert_eq!((report.welded_vertices, report.unused_vertices), (28, 0));
    assert_eq!(result.positions.len(), 8);
    assert!((result.volume() - 1.0).abs() < 1e-9);
    let touching = join(cube(Vec3::ZERO), &cube(Vec3::Z));
    assert_eq!(repaired(&touching).0, touching);
}

/// Flipped faces are turned back, an inside-out mesh is turned as a whole.
#[test]
fn faces_are_turned_outward() {
    let mut mesh = cube(Vec3::ZERO);
    mesh.triangles[3].swap(0, 1);
    mesh.triangles[8].swap(0, 1);
    let (result, report) = repaired(&mesh);
    assert_eq!(report.summary().as_deref(), Some("turned 2 triangles"));
    assert!((result.volume() - 1.0).abs() < 1e-9);
    let (result, report) = repaired(&inside_out(cube(Vec3::ZERO)));
    assert_eq!(report.turned_triangles, 12);
    assert!((result.volume() - 1.0).abs() < 1e-9);
}

/// Repeated triangles go, whichever way they face; a mesh that is there twice is there once.
#[test]
fn duplicates_go() {
    let mut mesh = cube(Vec3::ZERO);
    mesh.triangles
        .extend([[0, 2, 3], [3, 2, 0], [4, 7, 5], [1, 1, 2]]);
    let (result, report) = repaired(&mesh);
    assert_eq!(
        (report.duplicate_triangles, report.degenerate_triangles),
        (3, 1)
    );
    assert_eq!(result, cube(Vec3::ZERO));
    let mut twice = cube(Vec3::ZERO);
    twice.triangles.extend_from_within(..);
    assert_eq!(repaired(&twice).0, cube(Vec3::ZERO));
    let mut both_ways = cube(Vec3::ZERO);
    both_ways
        .triangles
        .extend(inside_out(cube(Vec3::ZERO)).triangles);
    assert_eq!(repaired(&both_ways).0, cube(Vec3::ZERO));
}

/// Sheets have no inside and are refused in one line; beside a solid they are left out.
#[test]
fn flat_pieces_are_left_out() {
    let mut sheet = cube(Vec3::ZERO);
    sheet.triangles.truncate(1);
    assert_eq!(repair(&sheet), Err(RepairError::FlatSheet));
    sheet = cube(Vec3::ZERO);
    sheet.triangles.truncate(2);
    assert_eq!(repair(&sheet), Err(RepairError::FlatSheet));
    sheet.triangles = vec![[0, 1, 2], [4, 5, 6]];
    assert_eq!(repair(&sheet), Err(RepairError::FlatPieces { pieces: 2 }));
    sheet.triangles = vec![[0, 0, 2]];
    assert_eq!(repair(&sheet), Err(RepairError::NoSurface));
    assert!(matches!(
        repair(&Mesh::default()),
        Err(RepairError::Invalid(_))
    ));
    // A fin at an edge of a cube.
    let mut finned = cube(Vec3::ZERO);
    finned.positions.push(Vec3::new(2.0, 2.0, 0.5));
    finned.triangles.insert(0, [3, 7, 8]);
    let (result, report) = repaired(&finned);
    assert_eq!(
        (report.parted_edges, report.flat_pieces, report.closed_holes),
        (1, 1, 0)
    );
    assert_eq!(result.triangles.len(), 12);
    assert!((result.volume() - 1.0).abs() < 1e-9);
}

/// A Möbius strip has one side; cut and closed, it bounds a solid like any other mesh.
#[test]
fn a_moebius_strip_is_cut() {
    let n = 12u32;
    let mut mesh = Mesh::default();
    for i in 0..n {
        let angle = std::f32::consts::TAU * i as f32 / n as f32;
        let ((s, c), (sh, ch)) = (libm::sincosf(angle), libm::sincosf(angle * 0.5));
        for side in [-0.3, 0.3] {
            let r = 1.0 + side * ch;
            mesh.positions.push(Vec3::new(r * c, side * sh, r * s));
        }
        let (a, b) = (2 * i, 2 * i + 1);
        let [c, d] = if i + 1 < n { [a + 2, b + 2] } else { [1, 0] };
        mesh.triangles.extend([[a, b, c], [c, b, d]]);
    }
    let (_, report) = repaired(&mesh);
    assert_eq!((report.cut_edges, report.closed_holes), (1, 1));
}

/// A cavity stays one, also if all is inside out; what floats in a cavity is solid; nested solids stay solid.
#[test]
fn cavities_stay() {
    let (outer, cavity, core) = (
        sphere(8, 16, 1.0),
        inside_out(sphere(8, 16, 0.6)),
        sphere(8, 16, 0.3),
    );
    let hollow = join(outer.clone(), &cavity);
    let (result, report) = repaired(&inside_out(hollow.clone()));
    assert_eq!(report.turned_triangles, hollow.triangles.len());
    assert!((result.volume() - hollow.volume()).abs() < 1e-9);
    let with_core = join(hollow.clone(), &core);
    assert_eq!(repaired(&with_core).0, with_core);
    let with_wrong_core = join(hollow, &inside_out(core));
    assert!((repaired(&with_wrong_core).0.volume() - with_core.volume()).abs() < 1e-9);
    let nested = join(outer.clone(), &scaled(outer.clone(), 0.5));
    assert_eq!(repaired(&nested).0, nested);
    // Beside each other, an inside-out one is no cavity.
    let mut beside = inside_out(outer.clone());
    beside.positions.iter_mut().for_each(|p| p.x += 1.5);
    let (result, _) = repaired(&join(outer.clone(), &beside));
    assert!((result.volume() - 2.0 * outer.volume()).abs() < 1e-6);
}

/// Two edges with the same ends that cannot be parted get a vertex in the middle, with attributes in the middle.
#[test]
fn doubled_edges_are_halved() {
    // Two columns that touch along an edge in the middle and are joined above and below: each end of the edge has one fan.
    let cell = |x: u8, y: u8, z: u8| Vec3::new(f32::from(x), f32::from(y), f32::from(z));
    let columns = (0..3).flat_map(|z| [cell(0, 0, z), cell(1, 1, z)]);
    let bridges = [cell(1, 0, 0), cell(1, 0, 2)];
    let mut mesh = voxels(columns.chain(bridges));
    mesh.corner_uvs = vec![[Vec2::ZERO, Vec2::X, Vec2::Y]; mesh.triangles.len()];
    mesh.colors = vec![[1, 2, 3, 4]; mesh.positions.len()];
    mesh.parts = vec![0; mesh.triangles.len()];
    let (result, report) = repaired(&mesh);
    assert_eq!((report.parted_edges, report.halved_edges), (1, 1));
    assert_eq!((report.split_vertices, report.closed_holes), (0, 0));
    assert_eq!(result.triangles.len(), mesh.triangles.len() + 2);
    assert!((result.volume() - 8.0).abs() < 1e-9);
    assert!((result.area() - mesh.area()).abs() < 1e-9);
    assert!(result.colors.iter().all(|&color| color == [1, 2, 3, 4]));
    assert_eq!(result.parts.len(), result.triangles.len());
}

/// What is far too large or small is repaired all the same.
#[test]
fn any_scale() {
    for factor in [1e-30, 1e-6, 1e6, 1e30] {
        let mut mesh = scaled(cube(Vec3::ZERO), factor);
        mesh.triangles.truncate(10);
        let (result, report) = repaired(&mesh);
        assert_eq!(
            (report.closed_holes, result.triangles.len()),
            (1, 12),
            "{factor}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1000) })]

    /// Whatever triangles there are, the result keeps all promises or there is an error; nothing is left to do then.
    #[test]
    fn soups_never_break_it(
        places in prop::collection::vec([-3i8..4, -3i8..4, -3i8..4], 3..20),
        picks in prop::collection::vec([0u32..20, 0u32..20, 0u32..20], 1..60),
        jitter in any::<bool>(),
        attributes in any::<bool>(),
    ) {
        let count = places.len() as u32;
        let positions: Vec<Vec3> = (0u32..)
            .zip(&places)
            .map(|(i, p)| {
                let shift = if jitter { 0.01 * (i * i % 17) as f32 } else { 0.0 };
                Vec3::from_array(p.map(f32::from)) + Vec3::new(shift, -shift, 2.0 * shift)
            })
            .collect();
        let triangles: Vec<[u32; 3]> = picks.iter().map(|t| t.map(|v| v % count)).collect();
        let mut mesh = Mesh { positions, triangles, ..Mesh::default() };
        if attributes {
            mesh.colors = (0..count).map(|i| [i as u8, 0, 0, 255]).collect();
            mesh.corner_uvs = vec![[Vec2::ZERO, Vec2::X, Vec2::Y]; mesh.triangles.len()];
            mesh.parts = (0..mesh.triangles.len()).map(|t| t as u16 % 3).collect();
        }
        if let Ok((result, _)) = repair(&mesh) {
            prop_assert_eq!(check(&result), Ok(()));
            let (again, second) = repair(&result).map_err(|e| TestCaseError::fail(e.to_string()))?;
            prop_assert_eq!(second.summary(), None);
            prop_assert_eq!(again, result);
        }
    }

    /// A solid of voxels, which touch in edges and vertices in all possible ways, becomes a manifold of the same volume
    /// without a hole.
    #[test]
    fn voxels_become_manifold(filled in prop::collection::vec(any::<bool>(), 27), soup in any::<bool>()) {
        let cells = (0..27).filter(|&i| filled[i]);
        let corner = |i: usize| Vec3::new((i % 3) as f32, (i / 3 % 3) as f32, (i / 9) as f32);
        let mut mesh = voxels(cells.clone().map(corner));
        prop_assume!(!mesh.triangles.is_empty());
        if soup {
            mesh = unwelded(&mesh);
        }
        let (result, report) = repair(&mesh).map_err(|e| TestCaseError::fail(e.to_string()))?;
        prop_assert_eq!(check(&result), Ok(()));
        prop_assert_eq!((report.closed_holes, report.flat_pieces, report.turned_triangles), (0, 0, 0));
        prop_assert!((result.volume() - cells.count() as f64).abs() < 1e-6);
    }
}
