//! A session in a thread of its own: whoever shows it is never kept waiting by a slow step.
//!
//! Commands go in by a channel, pictures of the world come out by a single slot. The thread fills the slot only when it was emptied, so
//! that a window which draws twice a second costs the simulation two copies a second.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use glam::Vec3;
use pliant::report::Timings;
use pliant::{Material, StepReport};

use super::layers::{self, Layers};
use super::{HoldId, Session};
use crate::error::Error;
use crate::file::Action;
use crate::load::{Limits, Loaded, load_any};
use crate::picture::{Film, Looks, Snapshot};
use crate::run::{MeshOutput, Statistics, write_mesh};

/// What a player is told.
#[derive(Debug)]
pub enum Command {
    /// Goes on or pauses.
    Play(bool),
    /// Makes one step.
    Step,
    /// Seconds of simulation in a second.
    Speed(f32),
    /// Back to the beginning.
    Reset,
    /// Another scene, by its name or its file, or one around a mesh file.
    Open {
        /// The name or the file.
        scene: String,
        /// What a mesh is made of.
        material: String,
    },
    /// Does something.
    Act(Action),
    /// Takes hold of something, under a number that the sender chooses.
    Hold(u64, Action),
    /// Leads what it holds to a place.
    Lead(u64, Vec3),
    /// Lets go.
    LetGo(u64),
    /// What to show beside the surface.
    Show(Layers),
    /// Where the scene is seen from: eye and target, for scenes that are saved and for films.
    Look([Vec3; 2]),
    /// Writes the scene with all that was done.
    Save(PathBuf),
    /// Writes the surface as it is.
    Mesh(PathBuf),
    /// Begins to film, in a size (pixels).
    Film([usize; 2]),
    /// Ends the film, which is drawn and written to a file, `.gif` or `.mp4`.
    Cut(PathBuf),
}

/// What a player has to say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notice {
    /// Something is done.
    Done(String),
    /// Something could not be done.
    Failed(String),
}

/// One step, for graphs.
#[derive(Clone, Copy, Debug, Default)]
pub struct Mark {
    /// Its number.
    pub frame: u64,
    /// Time per stage.
    pub timings: Timings,
    /// How much there is.
    pub counts: Counts,
}

/// How much there is of everything.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Particles.
    pub particles: usize,
    /// Clusters.
    pub clusters: usize,
    /// Triangles.
    pub triangles: usize,
    /// Pieces of the surfaces.
    pub pieces: usize,
}

/// A body as controls show it.
#[derive(Clone, Debug)]
pub struct BodyInfo {
    /// Its name.
    pub name: String,
    /// What it is made of now.
    pub material: Material,
    /// Particle radius (m).
    pub particle_radius: f32,
}

/// What is seen of a session at a moment.
#[derive(Debug)]
pub struct View {
    /// Name of the scene.
    pub name: String,
    /// Counts openings of scenes and resets.
    pub opened: u64,
    /// Number of steps so far.
    pub frame: u64,
    /// Simulated time (s).
    pub time: f64,
    /// Whether it goes on by itself.
    pub playing: bool,
    /// Whether a film is being made.
    pub filming: bool,
    /// Whether films are being drawn.
    pub drawing: bool,
    /// The surfaces.
    pub snapshot: Arc<Snapshot>,
    /// How everything looks.
    pub looks: Arc<Looks>,
    /// What is shown beside the surface.
    pub layers: layers::Shown,
    /// The bodies.
    pub bodies: Vec<BodyInfo>,
    /// Where the hands are that can be led, under the numbers that they were given (m).
    pub hands: Vec<(u64, Vec3)>,
    /// Gravity (m/s²).
    pub gravity: Vec3,
    /// Actions recorded.
    pub recorded: usize,
    /// How much there is.
    pub counts: Counts,
}

/// What both sides of a player see.
#[derive(Default)]
struct Shared {
    slot: Mutex<Slot>,
    /// Whether the slot was emptied.
    wanted: AtomicBool,
}

#[derive(Default)]
struct Slot {
    view: Option<Arc<View>>,
    marks: Vec<Mark>,
    notices: Vec<Notice>,
    broken: Option<Error>,
}

