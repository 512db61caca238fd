//! The surface of a union, taken anew from a surface that may cross itself.
//!
//! The last resort for a piece of surface whose overlaps cannot be mended in place: the boundary of the points with a positive
//! winding number, by marching tetrahedra. Whatever comes in, the result is closed, manifold and faces outward.
//!
//! 1. Every cube of a lattice is cut into the six tetrahedra around its diagonal [Kuhn 1960], so that neighbours fit together and
//!    each tetrahedron edge runs along one of seven directions: three axes, three face diagonals, one body diagonal.
//! 2. For each direction d, the unimodular map that takes d to z turns the lattice lines along d into columns; where they
//!    cross the surface is found as for columns.
//! 3. Vertical lines tell which nodes are inside: one bit a node, in words along z.
//! 4. An edge between a node inside and one outside gets a vertex where its line leaves the inside. Vertices are numbered by the
//!    edge's lower node and direction; the numbers are found again by counting bits, without a hash table.
//! 5. Each tetrahedron with both kinds of nodes gets one or two triangles.
//!
//! A piecewise linear function on a triangulated space, nonzero at the nodes, has a manifold zero set: that is all the surface is
//! topologically, and rounding in step 2 can move vertices only along their edges.
//!
//! **Cost.** Seven drawings of the triangles, a scan of the node bits, and work in proportion to the area.
//! **Limits.** Parts thinner than the spacing may be lost, sharp edges are cut off by up to a spacing.

use std::array;

use glam::{DVec3, Vec3};
use rayon::prelude::*;

use super::closed_mesh::NONE;
use super::lines::{Crossing, Lines, winding_at};
use super::rays::vertices;

/// Most nodes of a lattice.
const NODE_LIMIT: f64 = 8_388_608.0;
/// Most nodes along an axis: beyond, single precision would blur heights by more than 0.001 spacings.
const AXIS_LIMIT: f64 = 8192.0;
/// Vertices keep this much of their edge away from its ends, so that no triangle vanishes.
const END: f32 = 0.08;
/// How far the first node lies before the box, in spacings: more than one, and odd, to keep nodes off round coordinates.
const MARGIN: [f64; 3] = [1.618_034, 1.437_192, 1.739_051];

/// Crossed words that one task takes.
const WORDS: usize = 256;
/// Directions of tetrahedron edges as bits: x 1, y 2, z 4.
const DIRECTIONS: usize = 7;
/// Axes (u, v, z) after the map of a direction; cyclic, so that the map keeps orientation.
const TURNED: [[usize; 3]; 3] = [[1, 2, 0], [2, 0, 1], [0, 1, 2]];

/// A surface that was extracted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Extraction {
    /// Vertices (m).
    pub positions: Vec<Vec3>,
    /// Triangles, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
    /// The spacing taken (m): the one asked for, or a larger one if that would need too many nodes.
    pub spacing: f32,
}

/// Extracts the boundary of the winding number's positive part, of the given triangles alone, at a lattice `spacing` (m).
///
/// The triangles must be closed and consistently oriented together. If nothing is inside, the result is empty.
pub fn extract(x: &[Vec3], corner: &[u32], triangles: &[u32], spacing: f32) -> Extraction {
    let Some(mut lattice) = Lattice::around(x, corner, triangles, f64::from(spacing)) else {
        return Extraction {
            spacing,
            ..Extraction::default()
        };
    };
    let ids = |t: usize| vertices(corner, triangles[t] as usize).map(|ids| (ids, NONE));
    let tables = loop {
        let tables: Option<Vec<Lines>> = (1..=DIRECTIONS)
            .into_par_iter()
            .map(|direction| {
                let mut lines = Lines::default();
                let place = |v: u32| lattice.turn(direction, lattice.local(x[v as usize]));
                let size = lattice.turned_size(direction);
                lines
                    .build(size, x.len(), triangles.len(), ids, place)
                    .then_some(lines)
            })
            .collect();
        match tables {
            Some(tables) => break tables,
            None if lattice.is_smallest() => {
                return Extraction {
                    spacing: lattice.spacing as f32,
                    ..Extraction::default()
                };
            }
            None => lattice = lattice.with_spacing(2.0 * lattice.spacing),
        }
    };
    let field = Field::new(&lattice, &tables[4 - 1]);
    Extraction {
        positions: field.positions(&lattice, &tables),
        triangles: field.triangles(),
        spacing: lattice.spacing as f32,
    }
}

