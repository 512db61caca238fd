//! The pieces a surface falls into: their names, which of them are real, and their volumes.

use super::boxes::Bounds;
use super::closed_mesh::{ClosedMesh, NONE};
use super::marks::Marks;
use super::outside::{containing, winding_outside};
use super::patches::Patches;
use std::collections::BTreeMap;

/// Fewer triangles are a crumb.
const MIN_TRIANGLES: usize = 32;
/// Triangles of a sheet that the rays may start from: enough to find large ones, few enough to be cheap.
const RAY_SAMPLE: usize = 256;

/// A solid piece, with the cavities in it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Component {
    /// Its name: it stays while the piece lives, and passes to the larger part when it splits.
    pub id: u32,
    /// Triangles, with those of its cavities.
    pub triangles: usize,
    /// Vertices, with those of its cavities.
    pub vertices: usize,
    /// Cavities in it.
    pub cavities: usize,
    /// Volume without the cavities (m³).
    pub volume: f64,
    /// The volume it should have (m³): what it began with, shared on a split, added up on a merge.
    pub target: f64,
}

/// What happened to the pieces in a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ComponentReport {
    /// Pieces that lay wholly inside of others.
    pub engulfed: usize,
    /// Pieces that were turned inside out in free space.
    pub inverted: usize,
    /// Pieces and cavities below the smallest size.
    pub crumbs: usize,
}

/// The pieces of a surface.
#[derive(Clone, Debug, Default)]
pub(crate) struct Components {
    /// Pieces by ascending id.
    pub(crate) list: Vec<Component>,
    pub(crate) next_id: u32,
    /// Pieces that nothing carries: they go at the next update.
    pub(crate) bare: Vec<u32>,
    /// Per triangle: the sheet it lies in.
    sheet: Marks,
}

/// A closed part of the surface that hangs together.
#[derive(Clone, Debug, Default)]
struct Sheet {
    triangles: Vec<u32>,
    vertices: usize,
    volume: f64,
    /// Where its vertices came from: old id → number.
    from: BTreeMap<u32, usize>,
    /// Index of the solid that a cavity lies in.
    owner: Option<usize>,
}

impl Components {
    /// Names the pieces anew after the topology changed, and takes out what is not on the boundary of the union and what is too
    /// small.
    ///
    /// A sheet with one of the `tangled` triangles, which cross others, is not judged by where it lies: part of it may be buried
    /// and part of it not.
    pub(crate) fn update(
        &mut self,
        mesh: &mut ClosedMesh,
        patches: &Patches,
        min_volume: f64,
        tangled: &[u32],
    ) -> ComponentReport {
        let mut report = ComponentReport::default();
        let mut sheets = self.sheets(mesh);
        let mut keep = vec![true; sheets.len()];
        if sheets.len() > 1 {
            let mut crosses = vec![false; sheets.len()];
            for name in tangled.iter().filter_map(|&t| self.sheet.get(t)) {
                crosses[name as usize] = true;
            }
            for (k, sheet) in sheets.iter().enumerate() {
                if crosses[k] {
                    continue;
                }
                let whole = sheet.triangles.iter().copied();
                let whole = whole.filter(|&t| mesh.scar[t as usize] == 0);
                let mut sample: Vec<u32> = whole.take(RAY_SAMPLE).collect();
                if sample.is_empty() {
                    sample.extend(&sheet.triangles[..sheet.triangles.len().min(RAY_SAMPLE)]);
                }
                let outside = winding_outside(mesh, patches, &sample);
                keep[k] = outside == 0;
                report.engulfed += usize::from(outside > 0);
                report.inverted += usize::from(outside < 0);
            }
        }
        for (k, sheet) in sheets.iter().enumerate() {
            // A new surface may still be coarse.
            let small = min_volume > 0.0
                && (sheet.triangles.len() < MIN_TRIANGLES || sheet.volume.abs() < min_volume);
            let crumb = small || sheet.from.keys().all(|id| self.bare.contains(id));
            if keep[k] && crumb {
                keep[k] = false;
                report.crumbs += 1;
            }
        }
        for (k, sheet) in sheets.iter().enumerate() {
            if !keep[k] {
                remove(mesh, &sheet.triangles);
            }
        }
        self.bare.clear();
        let mut kept = keep.iter();
        sheets.retain(|_| kept.next() == Some(&true));
        self.place_cavities(mesh, patches, &mut sheets);
        self.name(mesh, &sheets);
        report
    }

