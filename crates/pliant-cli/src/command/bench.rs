//! `pliant bench`: the benchmark rows.

use std::collections::BTreeMap;

use glam::Vec3;
use pliant::geometry::figures::Figure;
use pliant::geometry::surface_nets::mesh_shape;
use pliant::geometry::{Mesh, Shape};
use pliant_lab::bench::Row;
use pliant_lab::bench::beam;
use pliant_lab::bench::oriented;
use pliant_lab::bench::solve::Common;
use pliant_lab::bench::surface::Falling;
use pliant_lab::bench::table1;
use pliant_lab::bench::visual;
use pliant_scene::mesh_files::read_mesh;

use crate::args::BenchArgs;
use crate::failure::Failure;
use crate::print;

/// The benches there are.
const BENCHES: [&str; 6] = ["solve", "surface", "table1", "beam", "oriented", "visual"];
/// Numbers of threads, if none are given.
const THREADS: [usize; 2] = [1, 2];
/// Edge length of the figure's surface (m); it matters only to the sampling.
const FIGURE_EDGE: f32 = 0.08;
/// Rows of `surface`: name, triangles, timed frames.
const SURFACES: [(&str, usize, usize); 2] = [("60k", 60_000, 300), ("342k", 342_000, 300)];
/// Times that `solve` is repeated.
const SOLVE_REPEATS: usize = 300;

pub(crate) fn run(args: &BenchArgs) -> Result<(), Failure> {
    let rows: Vec<String> = table1::names()
        .map(|row| format!("table1/{row}"))
        .chain(oriented::names().map(|row| format!("oriented/{row}")))
        .chain(visual::names().map(|row| format!("visual/{row}")))
        .collect();
    let known = |name: &String| BENCHES.contains(&name.as_str()) || rows.contains(name);
    if let Some(name) = args.names.iter().find(|n| !known(n)) {
        return Err(Failure::Input(format!(
            "unknown bench '{}'; known: {}, {}",
            print::one_line(name),
            BENCHES.join(", "),
            rows.join(", ")
        )));
    }
    let mesh = match &args.mesh {
        Some(path) => read_mesh(path)?,
        None => figure()?,
    };
    let wanted = |name: &str| args.names.is_empty() || args.names.iter().any(|n| n == name);
    let threads = args.threads.as_deref().unwrap_or(&THREADS);
    let mut rows = Vec::new();
    if wanted("solve") {
        let solve = solve_rows(&mesh, threads)?;
        print_table(&solve)?;
        rows.extend(solve);
    }
    if wanted("surface") {
        // The large row takes minutes, so it must be asked for by name.
        let rows_wanted = if args.names.is_empty() {
            1
        } else {
            SURFACES.len()
        };
        let surface = surface_rows(&mesh, &SURFACES[..rows_wanted], threads)?;
        print_stages(&surface)?;
        rows.extend(surface);
    }
    let names: Vec<&str> = table1::names()
        .filter(|row| wanted("table1") || wanted(&format!("table1/{row}")))
        .collect();
    if !names.is_empty() {
        let table = table1_rows(&names, threads)?;
        print_table1(&table)?;
        rows.extend(table);
    }
    if wanted("beam") {
        let beam = on_threads(threads, || beam::measure(seconds))?;
        print_beam(&beam)?;
        rows.extend(beam);
    }
    let names: Vec<&str> = oriented::names()
        .filter(|row| wanted("oriented") || wanted(&format!("oriented/{row}")))
        .collect();
    if !names.is_empty() {
        let oriented = on_threads(threads, || oriented::measure(&names, seconds))?;
        print_oriented(&oriented)?;
        rows.extend(oriented);
    }
    let names: Vec<&str> = visual::names()
        .filter(|row| wanted("visual") || wanted(&format!("visual/{row}")))
        .collect();
    if !names.is_empty() {
        // The paper's numbers are of one thread.
        let threads = args.threads.as_deref().unwrap_or(&THREADS[..1]);
        for name in names.iter().filter(|name| !visual::is_there(name)) {
            print::line(format_args!(
                "visual/{name} is left out: there is no built-in scene of this name"
            ))?;
        }
        let visual = on_threads(threads, || visual::measure(&names, seconds))?;
        print_visual(&visual)?;
        rows.extend(visual);
    }
    if let Some(path) = &args.json {
        let failed = |error: std::io::Error| Failure::Io(format!("{}: {error}", path.display()));
        let text = serde_json::to_string_pretty(&rows).map_err(|e| failed(e.into()))?;
        std::fs::write(path, text + "\n").map_err(failed)?;
        print::line(format_args!("rows are in {}", path.display()))?;
    }
    Ok(())
}

fn figure() -> Result<Mesh, Failure> {
    let golem = Shape::Figure {
        figure: Figure::Golem,
        center: Vec3::ZERO,
    };
    mesh_shape(&golem, FIGURE_EDGE).map_err(|error| Failure::Input(error.to_string()))
}

