//! The world: bodies, obstacles and what happens to them.

use crate::body::{self, BodyDesc, BuildError, Sampling, SurfaceKind};
use crate::clustering::Kernel;
use crate::dynamics::action::{Squeeze, Tool};
use crate::dynamics::attachments::{Attachment, Ground};
use crate::dynamics::collider::Collider;
use crate::dynamics::contacts::depths::Depths;
use crate::dynamics::contacts::ellipsoids::{EllipsoidBody, EllipsoidContacts};
use crate::dynamics::contacts::hulls::candidates::Apart;
use crate::dynamics::contacts::hulls::{BodyPlaces, HullContacts};
use crate::dynamics::contacts::kinship::Kinship;
use crate::dynamics::contacts::layer::Layer;
use crate::dynamics::contacts::pairs::{PairBody, Pairs};
use crate::dynamics::contacts::spheres::SphereContacts;
use crate::dynamics::contacts::statics::{ContactSkin, StaticContacts};
use crate::dynamics::grab::Grab;
use crate::matching::{
    Averaging, Dynamics, Fit, Jacobi, MatchedBody, Order, Sequential, SequentialBody, Turning,
};
use crate::material::{Material, PLASTIC_LIMIT};
use crate::oriented::OrientedDesc;
use crate::report::{Clock, Ledger};
use crate::resample::{self, Recluster, Resampling};
use crate::script::{Lead, Script};
use crate::state::{
    BodyId, Ellipsoid, GroupMaterial, Groups, Member, NO_LEAD, Oriented, ParticleId, Points, Remap,
    Rigids, Rings, Surface,
};
use crate::visual::joining::WorldJoint;
use crate::visual::{PatternDesc, VisualBody};
use glam::{DVec3, Mat3, Vec3};
use std::ops::Range;

/// Soft shells with coarse groups are placed in every so many iterations: these bring what two iterations without them would not (measured:
/// a truck's tyres keep their form, and the solve takes two thirds of the time).
const COARSE_EVERY: u32 = 2;

/// How the world is stepped.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Substeps of one step; 0 counts as 1.
    pub substeps: u32,
    /// Solver iterations of one substep; 0 counts as 1.
    pub iterations: u32,
    /// Gravity (m/s²).
    pub gravity: Vec3,
    /// Seed of all random choices.
    pub seed: u64,
    /// Passes that remove old penetration before the solve.
    pub stabilize_iterations: u32,
    /// Over-relaxation ω of shape matching, 1 to 2.
    pub over_relaxation: f32,
    /// Points slower than this stay where they are, in particle radii per second; 0 = never sleep.
    pub sleep_speed: f32,
    /// Largest distance a point may travel in a substep, in particle radii.
    pub max_travel: f32,
    /// Where timings come from; the engine itself reads no clock.
    pub clock: Option<Clock>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            substeps: 4,
            iterations: 4,
            gravity: Vec3::new(0.0, -9.81, 0.0),
            seed: 1,
            stabilize_iterations: 1,
            over_relaxation: 1.0,
            sleep_speed: 0.12,
            max_travel: 5.0,
            clock: None,
        }
    }
}

impl Settings {
    /// The same with at least one substep and one iteration.
    pub(crate) fn usable(self) -> Self {
        Self {
            substeps: self.substeps.max(1),
            iterations: self.iterations.max(1),
            ..self
        }
    }
}

