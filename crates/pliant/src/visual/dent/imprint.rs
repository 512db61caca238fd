//! What a hit pushes: all that lies where the thing that hits would be.

use super::super::links::LinkGraph;
use super::super::primitive::Primitive;
use super::super::welded::Pose;
use glam::Vec3;

/// A hit that leaves a dent.
#[derive(Clone, Copy, Debug)]
pub struct Blow {
    /// The primitive that was touched.
    pub primitive: u32,
    /// Where, in body axes (m).
    pub at: Vec3,
    /// Unit vector into the body.
    pub normal: Vec3,
    /// How far the thing goes into the body (m).
    pub depth: f32,
    /// Radius of the thing (m); zero of a flat one, of which each primitive feels contacts of its own.
    pub radius: f32,
}

/// Adds what a blow pushes, and how far.
///
/// Departs from \[MCM16 §3.5\], where only the touching primitives are moved: a ball that touches one of many small ones would drive a
/// spike. So those around it, as far as they are linked, are pushed to where the ball would be. It sinks in to its middle at most; what
/// would go deeper would go through.
pub fn imprint(
    blow: &Blow,
    primitives: &[Primitive],
    graph: &LinkGraph,
    rest: &[Pose],
    pushes: &mut Vec<(u32, Vec3)>,
) {
    let depth = if blow.radius > 0.0 {
        let thickness = primitives[blow.primitive as usize].thickness;
        blow.depth.min(blow.radius.max(0.5 * thickness))
    } else {
        blow.depth
    };
    pushes.push((blow.primitive, blow.normal * depth));
    let mut seen = vec![blow.primitive];
    let mut next = 0;
    while let Some(&p) = seen.get(next) {
        next += 1;
        for (q, _) in graph.neighbors(p) {
            let offset = rest[q as usize].x - blow.at;
            let aside = offset - blow.normal * blow.normal.dot(offset);
            let below = blow.radius * blow.radius - aside.length_squared();
            // NaN is not above zero.
            let way = depth - (blow.radius - below.max(0.0).sqrt());
            if below > 0.0 && way > 0.0 && !seen.contains(&q) {
                seen.push(q);
                pushes.push((q, blow.normal * way));
            }
        }
    }
}
