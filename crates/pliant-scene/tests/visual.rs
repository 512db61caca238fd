//! Visual bodies in scenes: parts, joints in meshes, attachments, patterns, and what is said of mistakes.

use std::fmt::Write;
use std::path::PathBuf;

use pliant_scene::{BuildOptions, Built, Error, Limits, build, load};

/// A folder of its own with a scene and files in it.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str, scene: &str, files: &[(&str, String)]) -> Self {
        let folder =
            std::env::temp_dir().join(format!("pliant-visual-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("scene.toml"), scene).unwrap();
        for (file, text) in files {
            std::fs::write(folder.join(file), text).unwrap();
        }
        Self(folder)
    }

    fn build(&self) -> Result<Built, Error> {
        let scene = self.0.join("scene.toml");
        let loaded = load(scene.to_str().unwrap(), &[], &Limits::default())?;
        build(&loaded, &BuildOptions::default())
    }

    /// The message without the folder.
    fn message(&self) -> String {
        match self.build() {
            Ok(_) => "no error".to_owned(),
            Err(error) => error
                .to_string()
                .replace(&format!("{}/", self.0.display()), ""),
        }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Boxes as an OBJ file: the name, the centre and half of the sides of each.
fn boxes(all: &[(&str, [f32; 3], [f32; 3])]) -> String {
    let mut text = String::new();
    for (k, (name, center, half)) in all.iter().enumerate() {
        writeln!(text, "o {name}").unwrap();
        for corner in 0..8 {
            let at = |axis: usize| {
                let sign = if corner >> axis & 1 == 1 { 1.0 } else { -1.0 };
                center[axis] + sign * half[axis]
            };
            writeln!(text, "v {} {} {}", at(0), at(1), at(2)).unwrap();
        }
        let quads = [
            [0, 4, 6, 2],
            [1, 3, 7, 5],
            [0, 1, 5, 4],
            [2, 6, 7, 3],
            [0, 2, 3, 1],
            [4, 5, 7, 6],
        ];
        for quad in quads {
            let [a, b, c, d] = quad.map(|v| v + 8 * k + 1);
            writeln!(text, "f {a} {b} {c} {d}").unwrap();
        }
    }
    text
}

/// A frame and a wing, and a hinge between them.
fn door() -> (&'static str, String) {
    let text = boxes(&[
        ("frame", [0.0, 0.0, 0.0], [0.1, 1.0, 0.1]),
        ("wing", [0.7, 0.0, 0.0], [0.55, 0.9, 0.05]),
        (
            "joint.hinge.wing.frame.1",
            [0.12, 0.5, 0.0],
            [0.04, 0.1, 0.04],
        ),
    ]);
    ("door.obj", text)
}

const DOOR: &str = "[[body]]\nname = 'door'\nmethod = 'visual'\nmesh = 'door.obj'\n";

/// A scene with parts, joints, attachments, patterns and actions of all kinds builds without a warning.
#[test]
fn scenes_are_built() {
    let scene = format!(
        "{DOOR}
        parts = {{ wing = 'steel' }}
        [[body]]
        name = 'rope'
        method = 'visual'
        shape = {{ cylinder = {{ radius = 0.05, height = 2 }} }}
        edge_length = 0.05
        material = 'rubber'
        position = [5, 0, 0]
        spin = [0, 90, 0]
        [[body]]
        method = 'visual'
        shape = {{ bunny = {{}} }}
        height = 1
        fixed = true
        material = 'pane'
        surface = 'none'
        [[collider]]
        name = 'post'
        shape = {{ box = {{ half = [1, 1, 1] }} }}
        [material.pane]
        base = 'glass'
        thickness = 0.01
        pattern = 'rows'
        [pattern.rows]
        kind = 'bricks'
        cells = 20
        radius = 0.5
        tear = 'none'
        [[joint]]
        name = 'roll'
        type = 'wheel'
        a = 'wing'
        b = 'world'
        center = [0.7, 0, 0]
        [[joint]]
        name = 'hold'
        type = 'slide'
        a = 'post'
        b = 'frame'
        center = [0, -1, 0]
        limits = [-0.1, 0.2]
        [[attachment]]
        soft = 'rope'
        rigid = 'door/frame'
        off = true
        [[action]]
        at = 1
        drive = {{ joint = 'hinge.wing*', speed = 90 }}
        [[action]]
        at = 1
        drive = {{ joint = 'door/joint.hinge.wing.frame.1', speed = 90, torque = 5 }}
        [[action]]
        at = 1
        drive = {{ joint = 'hold', speed = 0.1 }}
        [[action]]
        at = 1
        steer = {{ joint = 'roll', angle = 30, until = 2 }}
        [[action]]
        at = 1
        fracture = {{ at = [0, 0, 0], pattern = 'rows' }}
    "
    );
    let built = Folder::new("built", &scene, &[door()]).build().unwrap();
    assert!(built.warnings.is_empty(), "{:?}", built.warnings);
    assert_eq!(built.world.settings().iterations, 4);
}

/// Builds scenes, beside which there are some files, and compares how the messages begin.
fn check(name: &str, cases: Vec<(String, &str)>) {
    let long = [0.1, 0.1, 0.2];
    let files = [
        door(),
        (
            "bent.obj",
            "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n".to_owned(),
        ),
        ("joint.obj", boxes(&[("joint.ball.a.b", [0.0; 3], long)])),
        (
            "odd.obj",
            boxes(&[("a", [0.0; 3], long), ("joint.hinge.a.b", [0.0; 3], long)]),
        ),
        (
            "self.obj",
            boxes(&[("a", [0.0; 3], long), ("joint.hinge.a.a", [0.0; 3], long)]),
        ),
        (
            "type.obj",
            boxes(&[("a", [0.0; 3], long), ("joint.hing.a.a", [0.0; 3], long)]),
        ),
    ];
    let mut wrong = Vec::new();
    for (scene, expected) in cases {
        let message = Folder::new(name, &scene, &files).message();
        if !message.starts_with(expected) {
            wrong.push(format!(
                "{scene}\n  found    {message}\n  expected {expected}"
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Mistakes in bodies and in what they are made of are said in one line that names the file, the place and what was expected.
#[test]
fn mistakes_in_bodies_are_told() {
    check("bodies", vec![
        (
            "[[body]]\nmethod = 'visual'\nmodel = 'cra'\n".to_owned(),
            "scene.toml:3:9: unknown model `cra`, expected one of ",
        ),
        (
            "[[body]]\nmethod = 'visual'\nmodel = 'truck'\n".to_owned(),
            "scene.toml:3:9: the model `truck` is for method `oriented`, expected one of ",
        ),
        (
            format!("{DOOR}parts = {{ wnig = 'steel' }}\n"),
            "scene.toml:5:9: unknown part `wnig`, did you mean `wing`?",
        ),
        (
            format!("{DOOR}tear = {{ mesh = 'seam' }}\n"),
            "scene.toml:5:8: unknown part `seam`, the nearest known one is ",
        ),
        (
            format!("{DOOR}tear = {{ color = [1, 0, 0] }}\n"),
            "scene.toml:5:8: no edge of the mesh has this colour at both ends, expected a painted line",
        ),
        (
            format!("{DOOR}[pattern.p]\nkind = 'glass'\ntear = {{ mesh = 'seam' }}\n"),
            "scene.toml:7:8: no body has a part `seam`, expected one that marks the line",
        ),
        (
            format!("{DOOR}material = 'm'\n[material.m]\npattern = 'p'\n[pattern.p]\nkind = 'mesh'\nfile = 'bent.obj'\n"),
            "scene.toml:10:8: bent.obj: part 0 ('') of the pattern is not a closed convex shape, expected closed convex parts",
        ),
        (
            "[[body]]\nmethod = 'visual'\nmesh = 'none.obj'\n".to_owned(),
            "scene.toml:3:8: none.obj: no such file",
        ),
        (
            "[[body]]\nmethod = 'visual'\nmesh = 'joint.obj'\n".to_owned(),
            "scene.toml:3:8: the mesh has no part that is neither a joint nor a line",
        ),
        (
            "[[body]]\nmethod = 'visual'\nmesh = 'odd.obj'\n".to_owned(),
            "scene.toml:3:8: the part `joint.hinge.a.b`: `a.b` are not two parts, bodies or colliders, expected `joint.TYPE.A.B`",
        ),
        (
            "[[body]]\nmethod = 'visual'\nmesh = 'type.obj'\n".to_owned(),
            "scene.toml:3:8: the part `joint.hing.a.a`: unknown type of joint `hing`, did you mean `hinge`?",
        ),
        (
            "[[body]]\nmethod = 'visual'\nshape = { sphere = { radius = 1 } }\nedge_length = 1e-5\n".to_owned(),
            "scene.toml:4:15: `edge_length` makes about 480000016384 faces, the limit is 2000000",
        ),
    ]);
}

/// So are those in names of parts, joints and what is held by them.
#[test]
fn mistakes_in_names_are_told() {
    let joint = |a: &str, b: &str| {
        format!(
            "{DOOR}[[collider]]\nname = 'lift'\nshape = {{ golem = {{}} }}\nmotion = [{{ time = 0 }}, {{ time = 1, position = [0, 1, 0] }}]\n[[joint]]\ntype = 'ball'\na = '{a}'\nb = '{b}'\ncenter = [0, 0, 0]\n"
        )
    };
    let action = |what: &str| format!("{DOOR}[[action]]\nat = 0\n{what}\n");
    check(
        "names",
        vec![
            (
                joint("wing", "fraem"),
                "scene.toml:12:5: unknown body or collider `fraem`, did you mean `frame`?",
            ),
            (
                joint("wing", "lift"),
                "scene.toml:12:5: the collider `lift` moves, expected one that stands still",
            ),
            (
                joint("world", "world"),
                "scene.toml:12:5: the joint ties `world` to itself, expected two different things",
            ),
            (
                action("drive = { joint = 'hinge.wnig.frame.1', speed = 1 }"),
                "scene.toml:7:19: unknown joint `hinge.wnig.frame.1`, did you mean `hinge.wing.frame.1`?",
            ),
            (
                action("drive = { joint = 'hinge.wing.frame.1', speed = 1, torque = -1 }"),
                "scene.toml:7:61: `torque` is -1, expected a number of at least 0",
            ),
            (
                action("steer = { joint = 'hinge.*', angle = 1 }"),
                "scene.toml:7:19: `hinge.*` cannot be steered, expected a wheel",
            ),
            (
                format!(
                    "{}name = 'j'\n[[action]]\nat = 0\ndrive = {{ joint = 'j', speed = 1 }}\n",
                    joint("wing", "frame").replace("center = [0, 0, 0]", "center = [0.12, 0, 0]")
                ),
                "scene.toml:17:19: `j` cannot be driven, expected a hinge, a wheel or a slide",
            ),
            (
                format!(
                    "{}motor = {{ speed = 1, torque = 1 }}\n",
                    joint("wing", "frame")
                ),
                "scene.toml:14:1: a `motor` is for joints of type `hinge`, `wheel` and `slide`, expected none",
            ),
            (
                format!("{}limits = [-20, -10]\n", joint("wing", "frame")),
                "scene.toml:14:10: the greatest of the `limits` of a ball is -10, expected a number of at least 0",
            ),
            (
                format!("{}limits = [-20, 10]\n", joint("wing", "frame")).replace("ball", "wheel"),
                "scene.toml:14:1: `limits` are for joints of type `hinge`, `slide` and `ball`, expected none",
            ),
            (
                "[[body]]\nmethod = 'visual'\nmesh = 'self.obj'\n".to_owned(),
                "scene.toml:3:8: the part `joint.hinge.a.a` ties something to itself, expected two different things",
            ),
            (
                action("change = { body = 'wnig', stiffness = 1 }"),
                "scene.toml:7:19: unknown body `wnig`, did you mean `wing`?",
            ),
            (
                action("cut = { body = 'door', point = [0, 0, 0], normal = [0, 1, 0] }"),
                "scene.toml:7:16: ",
            ),
            (
                format!("{DOOR}[[attachment]]\nsoft = 'lift'\nrigid = 'wing'\n"),
                "scene.toml:6:8: unknown body or collider `lift`, ",
            ),
            (
                format!(
                    "[[body]]\nname = 'clay'\nshape = {{ golem = {{}} }}\nscale = 0.2\n{DOOR}[[joint]]\ntype = 'ball'\na = 'clay'\nb = 'wing'\ncenter = [0, 0, 0]\n"
                ),
                "scene.toml:11:5: `clay` cannot be held by joints and attachments, expected a body of method `visual`",
            ),
        ],
    );
}

/// A drive with a torque turns a joint of a mesh, which has no motor of its own; without one nothing turns, and the report says why.
#[test]
fn a_drive_brings_its_own_motor() {
    for (torque, turns) in [("", false), (", torque = 1e5", true)] {
        let scene = format!(
            "{DOOR}fixed_parts = ['frame']\n[[action]]\nat = 0\ndrive = {{ joint = 'hinge.*', speed = 90{torque} }}\n[simulation]\ngravity = [0, 0, 0]\n"
        );
        let mut world = Folder::new("drive", &scene, &[door()])
            .build()
            .unwrap()
            .world;
        let reports: Vec<_> = (0..30).map(|_| world.step(1.0 / 60.0)).collect();
        let angle = world.joints()[0].joint.angle.abs();
        assert_eq!(
            (angle - std::f32::consts::FRAC_PI_4).abs() < 0.05,
            turns,
            "{angle} rad"
        );
        let told = reports
            .iter()
            .any(|r| r.warnings.iter().any(|w| w.contains("has no motor")));
        assert_eq!(told, !turns);
    }
}
