//! What all readers share: limits, names of parts, equal vertices made one.

use std::collections::HashMap;

use glam::Vec3;
use pliant::visual::PolygonMesh;

use super::MeshLimits;
use super::error::Problem;

impl MeshLimits {
    /// Refuses a number of vertices beyond the limit.
    pub(super) fn check_vertices(&self, count: usize) -> Result<(), Problem> {
        if count <= self.vertices {
            return Ok(());
        }
        let what = format!(
            "the mesh has more than {} vertices, the limit",
            self.vertices
        );
        Err(Problem::limit(what))
    }

    /// Refuses a number of triangles beyond the limit.
    pub(super) fn check_triangles(&self, count: usize) -> Result<(), Problem> {
        if count <= self.triangles {
            return Ok(());
        }
        let what = format!(
            "the mesh has more than {} triangles, the limit",
            self.triangles
        );
        Err(Problem::limit(what))
    }
}

/// The names a file gives to a face; empty for none.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct FaceNames {
    pub(super) object: String,
    pub(super) group: String,
    pub(super) material: String,
}

/// Collects the names of faces and makes one part list of them.
///
/// A face has one part, a file up to three kinds of names. The kind that tells most parts apart first is taken: groups
/// if there are several, else objects if there are several, else materials; with one of each, its object's name.
#[derive(Debug, Default)]
pub(super) struct PartTable {
    names: Vec<FaceNames>,
    known: HashMap<FaceNames, u32>,
    /// Per face, an index into `names`.
    of_face: Vec<u32>,
}

impl PartTable {
    /// The number of a combination of names.
    pub(super) fn number(&mut self, names: &FaceNames) -> u32 {
        if let Some(&number) = self.known.get(names) {
            return number;
        }
        let number = self.names.len() as u32;
        self.names.push(names.clone());
        self.known.insert(names.clone(), number);
        number
    }

    /// Notes that the next face has the names of that number.
    pub(super) fn push(&mut self, number: u32) {
        self.of_face.push(number);
    }

    /// The part columns of a mesh: the part of each face, and the names of the parts.
    pub(super) fn finish(self) -> Result<(Vec<u16>, Vec<String>), Problem> {
        let mut used = vec![false; self.names.len()];
        for &number in &self.of_face {
            used[number as usize] = true;
        }
        let kinds: [fn(&FaceNames) -> &str; 3] = [|n| &n.group, |n| &n.object, |n| &n.material];
        let used_names = || (0..used.len()).filter(|&i| used[i]).map(|i| &self.names[i]);
        let several = |kind: &fn(&FaceNames) -> &str| {
            let mut names = used_names().map(kind);
            let first = names.next();
            names.any(|name| Some(name) != first)
        };
        let single = [kinds[1], kinds[0], kinds[2]];
        let named = |kind: &fn(&FaceNames) -> &str| used_names().any(|n| !kind(n).is_empty());
        let Some(kind) = kinds
            .into_iter()
            .find(several)
            .or_else(|| single.into_iter().find(named))
        else {
            return Ok((Vec::new(), Vec::new()));
        };
        let mut part_names = Vec::new();
        let mut part_of_name: HashMap<&str, u16> = HashMap::new();
        let mut part_of_number = vec![0; self.names.len()];
        for (number, names) in self.names.iter().enumerate().filter(|(i, _)| used[*i]) {
            let name = kind(names);
            let next = u16::try_from(part_of_name.len())
                .map_err(|_| Problem::limit("the mesh has more than 65536 named parts"))?;
            let part = *part_of_name.entry(name).or_insert_with(|| {
                part_names.push(name.to_owned());
                next
            });
            part_of_number[number] = part;
        }
        let part = |&number: &u32| part_of_number[number as usize];
        Ok((self.of_face.iter().map(part).collect(), part_names))
    }
}

/// Makes vertices with equal position and colour one.
#[derive(Debug, Default)]
pub(super) struct Welder {
    known: HashMap<([u32; 3], [u8; 4]), u32>,
    pub(super) positions: Vec<Vec3>,
    pub(super) colors: Vec<[u8; 4]>,
}

impl Welder {
    /// The number of a vertex, new or known.
    pub(super) fn vertex(&mut self, position: Vec3, color: [u8; 4]) -> u32 {
        // Adding zero turns −0 into 0, so that the two are one place.
        let key = ((position + Vec3::ZERO).to_array().map(f32::to_bits), color);
        let next = self.positions.len() as u32;
        *self.known.entry(key).or_insert_with(|| {
            self.positions.push(position);
            self.colors.push(color);
            next
        })
    }
}

/// Welds the vertices of a mesh in place, in the order of their first occurrence.
pub(super) fn weld(mesh: &mut PolygonMesh) {
    let mut welder = Welder::default();
    let number: Vec<u32> = (0..mesh.positions.len())
        .map(|v| {
            welder.vertex(
                mesh.positions[v],
                mesh.colors.get(v).copied().unwrap_or_default(),
            )
        })
        .collect();
    for v in &mut mesh.faces.items {
        *v = number[*v as usize];
    }
    mesh.positions = welder.positions;
    if !mesh.colors.is_empty() {
        mesh.colors = welder.colors;
    }
}
