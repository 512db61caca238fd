//! A body of convex primitives in a world: what it is made of, where its primitives are, and how it answers.
//!
//! A body that keeps its shape is one [`Rigid`]; its primitives have places in the body's axes, which dents change. A soft one has an oriented
//! particle a primitive; its primitives have places in the world, which are made anew in every frame.

use super::desc::{Behavior, PatternDesc, VisualDesc};
use super::hull::{Bounds, Hull};
use super::links::LinkGraph;
use super::polygons::PolygonMesh;
use super::primitive::Primitive;
use super::welded::{Pose, Welded};
use crate::dynamics::frame::Rigid;
use crate::geometry::bvh::Bvh;
use crate::math::algebra::M3;
use crate::math::svd::signed_svd;
use crate::state::{Csr, Surface};
use glam::{Mat3, Quat, Vec3};
use rayon::prelude::*;
use std::sync::Arc;

/// So often pieces may shatter again, each time into fewer and under harder hits: else one hit would grind them to dust.
const GENERATIONS: u8 = 2;

/// How a body answers to what happens to it.
#[derive(Clone, Debug)]
pub struct Rules {
    /// What it does when it is hit.
    pub behavior: Behavior,
    /// Closing speed above which it is changed by an impact (m/s).
    pub dent_speed: f32,
    /// Stretch at which links that may break do.
    pub tear_stretch: f32,
    /// The pattern by which it is divided or shatters.
    pub pattern: PatternDesc,
    /// Density (kg/m³).
    pub density: f32,
    /// Whether far parts of it collide, if it is soft.
    pub self_contact: bool,
    /// How fast motions of its primitives against each other die away, if it is soft (1/s).
    pub damping: f32,
    /// Whether anything is seen of it.
    pub is_shown: bool,
    /// How many primitives at the most it is divided into.
    pub max_primitives: usize,
}

/// A body of convex primitives.
///
/// Invariants: `hulls`, `rest` and `placed` have an entry a primitive; `rest` and `placed` are in body axes about the centre of mass if the
/// body is rigid, else in those of the world.
#[derive(Clone, Debug)]
pub struct VisualBody {
    /// How it answers.
    pub rules: Rules,
    /// Its primitives, undeformed.
    pub primitives: Vec<Primitive>,
    /// Which of them hold together.
    pub graph: LinkGraph,
    /// One more than the highest gid.
    pub gid_count: u32,
    /// The mesh that it was made from.
    pub source: Arc<PolygonMesh>,
    /// Where it is, if it keeps its shape.
    pub rigid: Option<Rigid>,
    /// Where its primitives are: of rigid bodies after all dents so far.
    pub rest: Vec<Pose>,
    /// How far each primitive has been dented in all (m).
    pub dented: Vec<f32>,
    /// Shapes of the primitives, for collision.
    pub(crate) hulls: Vec<Hull>,
    /// What is around each of them, about its place.
    pub(crate) bounds_of: Vec<Bounds>,
    /// Boxes of the primitives as they are placed; of soft ones without their places, which change.
    pub(crate) boxes: Vec<(Vec3, Vec3)>,
    pub(crate) tree: Bvh,
    /// Rotations of the particles of a soft body when its primitives were placed last.
    pub(crate) turned: Vec<Quat>,
    /// Primitives of a soft body that are linked to each one or to those that are.
    pub(crate) kin: Csr,
    /// Ā⁻¹ of the primitives of a soft body; none for those that only turn.
    pub(crate) inverse: Vec<Option<Mat3>>,
    /// Vertices of the drawn mesh in body axes, if it is rigid.
    pub(crate) drawn: Vec<Vec3>,
    /// Farthest vertex from the centre of mass (m).
    pub(crate) radius: f32,
    /// Mean thickness of its primitives (m).
    pub(crate) thickness: f32,
    /// How many impacts have changed it: random numbers are keyed by it.
    pub(crate) events: u32,
    /// How often what it is a piece of has shattered.
    pub(crate) generation: u8,
    /// Whether links have broken since its mesh was made.
    pub(crate) is_torn: bool,
    /// Where patterns have divided it, undeformed, and how far around (m).
    pub(crate) divided: Vec<(Vec3, f32)>,
}

/// Mass, centre of mass and inertia about it of primitives at their places.
pub(crate) fn mass_properties(
    primitives: &[Primitive],
    rest: &[Pose],
    density: f32,
) -> (f32, Vec3, Mat3) {
    use glam::{DMat3, DVec3};
    let density = f64::from(density);
    let (mut mass, mut first) = (0.0, DVec3::ZERO);
    for (p, pose) in primitives.iter().zip(rest) {
        let m = density * f64::from(p.volume);
        mass += m;
        first += pose.x.as_dvec3() * m;
    }
    let center = first / mass;
    let mut second = DMat3::ZERO;
    for (p, pose) in primitives.iter().zip(rest) {
        let m = density * f64::from(p.volume);
        let r = pose.x.as_dvec3() - center;
        let d = pose.d.as_dmat3();
        second += d * (p.moment.as_dmat3() * density) * d.transpose();
        second += DMat3::from_cols(r * r.x, r * r.y, r * r.z) * m;
    }
    let trace = second.x_axis.x + second.y_axis.y + second.z_axis.z;
    let inertia = DMat3::from_diagonal(DVec3::splat(trace)) - second;
    (mass as f32, center.as_vec3(), inertia.as_mat3())
}

