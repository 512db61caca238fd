//! Good scene files: what they say arrives, overrides and presets do what they promise, and nothing panics.

use pliant_scene::file::{
    Clamp, Document, Kernel, MaterialKind, Method, PRESETS, Plasticity, SceneFile, Shape, Strain,
    Tear, Verb, apply_overrides, parse_scene,
};
use proptest::prelude::*;

const CATALOGUE: &str = include_str!("scene_catalogue.toml");
const BALL: &str = "[[body]]\nname = \"ball\"\nshape = { sphere = { radius = 1 } }\n";

fn parse(text: &str, overrides: &[&str]) -> SceneFile {
    let overrides: Vec<String> = overrides.iter().map(|&text| text.to_owned()).collect();
    match parse_scene(text, "s.toml", &overrides) {
        Ok(scene) => scene,
        Err(error) => panic!("{error}"),
    }
}

/// A scene with every field of the format arrives with the values that were written.
#[test]
fn catalogue_parses() {
    let scene = parse(CATALOGUE, &[]);
    assert_eq!(scene.title.as_deref(), Some("two blobs merge"));
    assert_eq!(scene.simulation.gravity, Some([0.0, -9.81, 0.0]));
    assert_eq!(scene.body.len(), 6);
    assert_eq!(scene.body[1].name_or_index(1), "body.1");
    assert_eq!(scene.body[1].kernel, Some(Kernel::Fcm(2.0)));
    assert_eq!(scene.body[2].method, Some(Method::Oriented));
    assert_eq!(scene.body[2].parts["hood"], "metal");
    assert!(matches!(scene.body[1].shape, Some(Shape::SmoothUnion(_))));
    assert_eq!(scene.collider[2].hands.as_deref(), Some("hands.txt"));
    assert_eq!(scene.joint[0].limits, Some([-90.0, 90.0]));
    assert_eq!(scene.pattern["q"].tear, Some(Tear::Color([1.0, 0.0, 0.0])));
    assert_eq!(scene.action.len(), 14);
    assert!(scene.action.iter().all(|action| action.verb().is_some()));
    assert!(matches!(scene.action[13].verb(), Some(Verb::Steer(steer)) if steer.angle == 30.0));
    let half = Some([0.2, 0.1, 0.3]);
    assert!(matches!(scene.action[5].verb(), Some(Verb::Turn(turn)) if turn.half == half));
    assert!(matches!(scene.action[7].verb(), Some(Verb::Pin(pin)) if pin.half == half));
    assert!(matches!(scene.action[10].verb(), Some(Verb::Squeeze(s)) if s.strength == 9.0));
}

/// Files of other systems, with byte order mark and carriage returns, read the same.
#[test]
fn line_endings_do_not_matter() {
    let text = CATALOGUE.replace('\n', "\r\n");
    assert_eq!(
        parse(&format!("\u{feff}{text}"), &[]),
        parse(CATALOGUE, &[])
    );
}

/// A scene that is written as TOML reads back equal.
#[test]
fn writing_and_reading_is_the_identity() {
    let scene = parse(CATALOGUE, &[]);
    let text = scene.to_toml().expect("the scene can be written");
    assert_eq!(parse(&text, &[]), scene, "{text}");
    assert!(
        text.contains("particle_radius = 0.1\n"),
        "numbers stay short: {text}"
    );
}