/// The lattice of nodes.
#[derive(Clone, Debug)]
struct Lattice {
    low: DVec3,
    high: DVec3,
    origin: DVec3,
    spacing: f64,
    /// Nodes along each axis.
    size: [u32; 3],
}

impl Lattice {
    /// The lattice around the triangles, with at least one node to spare on all sides; `None` if there are no triangles.
    fn around(x: &[Vec3], corner: &[u32], triangles: &[u32], spacing: f64) -> Option<Self> {
        let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        for ids in triangles
            .iter()
            .filter_map(|&t| vertices(corner, t as usize))
        {
            for p in ids
                .map(|v| x[v as usize])
                .into_iter()
                .filter(|p| p.is_finite())
            {
                low = low.min(p.as_dvec3());
                high = high.max(p.as_dvec3());
            }
        }
        let widest = (high - low).max_element();
        if !(widest > 0.0 && widest.is_finite()) {
            return None;
        }
        // Nodes must differ as single-precision numbers, wherever they are.
        let finest = 16.0 * f64::from(f32::EPSILON) * low.abs().max(high.abs()).max_element();
        let asked = if spacing > 0.0 && spacing.is_finite() {
            spacing
        } else {
            widest / 128.0
        };
        let mut lattice = Self {
            low,
            high,
            origin: low,
            spacing: asked,
            size: [0; 3],
        };
        let mut d = asked.max(finest);
        loop {
            let n = lattice.nodes(d);
            let excess = (n.element_product() / NODE_LIMIT).max(n.max_element() / AXIS_LIMIT);
            if excess <= 1.0 {
                lattice = lattice.with_spacing(d);
                return Some(lattice);
            }
            d *= 1.001 * libm::cbrt(excess);
        }
    }

    /// Nodes along each axis for the spacing `d`.
    fn nodes(&self, d: f64) -> DVec3 {
        ((self.high - self.low) / d + DVec3::from_array(MARGIN)).floor() + 3.0
    }

    fn with_spacing(&self, d: f64) -> Self {
        Self {
            origin: self.low - DVec3::from_array(MARGIN) * d,
            spacing: d,
            size: self.nodes(d).to_array().map(|n| n as u32),
            ..*self
        }
    }

    /// Whether a larger spacing would not make it smaller.
    fn is_smallest(&self) -> bool {
        self.size.iter().all(|&n| n <= 4)
    }

    /// Lattice coordinates of a position.
    #[inline]
    fn local(&self, p: Vec3) -> [f64; 3] {
        ((p.as_dvec3() - self.origin) / self.spacing).to_array()
    }

    /// The axis along which lines of a direction are measured: of the direction's axes the one with the fewest nodes, which makes
    /// the fewest lines.
    #[inline]
    fn axis(&self, direction: usize) -> usize {
        let of_direction = (0..3).filter(|axis| direction >> axis & 1 == 1);
        of_direction
            .min_by_key(|&axis| self.size[axis])
            .unwrap_or(2)
    }

    /// Applies the map that takes `direction` to z: z becomes the coordinate along the direction's [`Lattice::axis`], which is
    /// taken off the direction's other coordinates. A shift keeps all numbers positive.
    #[inline]
    fn turn(&self, direction: usize, q: [f64; 3]) -> [f64; 3] {
        let [u, v, z] = TURNED[self.axis(direction)];
        let shift = f64::from(self.size[z] - 1) - q[z];
        let sheared = |axis: usize| {
            if direction >> axis & 1 == 1 {
                q[axis] + shift
            } else {
                q[axis]
            }
        };
        [sheared(u), sheared(v), q[z]]
    }

