//! What can be shown of a world beside its surface.

use glam::{Mat3, Quat, Vec3};
use pliant::World;
use pliant::state::NO_LEAD;
use pliant::world::Body;

use crate::picture::clusters::{cluster_color, oriented_color, particle_color};

/// What is to be shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Layers {
    /// Particles, in the colours of their bodies' heat.
    pub particles: bool,
    /// Particles, each in the colour of the cluster that it is nearest to.
    pub clusters: bool,
    /// How each cluster is strained, as an ellipsoid; of particles with rotations the ellipsoids that touch.
    pub ellipsoids: bool,
    /// Where colliders push.
    pub contacts: bool,
    /// Which strain colours the surface.
    pub heat: Heat,
}

/// A quantity that colours the surface.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Heat {
    /// None: the surface has its own colours.
    #[default]
    Off,
    /// Elastic strain, that will spring back.
    Strain,
    /// Plastic strain since the clusters were made.
    Plastic,
}

/// A particle that is shown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mote {
    /// Where it is (m).
    pub center: Vec3,
    /// Its radius (m).
    pub radius: f32,
    /// The colour of the cluster that it is nearest to, of those it is in.
    pub color: [u8; 3],
}

/// A cluster that is shown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ellipsoid {
    /// Its middle (m).
    pub center: Vec3,
    /// From the unit ball to its form (m).
    pub axes: Mat3,
    /// Its colour.
    pub color: [u8; 3],
}

/// What was asked for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shown {
    /// Particles.
    pub motes: Vec<Mote>,
    /// Clusters.
    pub ellipsoids: Vec<Ellipsoid>,
    /// Places and directions of contacts.
    pub contacts: Vec<(Vec3, Vec3)>,
    /// Strain at the vertices of every body's surface.
    pub heat: Vec<Vec<f32>>,
}

/// Radius of a particle that is shown, in r: they touch where they are packed.
const MOTE: f32 = 0.5;
/// Radius of the ellipsoid of a cluster that is not strained, in r.
const ELLIPSOID: f32 = 1.2;

impl Shown {
    /// Takes what is asked for out of a world.
    pub(super) fn of(world: &World, layers: Layers) -> Self {
        let mut shown = Self::default();
        if layers.particles || layers.clusters {
            shown.motes = motes(world);
        }
        if layers.ellipsoids {
            shown.ellipsoids = ellipsoids(world);
        }
        if layers.contacts {
            shown.contacts = world.pushed_points().to_vec();
        }
        if layers.heat != Heat::Off {
            let strain = strain_of_points(world, layers.heat);
            let surfaces = world.surfaces().iter();
            shown.heat = surfaces.map(|s| s.at_vertices(&strain)).collect();
        }
        shown
    }
}

fn motes(world: &World) -> Vec<Mote> {
    let points = world.points();
    let mut motes = Vec::with_capacity(points.len());
    for body in world.bodies() {
        for i in body.points.clone() {
            motes.push(Mote {
                center: points.x[i],
                radius: MOTE * body.particle_radius,
                color: particle_color(world, i),
            });
        }
        // Of an ellipsoid the ball that fits into it.
        let first = motes.len() - body.points.len();
        let radii = &world.oriented().radii[body.oriented.clone()];
        for (mote, radii) in motes[first..].iter_mut().zip(radii) {
            mote.radius = radii.min_element();
        }
    }
    motes
}

/// The ellipsoids of a body's particles, if they have any.
fn oriented<'a>(world: &'a World, body: &'a Body) -> impl Iterator<Item = Ellipsoid> + 'a {
    let (points, all) = (world.points(), world.oriented());
    body.oriented.clone().map(move |i| {
        let point = all.point[i] as usize;
        let axes = Mat3::from_quat(points.rotation[point] * all.axes[i]);
        Ellipsoid {
            center: points.x[point],
            axes: axes * Mat3::from_diagonal(all.radii[i]),
            color: oriented_color(world, body, point),
        }
    })
}

