//! A triangle mesh with the attributes that travel from input to output.

use glam::{Vec2, Vec3};

/// A triangle soup over shared vertices, as it comes from a file or a shape.
///
/// Nothing is promised about topology: open, non-manifold and self-intersecting meshes are legal.
/// What is promised: every index is in range, every number is finite, and every attribute column that
/// is not empty has the length its comment states. [`Mesh::validate`] checks it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// Vertex positions (m).
    pub positions: Vec<Vec3>,
    /// Vertex indices of each triangle, counter-clockwise from outside.
    pub triangles: Vec<[u32; 3]>,
    /// Texture coordinates per corner (one entry a triangle), or empty. Per corner, not per vertex, because seams are.
    pub corner_uvs: Vec<[Vec2; 3]>,
    /// Vertex colours, RGBA in sRGB, or empty.
    pub colors: Vec<[u8; 4]>,
    /// The part (sub-mesh) of each triangle, an index into `part_names`, or empty when the mesh has a single unnamed part.
    pub parts: Vec<u16>,
    /// Names of the parts: object, group, material or node names of the file.
    pub part_names: Vec<String>,
}

/// What [`Mesh::validate`] found.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MeshError {
    /// The mesh has no triangle.
    #[error("the mesh has no triangles")]
    Empty,
    /// A vertex has a coordinate that is not a finite number.
    #[error("vertex {vertex} has a coordinate that is not finite")]
    NonFinite {
        /// Index of the vertex.
        vertex: usize,
    },
    /// A triangle refers to a vertex that does not exist.
    #[error("triangle {triangle} refers to vertex {vertex}, but there are only {count} vertices")]
    IndexOutOfRange {
        /// Index of the triangle.
        triangle: usize,
        /// The vertex it names.
        vertex: u32,
        /// How many vertices there are.
        count: usize,
    },
    /// An attribute column has the wrong length.
    #[error("the mesh has {found} {column} where {expected} are needed")]
    ColumnLength {
        /// Which column.
        column: &'static str,
        /// Its length.
        found: usize,
        /// The length it should have.
        expected: usize,
    },
}

impl Mesh {
    /// Adds another mesh. Attributes that only one of them has are made up for the other: no texture, white, a part without a name.
    /// Parts of the same name become one.
    pub fn append(&mut self, other: &Self) {
        let (vertices, triangles) = (self.positions.len(), self.triangles.len());
        let both = (
            vertices + other.positions.len(),
            triangles + other.triangles.len(),
        );
        join(
            &mut self.corner_uvs,
            &other.corner_uvs,
            (triangles, both.1),
            [Vec2::ZERO; 3],
        );
        join(
            &mut self.colors,
            &other.colors,
            (vertices, both.0),
            [255; 4],
        );
        if !(self.parts.is_empty() && other.parts.is_empty()) {
            if self.parts.is_empty() {
                self.parts = vec![0; triangles];
                self.part_names = vec![String::new()];
            }
            let mut number = |name: &str| {
                let known = self.part_names.iter().position(|known| known == name);
                let at = known.unwrap_or_else(|| {
                    self.part_names.push(name.to_owned());
                    self.part_names.len() - 1
                });
                // More parts than numbers: the last ones are told apart no more.
                u16::try_from(at).unwrap_or(u16::MAX - 1)
            };
            if other.parts.is_empty() {
                let unnamed = number("");
                self.parts.resize(both.1, unnamed);
            } else {
                let numbers: Vec<u16> = other.part_names.iter().map(|n| number(n)).collect();
                let renumbered = |part: &u16| numbers.get(usize::from(*part)).copied();
                let parts = other.parts.iter().map(|p| renumbered(p).unwrap_or(0));
                self.parts.extend(parts);
            }
        }
        self.positions.extend_from_slice(&other.positions);
        let moved = |t: &[u32; 3]| t.map(|v| v + vertices as u32);
        self.triangles.extend(other.triangles.iter().map(moved));
    }

    /// A closed mesh with one handle: `n` × `m` quads of two triangles each, `at(u, v)` their corners for `u` and `v` in `0..1`,
    /// both periodic. Outside is where ∂u × ∂v points.
    pub fn ring(n: u32, m: u32, at: impl Fn(f32, f32) -> Vec3) -> Self {
        let mut mesh = Self::default();
        let corner = |i: u32, j: u32| (i % n) * m + j % m;
        for i in 0..n {
            for j in 0..m {
                mesh.positions
                    .push(at(i as f32 / n as f32, j as f32 / m as f32));
                let [a, b] = [corner(i, j), corner(i + 1, j)];
                let [c, d] = [corner(i, j + 1), corner(i + 1, j + 1)];
                mesh.triangles.extend([[a, b, c], [c, b, d]]);
            }
        }
        mesh
    }

    /// Checks what the type promises: indices in range, numbers finite, columns of the right length.
    pub fn validate(&self) -> Result<(), MeshError> {
        if self.triangles.is_empty() {
            return Err(MeshError::Empty);
        }
        if let Some(vertex) = self.positions.iter().position(|p| !p.is_finite()) {
            return Err(MeshError::NonFinite { vertex });
        }
        let count = self.positions.len();
        for (triangle, corners) in self.triangles.iter().enumerate() {
            if let Some(&vertex) = corners.iter().find(|&&v| v as usize >= count) {
                return Err(MeshError::IndexOutOfRange {
                    triangle,
                    vertex,
                    count,
                });
            }
        }
        let columns = [
            (
                "corner texture coordinates",
                self.corner_uvs.len(),
                self.triangles.len(),
            ),
            ("vertex colours", self.colors.len(), count),
            ("part numbers", self.parts.len(), self.triangles.len()),
        ];
        for (column, found, expected) in columns {
            if found != 0 && found != expected {
                return Err(MeshError::ColumnLength {
                    column,
                    found,
                    expected,
                });
            }
        }
        Ok(())
    }

