//! The invariants of the tracked surface, checked.

use super::closed_mesh::{ClosedMesh, NONE, next};
use glam::DVec3;

/// How closely [`ClosedMesh::validate`] looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Counters only; O(1).
    Counters,
    /// Everything.
    Everything,
}

/// A broken invariant: the rule and the element where it is broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Violation {
    /// A half-edge has no twin, is not its twin's twin, or has its twin in its own triangle.
    #[error("half-edge {0} is not closed")]
    Open(u32),
    /// A half-edge and its twin do not run in opposite directions.
    #[error("half-edge {0} and its twin do not run in opposite directions")]
    Orientation(u32),
    /// Two half-edges have the same origin and target.
    #[error("two edges run from vertex {0} to vertex {1}")]
    DuplicateEdge(u32, u32),
    /// The triangles at a vertex are not one closed fan of at least three.
    #[error("the triangles at vertex {0} are not one fan of at least three")]
    Fan(u32),
    /// A triangle repeats a vertex or uses a free one.
    #[error("triangle {0} repeats a vertex or uses a free one")]
    Triangle(u32),
    /// Two triangles have the same vertices.
    #[error("triangles {0} and {1} have the same vertices")]
    DuplicateTriangle(u32, u32),
    /// A position is not finite.
    #[error("vertex {0} is not finite")]
    NonFinite(u32),
    /// A component has an odd Euler number or a negative genus.
    #[error("the component of triangle {0} has the impossible Euler number {1}")]
    Euler(u32, i64),
    /// Free slots and living ones do not add up, or columns differ in length.
    #[error("the book-keeping of {0} is wrong")]
    Slots(&'static str),
}

/// What a sound mesh is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Census {
    /// Living vertices.
    pub vertices: usize,
    /// Living triangles.
    pub triangles: usize,
    /// Closed sheets that hang together, cavities included.
    pub sheets: usize,
    /// Euler number, summed over all sheets.
    pub euler: i64,
    /// Volume, cavities counted negatively (m³).
    pub volume: f64,
}

impl ClosedMesh {
    /// Checks the invariants of the surface: closed, oriented, no duplicate edge, one fan a vertex, no duplicate triangle,
    /// finite, possible Euler numbers, slots that add up. Returns what the mesh is, or the first rule that is broken.
    pub fn validate(&self, level: Level) -> Result<Census, Violation> {
        self.check_columns()?;
        if level < Level::Everything {
            return Ok(Census {
                vertices: self.vertex_count(),
                triangles: self.triangle_count(),
                ..Census::default()
            });
        }
        self.check_slots()?;
        let mut corners = vec![0u32; self.x.len()];
        for t in self.triangles() {
            self.check_triangle(t)?;
            for v in self.triangle(t) {
                corners[v as usize] += 1;
            }
        }
        for v in self.vertices() {
            self.check_vertex(v, corners[v as usize] as usize)?;
        }
        let (sheets, euler) = self.check_sheets()?;
        Ok(Census {
            vertices: self.vertex_count(),
            triangles: self.triangle_count(),
            sheets,
            euler,
            volume: self.volume(),
        })
    }

    fn check_columns(&self) -> Result<(), Violation> {
        let (v, t) = (self.x.len(), self.material.len());
        let vertex_columns = [
            self.out.len(),
            self.rest.len(),
            self.was.len(),
            self.component.len(),
            self.vertex_flags.len(),
        ];
        let sized = |len: usize, whole: usize| len == 0 || len == whole;
        if vertex_columns.iter().any(|&n| n != v) || !sized(self.color.len(), v) {
            return Err(Violation::Slots("vertex columns"));
        }
        if [self.corner.len(), self.twin.len(), 3 * self.patch.len()]
            .iter()
            .any(|&n| n != 3 * t)
            || !sized(self.uv.len(), 3 * t)
        {
            return Err(Violation::Slots("triangle columns"));
        }
        if self.free_vertices.len() > v || self.free_triangles.len() > t {
            return Err(Violation::Slots("free slots"));
        }
        Ok(())
    }

    /// Free slots are listed once and are free; nothing else is.
    fn check_slots(&self) -> Result<(), Violation> {
        let mut free = vec![false; self.x.len()];
        for &v in &self.free_vertices {
            if std::mem::replace(&mut free[v as usize], true) || self.out[v as usize] != NONE {
                return Err(Violation::Slots("free vertices"));
            }
        }
        if self.out.iter().filter(|&&h| h == NONE).count() != self.free_vertices.len() {
            return Err(Violation::Slots("free vertices"));
        }
        let mut free = vec![false; self.material.len()];
        for &t in &self.free_triangles {
            if std::mem::replace(&mut free[t as usize], true) || self.alive(t) {
                return Err(Violation::Slots("free triangles"));
            }
        }
        if self.triangles().count() != self.triangle_count() {
            return Err(Violation::Slots("free triangles"));
        }
        Ok(())
    }

