//! `[[body]]`: what deforms.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::check::{At, Range};
use super::error::SceneError;
use super::shape::{Carrier, Shape};
use super::structure::Tear;

/// `[[body]]`: a solid that deforms, made of a `mesh`, a `shape` or, if oriented or visual, a `model`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Body {
    /// A name that the rest of the scene can refer to; `body.INDEX` if omitted.
    pub name: Option<String>,
    /// The method that simulates it; clusters if omitted.
    pub method: Option<Method>,
    /// A mesh file, relative to the scene file.
    pub mesh: Option<String>,
    /// A shape in place of a mesh file.
    pub shape: Option<Shape>,
    /// Where the origin of the shape or file goes, or with `height` or `extent` the centre of its box (m).
    pub position: Option<[f32; 3]>,
    /// Angles about the fixed x, then y, then z axis (degrees).
    pub rotation: Option<[f32; 3]>,
    /// A factor on the size; 1 if omitted.
    pub scale: Option<f32>,
    /// Fits the extent along y (m); in place of `scale`.
    pub height: Option<f32>,
    /// Fits the longest side (m); in place of `scale`.
    pub extent: Option<f32>,
    /// Velocity at the start (m/s).
    pub velocity: Option<[f32; 3]>,
    /// Spin at the start, about x, y and z through the centre of mass (degrees/s); visual only.
    pub spin: Option<[f32; 3]>,
    /// Whether it stays where it is, whatever happens; false if omitted. Visual only.
    pub fixed: Option<bool>,
    /// Parts that stay where they are, of a body whose parts are bodies of their own; a `*` at the end stands for anything. Visual only.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fixed_parts: Vec<String>,
    /// A crowd of this body, as bodies of their own that are called NAME.0, NAME.1 and so on.
    pub copies: Option<Copies>,
    /// Least distance of two particles (m); a fortieth of the longest side if omitted.
    pub particle_radius: Option<f32>,
    /// Longest edge of the tracked surface (m); if omitted half the particle radius, for a mesh file at most twice its mean
    /// edge. Of an oriented or visual body the edges of its shape; a visual box that gives none has six faces.
    pub edge_length: Option<f32>,
    /// Name of a `[material.NAME]` or of a preset; clay if omitted.
    pub material: Option<String>,
    /// Materials of parts: object, group, material or node name in the mesh file or the model to name of a material; a `*` at the end
    /// stands for anything. With it, or if the file has boxes that are called `joint.TYPE.A.B`, every part is a body of its own, which the
    /// rest of the scene calls BODY/PART, or PART if that means one thing only. Visual only.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub parts: BTreeMap<String, String>,
    /// `checker`, or a picture relative to the scene file.
    pub texture: Option<String>,
    /// The surface that is shown; if omitted the method chooses.
    pub surface: Option<Surface>,
    /// How clusters are renewed; clusters only.
    pub recluster: Option<Recluster>,
    /// How goals become motion; clusters only.
    pub dynamics: Option<Dynamics>,
    /// Parameters of `dynamics = "springs"`; clusters only.
    pub springs: Option<Springs>,
    /// Keeps the volume of every component of the tracked surface; clusters only.
    pub volume: Option<bool>,
    /// How long parts of the tracked surface overlap before they become one (s); 0.2 if omitted. Clusters only.
    pub merge_delay: Option<f32>,
    /// Bodies of the same merge name flow into each other. Statistics and cuts take them for one, with the name of the first. They share
    /// `method`, `particle_radius`, `edge_length`, `texture`, `volume`, `merge_delay`, `cluster_radius`, `membership`, `fit`,
    /// `averaging` and `mass`: what one of them says holds for those that say nothing.
    pub merge: Option<String>,
    /// Radius of a cluster (m); clusters only.
    pub cluster_radius: Option<f32>,
    /// Number of clusters, if they are `fuzzy` or `means`; clusters only.
    pub clusters: Option<u32>,
    /// How particles are put into clusters at the start; `fuzzy` if there are springs, a `kernel` or a number of `clusters`, else `cover`.
    /// Clusters only.
    pub clustering: Option<Clustering>,
    /// Weights of a cluster's members; clusters only.
    pub kernel: Option<Kernel>,
    /// How distance to a cluster's centre is measured; clusters only.
    pub membership: Option<Membership>,
    /// What a cluster fits to its members; clusters only.
    pub fit: Option<Fit>,
    /// How the goals of several clusters are averaged; clusters only.
    pub averaging: Option<Averaging>,
    /// What becomes of the mass when particles are added or removed; clusters only.
    pub mass: Option<Mass>,
    /// Parameters of `recluster = "embedded"`; clusters only.
    pub embedded: Option<Embedded>,
    /// Number of particles; oriented only.
    pub particles: Option<u32>,
    /// A file of explicit particles, edges and groups, relative to the scene file, or the name of a built-in model: `tree`, `toy`, `chain`,
    /// `head` or `truck`. A `mesh` or a `shape` beside it is what is seen of it. Of a visual body the name of a built-in model of polygons:
    /// `car`, `door`, `curtain`, `monster-truck`, `bridge` or `wall`. Oriented or visual.
    pub model: Option<String>,
    /// How fine what is seen of a built-in model is, from 0.1 to 1, the finest; if omitted 1 for an oriented body, 0.4 for a visual one.
    pub detail: Option<f32>,
    /// Which links between the polygons of the mesh itself may tear; none if omitted. Visual only.
    pub tear: Option<Tear>,
    /// How particles carry the surface; linear if omitted. Oriented only.
    pub skin: Option<SkinKind>,
    /// Which particles take the rotation of a group; lead if omitted. Oriented only.
    pub turning: Option<TurningKind>,
    /// Takes velocities from the last three places instead of two, so that what turns goes on turning; false if omitted. Oriented only.
    pub second_order: Option<bool>,
}

