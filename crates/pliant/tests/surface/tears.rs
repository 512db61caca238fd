//! Sheets and strands whose particles thin out tear; nothing else does.

use crate::motions::{between, check, lathe};
use glam::{Quat, Vec3};
use pliant::geometry::Mesh;
use pliant::random::Random;
use pliant::surface::validate::{Census, Level};
use pliant::surface::{Carriers, TearReport, Tracker, TrackerSettings};

/// A rod along x with round ends.
fn strand(half: f32, radius: f32, edge: f32) -> Mesh {
    let n = (half / (0.7 * edge)).ceil() as i32;
    let rings: Vec<(f32, f32)> = (-n..=n)
        .map(|k| {
            let x = half * k as f32 / n as f32;
            let over = (x.abs() - (half - radius)).max(0.0) / radius;
            (x, radius * (1.0 - over * over).max(0.0).sqrt())
        })
        .collect();
    outward(lathe(
        &rings,
        (std::f32::consts::TAU * radius / (0.7 * edge)).ceil() as u32,
    ))
}

/// The mesh with its material inside.
fn outward(mut mesh: Mesh) -> Mesh {
    if mesh.volume() < 0.0 {
        for t in &mut mesh.triangles {
            t.swap(1, 2);
        }
    }
    mesh
}

/// A round slab about y = 0.
fn sheet(radius: f32, half: f32, edge: f32) -> Mesh {
    let mut rings = vec![(-half, 0.0)];
    let n = (radius / (0.7 * edge)).ceil() as i32;
    rings.extend((1..=n).map(|k| (-half, radius * k as f32 / n as f32)));
    rings.extend((1..=n).rev().map(|k| (half, radius * k as f32 / n as f32)));
    rings.push((half, 0.0));
    let mut mesh = lathe(
        &rings,
        (std::f32::consts::TAU * radius / (0.8 * edge)).ceil() as u32,
    );
    for p in &mut mesh.positions {
        *p = Vec3::new(p.y, p.x, p.z);
    }
    outward(mesh)
}

/// Particles on a lattice with a random shift, where `inside` says.
fn particles(seed: u64, r: f32, reach: f32, inside: impl Fn(Vec3) -> bool) -> Vec<Vec3> {
    let n = (reach / (1.2 * r)).ceil() as i32;
    let mut random = Random::new([seed, 11, 0, 0]);
    let mut all = Vec::new();
    for x in -n..=n {
        for y in -n..=n {
            for z in -n..=n {
                // No layer lies where the pull is in balance: it would stay there alone.
                let p = Vec3::new(x as f32 + 0.5, y as f32, z as f32) * (1.2 * r)
                    + (random.next_in_cube() - 0.5) * (0.3 * r);
                if inside(p) {
                    all.push(p);
                }
            }
        }
    }
    all
}

struct Run {
    tracker: Tracker,
    carriers: Vec<Vec3>,
    radius: f32,
    tears: TearReport,
}

impl Run {
    fn new(mesh: &Mesh, edge: f32, radius: f32, carriers: Vec<Vec3>) -> Self {
        let mut settings = TrackerSettings::new(edge);
        settings.particle_radius = radius;
        Self {
            tracker: Tracker::new(mesh, settings).expect("closed"),
            carriers,
            radius,
            tears: TearReport::default(),
        }
    }

    /// One frame: the surface and its particles are carried by the same motion.
    fn frame(&mut self, motion: impl Fn(Vec3) -> Vec3 + Sync) -> Result<Census, String> {
        self.tracker.advect(&motion);
        for p in &mut self.carriers {
            *p = motion(*p);
        }
        let carriers = Carriers {
            positions: &self.carriers,
            components: &[],
            radius: self.radius,
            guess: &[],
        };
        let report = self.tracker.update_carried(&carriers);
        self.tears.broken += report.tears.broken;
        self.tears.holes += report.tears.holes;
        self.tears.removed += report.tears.removed;
        self.tracker
            .mesh()
            .validate(Level::Everything)
            .map_err(|e| e.to_string())
    }
}

