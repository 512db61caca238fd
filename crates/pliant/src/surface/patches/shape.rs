//! How patches grow, split and join.

use super::{LARGEST, Patch, Patches, SMALLEST, TARGET, sides};
use crate::surface::closed_mesh::{ClosedMesh, NONE};
use std::collections::VecDeque;

/// Memory for walks over triangles.
#[derive(Clone, Debug, Default)]
pub(super) struct Scratch {
    /// The walk that met a triangle last.
    met: Vec<u32>,
    walk: u32,
    found: Vec<u32>,
}

impl Scratch {
    /// Begins a walk: no triangle is met yet.
    fn begin(&mut self, slots: usize) {
        if self.walk == u32::MAX {
            self.met.clear();
            self.walk = 0;
        }
        self.met.resize(slots.max(self.met.len()), 0);
        self.walk += 1;
        self.found.clear();
    }

    /// Whether a triangle is met for the first time in this walk.
    fn meet(&mut self, t: u32) -> bool {
        std::mem::replace(&mut self.met[t as usize], self.walk) != self.walk
    }

    /// All triangles of the patch of `first` that hang together with it, nearest first.
    fn flood(&mut self, mesh: &ClosedMesh, first: u32) {
        self.begin(mesh.patch.len());
        self.spread(mesh, first);
    }

    /// [`Scratch::flood`] that does not enter what this walk has met before. Finds nothing new if `first` is met.
    fn spread(&mut self, mesh: &ClosedMesh, first: u32) {
        let p = mesh.patch[first as usize];
        let mut at = self.found.len();
        if self.meet(first) {
            self.found.push(first);
        }
        while let Some(&t) = self.found.get(at) {
            at += 1;
            for s in around(mesh, t) {
                if mesh.patch[s as usize] == p && self.meet(s) {
                    self.found.push(s);
                }
            }
        }
    }
}

/// The triangles across the sides of a triangle.
fn around(mesh: &ClosedMesh, t: u32) -> impl Iterator<Item = u32> + '_ {
    sides(t).into_iter().filter_map(|h| {
        let g = mesh.twin(h);
        (g != NONE).then_some(g / 3)
    })
}

impl Patches {
    /// Gives every living triangle a patch, anew.
    pub(super) fn grow_all(&mut self, mesh: &mut ClosedMesh) {
        mesh.patch.fill(NONE);
        let mut border = VecDeque::new();
        let mut queue = VecDeque::new();
        let mut lowest = 0;
        let slots = mesh.patch.len() as u32;
        loop {
            let open = |mesh: &ClosedMesh, t: u32| mesh.alive(t) && mesh.patch[t as usize] == NONE;
            let seed = loop {
                match border.pop_front() {
                    Some(t) if open(mesh, t) => break Some(t),
                    Some(_) => {}
                    None => {
                        while lowest < slots && !open(mesh, lowest) {
                            lowest += 1;
                        }
                        break (lowest < slots).then_some(lowest);
                    }
                }
            };
            let Some(seed) = seed else { return };
            let p = self.new_patch();
            let mut left = TARGET;
            queue.push_back(seed);
            while let Some(t) = queue.pop_front() {
                if !open(mesh, t) {
                    continue;
                }
                if left == 0 {
                    border.push_back(t);
                    continue;
                }
                left -= 1;
                mesh.patch[t as usize] = p;
                queue.extend(around(mesh, t).filter(|&s| open(mesh, s)));
            }
        }
    }

    /// Keeps patches connected and of the right size: pieces that surgery has parted become patches of their own, small patches
    /// join their smallest neighbour, large ones are split. Lists are those of the next frame.
    pub fn housekeeping(&mut self, mesh: &mut ClosedMesh) {
        self.list_members(mesh);
        let mut scratch = std::mem::take(&mut self.scratch);
        let before = self.all.len() as u32;
        self.free = (0..before)
            .rev()
            .filter(|&p| self.start[p as usize] == self.start[p as usize + 1])
            .collect();
        for p in 0..before {
            if self.all[p as usize].changed {
                self.part(mesh, p, &mut scratch);
            }
        }
        let (mut size, mut seed) = (Vec::new(), Vec::new());
        self.count(mesh, &mut size, &mut seed);
        for p in 0..size.len() {
            let mut small = p;
            while size[small] > 0 && size[small] < SMALLEST {
                match join_smallest(mesh, small, &mut size, &seed, &mut scratch) {
                    Some(q) => small = q,
                    None => break,
                }
            }
        }
        for p in 0..size.len() {
            // The halves that get new numbers are looked at by themselves.
            let mut large = if size[p] > LARGEST {
                vec![seed[p]]
            } else {
                vec![]
            };
            while let Some(t) = large.pop() {
                if let Some([a, b]) = self.split(mesh, t, &mut scratch) {
                    large.extend([a, b]);
                }
            }
        }
        self.scratch = scratch;
    }