/// Copies of a body on a grid.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Copies {
    /// How many along x, y and z.
    pub count: [u32; 3],
    /// How far apart (m); the first is where the body is.
    pub spacing: [f32; 3],
    /// The most that each is turned about every axis, at random (degrees); 0 if omitted.
    pub turn: Option<f32>,
}

impl Copies {
    /// How many there are.
    pub fn total(&self) -> usize {
        let count = |n: u32| usize::try_from(n).unwrap_or(usize::MAX);
        self.count
            .into_iter()
            .fold(1, |total, n| total.saturating_mul(count(n)))
    }

    fn check(&self, at: At<'_>) -> Result<(), SceneError> {
        let counts = at.field("count");
        for (index, &count) in self.count.iter().enumerate() {
            if !(1..=10_000).contains(&count) {
                return Err(counts.element(index).error(format_args!(
                    "`count.{index}` is {count}, expected a whole number from 1 to 10000"
                )));
            }
        }
        at.number("turn", self.turn, Range::NOT_NEGATIVE)
    }
}

/// How particles carry the surface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SkinKind {
    /// A vertex is in the mean of the places that it has with each of its particles.
    Linear,
    /// A vertex is moved by the mean of its particles' rigid motions, as dual quaternions: keeps the volume in a twist.
    Dual,
}

/// Which particles take the rotation of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum TurningKind {
    /// The one in the middle.
    Lead,
    /// All of them.
    All,
}

/// The method that simulates a body.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Method {
    /// Shape matching of overlapping clusters of particles.
    #[default]
    Clusters,
    /// Shape matching of oriented particles.
    Oriented,
    /// The polygons of the visible mesh themselves.
    Visual,
    /// An implicit integration of a continuum.
    Implicit,
}

impl Method {
    /// The name in scene files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Clusters => "clusters",
            Self::Oriented => "oriented",
            Self::Visual => "visual",
            Self::Implicit => "implicit",
        }
    }
}

/// The surface that is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Surface {
    /// Re-meshed, splits and merges.
    Tracked,
    /// Follows the particles with fixed topology.
    Skinned,
    /// The polygons that are simulated; visual only.
    Welded,
    /// Made anew from the particles; implicit only.
    Reconstructed,
    /// None.
    None,
}

impl Surface {
    fn name(self) -> &'static str {
        match self {
            Self::Tracked => "tracked",
            Self::Skinned => "skinned",
            Self::Welded => "welded",
            Self::Reconstructed => "reconstructed",
            Self::None => "none",
        }
    }

    /// The methods that can show it.
    fn methods(self) -> &'static [Method] {
        match self {
            Self::Tracked => &[Method::Clusters, Method::Implicit],
            Self::Skinned => &[Method::Clusters, Method::Oriented, Method::Implicit],
            Self::Welded => &[Method::Visual],
            Self::Reconstructed => &[Method::Implicit],
            Self::None => EVERY_METHOD,
        }
    }
}

/// How clusters are renewed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Recluster {
    /// In world space.
    World,
    /// In an embedding of the rest state.
    Embedded,
    /// Never, nor are particles added or removed.
    Off,
}

