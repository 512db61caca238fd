use super::*;
use crate::material::Material;
use crate::random::Random;
use crate::state::{Ellipsoid, GroupMaterial, Member};

/// A sheet of `side` × `side` particles out of place, one held, with a group around each.
fn sheet(side: usize) -> (Rings, Points, Oriented) {
    let (mut points, mut oriented, mut rings) =
        (Points::default(), Oriented::default(), Rings::default());
    let mut random = Random::new([5, 7, 0, 0]);
    for k in 0..side * side {
        let rest = Vec3::new((k % side) as f32, (k / side) as f32, 0.0);
        let (mass, off) = (1.0 + random.next_f32(), random.next_direction());
        points.push(rest + off * 0.3, Vec3::ZERO, mass, k as u64);
        let ellipsoid = Ellipsoid {
            rest,
            axes: Quat::IDENTITY,
            radii: Vec3::splat(0.4),
            moment_radius: 0.5,
            collides: true,
        };
        oriented.push(k as u32, mass, &ellipsoid);
        oriented.turned[k] = Quat::from_scaled_axis(random.next_direction() * 0.4);
    }
    points.inv_mass[side] = 0.0;
    oriented.held[side] = true;
    let material = GroupMaterial {
        stiffness: 0.7,
        ..GroupMaterial::new(&Material::default())
    };
    for k in 0..side * side {
        let near = |l: &usize| {
            let far = (k % side)
                .abs_diff(l % side)
                .max((k / side).abs_diff(l / side));
            far <= 1
        };
        let members: Vec<usize> = (0..side * side).filter(near).collect();
        let weights = |l: &usize| points.mass[*l];
        let total: f32 = members.iter().map(weights).sum();
        let center = members.iter().map(|&l| oriented.rest[l] * points.mass[l]);
        let center = center.sum::<Vec3>() / total;
        let members: Vec<Member> = members
            .iter()
            .map(|&l| Member::plain(l as u32, oriented.rest[l] - center))
            .collect();
        rings.push(&members, k as u32, 1.0, material);
        if let Some(last) = rings.groups.center.last_mut() {
            *last = center;
        }
    }
    rings.groups.rebuild_rows(side * side);
    (rings, points, oriented)
}

fn body(rings: Range<usize>, count: usize, order: Order) -> SequentialBody {
    SequentialBody {
        body: 0,
        points: 0..count,
        first_oriented: 0,
        rings,
        turning: Turning::Lead,
        order,
        every: 1,
    }
}

/// Groups that are placed eight at a time come to where they come one after the other.
#[test]
fn eight_abreast_are_eight_in_turn() {
    let (mut rings, mut points, mut oriented) = sheet(9);
    let (mut other, mut x, mut turned) = (rings.clone(), points.clone(), oriented.clone());
    let mut whole = Sequential::default();
    whole.plan(&[body(0..81, 81, Order::Given)], &rings);
    let runs = || whole.colors.iter().flatten();
    assert!(runs().map(|run| run.eights.len()).sum::<usize>() > 5);
    // The same runs, group by group.
    let singles: Vec<u32> = runs().flat_map(|run| run.groups.clone()).collect();
    whole.iterate(0, &mut rings, &mut points, &mut oriented);
    for k in singles {
        let k = k as usize;
        let mut single = Sequential::default();
        single.plan(&[body(k..k + 1, 81, Order::Given)], &other);
        // A body's leads are those of its groups: alone the others would follow.
        for run in single.colors.iter_mut().flatten() {
            assert!(run.eights.is_empty());
            run.turns_more.fill(false);
        }
        single.iterate(0, &mut other, &mut x, &mut turned);
    }
    for k in 0..81 {
        let (a, b) = (points.pred[k].position(), x.pred[k].position());
        assert!(a.distance(b) < 1e-5, "{k}: {a} {b}");
        let angle = (oriented.turned[k] * turned.turned[k].conjugate()).w.abs();
        assert!(angle > 1.0 - 1e-6, "{k}");
    }
    assert_eq!(oriented.turned[9], turned.turned[9]);
    assert!(points.pred[9].position().distance(points.x[9]) < 1e-6);
}

/// In lists no two groups share a particle, each group is there once, and levels keep the order of those that share one.
#[test]
fn lists_are_apart() {
    let (rings, ..) = sheet(12);
    let groups: Vec<u32> = (0..144).collect();
    let shares = |k: u32, l: u32| {
        let mut own = rings.groups.members(k as usize).map(|m| m.0);
        own.any(|i| rings.groups.members(l as usize).any(|m| m.0 == i))
    };
    for lists in [
        levels(&groups, &rings.groups),
        windows(&groups, &rings.groups),
    ] {
        let mut all: Vec<u32> = lists.iter().flatten().copied().collect();
        all.sort_unstable();
        assert_eq!(all, groups);
        for list in &lists {
            for (at, &k) in list.iter().enumerate() {
                assert!(list[at + 1..].iter().all(|&l| !shares(k, l)));
            }
        }
    }
    let mut level = vec![0; 144];
    for (at, list) in levels(&groups, &rings.groups).iter().enumerate() {
        for &k in list {
            level[k as usize] = at;
        }
    }
    for k in 0..144 {
        for l in k + 1..144 {
            assert!(!shares(k, l) || level[k as usize] < level[l as usize]);
        }
    }
}
