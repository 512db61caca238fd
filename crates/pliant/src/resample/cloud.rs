//! The particles of a body while they are re-sampled: those it had, then those that are new.

use super::{Context, MassRule, Resampling, Scratch};
use crate::random::name_key;
use crate::state::Points;
use crate::surface::Tracked;
use crate::world::Body;
use glam::{DVec3, Vec3};
use std::ops::Range;

/// Spacing of the columns that tell inside from outside, in r.
const COLUMN_SPACING: f32 = 0.25;

/// What re-sampling knows of a body's particles. Indices are local to the body.
pub(crate) struct Cloud<'a> {
    pub(super) body: &'a Body,
    pub(super) settings: Resampling,
    pub(super) r: f32,
    pub(super) key: u64,
    /// Particles that were there before.
    pub(super) old: usize,
    pub(super) x: Vec<Vec3>,
    pub(super) v: Vec<Vec3>,
    pub(super) mass: Vec<f32>,
    pub(super) piece: Vec<u32>,
    pub(super) alive: Vec<bool>,
    /// What each new particle is a copy of.
    pub(super) parent: Vec<u32>,
    /// Copies for another piece: (particle, piece, copy), ascending.
    pub(super) copies: Vec<(u32, u32, u32)>,
    /// Old particles beside others that were of another piece until now, ascending: parts have merged there.
    pub(super) seam: Vec<u32>,
    /// Whether several pieces have labels of their own in the columns.
    many: bool,
}

impl<'a> Cloud<'a> {
    pub(super) fn new(context: &Context, body: &'a Body) -> Self {
        let (points, own) = (context.points, body.points.clone());
        Self {
            body,
            settings: body.resampling,
            r: body.particle_radius,
            key: name_key(&body.name),
            old: own.len(),
            x: points.x[own.clone()].to_vec(),
            v: points.v[own.clone()].to_vec(),
            mass: points.mass[own.clone()].to_vec(),
            piece: points.piece[own.clone()].to_vec(),
            alive: vec![true; own.len()],
            parent: Vec::new(),
            copies: Vec::new(),
            seam: Vec::new(),
            many: false,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.x.len()
    }

    /// Adds a particle that is a copy of `parent` elsewhere.
    pub(super) fn add(&mut self, parent: u32, x: Vec3, piece: u32) -> u32 {
        let p = parent as usize;
        self.x.push(x);
        self.v.push(self.v[p]);
        self.mass.push(self.mass[p]);
        self.piece.push(piece);
        self.alive.push(true);
        self.parent.push(parent);
        self.len() as u32 - 1
    }

    /// The new particles.
    pub(super) fn added(&self) -> Range<usize> {
        self.old..self.len()
    }

    /// Whether an old particle is held by a hand.
    pub(super) fn held(&self, points: &Points, i: usize) -> bool {
        points.inv_mass[self.body.points.start + i] == 0.0
    }

    /// Mass (kg) and momentum (kg m/s) of each piece, in the order of the surface's pieces.
    pub(super) fn ledger(&self, tracked: &Tracked) -> Vec<(f64, DVec3)> {
        let pieces = tracked.components();
        let mut sums = vec![(0.0, DVec3::ZERO); pieces.len()];
        for i in (0..self.len()).filter(|&i| self.alive[i]) {
            if let Ok(k) = pieces.binary_search_by_key(&self.piece[i], |c| c.id) {
                let m = f64::from(self.mass[i]);
                sums[k].0 += m;
                sums[k].1 += m * self.v[i].as_dvec3();
            }
        }
        sums
    }

    /// Every piece keeps the mass of its volume, which its particles share, and the mean velocity it had `before` particles came and
    /// went; the body keeps its momentum. All particles of a piece get the same bit of velocity.
    ///
    /// Keeping each piece's momentum instead would throw crumbs away: one that parts with heavier particles than its volume is worth
    /// would be as much faster as it gets lighter. Scaling velocities would keep what the seeds have brought, which nobody had before.
    pub(super) fn share_masses(&mut self, tracked: &Tracked, before: &[(f64, DVec3)]) {
        if self.settings.mass == MassRule::Paper {
            return;
        }
        let pieces = tracked.components();
        let now = self.ledger(tracked);
        // Factor of the masses and change of the velocities; none for a piece that has nothing to share.
        let mut change = vec![None; pieces.len()];
        let (mut sum, mut lost) = (0.0, DVec3::ZERO);
        for (k, piece) in pieces.iter().enumerate() {
            let ((had, carried), (mass, momentum)) = (before[k], now[k]);
            // Pieces of different densities keep what they have; what they shall have is not known by their volume.
            let density = self.body.solid_density;
            let target = density.map_or(had, |density| density * piece.target);
            if had > 0.0 && mass > 0.0 && target > 0.0 {
                let velocity = carried / had;
                change[k] = Some((target / mass, velocity - momentum / mass));
                sum += target;
                lost += carried - target * velocity;
            }
        }
        // Mass that goes from one piece to another takes its momentum along; all of the body share it.
        let shared = if sum > 0.0 { lost / sum } else { DVec3::ZERO };
        for i in 0..self.len() {
            if let Ok(k) = pieces.binary_search_by_key(&self.piece[i], |c| c.id)
                && let Some((scale, gained)) = change[k]
            {
                self.mass[i] = (f64::from(self.mass[i]) * scale) as f32;
                self.v[i] += (gained + shared).as_vec3();
            }
        }
    }

    /// Draws the surface, blown up a little, onto columns.
    pub(super) fn build_columns(&mut self, tracked: &Tracked, scratch: &mut Scratch) {
        let mesh = tracked.mesh();
        let distance = self.settings.inflation * self.r;
        let x = scratch
            .inflation
            .inflate(&mesh.x, &mesh.corner, &mesh.out, distance);
        self.many = tracked.components().len() > 1;
        scratch.labels.clear();
        if self.many {
            let label = |t: usize| {
                let v = mesh.corner[3 * t];
                mesh.component.get(v as usize).copied().unwrap_or(u32::MAX)
            };
            scratch.labels.extend((0..mesh.corner.len() / 3).map(label));
        }
        let labels = self.many.then_some(&scratch.labels[..]);
        scratch
            .columns
            .build(x, &mesh.corner, labels, COLUMN_SPACING * self.r);
    }

    /// How often a piece, blown up a little, covers a place.
    #[inline]
    pub(super) fn winding(&self, scratch: &Scratch, p: Vec3, piece: u32) -> i32 {
        if self.many {
            scratch.columns.winding_of(p, piece)
        } else {
            scratch.columns.winding(p)
        }
    }

    /// Whether a place is inside of a piece, blown up a little.
    #[inline]
    pub(super) fn inside(&self, scratch: &Scratch, p: Vec3, piece: u32) -> bool {
        self.winding(scratch, p, piece) > 0
    }
}