fn solve_rows(mesh: &Mesh, threads: &[usize]) -> Result<Vec<Row>, Failure> {
    let mut common = Common::new(mesh).map_err(|error| Failure::Input(error.to_string()))?;
    threads
        .iter()
        .map(|&count| {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(count)
                .build()
                .map_err(|error| Failure::Io(format!("cannot start {count} threads: {error}")))?;
            Ok(pool.install(|| common.measure(SOLVE_REPEATS)))
        })
        .collect()
}

fn surface_rows(
    mesh: &Mesh,
    surfaces: &[(&str, usize, usize)],
    threads: &[usize],
) -> Result<Vec<Row>, Failure> {
    let mut rows = Vec::new();
    for &(name, triangles, frames) in surfaces {
        let falling = Falling::new(mesh, triangles, seconds)
            .map_err(|error| Failure::Input(error.to_string()))?;
        for &count in threads {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(count)
                .build()
                .map_err(|error| Failure::Io(format!("cannot start {count} threads: {error}")))?;
            rows.push(pool.install(|| falling.measure(name, frames)));
        }
    }
    Ok(rows)
}

fn table1_rows(names: &[&str], threads: &[usize]) -> Result<Vec<Row>, Failure> {
    // One thread more or less says little here, and a row takes half a minute: the most threads that were asked for.
    let count = threads.iter().copied().max().unwrap_or(1);
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(count)
        .build()
        .map_err(|error| Failure::Io(format!("cannot start {count} threads: {error}")))?;
    let measure = |name: &&str| pool.install(|| table1::measure(name, table1::FRAMES, seconds));
    let rows = names.iter().filter_map(measure);
    Ok(rows.collect::<Result<_, _>>()?)
}

/// The rows of a bench on every number of threads.
fn on_threads(
    threads: &[usize],
    measure: impl Fn() -> Result<Vec<Row>, pliant_scene::Error> + Sync,
) -> Result<Vec<Row>, Failure> {
    let mut rows = Vec::new();
    for &count in threads {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(count)
            .build()
            .map_err(|error| Failure::Io(format!("cannot start {count} threads: {error}")))?;
        rows.extend(pool.install(&measure)?);
    }
    Ok(rows)
}

/// Medians, the least time of a frame, and the rates of both beside the paper's.
fn print_oriented(rows: &[Row]) -> Result<(), Failure> {
    let names = joined(oriented::COLUMNS.iter().map(|c| format!("{c:>11}")));
    print::line(format_args!(
        "row         threads  particles  triangles {names}   least total  frames/s  paper  times  at best"
    ))?;
    for row in rows {
        let of = |c: &&str| row.ms.get(*c).copied().unwrap_or(f64::NAN);
        let ms = joined(oriented::COLUMNS.iter().map(|c| format!("{:11.3}", of(c))));
        let count = |name: &str| row.counts.get(name).copied().unwrap_or(f64::NAN);
        let (rate, paper) = (1000.0 / of(&"total"), count("paper_fps"));
        let least = row.ms_min.get("total").copied().unwrap_or(f64::NAN);
        print::line(format_args!(
            "{:10}  {:7}  {:9}  {:9} {ms}  {least:12.3}  {rate:8.1}  {paper:5}  {:5.2}  {:7.2}",
            row.row,
            row.threads,
            count("particles"),
            count("triangles"),
            rate / paper,
            1000.0 / least / paper,
        ))?;
    }
    Ok(())
}

/// Medians, the least time of a frame, and the rates of both beside the paper's.
fn print_visual(rows: &[Row]) -> Result<(), Failure> {
    if rows.is_empty() {
        return Ok(());
    }
    let names = joined(visual::COLUMNS.iter().map(|c| format!("{c:>9}")));
    print::line(format_args!(
        "row            threads  bodies  joints  primitives {names}  least total  95 % total  frames/s  at best  paper"
    ))?;
    for row in rows {
        let of = |ms: &BTreeMap<String, f64>, c: &str| ms.get(c).copied().unwrap_or(f64::NAN);
        let ms = joined(
            visual::COLUMNS
                .iter()
                .map(|c| format!("{:9.3}", of(&row.ms, c))),
        );
        let count = |name: &str| of(&row.counts, name);
        let least = of(&row.ms_min, "total");
        let paper = row
            .counts
            .get("paper_fps")
            .map_or("-".to_owned(), f64::to_string);
        print::line(format_args!(
            "{:13}  {:7}  {:6}  {:6}  {:10} {ms}  {least:11.3}  {:10.3}  {:8.1}  {:7.1}  {paper:>5}",
            row.row,
            row.threads,
            count("bodies"),
            count("joints"),
            count("primitives"),
            of(&row.ms_p95, "total"),
            1000.0 / of(&row.ms, "total"),
            1000.0 / least,
        ))?;
        if let Some(falling) = row.ms.get("falling") {
            let least = of(&row.ms_min, "falling");
            print::line(format_args!(
                "{:13}  while it falls: total {falling:.3}, least {least:.3}, 95 % {:.3} ms; at rest its mean height is {:.3} m",
                "",
                of(&row.ms_p95, "falling"),
                count("mean_height"),
            ))?;
        }
    }
    Ok(())
}

