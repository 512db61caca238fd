//! Bodies of visual geometry in a world.

use glam::{Quat, Vec3};
use pliant::dynamics::grab::Grip;
use pliant::dynamics::{Action, ActionKind, Collider, PathKey};
use pliant::visual::nasty::{cube, moved, sheet};
use pliant::visual::tear::TearLines;
use pliant::visual::{
    Behavior, JointDesc, JointKind, PatternDesc, PatternKind, PolygonMesh, TearRule, VisualDesc,
};
use pliant::{Settings, World};

fn world() -> World {
    let mut world = World::new(Settings::default());
    world.add_collider(Collider::floor(0.0));
    world
}

fn body(name: &str, mesh: PolygonMesh, behavior: Behavior) -> VisualDesc {
    VisualDesc {
        behavior,
        ..VisualDesc::new(name, mesh)
    }
}

/// A box of this size about a place.
fn cuboid(center: Vec3, size: Vec3) -> PolygonMesh {
    let mut mesh = cube(-0.5, 0.5);
    for p in &mut mesh.positions {
        *p = *p * size + center;
    }
    mesh
}

fn run(world: &mut World, frames: usize) {
    for _ in 0..frames {
        let report = world.step(1.0 / 60.0);
        assert_eq!(report.non_finite, 0);
    }
}

fn center(world: &World, body: usize) -> Vec3 {
    world.visual(body).unwrap().rigid.unwrap().x
}

/// A box that falls on its face lies on the floor, and stays there.
#[test]
fn a_box_lies_down() {
    let mut world = world();
    let mesh = cuboid(Vec3::Y * 1.5, Vec3::ONE);
    let desc = body("box", mesh, Behavior::Rigid);
    world.add_visual(desc).unwrap();
    run(&mut world, 120);
    let there = center(&world, 0);
    assert!((there - Vec3::Y * 0.5).length() < 5e-3, "{there}");
    run(&mut world, 300);
    let drift = center(&world, 0) - there;
    assert!(drift.length() < 1e-3, "{drift}");
}

/// A tilted box comes to rest on a face.
#[test]
fn a_tilted_box_comes_to_rest() {
    let mut world = world();
    let turn = Quat::from_euler(glam::EulerRot::XYZ, 0.4, 0.3, 0.5);
    let mut mesh = cuboid(Vec3::ZERO, Vec3::ONE);
    for p in &mut mesh.positions {
        *p = turn * *p + Vec3::Y * 2.0;
    }
    world
        .add_visual(body("box", mesh, Behavior::Rigid))
        .unwrap();
    run(&mut world, 400);
    let rigid = world.visual(0).unwrap().rigid.unwrap();
    assert!((rigid.x.y - 0.5).abs() < 5e-3, "{}", rigid.x);
    assert!(
        rigid.v.length() < 0.02 && rigid.spin.length() < 0.05,
        "{rigid:?}"
    );
}

/// A stack of ten boxes stands for ten seconds.
#[test]
fn a_stack_stands() {
    let mut world = world();
    for k in 0..10u8 {
        let at = Vec3::Y * (0.5 + f32::from(k));
        let desc = body(&format!("box {k}"), cuboid(at, Vec3::ONE), Behavior::Rigid);
        world.add_visual(desc).unwrap();
    }
    run(&mut world, 600);
    for k in 0..10u8 {
        let expected = Vec3::Y * (0.5 + f32::from(k));
        let off = center(&world, usize::from(k)) - expected;
        assert!(off.length() < 0.1, "box {k} is off by {off}");
    }
    let top = world.surfaces()[9].bounds().unwrap().1.y;
    assert!((top - 10.0).abs() < 0.1, "{top}");
}

/// A box slides down a slope if it is steeper than friction holds, else it stays.
#[test]
fn friction_on_a_slope() {
    for (angle, slides) in [(0.35f32, false), (0.75, true)] {
        let mut world = World::new(Settings::default());
        let mut floor = Collider::floor(0.0);
        floor.shape = pliant::dynamics::ColliderShape::Plane {
            normal: Vec3::new(angle.sin(), angle.cos(), 0.0),
            offset: 0.0,
        };
        world.add_collider(floor);
        let turn = Quat::from_rotation_z(-angle);
        let mut mesh = cuboid(Vec3::Y * 0.5, Vec3::ONE);
        for p in &mut mesh.positions {
            *p = turn * *p;
        }
        world
            .add_visual(body("box", mesh, Behavior::Rigid))
            .unwrap();
        let start = center(&world, 0);
        run(&mut world, 60);
        let gone = center(&world, 0).distance(start);
        assert_eq!(gone > 0.3, slides, "{angle}: {gone} m");
        assert!(slides || gone < 0.02, "{angle}: {gone} m");
    }
}