/// A body: a range of points, a range of groups, a surface and a material.
#[derive(Clone, Debug)]
pub struct Body {
    /// Stable id.
    pub id: BodyId,
    /// Name.
    pub name: String,
    /// The body that it broke off, or itself: it looks like that one.
    pub origin: BodyId,
    /// Its points in [`World::points`].
    pub points: Range<usize>,
    /// Its groups in [`World::groups`]; none if its particles have rotations.
    pub groups: Range<usize>,
    /// What its particles have besides, in [`World::oriented`]; none if they have no rotations.
    pub oriented: Range<usize>,
    /// The groups of such particles, in [`World::rings`].
    pub rings: Range<usize>,
    /// Which of these particles take the rotation of a group.
    pub turning: Turning,
    /// Whether their velocities come from the last three places instead of two.
    pub second_order: bool,
    /// What it is made of.
    pub material: Material,
    /// Particle radius r (m).
    pub particle_radius: f32,
    /// Radius of its groups, in r.
    pub cluster_radius: f32,
    /// How it is re-sampled.
    pub resampling: Resampling,
    /// Mass over volume of its surface at the start (kg/m³), if it has one.
    pub solid_density: Option<f64>,
    /// Which rotation places its goals.
    pub fit: Fit,
    /// How corrections are combined.
    pub averaging: Averaging,
    /// How goals become motion.
    pub dynamics: Dynamics,
    /// Whether the members of its groups have weights of their own.
    pub weighted: bool,
    /// Weights of the members of new groups.
    pub kernel: Kernel,
    /// Whether far parts of it collide.
    pub self_contact: bool,
    /// How long parts of its tracked surface overlap before they become one (s).
    pub merge_delay: f32,
    /// Next particle id.
    pub next_particle: u64,
    /// Next group id.
    pub next_group: u64,
    /// How many groups it started with: those have the ids below.
    pub first_groups: u64,
}

impl Body {
    /// A body without particles, of a material.
    pub(crate) fn without_particles(id: BodyId, name: String, material: Material) -> Self {
        Self {
            id,
            origin: id,
            name,
            points: 0..0,
            groups: 0..0,
            oriented: 0..0,
            rings: 0..0,
            turning: Turning::default(),
            second_order: false,
            material,
            particle_radius: 0.0,
            cluster_radius: 1.0,
            resampling: Resampling {
                recluster: Recluster::Off,
                ..Resampling::default()
            },
            solid_density: None,
            fit: Fit::default(),
            averaging: Averaging::default(),
            dynamics: Dynamics::default(),
            weighted: false,
            kernel: Kernel::default(),
            self_contact: false,
            merge_delay: 0.0,
            next_particle: 0,
            next_group: 0,
            first_groups: 0,
        }
    }
}

/// Everything that is simulated.
///
/// ```
/// use pliant::dynamics::Collider;
/// use pliant::geometry::Shape;
/// use pliant::geometry::surface_nets::mesh_shape;
/// use pliant::{BodyDesc, Settings, World};
///
/// let ball = Shape::Sphere { center: glam::Vec3::Y, radius: 0.5 };
/// let mut world = World::new(Settings::default());
/// world.add_collider(Collider::floor(0.0));
/// world.add_body(BodyDesc::new("ball", mesh_shape(&ball, 0.1).unwrap(), 0.1)).unwrap();
/// for _ in 0..30 {
///     world.step(1.0 / 60.0);
/// }
/// let lowest = world.surfaces()[0].bounds().unwrap().0.y;
/// assert!(lowest > -0.01, "the ball rests on the floor");
/// ```
#[derive(Clone, Debug, Default)]
pub struct World {
    pub(crate) settings: Settings,
    pub(crate) points: Points,
    pub(crate) oriented: Oriented,
    pub(crate) rigids: Rigids,
    pub(crate) groups: Groups,
    pub(crate) rings: Rings,
    pub(crate) surfaces: Vec<Surface>,
    pub(crate) bodies: Vec<Body>,
    /// What bodies of visual geometry have besides, in the order of the bodies.
    pub(crate) visuals: Vec<Option<Box<VisualBody>>>,
    pub(crate) colliders: Vec<Collider>,
    /// Joints of bodies of visual geometry, and what of soft ones is tied.
    pub(crate) joints: Vec<WorldJoint>,
    pub(crate) next_joint: u32,
    pub(crate) attachments: Vec<Attachment>,
    /// Patterns that bodies are to be broken by at the end of the frame, and where.
    pub(crate) breaks: Vec<(Vec3, Option<PatternDesc>, Option<BodyId>)>,
    /// Which joints are driven and steered, how, and until when (s).
    pub(crate) leads: Vec<(String, Lead, f64)>,
    pub(crate) script: Script,
    pub(crate) grabs: Vec<Grab>,
    pub(crate) tools: Vec<Tool>,
    pub(crate) winds: Vec<(Vec3, f64)>,
    pub(crate) squeezes: Vec<Squeeze>,
    pub(crate) frame: u64,
    pub(crate) time: f64,
    pub(crate) next_body: u32,
    pub(crate) plan: Plan,
    pub(crate) scratch: Scratch,
}

