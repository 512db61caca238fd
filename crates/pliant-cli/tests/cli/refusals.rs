//! Wrong input: the right exit code, one line on stderr, and nothing else.

use crate::common::{BALL, Folder, stderr, stdout};

/// Scenes with one mistake each, by file name.
fn scene_files() -> Vec<(&'static str, String)> {
    let body = |fields: &str| format!("[[body]]\n{fields}\n");
    let shape = "shape = { sphere = { radius = 1 } }";
    vec![
        ("syntax.toml", "[[body]\n".into()),
        ("field.toml", body("shap = { sphere = { radius = 1 } }")),
        ("missing.toml", body("mesh = \"nowhere.ply\"")),
        (
            "density.toml",
            format!(
                "[material.m]\ndensity = -1\n{}",
                body(&format!("{shape}\nmaterial = \"m\""))
            ),
        ),
        (
            "radius.toml",
            body(&format!("{shape}\nparticle_radius = 0")),
        ),
        (
            "large.toml",
            body(&format!("{shape}\nparticle_radius = 1.5")),
        ),
        (
            "huge.toml",
            body(&format!(
                "{shape}\nparticle_radius = 0.0005\nedge_length = 0.1"
            )),
        ),
        (
            "fine.toml",
            body(&format!("{shape}\nparticle_radius = 0.001")),
        ),
        ("leaves.toml", body("mesh = \"../box.ply\"")),
        ("absolute.toml", body("mesh = \"/etc/passwd\"")),
        ("link.toml", body("mesh = \"link.obj\"")),
        ("folder.toml", body("mesh = \"sub\"")),
        ("ending.toml", body("mesh = \"notes.txt\"")),
        ("broken-mesh.toml", body("mesh = \"range.obj\"")),
        ("empty.toml", String::new()),
        ("nobody.toml", "title = \"nothing\"\n".into()),
        (
            "nan.toml",
            body(&format!("{shape}\nvelocity = [nan, 0, 0]")),
        ),
        (
            "method.toml",
            body(&format!("{shape}\nmethod = \"implicit\"")),
        ),
        (
            "cut.toml",
            format!(
                "{}[[action]]\nat = 0\ncut = {{ point = [0, 0, 0], normal = [1, 0, 0] }}\n",
                body(&format!("{shape}\nsurface = \"skinned\""))
            ),
        ),
        (
            "hands.toml",
            format!("{}[[collider]]\nhands = \"h.txt\"\n", body(shape)),
        ),
        ("flat.toml", body("mesh = \"flat.obj\"\nheight = 1")),
        (
            "open-collider.toml",
            format!(
                "{}[[collider]]\nshape = {{ mesh = {{ file = \"truncated.ply\" }} }}\n",
                body(shape)
            ),
        ),
        (
            "texture.toml",
            body(&format!("{shape}\ntexture = \"notes.txt\"")),
        ),
        (
            "parts.toml",
            body(&format!("{shape}\nparts = {{ a = \"steel\" }}")),
        ),
        (
            "volume.toml",
            body(&format!("{shape}\nsurface = \"skinned\"\nvolume = true")),
        ),
        (
            "fine-edges.toml",
            body("mesh = \"box.obj\"\nedge_length = 1e-7"),
        ),
        (
            "material.toml",
            body(&format!("{shape}\nmaterial = \"clai\"")),
        ),
        (
            "astronomic.toml",
            body("shape = { sphere = { radius = 1e30 } }\nscale = 1e30"),
        ),
    ]
}

/// Files that the cases use.
fn fill(folder: &Folder) {
    folder.write("ball.toml", BALL);
    let scenes = scene_files();
    for (name, text) in scenes {
        folder.write(name, text);
    }
    folder.write("latin.toml", b"title = \"caf\xe9\"\n");
    folder.write("dir.toml/x", "");
    folder.write("sub/x", "");
    folder.write("file", "");
    folder.write("notes.txt", "hello");
    folder.write("empty.ply", "");
    folder.write("no-faces.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\n");
    folder.write("nan.obj", "v 0 0 0\nv nan 0 0\nv 0 1 0\nf 1 2 3\n");
    folder.write("range.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n");
    folder.write(
        "box.obj",
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n",
    );
    folder.write("flat.obj", "v 0 0 0\nv 1 0 0\nv 0 0 1\nf 1 2 3\n");
    folder.write(
        "truncated.ply",
        b"ply\nformat binary_little_endian 1.0\nelement vertex 9\nproperty float x\nproperty float y\nproperty float z\nelement face 4\nproperty list uchar int vertex_indices\nend_header\n\0\0\0",
    );
    folder.write("cut.glb", b"glTF\x02\0\0\0\xff\0\0\0");
    #[cfg(unix)]
    std::os::unix::fs::symlink("/etc/hostname", folder.path().join("link.obj")).unwrap();
}