    /// A patch number that is not in use.
    fn free_patch(&mut self) -> u32 {
        match self.free.pop() {
            Some(p) => {
                self.all[p as usize] = Patch::default();
                p
            }
            None => self.new_patch(),
        }
    }

    /// Size and first triangle of every patch.
    fn count(&self, mesh: &ClosedMesh, size: &mut Vec<usize>, seed: &mut Vec<u32>) {
        size.clear();
        size.resize(self.all.len(), 0);
        seed.clear();
        seed.resize(self.all.len(), NONE);
        for (t, &p) in mesh.patch.iter().enumerate() {
            if let Some(n) = size.get_mut(p as usize) {
                *n += 1;
                if *n == 1 {
                    seed[p as usize] = t as u32;
                }
            }
        }
    }

    /// Makes the pieces of a patch that do not hang together patches; the one of the first triangle stays.
    fn part(&mut self, mesh: &mut ClosedMesh, p: u32, scratch: &mut Scratch) {
        let row = self.start[p as usize] as usize..self.start[p as usize + 1] as usize;
        scratch.begin(mesh.patch.len());
        for k in row.clone() {
            let from = scratch.found.len();
            scratch.spread(mesh, self.members[k]);
            if from > 0 && scratch.found.len() > from {
                let fresh = self.free_patch();
                for &t in &scratch.found[from..] {
                    mesh.patch[t as usize] = fresh;
                }
            }
            if scratch.found.len() == row.len() {
                return;
            }
        }
    }

    /// Splits the patch of a triangle, if it is too large, by growing from its two farthest triangles in turn. Returns a triangle
    /// of each half.
    fn split(
        &mut self,
        mesh: &mut ClosedMesh,
        first: u32,
        scratch: &mut Scratch,
    ) -> Option<[u32; 2]> {
        scratch.flood(mesh, first);
        if scratch.found.len() <= LARGEST {
            return None;
        }
        let one = *scratch.found.last()?;
        scratch.flood(mesh, one);
        let other = *scratch.found.last()?;
        let p = mesh.patch[one as usize];
        let fresh = self.free_patch();
        // Half of the triangles are taken by the side of `other`, in the order in which the two sides reach them.
        scratch.begin(mesh.patch.len());
        let mut sides = [VecDeque::from([one]), VecDeque::from([other])];
        let mut taken = Vec::new();
        let mut turn = 0;
        while !(sides[0].is_empty() && sides[1].is_empty()) {
            while let Some(t) = sides[turn].pop_front() {
                if !scratch.meet(t) {
                    continue;
                }
                if turn == 1 {
                    taken.push(t);
                }
                sides[turn].extend(around(mesh, t).filter(|&s| mesh.patch[s as usize] == p));
                break;
            }
            turn = 1 - turn;
        }
        for t in taken {
            mesh.patch[t as usize] = fresh;
        }
        Some([one, other])
    }
}

/// Joins a small patch to the smallest one across its sides and returns that; one without neighbours stays.
fn join_smallest(
    mesh: &mut ClosedMesh,
    p: usize,
    size: &mut [usize],
    seed: &[u32],
    scratch: &mut Scratch,
) -> Option<usize> {
    scratch.flood(mesh, seed[p]);
    let near = scratch
        .found
        .iter()
        .flat_map(|&t| around(mesh, t))
        .map(|t| mesh.patch[t as usize])
        .filter(|&q| q as usize != p && (q as usize) < size.len());
    let q = near.min_by_key(|&q| (size[q as usize], q))?;
    for &t in &scratch.found {
        mesh.patch[t as usize] = q;
    }
    size[q as usize] += scratch.found.len();
    size[p] = 0;
    Some(q as usize)
}
