//! A hash of every bit that influences the next step: equal hashes mean equal futures.
//!
//! The stream is tagged and little-endian, in fixed order: frame, then the bodies in order, then projectiles and actions
//! under way. A body is its name, the ids that its next particle and its next group will get, its particles, its groups and its
//! surface; particles and groups begin with their ids. −0 counts as 0. Lists that are only a faster way to find what positions already say (contact candidates) are
//! left out.

use crate::state::{Blend, BodyId, Carriers, Hanging, Skin, Skinned, Surface};
use crate::surface::Tracked;
use crate::visual::{LinkKind, VisualBody};
use crate::world::{Body, World};
use glam::{Mat3, Quat, Vec2, Vec3};
use xxhash_rust::xxh3::Xxh3;

/// Collects numbers in blocks before they are hashed.
struct Stream {
    hasher: Xxh3,
    buffer: Vec<u8>,
}

impl Stream {
    fn new() -> Self {
        Self {
            hasher: Xxh3::new(),
            buffer: Vec::with_capacity(1 << 16),
        }
    }

    fn bytes(&mut self, bytes: &[u8]) {
        if self.buffer.len() + bytes.len() > self.buffer.capacity() {
            self.hasher.update(&self.buffer);
            self.buffer.clear();
        }
        self.buffer.extend_from_slice(bytes);
    }

    fn tag(&mut self, tag: [u8; 4], count: usize) {
        self.bytes(&tag);
        self.u64(count as u64);
    }

    fn u32(&mut self, value: u32) {
        self.bytes(&value.to_le_bytes());
    }

    fn u64(&mut self, value: u64) {
        self.bytes(&value.to_le_bytes());
    }

    fn f32(&mut self, value: f32) {
        // −0 + 0 = 0: the two zeros hash alike.
        self.u32((value + 0.0).to_bits());
    }

    fn f64(&mut self, value: f64) {
        self.u64((value + 0.0).to_bits());
    }

    fn vec3(&mut self, v: Vec3) {
        v.to_array().into_iter().for_each(|e| self.f32(e));
    }

    fn vec2(&mut self, v: Vec2) {
        v.to_array().into_iter().for_each(|e| self.f32(e));
    }

    fn quat(&mut self, q: Quat) {
        q.to_array().into_iter().for_each(|e| self.f32(e));
    }

    fn mat3(&mut self, m: Mat3) {
        m.to_cols_array().into_iter().for_each(|e| self.f32(e));
    }

    fn finish(mut self) -> u64 {
        self.hasher.update(&self.buffer);
        self.hasher.digest()
    }
}

impl World {
    /// The hash of the whole state.
    pub fn hash(&self) -> u64 {
        let mut s = Stream::new();
        s.tag(*b"FRAM", 1);
        s.u64(self.frame);
        s.f64(self.time);
        for at in 0..self.bodies.len() {
            self.hash_body(&mut s, at);
        }
        self.hash_rigids(&mut s);
        self.hash_actions(&mut s);
        s.finish()
    }

    /// The hash of one body alone; its ids and indices are local, so other bodies do not show.
    pub fn body_hash(&self, body: usize) -> Option<u64> {
        (body < self.bodies.len()).then(|| {
            let mut s = Stream::new();
            self.hash_body(&mut s, body);
            s.finish()
        })
    }

    fn hash_body(&self, s: &mut Stream, at: usize) {
        let body = &self.bodies[at];
        let first = body.points.start as u32;
        s.tag(*b"BODY", body.name.len());
        s.bytes(body.name.as_bytes());
        s.u64(body.next_particle);
        s.u64(body.next_group);
        s.tag(*b"PNTS", body.points.len());
        let points = &self.points;
        for i in body.points.clone() {
            s.u64(points.id[i]);
            s.vec3(points.x[i]);
            s.vec3(points.v[i]);
            s.f32(points.mass[i]);
            s.f32(points.inv_mass[i]);
            s.f32(points.pred[i].0[3]);
            s.quat(points.rotation[i]);
            s.u32(points.piece[i]);
        }
        self.hash_groups(s, body, first);
        if !body.oriented.is_empty() {
            self.hash_oriented(s, body, first);
        }
        self.hash_surface(s, at, first);
        if let Some(visual) = &self.visuals[at] {
            hash_visual(s, visual);
        }
    }

    fn hash_oriented(&self, s: &mut Stream, body: &Body, first: u32) {
        let oriented = &self.oriented;
        s.tag(*b"ORNT", body.oriented.len());
        for i in body.oriented.clone() {
            s.vec3(oriented.spin[i]);
            s.quat(oriented.axes[i]);
            s.vec3(oriented.radii[i]);
            s.f32(oriented.moment[i]);
            s.u32(u32::from(oriented.held[i]));
            if body.second_order {
                let (past, settled) = oriented.past[i].state();
                for v in past {
                    s.vec3(v);
                }
                s.u32(u32::from(settled));
            }
        }
        let groups = &self.rings.groups;
        s.tag(*b"RNGS", body.rings.len());
        for k in body.rings.clone() {
            s.u32(groups.count[k]);
            for member in groups.weighted_members(k) {
                s.u32(member.mover - first);
                s.vec3(member.q);
                s.f32(member.weight);
            }
            s.u32(self.rings.lead[k].wrapping_sub(first));
            s.f32(groups.material[k].stiffness);
            s.vec3(groups.center[k]);
            s.quat(groups.rotation[k]);
        }
    }

