use super::super::nasty::{append, cube, ell, icosphere, moved, nasty_meshes, polygon_mesh, sheet};
use super::super::primitive::FaceTag;
use super::*;
use glam::Vec2;

fn take(mesh: &PolygonMesh, t: f32) -> Intake {
    let options = IntakeOptions {
        thickness: vec![t; mesh.part_count()],
        ..IntakeOptions::default()
    };
    intake(mesh, &options).unwrap()
}

fn area(mesh: &PolygonMesh) -> f64 {
    let at = |v: u32| mesh.positions[v as usize].as_dvec3();
    let of = |f: &[u32]| super::super::polyhedron::area_vector(f, at).length();
    mesh.faces.iter().map(of).sum()
}

/// Prisms are closed, convex, and their volumes add up to area times thickness.
#[test]
fn extruded_volume() {
    let half = nasty_meshes().into_iter().find(|m| m.0 == "half sphere");
    for mesh in [sheet(7, 5, 0.3), ell(), half.unwrap().1] {
        let t = 0.01;
        let options = IntakeOptions {
            thickness: vec![t],
            detect_convex: false,
            ..IntakeOptions::default()
        };
        let result = intake(&mesh, &options).unwrap();
        let volume: f64 = result.primitives.iter().map(|p| f64::from(p.volume)).sum();
        let expected = area(&result.mesh) * f64::from(t);
        assert!(
            (volume / expected - 1.0).abs() < 1e-6,
            "{volume} {expected}"
        );
        for p in &result.primitives {
            assert_eq!(p.check(1e-5), Ok(()));
        }
    }
}

/// Cubes and a sphere of 80 triangles become one primitive each, an L does not.
#[test]
fn convex_detection() {
    let mut scene = cube(0.0, 1.0);
    append(&mut scene, &moved(cube(0.0, 2.0), Vec3::X * 3.0));
    append(&mut scene, &moved(icosphere(1), Vec3::Y * 5.0));
    append(&mut scene, &moved(ell(), Vec3::Z * 5.0));
    let result = take(&scene, 0.05);
    assert_eq!(result.report.convex_shapes, 3);
    // Each hexagon of the L is two convex pieces.
    assert_eq!(result.primitives.len(), 3 + 6 + 2 * 2);
    let sizes: Vec<usize> = result.primitives.iter().map(|p| p.faces.rows()).collect();
    assert_eq!(sizes[..3], [6, 6, 80]);
    assert!((result.primitives[1].volume - 8.0).abs() < 1e-5);
    assert!((result.primitives[0].thickness - 1.0).abs() < 1e-6);
    let plain = IntakeOptions {
        detect_convex: false,
        ..IntakeOptions::default()
    };
    assert_eq!(intake(&cube(0.0, 1.0), &plain).unwrap().primitives.len(), 6);
}

/// At the corner of a cube inner copies average to a depth of t/3 along each axis, at an edge of t/2.
#[test]
fn inner_copies() {
    let options = IntakeOptions {
        thickness: vec![0.1],
        detect_convex: false,
        ..IntakeOptions::default()
    };
    let mut mesh = cube(0.0, 1.0);
    // A vertex in the middle of an edge, on its two faces.
    mesh.positions.push(Vec3::new(0.5, 0.0, 0.0));
    mesh.faces = crate::state::Csr::default();
    for face in [
        &[0, 4, 6, 2][..],
        &[1, 3, 7, 5],
        &[0, 8, 1, 5, 4],
        &[2, 6, 7, 3],
        &[0, 2, 3, 1, 8],
        &[4, 5, 7, 6],
    ] {
        mesh.faces.push(face.iter().copied());
    }
    let result = intake(&mesh, &options).unwrap();
    let average = |p: Vec3| {
        let v = result.mesh.positions.iter().position(|q| *q == p).unwrap() as u32;
        let gid = v + result.mesh.positions.len() as u32;
        let all = result.primitives.iter();
        let copies: Vec<Vec3> = all
            .flat_map(|p| {
                p.gids
                    .iter()
                    .zip(&p.verts)
                    .filter(|(g, _)| **g == gid)
                    .map(|(_, v)| *v)
            })
            .collect();
        (
            copies.iter().sum::<Vec3>() / copies.len() as f32,
            copies.len(),
        )
    };
    let (corner, count) = average(Vec3::ZERO);
    assert_eq!(count, 3);
    assert!(
        (corner - Vec3::splat(0.1 / 3.0)).length() < 1e-6,
        "{corner}"
    );
    let (edge, count) = average(Vec3::new(0.5, 0.0, 0.0));
    assert_eq!(count, 2);
    assert!(
        (edge - Vec3::new(0.5, 0.05, 0.05)).length() < 1e-6,
        "{edge}"
    );
}

