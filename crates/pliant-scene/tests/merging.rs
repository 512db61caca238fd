//! Bodies of one `merge` name.

use std::path::PathBuf;

use pliant_scene::picture::body_color;
use pliant_scene::{BuildOptions, Built, Error, Limits, build, load};

/// A folder of its own for each test, so that tests may run side by side.
fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("pliant-merging-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// Builds a scene of the given text.
fn built(name: &str, text: &str) -> Result<Built, Error> {
    let folder = folder(name);
    let file = folder.join("s.toml");
    std::fs::write(&file, text).expect("a file");
    let path = file.to_str().expect("a path of letters");
    let result = load(path, &[], &Limits::default())
        .and_then(|loaded| build(&loaded, &BuildOptions::default()));
    std::fs::remove_dir_all(&folder).expect("the folder goes");
    result
}

/// The error of a scene, without the folder of its file.
fn error(name: &str, text: &str) -> String {
    let message = match built(name, text) {
        Ok(_) => return "no error".to_owned(),
        Err(error) => error.to_string(),
    };
    match message.find("s.toml") {
        Some(at) => message[at..].to_owned(),
        None => message,
    }
}

/// Two balls that fly into each other; `left` and `right` are further lines of the two.
fn balls(left: &str, right: &str) -> String {
    let ball = |name: &str, x: f32, speed: f32, more: &str| {
        format!(
            "[[body]]\nname = '{name}'\nshape = {{ sphere = {{ radius = 0.4 }} }}\nposition = [{x}, 0, 0]\nvelocity = [{speed}, 0, 0]\n{more}\n"
        )
    };
    format!(
        "[simulation]\ngravity = [0, 0, 0]\n{}{}",
        ball("left", -0.45, 2.5, left),
        ball("right", 0.45, -2.5, right)
    )
}

const LEFT: &str = "merge = 'm'\nparticle_radius = 0.09\nedge_length = 0.09\nmerge_delay = 0";

/// Frames until the world has so few pieces, at most `frames`.
fn steps_until(built: &mut Built, pieces: usize, frames: usize) -> Option<usize> {
    (0..frames).find(|_| {
        built.world.step(1.0 / 60.0);
        let surfaces = built.world.surfaces().iter();
        surfaces
            .map(pliant::state::Surface::piece_count)
            .sum::<usize>()
            == pieces
    })
}

/// Two of one name are one body of two pieces, then of one; each keeps its colour.
#[test]
fn bodies_of_one_name_merge() {
    let mut scene = built("one", &balls(LEFT, "merge = 'm'")).expect("a scene");
    assert!(scene.warnings.is_empty(), "{:?}", scene.warnings);
    assert_eq!(scene.world.bodies().len(), 1);
    assert_eq!(scene.world.bodies()[0].name, "left");
    assert_eq!(scene.looks.bodies.len(), 1);
    assert_eq!(scene.world.surfaces()[0].piece_count(), 2);
    let frame = steps_until(&mut scene, 1, 40);
    assert!(frame.is_some(), "they merge");
    let mesh = scene.world.surfaces()[0].mesh().into_owned();
    for index in 0..2 {
        let [r, g, b] = body_color(index);
        let same = mesh.colors.iter().filter(|c| **c == [r, g, b, 255]).count();
        let share = same as f64 / mesh.colors.len() as f64;
        assert!(share > 0.35, "{share}");
    }
}

/// Bodies of different names, or of none, stay apart.
#[test]
fn bodies_of_different_names_stay_apart() {
    let right = LEFT.replace("'m'", "'n'");
    let mut scene = built("two", &balls(LEFT, &right)).expect("a scene");
    assert_eq!(scene.world.bodies().len(), 2);
    assert_eq!(steps_until(&mut scene, 1, 40), None);
    // Without anybody to merge with a body is as it was.
    let mesh = scene.world.surfaces()[0].mesh().into_owned();
    assert!(mesh.colors.is_empty());
}

/// A merge group takes the place of its first body; looks follow, and so do the names that cuts have.
#[test]
fn groups_take_the_place_of_the_first() {
    let far = |name: &str, x: f32, more: &str| {
        format!(
            "[[body]]\nname = '{name}'\nshape = {{ sphere = {{ radius = 0.3 }} }}\nposition = [{x}, 0, 0]\nparticle_radius = 0.1\n{more}\n"
        )
    };
    let cut = |name: &str| {
        format!(
            "[[action]]\nat = 0\ncut = {{ point = [6, 0, 0], normal = [1, 0, 0], body = '{name}' }}\n"
        )
    };
    let bodies = [
        far("a", 0.0, "merge = 'm'"),
        far("b", 3.0, ""),
        far("c", 6.0, "merge = 'm'"),
    ];
    let mut scene = built("places", &(bodies.concat() + &cut("c"))).expect("a scene");
    let names: Vec<&str> = scene
        .world
        .bodies()
        .iter()
        .map(|b| b.name.as_str())
        .collect();
    assert_eq!(names, ["a", "b"]);
    assert_eq!(scene.looks.bodies[1].color, Some(body_color(1)));
    scene.world.step(1.0 / 60.0);
    assert_eq!(scene.world.surfaces()[0].piece_count(), 3);
    assert_eq!(
        error("unknown", &(bodies.concat() + &cut("d"))),
        "s.toml:21:55: unknown body `d`, the nearest known one is `a`"
    );
}

/// The edge length that one gives holds for all; if none does, the smallest that any would have.
#[test]
fn edge_lengths_are_shared() {
    let longest = |scene: &Built| {
        let mesh = scene.world.surfaces()[0].mesh().into_owned();
        let edge = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|v| mesh.positions[v as usize]);
            a.distance(b).max(b.distance(c)).max(c.distance(a))
        };
        mesh.triangles.iter().map(edge).fold(0.0, f32::max)
    };
    let given = built(
        "given",
        &balls(
            "merge = 'm'\nparticle_radius = 0.09",
            "merge = 'm'\nedge_length = 0.08",
        ),
    );
    let length = longest(&given.expect("a scene"));
    assert!(length <= 0.0801 && length > 0.06, "{length}");
    let omitted = built(
        "omitted",
        &balls("merge = 'm'\nparticle_radius = 0.09", "merge = 'm'"),
    );
    let length = longest(&omitted.expect("a scene"));
    assert!(length <= 0.0451 && length > 0.03, "{length}");
}

