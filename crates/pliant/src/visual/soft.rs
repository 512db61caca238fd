//! How primitives of a soft body are deformed \[MCM16 §3.3, Eqs. 1–3\].
//!
//! | symbol | meaning |
//! |---|---|
//! | A_j = (1/5) m_j r_j² R_j | moment of a particle |
//! | A = Σ (A_j + m_j (x_j − c)(x̄_j − c̄)ᵀ) | moment of a primitive and those that it is linked to |
//! | Ā | the same at rest |
//! | D = A Ā⁻¹ | deformation of the primitive, rotation included |

use super::body::{VisualBody, tame};
use super::welded::Pose;
use crate::math::svd::symmetric_eigen;
use crate::state::{Oriented, Points};
use glam::{Mat3, Quat, Vec3};
use rayon::prelude::*;

/// A primitive whose Ā has eigenvalues farther apart than this only turns.
const WORST: f32 = 1e6;
/// Primitives that a thread takes at a time.
const SHARE: usize = 64;

impl VisualBody {
    /// The primitive and those that it is linked to.
    fn ring(&self, k: usize) -> impl Iterator<Item = usize> + Clone + '_ {
        let row = self.graph.adjacency.row(k).iter();
        let linked = row.filter_map(move |&l| {
            let link = &self.graph.links[l as usize];
            (!link.broken).then(|| link.other(k as u32) as usize)
        });
        std::iter::once(k).chain(linked)
    }

    fn mass(&self, k: usize) -> f32 {
        self.rules.density * self.primitives[k].volume
    }

    /// m r²/5.
    fn own_moment(&self, k: usize) -> f32 {
        let r = self.primitives[k].radius;
        self.mass(k) * r * r / 5.0
    }

    /// Σ (A_j + m_j (x_j − c)(x̄_j − c̄)ᵀ) for particles at `x` with moments `own` A_j.
    fn moment(&self, k: usize, x: impl Fn(usize) -> Vec3, own: impl Fn(usize) -> Mat3) -> Mat3 {
        // About the primitive's own place, so that no digits are lost far from the origin.
        let (origin, rest_origin) = (x(k), self.primitives[k].centroid);
        let (mut mass, mut c, mut c_rest) = (0.0, Vec3::ZERO, Vec3::ZERO);
        for j in self.ring(k) {
            let m = self.mass(j);
            mass += m;
            c += m * (x(j) - origin);
            c_rest += m * (self.primitives[j].centroid - rest_origin);
        }
        (c, c_rest) = (c / mass, c_rest / mass);
        let mut a = Mat3::ZERO;
        for j in self.ring(k) {
            let p = (x(j) - origin - c) * self.mass(j);
            let q = self.primitives[j].centroid - rest_origin - c_rest;
            a += Mat3::from_cols(p * q.x, p * q.y, p * q.z) + own(j);
        }
        a
    }

    /// Makes Ā⁻¹ of every primitive, when links are new.
    pub(crate) fn prepare_deformation(&mut self) {
        let this = &*self;
        let inverse = (0..this.primitives.len())
            .into_par_iter()
            .with_min_len(SHARE)
            .map(|k| {
                let own = |j| Mat3::from_diagonal(Vec3::splat(this.own_moment(j)));
                let a = this.moment(k, |j| this.primitives[j].centroid, own);
                let (values, _) = symmetric_eigen(a);
                let inverse = a.inverse();
                let sound =
                    values.max_element() < WORST * values.min_element() && inverse.is_finite();
                sound.then_some(inverse)
            });
        self.inverse = inverse.collect();
        self.kin = self.graph.second_neighbors();
    }

    /// Whether two primitives, the lower first, are linked, or linked to the same one.
    #[inline]
    pub(crate) fn are_kin(&self, k: u32, l: u32) -> bool {
        // About a dozen: looked through faster than searched.
        self.kin.row(k as usize).contains(&l)
    }

    /// Places the primitives where their particles are, the first of which is point `first`.
    pub(crate) fn follow(&mut self, points: &Points, first: usize) {
        let this = &*self;
        let count = this.primitives.len();
        let turned = |j: usize| Mat3::from_quat(points.rotation[first + j]);
        let own: Vec<Mat3> = (0..count)
            .into_par_iter()
            .with_min_len(SHARE)
            .map(|j| turned(j) * this.own_moment(j))
            .collect();
        let pose = |k: usize| {
            let x = points.x[first + k];
            let rotation = points.rotation[first + k];
            let d = match this.inverse[k] {
                // [MCM16 Eq. 2]
                Some(inverse) => this.moment(k, |j| points.x[first + j], |j| own[j]) * inverse,
                None => Mat3::from_quat(rotation),
            };
            let d = tame(d, rotation);
            (Pose { x, d }, rotation)
        };
        let made: Vec<(Pose, Quat)> = (0..count)
            .into_par_iter()
            .with_min_len(SHARE)
            .map(pose)
            .collect();
        for (k, (pose, rotation)) in made.into_iter().enumerate() {
            (self.rest[k], self.turned[k]) = (pose, rotation);
        }
        self.place_again();
    }

    /// Slows down how linked primitives move and turn against each other, for `dt` seconds; momentum and angular momentum stay. Groups alone
    /// swing for long: a sheet is as light to bend as it is thin, and what they pull together comes back.
    pub(crate) fn damp(
        &self,
        points: &mut Points,
        oriented: &mut Oriented,
        [first, first_oriented]: [usize; 2],
        dt: f32,
    ) {
        let share = 1.0 - libm::expf(-self.rules.damping * dt);
        if share <= 0.0 {
            return;
        }
        // One after the other: what a link does, the next one sees.
        for link in self.graph.links.iter().filter(|l| !l.broken) {
            let [i, j] = [link.i, link.j].map(|k| first + k as usize);
            let [p, q] = [link.i, link.j].map(|k| first_oriented + k as usize);
            let (wi, wj) = (points.inv_mass[i], points.inv_mass[j]);
            let ease = |o: usize| {
                let turns = !oriented.held[o] && oriented.moment[o] > 0.0;
                if turns { 0.5 / oriented.moment[o] } else { 0.0 }
            };
            let (ui, uj) = (ease(p), ease(q));
            let d = points.x[j] - points.x[i];
            // Against a rigid motion, in which the ends turn with the link.
            let spin = (oriented.spin[p] + oriented.spin[q]) * 0.5;
            let apart = points.v[j] - points.v[i] - spin.cross(d);
            let give = wi + wj + 0.25 * d.length_squared() * (ui + uj);
            if give > 0.0 {
                let push = apart * (share / give);
                points.v[i] += push * wi;
                points.v[j] -= push * wj;
                let turn = d.cross(push) * 0.5;
                oriented.spin[p] += turn * ui;
                oriented.spin[q] += turn * uj;
            }
            if ui + uj > 0.0 {
                let turn = (oriented.spin[q] - oriented.spin[p]) * (share / (ui + uj));
                oriented.spin[p] += turn * ui;
                oriented.spin[q] -= turn * uj;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::body::Rules;
    use super::super::desc::VisualDesc;
    use super::super::intake::{IntakeOptions, intake};
    use super::super::links::find_links;
    use super::super::nasty::sheet;
    use super::*;
    use crate::math::svd::polar_rotation;
    use std::sync::Arc;

    /// The worked patch of three by three: Ā, D of a stretch, D of a general map, and that D is exact if the moments are mapped, too.
    #[test]
    fn patch_of_nine() {
        let mesh = sheet(3, 3, 1.0);
        let made = intake(&mesh, &IntakeOptions::default()).unwrap();
        let mut primitives = made.primitives;
        for p in &mut primitives {
            (p.radius, p.volume) = (0.5, 1.0);
        }
        let graph = find_links(&primitives);
        let rest: Vec<Pose> = primitives.iter().map(Pose::at_rest).collect();
        let mut desc = VisualDesc::new("patch", mesh.clone());
        desc.material.density = 1.0;
        let rules = Rules::new(&desc);
        let source = (Arc::new(mesh), made.gid_count);
        let mut body = VisualBody::new(rules, primitives, graph, rest, source);
        body.prepare_deformation();
        let center = 4;
        let at = |j: usize| body.primitives[j].centroid;
        let rest = body.moment(center, at, |j| Mat3::IDENTITY * body.own_moment(j));
        let diagonal = [rest.x_axis.x, rest.y_axis.y, rest.z_axis.z];
        let mut sorted = diagonal;
        sorted.sort_by(f32::total_cmp);
        for (found, expected) in sorted.into_iter().zip([0.45, 6.45, 6.45]) {
            assert!((found - expected).abs() < 1e-5, "{diagonal:?}");
        }
        let inverse = body.inverse[center].unwrap();
        let check = |t: Mat3, expected: Mat3| {
            let r = polar_rotation(t);
            let d = body.moment(center, |j| t * at(j), |j| r * body.own_moment(j)) * inverse;
            let off = (d - expected).abs().to_cols_array();
            assert!(off.iter().all(|e| *e < 2e-6), "{d} {expected}");
            let exact = body.moment(center, |j| t * at(j), |j| t * body.own_moment(j)) * inverse;
            let off = (exact - t).abs().to_cols_array();
            assert!(off.iter().all(|e| *e < 2e-6), "{exact}");
        };
        let stretch = Mat3::from_diagonal(Vec3::new(1.5, 1.0, 1.0));
        check(
            stretch,
            Mat3::from_diagonal(Vec3::new(9.45 / 6.45, 1.0, 1.0)),
        );
        let rows = |a: [f32; 9]| Mat3::from_cols_array(&a).transpose();
        check(
            rows([1.5, 0.2, 0.0, 0.0, 0.8, 0.0, 0.0, 0.0, 1.0]),
            rows([
                1.464854, 0.192090, 0.0, -0.006044, 0.813691, 0.0, 0.0, 0.0, 1.0,
            ]),
        );
    }
}
