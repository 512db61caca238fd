//! Bodies of visual geometry in a world: adding, joining, attaching.

use super::body::{Rules, VisualBody};
use super::coarse::coarse_groups;
use super::desc::{Behavior, TearRule, VisualDesc, VisualError};
use super::hull::Hull;
use super::intake::{Intake, IntakeOptions, intake};
use super::links::{Link, LinkGraph, find_links};
use super::primitive::Primitive;
use super::welded::Pose;
use crate::material::Material;
use crate::oriented::{OrientedDesc, Particle};
use crate::state::{BodyId, Surface};
use crate::world::{Body, World};
use glam::{Mat3, Quat, Vec3};
use std::sync::Arc;

/// How far from a tear line the way between two linked primitives may pass it, in thicknesses: centroids lie half of one inside.
pub(crate) const TEAR_REACH: f32 = 2.0;

/// What a body is, besides its primitives.
#[derive(Clone, Debug)]
pub(crate) struct Identity {
    /// Its name; random numbers are keyed by it.
    pub(crate) name: String,
    /// The body that it broke off; none: itself.
    pub(crate) origin: Option<BodyId>,
    /// What it is made of.
    pub(crate) material: Material,
}

impl Identity {
    /// That of a body, for what breaks off it, under another name.
    pub(crate) fn of_piece(body: &Body, name: String) -> Self {
        Self {
            name,
            origin: Some(body.origin),
            material: body.material,
        }
    }
}

/// How the primitives of a soft body move.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Motion {
    /// Velocity (m/s).
    pub(crate) v: Vec3,
    /// Rotation since rest.
    pub(crate) rotation: Quat,
    /// Spin (rad/s).
    pub(crate) spin: Vec3,
}

impl World {
    /// Adds a body of visual geometry; one body a connected piece of the mesh, the first with the name, the others with `.1`, `.2`, ….
    #[expect(
        clippy::needless_pass_by_value,
        reason = "what is added is handed over, as with bodies"
    )]
    pub fn add_visual(&mut self, desc: VisualDesc) -> Result<Vec<BodyId>, VisualError> {
        desc.check()?;
        let options = IntakeOptions {
            thickness: vec![desc.thickness; desc.mesh.part_count()],
            join_parts: true,
            ..IntakeOptions::default()
        };
        let made = intake(&desc.mesh, &options)?;
        let mut graph = find_links(&made.primitives);
        if let TearRule::Lines(lines) = &desc.tear {
            let thickest = made.primitives.iter().map(|p| p.thickness);
            let reach = TEAR_REACH * thickest.fold(0.0, f32::max);
            lines.mark(&made.primitives, &mut graph, reach);
        }
        let rules = Rules::new(&desc);
        let Intake {
            primitives,
            mesh,
            gid_count,
            ..
        } = made;
        let source = (Arc::new(mesh), gid_count);
        let rest: Vec<Pose> = primitives.iter().map(Pose::at_rest).collect();
        let whole = VisualBody::new(rules, primitives, graph, rest, source);
        let mut ids = Vec::new();
        for (k, mut body) in whole.into_pieces().into_iter().enumerate() {
            let name = match k {
                0 => desc.name.clone(),
                k => format!("{}.{k}", desc.name),
            };
            let identity = Identity {
                name,
                origin: None,
                material: desc.material,
            };
            let id = if desc.behavior == Behavior::Soft {
                let motion = Motion {
                    v: desc.velocity,
                    spin: desc.spin,
                    ..Motion::default()
                };
                let motions = vec![motion; body.primitives.len()];
                self.push_soft(body, identity, &motions)?
            } else {
                body.stiffen(desc.is_fixed);
                if let Some(rigid) = &mut body.rigid
                    && !desc.is_fixed
                {
                    rigid.v = desc.velocity;
                    rigid.spin = desc.spin;
                }
                self.push_rigid(body, identity)
            };
            ids.push(id);
        }
        Ok(ids)
    }

    /// Adds a body that keeps its shape.
    pub(crate) fn push_rigid(&mut self, mut visual: VisualBody, identity: Identity) -> BodyId {
        let surface = visual.surface();
        self.push_rigid_drawn(visual, surface, identity)
    }

    /// Adds a body that keeps its shape and whose drawn mesh is made already.
    pub(crate) fn push_rigid_drawn(
        &mut self,
        visual: VisualBody,
        surface: Surface,
        identity: Identity,
    ) -> BodyId {
        let id = BodyId(self.next_body);
        self.next_body += 1;
        let mut body = Body::without_particles(id, identity.name, identity.material);
        body.origin = identity.origin.unwrap_or(id);
        body.points = self.points.len()..self.points.len();
        body.groups = self.groups.len()..self.groups.len();
        body.oriented = self.oriented.len()..self.oriented.len();
        body.rings = self.rings.len()..self.rings.len();
        body.particle_radius = visual.thickness;
        self.bodies.push(body);
        self.surfaces.push(surface);
        self.visuals.push(Some(Box::new(visual)));
        self.plan.stale = true;
        id
    }

    /// Adds a body that bends: an oriented particle a primitive, a group around each \[MCM16 §3.3\]. Primitives are where `visual.rest` says.
    pub(crate) fn push_soft(
        &mut self,
        mut visual: VisualBody,
        identity: Identity,
        motions: &[Motion],
    ) -> Result<BodyId, VisualError> {
        let mut desc = visual.particles(&identity.material);
        desc.name = identity.name;
        let id = self
            .add_oriented(desc)
            .map_err(|error| VisualError::Parameter(error.to_string()))?;
        let at = self.bodies.len() - 1;
        let body = &mut self.bodies[at];
        body.origin = identity.origin.unwrap_or(id);
        let first = body.oriented.start;
        for (l, motion) in motions.iter().enumerate() {
            let (i, o) = (body.points.start + l, first + l);
            let x = visual.rest[l].x;
            self.points.x[i] = x;
            self.points.v[i] = motion.v;
            self.points.pred[i].set_position(x);
            self.points.rotation[i] = motion.rotation;
            self.oriented.turned[o] = motion.rotation;
            self.oriented.spin[o] = motion.spin;
        }
        let rings = body.rings.clone();
        self.aim_rings(rings);
        visual.prepare_deformation();
        visual.turned = motions.iter().map(|m| m.rotation).collect();
        visual.place_all();
        self.surfaces[at] = visual.surface();
        self.visuals[at] = Some(Box::new(visual));
        Ok(id)
    }
}