/// Presets are there without being written; `[material.clay]` and `base` extend them.
#[test]
fn materials_extend_presets() {
    let text = "
[material.clay]
hardening = 2
[material.wet]
base = \"clay\"
stiffness = 0.5
[material.brick]
base = \"brick2\"
[material.brick2]
density = 2000
[material.glass]
base = \"glass\"
friction = 0.1
";
    let scene = parse(&format!("{text}{BALL}"), &[]);
    let wet = scene.material("wet").expect("wet");
    assert_eq!((wet.stiffness, wet.hardening), (0.5, 2.0));
    assert_eq!((wet.r#yield, wet.flow), (Some(1e-4), 0.9));
    let brick = scene.material("brick").expect("brick");
    assert_eq!(
        (brick.density, brick.r#yield, brick.stiffness),
        (2000.0, None, 0.9)
    );
    assert_eq!(brick.plasticity, Plasticity::Log);
    assert_eq!(
        (brick.strain, brick.clamp),
        (Strain::Polar, Clamp::Exponent)
    );
    let glass = scene.material_fields("glass").expect("glass");
    assert_eq!(glass.kind, Some(MaterialKind::Brittle));
    assert_eq!(glass.friction, Some(0.1));
    assert_eq!(scene.material("custard"), None);
    assert_eq!(
        scene.material("rubber").and_then(|rubber| rubber.r#yield),
        None
    );
}

/// Every preset passes the checks that materials of files have to pass.
#[test]
fn presets_are_in_range() {
    let plain = parse(BALL, &[]);
    for name in PRESETS {
        let mut scene = plain.clone();
        let fields = plain.material_fields(name).expect("a preset");
        scene.material.insert(name.to_owned(), fields);
        let text = scene.to_toml().expect("the scene can be written");
        assert_eq!(parse(&text, &[]), scene);
    }
}

/// Overrides reach every kind of place: by index, by name, into presets, with and without quotes.
#[test]
fn overrides_reach_every_place() {
    let text = format!(
        "{BALL}[[joint]]\nname = \"door.left\"\ntype = \"ball\"\na = \"ball\"\nb = \"world\"\ncenter = [0, 0, 0]\n"
    );
    let scene = parse(
        &text,
        &[
            "body.0.particle_radius=0.05",
            "body.ball.velocity = [1,0,0]",
            "body.0.velocity.1=2",
            "material.clay.yield=0.01",
            "simulation.gravity=[0,0,0]",
            "body.0.material=dough",
            "body.0.shape.sphere.radius=3",
            "joint.door.left.limits=[0,1]",
            "joint.\"door.left\".type=hinge",
            "camera={ eye = [1,2,3] }",
            "title=a = b",
        ],
    );
    assert_eq!(scene.body[0].particle_radius, Some(0.05));
    assert_eq!(scene.body[0].velocity, Some([1.0, 2.0, 0.0]));
    assert_eq!(
        scene.material("clay").and_then(|clay| clay.r#yield),
        Some(0.01)
    );
    assert_eq!(scene.material("clay").map(|clay| clay.flow), Some(0.9));
    assert_eq!(scene.simulation.gravity, Some([0.0; 3]));
    assert_eq!(scene.body[0].material.as_deref(), Some("dough"));
    assert_eq!(scene.joint[0].limits, Some([0.0, 1.0]));
    assert_eq!(scene.title.as_deref(), Some("a = b"));
}

/// A path typed on the command line may lie anywhere.
#[test]
fn overrides_may_leave_the_folder() {
    let text = "[[body]]\nmesh = \"a.ply\"\n";
    let scene = parse(text, &["body.0.mesh=/tmp/x.ply"]);
    assert_eq!(scene.body[0].mesh.as_deref(), Some("/tmp/x.ply"));
}

/// Documents give places to errors that show later, down to the nearest ancestor that is written.
#[test]
fn documents_locate_paths() {
    let mut document = Document::parse(BALL, "s.toml").expect("TOML");
    let radius = document.locate("body.0.shape.sphere.radius").to_string();
    assert_eq!(radius, "s.toml:3:31");
    assert_eq!(document.locate("body.0.mesh").to_string(), "s.toml:1:1");
    assert_eq!(document.locate("nothing").to_string(), "s.toml:1:1");
    assert_eq!(
        document.error_at("body.0.name", "too\nround").to_string(),
        "s.toml:2:8: too\\nround"
    );
    apply_overrides(&mut document, &["body.0.name=x".to_owned()]).expect("a good override");
    assert_eq!(
        document.locate("body.0.name").to_string(),
        "--set body.0.name=x"
    );
}

/// Pieces of scene files that are put together at random below.
const PIECES: [&str; 40] = [
    "[[body]]",
    "[[collider]]",
    "[[action]]",
    "[[joint]]",
    "[material.clay]",
    "[material.\"a\\nb\"]",
    "[simulation]",
    "[camera]",
    "[pattern.p]",
    "[[group]]",
    "\n",
    "\n",
    "\n",
    "\n",
    "=",
    " = ",
    ".",
    ",",
    "shape = { sphere = { radius = 1 } }",
    "shape = { union = [ { box = { half = [1,1,1] } } ] }",
    "mesh = \"a.ply\"",
    "name = \"a\"",
    "base = \"clay\"",
    "kernel = { fcm = 2 }",
    "at = 1",
    "cut = { point = [0,1,0], normal = [1,0,0] }",
    "motion = [ { time = 0 }, { time = 1 } ]",
    "\"a\\nb\" = 1",
    "title = \"\"\"x\ny\"\"\"",
    "stiffness = nan",
    "density = 1e39",
    "frames = -1",
    "{",
    "}",
    "[",
    "]",
    "\u{2028}",
    "ä",
    "# c",
    "1979-05-27",
];

/// Whatever the text: no panic, and an error is one line.
fn check_never_panics(text: &str, overrides: &[String]) {
    if let Err(error) = parse_scene(text, "s.toml", overrides) {
        let line = error.to_string();
        assert!(!line.chars().any(char::is_control), "{line:?}");
        assert!(!line.contains('\u{2028}'), "{line:?}");
        assert!(
            line.starts_with("s.toml:") || line.starts_with("--set "),
            "{line:?}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    /// Arbitrary text never panics.
    #[test]
    fn arbitrary_text_never_panics(text in "\\PC*|[\\x00-\\x7f]*") {
        check_never_panics(&text, &[]);
    }

    /// Arbitrary arrangements of likely pieces never panic.
    #[test]
    fn arbitrary_pieces_never_panic(pieces in proptest::collection::vec(0..PIECES.len(), 0..30)) {
        let text: String = pieces.iter().map(|&piece| PIECES[piece]).collect();
        check_never_panics(&text, &[]);
        let lines: Vec<&str> = pieces.iter().map(|&piece| PIECES[piece]).collect();
        check_never_panics(&lines.join("\n"), &[]);
    }

    /// A good scene with a damaged line never panics.
    #[test]
    fn damaged_scenes_never_panic(start in 0..CATALOGUE.len(), length in 0usize..40, patch in "[a-z0-9\\[\\]{}=.,\" \n-]{0,12}") {
        let end = (start + length).min(CATALOGUE.len());
        check_never_panics(&format!("{}{patch}{}", &CATALOGUE[..start], &CATALOGUE[end..]), &[]);
    }

    /// Arbitrary overrides never panic.
    #[test]
    fn arbitrary_overrides_never_panic(
        path in "(body|material|collider|action|title|simulation)(\\.(0|7|left|motion|position|clay|x))*",
        value in "\\PC*|-?[0-9]{1,3}|\\[[0-9],[0-9],[0-9]\\]|nan|1e39",
        text in "\\PC*",
    ) {
        check_never_panics(CATALOGUE, &[format!("{path}={value}")]);
        check_never_panics(CATALOGUE, &[text]);
    }
}