    /// Whether a piece may lie inside of another without any crossing: its box does, and a ray confirms it.
    pub(crate) fn any_engulfed(&self, mesh: &ClosedMesh, patches: &Patches) -> bool {
        if self.list.len() < 2 {
            return false;
        }
        let mut boxes: Vec<(Bounds, u32)> = vec![(Bounds::EMPTY, NONE); self.list.len()];
        for p in 0..patches.len() as u32 {
            let Some(t) = patches.triangles(mesh, p).next() else {
                continue;
            };
            let id = mesh.component[mesh.origin(3 * t) as usize];
            if let Ok(k) = self.list.binary_search_by_key(&id, |c| c.id) {
                boxes[k].0 = boxes[k].0.join(patches.all()[p as usize].bounds);
                boxes[k].1 = p;
            }
        }
        boxes.iter().enumerate().any(|(k, (inner, patch))| {
            let nested = boxes.iter().enumerate().any(|(j, (outer, _))| {
                j != k && inner.lo.cmpge(outer.lo).all() && inner.hi.cmple(outer.hi).all()
            });
            nested && *patch != NONE && {
                let sample: Vec<u32> = patches.triangles(mesh, *patch).collect();
                winding_outside(mesh, patches, &sample) != 0
            }
        })
    }

    /// The sheets in the order of their first triangle.
    fn sheets(&mut self, mesh: &ClosedMesh) -> Vec<Sheet> {
        let mut sheets: Vec<Sheet> = Vec::new();
        self.sheet.reset(mesh.material.len());
        let mut met = vec![false; mesh.x.len()];
        for first in mesh.triangles() {
            if self.sheet.has(first) {
                continue;
            }
            let name = sheets.len() as u32;
            let mut sheet = Sheet::default();
            self.sheet.set(first, name);
            sheet.triangles.push(first);
            let mut k = 0;
            let mut last = (NONE, 0);
            while k < sheet.triangles.len() {
                let t = sheet.triangles[k];
                k += 1;
                for h in 3 * t..3 * t + 3 {
                    let v = mesh.origin(h);
                    if !std::mem::replace(&mut met[v as usize], true) {
                        sheet.vertices += 1;
                        // Vertices of one origin come in runs; the map is asked once a run.
                        let id = mesh.component[v as usize];
                        if id != last.0 {
                            if last.1 > 0 {
                                *sheet.from.entry(last.0).or_insert(0) += last.1;
                            }
                            last = (id, 0);
                        }
                        last.1 += 1;
                    }
                    let s = mesh.twin(h) / 3;
                    if self.sheet.set_new(s, name) {
                        sheet.triangles.push(s);
                    }
                }
            }
            if last.1 > 0 {
                *sheet.from.entry(last.0).or_insert(0) += last.1;
            }
            sheet.volume = mesh.volume_of(sheet.triangles.iter().copied());
            sheets.push(sheet);
        }
        sheets
    }

    /// Gives every cavity to the smallest solid around it.
    fn place_cavities(&self, mesh: &ClosedMesh, patches: &Patches, sheets: &mut [Sheet]) {
        for k in 0..sheets.len() {
            if sheets[k].volume >= 0.0 {
                continue;
            }
            let around = containing(mesh, patches, sheets[k].triangles[0], |t| {
                self.sheet.get(t).unwrap_or(NONE)
            });
            // Marks number the sheets before some were removed; a removed one has no triangle alive, so it cannot be met.
            let owner = sheets
                .iter()
                .enumerate()
                .filter(|(i, s)| *i != k && s.volume > 0.0)
                .filter(|(_, s)| {
                    self.sheet
                        .get(s.triangles[0])
                        .is_some_and(|n| around.contains(&n))
                })
                .min_by(|a, b| a.1.volume.total_cmp(&b.1.volume))
                .map(|(i, _)| i);
            sheets[k].owner = owner;
        }
    }

