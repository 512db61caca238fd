use super::*;
use crate::random::Random;
use std::f64::consts::TAU;

fn circle(center: DVec2, radius: f64, n: usize, clockwise: bool) -> Vec<DVec2> {
    (0..n)
        .map(|k| {
            let angle = TAU * k as f64 / n as f64;
            let (s, c) = libm::sincos(if clockwise { -angle } else { angle });
            center + radius * DVec2::new(c, s)
        })
        .collect()
}

fn area(points: &[DVec2], [a, b, c]: [u32; 3]) -> f64 {
    let [a, b, c] = [a, b, c].map(|i| points[i as usize]);
    0.5 * cross(b - a, c - a)
}

/// Fills the loops and checks that no triangle is turned and the areas add up.
fn check(loops: &[Vec<DVec2>]) -> Filling {
    let points: Vec<DVec2> = loops.iter().flatten().copied().collect();
    let lengths: Vec<usize> = loops.iter().map(Vec::len).collect();
    let filling = Loops {
        points: &points,
        lengths: &lengths,
        joined: &[],
        pillows: &[],
    }
    .fill(true)
    .expect("the loops can be filled");
    assert!(filling.centers.is_empty());
    let expected: f64 = loops
        .iter()
        .map(|l| {
            (0..l.len())
                .map(|k| 0.5 * cross(l[k], l[(k + 1) % l.len()]))
                .sum::<f64>()
        })
        .sum();
    let mut sum = 0.0;
    for &t in &filling.triangles {
        let a = area(&points, t);
        assert!(a > 0.0, "{t:?} {a}");
        sum += a;
    }
    assert!((sum / expected - 1.0).abs() < 1e-9, "{sum} {expected}");
    filling
}

#[test]
fn discs_rings_and_islands_are_filled_exactly() {
    assert_eq!(
        check(&[circle(DVec2::ZERO, 1.0, 500, false)])
            .triangles
            .len(),
        498
    );
    let ring = [
        circle(DVec2::ZERO, 1.0, 60, false),
        circle(DVec2::new(0.2, 0.1), 0.5, 40, true),
    ];
    assert_eq!(check(&ring).triangles.len(), 100);
    // A ring around a ring, and two holes of which one hides the other.
    let mut all = ring.to_vec();
    all.push(circle(DVec2::new(0.2, 0.1), 0.4, 30, false));
    all.push(circle(DVec2::new(0.2, 0.1), 0.1, 12, true));
    all.push(circle(DVec2::new(-0.6, 0.0), 0.05, 8, true));
    all.push(circle(DVec2::new(-0.75, 0.0), 0.02, 8, true));
    check(&all);
}

#[test]
fn random_stars_with_holes_are_filled_exactly() {
    for seed in 0..200 {
        let mut random = Random::new([seed, 0, 0, 0]);
        let n = 5 + random.next_below(300) as usize;
        let mut star = circle(DVec2::ZERO, 1.0, n, false);
        for p in &mut star {
            *p *= f64::from(0.4 + 0.6 * random.next_f32());
        }
        let mut loops = vec![star];
        if n > 40 {
            for k in 0..random.next_below(5) {
                let (s, c) = libm::sincos(TAU * f64::from(k) / 5.0);
                loops.push(circle(0.2 * DVec2::new(c, s), 0.09, 7, true));
            }
        }
        check(&loops);
    }
}

/// Points along straight sides do not become triangles without area.
#[test]
fn straight_sides_are_no_corners() {
    let n = 40;
    let mut square = Vec::new();
    for (from, to) in [
        ((0, 0), (n, 0)),
        ((n, 0), (n, n)),
        ((n, n), (0, n)),
        ((0, n), (0, 0)),
    ] {
        for k in 0..n {
            let at = |a: i32, b: i32| f64::from(a * (n - k) + b * k) / f64::from(n * n);
            square.push(DVec2::new(at(from.0, to.0), at(from.1, to.1)));
        }
    }
    check(&[square]);
}

/// Edges that exist are not made again, whatever that costs.
#[test]
fn existing_edges_are_avoided() {
    let points = circle(DVec2::ZERO, 1.0, 6, false);
    let all: Vec<(u32, u32)> = (0..6)
        .flat_map(|a| (a + 1..6).map(move |b| (a, b)))
        .collect();
    let loops = |joined| Loops {
        points: &points,
        lengths: &[6],
        joined,
        pillows: &[],
    };
    let filling = loops(&all).fill(true).unwrap();
    assert_eq!((filling.triangles.len(), filling.centers.len()), (6, 1));
    let some = loops(&[(0, 2), (1, 3), (2, 4), (3, 5)]).fill(true).unwrap();
    for t in &some.triangles {
        for k in 0..3 {
            let (a, b) = (t[k].min(t[(k + 1) % 3]), t[k].max(t[(k + 1) % 3]));
            assert!(![(0, 2), (1, 3), (2, 4), (3, 5)].contains(&(a, b)));
        }
    }
}

/// Loops without area, crossing themselves or coincident: an answer all the same, and every edge of a loop used once.
#[test]
fn nonsense_is_filled_too() {
    for seed in 0..300 {
        let mut random = Random::new([seed, 1, 0, 0]);
        let count = 1 + random.next_below(4) as usize;
        let loops: Vec<Vec<DVec2>> = (0..count)
            .map(|_| {
                let n = 3 + random.next_below(20) as usize;
                (0..n)
                    .map(|_| {
                        let p = (4.0 * random.next_in_cube()).floor();
                        DVec2::new(f64::from(p.x), f64::from(p.y))
                    })
                    .collect()
            })
            .collect();
        let points: Vec<DVec2> = loops.iter().flatten().copied().collect();
        let lengths: Vec<usize> = loops.iter().map(Vec::len).collect();
        let given = Loops {
            points: &points,
            lengths: &lengths,
            joined: &[],
            pillows: &[],
        };
        let alone = given.fill(false).expect("always legal");
        let mut edges: Vec<(u32, u32)> = Vec::new();
        for t in &alone.triangles {
            for k in 0..3 {
                edges.push((t[k], t[(k + 1) % 3]));
            }
        }
        let all = edges.len();
        edges.sort_unstable();
        edges.dedup();
        assert_eq!(edges.len(), all, "seed {seed}");
        let single = edges
            .iter()
            .filter(|&&(a, b)| edges.binary_search(&(b, a)).is_err())
            .count();
        assert_eq!(single, points.len(), "seed {seed}");
        given.fill(true);
    }
}
