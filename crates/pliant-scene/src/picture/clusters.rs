//! Bodies in the colours of their clusters, as the figures of \[FJLSB17\] show them: one sees which clusters are new, and how far each
//! reaches.

use std::f32::consts::TAU;

use glam::Vec3;
use pliant::World;
use pliant::state::{NO_LEAD, Surface};
use pliant::world::Body;
use rayon::prelude::*;

/// What gives bodies their colours in a picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Coloring {
    /// Their own colours and textures.
    #[default]
    Texture,
    /// Their clusters: grey those that they started with, each later one in a colour of its own. Of particles with rotations every group and
    /// every rigid part.
    Clusters,
}

impl Coloring {
    /// The coloring of a name.
    pub fn of_name(name: &str) -> Option<Self> {
        match name {
            "texture" => Some(Self::Texture),
            "clusters" => Some(Self::Clusters),
            _ => None,
        }
    }
}

/// Grey of the clusters that a body started with.
const FIRST: u8 = 168;
/// Colour of what is in no cluster.
const LOOSE: [u8; 3] = [60, 60, 64];
/// How far the hues of two clusters in succession are apart, in turns: the golden ratio, so that none comes back soon.
const HUE_STEP: f64 = 0.618_033_988_749_895;
/// Radius of a particle that is shown in place of a surface, in r: more than half of the least distance, so that they look like a whole.
const BALL: f32 = 0.7;

/// A particle that is shown in place of a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Mote {
    pub(super) center: Vec3,
    pub(super) radius: f32,
    pub(super) color: [u8; 3],
}

/// The colour of a cluster of a body by its id, the same for as long as it lives; grey if the body started with it.
fn figure_color(body: &Body, id: u64) -> [u8; 3] {
    if id < body.first_groups {
        return [FIRST; 3];
    }
    cluster_color(id - body.first_groups)
}

/// A colour of a cluster's own, by its id.
pub(crate) fn cluster_color(id: u64) -> [u8; 3] {
    let hue = (id as f64 * HUE_STEP).fract() as f32 * TAU;
    let channel = |shift: f32| (150.0 + 85.0 * (hue + shift * TAU).cos()) as u8;
    [channel(0.0), channel(1.0 / 3.0), channel(2.0 / 3.0)]
}

/// The cluster of what is at a place and belongs to the clusters of some particles: the one whose middle is nearest.
fn nearest_at(world: &World, at: Vec3, particles: impl IntoIterator<Item = u32>) -> Option<u64> {
    let groups = world.groups();
    let near = |k: u32| groups.center[k as usize].distance_squared(at);
    let rows = particles.into_iter();
    let own = rows.flat_map(|i| groups.of_mover.row(i as usize).iter().copied());
    let nearest = own.min_by(|a, b| near(*a).total_cmp(&near(*b)));
    nearest.map(|k| groups.id[k as usize])
}

/// The colour of a particle with a rotation. Its groups are never renewed, so each has a colour from the start: that of the rigid part that it
/// belongs to, or else of the group around it.
pub(crate) fn oriented_color(world: &World, body: &Body, particle: usize) -> [u8; 3] {
    let rings = world.rings();
    let own = rings.groups.of_mover.row(particle);
    let is_part = |k: &&u32| rings.lead[**k as usize] == NO_LEAD;
    let is_around = |k: &&u32| rings.lead[**k as usize] == particle as u32;
    let part = own.iter().find(is_part);
    let ring = part.or_else(|| own.iter().find(is_around)).or(own.first());
    ring.map_or(LOOSE, |&k| {
        cluster_color(u64::from(k) - body.rings.start as u64)
    })
}

/// The colour of what is at a place of a body and belongs to the clusters of some particles.
fn color_at(
    world: &World,
    body: &Body,
    at: Vec3,
    particles: impl IntoIterator<Item = u32>,
) -> [u8; 3] {
    nearest_at(world, at, particles).map_or(LOOSE, |id| figure_color(body, id))
}