    /// Old ids go to the new piece that holds most of their vertices; who gets several takes the lowest, who gets none a new one.
    fn name(&mut self, mesh: &mut ClosedMesh, sheets: &[Sheet]) {
        let mut of_sheet = vec![usize::MAX; sheets.len()];
        let mut pieces: Vec<(Component, BTreeMap<u32, usize>)> = Vec::new();
        for (k, sheet) in sheets.iter().enumerate() {
            if sheet.owner.is_none() {
                of_sheet[k] = pieces.len();
                pieces.push((Component::default(), BTreeMap::new()));
            }
        }
        for (k, sheet) in sheets.iter().enumerate() {
            if let Some(owner) = sheet.owner {
                of_sheet[k] = of_sheet[owner];
            }
            let Some((piece, from)) = pieces.get_mut(of_sheet[k]) else {
                continue;
            };
            piece.triangles += sheet.triangles.len();
            piece.vertices += sheet.vertices;
            piece.volume += sheet.volume;
            piece.cavities += usize::from(sheet.owner.is_some());
            for (&id, &n) in &sheet.from {
                *from.entry(id).or_insert(0) += n;
            }
        }
        // Pieces are in the order of their first triangle, which decides ties.
        let mut heir: BTreeMap<u32, (usize, usize)> = BTreeMap::new();
        for (k, (_, from)) in pieces.iter().enumerate() {
            for (&id, &n) in from {
                let best = heir.entry(id).or_insert((n, k));
                if n > best.0 {
                    *best = (n, k);
                }
            }
        }
        let mut ids = vec![NONE; pieces.len()];
        for (&id, &(_, k)) in &heir {
            ids[k] = ids[k].min(id);
        }
        let started = !self.list.is_empty();
        for (k, id) in ids.iter_mut().enumerate() {
            if !started {
                *id = k as u32;
                self.next_id = k as u32 + 1;
            } else if *id == NONE {
                *id = self.next_id;
                self.next_id += 1;
            }
        }
        let targets = self.targets(&pieces);
        for (k, (piece, _)) in pieces.iter_mut().enumerate() {
            piece.id = ids[k];
            piece.target = if started { targets[k] } else { piece.volume };
        }
        for (k, sheet) in sheets.iter().enumerate() {
            let id = ids.get(of_sheet[k]).copied().unwrap_or(NONE);
            for &t in &sheet.triangles {
                for v in mesh.triangle(t) {
                    mesh.component[v as usize] = id;
                }
            }
        }
        self.list = pieces.into_iter().map(|(piece, _)| piece).collect();
        self.list.sort_by_key(|c| c.id);
    }

    /// The target volumes of new pieces: each old target is shared among the pieces that hold its vertices, by their volumes.
    fn targets(&self, pieces: &[(Component, BTreeMap<u32, usize>)]) -> Vec<f64> {
        let share = |piece: &Component, n: usize| {
            piece.volume.max(0.0) * n as f64 / piece.vertices.max(1) as f64
        };
        let mut targets = vec![0.0; pieces.len()];
        for old in &self.list {
            let parts: Vec<(usize, f64)> = pieces
                .iter()
                .enumerate()
                .filter_map(|(k, (piece, from))| from.get(&old.id).map(|&n| (k, share(piece, n))))
                .collect();
            let whole: f64 = parts.iter().map(|p| p.1).sum();
            for (k, part) in parts {
                if whole > 0.0 {
                    targets[k] += old.target * part / whole;
                }
            }
        }
        targets
    }
}

/// Takes a whole sheet out of the mesh. Always legal.
pub(crate) fn remove(mesh: &mut ClosedMesh, triangles: &[u32]) {
    for &t in triangles {
        for v in mesh.triangle(t) {
            if mesh.out[v as usize] != NONE {
                mesh.free_vertex(v);
            }
        }
        mesh.free_triangle(t);
    }
}
