//! The viewer, used as people use it: a window on a display, a mouse, a keyboard.

mod desk;

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use desk::Desk;

/// A block of dough that a software renderer and a debug build keep up with.
const SCENE: &str = "\
[camera]
eye = [0, 1.6, 6]
target = [0, 0.4, 0]
[[body]]
name = \"dough\"
shape = { box = { half = [1.0, 0.4, 0.4] } }
position = [0, 0.42, 0]
particle_radius = 0.15
material = \"dough\"
[[collider]]
shape = { plane = { normal = [0, 1, 0] } }
";

/// The middle of the view, where the dough is: the controls take 230 points at the left, the graphs 130 below.
const DOUGH: [i32; 2] = [755, 320];

fn number(value: &serde_json::Value, field: &str) -> f64 {
    value[field].as_f64().unwrap_or(f64::NAN)
}

/// Orbit, grab, shoot, cut and a slider, each by real events, do what they say; the saved scene, run by nobody, has the same hashes.
#[test]
fn hands_do_what_they_shall() {
    let desk = Desk::open("hands", SCENE, &[]);
    desk.until("a picture", || {
        desk.picture(Path::new("start.png")).chunks(3).any(is_dough)
    });
    let before = desk.picture(Path::new("start.png"));
    let (text, _) = desk.save();
    assert!(!text.contains("[[action]]"), "nothing was done yet: {text}");

    desk.drag("3", [900, 200], [1000, 170]);
    std::thread::sleep(Duration::from_millis(800));
    let (turned, _) = desk.save();
    assert_ne!(camera(&text), camera(&turned), "the view has turned");
    let after = desk.picture(Path::new("turned.png"));
    let changed = before.iter().zip(&after).filter(|(a, b)| a != b).count();
    assert!(
        changed > before.len() / 20,
        "{changed} bytes of the picture"
    );

    let height = |s: &serde_json::Value| s["max"][1].as_f64().unwrap_or(0.0);
    let high = height(&desk.last().unwrap());
    desk.drag("1", DOUGH, [DOUGH[0] + 60, DOUGH[1] - 160]);
    let lifted = desk.statistics().iter().map(height).fold(0.0, f64::max);
    assert!(lifted > high + 0.2, "pulled from {high} to {lifted} m");

    let still = || desk.last().is_some_and(|s| number(&s, "max_speed") < 0.05);
    desk.until("rest", still);
    desk.key("3");
    desk.drag("1", [DOUGH[0], 120], [DOUGH[0] + 10, 520]);
    let parted = || {
        let all = desk.statistics();
        all.iter().any(|s| number(s, "components") > 1.5)
    };
    desk.until("two pieces", parted);

    desk.until("rest", still);
    let mass = number(&desk.last().unwrap(), "mass");
    desk.key("2");
    desk.tell(&["mousemove", "800", "330"]);
    desk.tell(&["click", "1"]);
    let heavier = || {
        desk.last()
            .is_some_and(|s| number(&s, "mass") > 1.05 * mass)
    };
    desk.until("a ball", heavier);

    // The slider of the stiffness.
    desk.drag("1", [30, 245], [80, 245]);
    std::thread::sleep(Duration::from_millis(500));
    let (text, saved) = desk.save();
    for verb in ["pull]", "shoot]", "cut]", "change]"] {
        assert!(text.contains(verb), "no {verb} in {}", saved.display());
    }
    desk.picture(Path::new("end.png"));
    let stats = desk.statistics();
    let folder = desk.close();
    replay(&folder, &saved, &stats);
    fs::remove_dir_all(&folder).unwrap();
}

/// Terracotta, or the light half of the checker beside it.
fn is_dough(pixel: &[u8]) -> bool {
    matches!(pixel, [r, g, b] if *r > 150 && *g < 150 && *b < 130)
}

/// The lines of a scene that say where it is seen from.
fn camera(text: &str) -> Vec<&str> {
    let lines = text.lines().skip_while(|line| *line != "[camera]");
    lines.take(3).collect()
}