/// What does not go together is refused, with its place and what was expected.
#[test]
fn mistakes_get_their_messages() {
    let same = |field: &str, own: &str, other: &str| {
        format!(
            "`{field}` is {own}, but `left`, with which the body merges, has {other}, expected the same"
        )
    };
    let cases = [
        (
            "volume = true",
            "volume = false",
            same("volume", "false", "true"),
        ),
        (
            "fit = 'affine'",
            "fit = 'procrustes'",
            same("fit", "\"procrustes\"", "\"affine\""),
        ),
        (
            "texture = 'checker'",
            "texture = 'a.png'",
            same("texture", "\"a.png\"", "\"checker\""),
        ),
        (
            "",
            "particle_radius = 0.1",
            same("particle_radius", "0.1", "0.09"),
        ),
        (
            "",
            "surface = 'skinned'",
            "`merge` is not supported yet, expected `surface = \"tracked\"`".to_owned(),
        ),
        (
            "",
            "recluster = 'off'",
            "`merge` is not supported yet, expected `recluster = \"world\"`".to_owned(),
        ),
    ];
    for (left, own, expected) in cases {
        let message = error(
            "mistake",
            &balls(&format!("{LEFT}\n{left}"), &format!("merge = 'm'\n{own}")),
        );
        assert!(
            message.ends_with(&expected),
            "{message}\n  expected {expected}"
        );
        let line = message
            .split(':')
            .nth(1)
            .and_then(|l| l.parse::<u32>().ok());
        assert!(line.is_some_and(|l| (12..20).contains(&l)), "{message}");
    }
    let large = balls("merge = 'm'", "merge = 'm'\nscale = 2");
    assert_eq!(
        error("sizes", &large),
        "s.toml:14:9: its size makes `particle_radius` 0.0400, but `left`, with which the body merges, has 0.0200, expected `particle_radius` in one of them"
    );
}

/// Friction is of the whole: whoever gives two is told.
#[test]
fn two_frictions_are_told() {
    let materials = "[material.rough]\nbase = 'clay'\nfriction = 0.9\n";
    let text = balls(LEFT, "merge = 'm'\nmaterial = 'rough'") + materials;
    let scene = built("friction", &text).expect("a scene");
    assert_eq!(
        scene.warnings,
        [
            "right: friction, restitution and the kind of plasticity are those of left, with which it merges"
        ]
    );
}