    /// The line through a node, and the node's place on it.
    #[inline]
    fn turned_node(&self, direction: usize, node: [u32; 3]) -> [u32; 3] {
        let [u, v, z] = TURNED[self.axis(direction)];
        let shift = self.size[z] - 1 - node[z];
        let sheared = |axis: usize| node[axis] + (direction >> axis & 1) as u32 * shift;
        [sheared(u), sheared(v), node[z]]
    }

    /// Lines along a direction.
    fn turned_size(&self, direction: usize) -> [u32; 2] {
        let [u, v, z] = TURNED[self.axis(direction)];
        let sheared =
            |axis: usize| self.size[axis] + (direction >> axis & 1) as u32 * (self.size[z] - 1);
        [sheared(u), sheared(v)]
    }
}

/// The edges that begin in the 64 nodes of a word and have one end inside.
#[derive(Clone, Copy, Debug)]
struct Crossed {
    /// One bit a node, for each direction.
    edges: [u64; DIRECTIONS],
    /// Vertices before those of this word.
    first: u32,
    /// The word.
    word: u32,
}

/// Which nodes are inside.
struct Field {
    size: [u32; 3],
    /// Words along z.
    depth: usize,
    /// One bit a node, z fastest, then y.
    inside: Vec<u64>,
    /// Words with crossed edges, in order.
    crossed: Vec<Crossed>,
    /// Place in `crossed` of each word, or [`NONE`].
    slot: Vec<u32>,
    vertex_count: u32,
}

impl Field {
    fn new(lattice: &Lattice, vertical: &Lines) -> Self {
        let size = lattice.size;
        let depth = (size[2] as usize).div_ceil(64);
        let mut inside = vec![0u64; size[0] as usize * size[1] as usize * depth];
        for (column, words) in inside.chunks_mut(depth).enumerate() {
            let (i, j) = (column as u32 / size[1], column as u32 % size[1]);
            // Outermost nodes are outside by construction; to force it keeps the result closed even if numbers are not finite.
            if i == 0 || j == 0 || i + 1 >= size[0] || j + 1 >= size[1] {
                continue;
            }
            let mut from = 1;
            for c in vertical.line(i, j) {
                // Nodes below this crossing and not below the one before.
                let to = (f64::from(c.z).ceil().max(1.0) as u32).min(size[2] - 1);
                if c.below > 0 {
                    set_bits(words, from, to);
                }
                from = from.max(to);
            }
        }
        let mut field = Self {
            size,
            depth,
            slot: vec![NONE; inside.len()],
            inside,
            crossed: Vec::new(),
            vertex_count: 0,
        };
        field.find_crossed();
        field
    }

    /// The bits of a word shifted along a direction: bit k is the node that an edge from node k leads to.
    #[inline]
    fn ends(&self, word: usize, direction: usize) -> u64 {
        let step = (direction & 1) * self.size[1] as usize + (direction >> 1 & 1);
        let at = word + step * self.depth;
        let bits = self.inside.get(at).copied().unwrap_or(0);
        if direction < 4 {
            return bits;
        }
        // The node above the last bit of a word is the first bit of the next word of the same column.
        let has_next = word % self.depth + 1 < self.depth;
        let next = if has_next {
            self.inside.get(at + 1).copied().unwrap_or(0)
        } else {
            0
        };
        bits >> 1 | next << 63
    }

