//! `pliant run` from end to end, with the real program.

use crate::common::{BALL, Folder, stderr, stdout};
use serde_json::Value;

/// The keys of a line of statistics.
const KEYS: [&str; 26] = [
    "frame",
    "time",
    "particles",
    "clusters",
    "vertices",
    "triangles",
    "components",
    "volume",
    "surface_area",
    "mass",
    "momentum",
    "angular_momentum",
    "kinetic_energy",
    "max_speed",
    "min",
    "max",
    "particles_added",
    "particles_removed",
    "clusters_added",
    "clusters_removed",
    "merges",
    "splits",
    "non_finite",
    "warnings",
    "ms",
    "hash",
];
const STAGES: [&str; 12] = [
    "predict",
    "contacts",
    "solve",
    "plasticity",
    "skin",
    "remesh",
    "topology",
    "resample_particles",
    "resample_clusters",
    "fracture",
    "other",
    "total",
];

fn lines(text: &str) -> Vec<Value> {
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// All files are there, statistics have every key, and the summary says where things are.
#[test]
fn writes_frames_statistics_and_a_picture() {
    let folder = Folder::new("writes");
    folder.write("ball.toml", BALL);
    let output = folder.pliant(&["run", "ball.toml", "--format", "ply,obj,glb"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let out = folder.path().join("out/ball");
    for frame in 0..=5 {
        for ending in ["ply", "obj", "glb"] {
            let file = out.join(format!("frame_{frame:04}.{ending}"));
            let mesh = pliant_scene::mesh_files::read_mesh(&file).unwrap();
            assert!(mesh.triangles.len() > 100, "{}", file.display());
        }
    }
    assert!(!out.join("frame_0006.ply").exists());
    let picture = std::fs::read(out.join("preview.png")).unwrap();
    assert!(picture.starts_with(b"\x89PNG"));
    for said in ["out/ball", "preview.png", "stats.jsonl"] {
        assert!(stdout(&output).contains(said), "{}", stdout(&output));
    }

    let statistics = lines(&folder.read("out/ball/stats.jsonl"));
    assert_eq!(statistics.len(), 6);
    for (frame, line) in statistics.iter().enumerate() {
        assert_eq!(line["frame"], frame);
        for key in KEYS {
            assert!(!line[key].is_null(), "{key} in {line}");
        }
        for stage in STAGES {
            assert!(line["ms"][stage].is_number(), "{stage} in {line}");
        }
        assert_eq!(line["hash"].as_str().unwrap().len(), 16);
        assert!(line.get("bodies").is_none());
    }
    let (first, last) = (&statistics[0], &statistics[5]);
    assert!((first["min"][1].as_f64().unwrap() - 0.1).abs() < 0.01);
    assert!(
        last["min"][1].as_f64() < first["min"][1].as_f64(),
        "it falls"
    );
    assert!((first["volume"].as_f64().unwrap() - std::f64::consts::FRAC_PI_6).abs() < 0.02);
}

/// The same scene has the same hashes for any number of threads, and others for another seed.
#[test]
fn hashes_do_not_depend_on_threads() {
    let folder = Folder::new("hashes");
    folder.write("ball.toml", BALL);
    let run = |more: &[&str]| {
        let common = ["run", "ball.toml", "--out", "none", "--hash", "--quiet"];
        let output = folder.pliant(&[&common, more].concat());
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        stdout(&output)
    };
    let one = run(&["--threads", "1"]);
    assert_eq!(one, run(&["--threads", "2"]));
    assert_ne!(one, run(&["--seed", "7"]));
    let frames: Vec<&str> = one.lines().collect();
    assert_eq!(frames.len(), 6);
    for (frame, line) in frames.iter().enumerate() {
        let (number, hash) = line.split_once(' ').unwrap();
        assert_eq!(number, frame.to_string());
        assert!(hash.len() == 16 && hash.chars().all(|c| c.is_ascii_hexdigit()));
    }
    assert!(!folder.path().join("out").exists());
}

/// Several bodies are listed one by one, and their meshes are parts of one file.
#[test]
fn bodies_are_told_apart() {
    let folder = Folder::new("bodies");
    let second = "[[body]]\nname = \"cube\"\nshape = { box = { half = [0.4, 0.4, 0.4] } }\n\
                  position = [2, 1, 0]\nmaterial = \"rubber\"\ntexture = \"checker\"\n";
    folder.write("two.toml", format!("{BALL}{second}"));
    let output = folder.pliant(&[
        "run",
        "two.toml",
        "--frames",
        "1",
        "--format",
        "glb",
        "--json",
        "--preview",
        "film.gif",
    ]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let summary: Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!(summary["frames"], 1);
    assert_eq!(summary["preview"], "film.gif");
    assert!(
        std::fs::read(folder.path().join("film.gif"))
            .unwrap()
            .starts_with(b"GIF89a")
    );
    let line = &lines(&folder.read("out/two/stats.jsonl"))[1];
    let bodies = line["bodies"].as_array().unwrap();
    assert_eq!(bodies.len(), 2);
    assert_eq!(bodies[1]["name"], "cube");
    let sum: f64 = bodies.iter().map(|b| b["mass"].as_f64().unwrap()).sum();
    assert!((sum - line["mass"].as_f64().unwrap()).abs() < 1e-6 * sum);
    assert_eq!(line["components"], 2);
    let file = folder.path().join("out/two/frame_0001.glb");
    let mesh = pliant_scene::mesh_files::read_mesh(&file).unwrap();
    assert_eq!(mesh.part_names, ["ball", "cube"]);
}

/// Pictures may show clusters, also of bodies without a surface; meshes and hashes are what they were.
#[test]
fn pictures_may_show_clusters() {
    let folder = Folder::new("colors");
    folder.write("ball.toml", BALL);
    let run = |scene: &str, color: &str, out: &str, preview: &str| {
        let args = ["run", scene, "--frames", "2", "--color", color];
        let files = ["--out", out, "--preview", preview, "--hash"];
        let output = folder.pliant(&[&args[..], &files].concat());
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let picture = std::fs::read(folder.path().join(preview)).unwrap();
        (stdout(&output), picture)
    };
    let mesh = |out: &str| std::fs::read(folder.path().join(out).join("frame_0002.ply")).unwrap();
    let own = run("ball.toml", "texture", "a", "a.png");
    let clusters = run("ball.toml", "clusters", "b", "b.png");
    assert_eq!(own.0, clusters.0);
    assert_eq!(mesh("a"), mesh("b"));
    assert_ne!(own.1, clusters.1);

    let bare = BALL.replace("edge_length = 0.15", "surface = \"none\"");
    folder.write("bare.toml", bare);
    let empty = run("bare.toml", "texture", "none", "c.gif");
    let motes = run("bare.toml", "clusters", "none", "d.gif");
    assert_ne!(empty.1, motes.1, "its particles are drawn");
}

/// Meshes go where they are told to: by their origin, or by their box with `height`.
#[test]
fn meshes_are_placed_and_fitted() {
    let folder = Folder::new("placed");
    // A box from (1, 1, 1) to (3, 2, 2).
    let corner = |i: u32| {
        format!(
            "v {} {} {}\n",
            1 + 2 * (i & 1),
            1 + (i >> 1 & 1),
            1 + (i >> 2)
        )
    };
    let corners: String = (0..8).map(corner).collect();
    let faces = "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n";
    folder.write("box.obj", corners + faces);
    let place = |fields: &str| {
        let body = "[[body]]\nmesh = \"box.obj\"\nparticle_radius = 0.2\n";
        folder.write("box.toml", format!("{body}{fields}"));
        let output = folder.pliant(&[
            "run", "box.toml", "--frames", "0", "--out", "none", "--stats", "s",
        ]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let line = &lines(&folder.read("s"))[0];
        let corner = |key: &str| -> Vec<f64> {
            let list = line[key].as_array().unwrap();
            list.iter()
                .map(|x| (x.as_f64().unwrap() * 100.0).round() / 100.0)
                .collect()
        };
        (corner("min"), corner("max"))
    };
    assert_eq!(
        place("position = [0, 5, 0]\n"),
        (vec![1.0, 6.0, 1.0], vec![3.0, 7.0, 2.0])
    );
    assert_eq!(place("scale = 2\n"), (vec![2.0; 3], vec![6.0, 4.0, 4.0]));
    assert_eq!(
        place("height = 2\nposition = [0, 1, 0]\n"),
        (vec![-2.0, 0.0, -1.0], vec![2.0, 2.0, 1.0])
    );
    assert_eq!(
        place("extent = 4\nrotation = [0, 0, 90]\n"),
        (vec![-1.0, -2.0, -1.0], vec![1.0, 2.0, 1.0])
    );

    // In place of a ball that stands on the floor the box stands there too, as long as the ball was wide.
    folder.write("ball.toml", "[[body]]\nshape = { sphere = { radius = 1, center = [0, 1, 0] } }\nparticle_radius = 0.2\n");
    let output = folder.pliant(&[
        "run",
        "ball.toml",
        "--mesh",
        "box.obj",
        "--frames",
        "0",
        "--out",
        "none",
        "--stats",
        "s",
    ]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let line = &lines(&folder.read("s"))[0];
    let near = |value: &Value, expected: f64| (value.as_f64().unwrap() - expected).abs() < 0.03;
    for (axis, (lo, hi)) in [(-1.0, 1.0), (0.0, 1.0), (-0.5, 0.5)]
        .into_iter()
        .enumerate()
    {
        assert!(
            near(&line["min"][axis], lo) && near(&line["max"][axis], hi),
            "{line}"
        );
    }
}

/// The commands that only print.
#[test]
fn scenes_and_check_say_what_there_is() {
    let folder = Folder::new("says");
    folder.write("ball.toml", BALL);
    let scenes = folder.pliant(&["scenes"]);
    assert_eq!(scenes.status.code(), Some(0));
    assert!(
        stdout(&scenes)
            .lines()
            .any(|line| line.starts_with("drop "))
    );
    let check = folder.pliant(&["check", "ball.toml"]);
    assert_eq!(check.status.code(), Some(0));
    assert!(stdout(&check).contains("body ball: "), "{}", stdout(&check));
    folder.write("one.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    let check = folder.pliant(&["check", "one.obj"]);
    assert_eq!(check.status.code(), Some(0));
    assert!(stdout(&check).contains("open edges"), "{}", stdout(&check));
    let flat = "repair would fail: the mesh is a flat sheet: it has no inside";
    assert!(stdout(&check).contains(flat), "{}", stdout(&check));
    let corners = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n";
    folder.write("open.obj", format!("{corners}f 1 3 2\nf 1 2 4\nf 2 3 4\n"));
    let check = folder.pliant(&["check", "open.obj"]);
    assert_eq!(check.status.code(), Some(0));
    let closes = "repair would give a solid: closed 1 hole\n";
    assert!(stdout(&check).ends_with(closes), "{}", stdout(&check));
    folder.write(
        "whole.obj",
        format!("{corners}f 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n"),
    );
    let check = folder.pliant(&["check", "whole.obj"]);
    assert!(!stdout(&check).contains("repair"), "{}", stdout(&check));
    let help = folder.pliant(&["--help"]);
    assert_eq!(help.status.code(), Some(0));
    assert!(stdout(&help).contains("run"));
}

/// An interrupt finishes the frame in hand and leaves whole files.
#[cfg(unix)]
#[test]
fn interrupt_leaves_whole_files() {
    use std::process::{Command, Stdio};
    let folder = Folder::new("interrupt");
    folder.write("ball.toml", BALL);
    let mut child = Command::new(env!("CARGO_BIN_EXE_pliant"))
        .args(["run", "ball.toml", "--frames", "1000000", "--quiet"])
        .current_dir(folder.path())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let frame = folder.path().join("out/ball/frame_0000003.ply");
    for _ in 0..600 {
        if frame.exists() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    assert!(frame.exists());
    let killed = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .unwrap();
    assert!(killed.success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let statistics = folder.read("out/ball/stats.jsonl");
    assert!(statistics.ends_with('\n'));
    let frames = lines(&statistics).len();
    let last = folder
        .path()
        .join(format!("out/ball/frame_{:07}.ply", frames - 1));
    pliant_scene::mesh_files::read_mesh(&last).unwrap();
    let leftovers = std::fs::read_dir(folder.path().join("out/ball")).unwrap();
    assert!(
        leftovers
            .flatten()
            .all(|e| !e.file_name().to_string_lossy().ends_with(".part"))
    );
}

/// A reader that goes away is no reason to panic or to stop.
#[cfg(unix)]
#[test]
fn broken_pipe_is_harmless() {
    use std::process::{Command, Stdio};
    let folder = Folder::new("pipe");
    folder.write("ball.toml", BALL);
    let mut child = Command::new(env!("CARGO_BIN_EXE_pliant"))
        .args([
            "run",
            "ball.toml",
            "--out",
            "none",
            "--hash",
            "--stats",
            "s",
        ])
        .current_dir(folder.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(!stderr(&output).contains("panicked"), "{}", stderr(&output));
    assert_eq!(lines(&folder.read("s")).len(), 6);
}