/// How goals become motion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Dynamics {
    /// Positions move to the goals.
    Pbd,
    /// Springs pull to the goals, and strain is limited.
    Springs,
}

/// Parameters of `dynamics = "springs"`. Shares are those of one substep: more substeps make the body stiffer.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Springs {
    /// Share of the way to its goal that a particle is sped up to go, 0 to 1; 1 if omitted.
    pub goal: Option<f32>,
    /// Pull of velocities to the mean of their cluster, 0 to 1; 0 if omitted.
    pub damping: Option<f32>,
    /// The most a particle may stray from its goal, in widths of the cluster; 0.1 if omitted.
    pub max_stretch: Option<f32>,
    /// Relaxation of strain limiting, above 0 to 1; 1 if omitted.
    pub relax: Option<f32>,
    /// Sweeps of strain limiting; 8 if omitted.
    pub sweeps: Option<u32>,
}

/// How particles are put into clusters at the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Clustering {
    /// Balls around particles until each is in enough of them.
    Cover,
    /// Balls around centres that are optimised together with the weights of their members.
    Fuzzy,
    /// Balls around the means of a partition.
    Means,
    /// Balls around random particles.
    Random,
}

/// Weights of a cluster's members.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Kernel {
    /// All equal.
    Box,
    /// A smooth bump.
    Poly6,
    /// A smooth bump and this much more everywhere.
    Blend(f32),
    /// One over the squared distance.
    Invsq,
    /// Fuzzy c-means with this exponent, above 1.
    Fcm(f32),
}

/// How distance to a cluster's centre is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Membership {
    /// Straight.
    Euclidean,
    /// Inside the body.
    Geodesic,
}

/// What a cluster fits to its members.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Fit {
    /// A rotation of its plastic shape.
    Procrustes,
    /// The rotation of the best affine map.
    Affine,
}

/// How the goals of several clusters are averaged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Averaging {
    /// By shares of mass, which keeps momentum.
    Mass,
    /// By their number.
    Count,
}

/// What becomes of the mass when particles are added or removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Mass {
    /// Masses are scaled so that the body keeps its own.
    Rescale,
    /// Particles keep theirs.
    Paper,
}

/// Parameters of `recluster = "embedded"`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Embedded {
    /// Condition number of the plastic deformation above which a cluster goes, above 1 to 10; 1.5 if omitted.
    pub cond_max: Option<f32>,
    /// Steps over which a cluster fades out, at least `fade_in`; 30 if omitted.
    pub fade_out: Option<u32>,
    /// Steps over which a cluster fades in; 15 if omitted.
    pub fade_in: Option<u32>,
    /// Lasting clusters below which a particle asks for a new one; 1 if omitted.
    pub min_clusters: Option<u32>,
    /// Most sweeps of the embedding, 20 if omitted; with 0 new clusters take their rest shape from the world as it is, to compare with.
    pub sweeps: Option<u32>,
}

const EVERY_METHOD: &[Method] = &[
    Method::Clusters,
    Method::Oriented,
    Method::Visual,
    Method::Implicit,
];

impl Body {
    /// The name, or `body.INDEX` for a body without one.
    pub fn name_or_index(&self, index: usize) -> String {
        match &self.name {
            Some(name) => name.clone(),
            None => format!("body.{index}"),
        }
    }

    /// The fields that only some methods know: name, whether it is given, the methods.
    fn fields_of_methods(&self) -> [(&'static str, bool, &'static [Method]); 27] {
        use Method::{Clusters, Implicit, Oriented, Visual};
        [
            (
                "particle_radius",
                self.particle_radius.is_some(),
                &[Clusters, Oriented, Implicit],
            ),
            (
                "edge_length",
                self.edge_length.is_some(),
                &[Clusters, Oriented, Visual, Implicit],
            ),
            ("merge", self.merge.is_some(), &[Clusters, Implicit]),
            ("recluster", self.recluster.is_some(), &[Clusters]),
            ("dynamics", self.dynamics.is_some(), &[Clusters]),
            ("springs", self.springs.is_some(), &[Clusters]),
            ("volume", self.volume.is_some(), &[Clusters]),
            ("merge_delay", self.merge_delay.is_some(), &[Clusters]),
            ("cluster_radius", self.cluster_radius.is_some(), &[Clusters]),
            ("clusters", self.clusters.is_some(), &[Clusters]),
            ("clustering", self.clustering.is_some(), &[Clusters]),
            ("kernel", self.kernel.is_some(), &[Clusters]),
            ("membership", self.membership.is_some(), &[Clusters]),
            ("fit", self.fit.is_some(), &[Clusters]),
            ("averaging", self.averaging.is_some(), &[Clusters]),
            ("mass", self.mass.is_some(), &[Clusters]),
            ("embedded", self.embedded.is_some(), &[Clusters]),
            ("particles", self.particles.is_some(), &[Oriented]),
            ("model", self.model.is_some(), &[Oriented, Visual]),
            ("detail", self.detail.is_some(), &[Oriented, Visual]),
            ("spin", self.spin.is_some(), &[Visual]),
            ("fixed", self.fixed.is_some(), &[Visual]),
            ("fixed_parts", !self.fixed_parts.is_empty(), &[Visual]),
            ("tear", self.tear.is_some(), &[Visual]),
            ("skin", self.skin.is_some(), &[Oriented]),
            ("turning", self.turning.is_some(), &[Oriented]),
            ("second_order", self.second_order.is_some(), &[Oriented]),
        ]
    }

