//! What is played is what is replayed.

use std::path::Path;
use std::sync::Arc;

use super::*;
use crate::file::{
    Change, Cut, Gravity, Impulse, MotionKey, Pin, Pull, Shape, Shoot, Sphere, Squeeze, Tool, Turn,
};
use crate::load::{load, load_file};

const SCENE: &str = "\
[simulation]
frames = 20
[[body]]
name = \"dough\"
shape = { box = { half = [0.6, 0.3, 0.3] } }
position = [0, 0.35, 0]
particle_radius = 0.13
material = \"dough\"
[[collider]]
shape = { plane = { normal = [0, 1, 0] } }
[[action]]
at = 0.1
impulse = { at = [0, 0.3, 0], radius = 0.3, velocity = [0, 1, 0] }
";

fn loaded(folder: &Path) -> Loaded {
    std::fs::create_dir_all(folder).unwrap();
    let file = folder.join("played.toml");
    std::fs::write(&file, SCENE).unwrap();
    load_file(&file, &[], &Limits::default()).unwrap()
}

fn session(folder: &Path) -> Session {
    Session::new(loaded(folder), &Limits::default()).unwrap()
}

fn pull(at: [f32; 3]) -> Action {
    Action {
        pull: Some(Pull {
            at,
            radius: Some(0.25),
            ..Pull::default()
        }),
        ..Action::default()
    }
}

fn roller(at: [f32; 3]) -> Action {
    Action {
        tool: Some(Tool {
            shape: Some(Shape::Sphere(Sphere {
                radius: 0.2,
                center: None,
            })),
            motion: vec![MotionKey {
                time: 0.0,
                position: Some(at),
                rotation: None,
            }],
            ..Tool::default()
        }),
        ..Action::default()
    }
}

fn squeeze() -> Action {
    Action {
        squeeze: Some(Squeeze {
            point: [0.0, 0.3, 0.0],
            normal: [0.0, 2.0, 0.1],
            strength: 30.0,
            body: Some("dough".to_owned()),
            until: Some(0.9),
        }),
        ..Action::default()
    }
}

fn turn() -> Action {
    Action {
        turn: Some(Turn {
            at: [0.6, 0.4, 0.0],
            axis: [1.0, 0.0, 0.2],
            half: Some([0.3, 0.5, 0.5]),
            degrees: 40.0,
            until: 0.95,
            ..Turn::default()
        }),
        ..Action::default()
    }
}

/// Everything that a hand can do, at times that fall between the scene's own; gives the hash of every step.
fn play(session: &mut Session) -> Vec<u64> {
    let mut hashes = Vec::new();
    let mut hands = Vec::new();
    for frame in 0..90 {
        let mut act = |action: Action| session.act(action).expect("a sound action");
        match frame {
            2 => {
                let pin = Pin {
                    at: [-0.6, 0.35, 0.0],
                    radius: Some(0.2),
                    ..Pin::default()
                };
                let pin = Action {
                    pin: Some(pin),
                    ..Action::default()
                };
                hands.push(session.hold(pin).unwrap());
            }
            5 => hands.push(session.hold(pull([0.6, 0.35, 0.0])).unwrap()),
            20 => session.let_go(hands[1]),
            25 => {
                let shoot = Shoot {
                    from: [0.0, 0.4, 2.0],
                    velocity: [0.0, 0.0, -8.0],
                    radius: Some(0.12),
                    mass: None,
                    until: None,
                };
                act(Action {
                    shoot: Some(shoot),
                    ..Action::default()
                });
                let gravity = Gravity {
                    acceleration: [0.0, -3.3, 0.1],
                };
                act(Action {
                    gravity: Some(gravity),
                    ..Action::default()
                });
            }
            30 => {
                let change = Change {
                    stiffness: Some(0.7),
                    r#yield: Some(0.013),
                    ..Change::default()
                };
                act(Action {
                    change: Some(change),
                    ..Action::default()
                });
                hands.push(session.hold(roller([0.1, 0.9, 0.0])).unwrap());
            }
            35 => {
                act(squeeze());
                assert!(session.hold(turn()).is_err(), "its end is its speed");
                session.act(turn()).unwrap();
            }
            40 => {
                let cut = Cut {
                    point: [0.1, 0.3, 0.0],
                    normal: [1.0, 0.1, 0.0],
                    half: Some(1.0),
                    along: Some([0.0, 1.0, 0.0]),
                    across: Some(2.0),
                    body: None,
                };
                act(Action {
                    cut: Some(cut),
                    ..Action::default()
                });
                session.let_go(hands[0]);
            }
            70 => session.let_go(hands[2]),
            _ => {}
        }
        let t = frame as f32 / 60.0;
        if let Some(hand) = hands.get(1) {
            session.lead(*hand, Vec3::new(0.6 + t, 0.35 + 0.7 * t * t, 0.1 * t));
        }
        if let Some(hand) = hands.get(2) {
            session.lead(*hand, Vec3::new(0.1, 0.9 - 0.9 * (t - 0.5), 0.03));
        }
        session.step();
        hashes.push(session.world().hash());
        if frame == 41 {
            let pieces = session.world().surfaces()[0].piece_count();
            assert!(pieces > 1, "the cut was made");
        }
    }
    hashes
}

