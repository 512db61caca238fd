//! From a mesh to primitives.

use crate::reproduce::check::Solver::Engine;
use crate::reproduce::{Bench, LabError};
use glam::{DVec3, Vec3};
use pliant::geometry::figures::Figure;
use pliant::geometry::surface_nets::mesh_shape;
use pliant::geometry::{Mesh, Shape};
use pliant::visual::nasty::{append, cube, ell, icosphere, moved, sheet, soup};
use pliant::visual::{FaceTag, Intake, IntakeOptions, PolygonMesh, VisualError, intake};
use pliant_scene::models::make_polygons;

/// Largest error of a volume, as a share.
const VOLUME: f64 = 1e-6;
/// How far a vertex may stand out of a plane, in diagonals of the body.
const CONVEX: f64 = 1e-6;
/// Edge of the figure's surface (m).
const FIGURE_EDGE: f32 = 0.08;

/// V1.
pub(super) fn extrusion(bench: &mut Bench) -> Result<(), LabError> {
    let golem = Shape::Figure {
        figure: Figure::Golem,
        center: Vec3::ZERO,
    };
    let figure = match &bench.options.mesh {
        Some(mesh) => mesh.clone(),
        None => mesh_shape(&golem, FIGURE_EDGE).unwrap_or_else(|_| Mesh::default()),
    };
    let mut cases = vec![
        ("a sheet of 1600 quads", sheet(40, 40, 0.1), 0.02),
        ("a ball of 1280 triangles", icosphere(3), 0.01),
        ("a solid L", ell(), 0.02),
        ("1000 loose triangles", soup(1000, 0.1, 1), 0.002),
        ("the figure", PolygonMesh::from(&figure), 0.004),
    ];
    if let Some(car) = make_polygons("car", 1.0) {
        cases.push(("the car", car.mesh, 0.004));
    }
    for (name, mesh, thickness) in cases {
        let options = IntakeOptions {
            thickness: vec![thickness; mesh.part_count()],
            detect_convex: false,
            ..IntakeOptions::default()
        };
        let made = intake(&mesh, &options).map_err(VisualError::from)?;
        check_prisms(bench, name, &made);
    }
    Ok(())
}

fn check_prisms(bench: &mut Bench, name: &str, made: &Intake) {
    let area = |face: u32| {
        let row = made.mesh.faces.row(face as usize);
        let at = |k: usize| made.mesh.positions[row[k] as usize].as_dvec3();
        let fan = (2..row.len()).map(|k| (at(k - 1) - at(0)).cross(at(k) - at(0)));
        0.5 * fan.sum::<DVec3>().length()
    };
    let (mut found, mut expected, mut worst) = (0.0, 0.0, 0.0f64);
    let (mut open, mut bent) = (0, 0);
    let size = made
        .mesh
        .bounds()
        .map_or(0.0, |(lo, hi)| (hi - lo).length());
    for p in &made.primitives {
        let prism = area(p.source) * f64::from(p.thickness);
        let volume = f64::from(p.volume);
        found += volume;
        expected += prism;
        worst = worst.max((volume / prism - 1.0).abs());
        match p.check(CONVEX * f64::from(size)) {
            Ok(()) => {}
            Err(pliant::visual::polyhedron::ShapeProblem::NotConvex) => bent += 1,
            Err(_) => open += 1,
        }
    }
    let error = (found / expected - 1.0).abs();
    bench.check(
        Engine,
        format!(
            "{name}: volume of {} prisms against thickness × area ({} thinner than asked); worst of all",
            made.primitives.len(),
            made.report.thinned_faces
        ),
        format!("{error:.1e}; {worst:.1e}"),
        format!("the sum at most {VOLUME:.0e}"),
        error <= VOLUME,
    );
    let tags = |p: &pliant::visual::Primitive| {
        p.tags.iter().filter(|t| **t == FaceTag::Side).count() + 2 == p.tags.len()
    };
    let prisms = made.primitives.iter().filter(|p| tags(p)).count();
    bench.check(
        Engine,
        format!(
            "{name}: prisms that are not closed; not convex; with other faces than two and sides"
        ),
        format!("{open}; {bent}; {}", made.primitives.len() - prisms),
        "0; 0; 0",
        open + bent == 0 && prisms == made.primitives.len(),
    );
}

/// V2.
pub(super) fn convex_shapes(bench: &mut Bench) -> Result<(), LabError> {
    let mut whole = PolygonMesh::default();
    let shapes = [
        ("a cube", cube(0.0, 1.0), 1),
        ("another cube", cube(-0.3, 0.3), 1),
        ("a ball of 80 triangles", icosphere(1), 1),
    ];
    let ell_faces = intake(
        &ell(),
        &IntakeOptions {
            detect_convex: false,
            ..IntakeOptions::default()
        },
    );
    let ell_faces = ell_faces.map_err(VisualError::from)?.primitives.len();
    let all = shapes.into_iter().chain([("a solid L", ell(), ell_faces)]);
    let mut expected = 0;
    for (k, (name, mesh, count)) in (0u8..).zip(all) {
        let made = intake(&mesh, &IntakeOptions::default()).map_err(VisualError::from)?;
        let is_whole = count == 1;
        bench.check(
            Engine,
            format!(
                "{name} of {} faces: primitives; of them whole shapes",
                mesh.face_count()
            ),
            format!("{}; {}", made.primitives.len(), made.report.convex_shapes),
            format!("{count}; {}", u8::from(is_whole)),
            made.primitives.len() == count && made.report.convex_shapes == usize::from(is_whole),
        );
        expected += count;
        append(&mut whole, &moved(mesh, Vec3::X * 5.0 * f32::from(k)));
    }
    let made = intake(&whole, &IntakeOptions::default()).map_err(VisualError::from)?;
    bench.check(
        Engine,
        "all in one mesh: primitives; of them whole shapes",
        format!("{}; {}", made.primitives.len(), made.report.convex_shapes),
        format!("{expected}; 3"),
        made.primitives.len() == expected && made.report.convex_shapes == 3,
    );
    Ok(())
}
