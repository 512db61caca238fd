//! The engine as something that steps bodies of the reference.

use crate::reference::oriented::experiments::{ByReference, Stepper};
use crate::reference::oriented::{
    Body, Group, Order, Params, Particle, Plastic, StepReport, Surroundings, Turning,
};
use crate::reproduce::check::Solver;
use glam::{DMat3, DVec3};
use pliant::dynamics::{Collider, ColliderShape};
use pliant::oriented::{GroupDesc, OrientedDesc, Particle as EngineParticle};
use pliant::{BuildError, Material, Settings, World, matching};

/// What steps bodies, and under which name it is measured.
pub(super) trait Measured: Stepper {
    /// The name.
    const SOLVER: Solver;
}

impl Measured for ByReference {
    const SOLVER: Solver = Solver::Reference;
}

/// The engine: a body is put into a world at its first step. After every step it is as the world has it, and what the experiment changes in
/// it is changed in the world before the next.
#[derive(Default)]
pub(super) struct ByEngine {
    world: Option<World>,
    /// The particles as the last step has left them.
    last: Vec<Particle>,
}

impl Measured for ByEngine {
    const SOLVER: Solver = Solver::Engine;
}

impl Stepper for ByEngine {
    fn step(&mut self, body: &mut Body, params: &Params, around: &Surroundings) -> StepReport {
        if self.world.is_none() {
            self.world = start(body, params, around).ok();
        }
        let Some(world) = &mut self.world else {
            // A body that the engine refuses is nowhere, so whatever is measured of it fails.
            body.particles
                .iter_mut()
                .for_each(|p| p.pose.x = DVec3::NAN);
            return StepReport {
                stopped: body.particles.len(),
                ..StepReport::default()
            };
        };
        for (i, p) in body.particles.iter().enumerate() {
            if self.last.get(i) != Some(p) {
                put(world, i, p);
            }
        }
        damp(world, params);
        let report = world.step(params.dt as f32);
        take(world, body);
        self.last.clone_from(&body.particles);
        StepReport {
            inverted: report.rotations_repaired as usize,
            contacts: report.static_contacts + report.contact_pairs,
            flowed: report.groups_yielding as usize,
            stopped: report.non_finite as usize,
        }
    }
}

/// A world of this body at rest. Weights of what is held, and limits of speed, are the engine's own.
fn start(body: &Body, params: &Params, around: &Surroundings) -> Result<World, BuildError> {
    let mut world = World::new(Settings {
        substeps: params.substeps as u32,
        iterations: params.iterations as u32,
        gravity: params.gravity.as_vec3(),
        ..Settings::default()
    });
    let friction = around.friction.fixed as f32;
    for plane in &around.planes {
        world.add_collider(Collider {
            shape: ColliderShape::Plane {
                normal: plane.normal.as_vec3(),
                offset: plane.offset as f32,
            },
            friction,
            ..Collider::floor(0.0)
        });
    }
    world.add_oriented(OrientedDesc {
        groups: body.groups.iter().map(group).collect(),
        material: Material {
            friction,
            ..material(params.plastic)
        },
        turning: match params.turning {
            Turning::Centre => matching::Turning::Lead,
            Turning::AllMembers => matching::Turning::All,
        },
        second_order: params.order == Order::Second,
        self_contact: around.pairs,
        ..OrientedDesc::new("body", particles(body), Vec::new())
    })?;
    Ok(world)
}

/// The particles of a body, as the engine wants them.
pub(super) fn particles(body: &Body) -> Vec<EngineParticle> {
    let particle = |p: &Particle| EngineParticle {
        x: p.rest.x.as_vec3(),
        axes: p.rest.q.as_quat().normalize(),
        radii: p.radii.as_vec3(),
        mass: p.mass as f32,
        turns: p.oriented,
        collides: true,
    };
    body.particles.iter().map(particle).collect()
}

fn group(group: &Group) -> GroupDesc {
    let members = || group.members.iter();
    GroupDesc {
        particles: members().map(|m| m.particle as u32).collect(),
        stiffness: group.stiffness as f32,
        joints: members()
            .filter(|m| m.moment_omitted)
            .map(|m| m.particle as u32)
            .collect(),
        lead: group.centre.map(|i| i as u32),
        flows: true,
    }
}

