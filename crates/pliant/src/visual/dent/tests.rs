use super::super::intake::{IntakeOptions, intake};
use super::super::links::find_links;
use super::super::nasty::{append, cube, moved, polygon_mesh, sheet};
use super::super::polygons::PolygonMesh;
use super::*;

struct Body {
    primitives: Vec<Primitive>,
    graph: LinkGraph,
    rest: Vec<Pose>,
    dented: Vec<f32>,
    held: Vec<bool>,
}

fn body(mesh: &PolygonMesh, thickness: f32) -> Body {
    let options = IntakeOptions {
        thickness: vec![thickness],
        ..IntakeOptions::default()
    };
    let primitives = intake(mesh, &options).unwrap().primitives;
    let graph = find_links(&primitives);
    let rest = primitives.iter().map(|p| Pose {
        x: p.centroid,
        d: Mat3::IDENTITY,
    });
    let rest = rest.collect();
    let count = primitives.len();
    Body {
        primitives,
        graph,
        rest,
        dented: vec![0.0; count],
        held: vec![false; count],
    }
}

impl Body {
    fn hit(&mut self, pushes: &[(u32, Vec3)]) -> Vec<u32> {
        let out = dent(
            &self.primitives,
            &self.graph,
            &mut self.rest,
            pushes,
            &self.held,
            &mut self.dented,
            &DentOptions::default(),
        );
        for pose in &self.rest {
            assert!(pose.x.is_finite() && pose.d.is_finite());
            assert!(pose.d.determinant() > 0.05, "{}", pose.d);
        }
        out
    }

    /// The primitive nearest to a place.
    fn at(&self, x: f32, y: f32) -> u32 {
        let far = |p: &Primitive| {
            p.centroid
                .truncate()
                .distance_squared(glam::Vec2::new(x, y))
        };
        let all = self.primitives.iter().enumerate();
        all.min_by(|a, b| far(a.1).total_cmp(&far(b.1))).unwrap().0 as u32
    }

    fn depth(&self, p: u32) -> f32 {
        self.primitives[p as usize].centroid.z - self.rest[p as usize].x.z
    }

    /// Vertices that are drawn in one place, and where their primitives have them.
    fn same(&self) -> Vec<Vec<Vec3>> {
        let mut all: Vec<(u32, Vec3)> = Vec::new();
        for (p, pose) in self.primitives.iter().zip(&self.rest) {
            let at = |v: &Vec3| pose.x + pose.d * (*v - p.centroid);
            all.extend(p.gids.iter().zip(&p.verts).map(|(&g, v)| (g, at(v))));
        }
        all.sort_by_key(|x| x.0);
        let same = all.chunk_by(|a, b| a.0 == b.0);
        same.map(|same| same.iter().map(|x| x.1).collect())
            .collect()
    }

    /// The widest gap between two of them (m).
    fn gap(&self) -> f32 {
        let mut widest: f32 = 0.0;
        for same in self.same() {
            for (k, a) in same.iter().enumerate() {
                let gaps = same[k + 1..].iter().map(|b| a.distance(*b));
                widest = gaps.fold(widest, f32::max);
            }
        }
        widest
    }

    /// How far one of them is at most from where it is drawn (m).
    fn off_mean(&self) -> f32 {
        let mut widest: f32 = 0.0;
        for same in self.same() {
            let mean = same.iter().sum::<Vec3>() / same.len() as f32;
            widest = same.iter().map(|a| a.distance(mean)).fold(widest, f32::max);
        }
        widest
    }
}

