//! Rigid spheres against points, against each other and against colliders; and the Jacobi pass that all mover-to-mover
//! contacts share.

use super::pairs::{PairBody, Pairs};
use super::statics::{Placed, TangentPlane};
use super::{combined_friction, friction};
use crate::state::{Points, Rigids};
use glam::Vec3;

/// A point that a sphere may touch in this substep.
#[derive(Clone, Copy, Debug, PartialEq)]
struct SphereContact {
    sphere: u32,
    point: u32,
    distance: f32,
    friction: f32,
}

/// A sphere next to a collider.
#[derive(Clone, Copy, Debug)]
struct SphereStatic {
    sphere: u32,
    plane: TangentPlane,
    friction: f32,
}

/// Contacts of rigid spheres, found anew in every substep, and the scratch of the shared Jacobi pass.
#[derive(Clone, Debug, Default)]
pub struct SphereContacts {
    points: Vec<SphereContact>,
    statics: Vec<SphereStatic>,
    count: Vec<u32>,
    sphere_count: Vec<u32>,
    sphere_move: Vec<Vec3>,
    sphere_turn: Vec<Vec3>,
    point_move: Vec<(u32, Vec3)>,
}

/// Extra reach of the search, in units of the distance that sphere and point may close in a substep.
const REACH: f32 = 2.0;

impl SphereContacts {
    /// Finds points and colliders that the spheres may touch.
    pub fn find(
        &mut self,
        bodies: &[PairBody],
        points: &Points,
        rigids: &Rigids,
        placed: &[Placed],
        dt: f32,
    ) {
        self.points.clear();
        self.statics.clear();
        for s in 0..rigids.len() {
            let (from, to) = (rigids.x[s], rigids.pred[s]);
            for body in bodies {
                for i in body.points.clone() {
                    let distance = rigids.radius[s] + body.radius;
                    let speed = points.v[i].length().max(rigids.v[s].length());
                    let reach = distance + REACH * speed * dt + body.radius;
                    if points.pred[i].position().distance_squared(to) < reach * reach {
                        self.points.push(SphereContact {
                            sphere: s as u32,
                            point: i as u32,
                            distance,
                            friction: combined_friction(rigids.friction[s], body.friction),
                        });
                    }
                }
            }
            for collider in placed {
                let radius = rigids.radius[s];
                if let Some(plane) = collider.tangent_plane(from, to, radius, radius) {
                    let friction =
                        combined_friction(rigids.friction[s], collider.collider.friction);
                    self.statics.push(SphereStatic {
                        sphere: s as u32,
                        plane,
                        friction,
                    });
                }
            }
        }
    }

    /// Whether a pass would have nothing to look at.
    pub fn is_empty(&self) -> bool {
        self.points.is_empty() && self.statics.is_empty()
    }

    /// One Jacobi pass over all contacts between movers on the positions at the start of the substep; x and x* move
    /// together, so that old penetration does not turn into velocity.
    pub fn stabilize(&mut self, pairs: &mut Pairs, points: &mut Points, rigids: &mut Rigids) {
        self.count_active(
            pairs,
            points.len(),
            rigids,
            |i| points.x[i],
            |s| rigids.x[s],
        );
        pairs.correct(|i| points.x[i], None, &points.inv_mass, &self.count);
        self.correct(
            rigids,
            &points.inv_mass,
            |i| points.x[i],
            |s| rigids.x[s],
            None,
        );
        let mut shift = |i: usize, d: Vec3| {
            points.x[i] += d;
            points.shift_pred(i, d);
        };
        pairs.apply(&mut shift);
        self.point_move
            .iter()
            .for_each(|&(i, d)| shift(i as usize, d));
        for s in 0..rigids.len() {
            rigids.x[s] += self.sphere_move[s];
            rigids.pred[s] += self.sphere_move[s];
        }
    }

    /// One Jacobi pass with friction on the predicted positions, then spheres against each other and out of colliders.
    pub fn solve(&mut self, pairs: &mut Pairs, points: &mut Points, rigids: &mut Rigids) {
        if !(pairs.is_empty() && self.points.is_empty()) {
            let pred = |i: usize| points.pred[i].position();
            self.count_active(pairs, points.len(), rigids, pred, |s| rigids.pred[s]);
            pairs.correct(pred, Some(&points.x), &points.inv_mass, &self.count);
            self.correct(
                rigids,
                &points.inv_mass,
                pred,
                |s| rigids.pred[s],
                Some((&points.x, &rigids.x)),
            );
            let mut shift = |i: usize, d: Vec3| points.shift_pred(i, d);
            pairs.apply(&mut shift);
            self.point_move
                .iter()
                .for_each(|&(i, d)| shift(i as usize, d));
            for s in 0..rigids.len() {
                rigids.push_by(s, self.sphere_move[s]);
                rigids.turn[s] += self.sphere_turn[s];
            }
        }
        solve_sphere_pairs(rigids);
        self.project_spheres(rigids);
    }