/// Particles and groups of one body among several that merge.
struct Lot {
    points: usize,
    groups: usize,
    /// Mass of a particle (kg).
    mass: f32,
    density: f32,
    velocity: Vec3,
    material: GroupMaterial,
}

impl Lot {
    fn new(desc: &BodyDesc, sampling: &Sampling) -> Self {
        let r = f64::from(desc.particle_radius);
        let count = sampling.points.len() as f64;
        let volume = if sampling.volume > 0.0 {
            sampling.volume
        } else {
            count * r.powi(3) / 0.66
        };
        let m = &desc.material;
        Self {
            points: sampling.points.len(),
            groups: sampling.groups.len(),
            mass: (f64::from(m.density) * volume / count) as f32,
            density: m.density,
            velocity: desc.velocity,
            material: GroupMaterial::new(m),
        }
    }
}

/// What follows from the bodies and is made anew when they change.
#[derive(Clone, Debug, Default)]
pub(crate) struct Plan {
    pub(crate) stale: bool,
    pub(crate) jacobi: Jacobi,
    pub(crate) sequential: Sequential,
    /// The points in blocks that never straddle two bodies.
    pub(crate) blocks: Vec<Range<usize>>,
    pub(crate) pair_bodies: Vec<PairBody>,
    pub(crate) ellipsoid_bodies: Vec<EllipsoidBody>,
    /// What of visual geometry does not touch.
    pub(crate) apart: Apart,
    /// Where bodies are, by their ids.
    pub(crate) places: BodyPlaces,
    /// Whether there are bodies of visual geometry at all.
    pub(crate) has_hulls: bool,
    /// Which oriented particles do not touch; to be found anew when there is none.
    pub(crate) kinship: Option<Kinship>,
    /// One entry a block of points.
    pub(crate) skins: Vec<ContactSkin>,
    pub(crate) radii: Vec<f32>,
    /// Whether slow points of the block stay where they are.
    pub(crate) sleeps: Vec<bool>,
}

/// Buffers that live longer than a step only to be reused.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    pub(crate) statics: StaticContacts,
    /// Points that colliders pushed in the last substep, and in which direction.
    pub(crate) pushed: Vec<(Vec3, Vec3)>,
    pub(crate) pairs: Pairs,
    pub(crate) spheres: SphereContacts,
    pub(crate) ellipsoids: EllipsoidContacts,
    /// Contacts of convex primitives.
    pub(crate) hulls: HullContacts,
    pub(crate) a: Vec<Mat3>,
    pub(crate) v_before: Vec<Vec3>,
    /// Spins of oriented particles before the solve.
    pub(crate) spin_before: Vec<Vec3>,
    pub(crate) depths: Depths,
    /// Plain particles as what is oriented touches them.
    pub(crate) layer: Layer,
    pub(crate) turn: Vec<Mat3>,
    /// Plastic strain of the last frame at every point.
    pub(crate) flow: Vec<f32>,
    pub(crate) resample: resample::Scratch,
}

/// Moves a range that lies behind one that is gone.
fn back(range: &mut Range<usize>, gone: &Range<usize>) {
    if range.start >= gone.end {
        *range = range.start - gone.len()..range.end - gone.len();
    }
}

