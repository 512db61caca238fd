//! Points in the plane by cells, for boxes.

use super::super::closed_mesh::NONE;
use glam::DVec2;

/// Points in about as many square cells.
#[derive(Clone, Debug)]
pub(super) struct Index {
    lo: DVec2,
    scale: f64,
    size: [usize; 2],
    /// First entry of each cell, then the next of each entry.
    head: Vec<u32>,
    entries: Vec<(u32, DVec2, u32)>,
}

impl Index {
    /// Sorts points with their names into cells.
    pub(super) fn new(points: impl Iterator<Item = (u32, DVec2)>) -> Self {
        let mut entries: Vec<(u32, DVec2, u32)> = points.map(|(n, p)| (n, p, NONE)).collect();
        let (mut lo, mut hi) = (DVec2::INFINITY, DVec2::NEG_INFINITY);
        for e in &entries {
            lo = lo.min(e.1);
            hi = hi.max(e.1);
        }
        let extent = hi - lo;
        let side = (entries.len() as f64).sqrt().max(1.0);
        let scale = side / extent.max_element();
        let scale = if scale.is_finite() { scale } else { 0.0 };
        let size = [extent.x, extent.y].map(|e| {
            let cells = (e * scale).clamp(0.0, side);
            cells as usize + 1
        });
        let mut index = Self {
            lo,
            scale,
            size,
            head: vec![NONE; size[0] * size[1]],
            entries: Vec::new(),
        };
        for (k, e) in entries.iter_mut().enumerate() {
            let [x, y] = index.cell(e.1);
            let head = &mut index.head[y * size[0] + x];
            e.2 = *head;
            *head = k as u32;
        }
        index.entries = entries;
        index
    }

    /// Number of points that were sorted.
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    fn cell(&self, p: DVec2) -> [usize; 2] {
        let at = (p - self.lo) * self.scale;
        [
            (at.x.max(0.0) as usize).min(self.size[0] - 1),
            (at.y.max(0.0) as usize).min(self.size[1] - 1),
        ]
    }

    /// Whether `f` holds for a point in the cells that the box from `lo` to `hi` meets.
    pub(super) fn any(&self, lo: DVec2, hi: DVec2, f: impl Fn(u32, DVec2) -> bool) -> bool {
        let ([x0, y0], [x1, y1]) = (self.cell(lo), self.cell(hi));
        (y0..=y1).any(|y| {
            (x0..=x1).any(|x| {
                let mut at = self.head[y * self.size[0] + x];
                while let Some(&(n, p, next)) = self.entries.get(at as usize) {
                    if f(n, p) {
                        return true;
                    }
                    at = next;
                }
                false
            })
        })
    }
}