    /// The smallest box around the vertices that triangles use, or `None` without triangles.
    pub fn bounds(&self) -> Option<(Vec3, Vec3)> {
        let mut used = self
            .triangles
            .iter()
            .flatten()
            .map(|&v| self.positions[v as usize]);
        let first = used.next()?;
        Some(used.fold((first, first), |(lo, hi), p| (lo.min(p), hi.max(p))))
    }

    /// Signed volume by the divergence theorem (m³), in f64 about the box centre; meaningful for closed meshes.
    pub fn volume(&self) -> f64 {
        let Some((lo, hi)) = self.bounds() else {
            return 0.0;
        };
        let origin = ((lo + hi) * 0.5).as_dvec3();
        self.triangles
            .iter()
            .map(|t| {
                let [a, b, c] = t.map(|v| self.positions[v as usize].as_dvec3() - origin);
                a.dot(b.cross(c)) / 6.0
            })
            .sum()
    }

    /// Surface area (m²).
    pub fn area(&self) -> f64 {
        self.triangles
            .iter()
            .map(|t| {
                let [a, b, c] = t.map(|v| self.positions[v as usize].as_dvec3());
                0.5 * (b - a).cross(c - a).length()
            })
            .sum()
    }

    /// For each vertex the lowest one of its piece; pieces share no vertex. A vertex without triangles is a piece of its own.
    pub fn pieces(&self) -> Vec<u32> {
        let mut parent: Vec<u32> = (0..self.positions.len() as u32).collect();
        let find = |parent: &mut Vec<u32>, mut v: u32| {
            while parent[v as usize] != v {
                // Halving the path as it is walked keeps it short.
                parent[v as usize] = parent[parent[v as usize] as usize];
                v = parent[v as usize];
            }
            v
        };
        for &[a, b, c] in &self.triangles {
            for other in [b, c] {
                let (x, y) = (find(&mut parent, a), find(&mut parent, other));
                parent[x.max(y) as usize] = x.min(y);
            }
        }
        // A parent is never above its child, so that of each vertex is final before it is asked for.
        for v in 0..parent.len() {
            parent[v] = parent[parent[v] as usize];
        }
        parent
    }

    /// The number of pieces that share no vertex.
    pub fn piece_count(&self) -> usize {
        let pieces = self.pieces();
        let mut used = vec![false; pieces.len()];
        for &v in self.triangles.as_flattened() {
            used[pieces[v as usize] as usize] = true;
        }
        used.iter().filter(|used| **used).count()
    }

    /// Area-weighted vertex normals; zero where a vertex has no area around it.
    pub fn vertex_normals(&self) -> Vec<Vec3> {
        let mut normals = vec![Vec3::ZERO; self.positions.len()];
        for t in &self.triangles {
            let [a, b, c] = t.map(|v| self.positions[v as usize]);
            let n = (b - a).cross(c - a);
            for &v in t {
                normals[v as usize] += n;
            }
        }
        for n in &mut normals {
            *n = n.normalize_or_zero();
        }
        normals
    }
}

/// Appends a column that begins at row `first`; all rows that are missing up to `all` are `plain`. Two empty columns stay empty.
fn join<T: Copy>(a: &mut Vec<T>, b: &[T], (first, all): (usize, usize), plain: T) {
    if a.is_empty() && b.is_empty() {
        return;
    }
    a.resize(first, plain);
    a.extend_from_slice(b);
    a.resize(all, plain);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Attributes that only one mesh has are made up for the other, and parts of one name stay one.
    #[test]
    fn append() {
        let triangle = Mesh {
            positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y],
            triangles: vec![[0, 1, 2]],
            ..Mesh::default()
        };
        let mut painted = triangle.clone();
        painted.colors = vec![[1, 2, 3, 4]; 3];
        painted.corner_uvs = vec![[Vec2::ONE; 3]];
        painted.parts = vec![1];
        painted.part_names = vec!["a".to_owned(), "inner".to_owned()];
        let mut all = triangle.clone();
        all.append(&triangle);
        assert!(all.colors.is_empty() && all.corner_uvs.is_empty() && all.parts.is_empty());
        all.append(&painted);
        all.append(&painted);
        all.append(&triangle);
        all.validate().unwrap();
        assert_eq!(all.triangles[4], [12, 13, 14]);
        assert_eq!(all.part_names, ["", "a", "inner"]);
        assert_eq!(all.parts, [0, 0, 2, 2, 0]);
        assert_eq!((all.colors[5], all.colors[6]), ([255; 4], [1, 2, 3, 4]));
        assert_eq!(all.colors[12], [255; 4]);
        assert_eq!(all.corner_uvs[3], [Vec2::ONE; 3]);
        assert_eq!(all.corner_uvs[4], [Vec2::ZERO; 3]);
    }

    /// Every vertex knows the lowest one of its piece, through however long a chain; a vertex without triangles is no piece.
    #[test]
    fn pieces() {
        let mesh = Mesh {
            positions: vec![Vec3::ZERO; 10],
            triangles: vec![[8, 9, 7], [5, 4, 6], [6, 2, 3], [0, 2, 0]],
            ..Mesh::default()
        };
        assert_eq!(mesh.pieces(), [0, 1, 0, 0, 0, 0, 0, 7, 7, 7]);
        assert_eq!(mesh.piece_count(), 2);
        assert_eq!(Mesh::default().piece_count(), 0);
    }
}
