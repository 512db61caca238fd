//! Tearing along lines.

use super::worlds::{body, imbalance, picture, pull, run, visuals, weightless, write};
use crate::reproduce::check::Solver::Engine;
use crate::reproduce::{Bench, LabError};
use glam::Vec3;
use pliant::World;
use pliant::visual::nasty::sheet;
use pliant::visual::tear::{TearLines, split_gids};
use pliant::visual::{
    Behavior, IntakeOptions, LinkGraph, Primitive, TearRule, VisualError, find_links, intake,
};

/// Quads along a side of the sheet.
const SIDE: u16 = 20;
/// Length of a quad (m).
const QUAD: f32 = 0.1;
/// Thickness of the sheet (m).
const THICKNESS: f32 = 0.02;
/// Frames of a pull.
const FRAMES: usize = 150;

/// V8.
pub(super) fn along_a_line(bench: &mut Bench) -> Result<(), LabError> {
    marked_sheet(bench)?;
    patch(bench)?;
    unmarked(bench)
}

/// A sheet that is held at two opposite sides and pulled to so many times its length.
fn sheet_world(marked: bool, stretch: f32) -> Result<World, LabError> {
    let mut world = weightless();
    let mut mesh = sheet(u32::from(SIDE), u32::from(SIDE), QUAD);
    let length = QUAD * f32::from(SIDE);
    let middle = 0.5 * length;
    let color = |p: &Vec3| [if (p.x - middle).abs() < 1e-4 { 255 } else { 0 }; 4];
    mesh.colors = mesh.positions.iter().map(color).collect();
    let mut cloth = body("cloth", mesh.clone(), Behavior::Soft);
    if marked {
        cloth.tear = TearRule::Lines(TearLines::of_colors(&mesh, |c| c[0] > 128));
    }
    cloth.thickness = THICKNESS;
    world.add_visual(cloth)?;
    for side in [-1.0, 1.0] {
        let at = |x: f32| Vec3::new(middle + side * x, middle, 0.0);
        let half = Vec3::new(0.15, length, 1.0);
        let from = middle - 0.05;
        world.add_action(pull(at(from), half, at(stretch * from), 2.0));
    }
    Ok(world)
}

/// Pairs of faces whose primitives an unbroken link holds together, and how many of those may break.
fn held(world: &World) -> [Vec<(u32, u32)>; 2] {
    let (mut all, mut weak) = (Vec::new(), Vec::new());
    for visual in visuals(world) {
        for link in visual.graph.links.iter().filter(|l| !l.broken) {
            let face = |k: u32| visual.primitives[k as usize].source;
            let (a, b) = (face(link.i), face(link.j));
            let pair = (a.min(b), a.max(b));
            all.push(pair);
            if link.is_breakable() {
                weak.push(pair);
            }
        }
    }
    all.sort_unstable();
    weak.sort_unstable();
    [all, weak]
}

fn marked_sheet(bench: &mut Bench) -> Result<(), LabError> {
    let mut world = sheet_world(true, 3.0)?;
    let middle = 0.5 * QUAD * f32::from(SIDE);
    let [before, marked] = held(&world);
    let gids = world.visual(0).map_or(0, |v| v.gid_count);
    // Straight across: 20 faces beside 20, and 19 corners with two diagonals each.
    let n = usize::from(SIDE);
    bench.check(
        Engine,
        "links that are marked",
        format!("{}", marked.len()),
        format!("{}", n + 2 * (n - 1)),
        marked.len() == n + 2 * (n - 1),
    );
    let mut shown = vec![(picture(&world)?, "whole".to_owned())];
    let bad = run(&mut world, FRAMES);
    shown.push((picture(&world)?, "torn".to_owned()));
    let [after, _] = held(&world);
    let is_lost = |pair: &&(u32, u32)| after.binary_search(pair).is_err();
    let lost: Vec<(u32, u32)> = before.iter().filter(is_lost).copied().collect();
    bench.check(
        Engine,
        format!("a sheet of {n}×{n} is pulled to three times its length: bodies; links that have broken; of these, marked; not finite"),
        format!(
            "{}; {}; {}; {bad}",
            world.bodies().len(),
            lost.len(),
            lost.iter().filter(|l| marked.binary_search(l).is_ok()).count()
        ),
        format!("2; {}; all; 0", marked.len()),
        world.bodies().len() == 2 && lost == marked && bad == 0,
    );
    let mut new = 0;
    let mut farthest: f32 = 0.0;
    for p in visuals(&world).flat_map(|v| &v.primitives) {
        for (&gid, at) in p.gids.iter().zip(&p.verts) {
            if gid >= gids {
                new += 1;
                farthest = farthest.max((at.x - middle).abs());
            }
        }
    }
    let closed = imbalance(&world).0;
    bench.check(
        Engine,
        "corners of primitives with new gids; how far from the line they are; edges that do not close",
        format!("{new}; {farthest:.1e} m; {closed}"),
        "more than 0; at most 1e-5 m; 0",
        new > 0 && farthest <= 1e-5 && closed == 0,
    );
    write(bench, "v8-tear.png", &shown)
}