    fn hash_groups(&self, s: &mut Stream, body: &Body, first: u32) {
        let groups = &self.groups;
        s.tag(*b"GRPS", body.groups.len());
        for k in body.groups.clone() {
            s.u64(groups.id[k]);
            s.u32(groups.count[k]);
            for member in groups.weighted_members(k) {
                s.u32(member.mover - first);
                s.vec3(member.q);
                s.f32(member.weight);
            }
            s.mat3(groups.f_p[k]);
            s.mat3(groups.next_f_p[k]);
            let m = groups.material[k];
            for e in [m.stiffness, m.plastic_yield, m.plastic_flow, m.hardening] {
                s.f32(e);
            }
            s.f32(groups.alpha[k]);
            s.f32(groups.fade[k]);
            s.u32(groups.fading[k] as u32);
            s.u32(groups.born_with[k]);
            s.f32(groups.last_norm[k]);
            // Warm starts: the origin of the next sums and the guess of the next rotation.
            s.vec3(groups.center[k]);
            s.quat(groups.rotation[k]);
        }
    }

    fn hash_surface(&self, s: &mut Stream, at: usize, first: u32) {
        match &self.surfaces[at] {
            Surface::None => s.tag(*b"NONE", 0),
            Surface::Skinned(skinned) => hash_skinned(s, skinned, first),
            Surface::Tracked(tracked) => hash_tracked(s, tracked, first),
            // What it shows follows from the primitives.
            Surface::Welded(_) => s.tag(*b"WELD", 0),
        }
    }

    fn hash_rigids(&self, s: &mut Stream) {
        let rigids = &self.rigids;
        s.tag(*b"JNTS", self.joints.len());
        for own in &self.joints {
            let j = &own.joint;
            s.u32(own.a.0);
            for v in [
                j.angle,
                j.way,
                j.steered,
                j.steer,
                j.drive.unwrap_or(0.0),
                j.drive_strength.unwrap_or(0.0),
                j.suspension.mass,
            ] {
                s.f32(v);
            }
            for anchor in [j.a, j.b] {
                s.vec3(anchor.at);
                s.quat(anchor.axes);
            }
        }
        s.tag(*b"TIES", self.attachments.len());
        for own in &self.attachments {
            s.u32(own.soft.0);
            s.u32(own.primitive);
            s.vec3(own.at);
            s.quat(own.turn);
        }
        let memory = &self.scratch.hulls.memory;
        s.tag(*b"PUSH", memory.len());
        for m in memory {
            m.key.iter().for_each(|k| s.u32(*k));
            s.vec3(m.arm);
            s.f32(m.push);
            s.vec3(m.slide);
        }
        s.tag(*b"RGDS", rigids.len());
        for i in 0..rigids.len() {
            s.vec3(rigids.x[i]);
            s.vec3(rigids.v[i]);
            s.quat(rigids.rotation[i]);
            s.vec3(rigids.spin[i]);
            s.f32(rigids.mass[i]);
            s.f32(rigids.radius[i]);
            s.f64(rigids.until[i]);
        }
    }

    fn hash_actions(&self, s: &mut Stream) {
        s.tag(*b"ACTS", self.script.begun());
        s.vec3(self.settings.gravity);
        // Where hands go is what they are told, as it is with colliders; what they hold is state.
        for grab in &self.grabs {
            s.tag(*b"GRAB", grab.held.len());
            s.vec3(grab.from);
            s.f64(grab.start);
            for (i, from) in &grab.held {
                s.u32(*i);
                s.vec3(*from);
            }
            for (i, from) in &grab.turned {
                s.u32(*i);
                s.quat(*from);
            }
        }
        s.tag(*b"TOOL", self.tools.len());
        for (velocity, until) in &self.winds {
            s.tag(*b"WIND", 1);
            s.vec3(*velocity);
            s.f64(*until);
        }
        for squeeze in &self.squeezes {
            let only = squeeze.body;
            s.tag(*b"SQZE", usize::from(only.is_some()));
            s.vec3(squeeze.point);
            s.vec3(squeeze.normal);
            s.f32(squeeze.strength);
            s.f64(squeeze.until);
            if let Some(BodyId(body)) = only {
                s.u32(body);
            }
        }
    }
}