/// Two boxes that collide in free space keep their momentum and their angular momentum.
#[test]
fn a_collision_keeps_momentum() {
    let mut world = World::new(Settings {
        gravity: Vec3::ZERO,
        ..Settings::default()
    });
    for (k, x) in [-1.2f32, 1.2].into_iter().enumerate() {
        let mut desc = body(
            &format!("box {k}"),
            cuboid(Vec3::new(x, 0.3 * x, 0.1), Vec3::new(1.0, 0.8, 1.2)),
            Behavior::Rigid,
        );
        desc.velocity = Vec3::X * -2.0 * x;
        desc.spin = Vec3::new(0.3, 0.1, -0.5);
        world.add_visual(desc).unwrap();
    }
    let before = world.ledger();
    run(&mut world, 120);
    let after = world.ledger();
    let scale = before.mass * 2.4;
    assert!((after.momentum - before.momentum).length() < 1e-5 * scale);
    let drift = (after.angular_momentum - before.angular_momentum).length();
    assert!(drift < 1e-3 * scale, "{drift} of {scale}");
    assert!(after.kinetic_energy < before.kinetic_energy * 1.001);
    let turned = world.visual(0).unwrap().rigid.unwrap().v.x < 2.3;
    assert!(turned, "they met");
}

/// A ball of stripes and sectors, of which one face is left out: a closed one would be one convex primitive.
fn shell(radius: f32, rings: u16, sectors: u16) -> PolygonMesh {
    let mut mesh = PolygonMesh::default();
    for i in 0..=rings {
        for j in 0..sectors {
            let up = 0.02 + (std::f32::consts::PI - 0.04) * f32::from(i) / f32::from(rings);
            let around = std::f32::consts::TAU * f32::from(j) / f32::from(sectors);
            let flat = up.sin();
            let p = Vec3::new(flat * around.cos(), up.cos(), flat * around.sin());
            mesh.positions.push(p * radius);
        }
    }
    let at = |i: u16, j: u16| u32::from(i * sectors + j % sectors);
    for i in 0..rings {
        for j in 0..sectors {
            mesh.faces
                .push([at(i, j), at(i, j + 1), at(i + 1, j + 1), at(i + 1, j)]);
        }
    }
    mesh
}

/// A ball of a third of its weight is thrown at a soft shell of 2,400 light primitives: it pushes the shell along, and does not fly through.
#[test]
fn a_ball_does_not_fly_through_a_soft_shell() {
    for speed in [3.0, 10.0] {
        let settings = Settings {
            gravity: Vec3::ZERO,
            ..Settings::default()
        };
        let mut world = World::new(settings);
        let mut desc = body("shell", shell(0.5, 40, 60), Behavior::Soft);
        desc.thickness = 0.02;
        world.add_visual(desc).unwrap();
        let mass = world.ledger().mass as f32;
        let kind = ActionKind::Shoot {
            from: Vec3::X * -1.0,
            velocity: Vec3::X * speed,
            radius: 0.2,
            mass: mass / 3.0,
            until: 10.0,
        };
        world.add_action(Action { at: 0.0, kind });
        let frames = (1.5 / speed * 60.0) as usize + 30;
        run(&mut world, frames);
        let ball = world.rigids().x[0].x;
        let mean = |of: &[Vec3]| of.iter().sum::<Vec3>() / of.len() as f32;
        let shell = mean(&world.points().x);
        let pushed = mean(&world.points().v).x;
        assert!(
            ball < shell.x,
            "at {speed} m/s the ball is at {ball}, the shell at {shell}"
        );
        assert!(
            pushed > 0.15 * speed,
            "at {speed} m/s the shell goes at {pushed}"
        );
    }
}