/// A saved session, read from its file and run by nobody, goes through the same states; and one that was reset and played again too.
#[test]
fn what_is_played_is_replayed() {
    let folder = std::env::temp_dir().join(format!("pliant-live-{}", std::process::id()));
    let mut session = session(&folder);
    let played = play(&mut session);
    assert_eq!(session.recorded().len(), 9);
    let file = folder.join("saved/again.toml");
    session.save(&file, None).unwrap();

    let loaded = load(&file.display().to_string(), &[], &Limits::default()).unwrap();
    assert_eq!(loaded.scene.simulation.frames, Some(90));
    let mut world = build(&loaded, &BuildOptions::default()).unwrap().world;
    for (frame, hash) in played.iter().enumerate() {
        world.step(1.0 / 60.0);
        assert_eq!(world.hash(), *hash, "frame {}", frame + 1);
    }

    session.reset();
    assert_eq!(play(&mut session), played);
    std::fs::remove_dir_all(&folder).unwrap();
}

/// A hand that lets go before it has begun leaves no trace; sliders leave one change a step; nonsense is refused.
#[test]
fn nothing_needless_is_recorded() {
    let folder = std::env::temp_dir().join(format!("pliant-live-b-{}", std::process::id()));
    let mut session = session(&folder);
    let hand = session.hold(pull([0.6, 0.35, 0.0])).unwrap();
    session.let_go(hand);
    for i in 0..50 {
        let change = Change {
            stiffness: Some(0.5 + 0.001 * i as f32),
            ..Change::default()
        };
        session
            .act(Action {
                change: Some(change),
                ..Action::default()
            })
            .unwrap();
    }
    let refused = session.act(Action {
        impulse: Some(Impulse {
            radius: -1.0,
            ..Impulse::default()
        }),
        ..Action::default()
    });
    assert!(refused.is_err());
    session.step();
    assert_eq!(session.recorded().len(), 1);
    let stiffness = session.world().bodies()[0].material.stiffness;
    assert_eq!(stiffness, 0.5 + 0.001 * 49.0);
    std::fs::remove_dir_all(&folder).unwrap();
}