/// Of clusters elastic times plastic deformation, on a ball of the size of a few particles.
fn ellipsoids(world: &World) -> Vec<Ellipsoid> {
    let groups = world.groups();
    let of_body = world.bodies().iter().flat_map(|body| {
        let of_groups = body.groups.clone().map(|k| {
            let form = groups.f_e[k] * groups.f_p[k];
            let sound = form.is_finite() && form.determinant() > 1e-6;
            let turn = || Mat3::from_quat(Quat::from_array(groups.rotation[k].to_array()));
            Ellipsoid {
                center: groups.center[k],
                axes: if sound { form } else { turn() } * (ELLIPSOID * body.particle_radius),
                color: cluster_color(groups.id[k]),
            }
        });
        of_groups.chain(oriented(world, body)).collect::<Vec<_>>()
    });
    of_body.collect()
}

/// The mean over the clusters of each point of how far their deformation is from a rotation: ‖FᵀF − 1‖ / 2.
fn strain_of_points(world: &World, heat: Heat) -> Vec<f32> {
    let groups = world.groups();
    let strain = |f: &Mat3| {
        let c = f.transpose() * *f - Mat3::IDENTITY;
        let squares = [c.x_axis, c.y_axis, c.z_axis].map(Vec3::length_squared);
        0.5 * squares.iter().sum::<f32>().sqrt()
    };
    let deformation = if heat == Heat::Plastic {
        &groups.f_p
    } else {
        &groups.f_e
    };
    let of_groups: Vec<f32> = deformation.iter().map(strain).collect();
    let mean = |i: usize| {
        let row = groups.of_mover.row(i);
        let sum: f32 = row.iter().map(|&k| of_groups[k as usize]).sum();
        sum / row.len().max(1) as f32
    };
    let mut strain: Vec<f32> = (0..world.points().len()).map(mean).collect();
    if heat == Heat::Strain {
        add_strain_of_rings(world, &mut strain);
    }
    strain
}

/// How far particles with rotations are from where the groups around them want them, in the size of the group.
fn add_strain_of_rings(world: &World, strain: &mut [f32]) {
    let (rings, points) = (world.rings(), world.points());
    for (k, &lead) in rings
        .lead
        .iter()
        .enumerate()
        .filter(|(_, l)| **l != NO_LEAD)
    {
        let groups = &rings.groups;
        let (mut off, mut size) = (0.0f32, 0.0f32);
        for (i, q) in groups.members(k) {
            let goal = groups.rotation[k] * q + groups.center[k];
            off = off.max(goal.distance(points.x[i as usize]));
            size = size.max(q.length());
        }
        if size > 0.0 {
            strain[lead as usize] = off / size;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant::oriented::{OrientedDesc, Particle};
    use pliant::{Settings, World};

    /// The layer of ellipsoids shows those of particles with rotations where they are and as they are turned; the layer of strain is hot where
    /// a rod is stretched.
    #[test]
    fn oriented_particles_are_shown() {
        let turn = Quat::from_rotation_z(0.5);
        let particle = |i: usize| Particle {
            axes: turn,
            radii: Vec3::new(0.4, 0.2, 0.1),
            ..Particle::ball(Vec3::X * i as f32, 0.1, 1.0)
        };
        let edges = (1..8).map(|i| [i - 1, i]).collect();
        let mut world = World::new(Settings::default());
        let rod = OrientedDesc::new("rod", (0..8).map(particle).collect(), edges);
        world.add_oriented(rod).unwrap();
        for x in &mut world.points_mut().x[6..] {
            x.x += 0.5;
        }
        let layers = Layers {
            ellipsoids: true,
            particles: true,
            heat: Heat::Strain,
            ..Layers::default()
        };
        let shown = Shown::of(&world, layers);
        assert_eq!((shown.ellipsoids.len(), shown.motes.len()), (8, 8));
        let third = shown.ellipsoids[2];
        assert_eq!(third.center, Vec3::X * 2.0);
        assert!((third.axes * Vec3::X).distance(turn * Vec3::X * 0.4) < 1e-6);
        assert_eq!(shown.motes[0].radius, 0.1);
        assert_ne!(third.color, shown.ellipsoids[3].color);
        let strain = strain_of_points(&world, Heat::Strain);
        assert!(strain[6] > 0.1 && strain[2] < 1e-3, "{strain:?}");
    }
}