impl VisualBody {
    /// A body of linked primitives at places in the world.
    pub(crate) fn new(
        rules: Rules,
        primitives: Vec<Primitive>,
        graph: LinkGraph,
        rest: Vec<Pose>,
        source: (Arc<PolygonMesh>, u32),
    ) -> Self {
        let hulls: Vec<Hull> = primitives
            .par_iter()
            .with_min_len(64)
            .map(Hull::new)
            .collect();
        Self::of_hulls(rules, (primitives, hulls), graph, rest, source)
    }

    /// The same, of primitives whose hulls are known.
    pub(crate) fn of_hulls(
        rules: Rules,
        (primitives, hulls): (Vec<Primitive>, Vec<Hull>),
        graph: LinkGraph,
        rest: Vec<Pose>,
        source: (Arc<PolygonMesh>, u32),
    ) -> Self {
        let sum: f32 = primitives.iter().map(|p| p.thickness).sum();
        let thickness = sum / primitives.len().max(1) as f32;
        let count = primitives.len();
        Self {
            rules,
            primitives,
            graph,
            gid_count: source.1,
            source: source.0,
            rigid: None,
            rest,
            dented: vec![0.0; count],
            bounds_of: Vec::new(),
            boxes: Vec::new(),
            hulls,
            tree: Bvh::default(),
            turned: vec![Quat::IDENTITY; count],
            kin: Csr::default(),
            inverse: Vec::new(),
            drawn: Vec::new(),
            radius: 0.0,
            thickness,
            events: 0,
            generation: 0,
            is_torn: false,
            divided: Vec::new(),
        }
    }

    /// Whether it bends.
    pub fn is_soft(&self) -> bool {
        self.rigid.is_none()
    }

    /// Makes it one rigid body, whose primitives are where they are now in the world.
    pub(crate) fn stiffen(&mut self, is_fixed: bool) {
        let (mass, center, inertia) =
            mass_properties(&self.primitives, &self.rest, self.rules.density);
        for pose in &mut self.rest {
            pose.x -= center;
        }
        self.rigid = Some(Rigid::new(center, mass, inertia, is_fixed));
        self.place_all();
    }

    /// Finds what is around the primitives where they are now, and makes a tree of it.
    pub(crate) fn place_all(&mut self) {
        self.find_bounds();
        self.tree = Bvh::new(&self.boxes);
        let reach = self.bounds_of.iter().zip(&self.rest);
        self.radius = reach
            .map(|(own, pose)| pose.x.length() + own.radius)
            .fold(0.0, f32::max);
    }

    /// The same after all of them have moved a little, as those of soft bodies do: the tree keeps its branches.
    pub(crate) fn place_again(&mut self) {
        self.find_bounds();
        self.tree.refit(&self.boxes);
    }

    fn find_bounds(&mut self) {
        let hulls = self.hulls.par_iter().zip(&self.rest).with_min_len(64);
        hulls
            .map(|(hull, pose)| hull.bounds(pose.d))
            .collect_into_vec(&mut self.bounds_of);
        let at = |(own, pose): (&Bounds, &Pose)| (own.lo + pose.x, own.hi + pose.x);
        self.boxes.clear();
        self.boxes
            .extend(self.bounds_of.iter().zip(&self.rest).map(at));
    }

    /// What is seen of it, where its primitives are.
    pub(crate) fn surface(&mut self) -> Surface {
        if !self.rules.is_shown {
            return Surface::None;
        }
        let mut welded = Welded::new(&self.primitives, &self.graph, &self.source);
        self.draw(&mut welded, true);
        Surface::Welded(Box::new(welded))
    }

    /// Moves its drawn mesh to where its primitives are. `local_is_new` says that dents or cuts have changed where they are in the body.
    pub(crate) fn draw(&mut self, welded: &mut Welded, local_is_new: bool) {
        match &self.rigid {
            None => welded.update(&self.rest),
            Some(rigid) => {
                if local_is_new || self.drawn.len() != welded.gids().len() {
                    welded.update(&self.rest);
                    self.drawn.clone_from(&welded.mesh().positions);
                }
                welded.place(&self.drawn, rigid.x, rigid.rotation);
            }
        }
    }

    /// Closing speed above which a hit changes it (m/s).
    pub fn hit_speed(&self) -> f32 {
        match self.rules.behavior {
            Behavior::Rigid | Behavior::Soft => f32::INFINITY,
            Behavior::Brittle if self.generation >= GENERATIONS => f32::INFINITY,
            Behavior::Brittle => self.rules.dent_speed * (1 + self.generation) as f32,
            Behavior::Plastic | Behavior::Ductile => self.rules.dent_speed,
        }
    }