fn material(plastic: Option<Plastic>) -> Material {
    let elastic = Material::elastic(1.0);
    plastic.map_or(elastic, |plastic| Material {
        plastic_yield: plastic.plastic_yield as f32,
        creep: plastic.creep as f32,
        max_strain: plastic.max_flow as f32,
        ..elastic
    })
}

/// Gives particle `i` of the world the state of `p`.
pub(super) fn put(world: &mut World, i: usize, p: &Particle) {
    let points = world.points_mut();
    points.x[i] = p.pose.x.as_vec3();
    // What is held stays where it was predicted.
    points.pred[i].set_position(p.pose.x.as_vec3());
    points.v[i] = p.v.as_vec3();
    points.rotation[i] = p.turn_from_rest().as_quat().normalize();
    points.inv_mass[i] = p.inverse_mass() as f32;
    let oriented = world.oriented_mut();
    oriented.spin[i] = p.w.as_vec3();
    oriented.held[i] = p.fixed_turn;
}

/// Takes as much of all velocities as the reference takes in a step.
fn damp(world: &mut World, params: &Params) {
    if params.damping == 0.0 {
        return;
    }
    let substep = params.dt / params.substeps as f64;
    let kept = (1.0 - params.damping * substep).powi(params.substeps as i32) as f32;
    world.points_mut().v.iter_mut().for_each(|v| *v *= kept);
    for spin in &mut world.oriented_mut().spin {
        *spin *= kept;
    }
}

/// Gives a body the state of the world.
fn take(world: &World, body: &mut Body) {
    let (points, oriented) = (world.points(), world.oriented());
    for (i, p) in body.particles.iter_mut().enumerate() {
        p.pose.x = points.x[i].as_dvec3();
        p.pose.q = points.rotation[i].as_dquat() * p.rest.q;
        p.pred = p.pose;
        p.v = points.v[i].as_dvec3();
        p.w = oriented.spin[i].as_dvec3();
    }
    let rotations = &world.rings().groups.rotation;
    for (group, rotation) in body.groups.iter_mut().zip(rotations) {
        group.rotation = DMat3::from_quat(rotation.as_dquat());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference::oriented::experiments::larger;

    /// A body that falls freely, is stopped by hand and falls again is where it should be: the state goes both ways.
    #[test]
    fn state_goes_both_ways() {
        let mut body = Body::rod(3, 0.1, 0.05, DVec3::ZERO);
        let params = Params {
            gravity: DVec3::NEG_Y * 9.0,
            substeps: 1,
            ..Params::default()
        };
        let mut stepper = ByEngine::default();
        for _ in 0..2 {
            body.particles.iter_mut().for_each(|p| p.v = DVec3::ZERO);
            for _ in 0..2 {
                let report = stepper.step(&mut body, &params, &Surroundings::none());
                assert_eq!(report.stopped, 0);
            }
        }
        // g Δt² (1 + 2), twice.
        for p in &body.particles {
            let fallen = -p.pose.x.y * 3600.0 / 9.0;
            assert!((fallen - 6.0).abs() < 1e-3, "{fallen}");
        }
    }

    /// What is held is held where the experiment has put it, though the body has another rest shape.
    #[test]
    fn held_particles_stay() {
        let mut body = Body::rod(3, 0.1, 0.05, DVec3::ZERO);
        body.particles[0].pose.x.y = 0.02;
        body.particles[0].fix();
        let mut stepper = ByEngine::default();
        stepper.step(&mut body, &Params::default(), &Surroundings::none());
        assert!((body.particles[0].pose.x.y - 0.02).abs() < 1e-6);
    }

    /// A body that the engine cannot take is nowhere.
    #[test]
    fn refused_bodies_fail() {
        let mut body = Body::rod(2, 0.1, 0.05, DVec3::ZERO);
        body.particles[0].mass = -1.0;
        let report = ByEngine::default().step(&mut body, &Params::default(), &Surroundings::none());
        assert!(report.stopped > 0 && !body.is_finite());
        assert!(larger(0.0, body.particles[0].pose.x.x).is_nan());
    }
}