/// Ours (means) above the paper's, one column a part of the step.
fn print_beam(rows: &[Row]) -> Result<(), Failure> {
    let names = joined(beam::COLUMNS.iter().map(|c| format!("{c:>14}")));
    print::line(format_args!(
        "row              threads  ms      {names}  particles  clusters  new clusters  frames"
    ))?;
    for row in rows {
        let line = |what: &str, ms: &BTreeMap<String, f64>| {
            let of = |c: &&str| ms.get(*c).copied().unwrap_or(f64::NAN);
            let ms = joined(beam::COLUMNS.iter().map(|c| format!("{:14.3}", of(c))));
            format!("{:15}  {:7}  {what:6}  {ms}", row.row, row.threads)
        };
        let count = |name: &str| row.counts.get(name).copied().unwrap_or(f64::NAN);
        if let Some(mean) = &row.ms_mean {
            print::line(format_args!(
                "{}{:11}{:10}{:14}{:8}",
                line("mean", mean),
                count("particles"),
                count("clusters"),
                count("new_clusters"),
                count("frames"),
            ))?;
        }
        if let Some(paper) = &row.reference {
            print::line(format_args!("{}", line("paper", &paper.ms)))?;
        }
    }
    Ok(())
}

/// Texts one after the other.
fn joined(texts: impl Iterator<Item = String>) -> String {
    texts.collect::<Vec<_>>().concat()
}

/// Ours (minimum, median) above the paper's, one column a stage.
fn print_table1(rows: &[Row]) -> Result<(), Failure> {
    const COLUMNS: [(&str, &str); 9] = [
        ("sim", "Sim"),
        ("topo", "Topo"),
        ("columns", "BH"),
        ("delete", "PD"),
        ("seed", "PA"),
        ("clusters", "CS"),
        ("reskin", "SK"),
        ("other", "Oth"),
        ("total", "Total"),
    ];
    let names = joined(COLUMNS.iter().map(|c| format!("{:>8}", c.1)));
    print::line(format_args!(
        "row        ms         {names}  particles  %seed  clusters  part/cl  triangles"
    ))?;
    for row in rows {
        let count = |name: &str| row.counts.get(name).copied().unwrap_or(f64::NAN);
        let line = |what: &str, ms: &BTreeMap<String, f64>| {
            let of = |c: &(&str, &str)| ms.get(c.0).copied().unwrap_or(f64::NAN);
            let ms = joined(COLUMNS.iter().map(|c| format!("{:8.2}", of(c))));
            format!("{:9}  {what:9}  {ms}", row.row)
        };
        let sizes = |prefix: &str| {
            let of = |name: &str| count(&format!("{prefix}{name}"));
            format!(
                "{:11}{:7.1}{:10}{:9}{:11}",
                of("particles"),
                of("seeding_percent"),
                of("clusters"),
                of("per_cluster"),
                of("triangles")
            )
        };
        print::line(format_args!(
            "{}{}",
            line("minimum", &row.ms_min),
            sizes("")
        ))?;
        print::line(format_args!("{}", line("median", &row.ms)))?;
        if let Some(paper) = &row.reference {
            print::line(format_args!(
                "{}{}",
                line("Titan X", &paper.ms),
                sizes("paper_")
            ))?;
        }
    }
    Ok(())
}

/// Seconds since the first call.
fn seconds() -> f64 {
    static START: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    START
        .get_or_init(std::time::Instant::now)
        .elapsed()
        .as_secs_f64()
}

/// One line a stage: median, minimum and 95th percentile.
fn print_stages(rows: &[Row]) -> Result<(), Failure> {
    print::line("bench    row   threads  triangles  stage            median ms   min ms   p95 ms")?;
    for row in rows {
        let triangles = row.counts.get("triangles").copied().unwrap_or(0.0);
        for (stage, median) in &row.ms {
            let of = |ms: &std::collections::BTreeMap<String, f64>| {
                ms.get(stage).copied().unwrap_or(f64::NAN)
            };
            print::line(format_args!(
                "{:7}  {:4}  {:7}  {:9}  {:15}  {:9.3}  {:7.3}  {:7.3}",
                row.bench,
                row.row,
                row.threads,
                triangles,
                stage,
                median,
                of(&row.ms_min),
                of(&row.ms_p95),
            ))?;
        }
    }
    Ok(())
}

fn print_table(rows: &[Row]) -> Result<(), Failure> {
    print::line(
        "bench  row        threads  median ms  min ms   p95 ms   particles  clusters  memberships  ns/membership",
    )?;
    for row in rows {
        let ms = |of: &std::collections::BTreeMap<String, f64>| {
            of.get("iteration").copied().unwrap_or(f64::NAN)
        };
        let count = |name: &str| row.counts.get(name).copied().unwrap_or(0.0);
        print::line(format_args!(
            "{:5}  {:9}  {:7}  {:9.4}  {:6.4}  {:7.4}  {:10}  {:8}  {:11}  {:13.3}",
            row.bench,
            row.row,
            row.threads,
            ms(&row.ms),
            ms(&row.ms_min),
            ms(&row.ms_p95),
            count("particles"),
            count("clusters"),
            count("memberships"),
            count("ns_per_membership"),
        ))?;
    }
    Ok(())
}