impl Shared {
    /// A thread that died while it held the lock has left nothing half done: it only moves things in and out.
    fn slot(&self) -> MutexGuard<'_, Slot> {
        self.slot.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What is new since it was last asked for.
#[derive(Debug, Default)]
pub struct News {
    /// What is to be seen.
    pub view: Option<Arc<View>>,
    /// The steps that were made.
    pub marks: Vec<Mark>,
    /// What there is to say.
    pub notices: Vec<Notice>,
    /// Why there is no scene to play, if there is none: the first could not be built.
    pub broken: Option<Error>,
}

/// A session in a thread of its own; it ends when this is dropped.
pub struct Player {
    commands: Option<Sender<Command>>,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

/// How a player starts.
#[derive(Debug)]
pub struct Start {
    /// The first scene.
    pub loaded: Loaded,
    /// How much scenes may hold.
    pub limits: Limits,
    /// Whether it plays at once.
    pub playing: bool,
    /// A file for statistics, one line a step.
    pub stats: Option<PathBuf>,
}

impl Player {
    /// Starts; `wake` is called whenever there is something new to see or to hear.
    pub fn new(start: Start, wake: impl Fn() + Send + Sync + 'static) -> Result<Self, Error> {
        let shared = Arc::new(Shared::default());
        shared.wanted.store(true, Ordering::Release);
        let (commands, received) = mpsc::channel();
        let statistics = match &start.stats {
            Some(path) => Some(Statistics::create(path)?),
            None => None,
        };
        let theirs = Arc::clone(&shared);
        let thread = std::thread::Builder::new()
            .name("simulation".to_owned())
            .spawn(move || {
                Stage::play(start, statistics, theirs, &received, Arc::new(wake));
            })
            .map_err(|source| Error::io(Path::new("the simulation's thread"), source))?;
        Ok(Self {
            commands: Some(commands),
            shared,
            thread: Some(thread),
        })
    }

    /// Tells it to do something; what it cannot do comes back as a notice.
    pub fn tell(&self, command: Command) {
        if let Some(commands) = &self.commands {
            // A thread that has ended has said why.
            let _ = commands.send(command);
        }
    }

    /// What is new.
    pub fn news(&self) -> News {
        let mut slot = self.shared.slot();
        let news = News {
            view: slot.view.take(),
            marks: std::mem::take(&mut slot.marks),
            notices: std::mem::take(&mut slot.notices),
            broken: slot.broken.take(),
        };
        drop(slot);
        self.shared.wanted.store(true, Ordering::Release);
        news
    }
}

impl Drop for Player {
    fn drop(&mut self) {
        drop(self.commands.take());
        if let Some(thread) = self.thread.take() {
            // It ends with the step in hand.
            let _ = thread.join();
        }
    }
}

/// Tells whoever looks that there is something new.
type Wake = Arc<dyn Fn() + Send + Sync>;

/// The thread's side.
struct Stage {
    session: Session,
    limits: Limits,
    statistics: Option<Statistics>,
    looks: Arc<Looks>,
    shared: Arc<Shared>,
    wake: Wake,
    playing: bool,
    speed: f32,
    layers: Layers,
    hands: Vec<(u64, HoldId)>,
    /// Where the scene is seen from, if anybody has said.
    camera: Option<[Vec3; 2]>,
    film: Option<Film>,
    films: Vec<JoinHandle<()>>,
    opened: u64,
    /// What was seen last.
    last: Option<Arc<Snapshot>>,
    /// Whether something has changed since the last view.
    changed: bool,
    /// When the next step is due.
    due: Instant,
}

/// Marks that wait for a window that does not ask; older ones go.
const MARKS: usize = 4096;
/// Slowest and fastest play, in seconds of simulation in a second.
const SPEEDS: [f32; 2] = [0.01, 16.0];
/// How often an idle thread looks whether a view is wanted.
const IDLE: Duration = Duration::from_millis(20);

impl Stage {
    fn play(
        start: Start,
        statistics: Option<Statistics>,
        shared: Arc<Shared>,
        commands: &Receiver<Command>,
        wake: Wake,
    ) {
        let session = match Session::new(start.loaded, &start.limits) {
            Ok(session) => session,
            Err(error) => {
                shared.slot().broken = Some(error);
                wake();
                return;
            }
        };
        let mut stage = Self {
            looks: Arc::new(session.built().looks.clone()),
            session,
            limits: start.limits,
            statistics,
            shared,
            wake,
            playing: start.playing,
            speed: 1.0,
            layers: Layers::default(),
            hands: Vec::new(),
            camera: None,
            film: None,
            films: Vec::new(),
            opened: 0,
            last: None,
            changed: true,
            due: Instant::now(),
        };
        stage.write_statistics(&StepReport::default());
        stage.tell_warnings();
        while stage.turn(commands) {}
        for film in stage.films.drain(..) {
            // Its own notice says how it ended.
            let _ = film.join();
        }
    }