    /// The rules about one triangle and its half-edges.
    pub(crate) fn check_triangle(&self, t: u32) -> Result<(), Violation> {
        let [a, b, c] = self.triangle(t);
        let living = |v: u32| self.out.get(v as usize).is_some_and(|&h| h != NONE);
        if a == b || b == c || c == a || ![a, b, c].into_iter().all(living) {
            return Err(Violation::Triangle(t));
        }
        for h in 3 * t..3 * t + 3 {
            let g = self.twin(h);
            if g == NONE || g as usize >= self.twin.len() || self.twin(g) != h || g / 3 == t {
                return Err(Violation::Open(h));
            }
            if !self.alive(g / 3)
                || self.origin(g) != self.target(h)
                || self.target(g) != self.origin(h)
            {
                return Err(Violation::Orientation(h));
            }
        }
        // Two triangles of the same vertices share an edge, so they are neighbours.
        for h in 3 * t..3 * t + 3 {
            let s = self.twin(h) / 3;
            let apex = self.origin(super::closed_mesh::prev(self.twin(h)));
            if apex == self.origin(super::closed_mesh::prev(h)) {
                return Err(Violation::DuplicateTriangle(t, s));
            }
        }
        Ok(())
    }

    /// The rules about one vertex that `corners` triangles use.
    pub(crate) fn check_vertex(&self, v: u32, corners: usize) -> Result<(), Violation> {
        if !self.x[v as usize].is_finite() {
            return Err(Violation::NonFinite(v));
        }
        let first = self.out[v as usize];
        if first as usize >= self.corner.len() || self.origin(first) != v {
            return Err(Violation::Fan(v));
        }
        let mut targets: Vec<u32> = self.ring(v).map(|h| self.target(h)).collect();
        if targets.len() != corners || corners < 3 {
            return Err(Violation::Fan(v));
        }
        targets.sort_unstable();
        match targets.windows(2).find(|w| w[0] == w[1]) {
            Some(twice) => Err(Violation::DuplicateEdge(v, twice[0])),
            None => Ok(()),
        }
    }

    /// Counts the sheets and their Euler numbers.
    fn check_sheets(&self) -> Result<(usize, i64), Violation> {
        let mut seen = vec![false; self.material.len()];
        let mut met = vec![false; self.x.len()];
        let (mut sheets, mut euler) = (0, 0);
        let mut stack = Vec::new();
        for first in self.triangles() {
            if std::mem::replace(&mut seen[first as usize], true) {
                continue;
            }
            let (mut faces, mut vertices) = (0i64, 0i64);
            stack.push(first);
            while let Some(t) = stack.pop() {
                faces += 1;
                for h in 3 * t..3 * t + 3 {
                    vertices +=
                        i64::from(!std::mem::replace(&mut met[self.origin(h) as usize], true));
                    let s = self.twin(h) / 3;
                    if !std::mem::replace(&mut seen[s as usize], true) {
                        stack.push(s);
                    }
                }
            }
            let chi = vertices - faces / 2;
            if faces % 2 != 0 || chi % 2 != 0 || chi > 2 {
                return Err(Violation::Euler(first, chi));
            }
            sheets += 1;
            euler += chi;
        }
        Ok((sheets, euler))
    }

    /// Signed volume by the divergence theorem (m³), about the middle of the vertices; cavities count negatively.
    pub fn volume(&self) -> f64 {
        self.volume_of(self.triangles())
    }

    /// [`ClosedMesh::volume`] of some of the triangles, which must be closed together.
    pub(crate) fn volume_of(&self, triangles: impl Iterator<Item = u32>) -> f64 {
        let mut triangles = triangles.peekable();
        let origin = triangles
            .peek()
            .map_or(DVec3::ZERO, |&t| self.at(3 * t).as_dvec3());
        self.volume_about(triangles, origin)
    }

    /// Signed volume of the pyramids over some triangles with their tip in `origin` (m³).
    pub(crate) fn volume_about(&self, triangles: impl Iterator<Item = u32>, origin: DVec3) -> f64 {
        let mut sum = 0.0;
        for t in triangles {
            let [a, b, c] = self.points(t).map(|p| p.as_dvec3() - origin);
            sum += a.dot(b.cross(c));
        }
        sum / 6.0
    }

    /// Length of the longest edge (m).
    pub fn longest_edge(&self) -> f32 {
        self.triangles()
            .flat_map(|t| 3 * t..3 * t + 3)
            .map(|h| {
                self.x[self.origin(h) as usize]
                    .distance_squared(self.x[self.corner[next(h) as usize] as usize])
            })
            .fold(0.0, f32::max)
            .sqrt()
    }
}