fn gids(primitives: &[Primitive]) -> Vec<u32> {
    let mut all: Vec<u32> = primitives.iter().flat_map(|p| p.gids.clone()).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Two by two quads, of which links are broken by hand.
fn patch(bench: &mut Bench) -> Result<(), LabError> {
    let options = IntakeOptions {
        thickness: vec![0.1],
        ..IntakeOptions::default()
    };
    let made = intake(&sheet(2, 2, 1.0), &options).map_err(VisualError::from)?;
    let graph = find_links(&made.primitives);
    bench.check(
        Engine,
        "a patch of 2×2: primitives, links, gids",
        format!(
            "{}, {}, {}",
            made.primitives.len(),
            graph.links.len(),
            gids(&made.primitives).len()
        ),
        "4, 6, 18",
        (
            made.primitives.len(),
            graph.links.len(),
            gids(&made.primitives).len(),
        ) == (4, 6, 18),
    );
    // Links between the columns: those in a row, and those across the corner.
    let (mut rows, mut diagonals) = (Vec::new(), Vec::new());
    for (k, link) in (0u32..).zip(&graph.links) {
        let [a, b] = [link.i, link.j].map(|k| made.primitives[k as usize].centroid);
        if (a.x - b.x).abs() > 0.5 {
            let list = if (a.y - b.y).abs() > 0.5 {
                &mut diagonals
            } else {
                &mut rows
            };
            list.push(k);
        }
    }
    let breaks = |first: &[u32], second: &[u32]| {
        let (mut primitives, mut graph) = (made.primitives.clone(), graph.clone());
        let mut count = made.gid_count;
        let mut counts = Vec::new();
        for step in [first, second].into_iter().filter(|s| !s.is_empty()) {
            for &k in step {
                graph.links[k as usize].broken = true;
            }
            split_gids(&mut primitives, &graph, step, &mut count);
            counts.push(gids(&primitives).len());
        }
        (counts, graph.components().1, most(&primitives))
    };
    let apart = breaks(&rows, &diagonals);
    bench.check(
        Engine,
        "links in the rows break, then the diagonals: gids after each; pieces; primitives that share a gid at most",
        format!("{:?}; {}; {}", apart.0, apart.1, apart.2),
        "[22, 24]; 2; 2",
        apart == (vec![22, 24], 2, 2),
    );
    let corners = breaks(&diagonals, &[]);
    bench.check(
        Engine,
        "only the diagonals break: gids; pieces",
        format!("{:?}; {}", corners.0, corners.1),
        "[18]; 1",
        (corners.0, corners.1) == (vec![18], 1),
    );
    Ok(())
}

/// Most primitives that share a gid.
fn most(primitives: &[Primitive]) -> usize {
    let owners = pliant::visual::links::gid_owners(primitives);
    owners.iter().map(<[u32]>::len).max().unwrap_or(0)
}

/// A sheet without a line, pulled to ten times its length.
fn unmarked(bench: &mut Bench) -> Result<(), LabError> {
    let mut world = sheet_world(false, 10.0)?;
    let before = held(&world)[0].clone();
    let bad = run(&mut world, FRAMES);
    let after = held(&world)[0].clone();
    let longest = world.visual(0).map_or(0.0, |v| longest(&v.graph, &v.rest));
    bench.check(
        Engine,
        "a sheet without a line is pulled to ten times its length: bodies; broken links; not finite; longest link over its length at rest",
        format!(
            "{}; {}; {bad}; {longest:.1}",
            world.bodies().len(),
            before.len() - after.len()
        ),
        "1; 0; 0; beyond 1.2",
        world.bodies().len() == 1 && before == after && bad == 0 && longest > 1.2,
    );
    Ok(())
}

fn longest(graph: &LinkGraph, rest: &[pliant::visual::Pose]) -> f32 {
    let stretch =
        |l: &pliant::visual::Link| rest[l.i as usize].x.distance(rest[l.j as usize].x) / l.rest;
    graph.links.iter().map(stretch).fold(0.0, f32::max)
}