/// A hit leaves a dent that falls off around it, and nothing far away has moved; a hit elsewhere leaves it as it was, within a twentieth.
#[test]
fn two_dents() {
    let mut b = body(&sheet(30, 30, 0.1), 0.02);
    let (p, q) = (b.at(0.8, 0.8), b.at(2.2, 2.1));
    let push = Vec3::NEG_Z * 0.01;
    assert!(b.hit(&[(p, push)]).len() > 20);
    assert!((b.depth(p) - 0.01).abs() < 1e-6);
    let near = b.at(0.95, 0.8);
    assert!(
        b.depth(near) > 0.002 && b.depth(near) < 0.01,
        "{}",
        b.depth(near)
    );
    assert!(b.depth(q).abs() < 1e-4);
    let before: Vec<Pose> = b.rest.clone();
    b.hit(&[(q, push)]);
    assert!((b.depth(q) - 0.01).abs() < 1e-4);
    for (k, (now, then)) in b.rest.iter().zip(&before).enumerate() {
        let c = b.primitives[k].centroid;
        if c.truncate()
            .distance(b.primitives[p as usize].centroid.truncate())
            < 0.5
        {
            assert!(now.x.distance(then.x) < 0.05 * 0.01, "{k}");
        }
    }
    // The same place again and again: deeper, but no deeper than five thicknesses.
    for _ in 0..30 {
        b.hit(&[(p, push)]);
    }
    assert!(b.depth(p) > 0.05 && b.depth(p) <= 0.1001, "{}", b.depth(p));
}

/// What joints hold does not move at all, however near; a push on it is none.
#[test]
fn held_stays() {
    let mut b = body(&sheet(12, 12, 0.1), 0.02);
    let p = b.at(0.55, 0.55);
    let held: Vec<u32> = [(0.75, 0.55), (0.55, 0.35), (0.05, 0.05)]
        .map(|(x, y)| b.at(x, y))
        .to_vec();
    for &h in &held {
        b.held[h as usize] = true;
    }
    let before = b.rest.clone();
    let moved = b.hit(&[(p, Vec3::new(0.002, 0.001, -0.009)), (held[0], Vec3::Z)]);
    for &h in &held {
        assert_eq!(b.rest[h as usize], before[h as usize]);
        assert!(!moved.contains(&h));
    }
    assert!(moved.contains(&p));
    for k in 0..b.rest.len() {
        assert!(moved.contains(&(k as u32)) || b.rest[k] == before[k], "{k}");
    }
}

/// No push, or none that counts, changes no bit.
#[test]
fn no_push() {
    let mut b = body(&sheet(5, 5, 0.2), 0.05);
    let before = b.rest.clone();
    assert!(b.hit(&[]).is_empty());
    assert!(
        b.hit(&[(3, Vec3::ZERO), (4, Vec3::splat(f32::NAN))])
            .is_empty()
    );
    assert_eq!(b.rest, before);
}

/// The sheet stays one: vertices that are drawn in one place stay near each other, and nearer to where they are drawn.
#[test]
fn continuous() {
    for push in [Vec3::NEG_Z, Vec3::new(0.6, 0.0, -0.8)] {
        let mut b = body(&sheet(20, 20, 0.1), 0.04);
        let p = b.at(0.95, 1.05);
        b.hit(&[(p, push * 0.02)]);
        let (gap, off) = (b.gap() / 0.02, b.off_mean() / 0.02);
        assert!(gap < 0.5 && off < 0.35, "{gap} {off}");
    }
}

