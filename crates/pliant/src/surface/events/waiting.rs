//! Contacts that have not lasted long enough to become one piece.
//!
//! Elastic parts that are pressed into each other for a moment come apart again; had their surfaces been joined at once, webs
//! would hang between them. What is buried meanwhile is not seen.

use super::super::closed_mesh::{ClosedMesh, NONE, next};
use super::super::marks::Marks;
use super::Group;

/// Share of its crossings that a contact may lose in a frame and still be one that lasts.
const LOOSE: f32 = 0.95;

/// How long the contact at a vertex has lasted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Contact {
    pub(crate) vertex: u32,
    /// Frames in which it did not become looser.
    pub(crate) age: u32,
    /// Crossing pairs of the whole contact.
    pub(crate) pairs: u32,
}

/// The contacts that wait.
#[derive(Clone, Debug, Default)]
pub(super) struct Waiting {
    /// Those of the last frame, ascending by vertex.
    contacts: Vec<Contact>,
    /// Per triangle: its contact waits. Of this frame.
    young: Marks,
}

impl Waiting {
    /// Tells the groups that wait, because they have not lasted for `frames`, from the others.
    pub(super) fn look(&mut self, mesh: &ClosedMesh, groups: &[Group], frames: u32) {
        self.young.reset(mesh.material.len());
        let mut contacts = Vec::new();
        for group in groups {
            let (age, pairs) = (self.age(mesh, group), group.pairs.len() as u32);
            if age >= frames {
                continue;
            }
            for &t in &group.triangles {
                self.young.set(t, 0);
                contacts.extend(
                    mesh.triangle(t)
                        .map(|vertex| Contact { vertex, age, pairs }),
                );
            }
        }
        contacts.sort_unstable();
        contacts.dedup();
        self.contacts = contacts;
    }

    /// How long the contact of a group has lasted. It may have wandered by an edge since the last frame.
    fn age(&self, mesh: &ClosedMesh, group: &Group) -> u32 {
        let ring = |v: u32| mesh.ring(v).map(|h| mesh.origin(next(h)));
        let known = |v: u32| {
            let found = self.contacts.binary_search_by_key(&v, |c| c.vertex);
            found
                .ok()
                .map(|k| (self.contacts[k].age, self.contacts[k].pairs))
        };
        let corners = group.triangles.iter().flat_map(|&t| mesh.triangle(t));
        let Some((age, pairs)) = corners.flat_map(ring).filter_map(known).max() else {
            return 0;
        };
        let loosens = (group.pairs.len() as f32) < LOOSE * pairs as f32;
        age + u32::from(!loosens)
    }

    /// Whether a pair belongs to a contact that waits.
    pub(super) fn has(&self, (i, j): (u32, u32)) -> bool {
        self.young.has(i) && self.young.has(j)
    }

    /// Triangles that were changed wait no longer.
    pub(super) fn release(&mut self, triangles: &[u32]) {
        for &t in triangles {
            self.young.clear(t);
        }
    }

    /// Keeps up with vertices that got other slots; what has none is forgotten.
    pub(super) fn renumber(&mut self, new_of_old: &[u32]) {
        for contact in &mut self.contacts {
            let new = new_of_old.get(contact.vertex as usize);
            contact.vertex = new.copied().unwrap_or(NONE);
        }
        self.contacts.retain(|c| c.vertex != NONE);
        self.contacts.sort_unstable();
    }

    /// What decides about the next frame.
    pub(super) fn contacts(&self) -> &[Contact] {
        &self.contacts
    }
}