    /// Hears commands, makes a step if one is due, shows the world if somebody looks; `false` when nobody is left.
    fn turn(&mut self, commands: &Receiver<Command>) -> bool {
        self.show();
        let wait = if self.playing {
            self.due.saturating_duration_since(Instant::now()).min(IDLE)
        } else {
            IDLE
        };
        let mut next = commands.recv_timeout(wait);
        loop {
            match next {
                Ok(command) => self.hear(command),
                Err(RecvTimeoutError::Timeout) => break,
                Err(RecvTimeoutError::Disconnected) => return false,
            }
            next = commands.recv_timeout(Duration::ZERO);
        }
        let now = Instant::now();
        if self.playing && now >= self.due {
            self.step();
            let pause = Duration::from_secs_f32(self.session.dt() / self.speed);
            // What is late stays late: it does not run faster afterwards.
            self.due = (self.due + pause).max(now);
        }
        true
    }

    fn hear(&mut self, command: Command) {
        self.changed = true;
        match command {
            Command::Play(on) => {
                self.playing = on;
                self.due = Instant::now();
            }
            Command::Step => {
                self.playing = false;
                self.step();
            }
            Command::Speed(speed) => {
                let [least, most] = SPEEDS;
                self.speed = if speed.is_finite() {
                    speed.clamp(least, most)
                } else {
                    1.0
                };
            }
            Command::Reset => {
                self.session.reset();
                self.begin_again();
            }
            Command::Open { scene, material } => self.open(&scene, &material),
            Command::Act(action) => {
                let result = self.session.act(action);
                self.expect(result);
            }
            Command::Hold(hand, action) => {
                let result = self.session.hold(action);
                if let Some(id) = self.expect(result) {
                    self.hands.push((hand, id));
                }
            }
            Command::Lead(hand, to) => {
                if let Some(id) = self.hand(hand) {
                    self.session.lead(id, to);
                }
            }
            Command::LetGo(hand) => {
                if let Some(id) = self.hand(hand) {
                    self.session.let_go(id);
                    self.hands.retain(|(held, _)| *held != hand);
                }
            }
            Command::Show(layers) => self.layers = layers,
            Command::Look(camera) => self.camera = Some(camera),
            Command::Save(path) => {
                let result = self.session.save(&path, self.camera);
                self.report(result, format!("scene {}", path.display()));
            }
            Command::Mesh(path) => {
                let format = path
                    .extension()
                    .and_then(|e| MeshOutput::of_name(&e.to_string_lossy()));
                let result = write_mesh(
                    &path,
                    format.unwrap_or(MeshOutput::Ply),
                    self.session.world(),
                );
                self.report(result, format!("mesh {}", path.display()));
            }
            Command::Film(size) => {
                self.film = Some(Film::new(self.session.built().fps).with_size(size));
            }
            Command::Cut(path) => self.cut(path),
        }
    }

    fn hand(&self, hand: u64) -> Option<HoldId> {
        let mut hands = self.hands.iter();
        hands.find(|(held, _)| *held == hand).map(|(_, id)| *id)
    }

    fn open(&mut self, scene: &str, material: &str) {
        let loaded = load_any(scene, &[], material, &self.limits);
        let name = loaded
            .as_ref()
            .map_or_else(|_| String::new(), |l| l.name.clone());
        let result = loaded.and_then(|loaded| Session::new(loaded, &self.limits));
        if let Some(session) = self.expect(result) {
            self.session = session;
            self.begin_again();
            self.looks = Arc::new(self.session.built().looks.clone());
            self.say(Notice::Done(format!("scene {name}")));
            self.tell_warnings();
        }
    }

    fn begin_again(&mut self) {
        self.hands.clear();
        self.film = None;
        self.last = None;
        self.opened += 1;
        self.due = Instant::now();
    }

