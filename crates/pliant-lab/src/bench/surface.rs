//! The tracked surface of a figure that falls, flows and folds onto itself, at a wanted number of triangles.
//!
//! The motion is the engine's own and the same in every run, since a step gives the same bits for any number of threads; only the
//! stages of the surface count. At the end points around the figure are asked whether they are inside, as re-sampling will ask.

use super::row::{Row, Samples};
use glam::Vec3;
use pliant::body::{BuildError, SurfaceKind};
use pliant::dynamics::Collider;
use pliant::geometry::Mesh;
use pliant::random::Random;
use pliant::report::Stage;
use pliant::resample::Recluster;
use pliant::state::Surface;
use pliant::surface::columns::{Columns, Inflation};
use pliant::{BodyDesc, Material, Settings, World};
use std::collections::BTreeMap;
use std::time::Instant;

/// Frames before the clock counts, and frames that are timed.
const WARM_UP: usize = 60;
/// Points that are asked whether they are inside.
const QUERIES: usize = 35_000;
/// Times the inside tests are repeated.
const QUERY_REPEATS: usize = 30;
/// How far the surface is inflated for the inside tests, and how far columns are apart, in particle radii.
const INFLATION: f32 = 0.25;
const SPACING: f32 = 0.2;
/// Part of the wanted triangles that the surface begins with: it grows while it flows, and the timed frames should have them on average.
const BEGINNING: f32 = 0.925;
/// Particles along the longest side of the figure.
const PARTICLES_ACROSS: f32 = 40.0;

/// The benchmark's world before its first frame.
#[derive(Clone)]
pub struct Falling {
    world: World,
    particle_radius: f32,
}

impl Falling {
    /// A body of `mesh` above a floor, whose surface has about `triangles` triangles in the frames that are timed.
    pub fn new(mesh: &Mesh, triangles: usize, clock: fn() -> f64) -> Result<Self, BuildError> {
        let (lo, hi) = mesh.bounds().unwrap_or_default();
        let particle_radius = (hi - lo).max_element() / PARTICLES_ACROSS;
        let triangles = (BEGINNING * triangles as f32) as usize;
        // The number of triangles goes with the square of the edge; the first guess is corrected by what came out.
        let mut edge_length = (4.0 * mesh.area() / triangles as f64).sqrt() as f32;
        let mut best = Self::with_edge(mesh, edge_length, particle_radius, clock)?;
        for _ in 0..4 {
            let found = best.surface().triangle_count();
            if found.abs_diff(triangles) * 100 < triangles {
                break;
            }
            edge_length *= (found as f32 / triangles as f32).sqrt();
            best = Self::with_edge(mesh, edge_length, particle_radius, clock)?;
        }
        Ok(best)
    }

    fn with_edge(
        mesh: &Mesh,
        edge_length: f32,
        particle_radius: f32,
        clock: fn() -> f64,
    ) -> Result<Self, BuildError> {
        let mut world = World::new(Settings {
            sleep_speed: 0.0,
            clock: Some(clock),
            ..Settings::default()
        });
        let lowest = mesh.bounds().map_or(0.0, |(lo, _)| lo.y);
        world.add_collider(Collider::floor(lowest - 0.1));
        let mut body = BodyDesc::new("figure", mesh.clone(), particle_radius);
        body.material = Material {
            plastic_yield: 1e-3,
            plastic_flow: 0.5,
            ..Material::default()
        };
        // The surface alone: particles and groups stay as they are.
        body.resampling.recluster = Recluster::Off;
        body.surface = SurfaceKind::Tracked {
            edge_length,
            keep_volume: true,
        };
        world.add_body(body)?;
        Ok(Self {
            world,
            particle_radius,
        })
    }

    fn surface(&self) -> &Surface {
        &self.world.surfaces()[0]
    }

    /// Times `frames` frames on the current thread pool.
    pub fn measure(&self, name: &str, frames: usize) -> Row {
        let mut bench = self.clone();
        let mut samples = Samples::default();
        let mut counts: BTreeMap<String, f64> = BTreeMap::new();
        let mut triangles = 0;
        for frame in 0..WARM_UP + frames {
            let report = bench.world.step(1.0 / 60.0);
            if frame < WARM_UP {
                continue;
            }
            let [remesh, topology] =
                [Stage::Remesh, Stage::Topology].map(|stage| report.timings.of(stage));
            samples.add("remesh", remesh);
            samples.add("topology", topology);
            samples.add("topology_total", remesh + topology);
            samples.add("skin", report.timings.of(Stage::Skin));
            triangles += bench.surface().triangle_count();
            let tracker = &report.surfaces[0].tracker;
            for (what, n) in [
                ("splits", tracker.remesh.splits as usize),
                ("collapses", tracker.remesh.collapses as usize),
                ("flips", tracker.remesh.flips as usize),
                ("necks", tracker.remesh.necks as usize),
                ("crossings", tracker.events.crossings),
                ("events", tracker.events.resolved),
                ("refused", tracker.events.refused),
                ("left", tracker.events.left),
                ("audit_misses", tracker.audit_misses),
                ("rebuilt", tracker.rebuilt),
            ] {
                *counts.entry(what.to_owned()).or_default() += n as f64;
            }
        }
        bench.ask_inside(&mut samples);
        let surface = bench.surface();
        let mean = triangles as f64 / frames.max(1) as f64;
        counts.insert("triangles".into(), mean.round());
        counts.insert("last_triangles".into(), surface.triangle_count() as f64);
        counts.insert("vertices".into(), surface.vertex_count() as f64);
        counts.insert("queries".into(), QUERIES as f64);
        Row {
            counts,
            settings: BTreeMap::from([("frames".to_owned(), frames.into())]),
            ..samples.row("surface", name)
        }
    }

    /// Inside tests with the table they need, of the surface as it is, inflated.
    fn ask_inside(&self, samples: &mut Samples) {
        let mesh = self.surface().mesh();
        let corner = mesh.triangles.as_flattened();
        let Some((lo, hi)) = mesh.bounds() else {
            return;
        };
        let points: Vec<Vec3> = (0..QUERIES)
            .map(|i| {
                let mut random = Random::new([11, 0, 0, i as u64]);
                let mut at = || random.next_f32();
                lo + (hi - lo) * Vec3::new(at(), at(), at())
            })
            .collect();
        let mut out = vec![0; mesh.positions.len()];
        for (h, &v) in (0..).zip(corner) {
            out[v as usize] = h;
        }
        let (mut inflation, mut columns) = (Inflation::new(), Columns::new());
        let r = self.particle_radius;
        for _ in 0..QUERY_REPEATS {
            let from = Instant::now();
            let moved = inflation.inflate(&mesh.positions, corner, &out, INFLATION * r);
            columns.build(moved, corner, None, SPACING * r);
            let inside = columns.contains_all(&points);
            let ms = from.elapsed().as_secs_f64() * 1e3;
            std::hint::black_box(&inside);
            samples.add("inside", ms);
        }
    }
}