    fn count_active(
        &mut self,
        pairs: &Pairs,
        points: usize,
        rigids: &Rigids,
        position: impl Fn(usize) -> Vec3,
        center: impl Fn(usize) -> Vec3,
    ) {
        self.count.clear();
        self.count.resize(points, 0);
        self.sphere_count.clear();
        self.sphere_count.resize(rigids.len(), 0);
        pairs.count_active(&position, &mut self.count);
        for c in &self.points {
            if position(c.point as usize).distance_squared(center(c.sphere as usize))
                < c.distance * c.distance
            {
                self.count[c.point as usize] += 1;
                self.sphere_count[c.sphere as usize] += 1;
            }
        }
    }

    /// Corrections of sphere contacts; with `start` (positions at the start of the substep) also friction and spin.
    fn correct(
        &mut self,
        rigids: &Rigids,
        inv_mass: &[f32],
        position: impl Fn(usize) -> Vec3,
        center: impl Fn(usize) -> Vec3,
        start: Option<(&[Vec3], &[Vec3])>,
    ) {
        self.point_move.clear();
        for moves in [&mut self.sphere_move, &mut self.sphere_turn] {
            moves.clear();
            moves.resize(rigids.len(), Vec3::ZERO);
        }
        for c in &self.points {
            let (i, s) = (c.point as usize, c.sphere as usize);
            let away = position(i) - center(s);
            let length = away.length();
            let depth = c.distance - length;
            if depth <= 0.0 {
                continue;
            }
            let n = if length > 1e-9 {
                away / length
            } else {
                Vec3::Y
            };
            let (w, n_point) = (inv_mass[i], self.count[i] as f32);
            let (w_s, n_sphere) = (1.0 / rigids.mass[s], self.sphere_count[s] as f32);
            // Impulse-like: the same vector, times the inverse mass of each side, moves both.
            let mut push = n * (depth / (w * n_point + w_s * n_sphere));
            if let Some((x, x_sphere)) = start {
                let arm = n * rigids.radius[s];
                let surface = center(s) - x_sphere[s] + rigids.turn[s].cross(arm);
                let u = (position(i) - x[i]) - surface;
                // A sphere gives way to a tangential push by turning too: 1 + r²m/I = 3.5 times its inverse mass.
                let tangential = friction(u - n * n.dot(u), depth, c.friction)
                    / (w * n_point + 3.5 * w_s * n_sphere);
                push -= tangential;
                self.sphere_turn[s] += arm.cross(tangential) * rigids.inv_inertia(s);
            }
            self.point_move.push((c.point, push * w));
            self.sphere_move[s] -= push * w_s;
        }
    }

    /// Spheres out of colliders, fully, with friction that makes them roll.
    fn project_spheres(&self, rigids: &mut Rigids) {
        for c in &self.statics {
            let s = c.sphere as usize;
            let n = c.plane.normal;
            let depth = c.plane.offset + rigids.radius[s] - n.dot(rigids.pred[s]);
            if depth <= 0.0 {
                continue;
            }
            let arm = -n * rigids.radius[s];
            let u = rigids.pred[s] - rigids.x[s] + rigids.turn[s].cross(arm) - c.plane.drift;
            let slip = friction(u - n * n.dot(u), depth, c.friction) / 3.5;
            rigids.push_by(s, n * depth - slip);
            let turn = arm.cross(slip) * (rigids.inv_inertia(s) * rigids.mass[s]);
            rigids.turn[s] -= turn;
        }
    }
}

/// Spheres against spheres, one pair after the other.
fn solve_sphere_pairs(rigids: &mut Rigids) {
    for a in 0..rigids.len() {
        for b in a + 1..rigids.len() {
            let away = rigids.pred[a] - rigids.pred[b];
            let length = away.length();
            let depth = rigids.radius[a] + rigids.radius[b] - length;
            if depth <= 0.0 {
                continue;
            }
            let n = if length > 1e-9 {
                away / length
            } else {
                Vec3::Y
            };
            let (w_a, w_b) = (1.0 / rigids.mass[a], 1.0 / rigids.mass[b]);
            rigids.push_by(a, n * (depth * w_a / (w_a + w_b)));
            rigids.push_by(b, -n * (depth * w_b / (w_a + w_b)));
        }
    }
}