    fn find_crossed(&mut self) {
        for word in 0..self.inside.len() {
            let bits = self.inside[word];
            let edges = array::from_fn(|d| bits ^ self.ends(word, d + 1));
            if edges == [0; DIRECTIONS] {
                continue;
            }
            self.slot[word] = self.crossed.len() as u32;
            self.crossed.push(Crossed {
                edges,
                first: self.vertex_count,
                word: word as u32,
            });
            self.vertex_count += edges.iter().map(|e| e.count_ones()).sum::<u32>();
        }
    }

    /// The node of a bit.
    fn node(&self, word: usize, bit: u32) -> [u32; 3] {
        let column = (word / self.depth) as u32;
        let k = (word % self.depth) as u32 * 64 + bit;
        [column / self.size[1], column % self.size[1], k]
    }

    /// The vertex on the edge from a node in a direction.
    #[inline]
    fn vertex(&self, word: usize, bit: u32, direction: usize) -> u32 {
        let Some(crossed) = self.crossed.get(self.slot[word] as usize) else {
            return NONE;
        };
        let before = |e: &u64| e.count_ones();
        let earlier: u32 = crossed.edges[..direction - 1].iter().map(before).sum();
        let lower = crossed.edges[direction - 1] & ((1 << bit) - 1);
        crossed.first + earlier + lower.count_ones()
    }

    /// Vertices in the order of their numbers.
    fn positions(&self, lattice: &Lattice, tables: &[Lines]) -> Vec<Vec3> {
        let of_word = |crossed: &Crossed, found: &mut Vec<Vec3>| {
            let word = crossed.word as usize;
            for direction in 1..=DIRECTIONS {
                for bit in ones(crossed.edges[direction - 1]) {
                    let node = self.node(word, bit);
                    let [i, j, s] = lattice.turned_node(direction, node);
                    let line = tables[direction - 1].line(i, j);
                    let is_inside = self.inside[word] >> bit & 1 == 1;
                    let t = leaving(line, s as f32, is_inside).clamp(END, 1.0 - END);
                    let along = |axis: usize| {
                        f64::from(node[axis]) + f64::from((direction >> axis & 1) as f32 * t)
                    };
                    let q = DVec3::new(along(0), along(1), along(2));
                    found.push((lattice.origin + lattice.spacing * q).as_vec3());
                }
            }
        };
        self.gather(of_word)
    }

    /// The triangles, cell by cell.
    ///
    /// All six tetrahedra of a cell share its first node, so a cell has triangles exactly if an edge from that node is crossed.
    fn triangles(&self) -> Vec<[u32; 3]> {
        self.gather(|crossed, found| {
            for bit in ones(crossed.edges.iter().fold(0, |all, e| all | e)) {
                self.march(crossed.word as usize, bit, found);
            }
        })
    }

    /// What `of_word` finds in all crossed words, in their order.
    fn gather<T: Clone + Send>(&self, of_word: impl Fn(&Crossed, &mut Vec<T>) + Sync) -> Vec<T> {
        let of_words = |words: &[Crossed]| {
            let mut found = Vec::new();
            for word in words {
                of_word(word, &mut found);
            }
            found
        };
        let found: Vec<Vec<T>> = self.crossed.par_chunks(WORDS).map(of_words).collect();
        found.concat()
    }

    /// The triangles of the cell whose first node is a bit of a word.
    fn march(&self, word: usize, bit: u32, found: &mut Vec<[u32; 3]>) {
        let nodes: [(usize, u32); 8] = array::from_fn(|c| {
            let step = (c & 1) * self.size[1] as usize + (c >> 1 & 1);
            let up = bit + (c >> 2) as u32;
            (word + step * self.depth + up as usize / 64, up % 64)
        });
        let is_inside = nodes.map(|(word, bit)| {
            self.inside
                .get(word)
                .is_some_and(|bits| bits >> bit & 1 == 1)
        });
        for (chain, is_even) in CHAINS {
            let mask = (0..4).fold(0, |mask, n| mask | usize::from(is_inside[chain[n]]) << n);
            let [a, b, c, d] = CASES[mask];
            let on = |a: usize, b: usize| {
                let (a, b) = (chain[a.min(b)], chain[a.max(b)]);
                let (word, bit) = nodes[a];
                self.vertex(word, bit, a ^ b)
            };
            let mut put = |[a, b, c]: [u32; 3], turned: bool| {
                found.push(if turned == is_even {
                    [a, c, b]
                } else {
                    [a, b, c]
                });
            };
            match mask.count_ones() {
                1 => put([on(a, b), on(a, c), on(a, d)], false),
                3 => put([on(a, b), on(a, c), on(a, d)], true),
                2 => {
                    let [p, q, r, s] = [on(a, c), on(a, d), on(b, d), on(b, c)];
                    put([p, q, r], false);
                    put([p, r, s], false);
                }
                _ => {}
            }
        }
    }
}

