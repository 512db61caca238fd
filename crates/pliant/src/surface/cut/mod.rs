//! Cuts by a plane that the user asks for.
//!
//! A plane without end *clips*: vertices next to it are put on it, edges are split at it, the surface is parted along it and both
//! sides get a flat cap. Nothing is deleted, so the volume stays. A *blade*, a rectangle in the plane, deletes the triangles
//! that it crosses and closes the holes, which costs a band of about one edge; where it does not pass through, a groove is left.

mod blade;
pub(crate) mod cap;
mod clip;
mod index;
mod refine;
mod scars;

use super::closed_mesh::{ClosedMesh, NONE};
use super::surgery::Surgery;
use crate::geometry::grid::PointGrid;
use cap::Loops;
use glam::{DVec2, DVec3, Vec3};

/// A cut to be made.
#[derive(Clone, Debug, PartialEq)]
pub struct Cut {
    /// A point of the plane (m); with a blade, its middle.
    pub point: Vec3,
    /// The direction across the plane, of any length.
    pub normal: Vec3,
    /// The part of the plane that cuts, or all of it.
    pub blade: Option<Blade>,
    /// Ids of the pieces that are cut, or all.
    pub components: Option<Vec<u32>>,
}

/// A rectangle in the plane of a cut.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Blade {
    /// The direction of its first side, of any length; what of it points out of the plane does not count.
    pub along: Vec3,
    /// Half its length along the first side and across it (m).
    pub half: [f32; 2],
}

/// Why a cut was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CutError {
    /// The point or the normal is not finite, or the normal has no direction.
    #[error("the plane of the cut is not finite or has no direction")]
    Plane,
    /// The blade is not finite, has no direction in the plane, or no extent.
    #[error("the blade is not finite, has no direction in the plane, or no extent")]
    Blade,
}

/// What the cuts of a frame have done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CutReport {
    /// Cuts that changed the surface.
    pub cuts: usize,
    /// Cuts that met nothing.
    pub missed: usize,
    /// Cuts that were not made because the surface would have too many triangles or too little would be left.
    pub refused: usize,
    /// Loops that were closed.
    pub loops: usize,
    /// Pieces that there are more after the frame.
    pub pieces: usize,
}

impl Cut {
    /// A cut by a whole plane through everything.
    pub fn new(point: Vec3, normal: Vec3) -> Self {
        Self {
            point,
            normal,
            blade: None,
            components: None,
        }
    }

    /// The plane with a normal of length one, and the blade in it.
    pub(crate) fn place(&self) -> Result<Place, CutError> {
        let normal = direction(self.normal.as_dvec3()).ok_or(CutError::Plane)?;
        if !self.point.is_finite() {
            return Err(CutError::Plane);
        }
        let mut place = Place {
            point: self.point.as_dvec3(),
            normal,
            axes: {
                let (a, b) = normal.any_orthonormal_pair();
                [a, b]
            },
            half: None,
        };
        if let Some(blade) = self.blade {
            let along = direction(blade.along.as_dvec3()).ok_or(CutError::Blade)?;
            let along = along - along.dot(normal) * normal;
            // What is left of a direction along the normal is noise.
            if along.length() < 1e-6 {
                return Err(CutError::Blade);
            }
            let along = direction(along).ok_or(CutError::Blade)?;
            if !blade.half.iter().all(|h| h.is_finite() && *h > 0.0) {
                return Err(CutError::Blade);
            }
            place.axes = [along, normal.cross(along)];
            place.half = Some(blade.half.map(f64::from));
        }
        Ok(place)
    }
}

fn direction(v: DVec3) -> Option<DVec3> {
    let length = v.length();
    (length > 0.0 && length.is_finite()).then(|| v / length)
}

/// The plane of a cut.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub(crate) point: DVec3,
    pub(crate) normal: DVec3,
    /// Directions in the plane; with the normal they form a right-handed frame.
    pub(crate) axes: [DVec3; 2],
    half: Option<[f64; 2]>,
}

impl Place {
    /// How far a point lies on the side that the normal shows (m).
    fn height(&self, p: Vec3) -> f64 {
        (p.as_dvec3() - self.point).dot(self.normal)
    }

    /// A point's place in the plane.
    fn flat(&self, p: Vec3) -> DVec2 {
        let d = p.as_dvec3() - self.point;
        DVec2::new(d.dot(self.axes[0]), d.dot(self.axes[1]))
    }

    /// The point of the plane that is nearest to `p`.
    fn onto(&self, p: Vec3) -> Vec3 {
        (p.as_dvec3() - self.height(p) * self.normal).as_vec3()
    }

    fn lift(&self, p: DVec2) -> Vec3 {
        (self.point + p.x * self.axes[0] + p.y * self.axes[1]).as_vec3()
    }
}

/// The cuts that were asked for, and what is kept of those that were made.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cuts {
    queue: Vec<(Place, Option<Vec<u32>>)>,
    surgery: Surgery,
    grid: PointGrid,
    /// Whether any triangle is the side of a cut.
    pub(crate) any_scars: bool,
}

impl Cuts {
    /// Puts a cut into the queue if it makes sense.
    pub(crate) fn ask(&mut self, cut: Cut) -> Result<(), CutError> {
        let place = cut.place()?;
        self.queue.push((place, cut.components));
        Ok(())
    }

    /// Makes the cuts of the queue.
    pub(crate) fn run(&mut self, mesh: &mut ClosedMesh, limits: CutLimits) -> CutReport {
        let mut report = CutReport::default();
        if self.any_scars {
            self.any_scars = scars::follow(mesh, &mut self.grid, limits.max_edge);
        }
        for (place, components) in std::mem::take(&mut self.queue) {
            match cut(
                mesh,
                &mut self.surgery,
                &place,
                components.as_deref(),
                limits,
            ) {
                CutOutcome::Cut { loops, .. } => {
                    report.cuts += 1;
                    report.loops += loops;
                    self.any_scars = true;
                }
                CutOutcome::Missed => report.missed += 1,
                CutOutcome::Refused => report.refused += 1,
            }
        }
        report
    }
}

