//! Triangle meshes of shapes.
//!
//! 1. The distance is sampled on a grid. Blocks that are farther from the surface than their own size get one value.
//! 2. Surface nets put a vertex into each cell that the surface crosses and a quad across each crossed grid edge.
//! 3. Where two sheets pass one cell they share its vertex, and sometimes an edge; these are taken apart.
//! 4. Vertices are pulled onto the surface by Newton steps, which restores what linear interpolation rounds off.

use super::mesh::Mesh;
use super::shape::{Shape, ShapeError};
use fast_surface_nets::ndshape::RuntimeShape;
use fast_surface_nets::{SurfaceNetsBuffer, surface_nets};
use glam::{UVec3, Vec3};
use rayon::prelude::*;

/// Grids of more cells are refused: at 8 bytes a cell this is half a gigabyte.
pub const CELL_LIMIT: u64 = 64_000_000;

/// Grid points a side of the blocks that are sampled or skipped as one.
const BLOCK: u32 = 8;
/// How much of an edge a vertex that was split off moves towards its own sheet, so that copies do not coincide.
const SPLIT_SHIFT: f32 = 0.2;

/// Why a shape could not be meshed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MeshShapeError {
    /// The shape itself is wrong.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// The edge length is zero, negative or not finite.
    #[error("the edge length must be a positive number, not {0}")]
    EdgeLength(f32),
    /// The grid would be too large.
    #[error(
        "an edge length of {edge_length} needs {cell_count} grid cells, more than {CELL_LIMIT}; take at least {coarser}"
    )]
    TooFine {
        /// The edge length asked for.
        edge_length: f32,
        /// Cells it would need.
        cell_count: u64,
        /// An edge length that fits.
        coarser: f32,
    },
    /// There is no surface: nothing is inside, or it is thinner than the grid.
    #[error("the shape has no surface at an edge length of {0}; it is empty or too thin")]
    Empty(f32),
}

/// The grid over a shape's bounds.
struct Grid {
    origin: Vec3,
    cell: f32,
    /// Points along each axis.
    size: UVec3,
}

impl Grid {
    fn new(shape: &Shape, edge_length: f32) -> Result<Self, MeshShapeError> {
        let cell = 0.5 * edge_length;
        let (lo, hi) = shape.bounds();
        // Two empty cells around everything keep the surface closed.
        let size = ((hi - lo) / cell).ceil() + 5.0;
        let count = size.as_dvec3().element_product();
        if !count.is_finite() || count > CELL_LIMIT as f64 {
            let factor = libm::cbrt(count / CELL_LIMIT as f64) as f32;
            return Err(MeshShapeError::TooFine {
                edge_length,
                cell_count: count as u64,
                coarser: edge_length * factor * 1.05,
            });
        }
        // Half a cell of offset keeps grid planes off the faces of boxes, which often lie at round numbers.
        Ok(Self {
            origin: lo - cell * 1.75,
            cell,
            size: size.as_uvec3(),
        })
    }

    fn point(&self, index: UVec3) -> Vec3 {
        self.origin + self.cell * index.as_vec3()
    }

    /// The distance at every grid point, exact near the surface and of the right sign elsewhere; x runs fastest.
    fn sample(&self, shape: &Shape) -> Vec<f32> {
        let layer = (self.size.x * self.size.y) as usize;
        let mut field = vec![0.0; layer * self.size.z as usize];
        field
            .par_chunks_mut(layer * BLOCK as usize)
            .enumerate()
            .for_each(|(slab, values)| {
                let z = slab as u32 * BLOCK;
                for y in (0..self.size.y).step_by(BLOCK as usize) {
                    for x in (0..self.size.x).step_by(BLOCK as usize) {
                        self.sample_block(shape, UVec3::new(x, y, z), values);
                    }
                }
            });
        field
    }

    /// Fills the block of grid points from `start` on; `slab` are the layers from its z on.
    fn sample_block(&self, shape: &Shape, start: UVec3, slab: &mut [f32]) {
        let end = (start + BLOCK).min(self.size);
        let half = 0.5 * self.cell * (end - start).as_vec3();
        let middle = self.point(start) + half;
        // The distance changes by at most the way, so a middle that is farther from the surface than the corners rules.
        let distance = shape.distance(middle);
        let far = distance.abs() > 1.02 * half.length();
        let row_length = self.size.x as usize;
        for z in start.z..end.z {
            for y in start.y..end.y {
                let row = ((z - start.z) * self.size.y + y) as usize * row_length;
                for x in start.x..end.x {
                    let index = UVec3::new(x, y, z);
                    let value = if far {
                        distance
                    } else {
                        shape.distance(self.point(index))
                    };
                    let rim = index.min_element() == 0 || (index + 1).cmpeq(self.size).any();
                    slab[row + x as usize] = if rim { value.max(self.cell) } else { value };
                }
            }
        }
    }
}