/// The tetrahedra of a cell: the ways from corner 0 to corner 7 (as bits x 1, y 2, z 4) along its edges, and whether the order of
/// the axes is even, which makes the tetrahedron positive.
const CHAINS: [([usize; 4], bool); 6] = [
    ([0, 1, 3, 7], true),
    ([0, 1, 5, 7], false),
    ([0, 2, 3, 7], false),
    ([0, 2, 6, 7], true),
    ([0, 4, 5, 7], true),
    ([0, 4, 6, 7], false),
];

/// For each set of inside nodes of a tetrahedron (as bits) an even order (a, b, c, d) of them: a is the node that is alone on its
/// side, or a and b are the inside ones. In a positive tetrahedron the triangle on edges (ab, ac, ad) faces away from a, and the
/// quad (ac, ad, bd, bc) away from a and b.
const CASES: [[usize; 4]; 16] = [
    [0, 1, 2, 3],
    [0, 1, 2, 3],
    [1, 0, 3, 2],
    [0, 1, 2, 3],
    [2, 0, 1, 3],
    [0, 2, 3, 1],
    [1, 2, 0, 3],
    [3, 0, 2, 1],
    [3, 0, 2, 1],
    [0, 3, 1, 2],
    [1, 3, 2, 0],
    [2, 0, 1, 3],
    [2, 3, 0, 1],
    [1, 0, 3, 2],
    [0, 1, 2, 3],
    [0, 1, 2, 3],
];

/// Sets the bits `from..to`.
fn set_bits(words: &mut [u64], from: u32, to: u32) {
    for (w, word) in words.iter_mut().enumerate() {
        // The part of the range in this word.
        let low = (w * 64).max(from as usize);
        let high = (w * 64 + 64).min(to as usize);
        if low < high {
            *word |= (u64::MAX >> (64 - (high - low))) << (low % 64);
        }
    }
}

/// The numbers of the bits that are set, ascending.
fn ones(mut bits: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let bit = (bits != 0).then(|| bits.trailing_zeros());
        bits &= bits.wrapping_sub(1);
        bit
    })
}

/// Where between `start` and `start + 1` the line passes from inside to outside, in 0..=1; first seen from the inside end.
///
/// Nodes are judged by vertical lines. Another line can disagree if the surface passes within rounding of a node; then the place
/// is that node.
fn leaving(line: &[Crossing], start: f32, starts_inside: bool) -> f32 {
    let from = line.partition_point(|c| c.z <= start);
    let to = line.partition_point(|c| c.z <= start + 1.0);
    let above = |n: usize| line.get(n + 1).map_or(0, |c| c.below);
    let leaves = |n: &usize| {
        let (below, above) = (line[*n].below > 0, above(*n) > 0);
        below != above && below == starts_inside
    };
    let place = if starts_inside {
        (from..to).find(leaves)
    } else {
        (from..to).rev().find(leaves)
    };
    match place {
        Some(n) => line[n].z - start,
        None if (winding_at(line, start) > 0) == starts_inside => 1.0,
        None => 0.0,
    }
}

#[cfg(test)]
mod tests;
