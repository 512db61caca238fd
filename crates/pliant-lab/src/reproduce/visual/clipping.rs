//! Pieces of clipped primitives add up to the whole.

use crate::reproduce::check::Solver::Engine;
use crate::reproduce::{Bench, LabError};
use glam::{DQuat, DVec3};
use pliant::random::Random;
use pliant::visual::clip::{Clipped, Piece};
use pliant::visual::extrude::prism;
use pliant::visual::pattern::{Pattern, voronoi};
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

fn random_cells(bench: &mut Bench) {
    let mut random = Random::new([6, 0, 0, 0]);
    let (count, cells) = RANDOM;
    let (mut clipped, mut engine) = ([0.0f64; 2], [0.0f64; 2]);
    let (mut pieces, mut slivers, mut refused) = (0, 0, 0);
    for _ in 0..count {
        let seeds: Vec<DVec3> = (0..cells)
            .map(|_| random.next_in_cube().as_dvec3())
            .collect();
        let pattern = voronoi(&seeds);
        let primitive = random_prism(&mut random);
        let whole = Piece::new(&primitive);
        let mass = whole.shape.mass_properties();
        let size = whole.shape.longest_edge();
        let note = |worst: &mut [f64; 2], volume: f64, first: DVec3| {
            worst[0] = worst[0].max((volume / mass.volume - 1.0).abs());
            let off = (first - mass.volume * mass.centroid).length();
            worst[1] = worst[1].max(off / (mass.volume * size));
        };
        let parts =
            (0..pattern.cells.len()).filter_map(|cell| part(&whole, &pattern, cell, 1e-6 * size));
        let parts: Vec<_> = parts.map(|p| p.shape.mass_properties()).collect();
        let sums = parts.iter().map(|p| (p.volume, p.volume * p.centroid));
        let (volume, first) = sums.fold((0.0, DVec3::ZERO), |a, b| (a.0 + b.0, a.1 + b.1));
        note(&mut clipped, volume, first);
        pieces += parts.len();
        // As a body is cut in a step: pieces in f32, slivers given to their neighbours.
        let gids = primitive.gids.len() as u32;
        let made = fracture(&[primitive], &pattern, gids, &FractureOptions::default());
        let sums = made.primitives.iter().map(|p| {
            let volume = f64::from(p.volume);
            (volume, volume * p.centroid.as_dvec3())
        });
        let (volume, first) = sums.fold((0.0, DVec3::ZERO), |a, b| (a.0 + b.0, a.1 + b.1));
        note(&mut engine, volume, first);
        slivers += made.report.slivers;
        refused += made.report.refused;
    }
    let ways = [
        (format!("clipped to {pieces} pieces"), clipped),
        (
            format!("fractured, {slivers} slivers handed on, {refused} left whole"),
            engine,
        ),
    ];
    for (how, [volume, first]) in ways {
        bench.check(
            Engine,
            format!("{count} prisms by {cells} cells, {how}: largest error of mass; of its first moment, over the longest edge"),
            format!("{volume:.1e}; {first:.1e}"),
            format!("both at most {SUMS:.0e}"),
            volume <= SUMS && first <= SUMS,
        );
    }
}