/// Limits of a cut.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CutLimits {
    /// Shortest edge (m).
    pub(crate) min_edge: f32,
    /// Longest edge (m).
    pub(crate) max_edge: f32,
    /// Triangles that the surface may have.
    pub(crate) triangles: usize,
}

/// What one cut came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CutOutcome {
    /// The surface was parted; the triangles of the caps, on the side the normal comes from and on that it points to.
    Cut { loops: usize, caps: [Vec<u32>; 2] },
    /// The plane meets nothing.
    Missed,
    /// The cut was not made.
    Refused,
}

/// Makes one cut. Either all of it is done or the mesh is as it was.
pub(crate) fn cut(
    mesh: &mut ClosedMesh,
    surgery: &mut Surgery,
    place: &Place,
    components: Option<&[u32]>,
    limits: CutLimits,
) -> CutOutcome {
    let chosen = |mesh: &ClosedMesh, v: u32| {
        mesh.out[v as usize] != NONE
            && components.is_none_or(|ids| ids.contains(&mesh.component[v as usize]))
    };
    let outcome = if place.half.is_some() {
        blade::cut(mesh, surgery, place, chosen)
    } else {
        clip::cut(mesh, surgery, place, chosen, limits)
    };
    if let CutOutcome::Cut { caps, .. } = &outcome {
        scars::add(mesh, caps);
        let outward = [place.normal, -place.normal];
        for (cap, outward) in caps.iter().zip(outward) {
            // A section is smaller than the surface around it, so that a cap needs less; only of a very coarse surface it is left to
            // re-meshing.
            let limit = limits.triangles.min(2 * mesh.triangle_count());
            refine::refine(mesh, cap.clone(), outward, limits.max_edge, limit);
        }
    }
    outcome
}

impl ClosedMesh {
    /// Makes a cut at once. Caps are parted by a hundredth of `min_edge` each and get edges of up to ten times it. Returns whether the surface was cut.
    pub fn cut(&mut self, wanted: &Cut, min_edge: f32) -> Result<bool, CutError> {
        let limits = CutLimits {
            min_edge,
            max_edge: 10.0 * min_edge,
            triangles: usize::MAX,
        };
        let (place, ids) = (wanted.place()?, wanted.components.as_deref());
        let outcome = cut(self, &mut Surgery::default(), &place, ids, limits);
        Ok(matches!(outcome, CutOutcome::Cut { .. }))
    }
}

/// Closes loops that lie about in the plane by flat caps. `above` says that the material lies on the side that the normal shows.
/// `slits` joins holes to what is around them. Returns the new triangles, or nothing if the surgery must be rolled back.
fn close_flat(
    mesh: &mut ClosedMesh,
    surgery: &mut Surgery,
    place: &Place,
    loops: &[Vec<u32>],
    above: bool,
    slits: bool,
) -> Option<Vec<u32>> {
    let rim: Vec<u32> = loops.iter().flatten().map(|&h| mesh.origin(h)).collect();
    // Seen from the side of the material, outer loops run counter-clockwise.
    let points: Vec<DVec2> = rim
        .iter()
        .map(|&v| {
            let p = place.flat(mesh.x[v as usize]);
            if above { p } else { DVec2::new(p.y, p.x) }
        })
        .collect();
    let mut local: Vec<(u32, u32)> = rim
        .iter()
        .enumerate()
        .map(|(k, &v)| (v, k as u32))
        .collect();
    local.sort_unstable();
    let number = |v: u32| {
        local
            .binary_search_by_key(&v, |e| e.0)
            .ok()
            .map(|k| local[k].1)
    };
    let mut joined = Vec::new();
    for (k, &v) in rim.iter().enumerate() {
        for h in mesh.ring(v) {
            if let Some(other) = number(mesh.target(h))
                && mesh.twin(h) != NONE
                && other > k as u32
            {
                joined.push((k as u32, other));
            }
        }
    }
    let lengths: Vec<usize> = loops.iter().map(Vec::len).collect();
    let pillows: Vec<bool> = loops
        .iter()
        .map(|edges| edges.len() == 3 && edges.iter().all(|&h| h / 3 == edges[0] / 3))
        .collect();
    let filling = Loops {
        points: &points,
        lengths: &lengths,
        joined: &joined,
        pillows: &pillows,
    }
    .fill(slits)?;
    let mut names = rim;
    for (at, around) in &filling.centers {
        let at = if above { *at } else { DVec2::new(at.y, at.x) };
        let mean = around
            .iter()
            .map(|&k| place.height(mesh.x[names[k as usize] as usize]))
            .sum::<f64>()
            / around.len() as f64;
        let around: Vec<u32> = around.iter().map(|&k| names[k as usize]).collect();
        let at = (place.lift(at).as_dvec3() + mean * place.normal).as_vec3();
        if !at.is_finite() {
            return None;
        }
        names.push(surgery.add_center(mesh, &around, at));
    }
    let triangles: Vec<[u32; 3]> = filling
        .triangles
        .iter()
        .map(|&[a, b, c]| [c, b, a].map(|k| names[k as usize]))
        .collect();
    let boundary: Vec<u32> = loops.iter().flatten().copied().collect();
    let before = surgery.made.len();
    surgery
        .sew(mesh, &triangles, &boundary)
        .then(|| surgery.made[before..].to_vec())
}

#[cfg(test)]
mod tests;