/// The colour of the cluster that a particle is nearest to, by its index in the world; in contrast to figures, where the clusters that a
/// body started with are grey, every cluster has one.
pub(crate) fn particle_color(world: &World, particle: usize) -> [u8; 3] {
    let at = world.points().x[particle];
    let is_own = |body: &&Body| !body.oriented.is_empty() && body.points.contains(&particle);
    if let Some(body) = world.bodies().iter().find(is_own) {
        return oriented_color(world, body, particle);
    }
    nearest_at(world, at, [particle as u32]).map_or(LOOSE, cluster_color)
}

/// The colours of the vertices of a body's surface, which are where `positions` says.
pub(super) fn vertex_colors(
    world: &World,
    body: &Body,
    surface: &Surface,
    positions: &[Vec3],
) -> Vec<[u8; 4]> {
    if !body.oriented.is_empty() {
        // The first particle carries most.
        let first = surface.carriers().map(|c| c.point[0] as usize);
        return first
            .map(|particle| {
                let [red, green, blue] = oriented_color(world, body, particle);
                [red, green, blue, 255]
            })
            .collect();
    }
    let carriers: Vec<[u32; 4]> = surface.carriers().map(|c| c.point).collect();
    let vertices = positions.par_iter().zip(&carriers);
    vertices
        .map(|(&at, &carriers)| {
            let [red, green, blue] = color_at(world, body, at, carriers);
            [red, green, blue, 255]
        })
        .collect()
}

