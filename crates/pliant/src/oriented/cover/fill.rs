//! Fine samples of what a mesh encloses, or of a thin layer around it.
//!
//! Samples are those of a body-centred lattice, each shaken a little. Whether a place is inside takes a winding number, which costs far more
//! than anything else here. So it is asked for near the surface only: of the cells of the lattice that no triangle comes near, those that hang
//! together are all inside or all outside.

use crate::body::BuildError;
use crate::geometry::Mesh;
use crate::geometry::grid::PointGrid;
use crate::geometry::mesh::MeshError;
use crate::geometry::topology::MeshReport;
use crate::geometry::winding::WindingField;
use crate::random::{Random, name_key};
use glam::{IVec3, Vec3};
use parry3d::query::PointQuery;
use parry3d::shape::TriMesh;
use rayon::prelude::*;

/// How far outside of the surface a sample may be, in distances of samples: half of a sheet's thickness.
const SHELL: f32 = 0.4;
/// How far samples look for the surface, in their distances.
const LOOK: f32 = 0.9;
/// Sides of a cell of the lattice, which holds two samples, in distances of samples: 0.7 of them in a cube of that distance.
const CELL: f32 = 1.4189;
/// How far a sample is shaken along each axis, in sides of a cell.
const SHAKE: f32 = 0.12;
/// A vertex without a sample this near becomes one, in distances of samples: a horn may pass between the places of the lattice.
const BARE: f32 = 0.85;
/// Most cells of the lattice.
const MOST_CELLS: f32 = 3e8;

/// A sample.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample {
    /// Where it is (m).
    pub(super) x: Vec3,
    /// The nearest place of the surface, if that is near.
    pub(super) surface: Option<Vec3>,
    /// All within this distance is solid (m).
    pub(super) clear: f32,
}

/// Where a mesh is solid: inside of it, and close to its surface.
pub(super) struct Solid {
    surface: TriMesh,
    field: WindingField,
    /// Distance of samples (m).
    spacing: f32,
}

impl Solid {
    pub(super) fn new(mesh: &Mesh, spacing: f32) -> Result<Self, BuildError> {
        let surface = TriMesh::new(mesh.positions.clone(), mesh.triangles.clone())
            .map_err(|error| BuildError::Parameter(error.to_string()))?;
        Ok(Self {
            surface,
            field: WindingField::new(mesh),
            spacing,
        })
    }

    /// The nearest place of the surface within `reach`.
    fn nearest(&self, p: Vec3, reach: f32) -> Option<Vec3> {
        let near = self
            .surface
            .project_local_point_with_max_dist(p, false, reach);
        near.map(|near| near.point)
    }

    /// Whether a place is solid.
    pub(super) fn contains(&self, p: Vec3) -> bool {
        self.nearest(p, SHELL * self.spacing).is_some() || self.field.contains(p)
    }

    /// A sample at `p`, if it is solid there; `inside` tells whether it is inside, if that is known.
    fn sample(&self, p: Vec3, inside: Option<bool>) -> Option<Sample> {
        let surface = self.nearest(p, LOOK * self.spacing);
        let inside = inside.unwrap_or_else(|| self.field.contains(p));
        let far = surface.map_or(LOOK * self.spacing, |near| near.distance(p));
        let clear = if inside {
            far
        } else {
            SHELL * self.spacing - far
        };
        (clear >= 0.0).then_some(Sample {
            x: p,
            surface,
            clear,
        })
    }
}

/// Samples of a mesh, about `spacing` from each other, in the order of the lattice.
pub(super) fn fill(mesh: &Mesh, solid: &Solid, key: u64) -> Result<Vec<Sample>, BuildError> {
    let Some((lo, hi)) = mesh.bounds() else {
        return Err(MeshError::Empty.into());
    };
    let lattice = Lattice::new(lo, hi, solid.spacing)?;
    let crossed = lattice.crossed(mesh, LOOK * solid.spacing);
    // Through a hole the outside hangs together with the inside.
    let known = if MeshReport::new(mesh).closed() {
        lattice.flood(&crossed, |p| solid.field.contains(p))
    } else {
        Vec::new()
    };
    let count = lattice.count();
    let samples = (0..count).into_par_iter().with_min_len(256);
    let samples = samples.flat_map_iter(|cell| {
        let inside = match known.get(cell) {
            Some(State::Inside) => Some(true),
            Some(State::Outside) => Some(false),
            Some(State::Crossed) | None => None,
        };
        let places = match inside {
            Some(false) => None,
            Some(true) | None => Some(lattice.places(cell, key)),
        };
        let is_deep = inside == Some(true) && !crossed[cell];
        places.into_iter().flatten().filter_map(move |p| {
            if is_deep {
                let clear = LOOK * solid.spacing;
                return Some(Sample {
                    x: p,
                    surface: None,
                    clear,
                });
            }
            solid.sample(p, inside)
        })
    });
    let mut samples: Vec<Sample> = samples.collect();
    add_bare(mesh, solid, &mut samples);
    Ok(samples)
}

