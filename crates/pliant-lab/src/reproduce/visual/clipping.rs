//! Pieces of clipped primitives add up to the whole.

use crate::reproduce::check::Solver::Engine;
use crate::reproduce::{Bench, LabError};
use glam::{DQuat, DVec3};
use pliant::random::Random;
use pliant::visual::clip::{Clipped, Piece};
use pliant::visual::extrude::prism;
use pliant::visual::pattern::{Pattern, voronoi};
use pliant::visual::polyhedron::MassProperties;
use pliant::visual::primitive::diagonal;
use pliant::visual::{FaceTag, FractureOptions, Polyhedron, Primitive, fracture};

const SEEDS: [[f64; 3]; 5] = [
    [0.25, 0.25, 0.25],
    [0.75, 0.3, 0.4],
    [0.4, 0.8, 0.6],
    [0.7, 0.7, 0.2],
    [0.5, 0.5, 0.9],
];

/// A box, and the volumes that the five cells cut out of it (m³).
struct Row {
    name: &'static str,
    lo: [f64; 3],
    hi: [f64; 3],
    volumes: [f64; 5],
}

const ROWS: [Row; 4] = [
    Row {
        name: "the unit cube",
        lo: [0.0; 3],
        hi: [1.0; 3],
        volumes: [
            0.198_835_370,
            0.196_783_432,
            0.217_948_772,
            0.166_992_305,
            0.219_440_121,
        ],
    },
    Row {
        name: "[0,1]×[0,.5]×[0,.1]",
        lo: [0.0; 3],
        hi: [1.0, 0.5, 0.1],
        volumes: [0.028_311_294, 0.015_670_136, 0.0, 0.006_018_570, 0.0],
    },
    Row {
        name: "[0,1]×[.5,1]×[0,.1]",
        lo: [0.0, 0.5, 0.0],
        hi: [1.0, 1.0, 0.1],
        volumes: [0.008_816_095, 0.0, 0.002_348_932, 0.038_834_973, 0.0],
    },
    Row {
        name: "[.2,.6]²×[.1,.7]",
        lo: [0.2, 0.2, 0.1],
        hi: [0.6, 0.6, 0.7],
        volumes: [
            0.048_286_494,
            0.017_242_896,
            0.011_492_385,
            0.007_543_007,
            0.011_435_219,
        ],
    },
];

/// How far volumes may be off the table, which has nine digits (m³).
const TABLE: f64 = 1e-9;
/// Error of sums over random pieces, as a share.
const SUMS: f64 = 1e-6;
/// Primitives and cells of the random case.
const RANDOM: (u64, u32) = (200, 50);

/// V6.
#[expect(
    clippy::unnecessary_wraps,
    reason = "all experiments have one signature"
)]
pub(super) fn volumes(bench: &mut Bench) -> Result<(), LabError> {
    let pattern = voronoi(&SEEDS.map(DVec3::from));
    for row in &ROWS {
        let (lo, hi) = (DVec3::from(row.lo), DVec3::from(row.hi));
        let shape = Polyhedron::cuboid(lo, hi, FaceTag::Outer);
        let whole = Piece::with_gids(shape, &[0, 1, 2, 3, 4, 5, 6, 7]);
        let found: Vec<f64> = (0..row.volumes.len())
            .map(|cell| part(&whole, &pattern, cell, 1e-12).map_or(0.0, |p| p.shape.volume()))
            .collect();
        let off = found.iter().zip(&row.volumes).map(|(a, b)| (a - b).abs());
        let off = off.fold(0.0, f64::max);
        let sum = (found.iter().sum::<f64>() - (hi - lo).element_product()).abs();
        bench.check(
            Engine,
            format!(
                "{} in five cells: largest error of a volume; of their sum",
                row.name
            ),
            format!("{off:.1e}; {sum:.1e} m³"),
            format!("{TABLE:.0e}; 1e-12 m³"),
            off <= TABLE && sum <= 1e-12,
        );
    }
    random_cells(bench);
    Ok(())
}

/// What a cell holds of a piece.
fn part(whole: &Piece, pattern: &Pattern, cell: usize, tolerance: f64) -> Option<Piece> {
    let mut piece = whole.clone();
    for &half in &pattern.cells[cell].halves {
        match piece.clip(&pattern.plane(half), half.plane, tolerance, 0) {
            Clipped::All => {}
            Clipped::Nothing => return None,
            Clipped::Part(part) => piece = part,
        }
    }
    Some(piece)
}

