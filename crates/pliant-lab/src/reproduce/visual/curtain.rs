//! Primitives of a curtain deform.

use super::worlds::{FRAME, SECOND, body, picture, write};
use crate::reproduce::check::Solver::Engine;
use crate::reproduce::check::Solver::Reference;
use crate::reproduce::plot::Series;
use crate::reproduce::{Bench, LabError};
use glam::{DMat3, DVec3, Mat3, Quat, Vec3};
use pliant::dynamics::collider::{Ease, Motion, MotionKey};
use pliant::dynamics::grab::Grip;
use pliant::dynamics::{Action, ActionKind, Collider};
use pliant::geometry::Shape;
use pliant::math::svd::polar_rotation;
use pliant::visual::nasty::sheet;
use pliant::visual::welded::spread;
use pliant::visual::{Behavior, Pose, VisualBody};
use pliant::{Settings, World};

/// Quads along a side, and their length (m).
const SIDE: u16 = 40;
const QUAD: f32 = 0.05;
/// Thickness over width.
const THICKNESS: f32 = 0.005;
/// Rings that the curtain hangs on.
const RINGS: u8 = 6;
/// Error of the worked numbers, which have six digits.
const NUMBERS: f64 = 1e-6;
/// Gap with D over that with rotations only.
const GAP: f64 = 0.3;
/// How stiff the curtains are: as bodies are if nothing is said, and as cloth.
const STIFFNESS: [(f32, &str); 2] = [(0.9, "stiff"), (0.05, "soft")];

/// V5.
pub(super) fn affine(bench: &mut Bench) -> Result<(), LabError> {
    numbers(bench);
    for (stiffness, name) in STIFFNESS {
        hanging(bench, stiffness, name)?;
    }
    Ok(())
}

/// A particle of a group: mass, m r²/5, place at rest.
type Particle = (f64, f64, DVec3);

/// D = A Ā⁻¹ of particles at `x`, each turned by `turn` \[MCM16 Eq. 2\].
fn deformation(ring: &[Particle], x: &[DVec3], turn: &[DMat3]) -> DMat3 {
    let mass: f64 = ring.iter().map(|p| p.0).sum();
    let rest = ring.iter().map(|p| p.0 * p.2).sum::<DVec3>() / mass;
    let now = ring.iter().zip(x).map(|(p, x)| p.0 * *x).sum::<DVec3>() / mass;
    let outer = |a: DVec3, b: DVec3| DMat3::from_cols(a * b.x, a * b.y, a * b.z);
    let (mut a, mut b) = (DMat3::ZERO, DMat3::ZERO);
    for ((p, x), r) in ring.iter().zip(x).zip(turn) {
        a += *r * p.1 + outer((*x - now) * p.0, p.2 - rest);
        b += DMat3::IDENTITY * p.1 + outer((p.2 - rest) * p.0, p.2 - rest);
    }
    a * b.inverse()
}

/// The worked patch.
fn numbers(bench: &mut Bench) {
    let places = (0..9u8).map(|k| DVec3::new(f64::from(k % 3), f64::from(k / 3), 0.0));
    let ring: Vec<Particle> = places.map(|x| (1.0, 0.2 * 0.25, x)).collect();
    let cases = [
        (
            [1.5, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0],
            [1.465_116, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0],
            "a stretch",
        ),
        (
            [1.5, 0.2, 0.0, 0.0, 0.8, 0.0, 0.0, 0.0, 1.0],
            [
                1.464_854, 0.192_090, 0.0, -0.006_044, 0.813_691, 0.0, 0.0, 0.0, 1.0,
            ],
            "a stretch with shear",
        ),
    ];
    for (map, expected, name) in cases {
        let t = DMat3::from_cols_array(&map).transpose();
        let expected = DMat3::from_cols_array(&expected).transpose();
        let turn = polar_rotation(t.as_mat3()).as_dmat3();
        let x: Vec<DVec3> = ring.iter().map(|p| t * p.2).collect();
        let d = deformation(&ring, &x, &[turn; 9]);
        let off = (d - expected)
            .abs()
            .to_cols_array()
            .into_iter()
            .fold(0.0, f64::max);
        bench.at_most(
            Reference,
            &format!("patch of 3×3, {name}: error of D"),
            off,
            NUMBERS,
        );
        let exact = deformation(&ring, &x, &[t; 9]);
        let off = (exact - t)
            .abs()
            .to_cols_array()
            .into_iter()
            .fold(0.0, f64::max);
        bench.at_most(
            Reference,
            &format!("the same with moments that are mapped, too: D − T, {name}"),
            off,
            1e-14,
        );
    }
}

/// A curtain on six rings, and a ball that goes through where it hangs.
fn curtain(stiffness: f32) -> Result<World, LabError> {
    let mut world = World::new(Settings::default());
    let width = QUAD * f32::from(SIDE);
    let mut mesh = sheet(u32::from(SIDE), u32::from(SIDE), QUAD);
    for p in &mut mesh.positions {
        *p += Vec3::new(-0.5 * width, 0.5, 0.0);
    }
    let mut desc = body("curtain", mesh, Behavior::Soft);
    desc.thickness = THICKNESS * width;
    desc.material.stiffness = stiffness;
    world.add_visual(desc)?;
    for k in 0..RINGS {
        let x = (f32::from(k) / f32::from(RINGS - 1) - 0.5) * (width - QUAD);
        let kind = ActionKind::Pin {
            grip: Grip::Ball {
                at: Vec3::new(x, 0.5 + width - 0.5 * QUAD, 0.0),
                radius: 1.2 * QUAD,
            },
            until: 1e3,
        };
        world.add_action(Action { at: 0.0, kind });
    }
    let ball = Shape::Sphere {
        center: Vec3::ZERO,
        radius: 0.35,
    };
    let mut collider = Collider::solid("ball", ball, Vec3::ZERO);
    let key = |time: f64, z: f32| MotionKey {
        time,
        position: Vec3::new(0.1, 1.3, z),
        rotation: Vec3::ZERO,
    };
    collider.motion = Motion {
        keys: vec![key(0.5, 1.2), key(2.5, -0.6), key(4.5, 1.2)],
        pivot: None,
        ease: Ease::Smooth,
        looping: false,
    };
    world.add_collider(collider);
    Ok(world)
}