    pub(super) fn check(&self, at: At<'_>) -> Result<(), SceneError> {
        self.check_method(at)?;
        self.check_form(at)?;
        self.check_visual(at)?;
        at.number("particle_radius", self.particle_radius, Range::POSITIVE)?;
        at.number("edge_length", self.edge_length, Range::POSITIVE)?;
        at.number("merge_delay", self.merge_delay, Range::NOT_NEGATIVE)?;
        at.number("cluster_radius", self.cluster_radius, Range::POSITIVE)?;
        at.count("clusters", self.clusters, 1, u32::MAX)?;
        at.count("particles", self.particles, 1, u32::MAX)?;
        at.number("detail", self.detail, Range::Within(0.1, 1.0))?;
        at.name("merge", self.merge.as_deref())?;
        if self.texture.as_deref() != Some("checker") {
            at.path("texture", self.texture.as_deref())?;
        }
        let at_kernel = at.field("kernel");
        match self.kernel {
            Some(Kernel::Blend(blend)) => at_kernel.number("blend", blend, Range::NOT_NEGATIVE)?,
            Some(Kernel::Fcm(power)) => at_kernel.number("fcm", power, Range::Above(1.0))?,
            _ => {}
        }
        self.check_clustering(at)?;
        if let Some(springs) = &self.springs {
            springs.check(at.field("springs"))?;
        }
        if let Some(embedded) = &self.embedded {
            embedded.check(at.field("embedded"))?;
        }
        if let Some(copies) = &self.copies {
            copies.check(at.field("copies"))?;
            if self.merge.is_some() {
                return Err(at
                    .field("copies")
                    .key_error("a body that merges with others has no `copies`"));
            }
        }
        Ok(())
    }

    /// Refuses fields and values that the body's method does not know.
    fn check_method(&self, at: At<'_>) -> Result<(), SceneError> {
        let method = self.method.unwrap_or_default();
        let own = method.name();
        for (name, is_given, methods) in self.fields_of_methods() {
            if is_given && !methods.contains(&method) {
                return Err(at.field(name).key_error(format_args!(
                    "`{name}` is for {}, but this body's method is `{own}`",
                    list_methods(methods)
                )));
            }
        }
        match self.surface {
            Some(surface) if !surface.methods().contains(&method) => {
                Err(at.field("surface").error(format_args!(
                    "the surface `{}` is for {}, but this body's method is `{own}`",
                    surface.name(),
                    list_methods(surface.methods())
                )))
            }
            _ => Ok(()),
        }
    }

    /// Refuses fields of clusterings that the body does not have.
    fn check_clustering(&self, at: At<'_>) -> Result<(), SceneError> {
        use Clustering::{Cover, Random};
        let own = self.clustering;
        if self.clusters.is_some() && matches!(own, Some(Cover | Random)) {
            return Err(at.field("clusters").key_error(
                "`clusters` is for the clusterings `fuzzy` and `means`, expected no number",
            ));
        }
        if own == Some(Cover) && !matches!(self.kernel, None | Some(Kernel::Box)) {
            return Err(at
                .field("kernel")
                .error("the clustering `cover` has no weights, expected `box`"));
        }
        Ok(())
    }

