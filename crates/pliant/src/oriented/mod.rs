//! Bodies of a handful of particles that have a rotation \[MC11\]: ropes, sheets, trees and trucks.
//!
//! A particle carries an ellipsoid, and its rotation tells three things that a plain particle cannot: how a rope or a sheet is bent and
//! twisted, which side of it touches, and how the visible mesh around it turns. Around each particle a group is formed of the particle
//! and those that it is connected to; further groups may be added: rigid parts, and joints, which are particles that two groups share.
//!
//! | paper | here | meaning |
//! |---|---|---|
//! | x̄, q̄ | [`Particle::x`], [`Particle::axes`] | rest pose |
//! | x, q | `Points::x`, `Points::rotation` × q̄ | present pose; the engine keeps the rotation since rest |
//! | ω | `Oriented::spin` | spin, world axes |
//! | a, b, c | [`Particle::radii`] | semi-axes of the ellipsoid |
//! | A_i | `Oriented::moment` × rotation | moment of a particle about its centre |
//! | c, R, k | `Groups::center`, `Groups::rotation`, stiffness | placement of a group |
//!
//! Departures from the paper: the moment of a particle in the sums is that of a ball, so thin ellipsoids do not spoil them; a group's
//! rest positions are its own, so that they may flow.

pub mod cover;
pub(crate) mod skin;

use crate::body::BuildError;
use crate::geometry::Mesh;
use crate::matching::Turning;
use crate::material::Material;
use crate::state::Blend;
use glam::{Quat, Vec3};

/// A particle of a body at rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Particle {
    /// Where it is (m).
    pub x: Vec3,
    /// Axes of its ellipsoid.
    pub axes: Quat,
    /// Semi-axes of its ellipsoid (m).
    pub radii: Vec3,
    /// Mass (kg).
    pub mass: f32,
    /// Whether it has a rotation; joints are made of particles without.
    pub turns: bool,
    /// Whether it touches other things; a joint inside of a part need not.
    pub collides: bool,
}

impl Particle {
    /// A ball.
    pub fn ball(x: Vec3, radius: f32, mass: f32) -> Self {
        Self {
            x,
            axes: Quat::IDENTITY,
            radii: Vec3::splat(radius),
            mass,
            turns: true,
            collides: true,
        }
    }

    /// Radius of the ball whose moment it has in the sums of its groups (m).
    pub fn moment_radius(&self) -> f32 {
        if self.turns {
            (self.radii.length_squared() / 3.0).sqrt()
        } else {
            0.0
        }
    }
}

/// Particles that keep their shape together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GroupDesc {
    /// Its particles.
    pub particles: Vec<u32>,
    /// Share of the way to its goals that a particle goes in an iteration, 0 to 1.
    pub stiffness: f32,
    /// Particles whose own rotation does not count in it: joints to other groups.
    pub joints: Vec<u32>,
    /// The particle that takes its rotation.
    pub lead: Option<u32>,
    /// Whether it flows as the body's material does; a rigid part does not.
    pub flows: bool,
}

/// What a body of oriented particles is made from.
#[derive(Clone, Debug)]
pub struct OrientedDesc {
    /// Its name; random numbers are keyed by it.
    pub name: String,
    /// The visible surface in world coordinates; empty if nothing is to be seen.
    pub mesh: Mesh,
    /// The particle that each vertex of the mesh belongs to: it hangs on that one and those of the group around it. Empty: on the nearest.
    pub home: Vec<u32>,
    /// Its particles.
    pub particles: Vec<Particle>,
    /// Particles that are connected: each gets a group with those that it is connected to.
    pub edges: Vec<[u32; 2]>,
    /// Groups besides.
    pub groups: Vec<GroupDesc>,
    /// What it is made of.
    pub material: Material,
    /// Velocity at the start (m/s).
    pub velocity: Vec3,
    /// Which particles take the rotation of a group.
    pub turning: Turning,
    /// Whether velocities come from the last three places instead of two, so that what turns goes on turning.
    pub second_order: bool,
    /// Whether far parts of it collide.
    pub self_contact: bool,
    /// How its particles carry the mesh.
    pub blend: Blend,
    /// Whether up to eight particles carry a vertex in place of four: where particles lie on all sides, four are too few to change smoothly.
    pub many_carriers: bool,
}

impl OrientedDesc {
    /// A body with the usual settings and nothing to see.
    pub fn new(name: &str, particles: Vec<Particle>, edges: Vec<[u32; 2]>) -> Self {
        Self {
            name: name.to_owned(),
            mesh: Mesh::default(),
            home: Vec::new(),
            particles,
            edges,
            groups: Vec::new(),
            material: Material::elastic(1.0),
            velocity: Vec3::ZERO,
            turning: Turning::default(),
            second_order: false,
            self_contact: true,
            blend: Blend::default(),
            many_carriers: false,
        }
    }

