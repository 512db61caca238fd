//! `pliant check FILE`: what is in a mesh or a scene, and what is wrong with it.

use std::path::Path;

use pliant::dynamics::ColliderShape;
use pliant::geometry::repair::repair;
use pliant::geometry::topology::MeshReport;
use pliant_scene::mesh_files::{MeshFormat, MeshLimits, read_mesh_within};
use pliant_scene::{BuildOptions, Built, Limits, build, load};

use crate::args::{self, CheckArgs};
use crate::failure::Failure;
use crate::print;

pub(crate) fn run(args: &CheckArgs) -> Result<(), Failure> {
    let limits = args::limits(&args.limit);
    if MeshFormat::of_path(Path::new(&args.file)).is_some() {
        check_mesh(Path::new(&args.file), &limits)
    } else {
        check_scene(&args.file, &limits)
    }
}

fn check_mesh(path: &Path, limits: &Limits) -> Result<(), Failure> {
    let limits = MeshLimits {
        triangles: limits.triangles,
        vertices: limits.vertices,
        bytes: limits.bytes,
    };
    let mesh = read_mesh_within(path, &limits)?;
    let findings = MeshReport::new(&mesh).findings();
    let attributes = [
        (!mesh.corner_uvs.is_empty(), "texture coordinates"),
        (!mesh.colors.is_empty(), "vertex colours"),
    ];
    let with: Vec<&str> = attributes
        .iter()
        .filter_map(|(is, name)| is.then_some(*name))
        .collect();
    for finding in findings {
        print::line(finding)?;
    }
    if !with.is_empty() {
        print::line(format_args!("with {}", with.join(" and ")))?;
    }
    if !mesh.part_names.is_empty() {
        let names: Vec<String> = mesh.part_names.iter().map(|n| print::one_line(n)).collect();
        print::line(format_args!("parts: {}", names.join(", ")))?;
    }
    match repair(&mesh) {
        Ok((_, report)) => {
            if let Some(summary) = report.summary() {
                print::line(format_args!("repair would give a solid: {summary}"))?;
            }
        }
        Err(reason) => print::line(format_args!("repair would fail: {reason}"))?,
    }
    Ok(())
}

fn check_scene(name: &str, limits: &Limits) -> Result<(), Failure> {
    let loaded = load(name, &[], limits)?;
    let options = BuildOptions {
        limits: *limits,
        ..BuildOptions::default()
    };
    let built = build(&loaded, &options)?;
    describe(&built, loaded.scene.action.len())
}

fn describe(built: &Built, action_count: usize) -> Result<(), Failure> {
    let world = &built.world;
    if let Some(title) = &built.title {
        print::line(print::one_line(title))?;
    }
    let settings = world.settings();
    print::line(format_args!(
        "{} frames at {} fps, {} substeps of {} iterations",
        built.frames, built.fps, settings.substeps, settings.iterations
    ))?;
    for (body, surface) in world.bodies().iter().zip(world.surfaces()) {
        print::line(format_args!(
            "body {}: {} particles of radius {}, {} clusters, {} triangles",
            print::one_line(&body.name),
            body.points.len(),
            body.particle_radius,
            body.groups.len(),
            surface.triangle_count()
        ))?;
        for problem in MeshReport::new(&surface.mesh()).problems() {
            print::line(format_args!("  {problem}"))?;
        }
    }
    for collider in world.colliders() {
        let follows = matches!(collider.shape, ColliderShape::Track(_));
        let motion = if collider.motion.is_fixed() && !follows {
            "fixed"
        } else {
            "moving"
        };
        print::line(format_args!(
            "collider {}: {motion}",
            print::one_line(&collider.name)
        ))?;
    }
    if action_count > 0 {
        print::line(format_args!("{action_count} actions"))?;
    }
    for warning in &built.warnings {
        print::line(format_args!("warning: {}", print::one_line(warning)))?;
    }
    Ok(())
}