/// Shapes, places and links of primitives, and how the body moves if it is rigid.
fn hash_visual(s: &mut Stream, visual: &VisualBody) {
    s.tag(*b"PRIM", visual.primitives.len());
    for (p, pose) in visual.primitives.iter().zip(&visual.rest) {
        p.verts.iter().for_each(|v| s.vec3(*v));
        p.gids.iter().for_each(|g| s.u32(*g));
        p.faces.items.iter().for_each(|v| s.u32(*v));
        s.u32(p.cell);
        s.vec3(pose.x);
        s.mat3(pose.d);
    }
    visual.dented.iter().for_each(|d| s.f32(*d));
    s.tag(*b"LINK", visual.graph.links.len());
    for link in &visual.graph.links {
        s.u32(link.i);
        s.u32(link.j);
        s.f32(link.rest);
        let kind = match link.kind {
            LinkKind::Initial => 0,
            LinkKind::Pattern { breakable } => 1 + u32::from(breakable),
        };
        s.u32(4 * u32::from(link.broken) + kind);
    }
    s.u32(visual.gid_count);
    s.u32(visual.events);
    for (at, radius) in &visual.divided {
        s.vec3(*at);
        s.f32(*radius);
    }
    if let Some(rigid) = &visual.rigid {
        s.tag(*b"RIGD", 1);
        s.vec3(rigid.x);
        s.vec3(rigid.v);
        s.quat(rigid.rotation);
        s.vec3(rigid.spin);
        s.f32(rigid.inv_mass);
        s.mat3(rigid.inertia);
    }
}

fn hash_carriers(s: &mut Stream, carriers: &Carriers, first: u32) {
    carriers.point.iter().for_each(|i| s.u32(i - first));
    carriers.weight.iter().for_each(|w| s.f32(*w));
}

fn hash_skin(s: &mut Stream, skin: &Skin, first: u32) {
    hash_carriers(s, &skin.carriers(), first);
    skin.local.iter().for_each(|z| s.vec3(*z));
}

fn hash_skinned(s: &mut Stream, surface: &Skinned, first: u32) {
    let mesh = &surface.mesh;
    s.tag(*b"SURF", mesh.positions.len());
    mesh.positions.iter().for_each(|y| s.vec3(*y));
    surface.rest.iter().for_each(|y| s.vec3(*y));
    for carriers in surface.carriers.iter().chain(&surface.more) {
        hash_carriers(s, carriers, first);
    }
    match &surface.hanging {
        Hanging::Offsets(offsets) => offsets.iter().flatten().for_each(|z| s.vec3(*z)),
        Hanging::Motions(Blend::Linear) => s.tag(*b"MEAN", 0),
        Hanging::Motions(Blend::Dual) => s.tag(*b"DUAL", 0),
    }
    s.tag(*b"TRIS", mesh.triangles.len());
    mesh.triangles.iter().flatten().for_each(|v| s.u32(*v));
    mesh.corner_uvs.iter().flatten().for_each(|uv| s.vec2(*uv));
    mesh.colors.iter().for_each(|c| s.bytes(c));
    mesh.parts.iter().for_each(|p| s.bytes(&p.to_le_bytes()));
}

/// Slots in their order, with what their reuse depends on. What free slots hold is overwritten before it is read.
fn hash_tracked(s: &mut Stream, surface: &Tracked, first: u32) {
    let mesh = surface.mesh();
    s.tag(*b"TRKV", mesh.x.len());
    mesh.out.iter().for_each(|h| s.u32(*h));
    for v in mesh.vertices().map(|v| v as usize) {
        s.vec3(mesh.x[v]);
        s.vec3(mesh.was[v]);
        s.vec3(mesh.rest[v]);
        s.u32(mesh.component[v]);
        if let Some(color) = mesh.color.get(v) {
            s.bytes(color);
        }
        hash_skin(s, &surface.skin()[v], first);
    }
    s.tag(*b"TRKT", mesh.material.len());
    mesh.corner.iter().for_each(|v| s.u32(*v));
    mesh.twin.iter().for_each(|h| s.u32(*h));
    for t in mesh.triangles().map(|t| t as usize) {
        s.bytes(&mesh.material[t].to_le_bytes());
        s.u32(mesh.scar[t]);
        s.u32(mesh.patch[t]);
        let uvs = mesh.uv.get(3 * t..3 * t + 3).unwrap_or_default();
        for uv in uvs {
            s.vec2(*uv);
        }
    }
    s.tag(*b"FREE", mesh.free_vertices.len());
    mesh.free_vertices.iter().for_each(|v| s.u32(*v));
    mesh.free_triangles.iter().for_each(|t| s.u32(*t));
    s.tag(*b"PCES", surface.components().len());
    for piece in surface.components() {
        s.u32(piece.id);
        s.f64(piece.target);
    }
    s.u32(surface.tracker().next_component());
    s.u32(surface.tracker().new_triangles());
    let (knots, contacts) = surface.tracker().crossings();
    s.tag(*b"KNOT", knots.len());
    for &(t, age) in knots {
        s.u32(t);
        s.u32(age as u32);
    }
    s.tag(*b"WAIT", contacts.len());
    for contact in contacts {
        s.u32(contact.vertex);
        s.u32(contact.age);
        s.u32(contact.pairs);
    }
}