/// A strand is pulled at both ends until its particles thin out.
fn strand_case(seed: u64) -> Result<(), String> {
    let r = between(seed, 0, 0.08, 0.12);
    let radius = between(seed, 1, 1.6, 2.2) * r;
    let edge = between(seed, 2, 0.8, 1.2) * r;
    let half = 12.0 * r;
    let inside = |p: Vec3| {
        let over = (p.x.abs() - (half - radius)).max(0.0);
        Vec3::new(over, p.y, p.z).length() < radius
    };
    let mut run = Run::new(
        &strand(half, radius, edge),
        edge,
        r,
        particles(seed, r, half, inside),
    );
    for _ in 0..3 {
        run.frame(|p| p)?;
        if run.tears != TearReport::default() {
            return Err(format!("torn at rest: {:?}", run.tears));
        }
    }
    // The middle is stretched, the ends move along.
    let mut zone = 3.0 * r;
    for frame in 0..80 {
        let rate = 0.08;
        let grown = zone;
        let census = run.frame(|p| {
            let s = (p.x / grown).clamp(-1.0, 1.0);
            let thin = 1.0 - 0.3 * rate * (1.0 - s * s);
            // Most of all in the middle, so that it breaks there.
            let pull = s * (2.0 - s.abs());
            Vec3::new(p.x + rate * grown * pull, p.y * thin, p.z * thin)
        })?;
        zone *= 1.0 + rate;
        if run.tracker.components().len() >= 2 {
            // Pieces that were torn stay as they are.
            let before = run.tears;
            run.frame(|p| p)?;
            run.frame(|p| p)?;
            let pieces = run.tracker.components().len();
            if pieces != 2 || run.tears != before {
                return Err(format!(
                    "frame {frame}: {pieces} pieces, {before:?}, then {:?} at rest",
                    run.tears
                ));
            }
            return Ok(());
        }
        if census.triangles == 0 {
            return Err(format!("frame {frame}: nothing is left"));
        }
    }
    Err(format!("never torn: {:?}", run.tears))
}

/// A sheet is stretched in its plane until its particles thin out, and for some frames more; it rests, and is stretched again.
fn sheet_case(seed: u64) -> Result<(), String> {
    let r = between(seed, 20, 0.08, 0.12);
    let half = between(seed, 21, 0.7, 1.0) * r;
    let edge = between(seed, 22, 0.9, 1.2) * r;
    let radius = 7.0 * r;
    let inside = |p: Vec3| p.y.abs() < half && p.x.hypot(p.z) < radius;
    let mut run = Run::new(
        &sheet(radius, half, edge),
        edge,
        r,
        particles(seed, r, radius, inside),
    );
    for _ in 0..3 {
        run.frame(|p| p)?;
        if run.tears != TearReport::default() {
            return Err(format!("torn at rest: {:?}", run.tears));
        }
    }
    let stretch = |p: Vec3| Vec3::new(p.x * 1.03, p.y * 0.99, p.z * 1.03);
    let more = between(seed, 23, 0.0, 12.0) as usize;
    for frame in 0..60 {
        let census = run.frame(stretch)?;
        if census.euler < 2 * census.sheets as i64 || census.sheets > 1 {
            if run.tears.holes + run.tears.broken == 0 {
                return Err(format!("{census:?} without a tear"));
            }
            for _ in 0..more {
                run.frame(stretch)?;
            }
            rest(&mut run).map_err(|e| format!("torn in frame {frame}, {e}"))?;
            return tear_on(&mut run, stretch);
        }
    }
    Err(format!("never torn: {:?}", run.tears))
}

/// Nothing tears while the surface rests or is carried as a whole.
fn rest(run: &mut Run) -> Result<(), String> {
    let before = run.tears;
    let turn = Quat::from_axis_angle(Vec3::new(0.6, 0.0, 0.8), 0.1);
    for frame in 0..10 {
        if frame < 5 {
            run.frame(|p| p)?;
        } else {
            run.frame(|p| turn * p + 0.1 * Vec3::X)?;
        }
        if run.tears != before {
            return Err(format!("{before:?}, {:?} at rest {frame}", run.tears));
        }
    }
    Ok(())
}

/// What has rested goes on tearing when it is stretched again.
fn tear_on(run: &mut Run, stretch: impl Fn(Vec3) -> Vec3 + Sync) -> Result<(), String> {
    let before = run.tears;
    for _ in 0..10 {
        run.frame(&stretch)?;
        if run.tears != before {
            return Ok(());
        }
    }
    Err(format!("{before:?}, never torn again"))
}

#[test]
fn strands_break_in_two() {
    check(6, strand_case);
}

#[test]
fn sheets_open() {
    check(6, sheet_case);
}