/// A soft sheet falls over a box and hangs on it; nothing goes through.
#[test]
fn a_sheet_on_a_box() {
    let mut world = world();
    let mut mesh = sheet(16, 16, 0.15);
    for p in &mut mesh.positions {
        *p = Vec3::new(p.x - 1.2, 1.3 + p.z, p.y - 1.2);
    }
    let mut cloth = body("cloth", mesh, Behavior::Soft);
    cloth.thickness = 0.02;
    cloth.material.stiffness = 0.05;
    world.add_visual(cloth).unwrap();
    let mut block = body("block", cuboid(Vec3::Y * 0.5, Vec3::ONE), Behavior::Rigid);
    block.is_fixed = true;
    world.add_visual(block).unwrap();
    run(&mut world, 200);
    let (lo, hi) = world.surfaces()[0].bounds().unwrap();
    assert!(hi.y > 0.98 && hi.y < 1.15, "{hi}");
    assert!(lo.y > -0.05 && lo.y < 0.8, "{lo}");
}

fn shoot(from: Vec3, velocity: Vec3, radius: f32, mass: f32) -> Action {
    let kind = ActionKind::Shoot {
        from,
        velocity,
        radius,
        mass,
        until: 10.0,
    };
    Action { at: 0.0, kind }
}

/// A pane of glass that is hit by a ball is many bodies, which have its mass; the ball goes through, and momentum stays.
#[test]
fn glass_shatters() {
    let mut world = World::new(Settings {
        gravity: Vec3::ZERO,
        ..Settings::default()
    });
    let mut pane = body(
        "pane",
        cuboid(Vec3::ZERO, Vec3::new(1.0, 1.0, 0.02)),
        Behavior::Brittle,
    );
    pane.pattern.kind = PatternKind::Glass;
    pane.pattern.cells = 40;
    world.add_visual(pane).unwrap();
    world.add_action(shoot(Vec3::new(0.1, 0.1, 1.0), Vec3::Z * -20.0, 0.1, 5.0));
    let mass = world.ledger().mass;
    run(&mut world, 1);
    let before = world.ledger();
    run(&mut world, 30);
    let after = world.ledger();
    assert!(world.bodies().len() > 20, "{}", world.bodies().len());
    assert!(
        (after.mass - mass - 5.0).abs() < 1e-4 * mass,
        "{} of {mass}",
        after.mass
    );
    let drift = (after.momentum - before.momentum).length() / before.momentum.length();
    assert!(drift < 1e-5, "{drift}");
    assert!(world.rigids().x[0].z < -0.5, "{}", world.rigids().x[0]);
    for (body, surface) in world.bodies().iter().zip(world.surfaces()) {
        assert!(body.name.starts_with("pane."), "{}", body.name);
        assert!(surface.volume() > 0.0);
        let pliant::state::Surface::Welded(welded) = surface else {
            panic!("{} has another surface", body.name)
        };
        assert_eq!(welded.imbalance(), 0);
    }
}

/// A metal plate that is hit has a dent afterwards; slowly it has none.
#[test]
fn metal_dents() {
    for (speed, dents) in [(1.0, false), (12.0, true)] {
        let mut world = World::new(Settings {
            gravity: Vec3::ZERO,
            ..Settings::default()
        });
        let mut mesh = sheet(12, 12, 0.1);
        for p in &mut mesh.positions {
            *p -= Vec3::new(0.6, 0.6, 0.0);
        }
        let mut plate = body("plate", mesh, Behavior::Plastic);
        plate.thickness = 0.03;
        world.add_visual(plate).unwrap();
        let was = world.visual(0).unwrap().rest.clone();
        let from = Vec3::new(0.0, 0.0, 0.4);
        world.add_action(shoot(from, Vec3::Z * -speed, 0.15, 20.0));
        run(&mut world, 60);
        let visual = world.visual(0).unwrap();
        // Against the corners, which stay.
        let depth =
            |k: usize| (visual.rest[k].x.z - visual.rest[0].x.z) - (was[k].x.z - was[0].x.z);
        let deepest = (0..was.len()).map(depth).fold(0.0, f32::min);
        assert_eq!(deepest < -0.004, dents, "{speed} m/s: {deepest}");
        assert!(visual.rest.iter().all(|p| p.d.determinant() > 0.1));
    }
}