/// A prism of three to eight corners, somewhere and turned somehow.
fn random_prism(random: &mut Random) -> Primitive {
    let mut next = |lo: f64, hi: f64| lo + (hi - lo) * f64::from(random.next_f32());
    let corners = 3 + next(0.0, 5.999) as u32;
    let (a, b) = (next(0.05, 0.3), next(0.05, 0.3));
    let thickness = next(0.005, 0.2);
    let corner = |k: u32| {
        let angle = std::f64::consts::TAU * f64::from(k) / f64::from(corners);
        DVec3::new(a * angle.cos(), b * angle.sin(), 0.0)
    };
    let turn = DQuat::from_euler(
        glam::EulerRot::XYZ,
        next(0.0, 6.0),
        next(0.0, 6.0),
        next(0.0, 6.0),
    );
    let center = DVec3::new(next(0.0, 1.0), next(0.0, 1.0), next(0.0, 1.0));
    let ring: Vec<DVec3> = (0..corners).map(|k| turn * corner(k) + center).collect();
    let shape = prism(&ring, turn * DVec3::Z, 0.0, thickness, [0, 0]);
    Primitive::new(&shape, (0..2 * corners).collect(), thickness as f32)
}

/// A body of primitives in space that is cut by one pattern.
fn random_cells(bench: &mut Bench) {
    let mut random = Random::new([6, 0, 0, 0]);
    let (count, cells) = RANDOM;
    let seeds: Vec<DVec3> = (0..cells)
        .map(|_| random.next_in_cube().as_dvec3())
        .collect();
    let pattern = voronoi(&seeds);
    let mut gids = 0;
    let mut next = || {
        let mut primitive = random_prism(&mut random);
        primitive.gids.iter_mut().for_each(|gid| *gid += gids);
        gids += primitive.gids.len() as u32;
        primitive
    };
    let primitives: Vec<Primitive> = (0..count).map(|_| next()).collect();
    let size = f64::from(diagonal(&primitives));
    let sums = |p: MassProperties| (p.volume, p.volume * p.centroid);
    let whole: Vec<(f64, DVec3)> = primitives
        .iter()
        .map(|p| sums(p.polyhedron().mass_properties()))
        .collect();
    let clip = |p: &Primitive| {
        let whole = Piece::new(p);
        let parts =
            (0..pattern.cells.len()).filter_map(|cell| part(&whole, &pattern, cell, 1e-6 * size));
        parts.map(|p| p.shape.mass_properties()).collect()
    };
    let clipped: Vec<Vec<MassProperties>> = primitives.iter().map(clip).collect();
    let pieces: usize = clipped.iter().map(Vec::len).sum();
    let clipped: Vec<(f64, DVec3)> = clipped
        .iter()
        .map(|parts| add(parts.iter().map(|p| sums(*p))))
        .collect();
    report(
        bench,
        &format!("clipped to {pieces} pieces"),
        size,
        &whole,
        &clipped,
    );
    // As a body is cut in a step: pieces in f32, slivers given to their neighbours.
    let made = fracture(&primitives, &pattern, gids, &FractureOptions::default());
    let mut fractured = vec![(0.0, DVec3::ZERO); primitives.len()];
    for (p, &parent) in made.primitives.iter().zip(&made.parents) {
        let volume = f64::from(p.volume);
        let own = (volume, volume * p.centroid.as_dvec3());
        let sum = &mut fractured[parent as usize];
        *sum = add([*sum, own]);
    }
    let how = format!(
        "fractured, {} slivers handed on, {} left whole",
        made.report.slivers, made.report.refused
    );
    report(bench, &how, size, &whole, &fractured);
}

fn add(sums: impl IntoIterator<Item = (f64, DVec3)>) -> (f64, DVec3) {
    let zero = (0.0, DVec3::ZERO);
    sums.into_iter().fold(zero, |a, b| (a.0 + b.0, a.1 + b.1))
}

/// Volume and first moment of all, and the worst volume of one.
fn report(bench: &mut Bench, how: &str, size: f64, whole: &[(f64, DVec3)], found: &[(f64, DVec3)]) {
    let (all, sum) = (add(whole.iter().copied()), add(found.iter().copied()));
    let volume = (sum.0 / all.0 - 1.0).abs();
    let first = (sum.1 - all.1).length() / (all.0 * size);
    let each = whole
        .iter()
        .zip(found)
        .map(|(a, b)| (b.0 / a.0 - 1.0).abs());
    let worst = each.fold(0.0, f64::max);
    let (count, cells) = RANDOM;
    bench.check(
        Engine,
        format!("{count} prisms by {cells} cells, {how}: error of the mass; of its first moment, over the diagonal (worst mass of one prism {worst:.0e})"),
        format!("{volume:.1e}; {first:.1e}"),
        format!("both at most {SUMS:.0e}"),
        volume <= SUMS && first <= SUMS,
    );
}
