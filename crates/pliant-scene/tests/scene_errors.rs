//! Bad scene files: every mistake is one line with its place, what is wrong and what was expected.

use pliant_scene::file::parse_scene;

/// Stands for a good body of two lines in the texts below.
const BALL: &str = "[[body]]\nshape = { sphere = { radius = 1 } }\n";

/// A bad scene: its text, in which `<BALL>` is short for [`BALL`]; an override, or nothing; the whole message.
type Case = (&'static str, &'static str, &'static str);

/// Text that is not TOML.
const SYNTAX: &[Case] = &[
    (
        "[[body]\n",
        "",
        "s.toml:1:8: unclosed array table, expected `]`",
    ),
    (
        "title = \n<BALL>",
        "",
        "s.toml:1:9: this is not a value, expected a number, a list, a table or a quoted string",
    ),
    (
        "title = \"a\ntitle\n",
        "",
        r#"s.toml:1:11: invalid basic string, expected `"`"#,
    ),
    (
        "title = 1 2\n",
        "",
        "s.toml:1:9: this is not a value, expected a number, a list, a table or a quoted string",
    ),
    (
        "title = 'a'\ntitle = 'b'\n",
        "",
        "s.toml:2:1: this name is already there, expected each name once",
    ),
    (
        "fps = 1__0\n",
        "",
        "s.toml:1:8: `_` may only go between digits",
    ),
];

/// Fields: unknown, missing, of the wrong type.
const FIELDS: &[Case] = &[
    (
        "<BALL>particle_radus = 0.1\n",
        "",
        "s.toml:3:1: unknown field `particle_radus`, did you mean `particle_radius`?",
    ),
    (
        "<BALL>qqq = 0.1\n",
        "",
        "s.toml:3:1: unknown field `qqq`, the nearest known one is `fit`",
    ),
    (
        "[[boddy]]\n",
        "",
        "s.toml:1:3: unknown field `boddy`, did you mean `body`?",
    ),
    (
        "[simulation]\ngravty = [0, 0, 0]\n",
        "",
        "s.toml:2:1: unknown field `gravty`, did you mean `gravity`?",
    ),
    (
        "[material.clay]\nyeild = 1\n<BALL>",
        "",
        "s.toml:2:1: unknown field `yeild`, did you mean `yield`?",
    ),
    (
        "[[body]]\nshape = { sphere = { raduis = 1 } }\n",
        "",
        "s.toml:2:22: unknown field `raduis`, did you mean `radius`?",
    ),
    (
        "[[body]]\nshape = { spere = { radius = 1 } }\n",
        "",
        "s.toml:2:11: unknown shape `spere`, did you mean `sphere`?",
    ),
    (
        "[[body]]\nshape = { sphere = {} }\n",
        "",
        "s.toml:2:20: missing field `radius` in `sphere`",
    ),
    (
        "[[body]]\nshape = { sphere = { radius = 1 }, box = { half = [1, 1, 1] } }\n",
        "",
        "s.toml:2:9: `shape` has 2 entries, expected exactly one of `sphere`, `box`, `capsule`, `cylinder`, `torus`, `ellipsoid`, `golem`, `bunny`, `cow`, `taffy`, `dough`, `octopus`, `pancreas`, `union`, `intersection`, `difference`, `smooth_union`, `plane` or `mesh`",
    ),
    (
        "[[body]]\nshape = {}\n",
        "",
        "s.toml:2:9: `shape` has 0 entries, expected exactly one of `sphere`, `box`, `capsule`, `cylinder`, `torus`, `ellipsoid`, `golem`, `bunny`, `cow`, `taffy`, `dough`, `octopus`, `pancreas`, `union`, `intersection`, `difference`, `smooth_union`, `plane` or `mesh`",
    ),
    (
        "[[body]]\nshape = 'sphere'\n",
        "",
        r#"s.toml:2:9: `shape` is the string "sphere", expected a table `{ sphere = … }`"#,
    ),
    (
        "[[body]]\nshape = 3\n",
        "",
        "s.toml:2:9: `shape` is 3, expected `sphere`, `box`, `capsule`, `cylinder`, `torus`, `ellipsoid`, `golem`, `bunny`, `cow`, `taffy`, `dough`, `octopus`, `pancreas`, `union`, `intersection`, `difference`, `smooth_union`, `plane` or `mesh`",
    ),
    (
        "[[body]]\nshape = { sphere = 1 }\n",
        "",
        "s.toml:2:20: `sphere` is 1, expected a table",
    ),
    (
        "<BALL>particle_radius = 'big'\n",
        "",
        r#"s.toml:3:19: `particle_radius` is the string "big", expected a number"#,
    ),
    (
        "<BALL>position = [0, 1]\n",
        "",
        "s.toml:3:12: `position` has 2 entries, expected 3",
    ),
    (
        "<BALL>position = [0, 1, 'up']\n",
        "",
        r#"s.toml:3:19: `position.2` is the string "up", expected a number"#,
    ),
    (
        "<BALL>position = 3\n",
        "",
        "s.toml:3:12: `position` is 3, expected a list of 3 numbers",
    ),
    (
        "<BALL>method = 'clustres'\n",
        "",
        "s.toml:3:10: unknown method `clustres`, did you mean `clusters`? (expected `clusters`, `oriented`, `visual` or `implicit`)",
    ),
    (
        "<BALL>volume = 1\n",
        "",
        "s.toml:3:10: `volume` is 1, expected true or false",
    ),
    (
        "<BALL>name = 1979-05-27\n",
        "",
        "s.toml:3:8: `name` is a date, expected a string",
    ),
    (
        "body = { shape = 1 }\n",
        "",
        "s.toml:1:8: `body` is a table, expected a list",
    ),
    (
        "[simulation]\nsubsteps = -1\n<BALL>",
        "",
        "s.toml:2:12: `substeps` is -1, expected a whole number from 0 to 4294967295",
    ),
    (
        "[simulation]\nframes = 1.5\n<BALL>",
        "",
        "s.toml:2:10: `frames` is 1.5, expected a whole number from 0 to 4294967295",
    ),
    (
        "[[joint]]\ntype = 'hinge'\n<BALL>",
        "",
        "s.toml:1:1: missing field `a` in `joint.0`",
    ),
    (
        "[camera]\neye = { x = 1 }\n<BALL>",
        "",
        "s.toml:2:7: `eye` is a table, expected a list of 3 numbers",
    ),
];

/// Numbers that are not finite in single precision.
const NUMBERS: &[Case] = &[
    (
        "<BALL>particle_radius = 1e39\n",
        "",
        "s.toml:3:19: the number `1e39` is out of range, expected a finite one between -3.4e38 and 3.4e38",
    ),
    (
        "<BALL>position = [0, nan, 0]\n",
        "",
        "s.toml:3:16: the number `nan` is out of range, expected a finite one between -3.4e38 and 3.4e38",
    ),
    (
        "<BALL>velocity = [0, 0, -inf]\n",
        "",
        "s.toml:3:19: the number `-inf` is out of range, expected a finite one between -3.4e38 and 3.4e38",
    ),
    (
        "[simulation]\nseed = 99999999999999999999\n<BALL>",
        "",
        "s.toml:2:8: the integer `99999999999999999999` is out of range, expected one of at most 64 bits",
    ),
    (
        "<BALL>particle_radius = 1e-60\n",
        "",
        "s.toml:3:19: `particle_radius` is 0, expected a number above 0",
    ),
];

/// Ranges.
const RANGES: &[Case] = &[
    (
        "[[body]]\nshape = { sphere = { radius = -1 } }\n",
        "",
        "s.toml:2:31: `radius` is -1, expected a number above 0",
    ),
    (
        "[[body]]\nshape = { box = { half = [1, 0, 1] } }\n",
        "",
        "s.toml:2:30: `half.1` is 0, expected a number above 0",
    ),
    (
        "[[body]]\nshape = { torus = { major = 1, minor = 2 } }\n",
        "",
        "s.toml:2:40: `minor` is 2, expected less than `major`, which is 1",
    ),
    (
        "[[body]]\nshape = { union = [] }\n",
        "",
        "s.toml:2:19: `union` is empty, expected at least one shape",
    ),
    (
        "[[body]]\nshape = { union = [{ sphere = { radius = 1 } }, { plane = { normal = [0, 1, 0] } }] }\n",
        "",
        "s.toml:2:51: a body cannot be a `plane`, expected a bounded shape (planes are for colliders)",
    ),
    (
        "[[body]]\nshape = { mesh = { file = 'a.ply' } }\n",
        "",
        r#"s.toml:2:11: a body's shape cannot be a `mesh`, expected the body's own field `mesh = "FILE"`"#,
    ),
    (
        "<BALL>particle_radius = 0\n",
        "",
        "s.toml:3:19: `particle_radius` is 0, expected a number above 0",
    ),
    (
        "<BALL>edge_length = -0.5\n",
        "",
        "s.toml:3:15: `edge_length` is -0.5, expected a number above 0",
    ),
    (
        "<BALL>kernel = { fcm = 1 }\n",
        "",
        "s.toml:3:18: `fcm` is 1, expected a number above 1",
    ),
    (
        "<BALL>embedded = { fade_out = 10 }\n",
        "",
        "s.toml:3:25: `fade_out` is 10, expected at least `fade_in`, which is 15",
    ),
    (
        "[simulation]\nfps = 0\n<BALL>",
        "",
        "s.toml:2:7: `fps` is 0, expected a number above 0",
    ),
    (
        "[simulation]\nsubsteps = 0\n<BALL>",
        "",
        "s.toml:2:12: `substeps` is 0, expected a whole number from 1 to 10000",
    ),
    (
        "[camera]\neye = [1, 1, 1]\ntarget = [1, 1, 1]\n<BALL>",
        "",
        "s.toml:3:10: `target` is the same point as `eye`, expected a point in front of the camera",
    ),
    (
        "[material.clay]\nstiffness = 1.5\n<BALL>",
        "",
        "s.toml:2:13: `stiffness` is 1.5, expected a number from 0 to 1",
    ),
    (
        "[material.clay]\nyield = -1\n<BALL>",
        "",
        "s.toml:2:9: `yield` is -1, expected a number of at least 0",
    ),
    (
        "[material.clay]\nhardening = -1\n<BALL>",
        "",
        "s.toml:2:13: `hardening` is -1, expected a number of at least 0",
    ),
    (
        "[material.clay]\ndensity = 0\n<BALL>",
        "",
        "s.toml:2:11: `density` is 0, expected a number above 0",
    ),
    (
        "[material.clay]\npoisson = 0.5\n<BALL>",
        "",
        "s.toml:2:11: `poisson` is 0.5, expected a number between -1 and 0.5",
    ),
];

/// Materials.
const MATERIALS: &[Case] = &[
    (
        "[material.a]\nbase = 'b'\n[material.b]\nbase = 'a'\n<BALL>",
        "",
        "s.toml:2:8: the bases of `a` go in a circle or are more than 32, expected them to end at a material without one",
    ),
    (
        "[material.a]\nbase = 'a'\n<BALL>",
        "",
        "s.toml:2:8: the bases of `a` go in a circle or are more than 32, expected them to end at a material without one",
    ),
    (
        "[material.a]\nbase = 'caly'\n<BALL>",
        "",
        "s.toml:2:8: unknown material `caly`, did you mean `clay`?",
    ),
    (
        "<BALL>material = 'rubbre'\n",
        "",
        "s.toml:3:12: unknown material `rubbre`, did you mean `rubber`?",
    ),
    (
        "<BALL>parts = { hood = 'steal' }\n",
        "",
        "s.toml:3:18: unknown material `steal`, did you mean `steel`?",
    ),
    (
        "[material.pane]\npattern = 'glas'\n<BALL>",
        "",
        "s.toml:2:11: unknown pattern `glas`, did you mean `glass`?",
    ),
];

/// Bodies.
const BODIES: &[Case] = &[
    (
        "title = 'nothing'\n",
        "",
        "s.toml:1:1: the scene has no body, expected at least one [[body]]",
    ),
    (
        "",
        "",
        "s.toml:1:1: the scene has no body, expected at least one [[body]]",
    ),
    (
        "[[body]]\nname = 'a'\n",
        "",
        "s.toml:1:1: the body has neither `mesh` nor `shape`, expected one of them",
    ),
    (
        "<BALL>mesh = 'a.ply'\n",
        "",
        "s.toml:2:1: the body has both `mesh` and `shape`, expected one of them",
    ),
    (
        "[[body]]\nname = 'a'\nmesh = 'a.ply'\n[[body]]\nname = 'a'\nmesh = 'a.ply'\n",
        "",
        "s.toml:5:8: the name `a` is already taken by another body, expected a new one",
    ),
    (
        "<BALL>[[body]]\nname = 'body.0'\nmesh = 'a.ply'\n",
        "",
        "s.toml:4:8: the name `body.0` is already taken by another body, expected a new one",
    ),
    (
        "<BALL>name = 'world'\n",
        "",
        "s.toml:3:8: the name `world` stands for the surroundings, expected another one",
    ),
    (
        "<BALL>name = ''\n",
        "",
        "s.toml:3:8: `name` is empty, expected a name",
    ),
    (
        "<BALL>scale = 2\nheight = 3\n",
        "",
        "s.toml:4:1: the body has both `scale` and `height`, expected one of them",
    ),
    (
        "<BALL>particles = 300\n",
        "",
        "s.toml:3:1: `particles` is for method `oriented`, but this body's method is `clusters`",
    ),
    (
        "<BALL>method = 'oriented'\ndetail = 0.5\n",
        "",
        "s.toml:4:1: `detail` is for a `model` that comes with Pliant, expected none",
    ),
    (
        "<BALL>method = 'visual'\nrecluster = 'world'\n",
        "",
        "s.toml:4:1: `recluster` is for method `clusters`, but this body's method is `visual`",
    ),
    (
        "<BALL>method = 'visual'\nparticle_radius = 0.1\n",
        "",
        "s.toml:4:1: `particle_radius` is for the methods `clusters`, `oriented`, `implicit`, but this body's method is `visual`",
    ),
    (
        "<BALL>method = 'visual'\nfixed = true\nvelocity = [1, 0, 0]\n",
        "",
        "s.toml:5:1: the body is fixed, expected no `velocity`",
    ),
    (
        "<BALL>spin = [1, 0, 0]\n",
        "",
        "s.toml:3:1: `spin` is for method `visual`, but this body's method is `clusters`",
    ),
    (
        "<BALL>fixed = true\n",
        "",
        "s.toml:3:1: `fixed` is for method `visual`, but this body's method is `clusters`",
    ),
    (
        "<BALL>method = 'visual'\ntear = 'all'\n",
        "",
        "s.toml:4:8: the mesh itself cannot tear everywhere, expected `none`, `{ color = … }` or `{ mesh = … }` (`all` is for patterns)",
    ),
    (
        "<BALL>method = 'visual'\ntear = { color = [1, 2, 0] }\n",
        "",
        "s.toml:4:22: `color.1` is 2, expected a number from 0 to 1",
    ),
    (
        "<BALL>method = 'visual'\ntear = { mesh = '' }\n",
        "",
        "s.toml:4:17: `mesh` is empty, expected a name",
    ),
    (
        "<BALL>method = 'visual'\nmodel = 'car'\n",
        "",
        "s.toml:2:1: the body has both `model` and `shape`, expected one of them",
    ),
    (
        "<BALL>method = 'visual'\nparts = { '' = 'steel' }\n",
        "",
        "s.toml:4:9: a part has an empty name, expected one of the mesh",
    ),
    (
        "[[body]]\nmesh = 'a.obj'\nmethod = 'visual'\nedge_length = 1\n",
        "",
        "s.toml:4:1: `edge_length` of a body of method `visual` is for its `shape`, expected none",
    ),
    (
        "<BALL>surface = 'welded'\n",
        "",
        "s.toml:3:11: the surface `welded` is for method `visual`, but this body's method is `clusters`",
    ),
    (
        "[[body]]\nmesh = '../a.ply'\n",
        "",
        r#"s.toml:2:8: the path "../a.ply" leaves the folder of the scene, expected a file in it or below"#,
    ),
    (
        "[[body]]\nmesh = '/etc/passwd'\n",
        "",
        r#"s.toml:2:8: the path "/etc/passwd" leaves the folder of the scene, expected a file in it or below"#,
    ),
    (
        "<BALL>texture = \"C:\\\\x.png\"\n",
        "",
        r#"s.toml:3:11: the path "C:\x.png" leaves the folder of the scene, expected a file in it or below"#,
    ),
    (
        "[[body]]\nmesh = ''\n",
        "",
        r#"s.toml:2:8: `mesh` is "", expected the path of a file"#,
    ),
    (
        "<BALL>merge = 'm'\nparticle_radius = 0.1\n[[body]]\nname = 'right'\nmesh = 'a.ply'\nmerge = 'm'\nparticle_radius = 0.2\n",
        "",
        "s.toml:9:19: `particle_radius` is 0.2, but `body.0`, with which the body merges, has 0.1, expected the same",
    ),
    (
        "<BALL>merge = 'm'\nedge_length = 0.1\n<BALL>merge = 'm'\nedge_length = 0.2\n",
        "",
        "s.toml:8:15: `edge_length` is 0.2, but `body.0`, with which the body merges, has 0.1, expected the same",
    ),
    (
        "<BALL>merge = 'm'\n<BALL>merge = 'm'\nmethod = 'implicit'\n",
        "",
        "s.toml:7:10: `method` is implicit, but `body.0`, with which the body merges, has clusters, expected the same",
    ),
];

/// Colliders.
const COLLIDERS: &[Case] = &[
    (
        "<BALL>[[collider]]\nname = 'floor'\n",
        "",
        "s.toml:3:1: the collider has neither `shape` nor `hands`, expected one of them",
    ),
    (
        "<BALL>[[collider]]\nshape = { golem = {} }\nhands = 'h.txt'\n",
        "",
        "s.toml:5:1: the collider has both `shape` and `hands`, expected one of them",
    ),
    (
        "<BALL>[[collider]]\nshape = { plane = { normal = [0, 0, 0] } }\n",
        "",
        "s.toml:4:30: `normal` is [0, 0, 0], expected a direction",
    ),
    (
        "<BALL>[[collider]]\nshape = { golem = {} }\nfriction = -1\n",
        "",
        "s.toml:5:12: `friction` is -1, expected a number of at least 0",
    ),
    (
        "<BALL>[[collider]]\nshape = { golem = {} }\nmotion = [{ time = 1 }, { time = 1 }]\n",
        "",
        "s.toml:5:34: `time` is 1, expected a time after the key before, which is at 1",
    ),
    (
        "<BALL>[[collider]]\nshape = { golem = {} }\nmotion = []\n",
        "",
        "s.toml:5:10: `motion` is empty, expected at least one key",
    ),
    (
        "<BALL>[[collider]]\nhands = 'a/../../h.txt'\n",
        "",
        r#"s.toml:4:9: the path "a/../../h.txt" leaves the folder of the scene, expected a file in it or below"#,
    ),
    (
        "<BALL>[[collider]]\nname = 'body.0'\nshape = { golem = {} }\n",
        "",
        "s.toml:4:8: the name `body.0` is already taken by a body or collider, expected a new one",
    ),
];

/// Actions.
const ACTIONS: &[Case] = &[
    (
        "<BALL>[[action]]\nat = 1\n",
        "",
        "s.toml:3:1: the action does nothing, expected one of `cut`, `shoot`, `pull`, `turn`, `pin`, `impulse`, `tool`, `change`, `gravity`, `wind`, `squeeze`, `fracture`, `drive` or `steer`",
    ),
    (
        "<BALL>[[action]]\ncut = { point = [0, 0, 0], normal = [1, 0, 0] }\n",
        "",
        "s.toml:3:1: missing field `at` in `action.0`",
    ),
    (
        "<BALL>[[action]]\nat = 1\ncut = { point = [0, 0, 0], normal = [1, 0, 0] }\nwind = { velocity = [1, 0, 0] }\n",
        "",
        "s.toml:6:1: the action has both `cut` and `wind`, expected an [[action]] for each",
    ),
    (
        "<BALL>[[action]]\nat = 1\ncut = { point = [0, 0, 0], normal = [0, 0, 0] }\n",
        "",
        "s.toml:5:37: `normal` is [0, 0, 0], expected a direction",
    ),
    (
        "<BALL>[[action]]\nat = 1\ncut = { point = [0, 0, 0], normal = [1, 0, 0], body = 'bdy.0' }\n",
        "",
        "s.toml:5:55: unknown body `bdy.0`, did you mean `body.0`?",
    ),
    (
        "<BALL>[[action]]\nat = 2\nwind = { velocity = [1, 0, 0], until = 1 }\n",
        "",
        "s.toml:5:40: `until` is 1, expected a time after the action's start at 2",
    ),
    (
        "<BALL>[[action]]\nat = 2\npin = { at = [1, 0, 0], radius = 0 }\n",
        "",
        "s.toml:5:34: `radius` is 0, expected a number above 0",
    ),
    (
        "<BALL>[[action]]\nat = 2\npin = { at = [1, 0, 0] }\n",
        "",
        "s.toml:5:7: the pin has neither `radius` nor `half`, expected one of them",
    ),
    (
        "<BALL>[[action]]\nat = 2\npin = { at = [1, 0, 0], radius = 1, half = [1, 1, 1] }\n",
        "",
        "s.toml:5:37: the pin has both `radius` and `half`, expected one of them",
    ),
    (
        "<BALL>[[action]]\nat = 2\npin = { at = [1, 0, 0], half = [1, 0, 1] }\n",
        "",
        "s.toml:5:36: `half.1` is 0, expected a number above 0",
    ),
    (
        "<BALL>[[action]]\nat = 2\npull = { at = [1, 0, 0], to = [2, 0, 0] }\n",
        "",
        "s.toml:5:8: the pull has neither `radius` nor `half`, expected one of them",
    ),
    (
        "<BALL>[[action]]\nat = 2\nturn = { at = [1, 0, 0], axis = [0, 0, 0], radius = 1, degrees = 9, until = 3 }\n",
        "",
        "s.toml:5:33: `axis` is [0, 0, 0], expected a direction",
    ),
    (
        "<BALL>[[action]]\nat = 2\nturn = { at = [1, 0, 0], axis = [0, 1, 0], radius = 1, degrees = 9 }\n",
        "",
        "s.toml:5:8: missing field `until` in `turn`",
    ),
    (
        "<BALL>[[action]]\nat = 2\nturn = { at = [1, 0, 0], axis = [0, 1, 0], radius = 1, degrees = 9, until = 2 }\n",
        "",
        "s.toml:5:77: `until` is 2, expected a time after the action's start at 2",
    ),
    (
        "<BALL>[[action]]\nat = 2\nsqueeze = { point = [1, 0, 0], normal = [0, 0, 0], strength = 9 }\n",
        "",
        "s.toml:5:41: `normal` is [0, 0, 0], expected a direction",
    ),
    (
        "<BALL>[[action]]\nat = 2\nsqueeze = { point = [1, 0, 0], normal = [0, 1, 0], strength = 9, body = 'bal' }\n",
        "",
        "s.toml:5:73: unknown body `bal`, the nearest known one is `body.0`",
    ),
    (
        "<BALL>[[action]]\nat = 2\nsqueeze = { point = [1, 0, 0], normal = [0, 1, 0], strength = 9, until = 1 }\n",
        "",
        "s.toml:5:74: `until` is 1, expected a time after the action's start at 2",
    ),
    (
        "<BALL>[[action]]\nat = 2\nsqueeze = { point = [1, 0, 0], normal = [0, 1, 0] }\n",
        "",
        "s.toml:5:11: missing field `strength` in `squeeze`",
    ),
    (
        "<BALL>[[action]]\nat = 2\nfracture = { at = [1, 0, 0], pattern = 'brick' }\n",
        "",
        "s.toml:5:40: unknown pattern `brick`, did you mean `bricks`?",
    ),
    (
        "<BALL>[[action]]\nat = 2\ndrive = { joint = 'wheel*', speed = 1 }\n",
        "",
        "s.toml:5:19: there is no joint `wheel*`, expected a [[joint]] of that name",
    ),
];

/// Groups, joints, attachments, patterns.
const STRUCTURE: &[Case] = &[
    (
        "<BALL>[[group]]\nbody = 'body.0'\nparticles = [1]\n",
        "",
        "s.toml:4:8: the body `body.0` has no groups, expected one of method `oriented`",
    ),
    (
        "<BALL>[[group]]\nbody = 'truck'\nparticles = [1]\n",
        "",
        "s.toml:4:8: unknown body `truck`, the nearest known one is `body.0`",
    ),
    (
        "<BALL>method = 'oriented'\n[[group]]\nbody = 'body.0'\nparticles = [1]\nomit_moment = [1, 2]\n",
        "",
        "s.toml:7:19: `omit_moment` names the particle 2, expected one of the group's `particles`",
    ),
    (
        "<BALL>[[joint]]\ntype = 'ball'\na = 'body.0'\nb = 'wrld'\ncenter = [0, 0, 0]\n",
        "",
        "s.toml:6:5: unknown body or collider `wrld`, did you mean `world`?",
    ),
    (
        "<BALL>[[joint]]\ntype = 'ball'\na = 'body.0'\nb = 'world'\ncenter = [0, 0, 0]\nlimits = [1, 0]\n",
        "",
        "s.toml:8:10: `limits` is [1, 0], expected the smaller one first",
    ),
    (
        "<BALL>[[joint]]\nname = 'a*'\ntype = 'ball'\na = 'body.0'\nb = 'world'\ncenter = [0, 0, 0]\n",
        "",
        "s.toml:4:8: the name of a joint ends in `*`, which stands for anything in actions, expected another one",
    ),
    (
        "<BALL>[pattern.p]\nkind = 'glass'\nradius = 0\n",
        "",
        "s.toml:5:10: `radius` is 0, expected a number above 0",
    ),
    (
        "<BALL>[[attachment]]\nsoft = 'body.0'\nrigid = 'floor'\n",
        "",
        "s.toml:5:9: unknown body or collider `floor`, the nearest known one is `body.0`",
    ),
    (
        "<BALL>[pattern.p]\nkind = 'mesh'\n",
        "",
        "s.toml:4:8: a pattern of kind `mesh` has no `file`, expected the path of its mesh",
    ),
    (
        "<BALL>[pattern.p]\nkind = 'glass'\nfile = 'a.obj'\n",
        "",
        "s.toml:5:1: `file` is for a pattern of kind `mesh`, expected none",
    ),
    (
        "<BALL>[pattern.p]\nkind = 'glass'\ntear = 'some'\n",
        "",
        "s.toml:5:8: unknown tear `some`, did you mean `none`? (expected `all`, `none`, `color` or `mesh`)",
    ),
];

/// Overrides.
const OVERRIDES: &[Case] = &[
    (
        "<BALL><BALL>",
        "body.7.x=1",
        "--set body.7.x=1: there is no body 7 (the scene has 2 bodies)",
    ),
    (
        "<BALL>",
        "collider.0.friction=1",
        "--set collider.0.friction=1: there is no collider 0 (the scene has no colliders)",
    ),
    (
        "<BALL>",
        "body.left.velocity=[1, 0, 0]",
        "--set body.left.velocity=[1, 0, 0]: there is no body named `left`, expected an index",
    ),
    (
        "[[body]]\nname = 'left'\nmesh = 'a.ply'\n",
        "body.lfet.velocity=[1, 0, 0]",
        "--set body.lfet.velocity=[1, 0, 0]: unknown body `lfet`, did you mean `left`?",
    ),
    (
        "<BALL>",
        "body.0.particle_radius=-1",
        "--set body.0.particle_radius=-1: `particle_radius` is -1, expected a number above 0",
    ),
    (
        "<BALL>",
        "body.0.particle_radus=1",
        "--set body.0.particle_radus=1: unknown field `particle_radus`, did you mean `particle_radius`?",
    ),
    (
        "<BALL>",
        "body.0.position=[0, 1",
        r#"--set body.0.position=[0, 1: `position` is the string "[0, 1", expected a list of 3 numbers"#,
    ),
    (
        "<BALL>",
        "body.0.position=[0, 1e39, 0]",
        "--set body.0.position=[0, 1e39, 0]: the number `1e39` is out of range, expected a finite one between -3.4e38 and 3.4e38",
    ),
    (
        "<BALL>position = [0, 0, 0]\n",
        "body.0.position.3=1",
        "--set body.0.position.3=1: there is no element 3 (the list has 3 elements)",
    ),
    (
        "title = 'a'\n<BALL>",
        "title.x=1",
        "--set title.x=1: `title` is a single value, it has no `x`",
    ),
    (
        "<BALL>",
        "body.0.scale",
        "--set body.0.scale: there is no `=`, expected path=value",
    ),
    (
        "<BALL>",
        "body.0.scale=",
        "--set body.0.scale=: there is no value, expected path=value",
    ),
    (
        "<BALL>",
        "body..scale=1",
        "--set body..scale=1: the path has an empty name, expected path=value",
    ),
    (
        "<BALL>",
        "material.clay.yield=-1",
        "--set material.clay.yield=-1: `yield` is -1, expected a number of at least 0",
    ),
    (
        "<BALL>",
        "body.0.material=doug",
        "--set body.0.material=doug: unknown material `doug`, did you mean `dough`?",
    ),
];

/// Every mistake gets exactly the message of the tables.
#[test]
fn mistakes_get_their_messages() {
    let tables = [
        SYNTAX, FIELDS, NUMBERS, RANGES, MATERIALS, BODIES, COLLIDERS, ACTIONS, STRUCTURE,
        OVERRIDES,
    ];
    let mut wrong = Vec::new();
    for &(text, set, expected) in tables.into_iter().flatten() {
        let text = text.replace("<BALL>", BALL);
        let overrides: Vec<String> = (!set.is_empty())
            .then(|| set.to_owned())
            .into_iter()
            .collect();
        let message = match parse_scene(&text, "s.toml", &overrides) {
            Ok(_) => "no error".to_owned(),
            Err(error) => error.to_string(),
        };
        if message != expected {
            wrong.push(format!(
                "{text:?} {set}\n  found    {message}\n  expected {expected}"
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
