//! A mesh of polygons with the attributes that travel from a file to the mesh that is drawn.

use glam::{Vec2, Vec3};

use crate::geometry::Mesh;
use crate::state::Csr;

/// Polygons over shared vertices, as artists make them.
///
/// As with [`Mesh`], nothing is promised about topology. What is promised: every index is in range, every number is finite, and every
/// attribute column that is not empty has the length its comment states. [`PolygonMesh::validate`] checks it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PolygonMesh {
    /// Vertex positions (m).
    pub positions: Vec<Vec3>,
    /// Vertices of each face, counter-clockwise from outside.
    pub faces: Csr,
    /// Texture coordinates per corner, in the order of `faces.items`, or empty.
    pub corner_uvs: Vec<Vec2>,
    /// Vertex colours, RGBA in sRGB, or empty.
    pub colors: Vec<[u8; 4]>,
    /// The part of each face, an index into `part_names`, or empty when there is a single part without a name.
    pub parts: Vec<u16>,
    /// Names of the parts.
    pub part_names: Vec<String>,
}

/// What [`PolygonMesh::validate`] found.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PolygonError {
    /// There is no face.
    #[error("the mesh has no faces")]
    Empty,
    /// A vertex has a coordinate that is not a finite number.
    #[error("vertex {vertex} has a coordinate that is not finite")]
    NonFinite {
        /// Index of the vertex.
        vertex: usize,
    },
    /// A face refers to a vertex that does not exist.
    #[error("face {face} refers to vertex {vertex}, but there are only {count} vertices")]
    IndexOutOfRange {
        /// Index of the face.
        face: usize,
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
    /// A face is of a part that does not exist.
    #[error("face {face} is of part {part}, but there are only {count} part names")]
    NoSuchPart {
        /// Index of the face.
        face: usize,
        /// The part it names.
        part: u16,
        /// How many parts there are.
        count: usize,
    },
}

impl PolygonMesh {
    /// Number of faces.
    pub fn face_count(&self) -> usize {
        self.faces.rows()
    }

    /// The part of a face; 0 without parts.
    pub fn part(&self, face: usize) -> u16 {
        self.parts.get(face).copied().unwrap_or(0)
    }

    /// How many parts there are, at least one.
    pub fn part_count(&self) -> usize {
        let highest = self.parts.iter().map(|&p| usize::from(p) + 1).max();
        highest.unwrap_or(1).max(self.part_names.len())
    }

    /// The name of a part; empty for parts without one.
    pub fn part_name(&self, part: u16) -> &str {
        self.part_names
            .get(usize::from(part))
            .map_or("", String::as_str)
    }

    /// Texture coordinates of the corners of a face; empty if there are none.
    pub fn face_uvs(&self, face: usize) -> &[Vec2] {
        if self.corner_uvs.is_empty() {
            return &[];
        }
        &self.corner_uvs[self.faces.offsets[face] as usize..self.faces.offsets[face + 1] as usize]
    }

    /// Checks what the type promises.
    pub fn validate(&self) -> Result<(), PolygonError> {
        if self.face_count() == 0 {
            return Err(PolygonError::Empty);
        }
        if let Some(vertex) = self.positions.iter().position(|p| !p.is_finite()) {
            return Err(PolygonError::NonFinite { vertex });
        }
        let count = self.positions.len();
        for (face, corners) in self.faces.iter().enumerate() {
            if let Some(&vertex) = corners.iter().find(|&&v| v as usize >= count) {
                return Err(PolygonError::IndexOutOfRange {
                    face,
                    vertex,
                    count,
                });
            }
        }
        let columns = [
            (
                "corner texture coordinates",
                self.corner_uvs.len(),
                self.faces.items.len(),
            ),
            ("vertex colours", self.colors.len(), count),
            ("part numbers", self.parts.len(), self.face_count()),
        ];
        for (column, found, expected) in columns {
            if found != 0 && found != expected {
                return Err(PolygonError::ColumnLength {
                    column,
                    found,
                    expected,
                });
            }
        }
        let count = self.part_names.len();
        let wrong = |p: &u16| usize::from(*p) >= count;
        if let Some(face) = self.parts.iter().position(wrong) {
            let part = self.parts[face];
            return Err(PolygonError::NoSuchPart { face, part, count });
        }
        Ok(())
    }

    /// The smallest box around the vertices that faces use, or `None` without faces.
    pub fn bounds(&self) -> Option<(Vec3, Vec3)> {
        let mut used = self.faces.items.iter().map(|&v| self.positions[v as usize]);
        let first = used.next()?;
        Some(used.fold((first, first), |(lo, hi), p| (lo.min(p), hi.max(p))))
    }
}

impl From<&Mesh> for PolygonMesh {
    /// Every triangle becomes a face; nothing is lost.
    fn from(mesh: &Mesh) -> Self {
        let mut faces = Csr::default();
        mesh.triangles.iter().for_each(|t| faces.push(*t));
        Self {
            positions: mesh.positions.clone(),
            faces,
            corner_uvs: mesh.corner_uvs.as_flattened().to_vec(),
            colors: mesh.colors.clone(),
            parts: mesh.parts.clone(),
            part_names: mesh.part_names.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A triangle mesh keeps its attributes, and each broken promise is named.
    #[test]
    fn from_mesh_and_validate() {
        let mesh = Mesh {
            positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z],
            triangles: vec![[0, 1, 2], [0, 2, 3]],
            corner_uvs: vec![[Vec2::ONE; 3], [Vec2::ZERO; 3]],
            colors: vec![[1, 2, 3, 4]; 4],
            parts: vec![1, 0],
            part_names: vec!["a".to_owned(), "b".to_owned()],
        };
        let good = PolygonMesh::from(&mesh);
        assert_eq!(good.validate(), Ok(()));
        assert_eq!(good.face_count(), 2);
        assert_eq!(good.face_uvs(0), [Vec2::ONE; 3]);
        assert_eq!(good.part_name(good.part(0)), "b");
        assert_eq!(good.part_count(), 2);
        let mut bad = good.clone();
        bad.faces.items[4] = 9;
        assert!(matches!(
            bad.validate(),
            Err(PolygonError::IndexOutOfRange {
                face: 1,
                vertex: 9,
                count: 4
            })
        ));
        bad = good.clone();
        bad.positions[3].y = f32::NAN;
        assert_eq!(bad.validate(), Err(PolygonError::NonFinite { vertex: 3 }));
        bad = good.clone();
        bad.colors.pop();
        assert!(matches!(
            bad.validate(),
            Err(PolygonError::ColumnLength { .. })
        ));
        bad = good;
        bad.parts[0] = 7;
        assert!(matches!(
            bad.validate(),
            Err(PolygonError::NoSuchPart { .. })
        ));
        assert_eq!(PolygonMesh::default().validate(), Err(PolygonError::Empty));
    }
}
