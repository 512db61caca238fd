//! Models of oriented particles in files, groups and crowds in scenes.

use std::path::PathBuf;

use pliant_scene::{BuildOptions, Built, Error, Limits, build, load};

const MODEL: &str = "
edges = [[0, 1]]

[[particle]]
position = [0, 0, 0]
radii = [0.1, 0.05, 0.05]

[[particle]]
position = [0.2, 0, 0]
radius = 0.1
mass = 3

[[particle]]
position = [0.3, 0, 0]
radius = 0.02
turns = false
collides = false

[[group]]
particles = [1, 2]
omit_moment = [2]
lead = 1
";

/// A folder of its own with a scene and a model in it.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str, scene: &str, model: &str) -> Self {
        let folder =
            std::env::temp_dir().join(format!("pliant-models-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("scene.toml"), scene).unwrap();
        std::fs::write(folder.join("pair.toml"), model).unwrap();
        Self(folder)
    }

    fn build(&self) -> Result<Built, Error> {
        let scene = self.0.join("scene.toml");
        let loaded = load(scene.to_str().unwrap(), &[], &Limits::default())?;
        build(&loaded, &BuildOptions::default())
    }

    /// The message without the folder.
    fn message(&self) -> String {
        let message = self.build().unwrap_err().to_string();
        message.replace(&format!("{}/", self.0.display()), "")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A model is placed, scaled and shown; groups of the model and of the scene are added to those of its edges.
#[test]
fn models_come_from_files() {
    let scene = "
        [[body]]
        name = 'pair'
        method = 'oriented'
        model = 'pair.toml'
        position = [1, 2, 3]
        scale = 2
        skin = 'dual'
        second_order = true
        turning = 'all'
        [[group]]
        body = 'pair'
        particles = [0, 1, 2]
        stiffness = 0.5
    ";
    let folder = Folder::new("files", scene, MODEL);
    let mut world = folder.build().unwrap().world;
    // Two around particles with edges, one of the model, one of the scene.
    assert_eq!((world.points().len(), world.rings().len()), (3, 4));
    assert_eq!(world.points().x[1].to_array(), [1.4, 2.0, 3.0]);
    assert_eq!(world.points().mass[1], 24.0);
    let (lo, hi) = world.surfaces()[0].bounds().unwrap();
    assert!(
        (lo.x - 0.8).abs() < 1e-5 && (hi.x - 1.64).abs() < 1e-5,
        "{lo} {hi}"
    );
    for _ in 0..30 {
        assert_eq!(world.step(1.0 / 60.0).non_finite, 0);
    }
}

/// Copies are bodies of their own, on a grid; each is turned in its own way.
#[test]
fn crowds_are_many_bodies() {
    let scene = "
        [[body]]
        name = 'toy'
        method = 'oriented'
        model = 'toy'
        position = [1, 0, 0]
        copies = { count = [2, 1, 3], spacing = [2, 9, 4], turn = 30 }
    ";
    let world = Folder::new("crowd", scene, "").build().unwrap().world;
    let names: Vec<&str> = world.bodies().iter().map(|b| b.name.as_str()).collect();
    assert_eq!(
        names,
        ["toy.0", "toy.1", "toy.2", "toy.3", "toy.4", "toy.5"]
    );
    let first = |body: usize| world.points().x[world.bodies()[body].points.start];
    // All turn about their origins, so the differences are off by less than a toy.
    for (body, x, z) in [(1, 2.0, 0.0), (2, 0.0, 4.0), (5, 2.0, 8.0)] {
        let way = first(body) - first(0);
        assert!((way.x - x).abs() < 1.2 && (way.z - z).abs() < 1.2, "{way}");
        assert!(way.x != x && way.y != 0.0, "it is not turned");
    }
}

/// What is wrong is said in one line that names the file, the place and what was expected.
#[test]
fn mistakes_are_told() {
    let body = "[[body]]\nname = 'a'\nmethod = 'oriented'\nmodel = 'pair.toml'\n";
    let of_model = [
        ("", "pair.toml:1:1: missing field `particle` in `scene`"),
        (
            "particle = []",
            "pair.toml:1:12: the model has no particle, expected at least one [[particle]]",
        ),
        (
            "[[particle]]\nposition = [0, 0, 0]\n",
            "pair.toml:1:1: the particle has no size, expected `radius` or `radii`",
        ),
        (
            "edges = [[0, 1]]\n[[particle]]\nposition = [0, 0, 0]\nradius = 1\n",
            "pair.toml:1:14: there is no particle 1, expected an index below 1",
        ),
        (
            "[[particle]]\nposition = [0, 0, 0]\nradius = 1\n[[group]]\nparticles = [0]\nlead = 2\n",
            "pair.toml:6:8: `lead` names the particle 2, expected one of the group's `particles`",
        ),
        (
            "[[particle]]\nposition = [0, 0, 0]\nradius = -1\n",
            "pair.toml:3:10: `radius` is -1, expected a number above 0",
        ),
        (
            "[[particle]]\npositoin = [0, 0, 0]\nradius = 1\n",
            "pair.toml:2:1: unknown field `positoin`, did you mean `position`?",
        ),
    ];
    for (model, expected) in of_model {
        let folder = Folder::new("mistakes", body, model);
        assert_eq!(folder.message(), expected);
    }
    let of_scene = [
        (
            "[[body]]\nmethod = 'oriented'\nmodel = 'trcuk'\n".to_owned(),
            "scene.toml:3:9: unknown model `trcuk`, expected a .toml file or one of `tree`, `toy`, `chain`, `head`, `truck`",
        ),
        (
            format!("{body}[[group]]\nbody = 'a'\nparticles = [0, 7]\n"),
            "scene.toml:7:17: `a` has no particle 7, expected an index below 3",
        ),
        (
            format!("{body}copies = {{ count = [2, 0, 1], spacing = [1, 1, 1] }}\n"),
            "scene.toml:5:24: `count.1` is 0, expected a whole number from 1 to 10000",
        ),
        (
            format!(
                "{body}copies = {{ count = [2, 1, 1], spacing = [1, 1, 1] }}\n[[action]]\nat = 0\nchange = {{ body = 'a', stiffness = 0.5 }}\n"
            ),
            "scene.toml:8:19: `a` has copies, expected one body; leave `body` out",
        ),
    ];
    for (scene, expected) in of_scene {
        let folder = Folder::new("mistakes", &scene, MODEL);
        assert_eq!(folder.message(), expected);
    }
}