    /// Checks what only visual bodies have.
    fn check_visual(&self, at: At<'_>) -> Result<(), SceneError> {
        if self.fixed == Some(true) {
            let motions = [("velocity", self.velocity), ("spin", self.spin)];
            for (name, motion) in motions {
                if motion.is_some_and(|v| v != [0.0; 3]) {
                    return Err(at
                        .field(name)
                        .key_error(format_args!("the body is fixed, expected no `{name}`")));
                }
            }
        }
        for part in self.parts.keys() {
            if part.is_empty() {
                return Err(at
                    .field("parts")
                    .error("a part has an empty name, expected one of the mesh"));
            }
        }
        match &self.tear {
            Some(tear) => tear.check_of_mesh(at.field("tear")),
            None => Ok(()),
        }
    }

    /// Checks where the body's form comes from, and its size.
    fn check_form(&self, at: At<'_>) -> Result<(), SceneError> {
        match (&self.mesh, &self.shape) {
            (Some(_), Some(_)) => {
                return Err(at
                    .field("shape")
                    .key_error("the body has both `mesh` and `shape`, expected one of them"));
            }
            (None, None) if self.model.is_none() => {
                return Err(
                    at.error("the body has neither `mesh` nor `shape`, expected one of them")
                );
            }
            (None, Some(shape)) => shape.check(at.field("shape"), Carrier::Body)?,
            _ => {}
        }
        if self.model.is_some() && self.particles.is_some() {
            return Err(at
                .field("particles")
                .key_error("the body has both `model` and `particles`, expected one of them"));
        }
        if self.model.is_some() && self.method == Some(Method::Visual) {
            for (name, is_given) in [
                ("mesh", self.mesh.is_some()),
                ("shape", self.shape.is_some()),
            ] {
                if is_given {
                    return Err(at.field(name).key_error(format_args!(
                        "the body has both `model` and `{name}`, expected one of them"
                    )));
                }
            }
        }
        if self.detail.is_some() && self.model.is_none() {
            return Err(at
                .field("detail")
                .key_error("`detail` is for a `model` that comes with Pliant, expected none"));
        }
        at.path("mesh", self.mesh.as_deref())?;
        at.path("model", self.model.as_deref())?;
        if self.edge_length.is_some()
            && self.shape.is_none()
            && let Some(method @ (Method::Oriented | Method::Visual)) = self.method
        {
            return Err(at.field("edge_length").key_error(format_args!(
                "`edge_length` of a body of method `{}` is for its `shape`, expected none",
                method.name()
            )));
        }
        let sizes = [
            ("scale", self.scale),
            ("height", self.height),
            ("extent", self.extent),
        ];
        let mut first = None;
        for (name, size) in sizes {
            at.number(name, size, Range::POSITIVE)?;
            match first {
                _ if size.is_none() => {}
                None => first = Some(name),
                Some(first) => {
                    return Err(at.field(name).key_error(format_args!(
                        "the body has both `{first}` and `{name}`, expected one of them"
                    )));
                }
            }
        }
        Ok(())
    }
}

impl Springs {
    fn check(&self, at: At<'_>) -> Result<(), SceneError> {
        at.number("goal", self.goal, Range::UNIT)?;
        at.number("damping", self.damping, Range::UNIT)?;
        at.number("max_stretch", self.max_stretch, Range::NOT_NEGATIVE)?;
        at.number("relax", self.relax, Range::UNIT)?;
        at.count("sweeps", self.sweeps, 0, 10_000)
    }
}

impl Embedded {
    fn check(&self, at: At<'_>) -> Result<(), SceneError> {
        at.number("cond_max", self.cond_max, Range::Above(1.0))?;
        at.count("fade_out", self.fade_out, 1, 10_000)?;
        at.count("fade_in", self.fade_in, 1, 10_000)?;
        at.count("min_clusters", self.min_clusters, 1, 100)?;
        at.count("sweeps", self.sweeps, 0, 10_000)?;
        // A cluster that goes before its successor has come leaves particles without any.
        let (fade_out, fade_in) = (self.fade_out.unwrap_or(30), self.fade_in.unwrap_or(15));
        if fade_out < fade_in {
            return Err(at.field("fade_out").error(format_args!(
                "`fade_out` is {fade_out}, expected at least `fade_in`, which is {fade_in}"
            )));
        }
        Ok(())
    }
}

/// "method `a`" or "the methods `a` and `b`".
fn list_methods(methods: &[Method]) -> String {
    let names: Vec<String> = methods
        .iter()
        .map(|method| format!("`{}`", method.name()))
        .collect();
    match names.as_slice() {
        [name] => format!("method {name}"),
        _ => format!("the methods {}", names.join(", ")),
    }
}