/// Meshes a shape with edges of about half of, and hardly ever more than, `edge_length`.
///
/// The result is closed, faces outward, and every edge belongs to exactly two triangles, every vertex to one fan of them.
/// It does not depend on the number of threads. Parts thinner than `edge_length` may be lost.
pub fn mesh_shape(shape: &Shape, edge_length: f32) -> Result<Mesh, MeshShapeError> {
    shape.validate()?;
    if !(edge_length > 0.0 && edge_length.is_finite()) {
        return Err(MeshShapeError::EdgeLength(edge_length));
    }
    let grid = Grid::new(shape, edge_length)?;
    let field = grid.sample(shape);
    let mut net = SurfaceNetsBuffer::default();
    let extent = RuntimeShape::<u32, 3>::new(grid.size.to_array());
    surface_nets(
        &field,
        &extent,
        [0; 3],
        (grid.size - 1).to_array(),
        &mut net,
    );
    if net.indices.is_empty() {
        return Err(MeshShapeError::Empty(edge_length));
    }

    let mut positions: Vec<Vec3> = net
        .positions
        .iter()
        .map(|&p| grid.origin + grid.cell * Vec3::from_array(p))
        .collect();
    let (corners, _) = net.indices.as_chunks::<3>();
    let mut triangles = corners.to_vec();
    separate_sheets(&mut positions, &mut triangles);
    let pull = |p: Vec3| pulled(shape, p, 0.75 * grid.cell);
    positions.par_iter_mut().for_each(|p| *p = pull(*p));
    split_long_edges(&mut positions, &mut triangles, edge_length, pull);
    Ok(Mesh {
        positions,
        triangles,
        ..Mesh::default()
    })
}

/// The point after two Newton steps towards the surface, no farther than `reach`: beyond, the vertex would leave its
/// neighbours behind, and the field is no guide.
fn pulled(shape: &Shape, start: Vec3, reach: f32) -> Vec3 {
    let mut p = start;
    for _ in 0..2 {
        p = start + (shape.newton_step(p) - start).clamp_length_max(reach);
    }
    p
}

/// Takes apart edges with more than two triangles and vertices with more than one fan.
///
/// The mesh must be closed and oriented: each directed edge occurs as often as its reverse.
fn separate_sheets(positions: &mut Vec<Vec3>, triangles: &mut Vec<[u32; 3]>) {
    let partner = pair_half_edges(positions, triangles);
    split_fans(positions, triangles, &partner);
    split_repeated_edges(positions, triangles, &partner);
}

/// From and to of half-edge `h`, which is edge `h % 3` of triangle `h / 3`.
fn ends(triangles: &[[u32; 3]], h: usize) -> (u32, u32) {
    let t = triangles[h / 3];
    (t[h % 3], t[(h + 1) % 3])
}

/// The next half-edge in the triangle.
fn next(h: usize) -> usize {
    h / 3 * 3 + (h + 1) % 3
}

/// The opposite half-edge of each half-edge. Where four triangles meet, those are paired that bound the same wedge of solid,
/// so that bodies which touch along an edge come apart.
fn pair_half_edges(positions: &[Vec3], triangles: &[[u32; 3]]) -> Vec<usize> {
    let mut sorted: Vec<(u32, u32, usize)> = (0..3 * triangles.len())
        .map(|h| {
            let (a, b) = ends(triangles, h);
            (a.min(b), a.max(b), h)
        })
        .collect();
    sorted.par_sort_unstable();
    let mut partner = vec![usize::MAX; sorted.len()];
    for same in sorted.chunk_by(|x, y| (x.0, x.1) == (y.0, y.1)) {
        let (a, b) = (same[0].0, same[0].1);
        let (forward, backward): (Vec<usize>, Vec<usize>) = same
            .iter()
            .map(|s| s.2)
            .partition(|&h| ends(triangles, h).0 == a);
        let mut free = backward;
        for &h in &forward {
            let wedge = |&g: &usize| solid_angle_between(positions, triangles, (a, b), h, g);
            let best = (0..free.len()).min_by(|&i, &j| wedge(&free[i]).total_cmp(&wedge(&free[j])));
            // A closed mesh has a partner for every half-edge; an open one would keep its border.
            if let Some(i) = best {
                let g = free.remove(i);
                partner[h] = g;
                partner[g] = h;
            }
        }
    }
    partner
}

/// The angle through the solid from the triangle of half-edge `h` (along a → b) to that of `g` (along b → a), as a number
/// that grows with it.
fn solid_angle_between(
    positions: &[Vec3],
    triangles: &[[u32; 3]],
    (a, b): (u32, u32),
    h: usize,
    g: usize,
) -> f32 {
    let origin = positions[a as usize];
    let axis = (positions[b as usize] - origin).normalize_or(Vec3::X);
    let away = |h: usize| {
        let apex = positions[ends(triangles, next(h)).1 as usize] - origin;
        apex.reject_from_normalized(axis).normalize_or_zero()
    };
    let (from, to) = (away(h), away(g));
    // `axis × from` is the outward normal of h's triangle; the solid lies on the other side.
    let (x, y) = (from.dot(to), -axis.cross(from).dot(to));
    if y >= 0.0 { 1.0 - x } else { 3.0 + x }
}