    /// The first thing that has no meaning.
    pub(crate) fn check(&self) -> Result<(), BuildError> {
        let parameter = |text: String| Err(BuildError::Parameter(text));
        if self.particles.is_empty() {
            return parameter("there is no particle".to_owned());
        }
        for (i, particle) in self.particles.iter().enumerate() {
            let positive = |x: f32| x > 0.0 && x.is_finite();
            let sound = particle.x.is_finite()
                && particle.axes.is_finite()
                && (particle.axes.length() - 1.0).abs() < 1e-3
                && positive(particle.mass)
                && particle.radii.to_array().into_iter().all(positive);
            if !sound {
                return parameter(format!(
                    "particle {i} needs a finite place, unit axes, and a mass and radii above 0"
                ));
            }
        }
        let count = self.particles.len();
        let exists = |i: &u32| (*i as usize) < count;
        let connects = |edge: &&[u32; 2]| edge.iter().all(exists) && edge[0] != edge[1];
        if let Some([a, b]) = self.edges.iter().find(|edge| !connects(edge)) {
            return parameter(format!(
                "the edge {a} to {b} does not connect two particles (there are {count})"
            ));
        }
        for (k, group) in self.groups.iter().enumerate() {
            let named = group
                .particles
                .iter()
                .chain(&group.joints)
                .chain(&group.lead);
            let missing = named.clone().find(|i| !exists(i));
            let outside = group.joints.iter().chain(&group.lead);
            let outside = outside.copied().find(|i| !group.particles.contains(i));
            if let Some(i) = missing {
                return parameter(format!(
                    "group {k} names particle {i}, but there are {count}"
                ));
            }
            if let Some(i) = outside {
                return parameter(format!("particle {i} is no member of group {k}"));
            }
            if group.particles.is_empty() || !(0.0..=1.0).contains(&group.stiffness) {
                return parameter(format!(
                    "group {k} needs particles, and a stiffness from 0 to 1"
                ));
            }
        }
        let homeless = !self.home.is_empty() && self.home.len() != self.mesh.positions.len();
        if homeless || !self.home.iter().all(exists) {
            return parameter("every vertex needs one of the particles as its home".to_owned());
        }
        if !self.velocity.is_finite() {
            return parameter("velocity must be finite".to_owned());
        }
        self.mesh.validate().or_else(|error| match error {
            crate::geometry::mesh::MeshError::Empty => Ok(()),
            error => Err(error),
        })?;
        match self.material.complaint() {
            Some(complaint) => parameter(complaint.to_owned()),
            None => Ok(()),
        }
    }

    /// Every group of the body: those around particles, then those that were given.
    ///
    /// A particle without a rotation leads no group: it holds what it is connected to together by being in their groups. Nor does one that
    /// is connected to nothing, but is in a group that was given.
    pub(crate) fn all_groups(&self) -> Vec<GroupDesc> {
        let mut ring: Vec<Vec<u32>> = (0..self.particles.len() as u32).map(|i| vec![i]).collect();
        for &[a, b] in &self.edges {
            ring[a as usize].push(b);
            ring[b as usize].push(a);
        }
        let mut is_given = vec![false; self.particles.len()];
        for &i in self.groups.iter().flat_map(|group| &group.particles) {
            is_given[i as usize] = true;
        }
        let around = ring
            .into_iter()
            .enumerate()
            .filter_map(|(i, mut particles)| {
                particles.sort_unstable();
                particles.dedup();
                let leads = self.particles[i].turns && !(particles.len() == 1 && is_given[i]);
                leads.then(|| GroupDesc {
                    particles,
                    stiffness: self.material.stiffness,
                    joints: Vec::new(),
                    lead: Some(i as u32),
                    flows: true,
                })
            });
        let given = self.groups.iter().map(|group| {
            let mut group = group.clone();
            group.particles.sort_unstable();
            group.particles.dedup();
            group
        });
        around.chain(given).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dynamics::Collider;
    use crate::world::{Scratch, Settings, World};

    /// A heap of ellipsoids goes on in the same way if all that is no state is thrown away between two frames.
    #[test]
    fn buffers_are_no_state() {
        let mut world = World::new(Settings {
            iterations: 2,
            ..Settings::default()
        });
        world.add_collider(Collider::floor(0.0));
        for i in 0..6u8 {
            let axes = Quat::from_euler(glam::EulerRot::XYZ, f32::from(i), 0.5, 0.2);
            let egg = Particle {
                axes,
                radii: Vec3::new(0.3, 0.2, 0.1),
                ..Particle::ball(Vec3::new(0.02 * f32::from(i), 0.3, 0.0), 0.1, 1.0)
            };
            let egg = Particle {
                x: egg.x + Vec3::Y * (0.35 * f32::from(i)),
                ..egg
            };
            let desc = OrientedDesc::new(&format!("egg {i}"), vec![egg], Vec::new());
            world.add_oriented(desc).unwrap();
        }
        let mut other = world.clone();
        let mut touched = false;
        for _ in 0..60 {
            touched |= world.step(1.0 / 60.0).contact_pairs > 0;
            other.scratch = Scratch::default();
            other.step(1.0 / 60.0);
            assert_eq!(world.hash(), other.hash());
        }
        assert!(touched);
    }
}