impl World {
    /// An empty world.
    pub fn new(settings: Settings) -> Self {
        Self {
            settings,
            ..Self::default()
        }
    }

    /// Adds a body: fills its mesh with particles, covers them with groups and hangs the surface on them.
    pub fn add_body(&mut self, mut desc: BodyDesc) -> Result<BodyId, BuildError> {
        body::make_solid(&mut desc)?;
        let sampling = body::sample(&desc, self.settings.seed)?;
        self.add_sampled(desc, &sampling)
    }

    /// Adds bodies that merge with each other where they meet. They become one body of several pieces, with the name and the settings
    /// of the first; velocity, density, stiffness, yield, flow and hardening are each one's own, and mix where they merge.
    ///
    /// All must have a tracked surface, one particle radius and one edge length.
    pub fn add_merging(&mut self, descs: Vec<BodyDesc>) -> Result<BodyId, BuildError> {
        let seed = self.settings.seed;
        let sampled = descs.into_iter().map(|mut desc| {
            body::make_solid(&mut desc)?;
            let sampling = body::sample(&desc, seed)?;
            Ok((desc, sampling))
        });
        let sampled = sampled.collect::<Result<Vec<_>, BuildError>>()?;
        self.add_sampled_merging(sampled)
    }

    /// [`World::add_merging`] of bodies whose particles and groups are given, and whose meshes are solid ([`body::make_solid`]).
    pub fn add_sampled_merging(
        &mut self,
        bodies: Vec<(BodyDesc, Sampling)>,
    ) -> Result<BodyId, BuildError> {
        let parameter = |text: &str| Err(BuildError::Parameter(text.to_owned()));
        let mut bodies = bodies.into_iter();
        let Some((mut whole, mut joint)) = bodies.next() else {
            return parameter("there is no body to add");
        };
        if !matches!(whole.surface, SurfaceKind::Tracked { .. }) {
            return parameter("bodies that merge must have tracked surfaces");
        }
        let mut lots = vec![Lot::new(&whole, &joint)];
        for (desc, sampling) in bodies {
            if desc.particle_radius != whole.particle_radius || desc.surface != whole.surface {
                return parameter(
                    "bodies that merge must have the same particle_radius, edge_length and volume",
                );
            }
            lots.push(Lot::new(&desc, &sampling));
            whole.mesh.append(&desc.mesh);
            joint.append(sampling);
        }
        self.add_lots(whole, &joint, &lots)
    }

    /// Adds a body whose particles and groups are given; if its surface is tracked, its mesh must be solid
    /// ([`body::make_solid`]).
    pub fn add_sampled(
        &mut self,
        desc: BodyDesc,
        sampling: &body::Sampling,
    ) -> Result<BodyId, BuildError> {
        let lot = Lot::new(&desc, sampling);
        self.add_lots(desc, sampling, &[lot])
    }