/// Small things, thin things and lines have finite dents with shapes that are not inside out; what has no neighbour does not move.
#[test]
fn small_bodies() {
    let mut one = body(&cube(0.0, 1.0), 0.1);
    assert_eq!(one.primitives.len(), 1);
    one.hit(&[(0, Vec3::X)]);
    assert!(one.rest[0].x.distance(Vec3::splat(0.5)) < 1e-5);
    let mut line = cube(0.0, 1.0);
    for k in 1..12 {
        append(
            &mut line,
            &moved(cube(0.0, 1.0), Vec3::X * (1.001 * k as f32)),
        );
    }
    for hit in [0, 5] {
        let mut b = body(&line, 0.1);
        assert_eq!(b.primitives.len(), 12);
        for _ in 0..20 {
            b.hit(&[(hit, Vec3::new(0.2, -0.4, 0.1))]);
        }
        assert!(b.gap() < 1.5, "{}", b.gap());
    }
    let needle = polygon_mesh(
        &[
            [0.0, 0.0, 0.0],
            [1.0, 0.0, 0.0],
            [1.0, 1e-3, 0.0],
            [2.0, 0.0, 1e-3],
            [0.5, -1e-3, 0.0],
        ],
        &[&[0, 1, 2], &[1, 3, 2], &[0, 4, 1]],
    );
    let mut b = body(&needle, 1e-3);
    for k in 0..20 {
        b.hit(&[(k % 3, Vec3::new(0.1, 0.2, -0.3))]);
    }
    // Two that are pushed alike only move as a whole, and that is taken back.
    let mut pair = body(&sheet(2, 1, 1.0), 0.1);
    let before = pair.rest.clone();
    pair.hit(&[(0, Vec3::NEG_Z * 0.05), (1, Vec3::NEG_Z * 0.05)]);
    for (now, then) in pair.rest.iter().zip(&before) {
        assert!(now.x.distance(then.x) < 1e-5);
    }
}

/// A large body is let go near the hit only, and nothing beyond has changed.
#[test]
fn region() {
    let mut b = body(&sheet(100, 100, 0.05), 0.02);
    let p = b.at(2.0, 2.0);
    let before = b.rest.clone();
    let moved = b.hit(&[(p, Vec3::NEG_Z * 0.01)]);
    assert!(moved.len() < 2000 && moved.len() > 20, "{}", moved.len());
    let changed = (0..b.rest.len())
        .filter(|&k| b.rest[k] != before[k])
        .count();
    assert!(changed <= moved.len());
    assert!(b.gap() < 0.005, "{}", b.gap());
}

/// What lies where a ball has gone is pushed as deep as the ball is there, or deeper, and only as far as it is linked; a ball sinks in to its middle
/// at most, a flat thing pushes what it touches alone.
#[test]
fn imprints() {
    let mut mesh = sheet(40, 40, 0.05);
    // A second sheet close by, which the ball does not touch.
    append(&mut mesh, &moved(sheet(40, 40, 0.05), Vec3::NEG_Z * 0.05));
    let mut b = body(&mesh, 0.02);
    let p = b.at(1.0, 1.0);
    let blow = Blow {
        primitive: p,
        at: b.rest[p as usize].x,
        normal: Vec3::NEG_Z,
        depth: 0.08,
        radius: 0.3,
    };
    let mut pushes = Vec::new();
    imprint(&blow, &b.primitives, &b.graph, &b.rest, &mut pushes);
    let own = |q: u32| b.rest[q as usize].x.z > b.rest[p as usize].x.z - 0.01;
    assert!(
        pushes.len() > 40 && pushes.iter().all(|x| own(x.0)),
        "{}",
        pushes.len()
    );
    let at = blow.at;
    b.hit(&pushes);
    for (primitive, pose) in b.primitives.iter().zip(&b.rest) {
        let aside = primitive.centroid.truncate().distance(at.truncate());
        if aside < 0.2 && primitive.centroid.z > at.z - 0.01 {
            let ball = 0.08 - (0.3 - (0.09 - aside * aside).sqrt());
            let depth = primitive.centroid.z - pose.x.z;
            assert!(depth > ball - 1e-5, "{aside}: {depth} {ball}");
        }
    }
    for (radius, count, depth) in [(0.03, 1, 0.03), (0.0, 1, 0.08)] {
        let mut pushes = Vec::new();
        let blow = Blow { radius, ..blow };
        imprint(&blow, &b.primitives, &b.graph, &b.rest, &mut pushes);
        assert!(pushes.len() >= count);
        assert!((pushes[0].1.length() - depth).abs() < 1e-6);
        assert!(radius > 0.0 || pushes.len() == 1);
    }
}