fn hanging(bench: &mut Bench, stiffness: f32, name: &str) -> Result<(), LabError> {
    let mut world = curtain(stiffness)?;
    let frames = SECOND * if bench.options.long { 10 } else { 5 };
    let mut least = f32::MAX;
    let (mut with, mut without) = (0.0, 0.0);
    let (mut off, mut longest) = (0.0f64, 0.0f32);
    let mut lines = [Vec::new(), Vec::new()];
    let mut shown = Vec::new();
    let mut bad = 0;
    for frame in 1..=frames {
        bad += world.step(FRAME).non_finite;
        let Some(visual) = world.visual(0) else {
            continue;
        };
        let det = visual.rest.iter().map(|p| p.d.determinant());
        least = det.fold(least, f32::min);
        let length = |l: &pliant::visual::Link| {
            let [a, b] = [l.i, l.j].map(|k| visual.rest[k as usize].x);
            a.distance(b) / l.rest
        };
        longest = visual
            .graph
            .links
            .iter()
            .map(length)
            .fold(longest, f32::max);
        let rotations = &world.points().rotation[world.bodies()[0].points.clone()];
        let turned = visual.rest.iter().zip(rotations).map(|(pose, q)| Pose {
            x: pose.x,
            d: Mat3::from_quat(*q),
        });
        let turned: Vec<Pose> = turned.collect();
        let gaps = [
            f64::from(spread(&visual.primitives, &visual.rest)),
            f64::from(spread(&visual.primitives, &turned)),
        ];
        with += gaps[0];
        without += gaps[1];
        for (line, gap) in lines.iter_mut().zip(gaps) {
            if frame % 5 == 0 {
                line.push((f64::from(frame as u32) / 60.0, 1e3 * gap));
            }
        }
        if frame % 30 == 0 {
            off = off.max(error(visual, rotations));
        }
        if [60, 140, 200].contains(&frame) {
            shown.push((picture(&world)?, format!("{:.1} s", world.time())));
        }
    }
    bench.check(
        Engine,
        format!("a {name} curtain of {SIDE}×{SIDE} and a ball, {frames} frames: least determinant of D; not finite"),
        format!("{least:.3}; {bad}"),
        "above 0; 0",
        least > 0.0 && bad == 0,
    );
    let share = with / without;
    let mean = 1e3 / frames as f64;
    bench.check(
        Engine,
        format!("{name}: mean gap with D over that with rotations only (longest link {longest:.2} of its length)"),
        format!(
            "{share:.3} ({:.3} of {:.3} mm)",
            with * mean,
            without * mean
        ),
        format!("at most {GAP}"),
        share <= GAP,
    );
    bench.at_most(
        Engine,
        &format!("{name}: D against Eq. 2 in f64"),
        off,
        1e-5,
    );
    write(bench, &format!("v5-{name}.png"), &shown)?;
    let [affine, rigid] = lines;
    let series = [
        Series {
            label: "with D".to_owned(),
            points: affine,
        },
        Series {
            label: "rotations only".to_owned(),
            points: rigid,
        },
    ];
    bench.plot(
        &format!("v5-{name}.svg"),
        "Gaps between the primitives of a curtain",
        ["time, s", "mean gap, mm"],
        &series,
    )
}

/// Largest difference of the engine's D and that of Eq. 2 in f64, of those that were not clamped.
fn error(visual: &VisualBody, rotations: &[Quat]) -> f64 {
    let mut worst = 0.0f64;
    for k in 0..visual.primitives.len() {
        let mut all = vec![k as u32];
        all.extend(visual.graph.neighbors(k as u32).map(|n| n.0));
        let ring: Vec<Particle> = all
            .iter()
            .map(|&j| {
                let p = &visual.primitives[j as usize];
                let mass = f64::from(p.volume);
                (
                    mass,
                    0.2 * mass * f64::from(p.radius).powi(2),
                    p.centroid.as_dvec3(),
                )
            })
            .collect();
        let x: Vec<DVec3> = all
            .iter()
            .map(|&j| visual.rest[j as usize].x.as_dvec3())
            .collect();
        let turn = |j: &u32| DMat3::from_quat(rotations[*j as usize].as_dquat());
        let turns: Vec<DMat3> = all.iter().map(turn).collect();
        let d = deformation(&ring, &x, &turns);
        let gram = d.transpose() * d;
        let bent: f64 = (gram - DMat3::IDENTITY)
            .to_cols_array()
            .iter()
            .map(|e| e * e)
            .sum();
        // Farther from a rotation it may have been clamped.
        if bent < 0.2 && d.determinant() > 0.15 {
            let own = visual.rest[k].d.as_dmat3();
            worst = (own - d)
                .abs()
                .to_cols_array()
                .into_iter()
                .fold(worst, f64::max);
        }
    }
    worst
}