    fn add_lots(
        &mut self,
        desc: BodyDesc,
        sampling: &Sampling,
        lots: &[Lot],
    ) -> Result<BodyId, BuildError> {
        let r = desc.particle_radius;
        let first = self.points.len();
        let first_group = self.groups.len();
        let (surface, pieces) = body::make_surface(&desc, &sampling.points, first)?;
        let (mut id, mut points) = (0, sampling.points.iter());
        let reach = sampling.cluster_radius.unwrap_or(desc.cluster_radius * r);
        let mut groups = sampling.groups.iter().enumerate();
        for lot in lots {
            for &x in points.by_ref().take(lot.points) {
                self.points.push(x, lot.velocity, lot.mass, id);
                id += 1;
            }
            for (k, members) in groups.by_ref().take(lot.groups) {
                let weights = sampling.weights.get(k);
                let place = |&i: &u32| sampling.points[i as usize];
                let center = members.iter().map(place).sum::<Vec3>() / members.len() as f32;
                let member = |(l, i): (usize, &u32)| Member {
                    mover: first as u32 + i,
                    q: place(i) - center,
                    weight: weights.map_or(1.0, |w| w[l]),
                };
                let members: Vec<Member> = members.iter().enumerate().map(member).collect();
                self.groups.push(&members, reach, lot.material);
                let new = self.groups.len() - 1;
                self.groups.center[new] = center;
                self.groups.id[new] = (new - first_group) as u64;
            }
        }
        self.points.piece[first..].copy_from_slice(&pieces);
        let mut solid_density = None;
        if let Surface::Tracked(tracked) = &surface {
            let volume: f64 = tracked.components().iter().map(|c| c.target).sum();
            let mass: f64 = self.points.mass[first..]
                .iter()
                .map(|&m| f64::from(m))
                .sum();
            let one_density = lots.iter().all(|lot| lot.density == lots[0].density);
            solid_density = (one_density && volume > 0.0).then(|| mass / volume);
        }
        let mut material = desc.material;
        let renewed = match desc.resampling.recluster {
            Recluster::Off => false,
            Recluster::World => matches!(surface, Surface::Tracked(_)),
            Recluster::Embedded => true,
        };
        if !renewed {
            material.plastic_limit.get_or_insert(PLASTIC_LIMIT);
        }
        self.surfaces.push(surface);
        self.visuals.push(None);
        let id = BodyId(self.next_body);
        self.next_body += 1;
        self.bodies.push(Body {
            id,
            origin: id,
            name: desc.name,
            points: first..self.points.len(),
            groups: first_group..self.groups.len(),
            oriented: self.oriented.len()..self.oriented.len(),
            rings: self.rings.len()..self.rings.len(),
            turning: Turning::default(),
            second_order: false,
            material,
            particle_radius: r,
            cluster_radius: reach / r,
            resampling: Resampling {
                spacing: desc.cluster_spacing,
                min_memberships: desc.min_memberships,
                max_particles: desc.max_particles.min(4 * sampling.points.len()),
                ..desc.resampling
            },
            solid_density,
            fit: desc.fit,
            averaging: desc.averaging,
            dynamics: desc.dynamics,
            weighted: desc.clustering.is_weighted(&desc.dynamics),
            kernel: desc.clustering.kernel(),
            self_contact: desc.self_contact,
            merge_delay: desc.merge_delay,
            next_particle: sampling.points.len() as u64,
            next_group: sampling.groups.len() as u64,
            first_groups: sampling.groups.len() as u64,
        });
        self.groups.rebuild_rows(self.points.len());
        let matched = self.matched_bodies();
        let new = matched.len() - 1;
        Jacobi::refresh_weights(&matched[new..], &mut self.points, &mut self.groups);
        self.plan.stale = true;
        Ok(id)
    }

    /// Adds a body of particles that have rotations.
    pub fn add_oriented(&mut self, desc: OrientedDesc) -> Result<BodyId, BuildError> {
        desc.check()?;
        let (first, first_oriented) = (self.points.len(), self.oriented.len());
        for (i, particle) in desc.particles.iter().enumerate() {
            let point = (first + i) as u32;
            self.points
                .push(particle.x, desc.velocity, particle.mass, i as u64);
            let ellipsoid = Ellipsoid {
                rest: particle.x,
                axes: particle.axes,
                radii: particle.radii,
                moment_radius: particle.moment_radius(),
                collides: particle.collides,
            };
            self.oriented.push(point, particle.mass, &ellipsoid);
        }
        let first_ring = self.rings.len();
        for group in desc.all_groups() {
            self.push_ring(&desc, &group, first);
        }
        let (rings, points) = (&mut self.rings.groups, &self.points);
        for k in first_ring..rings.len() {
            rings.id[k] = (k - first_ring) as u64;
        }
        rings.rebuild_rows(points.len());
        let radius = desc.particles.iter().map(|p| p.radii.max_element());
        let radius = radius.fold(0.0, f32::max);
        self.surfaces
            .push(crate::oriented::skin::bind(&desc, first));
        self.visuals.push(None);
        let id = BodyId(self.next_body);
        self.next_body += 1;
        let count = desc.particles.len() as u64;
        let groups = self.rings.len() - first_ring;
        self.bodies.push(Body {
            points: first..self.points.len(),
            groups: self.groups.len()..self.groups.len(),
            oriented: first_oriented..self.oriented.len(),
            rings: first_ring..self.rings.len(),
            turning: desc.turning,
            second_order: desc.second_order,
            particle_radius: radius,
            self_contact: desc.self_contact,
            next_particle: count,
            next_group: groups as u64,
            first_groups: groups as u64,
            ..Body::without_particles(id, desc.name, desc.material)
        });
        self.groups.rebuild_rows(self.points.len());
        self.plan.stale = true;
        self.plan.kinship = None;
        Ok(id)
    }