/// A sheet with a marked line, pulled apart, tears along it into two bodies.
#[test]
fn a_sheet_tears_along_its_line() {
    let mut world = World::new(Settings {
        gravity: Vec3::ZERO,
        ..Settings::default()
    });
    let mut mesh = sheet(20, 20, 0.1);
    let middle = 1.0;
    mesh.colors = mesh
        .positions
        .iter()
        .map(|p| [if (p.x - middle).abs() < 1e-4 { 255 } else { 0 }; 4])
        .collect();
    let mut cloth = body("cloth", mesh.clone(), Behavior::Soft);
    cloth.tear = TearRule::Lines(TearLines::of_colors(&mesh, |c| c[0] > 128));
    cloth.thickness = 0.02;
    world.add_visual(cloth).unwrap();
    let marked = world
        .visual(0)
        .unwrap()
        .graph
        .links
        .iter()
        .filter(|l| l.is_breakable())
        .count();
    assert_eq!(marked, 20 + 2 * 19);
    for (at, to) in [(0.05, -1.0), (1.95, 3.0)] {
        let grip = Grip::Box {
            at: Vec3::new(at, 1.0, 0.0),
            half: Vec3::new(0.15, 2.0, 1.0),
        };
        let key = PathKey {
            time: 2.0,
            position: Vec3::new(to, 1.0, 0.0),
        };
        let kind = ActionKind::Pull {
            grip,
            path: vec![key],
            until: 5.0,
        };
        world.add_action(Action { at: 0.0, kind });
    }
    run(&mut world, 150);
    assert_eq!(world.bodies().len(), 2);
    for (k, surface) in world.surfaces().iter().enumerate() {
        let visual = world.visual(k).unwrap();
        assert_eq!(visual.primitives.len(), 200);
        assert!(
            visual
                .graph
                .links
                .iter()
                .all(|l| !l.broken && !l.is_breakable())
        );
        let pliant::state::Surface::Welded(welded) = surface else {
            panic!("another surface")
        };
        assert_eq!(welded.imbalance(), 0);
    }
}

/// A door that is broken in two keeps each hinge on the piece that has it, and a piece without one falls.
#[test]
fn joints_follow_pieces() {
    let mut world = World::new(Settings::default());
    let mut wing = body(
        "wing",
        cuboid(Vec3::new(0.5, 1.0, 0.0), Vec3::new(1.0, 2.0, 0.05)),
        Behavior::Brittle,
    );
    wing.dent_speed = 1e9;
    let ids = world.add_visual(wing).unwrap();
    for (k, y) in [0.4f32, 1.6].into_iter().enumerate() {
        let joint = JointDesc {
            name: format!("hinge {k}"),
            kind: JointKind::Hinge,
            a: ids.clone(),
            b: Vec::new(),
            center: Vec3::new(0.0, y, 0.0),
            half: Vec3::new(0.1, 0.1, 0.1),
            rotation: Quat::from_rotation_z(std::f32::consts::FRAC_PI_2),
            limits: None,
            motor: None,
        };
        world.add_joint(joint).unwrap();
    }
    run(&mut world, 30);
    assert!(
        (center(&world, 0) - Vec3::new(0.5, 1.0, 0.0)).length() < 1e-3,
        "{}",
        center(&world, 0)
    );
    let halves = [[-2.0f32, 1.0], [1.0, 4.0]].map(|[lo, hi]| {
        cuboid(
            Vec3::new(0.0, 0.5 * (lo + hi), 0.0) - Vec3::Y,
            Vec3::new(9.0, hi - lo, 9.0),
        )
    });
    let mut cells = halves[0].clone();
    pliant::visual::nasty::append(&mut cells, &halves[1]);
    cells.parts = vec![0; 6].into_iter().chain(vec![1; 6]).collect();
    cells.part_names = vec!["low".into(), "high".into()];
    let pattern = PatternDesc {
        kind: PatternKind::Cells(std::sync::Arc::new(
            pliant::visual::pattern::from_mesh(&cells).unwrap(),
        )),
        ..PatternDesc::default()
    };
    let kind = ActionKind::Fracture {
        body: None,
        at: Vec3::new(0.5, 1.0, 0.0),
        pattern: Some(pattern),
    };
    world.add_action(Action { at: 0.0, kind });
    run(&mut world, 1);
    assert_eq!(world.bodies().len(), 2);
    assert_eq!(world.joints().len(), 2);
    let holder = |k: usize| {
        world
            .bodies()
            .iter()
            .position(|b| b.id == world.joints()[k].a)
            .unwrap()
    };
    assert_ne!(holder(0), holder(1));
    for (k, y) in [(0, 0.5), (1, 1.5)] {
        assert!((center(&world, holder(k)).y - y).abs() < 0.05);
    }
}