/// Bow-ties, darts, bent quads, twins and duplicates are found, counted and mended.
#[test]
fn findings() {
    let of = |name: &str| {
        let mesh = nasty_meshes().into_iter().find(|m| m.0 == name).unwrap().1;
        take(&mesh, 0.05)
    };
    let tie = of("bow-tie");
    assert_eq!((tie.report.bow_ties, tie.primitives.len()), (1, 2));
    assert!(tie.report.lines()[0].starts_with("1 quads with crossing edges"));
    let dart = of("dart");
    assert_eq!((dart.report.reflex_quads, dart.primitives.len()), (1, 2));
    assert!((area(&dart.mesh) - 1.5).abs() < 1e-6);
    assert_eq!(of("bent quad").report.bent_quads, 1);
    let copies = of("duplicate faces");
    assert_eq!(
        (copies.report.duplicate_faces, copies.primitives.len()),
        (2, 1)
    );
    let sides = of("double-sided");
    assert_eq!(
        (sides.report.double_sided_faces, sides.primitives.len()),
        (1, 1)
    );
    let p = &sides.primitives[0];
    assert_eq!(p.tags[..2], [FaceTag::Outer; 2]);
    assert_eq!(p.sources[..2], [0, 1]);
    assert!((p.centroid.z).abs() < 1e-6 && (p.volume - 0.05).abs() < 1e-6);
    let pinch = of("pinched loop");
    assert_eq!(
        (pinch.primitives.len(), pinch.report.repeated_corners),
        (2, 1)
    );
    assert_eq!(of("seams").report.convex_shapes, 1);
    assert_eq!(of("minus zero").gid_count, 8);
    let cavity = of("cavity");
    assert_eq!(
        (cavity.report.hollow_shapes, cavity.primitives.len()),
        (1, 12)
    );
    assert_eq!(of("nested").primitives.len(), 2);
    assert_eq!(of("overlapping parts").primitives[1].part, 1);
    assert_eq!(of("two cubes at a corner").report.convex_shapes, 2);
    let comb = of("comb");
    assert!(comb.primitives.len() <= 6, "{}", comb.primitives.len());
    assert!((area(&comb.mesh) - 8.0).abs() < 1e-5);
    assert!(of("thin plate").report.thinned_faces > 0);
}

/// Nothing makes the intake panic; what comes out is closed, convex and finite, and no primitive has a gid twice.
#[test]
fn survives_nasty_meshes() {
    let meshes = nasty_meshes();
    assert!(meshes.len() >= 30);
    for (name, mesh) in meshes {
        let result = match intake(&mesh, &IntakeOptions::default()) {
            Ok(result) => result,
            Err(error) => {
                let line = error.to_string();
                assert!(!line.contains('\n') && line.len() < 160, "{name}: {line}");
                continue;
            }
        };
        assert!(!result.primitives.is_empty(), "{name}");
        assert_eq!(result.mesh.validate(), Ok(()), "{name}");
        for p in &result.primitives {
            let (lo, hi) = p.bounds();
            let tolerance =
                2e-4 * f64::from((hi - lo).length()) + 1e-6 * f64::from(hi.abs().max_element());
            assert_eq!(p.check(tolerance), Ok(()), "{name}");
            assert!(
                p.volume > 0.0 && p.radius > 0.0 && p.moment.is_finite(),
                "{name}"
            );
            let mut gids = p.gids.clone();
            gids.sort_unstable();
            gids.dedup();
            assert_eq!(gids.len(), p.verts.len(), "{name}");
            assert!(gids.iter().all(|&g| g < result.gid_count), "{name}");
        }
    }
}

/// Unusable input is refused in one line with the reason.
#[test]
fn errors() {
    let line = |mesh: &PolygonMesh, t: f32| {
        let options = IntakeOptions {
            thickness: vec![t],
            ..IntakeOptions::default()
        };
        intake(mesh, &options).unwrap_err().to_string()
    };
    assert_eq!(line(&PolygonMesh::default(), 0.1), "the mesh has no faces");
    let flat = polygon_mesh(
        &[[0.; 3], [1., 0., 0.], [2., 0., 0.]],
        &[&[0, 1, 2], &[0, 0, 1]],
    );
    assert_eq!(
        line(&flat, 0.1),
        "none of the 2 faces can be used: 1 have fewer than three different vertices, 1 have no area"
    );
    assert!(line(&sheet(1, 1, 1.0), -1.0).contains("thickness of part 0 is -1"));
    assert!(line(&sheet(1, 1, f32::NAN), 0.1).contains("not finite"));
    assert!(line(&sheet(1, 1, 1e7), 0.1).contains("at most 1000000 m"));
}

/// Attributes come along: corners of welded seams keep their texture coordinates, faces their parts.
#[test]
fn attributes() {
    let mesh = nasty_meshes()
        .into_iter()
        .find(|m| m.0 == "seams")
        .unwrap()
        .1;
    let result = take(&mesh, 0.1);
    assert_eq!(result.mesh.positions.len(), 8);
    assert_eq!(result.report.welded_vertices, 16);
    assert_eq!(
        result.mesh.face_uvs(5),
        [Vec2::ZERO, Vec2::X, Vec2::ONE, Vec2::Y]
    );
    assert_eq!(result.origins, [0, 1, 2, 3, 4, 5]);
}