/// Arguments, exit code, and what the line must contain.
const CASES: &[(&[&str], i32, &str)] = &[
    (&["run", "syntax.toml"], 2, "syntax.toml:1:"),
    (
        &["run", "field.toml"],
        2,
        "field.toml:2:1: unknown field `shap`",
    ),
    (
        &["run", "missing.toml"],
        2,
        "missing.toml:2:8: ./nowhere.ply: no such file",
    ),
    (&["run", "density.toml"], 2, "density.toml:2:11:"),
    (&["run", "radius.toml"], 2, "radius.toml:3:19:"),
    (&["run", "large.toml"], 2, "large.toml:3:19: only"),
    (
        &["run", "huge.toml"],
        3,
        "huge.toml:3:19: the body would have about",
    ),
    (
        &["run", "fine.toml"],
        3,
        "fine.toml:3:19: `particle_radius` is 0.001, too fine",
    ),
    (&["run", "leaves.toml"], 2, "leaves.toml:2:8: the path"),
    (&["run", "absolute.toml"], 2, "absolute.toml:2:8: the path"),
    #[cfg(unix)]
    (
        &["run", "link.toml"],
        2,
        "link.toml:2:8: ./link.obj is a link that leaves",
    ),
    (
        &["run", "folder.toml"],
        2,
        "folder.toml:2:8: ./sub: is a directory",
    ),
    (
        &["run", "ending.toml"],
        2,
        "ending.toml:2:8: ./notes.txt: unknown kind",
    ),
    (&["run", "broken-mesh.toml"], 2, "range.obj:4:"),
    (&["run", "empty.toml"], 2, "no body"),
    (&["run", "nobody.toml"], 2, "no body"),
    (&["run", "nan.toml"], 2, "nan.toml:3:13:"),
    (
        &["run", "method.toml"],
        2,
        "method.toml:3:10: the method `implicit` is not supported yet, expected `clusters`, `oriented` or `visual`",
    ),
    (
        &["run", "cut.toml"],
        2,
        "cut.toml:6:7: there is no surface that can be cut",
    ),
    (
        &["run", "hands.toml"],
        2,
        "hands.toml:4:9: ./h.txt: no such file",
    ),
    (&["run", "flat.toml"], 2, "flat.toml:1:"),
    (&["run", "open-collider.toml"], 2, "truncated.ply"),
    (
        &["run", "texture.toml"],
        2,
        "texture.toml:3:11: ./notes.txt",
    ),
    (
        &["run", "parts.toml"],
        2,
        "parts.toml:3:9: `parts` is not supported yet",
    ),
    (
        &["run", "volume.toml"],
        2,
        "volume.toml:4:10: `volume` is not supported yet, expected `surface = \"tracked\"`",
    ),
    (
        &["run", "fine-edges.toml"],
        3,
        "fine-edges.toml:3:15: the surface would have about",
    ),
    (&["run", "material.toml"], 2, "did you mean `clay`"),
    (&["run", "astronomic.toml"], 2, "astronomic.toml:"),
    (
        &["run", "latin.toml"],
        2,
        "latin.toml:1:13: this is not UTF-8",
    ),
    (&["run", "dir.toml"], 2, "dir.toml: is a directory"),
    (&["run", "gone.toml"], 2, "gone.toml: no such file"),
    (&["run", "boat"], 2, "unknown scene 'boat'; known: drop, "),
    (
        &["run", "ball.toml", "--set", "body.0.particle_radius"],
        2,
        "--set body.0.particle_radius: ",
    ),
    (
        &["run", "ball.toml", "--set", "body.7.scale=1"],
        2,
        "there is no body 7",
    ),
    (
        &["run", "ball.toml", "--set", "body.0.scale=-1"],
        2,
        "--set body.0.scale=-1: ",
    ),
    (&["run", "ball.toml", "--format", "stl"], 2, "'stl'"),
    (
        &["run", "ball.toml", "--format", "usd"],
        2,
        "usd is not supported yet",
    ),
    (&["run", "ball.toml", "--threads", "0"], 2, "'0'"),
    (&["run", "ball.toml", "--threads", "many"], 2, "'many'"),
    (&["run", "ball.toml", "--frames", "-1"], 2, "-1"),
    (
        &["run", "ball.toml", "--preview", "film.bmp"],
        2,
        "expected a name that ends in",
    ),
    (
        &["run", "ball.toml", "--color", "rainbow"],
        2,
        "expected texture or clusters",
    ),
    (
        &["run", "ball.toml", "--limit", "apples=3"],
        2,
        "unknown limit 'apples'",
    ),
    (
        &["run", "ball.toml", "--limit", "particles=100"],
        3,
        "ball.toml:9:19: the body would have",
    ),
    (
        &["run", "ball.toml", "--limit", "triangles=100"],
        3,
        "triangles so far, the limit is 100",
    ),
    (
        &["run", "ball.toml", "--limit", "bodies=0"],
        3,
        "bodies, the limit is 0",
    ),
    (
        &["run", "ball.toml", "--limit", "bytes=10"],
        3,
        "the limit is 10",
    ),
    (&["run", "ball.toml", "--out", "file/out"], 5, "file/out: "),
    (
        &["run", "ball.toml", "--out", "none", "--stats", "sub"],
        5,
        "sub: ",
    ),
    (
        &["run", "ball.toml", "--mesh", "gone.obj"],
        2,
        "gone.obj: no such file",
    ),
    (
        &["run", "ball.toml", "--mesh", "flat.obj"],
        2,
        "flat.obj: the mesh is a flat sheet",
    ),
    (
        &["run", "ball.toml", "--save", "x@3"],
        2,
        "snapshots are not supported yet",
    ),
    (
        &["run", "ball.toml", "--restore", "x"],
        2,
        "snapshots are not supported yet",
    ),
    (
        &["run", "ball.toml", "--frame", "3"],
        2,
        "unexpected argument '--frame' found",
    ),
    (&["run"], 2, "required arguments were not provided: <SCENE>"),
    (&["view", "drop"], 2, "no viewer"),
    (&["resume", "out"], 2, "out: "),
    (&["walk"], 2, "unrecognized subcommand 'walk'"),
    (&[], 2, "no command"),
    (
        &["bench", "dance"],
        2,
        "unknown bench 'dance'; known: solve, surface",
    ),
    (&["check", "empty.ply"], 2, "empty.ply: the file is empty"),
    (&["check", "no-faces.obj"], 2, "no-faces.obj: "),
    (&["check", "nan.obj"], 2, "nan.obj:2:"),
    (&["check", "range.obj"], 2, "range.obj:4:"),
    (&["check", "truncated.ply"], 2, "truncated.ply"),
    (&["check", "cut.glb"], 2, "cut.glb"),
    (&["check", "field.toml"], 2, "field.toml:2:1"),
    (&["check", "notes.txt"], 2, "notes.txt"),
];

/// Every wrong input ends with its exit code and exactly one line, which names the trouble.
#[test]
fn wrong_input_is_one_line() {
    let folder = Folder::new("refusals");
    fill(&folder);
    for (arguments, code, expected) in CASES {
        let output = folder.pliant(arguments);
        let said = stderr(&output);
        let shown = format!("{arguments:?} → {:?} {said}", output.status.code());
        assert_eq!(output.status.code(), Some(*code), "{shown}");
        assert_eq!(said.lines().count(), 1, "{shown}");
        assert!(
            said.starts_with("error: ") && said.ends_with('\n'),
            "{shown}"
        );
        assert!(said.contains(expected), "{shown}, expected {expected}");
        assert!(stdout(&output).is_empty(), "{shown}");
    }
}

/// With `--strict` a scene that stays stable still ends well.
#[test]
fn strict_lets_sound_scenes_pass() {
    let folder = Folder::new("strict");
    folder.write("ball.toml", BALL);
    let output = folder.pliant(&["run", "ball.toml", "--out", "none", "--strict", "--quiet"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stderr(&output).is_empty() && stdout(&output).is_empty());
}