    /// Adds a group of oriented particles, the first of which is point `first`.
    fn push_ring(&mut self, desc: &OrientedDesc, group: &crate::oriented::GroupDesc, first: usize) {
        let of = |&i: &u32| desc.particles[i as usize];
        let mass: f32 = group.particles.iter().map(|i| of(i).mass).sum();
        let center = group
            .particles
            .iter()
            .map(|i| of(i).x * of(i).mass)
            .sum::<Vec3>()
            / mass;
        let member = |i: &u32| Member {
            mover: first as u32 + i,
            q: of(i).x - center,
            weight: if group.joints.contains(i) { 0.0 } else { 1.0 },
        };
        let members: Vec<Member> = group.particles.iter().map(member).collect();
        let radius = members.iter().map(|m| m.q.length()).fold(0.0, f32::max);
        let lead = group.lead.map_or(NO_LEAD, |i| first as u32 + i);
        let material = GroupMaterial {
            stiffness: group.stiffness,
            plastic_yield: if group.flows {
                desc.material.plastic_yield
            } else {
                f32::INFINITY
            },
            ..GroupMaterial::new(&desc.material)
        };
        self.rings.push(&members, lead, radius, material);
        if let Some(last) = self.rings.groups.center.last_mut() {
            *last = center;
        }
    }

    /// Groups of oriented particles begin to look for their rotations at that of the particle that has it, or else at that of the first.
    pub(crate) fn aim_rings(&mut self, rings: Range<usize>) {
        for k in rings {
            let lead = match self.rings.lead[k] {
                NO_LEAD => self.rings.groups.members(k).next().map(|m| m.0),
                lead => Some(lead),
            };
            if let Some(lead) = lead {
                let groups = &mut self.rings.groups;
                groups.rotation[k] = self.points.rotation[lead as usize];
                groups.center[k] = self.points.x[lead as usize];
            }
        }
    }

    /// Makes the groups of a soft body of visual geometry anew, from the links that are left.
    pub(crate) fn renew_rings(&mut self, at: usize) {
        let Some(visual) = self.visuals[at].as_deref_mut() else {
            return;
        };
        visual.prepare_deformation();
        let desc = visual.particles(&self.bodies[at].material);
        let gone = self.bodies[at].rings.clone();
        let same = Remap::keeping(&vec![true; self.points.len()]);
        self.rings.remove(&gone, &same);
        for body in &mut self.bodies {
            back(&mut body.rings, &gone);
        }
        let (first, first_ring) = (self.bodies[at].points.start, self.rings.len());
        for group in desc.all_groups() {
            self.push_ring(&desc, &group, first);
        }
        let rings = first_ring..self.rings.len();
        self.aim_rings(rings.clone());
        let groups = &mut self.rings.groups;
        for k in rings {
            groups.id[k] = (k - first_ring) as u64;
        }
        groups.rebuild_rows(self.points.len());
        self.bodies[at].rings = first_ring..self.rings.len();
        self.plan.stale = true;
        self.plan.kinship = None;
    }