/// A fracture that names a body breaks that body, though another one is nearer and it is not where the fracture is; a second one what is left of
/// it.
#[test]
fn a_fracture_finds_its_body() {
    let mut world = World::new(Settings {
        gravity: Vec3::ZERO,
        ..Settings::default()
    });
    let mut ids = Vec::new();
    for (name, x) in [("near", 0.0), ("far", 4.0)] {
        let mesh = cuboid(Vec3::X * x, Vec3::new(1.0, 1.0, 0.02));
        let mut pane = body(name, mesh, Behavior::Brittle);
        pane.pattern.cells = 10;
        ids.extend(world.add_visual(pane).unwrap());
    }
    let mut counts = Vec::new();
    for _ in 0..2 {
        let kind = ActionKind::Fracture {
            body: Some(ids[1]),
            at: Vec3::X * 0.1,
            pattern: None,
        };
        world.add_action(Action { at: 0.0, kind });
        run(&mut world, 1);
        let of = |id| world.bodies().iter().filter(|b| b.origin == id).count();
        assert_eq!(of(ids[0]), 1);
        counts.push(of(ids[1]));
    }
    assert!(counts[0] > 3 && counts[1] > counts[0], "{counts:?}");
}

/// A metal sheet of a few large faces with a bent line drawn on it from edge to edge, not along its faces.
fn lined_sheet() -> VisualDesc {
    let mesh = moved(sheet(2, 4, 0.5), Vec3::new(-0.5, -1.0, 0.0));
    let mut plate = body("plate", mesh, Behavior::Ductile);
    plate.thickness = 0.03;
    plate.tear_stretch = 1.01;
    let line = [
        Vec3::new(-0.2, -1.0, 0.0),
        Vec3::new(0.1, -0.3, 0.0),
        Vec3::new(-0.1, 0.4, 0.0),
        Vec3::new(0.15, 1.0, 0.0),
    ];
    plate.pattern = PatternDesc {
        cells: 160,
        tear: TearRule::Lines(TearLines {
            segments: line.windows(2).map(|w| [w[0], w[1]]).collect(),
        }),
        ..PatternDesc::default()
    };
    plate
}

/// Where a sheet was divided, links along all of its line may break and no others, and if all do, it is in two.
#[test]
fn a_divided_sheet_may_part_along_all_of_its_line() {
    let mut world = World::new(Settings {
        gravity: Vec3::ZERO,
        ..Settings::default()
    });
    let plate = lined_sheet();
    let TearRule::Lines(lines) = plate.pattern.tear.clone() else {
        panic!("no lines")
    };
    world.add_visual(plate).unwrap();
    // Far from the line: nothing tears.
    world.add_action(shoot(Vec3::new(-0.4, 0.8, 0.4), Vec3::Z * -3.0, 0.1, 1.0));
    run(&mut world, 30);
    assert_eq!(world.bodies().len(), 1);
    let visual = world.visual(0).unwrap();
    assert!(visual.primitives.len() > 50, "{}", visual.primitives.len());
    let mut graph = visual.graph.clone();
    for link in graph.links.iter_mut().filter(|l| l.is_breakable()) {
        let [p, q] = [link.i, link.j].map(|k| visual.primitives[k as usize].centroid);
        let middle = 0.5 * (p + q);
        assert!(lines.distance(middle) < 0.5 * p.distance(q) + 0.03);
        link.broken = true;
    }
    let (of, count) = graph.components();
    assert_eq!(count, 2);
    let mass = |piece: u32| {
        let own = visual.primitives.iter().zip(&of);
        own.filter(|(_, k)| **k == piece)
            .map(|(p, _)| p.volume)
            .sum::<f32>()
    };
    let share = mass(0) / (mass(0) + mass(1));
    assert!((0.4..0.6).contains(&share), "{share}");
}
