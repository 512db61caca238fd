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

    /// Momentum of each piece (kg m/s), by ascending piece.
    pub(super) fn momenta(&self, _points: &Points) -> Vec<(u32, DVec3)> {
        let mut sums: Vec<(u32, DVec3)> = Vec::new();
        for i in (0..self.len()).filter(|&i| self.alive[i]) {
            let p = f64::from(self.mass[i]) * self.v[i].as_dvec3();
            match sums.binary_search_by_key(&self.piece[i], |s| s.0) {
                Ok(at) => sums[at].1 += p,
                Err(at) => sums.insert(at, (self.piece[i], p)),
            }
        }
        sums
    }

    /// Every piece keeps its mass and its momentum: its particles share the mass in proportion, and all get the same bit of velocity.
    ///
    /// The spec scales velocities instead; that would keep the momentum of the seeds, which they did not have before.
    pub(super) fn share_masses(&mut self, tracked: &Tracked, momentum: &[(u32, DVec3)]) {
        if self.settings.mass == MassRule::Paper {
            return;
        }
        let density = self.body.solid_density;
        for piece in tracked.components() {
            let target = density * piece.target;
            let own = |i: &usize| self.alive[*i] && self.piece[*i] == piece.id;
            let members: Vec<usize> = (0..self.len()).filter(own).collect();
            let mass: f64 = members.iter().map(|&i| f64::from(self.mass[i])).sum();
            if !(mass > 0.0 && target > 0.0) {
                continue;
            }
            let scale = target / mass;
            let mut carried = DVec3::ZERO;
            for &i in &members {
                if (scale - 1.0).abs() > 1e-6 {
                    self.mass[i] = (f64::from(self.mass[i]) * scale) as f32;
                }
                carried += f64::from(self.mass[i]) * self.v[i].as_dvec3();
            }
            if let Ok(at) = momentum.binary_search_by_key(&piece.id, |s| s.0)
                && !self.parent.is_empty()
            {
                let lost = ((momentum[at].1 - carried) / target).as_vec3();
                for &i in &members {
                    self.v[i] += lost;
                }
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

    /// Whether a place is inside of a piece, blown up a little.
    #[inline]
    pub(super) fn inside(&self, scratch: &Scratch, p: Vec3, piece: u32) -> bool {
        if self.many {
            scratch.columns.winding_of(p, piece) > 0
        } else {
            scratch.columns.contains(p)
        }
    }
}