    /// Takes a body out of the world; `false` if there is none with this id.
    pub fn remove_body(&mut self, id: BodyId) -> bool {
        let Some(at) = self.bodies.iter().position(|b| b.id == id) else {
            return false;
        };
        let body = self.bodies.remove(at);
        self.surfaces.remove(at);
        self.visuals.remove(at);
        let keep = |len: usize, gone: &Range<usize>| {
            (0..len).map(|i| !gone.contains(&i)).collect::<Vec<bool>>()
        };
        Remap::keeping(&keep(self.groups.len(), &body.groups)).apply_to_groups(&mut self.groups);
        let remap = Remap::keeping(&keep(self.points.len(), &body.points));
        remap.apply_to_points(&mut self.points, &mut self.groups, &mut self.surfaces);
        self.rings.remove(&body.rings, &remap);
        let keep_oriented = keep(self.oriented.len(), &body.oriented);
        self.oriented
            .keep(&keep_oriented, |i| remap.new_of_old[i as usize]);
        let kept = Remap::keeping(&keep_oriented);
        for grab in &mut self.grabs {
            grab.turned.retain_mut(|(i, _)| {
                *i = kept.new_of_old[*i as usize];
                *i != crate::state::remap::GONE
            });
            grab.held.retain_mut(|(i, _)| {
                *i = remap.new_of_old[*i as usize];
                *i != crate::state::remap::GONE
            });
        }
        for later in &mut self.bodies {
            back(&mut later.points, &body.points);
            back(&mut later.groups, &body.groups);
            back(&mut later.oriented, &body.oriented);
            back(&mut later.rings, &body.rings);
        }
        self.joints
            .retain(|own| own.a != id && own.b != Ground::Body(id));
        self.attachments
            .retain(|own| own.soft != id && own.to != Ground::Body(id));
        self.plan.stale = true;
        self.plan.kinship = None;
        true
    }

    /// Adds an obstacle.
    pub fn add_collider(&mut self, collider: Collider) {
        self.colliders.push(collider);
    }

    /// How the world is stepped.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Changes how the world is stepped from the next step on.
    pub fn settings_mut(&mut self) -> &mut Settings {
        &mut self.settings
    }

    /// The bodies, in the order in which they were added.
    pub fn bodies(&self) -> &[Body] {
        &self.bodies
    }

    /// The surfaces of the bodies, in the same order.
    pub fn surfaces(&self) -> &[Surface] {
        &self.surfaces
    }

    /// What a body of visual geometry has besides, by its place among the bodies; nothing for others.
    pub fn visual(&self, body: usize) -> Option<&VisualBody> {
        self.visuals.get(body)?.as_deref()
    }

    /// All plain particles; a body's are a range of them.
    pub fn points(&self) -> &Points {
        &self.points
    }

    /// All plain particles, to set up experiments: positions, velocities and masses may be changed, counts may not.
    pub fn points_mut(&mut self) -> &mut Points {
        &mut self.points
    }

    /// All groups; a body's are a range of them.
    pub fn groups(&self) -> &Groups {
        &self.groups
    }

    /// All groups, to set up experiments: plastic deformation and materials may be changed, members may not.
    pub fn groups_mut(&mut self) -> &mut Groups {
        self.plan.stale = true;
        &mut self.groups
    }

    /// What particles with a rotation have besides; a body's are a range of them.
    pub fn oriented(&self) -> &Oriented {
        &self.oriented
    }

    /// The same, to set up experiments: spins and what is held may be changed, counts may not.
    pub fn oriented_mut(&mut self) -> &mut Oriented {
        &mut self.oriented
    }

    /// All groups of such particles; a body's are a range of them.
    pub fn rings(&self) -> &Rings {
        &self.rings
    }

    /// Projectiles.
    pub fn rigids(&self) -> &Rigids {
        &self.rigids
    }

    /// Obstacles.
    pub fn colliders(&self) -> &[Collider] {
        &self.colliders
    }

