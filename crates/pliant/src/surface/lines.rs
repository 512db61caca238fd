//! Where the parallel lines of a lattice cross a surface.
//!
//! A table of lines is made from triangles that are given in lattice coordinates (u, v, z): line (i, j) runs along z through
//! u = i, v = j. Every triangle is taken row by row, and in each row from its left edge to its right one. Both ends of a row are
//! rounded to whole lines from a number that depends on the edge alone (its ends are ordered by vertex id), so the triangle on the
//! other side of the edge begins exactly where this one ends. On a closed surface the signs of every line therefore add up to
//! zero, and sums over the upper part of a line are exact winding numbers.
//!
//! Chunks of triangles are taken in parallel, each into its own list; the lists are sorted by line in the order of the chunks. The
//! result depends on the order of the triangles only where heights, signs and labels are all equal, hence nowhere.

use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use crate::parallel;

/// Triangles that one task takes.
const CHUNK: usize = 2048;
/// Lines that are sorted by one task.
const LINE_BLOCK: usize = 1024;
/// Rows and crossings together beyond which a table is refused: 8 million are 230 MB.
const WORK_LIMIT: usize = 1 << 23;

/// One crossing of a line with the surface.
#[derive(Clone, Copy, Debug)]
pub(super) struct Crossing {
    /// Height (lattice coordinate z).
    pub z: f32,
    /// Winding number of the stretch of the line that ends here from below.
    pub below: i32,
    /// Label of the triangle.
    pub label: u32,
}

/// A crossing before it is sorted in.
#[derive(Clone, Copy, Debug)]
struct Found {
    line: u32,
    z: f32,
    sign: i32,
    label: u32,
}

/// The crossings of all lines, each line from below upward. Buffers are kept from one build to the next.
#[derive(Clone, Debug, Default)]
pub(super) struct Lines {
    size: [u32; 2],
    /// Line l has the crossings `starts[l]..starts[l + 1]`.
    starts: Vec<u32>,
    crossings: Vec<Crossing>,
    found: Vec<Vec<Found>>,
    /// The first row at or after each vertex: most triangles of a fine mesh lie between two rows, and this tells at a glance.
    rows: Vec<u32>,
}

impl Lines {
    /// Fills the table with `size` lines along u and v. `triangle(t)` gives vertices and label of the triangles `t` in
    /// `0..count`, `place` the lattice coordinates of a vertex in `0..vertex_count`.
    ///
    /// Returns false, and leaves the table empty, if that would be too much work.
    pub(super) fn build(
        &mut self,
        size: [u32; 2],
        vertex_count: usize,
        count: usize,
        triangle: impl Fn(usize) -> Option<([u32; 3], u32)> + Sync,
        place: impl Fn(u32) -> [f64; 3] + Sync,
    ) -> bool {
        self.size = size;
        self.rows.clear();
        self.rows.resize(vertex_count, 0);
        let ranges: Vec<_> = parallel::blocks(0, vertex_count).collect();
        parallel::for_each_range(&ranges, &mut self.rows[..], &|_, range, part| {
            for (row, v) in part.iter_mut().zip(range) {
                *row = first_line(place(v as u32)[1], size[1]);
            }
        });
        let all_rows = &self.rows;
        let chunk_count = count.div_ceil(CHUNK);
        if self.found.len() < chunk_count {
            self.found.resize_with(chunk_count, Vec::new);
        }
        // Whether the sum passes the limit does not depend on the order in which chunks add to it.
        let work = AtomicUsize::new(0);
        self.found[..chunk_count]
            .par_iter_mut()
            .enumerate()
            .for_each(|(chunk, found)| {
                found.clear();
                if work.load(Ordering::Relaxed) > WORK_LIMIT {
                    return;
                }
                let mut rows = 0;
                for t in chunk * CHUNK..((chunk + 1) * CHUNK).min(count) {
                    let Some((ids, label)) = triangle(t) else {
                        continue;
                    };
                    let [a, b, c] = ids;
                    let row = [a, b, c].map(|v| all_rows[v as usize]);
                    if row[0] == row[1] && row[1] == row[2] {
                        continue;
                    }
                    let q = [place(a), place(b), place(c)];
                    rows += rasterise(ids, q, row, size, |line, z, sign| {
                        found.push(Found {
                            line,
                            z,
                            sign,
                            label,
                        });
                    });
                    if rows + found.len() > WORK_LIMIT {
                        break;
                    }
                }
                work.fetch_add(rows + found.len(), Ordering::Relaxed);
            });
        let line_count = size[0] as usize * size[1] as usize;
        self.starts.clear();
        self.starts.resize(line_count + 2, 0);
        if work.into_inner() > WORK_LIMIT {
            self.found = Vec::new();
            self.crossings.clear();
            return false;
        }
        self.sort(chunk_count);
        true
    }