impl VisualDesc {
    /// The first thing that has no meaning.
    fn check(&self) -> Result<(), VisualError> {
        let refuse = |text: &str| Err(VisualError::Parameter(text.to_owned()));
        if let Some(complaint) = self.material.complaint() {
            return refuse(complaint);
        }
        if !(self.velocity.is_finite() && self.spin.is_finite()) {
            return refuse("velocity and spin must be finite");
        }
        if !(self.thickness >= 0.0 && self.thickness.is_finite()) {
            return refuse("thickness must be 0 or more");
        }
        if self.dent_speed.is_nan() || self.dent_speed < 0.0 {
            return refuse("dent_speed must be 0 or more");
        }
        if self.damping.is_nan() || self.damping < 0.0 {
            return refuse("damping must be 0 or more");
        }
        // [MCM16 §3.6] "times the rest length": a ratio, not a strain.
        if self.tear_stretch.is_nan() || self.tear_stretch <= 1.0 {
            return refuse("tear_stretch is a ratio of lengths and must be above 1");
        }
        Ok(())
    }
}

impl Pose {
    /// Where a primitive is undeformed.
    pub(crate) fn at_rest(primitive: &Primitive) -> Self {
        Self {
            x: primitive.centroid,
            d: Mat3::IDENTITY,
        }
    }
}

impl VisualBody {
    /// A particle for each primitive, undeformed, connected where these are linked.
    pub(crate) fn particles(&self, material: &Material) -> OrientedDesc {
        let particle = |p: &Primitive| Particle {
            collides: false,
            ..Particle::ball(p.centroid, p.radius, self.rules.density * p.volume)
        };
        let particles = self.primitives.iter().map(particle).collect();
        let links = self.graph.links.iter().filter(|l| !l.broken);
        let mut desc = OrientedDesc::new("", particles, links.map(|l| [l.i, l.j]).collect());
        desc.material = *material;
        desc.groups = coarse_groups(&self.primitives, &self.graph, material.stiffness);
        desc
    }

    /// Its connected pieces, over unbroken links; places stay as they are. Pieces are in the order of their lowest primitives.
    pub(crate) fn into_pieces(self) -> Vec<Self> {
        let (of, count) = self.graph.components();
        if count <= 1 {
            return vec![self];
        }
        let parts = self.into_parts(&of, count);
        parts.into_iter().map(|(body, _)| body).collect()
    }

    /// Bodies of its primitives, by the number `of` the part of each, in the same places, and of the links within each; and which primitives
    /// each part has. One pass for all parts: a body can break into hundreds.
    pub(crate) fn into_parts(self, of: &[u32], count: u32) -> Vec<(Self, Vec<u32>)> {
        struct Part {
            own: Vec<u32>,
            shapes: (Vec<Primitive>, Vec<Hull>),
            rest: Vec<Pose>,
            dented: Vec<f32>,
            links: Vec<Link>,
        }
        let mut sizes = vec![0; count as usize];
        for &k in of {
            sizes[k as usize] += 1;
        }
        let part = |size: usize| Part {
            own: Vec::with_capacity(size),
            shapes: (Vec::with_capacity(size), Vec::with_capacity(size)),
            rest: Vec::with_capacity(size),
            dented: Vec::with_capacity(size),
            links: Vec::new(),
        };
        let mut parts: Vec<Part> = sizes.into_iter().map(part).collect();
        let mut number = Vec::with_capacity(of.len());
        let shapes = self.primitives.into_iter().zip(self.hulls);
        for (k, (primitive, hull)) in shapes.enumerate() {
            let part = &mut parts[of[k] as usize];
            number.push(part.own.len() as u32);
            part.own.push(k as u32);
            part.shapes.0.push(primitive);
            part.shapes.1.push(hull);
            part.rest.push(self.rest[k]);
            part.dented.push(self.dented[k]);
        }
        for link in self.graph.links {
            let (i, j) = (link.i as usize, link.j as usize);
            if of[i] == of[j] {
                let (i, j) = (number[i], number[j]);
                parts[of[link.i as usize] as usize]
                    .links
                    .push(Link { i, j, ..link });
            }
        }
        let body = |part: Part| {
            let source = (Arc::clone(&self.source), self.gid_count);
            let graph = LinkGraph::new(part.own.len(), part.links);
            let mut body =
                Self::of_hulls(self.rules.clone(), part.shapes, graph, part.rest, source);
            body.dented = part.dented;
            (body.events, body.generation) = (self.events, self.generation);
            body.divided.clone_from(&self.divided);
            (body, part.own)
        };
        parts.into_iter().map(body).collect()
    }
}
