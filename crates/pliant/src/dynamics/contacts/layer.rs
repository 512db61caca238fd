//! The outermost plain particles as a closed layer.
//!
//! Particles touch at half of their distance, so an ellipsoid that is thinner than the gaps between them would slip in. Against ellipsoids the
//! outermost ones are larger balls, moved inwards: they overlap, so the gaps between them become shallow dips, and they reach no farther out
//! than before. A ball stays within the body: it is no larger than the body is thick there, like the balls of a medial axis. It moves as its
//! particle does, and what pushes it pushes the particle, so no momentum is lost.

use crate::geometry::grid::PointGrid;
use crate::state::{Carriers, Oriented, Points, Record, Surface};
use crate::world::Body;
use glam::Vec3;

/// Radius of the largest balls, in distances of particles.
const LARGEST: f32 = 1.75;
/// How far a ball reaches out from its particle at least, in half a distance of particles.
const LEAST: f32 = 0.25;
/// Directions out of the surface that are closer to each other than this are those of one side: their cosine.
const SAME_SIDE: f32 = 0.5;

/// A particle as a ball.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LayerBall {
    /// Its radius (m).
    pub radius: f32,
    /// From the particle to the middle of the ball (m).
    pub inset: Vec3,
}

/// The balls of all particles of a frame.
#[derive(Clone, Debug, Default)]
pub struct Layer {
    balls: Vec<LayerBall>,
    /// Direction out of the surface at each particle that carries some of it, else zero.
    normals: Vec<Vec3>,
}

impl Layer {
    /// The ball of a particle.
    #[inline]
    pub fn ball(&self, point: usize) -> LayerBall {
        self.balls[point]
    }

    /// Where the ball of a particle is predicted to be.
    #[inline]
    pub(super) fn place(&self, pred: &[Record], point: u32) -> Vec3 {
        pred[point as usize].position() + self.balls[point as usize].inset
    }

    /// Finds them anew, if there is anything that touches them; `depth` tells how deep particles lie below the surface (m).
    pub(crate) fn find(
        &mut self,
        bodies: &[Body],
        surfaces: &[Surface],
        (points, oriented): (&Points, &Oriented),
        depth: &[f32],
    ) {
        self.balls.clear();
        if oriented.is_empty() {
            return;
        }
        let none = LayerBall {
            radius: 0.0,
            inset: Vec3::ZERO,
        };
        self.balls.resize(points.len(), none);
        let reach = reach_of(points, oriented);
        for (body, surface) in bodies.iter().zip(surfaces) {
            if !body.oriented.is_empty() {
                continue;
            }
            for ball in &mut self.balls[body.points.clone()] {
                ball.radius = 0.5 * body.particle_radius;
            }
            let margin = 4.0 * body.particle_radius;
            let near = |i: &usize| {
                let x = points.x[*i];
                let (lo, hi) = (reach.0 - margin, reach.1 + margin);
                x.cmpge(lo).all() && x.cmple(hi).all()
            };
            if body.points.clone().any(|i| near(&i)) {
                self.find_normals(body, surface, points.len());
                self.enlarge(body, points, depth, near);
            }
        }
    }

    /// Directions out of the surface, the mean over what each particle carries of it.
    fn find_normals(&mut self, body: &Body, surface: &Surface, count: usize) {
        self.normals.resize(count, Vec3::ZERO);
        self.normals[body.points.clone()].fill(Vec3::ZERO);
        let normals = &mut self.normals;
        let mut add = |corners: [Vec3; 3], carriers: [Carriers; 3]| {
            let [a, b, c] = corners;
            let area = (b - a).cross(c - a);
            for carriers in carriers {
                for (&i, &w) in carriers.point.iter().zip(&carriers.weight) {
                    normals[i as usize] += w * area;
                }
            }
        };
        match surface {
            Surface::None | Surface::Welded(_) => {}
            Surface::Skinned(skinned) => {
                let (x, carriers) = (&skinned.mesh.positions, &skinned.carriers);
                for &t in &skinned.mesh.triangles {
                    add(t.map(|v| x[v as usize]), t.map(|v| carriers[v as usize]));
                }
            }
            Surface::Tracked(tracked) => {
                let (mesh, skin) = (tracked.mesh(), tracked.skin());
                for t in mesh.triangles().map(|t| mesh.triangle(t)) {
                    let carriers = t.map(|v| skin[v as usize].carriers());
                    add(t.map(|v| mesh.x[v as usize]), carriers);
                }
            }
        }
        for normal in &mut normals[body.points.clone()] {
            *normal = normal.normalize_or_zero();
        }
    }

    /// Makes the balls of a body's outermost particles as large as they can be where something is near.
    ///
    /// A ball with its outermost place at p in direction n is inside of the plane through p′ with normal n′ if its radius is at most
    /// n′·(p′ − p)/(1 − n·n′).
    fn enlarge(
        &mut self,
        body: &Body,
        points: &Points,
        depth: &[f32],
        near: impl Fn(&usize) -> bool,
    ) {
        let half = 0.5 * body.particle_radius;
        let largest = LARGEST * body.particle_radius;
        let outer: Vec<usize> = (body.points.clone())
            .filter(|i| self.normals[*i] != Vec3::ZERO)
            .collect();
        let places: Vec<Vec3> = outer.iter().map(|&i| points.x[i]).collect();
        let grid = PointGrid::new(&places, largest);
        for &i in outer.iter().filter(|i| near(i)) {
            let (x, n) = (points.x[i], self.normals[i]);
            // Up to the surface that is seen.
            let own = depth[i].clamp(LEAST * half, half);
            let mut radius = largest;
            grid.for_each_within(x, 2.0 * largest, |at, y, _| {
                let other = self.normals[outer[at as usize]];
                let (way, cosine) = (y - x, n.dot(other));
                let behind = other.dot(way);
                if cosine < SAME_SIDE && behind > 0.0 && n.dot(way) < 0.0 {
                    radius = radius.min(own + behind / (1.0 - cosine));
                }
            });
            self.balls[i] = LayerBall {
                radius,
                inset: n * (own - radius),
            };
        }
    }
}

/// A box around all oriented particles.
fn reach_of(points: &Points, oriented: &Oriented) -> (Vec3, Vec3) {
    let all = oriented.point.iter().zip(&oriented.radii);
    all.fold((Vec3::MAX, Vec3::MIN), |(lo, hi), (&point, radii)| {
        let (x, reach) = (points.x[point as usize], radii.max_element());
        (lo.min(x - reach), hi.max(x + reach))
    })
}
