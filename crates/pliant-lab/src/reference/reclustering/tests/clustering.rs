//! The clusters of a body at rest.

use super::super::beam::Beam;
use super::super::clustering::{Clustering, Found, Growth, Method};
use super::super::kernel::Kernel;
use glam::DVec3;

fn asked(method: Method) -> Clustering {
    Clustering {
        method,
        kernel: Kernel::default(),
        count: 30,
        reach: 0.3,
        growth: Growth::Count,
        seed: 1,
    }
}

fn find(clustering: &Clustering, x: &[DVec3]) -> Found {
    clustering.find(x, &vec![1.0; x.len()])
}

/// Largest distance of a member from the weighted mean of its cluster, each particle counting as much as it belongs to it.
fn widest(found: &Found, x: &[DVec3]) -> f64 {
    let mut total = vec![0.0; x.len()];
    for &(i, a) in found.clusters.iter().flatten() {
        total[i] += a;
    }
    let radius = |members: &Vec<(usize, f64)>| {
        let mass: f64 = members.iter().map(|&(i, a)| a / total[i]).sum();
        let moment: DVec3 = members.iter().map(|&(i, a)| x[i] * (a / total[i])).sum();
        let far = |&(i, _): &(usize, f64)| x[i].distance(moment / mass);
        members.iter().map(far).fold(0.0, f64::max)
    };
    found.clusters.iter().map(radius).fold(0.0, f64::max)
}

/// Every method covers all particles with sorted members of positive weight, and gives the same clusters again.
#[test]
fn clusters_cover_the_body() {
    let beam = Beam::new(400);
    for method in [Method::Fuzzy, Method::Random, Method::KMeansBall] {
        let found = find(&asked(method), &beam.x);
        let mut covered = vec![false; beam.x.len()];
        for members in &found.clusters {
            assert!(members.is_sorted_by(|a, b| a.0 < b.0));
            for &(i, a) in members {
                covered[i] = true;
                assert!(a > 0.0);
            }
        }
        assert!(covered.iter().all(|c| *c), "{method:?}");
        assert_eq!(found, find(&asked(method), &beam.x));
        let other = Clustering {
            seed: 2,
            ..asked(method)
        };
        assert_ne!(found, find(&other, &beam.x));
    }
}

/// Once settled, members lie within reach of the weighted mean of their cluster, up to the last move of the centre.
#[test]
fn fuzzy_clusters_are_balls_around_their_means() {
    let beam = Beam::new(400);
    let found = find(&asked(Method::Fuzzy), &beam.x);
    assert_eq!(found.clusters.len(), 30);
    assert_eq!(found.reach, 0.3);
    assert!(widest(&found, &beam.x) <= 0.3 * 1.001);
    // Balls around particles are not centred on the mean of what they hold.
    let random = find(&asked(Method::Random), &beam.x);
    assert!(widest(&random, &beam.x) > 0.33);
}

/// Where balls cannot cover the body, there are more of them or they grow, as asked.
#[test]
fn too_few_balls_grow() {
    let beam = Beam::new(400);
    let few = Clustering {
        count: 2,
        ..asked(Method::Fuzzy)
    };
    let more = find(&few, &beam.x);
    assert!(more.clusters.len() > 4 && more.reach == 0.3);
    let larger = Clustering {
        growth: Growth::Reach,
        ..few
    };
    let larger = find(&larger, &beam.x);
    assert!(larger.clusters.len() == 2 && larger.reach > 0.5);
}

/// The beam has the asked number of particles, none too close to another.
#[test]
fn beam_has_its_particles() {
    for count in [400, 1000] {
        let beam = Beam::new(count);
        let miss = beam.x.len().abs_diff(count) as f64;
        assert!(miss <= super::super::beam::COUNT_TOLERANCE * count as f64);
    }
}
