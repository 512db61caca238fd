//! Every model is what it says it is.

use super::*;
use pliant::World;
use pliant::state::Csr;
use pliant::visual::clip::{Clipped, Piece, Plane};
use pliant::visual::{Intake, IntakeOptions, find_links, intake};

/// Every oriented model is sound, has about as many particles and triangles as the paper's, and every vertex has a home that turns.
#[test]
fn models_are_sound() {
    let sizes = [
        ("tree", 3_000, 90_000),
        ("toy", 20, 2_400),
        ("chain", 1_201, 150_000),
        ("head", 1_000, 100_000),
        ("truck", 300, 100_000),
    ];
    for (name, particles, triangles) in sizes {
        let desc = make(name, 1.0).unwrap();
        let near = |found: usize, wanted: usize| found.abs_diff(wanted) * 8 <= wanted;
        let found = (desc.particles.len(), desc.mesh.triangles.len());
        assert!(
            near(found.0, particles) && near(found.1, triangles),
            "{name}: {found:?}"
        );
        assert_eq!(desc.home.len(), desc.mesh.positions.len(), "{name}");
        assert_eq!(desc.mesh.colors.len(), desc.mesh.positions.len(), "{name}");
        assert!(
            desc.home.iter().all(|&i| desc.particles[i as usize].turns),
            "{name}"
        );
        let coarse = make(name, 0.5).unwrap();
        assert_eq!(coarse.particles, desc.particles, "{name}");
        let triangles = (coarse.mesh.triangles.len(), desc.mesh.triangles.len());
        assert!(5 * triangles.0 < 3 * triangles.1, "{name}: {triangles:?}");
        World::default().add_oriented(coarse).unwrap();
        World::default().add_oriented(desc).unwrap();
    }
    assert!(make("boat", 1.0).is_none());
}

/// The primitives of a part.
fn part_of(mesh: &PolygonMesh, part: u16) -> Intake {
    let mut faces = Csr::default();
    for (face, row) in mesh.faces.iter().enumerate() {
        if mesh.part(face) == part {
            faces.push(row.iter().copied());
        }
    }
    let own = PolygonMesh {
        positions: mesh.positions.clone(),
        faces,
        ..PolygonMesh::default()
    };
    let options = IntakeOptions {
        thickness: vec![0.012],
        ..IntakeOptions::default()
    };
    intake(&own, &options).unwrap()
}

/// Whether a box of a joint, which is one primitive, meets one of a part.
fn meets(joint: &Intake, part: &Intake) -> bool {
    let joint = &joint.primitives[0];
    let shape = joint.polyhedron();
    let planes: Vec<Plane> = (0..shape.faces.rows())
        .map(|f| {
            Plane::through(
                shape.verts[shape.faces.row(f)[0] as usize],
                shape.area_vector(f),
            )
        })
        .collect();
    let (lo, hi) = joint.bounds();
    let near = |p: &&pliant::visual::Primitive| {
        let b = p.bounds();
        b.0.cmple(hi).all() && lo.cmple(b.1).all()
    };
    part.primitives.iter().filter(near).any(|p| {
        let mut piece = Some(Piece::new(p));
        for (number, plane) in planes.iter().enumerate() {
            piece = piece.and_then(|piece| match piece.clip(plane, number as u32, 1e-9, 0) {
                Clipped::All => Some(piece),
                Clipped::Nothing => None,
                Clipped::Part(part) => Some(part),
            });
        }
        piece.is_some()
    })
}

/// Models of polygons: how many bodies, joints and primitives at the finest detail they have.
const POLYGON_SIZES: [(&str, usize, usize, usize); 6] = [
    ("car", 21, 28, 16_000),
    ("door", 4, 4, 700),
    ("curtain", 8, 0, 1_600 + 6 * 128 + 1),
    ("monster-truck", 14, 9, 45_000),
    ("bridge", 34, 0, 600),
    ("wall", 6, 8, 300),
];

/// Faces are flat, every part is in one piece, every joint meets what it holds, and there is as much of all that as the paper says.
#[test]
fn polygon_models_are_sound() {
    assert_eq!(POLYGON_SIZES.map(|size| size.0), POLYGON_NAMES);
    for (name, bodies, joints, primitives) in POLYGON_SIZES {
        for detail in [0.1, 0.4, 1.0] {
            let model = make_polygons(name, detail).unwrap();
            let mesh = &model.mesh;
            assert_eq!(mesh.validate(), Ok(()));
            let parts: Vec<(&str, Intake)> = (0..mesh.part_count() as u16)
                .map(|part| (mesh.part_name(part), part_of(mesh, part)))
                .filter(|(part, _)| !model.markers.contains(part))
                .collect();
            let is_joint = |part: &&(&str, Intake)| part.0.starts_with("joint.");
            let found = parts.iter().filter(is_joint).count();
            assert_eq!((parts.len() - found, found), (bodies, joints), "{name}");
            for (part, intake) in parts.iter().filter(|part| !is_joint(part)) {
                let report = &intake.report;
                let broken = [
                    report.bent_quads,
                    report.bow_ties,
                    report.reflex_quads,
                    report.split_polygons,
                    report.faces_without_area,
                    report.duplicate_faces,
                ];
                assert_eq!(broken, [0; 6], "{name} {detail} {part}");
                let pieces = find_links(&intake.primitives).components().1;
                assert_eq!(pieces, 1, "{name} {detail} {part}");
            }
            for (joint, intake) in parts.iter().filter(is_joint) {
                assert_eq!(intake.primitives.len(), 1, "{joint}");
                let words: Vec<&str> = joint.split('.').collect();
                for side in words[2..4].iter().filter(|side| **side != "world") {
                    let part = parts.iter().find(|part| part.0 == *side);
                    let (_, part) = part.unwrap_or_else(|| panic!("{joint}: no {side}"));
                    assert!(meets(intake, part), "{detail} {joint} does not meet {side}");
                }
            }
            let solid = parts.iter().filter(|part| !is_joint(part));
            let count: usize = solid.map(|part| part.1.primitives.len()).sum();
            if detail == 1.0 {
                assert!(
                    count.abs_diff(primitives) * 8 <= primitives,
                    "{name}: {count} primitives"
                );
            }
            let (lo, _) = mesh.bounds().unwrap();
            assert!((-0.01..0.2).contains(&lo.y), "{name} stands at {lo}");
        }
    }
    assert!(make_polygons("boat", 1.0).is_none());
}