/// A player makes the steps it is told to, shows each, plays by itself, and says what went wrong; what it recorded can be saved.
#[test]
fn a_player_does_what_it_is_told() {
    let folder = std::env::temp_dir().join(format!("pliant-live-c-{}", std::process::id()));
    let start = Start {
        loaded: session(&folder).loaded,
        limits: Limits::default(),
        playing: false,
        stats: Some(folder.join("stats.jsonl")),
    };
    let player = Player::new(start, || ()).unwrap();
    let mut all = News::default();
    let mut wait = |until: &dyn Fn(&News) -> bool| {
        for _ in 0..3000 {
            let news = player.news();
            all.marks.extend(news.marks);
            all.notices.extend(news.notices);
            all.view = news.view.or(all.view.take());
            if until(&all) {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        panic!("nothing came");
    };
    wait(&|news| news.view.is_some());
    player.tell(Command::Hold(7, pull([0.6, 0.35, 0.0])));
    for _ in 0..3 {
        player.tell(Command::Lead(7, Vec3::new(0.8, 0.5, 0.0)));
        player.tell(Command::Step);
    }
    player.tell(Command::LetGo(7));
    wait(&|news| news.view.as_ref().is_some_and(|view| view.frame == 3));
    player.tell(Command::Show(layers::Layers {
        clusters: true,
        ellipsoids: true,
        contacts: true,
        heat: layers::Heat::Strain,
        particles: false,
    }));
    player.tell(Command::Play(true));
    player.tell(Command::Speed(f32::NAN));
    // It is thrown up, and falls back on the floor.
    let upward = |(_, normal): &(Vec3, Vec3)| normal.y > 0.99;
    let lies = |view: &Arc<View>| {
        let contacts = &view.layers.contacts;
        view.frame > 5 && !contacts.is_empty() && contacts.iter().all(upward)
    };
    wait(&|news| news.view.as_ref().is_some_and(lies));
    player.tell(Command::Play(false));
    player.tell(Command::Act(Action::default()));
    player.tell(Command::Look([Vec3::ONE, Vec3::ZERO]));
    player.tell(Command::Save(folder.join("again.toml")));
    wait(&|news| news.notices.len() >= 2);
    drop(player);
    let view = all.view.as_ref().unwrap();
    assert_eq!((view.recorded, view.counts.pieces), (1, 1));
    assert_eq!(view.layers.motes.len(), view.counts.particles);
    assert_eq!(view.layers.ellipsoids.len(), view.counts.clusters);
    assert_eq!(view.layers.heat.len(), 1);
    assert!(
        all.marks
            .iter()
            .zip(1..)
            .all(|(mark, frame)| mark.frame == frame)
    );
    assert!(
        matches!(all.notices[0], Notice::Failed(_)),
        "{:?}",
        all.notices
    );
    assert!(
        matches!(all.notices[1], Notice::Done(_)),
        "{:?}",
        all.notices
    );
    let saved = load(
        &folder.join("again.toml").display().to_string(),
        &[],
        &Limits::default(),
    );
    assert_eq!(saved.unwrap().scene.action.len(), 2);
    let stats = std::fs::read_to_string(folder.join("stats.jsonl")).unwrap();
    assert_eq!(stats.lines().count(), all.marks.len() + 1);
    std::fs::remove_dir_all(&folder).unwrap();
}

/// A film, a mesh, and that mesh as the next scene; what cannot be opened leaves everything as it is.
#[test]
fn a_player_films_writes_and_opens() {
    let folder = std::env::temp_dir().join(format!("pliant-films-{}", std::process::id()));
    let start = Start {
        loaded: loaded(&folder),
        limits: Limits::default(),
        playing: false,
        stats: None,
    };
    let player = Player::new(start, || ()).unwrap();
    let file = |name: &str| folder.join(name);
    player.tell(Command::Look([Vec3::new(0.0, 1.0, 4.0), Vec3::ZERO]));
    player.tell(Command::Film([48, 36]));
    player.tell(Command::Step);
    player.tell(Command::Look([Vec3::new(0.0, 1.0, 8.0), Vec3::ZERO]));
    for _ in 0..3 {
        player.tell(Command::Step);
    }
    player.tell(Command::Cut(file("film.gif")));
    player.tell(Command::Mesh(file("mesh.ply")));
    let open = |scene: &Path, material: &str| Command::Open {
        scene: scene.display().to_string(),
        material: material.to_owned(),
    };
    player.tell(open(&file("mesh.ply"), "rubber"));
    player.tell(open(&file("none.obj"), "clay"));
    let mut notices = Vec::new();
    let mut view = None;
    for _ in 0..3000 {
        let news = player.news();
        notices.extend(news.notices);
        view = news.view.or(view);
        let opened = |view: &Arc<View>| view.opened == 1;
        if notices.len() >= 5 && view.as_ref().is_some_and(opened) {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    drop(player);
    let failed = |n: &&Notice| matches!(n, Notice::Failed(text) if text.contains("none.obj"));
    assert_eq!(notices.iter().filter(failed).count(), 1, "{notices:?}");
    let view = view.unwrap();
    assert_eq!((&*view.name, view.frame, view.opened), ("mesh", 0, 1));
    let film = std::fs::read(file("film.gif")).unwrap();
    assert_eq!(film[..10], *b"GIF89a\x30\0\x24\0");
    std::fs::remove_dir_all(&folder).unwrap();
}
