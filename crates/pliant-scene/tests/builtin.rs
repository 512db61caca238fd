//! The built-in scenes can be built and stepped.

use pliant_scene::builtin::SCENES;
use pliant_scene::{BuildOptions, Limits, build, load};

/// Every built-in scene builds without a warning, stays below 60,000 triangles and survives its first steps.
#[test]
fn built_in_scenes_run() {
    let limits = Limits {
        triangles: 60_000,
        ..Limits::default()
    };
    for scene in &SCENES {
        let loaded = load(scene.name, &[], &limits).unwrap();
        let options = BuildOptions {
            limits,
            ..BuildOptions::default()
        };
        let mut built = build(&loaded, &options).unwrap();
        assert!(
            built.warnings.is_empty(),
            "{}: {:?}",
            scene.name,
            built.warnings
        );
        for _ in 0..3 {
            let report = built.world.step(1.0 / built.fps);
            assert_eq!(
                (report.non_finite, report.groups_reset),
                (0, 0),
                "{}",
                scene.name
            );
            assert!(report.warnings.is_empty(), "{}", scene.name);
        }
    }
}

/// The figure of `drop` starts twenty particle radii above the floor.
#[test]
fn drop_starts_at_its_height() {
    let loaded = load("drop", &[], &Limits::default()).unwrap();
    let built = build(&loaded, &BuildOptions::default()).unwrap();
    let (lo, _) = built.world.surfaces()[0].bounds().unwrap();
    assert!((lo.y - 2.0).abs() < 0.01, "{lo}");
    assert_eq!(built.world.bodies()[0].particle_radius, 0.1);
}

/// Springs that a body's own weight would press flat are warned of, with the number of substeps that carries it.
#[test]
fn soft_springs_are_told() {
    let warnings = |substeps: &str| {
        let overrides = ["dynamics=springs", "fit=procrustes", "cluster_radius=0.2"]
            .map(|field| format!("body.0.{field}"))
            .into_iter()
            .chain([format!("simulation.substeps={substeps}")])
            .collect::<Vec<_>>();
        let loaded = load("drop", &overrides, &Limits::default()).unwrap();
        build(&loaded, &BuildOptions::default()).unwrap().warnings
    };
    let told = warnings("1");
    assert!(
        matches!(&told[..], [one] if one.contains("too soft") && one.contains("raise `substeps` to 2 ")),
        "{told:?}"
    );
    assert!(warnings("2").is_empty());
}