/// Gives every fan of triangles around a vertex its own copy of it.
fn split_fans(positions: &mut Vec<Vec3>, triangles: &mut [[u32; 3]], partner: &[usize]) {
    let original = triangles.to_vec();
    let mut claimed = vec![false; positions.len()];
    let mut done = vec![false; partner.len()];
    let mut split: Vec<(u32, Vec3)> = Vec::new();
    for start in 0..partner.len() {
        if done[start] {
            continue;
        }
        // Walk the half-edges that leave the vertex within this fan.
        let vertex = ends(&original, start).0;
        let mut fan = Vec::new();
        let mut h = start;
        while h != usize::MAX && !done[h] {
            done[h] = true;
            fan.push(h);
            h = partner[next(next(h))];
        }
        let first_fan = !std::mem::replace(&mut claimed[vertex as usize], true);
        let copy = if first_fan {
            vertex
        } else {
            positions.push(positions[vertex as usize]);
            positions.len() as u32 - 1
        };
        for &h in &fan {
            triangles[h / 3][h % 3] = copy;
        }
        if !first_fan {
            let mean = |fan: &[usize]| {
                let sum: Vec3 = fan
                    .iter()
                    .map(|&h| positions[ends(&original, h).1 as usize])
                    .sum();
                sum / fan.len() as f32
            };
            split.push((copy, mean(&fan)));
        }
    }
    // Moved only now, so that means are of unmoved neighbours.
    for (copy, mean) in split {
        let p = &mut positions[copy as usize];
        *p = p.lerp(mean, SPLIT_SHIFT);
    }
}

/// Splits the edges between two vertices that are joined by more than one edge, all but the first.
fn split_repeated_edges(
    positions: &mut Vec<Vec3>,
    triangles: &mut Vec<[u32; 3]>,
    partner: &[usize],
) {
    let mut directed: Vec<(u32, u32, usize)> = (0..3 * triangles.len())
        .map(|h| {
            let (a, b) = ends(triangles, h);
            (a, b, h)
        })
        .filter(|&(a, b, _)| a < b)
        .collect();
    directed.par_sort_unstable();
    let mut repeated: Vec<usize> = directed
        .windows(2)
        .filter(|w| (w[0].0, w[0].1) == (w[1].0, w[1].1))
        .map(|w| w[1].2)
        .collect();
    repeated.sort_unstable();
    // Triangles are replaced, which moves half-edges; each is therefore found again by its ends.
    let mut replaced: Vec<(usize, usize)> = Vec::new();
    for h in repeated {
        let (a, b) = ends(triangles, h);
        let middle = positions.len() as u32;
        positions.push(positions[a as usize].midpoint(positions[b as usize]));
        for (side, (from, to)) in [(h / 3, (a, b)), (partner[h] / 3, (b, a))] {
            // The part of the old triangle that still has the edge.
            let holder = std::iter::once(side)
                .chain(replaced.iter().filter(|r| r.0 == side).map(|r| r.1))
                .find(|&t| (0..3).any(|k| ends(triangles, 3 * t + k) == (from, to)));
            let Some(t) = holder else { continue };
            let new = triangles.len();
            let mut half = triangles[t];
            for k in 0..3 {
                if (triangles[t][k], triangles[t][(k + 1) % 3]) == (from, to) {
                    half[k] = middle;
                    triangles[t][(k + 1) % 3] = middle;
                    break;
                }
            }
            triangles.push(half);
            replaced.push((side, new));
        }
    }
}

/// Splits edges longer than `limit` in the middle, which `pull` then puts onto the surface. They are few: skewed quads in
/// concave corners. Rounds end with none left, or after a handful when a pull keeps stretching what was split.
fn split_long_edges(
    positions: &mut Vec<Vec3>,
    triangles: &mut Vec<[u32; 3]>,
    limit: f32,
    pull: impl Fn(Vec3) -> Vec3,
) {
    for _ in 0..6 {
        let length = |h: usize| {
            let (a, b) = ends(triangles, h);
            positions[a as usize].distance(positions[b as usize])
        };
        let mut long: Vec<(f32, usize)> = (0..3 * triangles.len())
            .filter(|&h| ends(triangles, h).0 < ends(triangles, h).1)
            .map(|h| (length(h), h))
            .filter(|l| l.0 > limit)
            .collect();
        if long.is_empty() {
            return;
        }
        // The longest first, and one a triangle and round, so that half-edges keep their numbers meanwhile.
        long.sort_unstable_by(|x, y| y.0.total_cmp(&x.0).then(x.1.cmp(&y.1)));
        let partner = pair_half_edges(positions, triangles);
        let mut touched = vec![false; triangles.len()];
        for (_, h) in long {
            let sides = [h, partner[h]];
            if sides.iter().any(|&s| s == usize::MAX || touched[s / 3]) {
                continue;
            }
            let (a, b) = ends(triangles, h);
            let middle = positions.len() as u32;
            positions.push(pull(positions[a as usize].midpoint(positions[b as usize])));
            for side in sides {
                touched[side / 3] = true;
                let mut half = triangles[side / 3];
                half[side % 3] = middle;
                triangles[side / 3][(side + 1) % 3] = middle;
                triangles.push(half);
            }
        }
    }
}

#[cfg(test)]
mod tests;
