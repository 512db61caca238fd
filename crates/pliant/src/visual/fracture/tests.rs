use super::super::intake::{IntakeOptions, intake};
use super::super::links::find_links;
use super::super::nasty::{append, cube, moved, sheet, soup};
use super::super::pattern::{from_mesh, voronoi};
use super::super::patterns::{bricks, glass, shards};
use super::super::polyhedron::Polyhedron;
use super::super::primitive::FaceTag;
use super::super::tear::split_all;
use super::*;
use glam::{DVec3, Vec3};

fn boxes() -> Vec<Primitive> {
    let all = [
        (DVec3::ZERO, DVec3::new(1.0, 0.5, 0.1)),
        (DVec3::new(0.0, 0.5, 0.0), DVec3::new(1.0, 1.0, 0.1)),
        (DVec3::new(0.2, 0.2, 0.1), DVec3::new(0.6, 0.6, 0.7)),
    ];
    let make = |(k, (lo, hi)): (usize, &(DVec3, DVec3))| {
        let shape = Polyhedron::cuboid(*lo, *hi, FaceTag::Outer);
        Primitive::new(&shape, (0..8).map(|v| v + 8 * k as u32).collect(), 0.1)
    };
    all.iter().enumerate().map(make).collect()
}

fn conserved(before: &[Primitive], made: &Fracture, bar: f64) {
    for (k, p) in before.iter().enumerate() {
        let own = made
            .primitives
            .iter()
            .zip(&made.parents)
            .filter(|(_, parent)| **parent == k as u32);
        let (mut volume, mut first) = (0.0, DVec3::ZERO);
        for (piece, _) in own {
            volume += f64::from(piece.volume);
            first += piece.centroid.as_dvec3() * f64::from(piece.volume);
        }
        assert!(
            (volume / f64::from(p.volume) - 1.0).abs() < bar,
            "{volume} {}",
            p.volume
        );
        let size = f64::from(p.radius);
        assert!((first / volume - p.centroid.as_dvec3()).length() < 10.0 * bar * size);
    }
}

/// The worked example through the whole of it: three boxes, five cells, the volumes of the table.
#[test]
fn worked_example() {
    let seeds = [
        [0.25, 0.25, 0.25],
        [0.75, 0.3, 0.4],
        [0.4, 0.8, 0.6],
        [0.7, 0.7, 0.2],
        [0.5, 0.5, 0.9],
    ];
    let pattern = voronoi(&seeds.map(DVec3::from));
    let made = fracture(&boxes(), &pattern, 24, &FractureOptions::default());
    let expected = [
        [0.028311294, 0.015670136, 0.0, 0.006018570, 0.0],
        [0.008816095, 0.0, 0.002348932, 0.038834973, 0.0],
        [
            0.048286494,
            0.017242896,
            0.011492385,
            0.007543007,
            0.011435219,
        ],
    ];
    for (k, row) in expected.iter().enumerate() {
        for (c, volume) in row.iter().enumerate() {
            let mine =
                |i: &usize| made.parents[*i] == k as u32 && made.primitives[*i].cell == c as u32;
            let found: f64 = (0..made.primitives.len())
                .filter(mine)
                .map(|i| f64::from(made.primitives[i].volume))
                .sum();
            assert!((found - volume).abs() < 1e-8, "{k} {c}: {found} {volume}");
        }
    }
    conserved(&boxes(), &made, 1e-6);
}

/// Two hundred primitives against fifty cells lose neither mass nor first moment; pieces are closed and convex, no gid comes twice.
#[test]
fn nothing_is_lost() {
    let body = intake(
        &soup(200, 0.6, 3),
        &IntakeOptions {
            thickness: vec![0.05],
            ..IntakeOptions::default()
        },
    )
    .unwrap();
    let pattern = shards(50, 0.7, 9).placed(DVec3::splat(0.5), DVec3::Y, 1.0, 1.0);
    let made = fracture(
        &body.primitives,
        &pattern,
        body.gid_count,
        &FractureOptions::default(),
    );
    assert_eq!(made.report.refused, 0);
    assert!(made.report.pieces > 500, "{:?}", made.report);
    conserved(&body.primitives, &made, 1e-6);
    for p in &made.primitives {
        assert_eq!(p.check(1e-5), Ok(()));
        let mut gids = p.gids.clone();
        gids.sort_unstable();
        gids.dedup();
        assert_eq!(gids.len(), p.verts.len());
        assert!(gids.iter().all(|&g| g < made.gid_count));
    }
}