    /// Visits primitives that may have vertices below a plane in body axes, n·p = `offset`.
    pub(crate) fn for_each_below(&self, n: Vec3, offset: f32, mut visit: impl FnMut(u32)) {
        let lowest = |lo: Vec3, hi: Vec3| n.dot(Vec3::select(n.cmpgt(Vec3::ZERO), lo, hi));
        let nodes = &self.tree.nodes;
        let mut i = 0;
        while let Some(node) = nodes.get(i) {
            let is_below = lowest(node.lo, node.hi) <= offset;
            if is_below && !Bvh::is_leaf(node) {
                i += 1;
                continue;
            }
            if is_below {
                for &k in &self.tree.order[node.items()] {
                    let (lo, hi) = self.boxes[k as usize];
                    if lowest(lo, hi) <= offset {
                        visit(k);
                    }
                }
            }
            i = node.skip as usize;
        }
    }

    /// Where a primitive is in the world.
    pub fn pose(&self, primitive: usize) -> Pose {
        let rest = self.rest[primitive];
        match &self.rigid {
            None => rest,
            Some(rigid) => Pose {
                x: rigid.x + rigid.rotation * rest.x,
                d: Mat3::from_quat(rigid.rotation) * rest.d,
            },
        }
    }

    /// A place of the world in the axes of its primitives' places.
    pub(crate) fn to_own(&self, p: Vec3) -> Vec3 {
        match &self.rigid {
            None => p,
            Some(rigid) => rigid.rotation.conjugate() * (p - rigid.x),
        }
    }

    /// A place in those axes, in the world.
    pub(crate) fn out_of_own(&self, p: Vec3) -> Vec3 {
        match &self.rigid {
            None => p,
            Some(rigid) => rigid.x + rigid.rotation * p,
        }
    }

    /// A place of the world in the undeformed configuration, as a primitive carries it: p̄ = x̄ + D⁻¹ (p − x).
    pub fn undeformed(&self, primitive: usize, p: Vec3) -> Vec3 {
        let pose = self.pose(primitive);
        self.primitives[primitive].centroid + pose.d.inverse() * (p - pose.x)
    }

    /// A box around it in the world, where it is now (m).
    pub fn bounds(&self) -> (Vec3, Vec3) {
        match &self.rigid {
            None => match self.tree.nodes.first() {
                Some(root) => (root.lo, root.hi),
                None => (Vec3::ZERO, Vec3::ZERO),
            },
            Some(rigid) => {
                let Some(root) = self.tree.nodes.first() else {
                    return (rigid.x, rigid.x);
                };
                world_box(root.lo, root.hi, rigid.x, Mat3::from_quat(rigid.rotation))
            }
        }
    }
}

/// The box around a box that is turned and moved.
pub(crate) fn world_box(lo: Vec3, hi: Vec3, x: Vec3, r: Mat3) -> (Vec3, Vec3) {
    let (center, half) = (x + r * ((lo + hi) * 0.5), (hi - lo) * 0.5);
    let reach = r.x_axis.abs() * half.x + r.y_axis.abs() * half.y + r.z_axis.abs() * half.z;
    let reach = reach * (1.0 + 1e-5);
    (center - reach, center + reach)
}

/// A deformation whose stretches are between 0.5 and 2, near a given one; the rotation `otherwise` if that has none.
pub(crate) fn tame(d: Mat3, otherwise: Quat) -> Mat3 {
    if !d.is_finite() {
        return Mat3::from_quat(otherwise);
    }
    let square = |m: Mat3| {
        let c = [m.x_axis, m.y_axis, m.z_axis];
        c.iter().map(|c| c.length_squared()).sum::<f32>()
    };
    // All stretches are within bounds if D is near a rotation: ‖DᵀD − 1‖ < 1/2.
    let gram = d.transpose() * d;
    if square(gram - Mat3::IDENTITY) < 0.25 && d.determinant() > 0.1 {
        return d;
    }
    let svd = signed_svd(M3::from(d));
    let stretches = Vec3::from(svd.sigma).clamp(Vec3::splat(0.5), Vec3::splat(2.0));
    Mat3::from(svd.u) * Mat3::from_diagonal(stretches) * Mat3::from(svd.v).transpose()
}

impl Rules {
    /// The rules of a description.
    pub(crate) fn new(desc: &VisualDesc) -> Self {
        Self {
            behavior: desc.behavior,
            dent_speed: desc.dent_speed,
            tear_stretch: desc.tear_stretch,
            pattern: desc.pattern.clone(),
            density: desc.material.density,
            self_contact: desc.self_contact,
            damping: desc.damping,
            is_shown: desc.is_shown,
            max_primitives: 200_000,
        }
    }
}