/// The particles of a body, for want of a surface.
pub(super) fn motes<'a>(world: &'a World, body: &'a Body) -> impl Iterator<Item = Mote> + 'a {
    body.points.clone().map(|i| Mote {
        center: world.points().x[i],
        radius: BALL * body.particle_radius,
        color: if body.oriented.is_empty() {
            color_at(world, body, world.points().x[i], [i as u32])
        } else {
            oriented_color(world, body, i)
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::{Frame, Looks, Snapshot, scene};
    use pliant::geometry::Shape;
    use pliant::geometry::surface_nets::mesh_shape;
    use pliant::oriented::{GroupDesc, OrientedDesc, Particle};
    use pliant::{BodyDesc, Settings, SurfaceKind};

    const GREY: [u8; 3] = [FIRST; 3];

    /// A bar along x whose clusters on the right have other ids than those it started with.
    fn bar(surface: SurfaceKind) -> World {
        let shape = Shape::Box {
            center: Vec3::ZERO,
            half: Vec3::new(1.0, 0.3, 0.3),
        };
        let mesh = mesh_shape(&shape, 0.1).unwrap();
        let mut world = World::new(Settings::default());
        let mut desc = BodyDesc::new("bar", mesh, 0.1);
        desc.surface = surface;
        world.add_body(desc).unwrap();
        let first = world.bodies()[0].first_groups;
        let groups = world.groups_mut();
        for k in 0..groups.len() {
            if groups.center[k].x > 0.0 {
                groups.id[k] += first;
            }
        }
        world
    }

    /// Clusters of the start are grey, later ones are not, and those that follow each other differ.
    #[test]
    fn colors_tell_apart() {
        let world = bar(SurfaceKind::None);
        let body = &world.bodies()[0];
        let first = body.first_groups;
        assert_eq!(figure_color(body, 0), GREY);
        assert_eq!(figure_color(body, first - 1), GREY);
        let apart = |a: [u8; 3], b: [u8; 3]| -> u32 {
            (0..3).map(|c| u32::from(a[c].abs_diff(b[c]))).sum()
        };
        for id in first..first + 1000 {
            let color = figure_color(body, id);
            assert!(apart(color, figure_color(body, id + 1)) > 60, "{id}");
            let (least, most) = (color.iter().min(), color.iter().max());
            assert!(most.unwrap() - least.unwrap() > 60, "{id}: {color:?}");
        }
        assert!(figure_color(body, u64::MAX).iter().all(|c| *c > 0));
    }

    /// A body without a surface is drawn as its particles; each has the colour of the cluster of its own whose middle is nearest.
    #[test]
    fn particles_stand_in_for_a_surface() {
        let world = bar(SurfaceKind::None);
        let plain = Snapshot::of(&world, None);
        assert!(plain.bounds().is_none());
        let snapshot = plain.colored(&world, Coloring::Clusters);
        assert_eq!(snapshot.motes.len(), world.points().len());
        let groups = world.groups();
        for (i, mote) in snapshot.motes.iter().enumerate() {
            let mut own: Vec<usize> = (0..groups.len())
                .filter(|&k| groups.members(k).any(|(member, _)| member == i as u32))
                .collect();
            own.sort_by_key(|&k| (1e9 * groups.center[k].distance(mote.center)) as u64);
            assert_eq!(
                mote.color,
                figure_color(&world.bodies()[0], groups.id[own[0]])
            );
        }
        let grey = snapshot.motes.iter().filter(|mote| mote.color == GREY);
        assert!((50..snapshot.motes.len() - 50).contains(&grey.count()));
        let (lo, hi) = snapshot.bounds().unwrap();
        assert!(lo.x < -0.8 && hi.x > 0.8, "the picture is about them");
        let looks = Looks::of_world(&world);
        let frame = Frame::around([&snapshot], &looks, 40, 30);
        assert_eq!(
            scene(&snapshot, &looks, &frame).balls.len(),
            world.points().len()
        );
    }

    /// Each particle with a rotation has the colour of its group, the particles of a rigid part have one colour, and vertices that of what
    /// carries them most.
    #[test]
    fn groups_of_oriented_particles_have_colors() {
        let particles = (0..6).map(|i| Particle::ball(Vec3::X * i as f32, 0.5, 1.0));
        let edges = (1..6).map(|i| [i - 1, i]).collect();
        let mut desc = OrientedDesc::new("rod", particles.collect(), edges);
        desc.groups.push(GroupDesc {
            particles: vec![3, 4, 5],
            stiffness: 1.0,
            ..GroupDesc::default()
        });
        desc.mesh = mesh_shape(
            &Shape::Capsule {
                a: Vec3::ZERO,
                b: Vec3::X * 5.0,
                radius: 0.4,
            },
            0.2,
        )
        .unwrap();
        let mut world = World::new(Settings::default());
        world.add_oriented(desc).unwrap();
        let colors: Vec<_> = (0..6).map(|i| particle_color(&world, i)).collect();
        assert_eq!((colors[3], colors[4]), (colors[4], colors[5]));
        for i in 0..3 {
            assert!(!colors[i + 1..].contains(&colors[i]), "{i}");
            assert_ne!(colors[i], LOOSE);
        }
        let snapshot = Snapshot::of(&world, None).colored(&world, Coloring::Clusters);
        let seen = &snapshot.surfaces[0];
        for (at, color) in seen.positions.iter().zip(&seen.colors) {
            let nearest = at.x.round().clamp(0.0, 5.0) as usize;
            let beside = (at.x - at.x.round()).abs() > 0.4;
            assert!(beside || color[..3] == colors[nearest], "{at}");
        }
        assert!(!seen.colors.is_empty());
    }

    /// Vertices of either kind of surface are grey where clusters are as they were, and coloured where they are new.
    #[test]
    fn surfaces_show_their_clusters() {
        let tracked = SurfaceKind::Tracked {
            edge_length: 0.1,
            keep_volume: false,
        };
        for surface in [SurfaceKind::Skinned, tracked] {
            let world = bar(surface);
            let snapshot = Snapshot::of(&world, None).colored(&world, Coloring::Clusters);
            assert!(snapshot.motes.is_empty());
            let seen = &snapshot.surfaces[0];
            assert_eq!(seen.colors.len(), seen.positions.len());
            for (at, color) in seen.positions.iter().zip(&seen.colors) {
                let is_grey = color[..3] == GREY;
                assert!(at.x.abs() < 0.5 || is_grey == (at.x < 0.0), "{at}");
            }
            let looks = Looks::of_world(&world);
            let frame = Frame::around([&snapshot], &looks, 40, 30);
            let drawn = &scene(&snapshot, &looks, &frame).objects[0];
            assert_eq!(drawn.colors, seen.colors);
            assert_eq!(world.surfaces()[0].mesh().colors, Vec::<[u8; 4]>::new());
        }
    }
}