/// Pieces of a sheet share the gids of their cuts: none are apart by a gid that they should share, and equal outer gids are equal places.
#[test]
fn cuts_are_shared() {
    let body = intake(
        &sheet(3, 3, 1.0),
        &IntakeOptions {
            thickness: vec![0.1],
            ..IntakeOptions::default()
        },
    )
    .unwrap();
    for pattern in [
        shards(25, 1.5, 1),
        glass(8, 3, 1.2, 2),
        bricks(4, 4, 0.6, 1.1),
    ] {
        let pattern = pattern.placed(DVec3::new(1.5, 1.4, 0.0), DVec3::Z, 0.2, 1.0);
        let made = fracture(
            &body.primitives,
            &pattern,
            body.gid_count,
            &FractureOptions::default(),
        );
        let mut places: Vec<(u32, [u32; 3])> = Vec::new();
        for p in &made.primitives {
            places.extend(
                p.gids
                    .iter()
                    .zip(&p.verts)
                    .map(|(&g, v)| (g, v.to_array().map(f32::to_bits))),
            );
        }
        places.sort_unstable();
        // In a flat sheet inner copies coincide as well: a gid is a place, bit for bit, and a place is a gid.
        for w in places.windows(2) {
            assert!(w[0].0 != w[1].0 || w[0].1 == w[1].1, "{w:?}");
        }
        places.dedup();
        places.sort_unstable_by_key(|p| p.1);
        assert!(
            places.windows(2).all(|w| w[0].1 != w[1].1),
            "a place has two gids"
        );
    }
}

/// Brittle: connected pieces of a cell are an island; ductile: links across cells may break where the pattern says so, others never.
#[test]
fn islands_and_links() {
    let body = intake(
        &sheet(4, 4, 1.0),
        &IntakeOptions {
            thickness: vec![0.1],
            ..IntakeOptions::default()
        },
    )
    .unwrap();
    let before = find_links(&body.primitives);
    let mut pattern = bricks(2, 2, 2.0, 2.0).placed(DVec3::new(2.0, 2.0, 0.0), DVec3::Z, 0.0, 1.0);
    pattern.set_tearable(|a, b| {
        let side = |c: &super::super::pattern::Cell| c.shape.mass_properties().centroid.y < 2.0;
        side(a) != side(b)
    });
    let mut made = fracture(
        &body.primitives,
        &pattern,
        body.gid_count,
        &FractureOptions::default(),
    );
    let graph = relink(&made, &before, &pattern);
    assert_eq!(graph.components().1, 1);
    assert_eq!(islands(&made.primitives, &graph).1, 4);
    for l in &graph.links {
        let [a, b] = [l.i, l.j].map(|k| made.primitives[k as usize].cell);
        let expected = if a == b {
            LinkKind::Initial
        } else {
            LinkKind::Pattern {
                breakable: pattern.is_tearable(a, b),
            }
        };
        assert_eq!(l.kind, expected);
    }
    assert!(graph.links.iter().any(Link::is_breakable));
    let count = made.gid_count;
    split_all(&mut made.primitives, &graph, &mut made.gid_count);
    assert_eq!(
        made.gid_count, count,
        "everything that shares a gid is linked through it"
    );
}

/// A bounded pattern leaves what is outside of it whole and labels it so; nothing is lost at its border.
#[test]
fn bounded() {
    let mut mesh = cube(0.0, 1.0);
    append(&mut mesh, &moved(cube(0.0, 1.0), Vec3::X));
    mesh.parts = [[0; 6], [1; 6]].concat();
    mesh.part_names = vec!["a".to_owned(), "b".to_owned()];
    let pattern = from_mesh(&mesh)
        .unwrap()
        .placed(DVec3::new(0.6, 0.7, -0.5), DVec3::Z, 0.3, 1.0);
    let body = intake(
        &sheet(4, 3, 1.0),
        &IntakeOptions {
            thickness: vec![0.1],
            ..IntakeOptions::default()
        },
    )
    .unwrap();
    let made = fracture(
        &body.primitives,
        &pattern,
        body.gid_count,
        &FractureOptions::default(),
    );
    assert!(
        made.report.cut > 0 && made.report.cut < 12,
        "{:?}",
        made.report
    );
    assert_eq!(made.report.refused, 0);
    conserved(&body.primitives, &made, 1e-6);
    let outside = made.primitives.iter().filter(|p| p.cell == NO_CELL).count();
    assert!(outside > 0 && outside < made.primitives.len());
}

/// What was cut often enough is spared, and slivers give their volume to a neighbour.
#[test]
fn limits() {
    let one = &boxes()[..1];
    let mut all = one.to_vec();
    let mut gid_count = 24;
    for k in 0..5 {
        let pattern = shards(20, 0.5, k).placed(DVec3::new(0.5, 0.25, 0.05), DVec3::Z, 0.0, 1.0);
        let made = fracture(&all, &pattern, gid_count, &FractureOptions::default());
        conserved(&all, &made, 2e-6);
        (all, gid_count) = (made.primitives, made.gid_count);
        assert!(all.iter().all(|p| p.depth <= 3));
    }
    let thin = voronoi(&[
        DVec3::new(-1e-6, 0.2, 0.05),
        DVec3::new(1e-5, 0.2, 0.05),
        DVec3::new(0.8, 0.2, 0.05),
    ]);
    let made = fracture(one, &thin, 24, &FractureOptions::default());
    assert_eq!(made.report.slivers, 1, "{:?}", made.report);
    conserved(one, &made, 1e-5);
}
