//! Bodies that come with Pliant, by name.
//!
//! Oriented ones are made of particles one by one, as a tool for such models would: ropes, sheets, rigid parts and joints in one body.
//! Visual ones are meshes of polygons in parts, with boxes for joints, as an artist would make them.

mod bridge;
mod car;
mod chain;
mod curtain;
mod door;
mod head;
mod mold;
mod monster;
mod toy;
mod tree;
mod truck;
mod wall;
mod workshop;

use pliant::OrientedDesc;
use pliant::visual::PolygonMesh;
use workshop::Workshop;

pub(crate) use mold::{Mold, pieces};

/// The names of the oriented models.
pub const NAMES: [&str; 5] = ["tree", "toy", "chain", "head", "truck"];

/// The names of the models of polygons.
pub const POLYGON_NAMES: [&str; 6] = ["car", "door", "curtain", "monster-truck", "bridge", "wall"];

/// A model of polygons.
#[derive(Clone, Debug, Default)]
pub struct PolygonModel {
    /// Its faces, in parts; those that are called `joint.TYPE.A.B` are boxes of joints.
    pub mesh: PolygonMesh,
    /// What parts are made of whose names begin so, as names of presets; the others of what the body is.
    pub materials: &'static [(&'static str, &'static str)],
    /// What its joints can do.
    pub joints: &'static [JointRule],
    /// How the names of parts begin that stay where they are.
    pub fixed: &'static [&'static str],
    /// Parts that are not simulated: they mark lines.
    pub markers: &'static [&'static str],
    /// Whether every part is a body of its own, whatever the scene says.
    pub is_split: bool,
}

/// What a joint of a model can do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointRule {
    /// How the names of the joints begin that it is for, without `joint.`.
    pub start: &'static str,
    /// Least and greatest angle (degrees), of a slide (m).
    pub limits: Option<[f32; 2]>,
    /// The most that its motor can exert (N m), of a slide (N).
    pub torque: Option<f32>,
}

impl PolygonModel {
    /// A mesh of which nothing else is known.
    pub fn plain(mesh: PolygonMesh) -> Self {
        Self {
            mesh,
            ..Self::default()
        }
    }
}

/// A vertex of this colour has the colour of its body.
pub(crate) const BODY_COLOR: [u8; 4] = [0; 4];

/// Makes the model of a name, around its origin. What is seen of it is about as fine as `detail` says: 1 is the finest, at a half edges are
/// twice as long.
pub fn make(name: &str, detail: f32) -> Option<OrientedDesc> {
    let shop = Workshop::new(detail);
    match name {
        "tree" => Some(tree::make(shop)),
        "toy" => Some(toy::make(shop)),
        "chain" => Some(chain::make(shop)),
        "head" => Some(head::make(shop)),
        "truck" => Some(truck::make(shop)),
        _ => None,
    }
}

/// Makes the model of polygons of a name, standing on the ground at its origin. Edges are the shorter the greater `detail` is, up to 1.
pub fn make_polygons(name: &str, detail: f32) -> Option<PolygonModel> {
    match name {
        "car" => Some(car::make(detail)),
        "door" => Some(door::make(detail)),
        "curtain" => Some(curtain::make(detail)),
        "monster-truck" => Some(monster::make(detail)),
        "bridge" => Some(bridge::make(detail)),
        "wall" => Some(wall::make(detail)),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