/// Runs a saved scene and compares its hashes with those of the window.
fn replay(folder: &Path, scene: &Path, stats: &[serde_json::Value]) {
    let run = Command::new(env!("CARGO_BIN_EXE_pliant"))
        .arg("run")
        .arg(scene)
        .args(["--out", "none", "--hash", "--quiet"])
        .current_dir(folder)
        .output()
        .unwrap();
    assert!(
        run.status.success(),
        "{}",
        String::from_utf8_lossy(&run.stderr)
    );
    let text = String::from_utf8_lossy(&run.stdout);
    let mut compared = 0;
    for (line, stat) in text.lines().zip(stats) {
        let (frame, hash) = line.split_once(' ').unwrap();
        assert_eq!(stat["frame"].to_string(), frame);
        assert_eq!(stat["hash"].as_str(), Some(hash), "frame {frame}");
        compared += 1;
    }
    assert!(compared > 60, "{compared} frames");
}

/// The keys that the random test presses: all but the one that closes the window.
const KEYS: [&str; 31] = [
    "space",
    "period",
    "BackSpace",
    "comma",
    "slash",
    "1",
    "2",
    "3",
    "4",
    "5",
    "6",
    "u",
    "s",
    "p",
    "c",
    "e",
    "w",
    "k",
    "v",
    "t",
    "Home",
    "ctrl+s",
    "F12",
    "F9",
    "m",
    "Tab",
    "g",
    "F1",
    "h",
    "Escape",
    "Return",
];

/// Mouse and keys at random for ten minutes (`PLIANT_MINUTES` for other lengths): no crash, no hang, no leak.
#[test]
#[ignore = "takes ten minutes"]
fn random_events_do_no_harm() {
    let minutes = std::env::var("PLIANT_MINUTES")
        .ok()
        .and_then(|m| m.parse::<f64>().ok());
    let span = Duration::from_secs_f64(60.0 * minutes.unwrap_or(10.0));
    let mut desk = Desk::open("random", SCENE, &[]);
    let mut state: u64 = 1;
    let mut random = move |below: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let start = Instant::now();
    let mut memory = Vec::new();
    let mut shown = Instant::now();
    while start.elapsed() < span {
        let place = [random(1280), random(720)].map(|x| x.to_string());
        let button = (1 + random(5)).to_string();
        match random(10) {
            0..=3 => desk.tell(&["mousemove", &place[0], &place[1]]),
            4 | 5 => desk.tell(&["mousemove", &place[0], &place[1], "mousedown", &button]),
            6 | 7 => desk.tell(&["mouseup", &button]),
            8 => desk.tell(&["key", KEYS[random(KEYS.len() as u64) as usize]]),
            _ => desk.tell(&["click", &button]),
        }
        assert!(
            desk.is_alive(),
            "after {:?}; see {}",
            start.elapsed(),
            desk.folder.display()
        );
        if shown.elapsed() > Duration::from_secs(10) {
            shown = Instant::now();
            memory.push(desk.memory());
            clean(&desk.folder);
        }
    }
    (1..=5).for_each(|button: u32| desk.tell(&["mouseup", &button.to_string()]));
    // It still goes on when asked to.
    desk.tell(&["key", "Escape"]);
    let frames = desk.statistics().len();
    desk.until("steps after all that", || {
        desk.tell(&["key", "period"]);
        desk.statistics().len() > frames + 3
    });
    println!(
        "memory in MB: {:?}",
        memory.iter().map(|m| m >> 20).collect::<Vec<_>>()
    );
    let third = memory.len() / 3;
    let most = |part: &[u64]| part.iter().copied().max().unwrap_or(0);
    let (middle, last) = (most(&memory[third..2 * third]), most(&memory[2 * third..]));
    assert!(
        last < middle + middle / 4,
        "memory grows: {middle} to {last} bytes"
    );
    fs::remove_dir_all(desk.close()).unwrap();
}

/// Takes away what random keys have saved.
fn clean(folder: &Path) {
    for file in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = file.file_name().to_string_lossy().into_owned();
        if name.starts_with("scene-") {
            let _ = fs::remove_file(file.path());
        }
    }
}
