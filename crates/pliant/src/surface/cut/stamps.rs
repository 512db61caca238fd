//! Which triangles are caps of a fresh cut: the two caps of one cut lie too near to each other to be tested for crossings.

use super::super::closed_mesh::{ClosedMesh, INNER};

/// Frames that the caps of a cut are not tested against each other.
const FRAMES: u32 = 2;
/// Cosine between triangles of one cap.
const FLAT: f32 = 0.99;

/// The caps of the last cuts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stamps {
    /// Per triangle: 0, or the name of its cap. The two caps of a cut differ in the lowest bit.
    of: Vec<u32>,
    /// Triangles with a stamp.
    listed: Vec<u32>,
    /// Caps by name, with the frames that are left to them.
    ages: Vec<(u32, u32)>,
    next: u32,
}

impl Stamps {
    /// Notes the caps of a cut.
    pub(crate) fn add(&mut self, mesh: &ClosedMesh, caps: &[Vec<u32>; 2]) {
        self.of.resize(mesh.material.len(), 0);
        self.next = (self.next + 2) & 0x7fff_ffff;
        let name = self.next.max(2);
        self.next = name;
        self.ages.push((name, FRAMES));
        for (k, cap) in caps.iter().enumerate() {
            for &t in cap {
                self.of[t as usize] = name + k as u32;
                self.listed.push(t);
            }
        }
    }

    /// Follows the caps through re-meshing: what was split off a cap belongs to it, what is no longer surface of a cut does not.
    /// Cuts that are old enough are forgotten.
    pub(crate) fn follow(&mut self, mesh: &ClosedMesh) {
        if self.listed.is_empty() {
            return;
        }
        let ages = &self.ages;
        let young = |name: u32| ages.iter().any(|a| a.0 == name & !1 && a.1 > 0);
        self.of.resize(mesh.material.len(), 0);
        let mut kept = Vec::with_capacity(self.listed.len());
        for &t in &self.listed {
            let name = self.of[t as usize];
            self.of[t as usize] = 0;
            if mesh.alive(t) && mesh.material[t as usize] == INNER && young(name) {
                kept.push((t, name));
            }
        }
        self.listed.clear();
        for (t, name) in kept {
            self.of[t as usize] = name;
            self.listed.push(t);
        }
        let mut k = 0;
        while k < self.listed.len() {
            let t = self.listed[k];
            k += 1;
            let normal = mesh.area_vector(t).normalize_or_zero();
            for h in 3 * t..3 * t + 3 {
                let s = mesh.twin(h) / 3;
                if self.of[s as usize] == 0
                    && mesh.material[s as usize] == INNER
                    && mesh.area_vector(s).normalize_or_zero().dot(normal) > FLAT
                {
                    self.of[s as usize] = self.of[t as usize];
                    self.listed.push(s);
                }
            }
        }
        for age in &mut self.ages {
            age.1 -= u32::from(age.1 > 0);
        }
        self.ages.retain(|a| a.1 > 0);
    }

    /// Whether there is nothing to exempt.
    pub(crate) fn is_empty(&self) -> bool {
        self.listed.is_empty()
    }

    /// Whether two triangles are in the two caps of one cut.
    pub(crate) fn exempt(&self, i: u32, j: u32) -> bool {
        let name = |t: u32| self.of.get(t as usize).copied().unwrap_or(0);
        let (a, b) = (name(i), name(j));
        a != 0 && a ^ b == 1
    }
}