    /// Counting sort by line, then by height within each line.
    fn sort(&mut self, chunk_count: usize) {
        let Self {
            starts,
            crossings,
            found,
            ..
        } = self;
        let found = &found[..chunk_count];
        // Counts are kept two places ahead, so that filling moves each start to where the next line expects it.
        for f in found.iter().flatten() {
            starts[f.line as usize + 2] += 1;
        }
        let mut total = 0;
        for start in starts.iter_mut() {
            total += *start;
            *start = total;
        }
        let empty = Crossing {
            z: 0.0,
            below: 0,
            label: 0,
        };
        crossings.clear();
        crossings.resize(total as usize, empty);
        for f in found.iter().flatten() {
            let place = &mut starts[f.line as usize + 1];
            crossings[*place as usize] = Crossing {
                z: f.z,
                below: f.sign,
                label: f.label,
            };
            *place += 1;
        }
        starts.pop();

        let line_count = starts.len() - 1;
        let ranges: Vec<_> = (0..line_count)
            .step_by(LINE_BLOCK)
            .map(|l| starts[l] as usize..starts[(l + LINE_BLOCK).min(line_count)] as usize)
            .collect();
        let starts = &*starts;
        parallel::for_each_range(&ranges, &mut crossings[..], &|block, range, part| {
            let first = block * LINE_BLOCK;
            for l in first..(first + LINE_BLOCK).min(line_count) {
                let line = starts[l] as usize - range.start..starts[l + 1] as usize - range.start;
                stack(&mut part[line]);
            }
        });
    }

    /// The crossings of line (i, j); none outside the table.
    #[inline]
    pub(super) fn line(&self, i: u32, j: u32) -> &[Crossing] {
        if i >= self.size[0] || j >= self.size[1] {
            return &[];
        }
        let l = j as usize * self.size[0] as usize + i as usize;
        match (self.starts.get(l), self.starts.get(l + 1)) {
            (Some(&start), Some(&end)) => &self.crossings[start as usize..end as usize],
            _ => &[],
        }
    }
}

/// The winding number at height `z` of a line.
#[inline]
pub(super) fn winding_at(line: &[Crossing], z: f32) -> i32 {
    // Most lines have two crossings, so going through them is faster than halving.
    let above = if line.len() < 16 {
        line.iter().find(|c| c.z > z)
    } else {
        line.get(line.partition_point(|c| c.z <= z))
    };
    above.map_or(0, |c| c.below)
}

/// Sorts the crossings of one line by height and turns their signs into winding numbers.
fn stack(line: &mut [Crossing]) {
    if line.len() > 1 {
        line.sort_unstable_by(|a, b| {
            (a.z.total_cmp(&b.z))
                .then(a.below.cmp(&b.below))
                .then(a.label.cmp(&b.label))
        });
    }
    let mut winding = 0;
    for c in line.iter_mut().rev() {
        winding += c.below;
        c.below = winding;
    }
}

/// The first line at or after `at`, at most `limit`.
#[inline]
fn first_line(at: f64, limit: u32) -> u32 {
    // A number that is not finite ends at one of the borders.
    let at = at.max(0.0).min(f64::from(limit));
    // By hand, as rounding up is a call on processors that are assumed to be old.
    let whole = at as i32;
    whole as u32 + u32::from(f64::from(whole) < at)
}

/// An edge as a line over its row: (u, z) = start + (v − start) slope.
#[derive(Clone, Copy, Default)]
struct Edge {
    start: [f64; 3],
    slope: [f64; 2],
}

impl Edge {
    #[inline]
    fn new(a: [f64; 3], b: [f64; 3]) -> Self {
        let rows = 1.0 / (b[1] - a[1]);
        Self {
            start: a,
            slope: [(b[0] - a[0]) * rows, (b[2] - a[2]) * rows],
        }
    }

    #[inline]
    fn at(&self, v: f64) -> [f64; 2] {
        let rows = v - self.start[1];
        [
            self.start[0] + rows * self.slope[0],
            self.start[2] + rows * self.slope[1],
        ]
    }
}

/// Calls `emit(line, z, sign of n_z)` for all lines through a triangle, and returns the number of rows it looked at. `row` is the
/// first row at or after each vertex.
#[inline]
fn rasterise(
    ids: [u32; 3],
    q: [[f64; 3]; 3],
    row: [u32; 3],
    size: [u32; 2],
    mut emit: impl FnMut(u32, f32, i32),
) -> usize {
    let lowest = row[0].min(row[1]).min(row[2]);
    let highest = row[0].max(row[1]).max(row[2]);
    let mut edges = [Edge::default(); 3];
    for k in 0..3 {
        let l = (k + 1) % 3;
        if row[k] != row[l] {
            edges[k] = if ids[k] < ids[l] {
                Edge::new(q[k], q[l])
            } else {
                Edge::new(q[l], q[k])
            };
        }
    }
    for j in lowest..highest {
        // One edge of the triangle goes up through this row, one goes down.
        let (mut up, mut down) = ([0.0; 2], [0.0; 2]);
        for k in 0..3 {
            let (from, to) = (row[k] <= j, row[(k + 1) % 3] <= j);
            if from && !to {
                up = edges[k].at(f64::from(j));
            } else if to && !from {
                down = edges[k].at(f64::from(j));
            }
        }
        let faces_up = up[0] > down[0];
        let (left, right) = if faces_up { (down, up) } else { (up, down) };
        let (begin, end) = (first_line(left[0], size[0]), first_line(right[0], size[0]));
        if begin < end {
            let slope = (right[1] - left[1]) / (right[0] - left[0]);
            for i in begin..end {
                let z = left[1] + (f64::from(i) - left[0]) * slope;
                emit(j * size[0] + i, z as f32, if faces_up { 1 } else { -1 });
            }
        }
    }
    (highest - lowest) as usize
}