    /// Where colliders have pushed points in the last substep (m), and in which direction.
    pub fn pushed_points(&self) -> &[(Vec3, Vec3)] {
        &self.scratch.pushed
    }

    /// Number of steps so far.
    pub fn frame(&self) -> u64 {
        self.frame
    }

    /// Simulated time (s).
    pub fn time(&self) -> f64 {
        self.time
    }

    /// The stable id of a particle of a body, by its index in the body's range.
    pub fn particle_id(&self, body: usize, index: usize) -> Option<ParticleId> {
        let body = self.bodies.get(body)?;
        let i = body.points.start + index;
        body.points
            .contains(&i)
            .then(|| ParticleId(self.points.id[i]))
    }

    pub(crate) fn matched_bodies(&self) -> Vec<MatchedBody> {
        self.bodies
            .iter()
            .map(|b| MatchedBody {
                points: b.points.clone(),
                groups: b.groups.clone(),
                fit: b.fit,
                averaging: b.averaging,
                dynamics: b.dynamics,
                weighted: b.weighted,
            })
            .collect()
    }

    /// The bodies whose groups are placed one after the other.
    pub(crate) fn sequential_bodies(&self) -> Vec<SequentialBody> {
        let bodies = self.bodies.iter().enumerate();
        let oriented = bodies.filter(|(_, b)| !b.oriented.is_empty());
        let of = |(body, b): (usize, &Body)| SequentialBody {
            body,
            points: b.points.clone(),
            first_oriented: b.oriented.start,
            rings: b.rings.clone(),
            turning: b.turning,
            order: if self.visuals[body].is_some() {
                Order::Free
            } else {
                Order::Given
            },
            every: if self.visuals[body].is_some() && b.rings.len() > b.oriented.len() {
                COARSE_EVERY
            } else {
                1
            },
        };
        oriented.map(of).collect()
    }

    /// Momentum, energy and mass of one body.
    pub fn body_ledger(&self, body: &Body) -> Ledger {
        let at = self.bodies.partition_point(|b| b.id < body.id);
        if let Some(rigid) = self.visual(at).and_then(|visual| visual.rigid) {
            return rigid.ledger();
        }
        let first = body.points.start;
        crate::parallel::sum(body.points.len(), Ledger::default(), |l| {
            let i = first + l;
            let (m, x, v) = (
                f64::from(self.points.mass[i]),
                self.points.x[i].as_dvec3(),
                self.points.v[i].as_dvec3(),
            );
            let (inertia, spin) = match body.oriented.clone().nth(l) {
                Some(o) => (
                    2.0 * f64::from(self.oriented.moment[o]),
                    self.oriented.spin[o].as_dvec3(),
                ),
                None => (0.0, DVec3::ZERO),
            };
            Ledger {
                mass: m,
                momentum: m * v,
                angular_momentum: m * x.cross(v) + inertia * spin,
                kinetic_energy: 0.5 * (m * v.length_squared() + inertia * spin.length_squared()),
                max_speed: v.length(),
            }
        })
    }

    /// Momentum, energy and mass of all bodies and projectiles.
    pub fn ledger(&self) -> Ledger {
        let bodies = self
            .bodies
            .iter()
            .fold(Ledger::default(), |sum, body| sum + self.body_ledger(body));
        (0..self.rigids.len()).fold(bodies, |sum, s| {
            let (m, x, v) = (
                f64::from(self.rigids.mass[s]),
                self.rigids.x[s].as_dvec3(),
                self.rigids.v[s].as_dvec3(),
            );
            let inertia = 1.0 / f64::from(self.rigids.inv_inertia(s));
            let spin: DVec3 = self.rigids.spin[s].as_dvec3();
            sum + Ledger {
                mass: m,
                momentum: m * v,
                angular_momentum: m * x.cross(v) + inertia * spin,
                kinetic_energy: 0.5 * m * v.length_squared()
                    + 0.5 * inertia * spin.length_squared(),
                max_speed: v.length(),
            }
        })
    }
}