/// Adds vertices that no sample is near to.
fn add_bare(mesh: &Mesh, solid: &Solid, samples: &mut Vec<Sample>) {
    let reach = BARE * solid.spacing;
    let places: Vec<Vec3> = samples.iter().map(|s| s.x).collect();
    let grid = PointGrid::new(&places, reach);
    let bare: Vec<Vec3> = (mesh.positions.par_iter().copied())
        .filter(|&y| !grid.any_within(y, reach, |_| true))
        .collect();
    let mut added: Vec<Vec3> = Vec::new();
    for y in bare {
        // There are few of these: a lattice leaves out little.
        if added.iter().all(|a| a.distance_squared(y) >= reach * reach) {
            added.push(y);
        }
    }
    samples.extend(added.into_iter().map(|y| Sample {
        x: y,
        surface: Some(y),
        clear: SHELL * solid.spacing,
    }));
}

/// What is known of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// The surface may be in it or beside it.
    Crossed,
    Inside,
    Outside,
}

/// A lattice over a box, with two samples in a cell.
struct Lattice {
    lo: Vec3,
    cell: f32,
    size: IVec3,
}

impl Lattice {
    fn new(lo: Vec3, hi: Vec3, spacing: f32) -> Result<Self, BuildError> {
        let cell = CELL * spacing;
        let margin = Vec3::splat(SHELL * spacing);
        let size = ((hi - lo + 2.0 * margin) / cell).ceil();
        let cells = size.element_product();
        if cells.is_nan() || cells > MOST_CELLS {
            let text = "the mesh is too thin for its size to be covered".to_owned();
            return Err(BuildError::Parameter(text));
        }
        let size = size.as_ivec3().max(IVec3::ONE);
        // What is left over is shared by both sides.
        let over = size.as_vec3() * cell - (hi - lo);
        Ok(Self {
            lo: lo - 0.5 * over,
            cell,
            size,
        })
    }

    fn count(&self) -> usize {
        self.size.to_array().iter().map(|&n| n as usize).product()
    }

    fn index(&self, at: IVec3) -> usize {
        ((at.z * self.size.y + at.y) * self.size.x + at.x) as usize
    }

    fn at(&self, index: usize) -> IVec3 {
        let [x, y] = [self.size.x as usize, self.size.y as usize];
        IVec3::new(
            (index % x) as i32,
            (index / x % y) as i32,
            (index / x / y) as i32,
        )
    }

    /// The two places of a cell.
    fn places(&self, index: usize, key: u64) -> [Vec3; 2] {
        let mut random = Random::new([key, name_key("cover"), 0, index as u64]);
        let corner = self.at(index).as_vec3();
        [0.25, 0.75].map(|middle| {
            let shaken = (2.0 * random.next_in_cube() - 1.0) * SHAKE;
            self.lo + (corner + middle + shaken) * self.cell
        })
    }

    /// The cells that the box of a triangle comes nearer to than `reach`.
    fn crossed(&self, mesh: &Mesh, reach: f32) -> Vec<bool> {
        let mut crossed = vec![false; self.count()];
        for triangle in &mesh.triangles {
            let [a, b, c] = triangle.map(|v| mesh.positions[v as usize]);
            let first = self.cell_of(a.min(b).min(c) - reach);
            let last = self.cell_of(a.max(b).max(c) + reach);
            for z in first.z..=last.z {
                for y in first.y..=last.y {
                    let row = self.index(IVec3::new(0, y, z));
                    let [from, to] = [first.x, last.x].map(|x| row + x as usize);
                    crossed[from..=to].fill(true);
                }
            }
        }
        crossed
    }

    fn cell_of(&self, p: Vec3) -> IVec3 {
        let cell = ((p - self.lo) / self.cell).floor().as_ivec3();
        cell.clamp(IVec3::ZERO, self.size - 1)
    }

    /// Tells inside from outside wherever no triangle is near, by one question for all cells that hang together.
    fn flood(&self, crossed: &[bool], contains: impl Fn(Vec3) -> bool) -> Vec<State> {
        let mut states = vec![State::Crossed; crossed.len()];
        let mut stack = Vec::new();
        for start in 0..crossed.len() {
            if crossed[start] || states[start] != State::Crossed {
                continue;
            }
            let middle = self.lo + (self.at(start).as_vec3() + 0.5) * self.cell;
            let state = if contains(middle) {
                State::Inside
            } else {
                State::Outside
            };
            states[start] = state;
            stack.push(start);
            while let Some(cell) = stack.pop() {
                let at = self.at(cell);
                for step in [IVec3::X, IVec3::Y, IVec3::Z] {
                    for next in [at - step, at + step] {
                        if next.cmplt(IVec3::ZERO).any() || next.cmpge(self.size).any() {
                            continue;
                        }
                        let next = self.index(next);
                        if !crossed[next] && states[next] == State::Crossed {
                            states[next] = state;
                            stack.push(next);
                        }
                    }
                }
            }
        }
        states
    }
}