    fn step(&mut self) {
        let report = self.session.step();
        self.changed = true;
        let mark = Mark {
            frame: report.frame,
            timings: report.timings,
            counts: self.counts(),
        };
        let mut slot = self.shared.slot();
        if slot.marks.len() >= MARKS {
            slot.marks.drain(..MARKS / 2);
        }
        slot.marks.push(mark);
        for warning in &report.warnings {
            let notice = Notice::Failed(warning.clone());
            if slot.notices.last() != Some(&notice) {
                slot.notices.push(notice);
            }
        }
        drop(slot);
        if let Some(film) = &mut self.film {
            film.record(self.session.world(), self.camera);
        }
        self.write_statistics(&report);
    }

    fn write_statistics(&mut self, report: &StepReport) {
        if let Some(statistics) = &mut self.statistics {
            let world = self.session.world();
            let frame = u32::try_from(world.frame()).unwrap_or(u32::MAX);
            if let Err(error) = statistics.write(frame, world, report, world.hash()) {
                self.statistics = None;
                self.say(Notice::Failed(error.to_string()));
            }
        }
    }

    /// Draws a film beside the simulation, which goes on.
    fn cut(&mut self, path: PathBuf) {
        let Some(film) = self.film.take() else {
            return;
        };
        let looks = Arc::clone(&self.looks);
        let (shared, wake) = (Arc::clone(&self.shared), Arc::clone(&self.wake));
        self.films.retain(|film| !film.is_finished());
        self.say(Notice::Done(format!("drawing film {}", path.display())));
        self.films.push(std::thread::spawn(move || {
            let notice = match film.write(&path, &looks, &mut |_, _| {}) {
                Ok(()) => Notice::Done(format!("film {}", path.display())),
                Err(error) => Notice::Failed(error.to_string()),
            };
            shared.slot().notices.push(notice);
            wake();
        }));
    }

    /// Puts a view into the slot if it was emptied and there is something new.
    fn show(&mut self) {
        if !self.changed || !self.shared.wanted.swap(false, Ordering::AcqRel) {
            return;
        }
        self.changed = false;
        let world = self.session.world();
        let snapshot = Arc::new(Snapshot::of(world, self.last.as_deref()));
        self.last = Some(Arc::clone(&snapshot));
        let bodies = world.bodies().iter().map(|body| BodyInfo {
            name: body.name.clone(),
            material: body.material,
            particle_radius: body.particle_radius,
        });
        let view = View {
            name: self.session.built().name.clone(),
            opened: self.opened,
            frame: world.frame(),
            time: world.time(),
            playing: self.playing,
            filming: self.film.is_some(),
            drawing: self.films.iter().any(|film| !film.is_finished()),
            snapshot: Arc::clone(&snapshot),
            looks: Arc::clone(&self.looks),
            layers: layers::Shown::of(world, self.layers),
            bodies: bodies.collect(),
            hands: self.places(),
            gravity: world.settings().gravity,
            recorded: self.session.recorded().len(),
            counts: self.counts(),
        };
        self.shared.slot().view = Some(Arc::new(view));
        (self.wake)();
    }

    fn places(&self) -> Vec<(u64, Vec3)> {
        let hands = self.hands.iter();
        hands
            .filter_map(|&(hand, id)| Some((hand, self.session.place(id)?)))
            .collect()
    }

    fn counts(&self) -> Counts {
        let world = self.session.world();
        Counts {
            particles: world.points().len(),
            clusters: world.groups().len() + world.rings().len(),
            triangles: world
                .surfaces()
                .iter()
                .map(pliant::state::Surface::triangle_count)
                .sum(),
            pieces: world
                .surfaces()
                .iter()
                .map(pliant::state::Surface::piece_count)
                .sum(),
        }
    }

    fn tell_warnings(&self) {
        for warning in &self.session.built().warnings {
            self.say(Notice::Failed(warning.clone()));
        }
    }

    fn report(&self, result: Result<(), Error>, done: String) {
        if self.expect(result).is_some() {
            self.say(Notice::Done(done));
        }
    }

    fn expect<T>(&self, result: Result<T, Error>) -> Option<T> {
        result
            .map_err(|error| self.say(Notice::Failed(error.to_string())))
            .ok()
    }

    fn say(&self, notice: Notice) {
        self.shared.slot().notices.push(notice);
        (self.wake)();
    }
}
