//! The window.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use eframe::egui::{self, Pos2, Rect, Sense};
use eframe::egui_wgpu::{self, CallbackResources, CallbackTrait};
use eframe::wgpu;
use glam::Vec2;
use pliant_draw::live::Renderer;
use pliant_scene::is_mesh_name;
use pliant_scene::live::layers::Heat;
use pliant_scene::live::{Command, Notice, Player, View};
use pliant_scene::picture::{Frame, Obstacle, scene};

use super::files::free_name;
use super::graph::Graphs;
use super::hand::{Hand, Touch};
use super::keys::{BINDINGS, Wish};
use super::orbit::Orbit;
use super::panel::Panel;
use super::stage::{self, Shows};
use super::{Options, help};
use crate::failure::Failure;

/// How long a notice stays (s).
const NOTICE: f64 = 6.0;
/// Width and height of films (pixels).
const FILM: [usize; 2] = [640, 360];
/// Most notices at a time.
const NOTICES: usize = 5;

/// The window and all that it knows.
pub(super) struct App {
    options: Options,
    player: Player,
    failure: Arc<Mutex<Option<Failure>>>,
    view: Option<Arc<View>>,
    /// Counts views.
    views: u64,
    /// Where the simulation believes that its world is seen from.
    told_camera: Option<[glam::Vec3; 2]>,
    pub(super) panel: Panel,
    graphs: Graphs,
    pub(super) hand: Hand,
    orbit: Option<Orbit>,
    /// What the floor and the shadows are laid out for.
    frame: Option<Frame>,
    shows: Shows,
    show_panel: bool,
    show_graphs: bool,
    show_help: bool,
    speed: f32,
    notices: Vec<(Notice, f64)>,
    drawn: Drawn,
    /// Prepares pictures in place of the simulation's threads, if those are to go first and the processor draws.
    painter: Option<rayon::ThreadPool>,
    /// Pictures that are to be saved once the next is drawn.
    picture_wanted: bool,
    quit: bool,
}

/// What the last picture was drawn of.
#[derive(Default)]
struct Drawn {
    of: Option<(u64, Orbit, Shows, [u32; 2])>,
    at: Option<Instant>,
    eased: Option<Instant>,
}

impl App {
    pub(super) fn new(
        context: &eframe::CreationContext<'_>,
        options: Options,
        player: Player,
        failure: Arc<Mutex<Option<Failure>>>,
    ) -> Result<Self, Box<dyn std::error::Error + Send + Sync>> {
        let Some(state) = &context.wgpu_render_state else {
            return Err("there is no graphics device".into());
        };
        let renderer = Renderer::new(&state.device, &state.queue, state.target_format);
        state.renderer.write().callback_resources.insert(renderer);
        help::style(&context.egui_ctx);
        let is_software = state.adapter.get_info().device_type == wgpu::DeviceType::Cpu;
        let painter = (is_software && options.fps.is_some())
            .then(|| rayon::ThreadPoolBuilder::new().num_threads(1).build())
            .transpose()?;
        Ok(Self {
            options,
            player,
            failure,
            view: None,
            views: 0,
            told_camera: None,
            panel: Panel::default(),
            graphs: Graphs::default(),
            hand: Hand::new(),
            orbit: None,
            frame: None,
            shows: Shows::default(),
            show_panel: true,
            show_graphs: true,
            show_help: false,
            speed: 1.0,
            notices: Vec::new(),
            drawn: Drawn::default(),
            painter,
            picture_wanted: false,
            quit: false,
        })
    }

    /// Takes in what the simulation has to show and to say.
    fn hear(&mut self, context: &egui::Context) {
        let news = self.player.news();
        if let Some(error) = news.broken {
            *self.failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(error.into());
            context.send_viewport_cmd(egui::ViewportCommand::Close);
        }
        self.graphs.extend(&news.marks);
        let now = context.input(|input| input.time);
        for notice in news.notices {
            self.say(notice, now);
        }
        if let Some(view) = news.view {
            let anew = self
                .view
                .as_ref()
                .is_none_or(|old| old.opened != view.opened);
            let other = self.view.as_ref().is_none_or(|old| old.name != view.name);
            if anew {
                self.hand.forget();
                self.graphs.clear();
                self.panel.follow(&view);
            }
            self.view = Some(view);
            self.views += 1;
            if other {
                self.frame = None;
            }
        }
    }

    fn say(&mut self, notice: Notice, now: f64) {
        self.notices.retain(|(old, _)| *old != notice);
        self.notices.push((notice, now + NOTICE));
        if self.notices.len() > NOTICES {
            self.notices.remove(0);
        }
    }

    /// Frames the scene as its pictures do.
    fn frame_scene(&mut self, aspect: f32) {
        let Some(view) = &self.view else {
            return;
        };
        let mut frame = Frame::around([&*view.snapshot], &view.looks, 1000, 1000);
        frame.aspect = aspect;
        // What is in the air will lie on the floor.
        if let Some(floor) = floor(view) {
            let below = frame.points.iter().map(|p| p.with_y(p.y.min(floor)));
            let below: Vec<_> = below.collect();
            frame.points.extend(below);
        }
        let camera = scene(&view.snapshot, &view.looks, &frame).camera;
        let size = view
            .snapshot
            .bounds()
            .map_or(1.0, |(lo, hi)| (hi - lo).length());
        self.orbit = Some(Orbit::of(&camera, size));
        self.frame = Some(frame);
    }

    fn keys(&mut self, context: &egui::Context) {
        if context.egui_wants_keyboard_input() {
            return;
        }
        let mut wishes = Vec::new();
        context.input_mut(|input| {
            // Those with modifiers first: what they take is not left for the plain ones.
            let (with, plain): (Vec<_>, Vec<_>) =
                BINDINGS.iter().partition(|b| !b.modifiers.is_none());
            for binding in with.into_iter().chain(plain) {
                if input.consume_key(binding.modifiers, binding.key) {
                    wishes.push(binding.wish);
                }
            }
        });
        for wish in wishes {
            self.grant(wish);
        }
    }

    /// Does what a key or a button asks for.
    pub(super) fn grant(&mut self, wish: Wish) {
        let layers = self.shows.layers;
        match wish {
            Wish::Play => {
                let playing = self.view.as_ref().is_some_and(|view| view.playing);
                self.player.tell(Command::Play(!playing));
            }
            Wish::Step => self.player.tell(Command::Step),
            Wish::Reset => self.player.tell(Command::Reset),
            Wish::Slower => self.set_speed(0.5 * self.speed),
            Wish::Faster => self.set_speed(2.0 * self.speed),
            Wish::Tool(tool) => self.hand.tool = tool,
            Wish::Unpin => {
                let player = &self.player;
                self.hand.unpin_all(&mut |command| player.tell(command));
            }
            Wish::Surface => self.shows.surface ^= true,
            Wish::Particles => self.shows.layers.particles ^= true,
            Wish::Clusters => self.shows.layers.clusters ^= true,
            Wish::Ellipsoids => self.shows.layers.ellipsoids ^= true,
            Wish::Wireframe => self.shows.wireframe ^= true,
            Wish::Primitives => self.shows.primitives ^= true,
            Wish::Contacts => self.shows.layers.contacts ^= true,
            Wish::Heat => {
                self.shows.layers.heat = match layers.heat {
                    Heat::Off => Heat::Strain,
                    Heat::Strain => Heat::Plastic,
                    Heat::Plastic => Heat::Off,
                }
            }
            Wish::Home => self.frame = None,
            Wish::Save => self.save_as("toml"),
            Wish::Picture => self.picture_wanted = true,
            Wish::Film => self.film(),
            Wish::Mesh => self.save_as(self.panel.mesh_format.ending()),
            Wish::Panel => self.show_panel ^= true,
            Wish::Graphs => self.show_graphs ^= true,
            Wish::Help => self.show_help ^= true,
            Wish::Escape => self.show_help = false,
            Wish::Quit => self.quit = true,
        }
        if layers != self.shows.layers {
            self.player.tell(Command::Show(self.shows.layers));
        }
    }

    fn set_speed(&mut self, speed: f32) {
        self.speed = speed.clamp(1.0 / 64.0, 8.0);
        self.player.tell(Command::Speed(self.speed));
    }

    fn name(&self) -> String {
        self.view
            .as_ref()
            .map_or_else(|| "scene".to_owned(), |view| view.name.clone())
    }

    /// Tells the simulation from where its world is seen, if that has changed.
    fn tell_camera(&mut self) {
        let camera = self.orbit.map(|orbit| {
            let camera = orbit.camera();
            [camera.eye, camera.target]
        });
        if let Some(camera) = camera.filter(|_| camera != self.told_camera) {
            self.told_camera = Some(camera);
            self.player.tell(Command::Look(camera));
        }
    }

    /// Saves the scene or the mesh under a name that is free.
    fn save_as(&mut self, ending: &str) {
        match free_name(&self.options.out, &self.name(), ending) {
            Ok(path) if ending == "toml" => self.player.tell(Command::Save(path)),
            Ok(path) => self.player.tell(Command::Mesh(path)),
            Err(error) => self.failed(&error),
        }
    }

    fn failed(&mut self, error: &std::io::Error) {
        let notice = Notice::Failed(format!("{}: {error}", self.options.out.display()));
        let until = self.notices.last().map_or(0.0, |(_, until)| *until);
        self.say(notice, until);
    }

    fn film(&mut self) {
        let filming = self.view.as_ref().is_some_and(|view| view.filming);
        if !filming {
            self.player.tell(Command::Film(FILM));
            return;
        }
        let ending = self.panel.film_format;
        match free_name(&self.options.out, &self.name(), ending) {
            Ok(path) => self.player.tell(Command::Cut(path)),
            Err(error) => self.failed(&error),
        }
    }

    /// Opens a scene or a mesh.
    pub(super) fn open(&mut self, scene: String) {
        let material = self.panel.preset.clone();
        self.options.scene.clone_from(&scene);
        self.player.tell(Command::Open { scene, material });
    }

    fn dropped(&mut self, context: &egui::Context) {
        let files = context.input(|input| input.raw.dropped_files.clone());
        if let Some(file) = files.first() {
            self.open(absolute(file.path()));
        }
    }

    /// The view of the world, and the mouse in it.
    fn world(&mut self, ui: &mut egui::Ui, state: &egui_wgpu::RenderState) {
        let rect = ui.available_rect_before_wrap();
        let response = ui.allocate_rect(rect, Sense::click_and_drag());
        let aspect = rect.width() / rect.height().max(1.0);
        if self.frame.is_none() {
            self.frame_scene(aspect);
        }
        self.look_around(ui, &response, rect);
        self.tell_camera();
        self.touch(ui, &response, rect);
        if self.draw(ui, rect, state) {
            let callback = egui_wgpu::Callback::new_paint_callback(rect, Picture);
            ui.painter().add(callback);
        }
        help::over_view(ui, rect, self.view.as_deref(), &self.hand, self.speed);
        help::notices(ui, rect, &mut self.notices);
    }

    /// Turns, moves and zooms the view.
    fn look_around(&mut self, ui: &egui::Ui, response: &egui::Response, rect: Rect) {
        use egui::PointerButton::{Middle, Primary, Secondary};
        let Some(orbit) = &mut self.orbit else {
            return;
        };
        let delta = response.drag_delta();
        let drag = Vec2::new(delta.x, delta.y) / rect.height().max(1.0);
        let shift = ui.input(|input| input.modifiers.shift);
        let free = response.dragged_by(Primary) && !self.hand.is_busy();
        if response.dragged_by(Middle) || (response.dragged_by(Secondary) && shift) {
            orbit.pan(drag);
        } else if response.dragged_by(Secondary) || free {
            orbit.turn(drag);
        }
        if response.hovered() {
            let (scroll, pinch) = ui.input(|i| (i.smooth_scroll_delta().y, i.zoom_delta()));
            orbit.zoom((0.0025 * scroll).exp() * pinch);
        }
        let now = Instant::now();
        let since = self
            .drawn
            .eased
            .replace(now)
            .map_or(0.0, |last| (now - last).as_secs_f32());
        if orbit.ease(since) {
            ui.ctx().request_repaint();
        }
    }

    /// The tool under the left button. Events are taken one by one: in the time of a slow picture the mouse presses, moves and lets go, and
    /// each of them happens at a place of its own.
    fn touch(&mut self, ui: &egui::Ui, response: &egui::Response, rect: Rect) {
        let (Some(view), Some(orbit)) = (self.view.clone(), self.orbit) else {
            return;
        };
        let (events, latest, down, now) = ui.input(|input| {
            let pointer = &input.pointer;
            (
                input.events.clone(),
                pointer.latest_pos(),
                pointer.primary_down(),
                input.time,
            )
        });
        let height = rect.height().max(1.0);
        let touch = |at: Pos2| Touch {
            place: Vec2::new(at.x - rect.left(), at.y - rect.top()) / height,
            aspect: rect.width() / height,
            orbit: &orbit,
            view: &view,
            now,
        };
        let player = &self.player;
        let mut tell = |command: Command| player.tell(command);
        for event in &events {
            if let egui::Event::PointerButton {
                pos,
                button: egui::PointerButton::Primary,
                pressed,
                ..
            } = event
            {
                if *pressed && response.contains_pointer() && rect.contains(*pos) {
                    self.hand.press(&touch(*pos), &mut tell);
                } else if !*pressed && self.hand.is_busy() {
                    self.hand.drag(&touch(*pos), &mut tell);
                    self.hand.release(&touch(*pos), &mut tell);
                }
            }
        }
        if self.hand.is_busy() {
            let at = touch(latest.unwrap_or_else(|| rect.center()));
            self.hand.drag(&at, &mut tell);
            if !down {
                self.hand.release(&at, &mut tell);
            }
            ui.ctx().request_repaint();
        }
    }

    /// Draws the world if anything has changed and it may; says whether there is a picture.
    fn draw(&mut self, ui: &egui::Ui, rect: Rect, state: &egui_wgpu::RenderState) -> bool {
        let (Some(view), Some(orbit), Some(frame)) = (&self.view, self.orbit, &self.frame) else {
            return false;
        };
        // A processor that plays a graphics card and is to draw rarely shall not keep the simulation: it draws sketches of what moves.
        let sketch = self.painter.is_some() && view.playing && !self.picture_wanted;
        let scale = ui.ctx().pixels_per_point() * if sketch { 0.5 } else { 1.0 };
        let size = [rect.width(), rect.height()].map(|side| ((side * scale).round() as u32).max(1));
        let of = (self.views, orbit, self.shows, size);
        let rest = self.options.rest();
        let waited = self.drawn.at.map_or(Duration::MAX, |at| at.elapsed());
        let changed = self.drawn.of != Some(of) || self.hand.is_busy();
        if changed && waited < rest && self.drawn.of.is_some() {
            ui.ctx().request_repaint_after(rest.saturating_sub(waited));
        } else if changed || self.picture_wanted {
            let (shows, hand, camera) = (&self.shows, &self.hand, orbit.camera());
            let mut shared = state.renderer.write();
            let renderer = shared.callback_resources.get_mut::<Renderer>();
            let draw = || {
                let (scene, extras) = stage::picture(view, shows, hand, frame, camera);
                if let Some(renderer) = renderer {
                    renderer.draw(&state.device, &state.queue, &scene, &extras, size);
                }
            };
            match &self.painter {
                Some(painter) => painter.install(draw),
                None => draw(),
            }
            drop(shared);
            self.drawn.of = Some(of);
            self.drawn.at = Some(Instant::now());
            if std::mem::take(&mut self.picture_wanted) {
                self.save_picture(state, ui.input(|input| input.time));
            }
        }
        true
    }

    fn save_picture(&mut self, state: &egui_wgpu::RenderState, now: f64) {
        let shared = state.renderer.read();
        let image = shared
            .callback_resources
            .get::<Renderer>()
            .map(|renderer| renderer.read(&state.device, &state.queue));
        drop(shared);
        let Some(image) = image else {
            return;
        };
        match free_name(&self.options.out, &self.name(), "png") {
            Ok(path) => {
                let notice = match image.write_png(&path) {
                    Ok(()) => Notice::Done(format!("picture {}", path.display())),
                    Err(error) => Notice::Failed(error.to_string()),
                };
                self.say(notice, now);
            }
            Err(error) => self.failed(&error),
        }
    }
}

impl eframe::App for App {
    /// A film in the making is finished: what was asked for is not lost.
    fn on_exit(&mut self) {
        let Some(view) = self.view.clone() else {
            return;
        };
        if view.filming {
            self.film();
        }
        if view.filming || view.drawing {
            eprintln!("drawing the film, which takes a while");
        }
    }

    fn clear_color(&self, _: &egui::Visuals) -> [f32; 4] {
        help::PAPER.to_normalized_gamma_f32()
    }

    fn ui(&mut self, ui: &mut egui::Ui, frame: &mut eframe::Frame) {
        let context = ui.ctx().clone();
        self.hear(&context);
        self.keys(&context);
        self.dropped(&context);
        let Some(state) = frame.wgpu_render_state().cloned() else {
            return;
        };
        if self.quit {
            context.send_viewport_cmd(egui::ViewportCommand::Close);
        }
        if self.show_panel {
            self.controls(ui);
        }
        if self.show_graphs {
            self.graphs.show(ui);
        }
        egui::CentralPanel::default()
            .frame(egui::Frame::NONE)
            .show(ui, |ui| self.world(ui, &state));
        if self.show_help {
            self.show_help = help::overlay(&context);
        }
    }
}

impl App {
    /// The controls at the left; what they ask for is done here.
    fn controls(&mut self, ui: &mut egui::Ui) {
        let view = self.view.clone();
        let mut panel = std::mem::take(&mut self.panel);
        let asked = panel.show(
            ui,
            view.as_deref(),
            &mut self.hand,
            &mut self.shows,
            &mut self.speed,
        );
        self.panel = panel;
        for wish in asked.wishes {
            self.grant(wish);
        }
        for action in asked.actions {
            self.player.tell(Command::Act(action));
        }
        if asked.speed {
            self.set_speed(self.speed);
        }
        if asked.layers {
            self.player.tell(Command::Show(self.shows.layers));
        }
        if let Some(scene) = asked.open {
            self.open(scene);
        } else if asked.preset && is_mesh_name(&self.options.scene) {
            // A mesh that is there already begins again in its new material.
            self.open(self.options.scene.clone());
        }
    }
}

/// Height of the highest floor (m).
fn floor(view: &View) -> Option<f32> {
    let heights = view
        .looks
        .obstacles
        .iter()
        .filter_map(|obstacle| match obstacle {
            Obstacle::Plane { normal, offset } if normal.y > 0.999 => Some(*offset),
            _ => None,
        });
    heights.reduce(f32::max)
}

/// A path that stays right wherever the program is.
fn absolute(path: &Path) -> String {
    let full = std::path::absolute(path);
    full.unwrap_or_else(|_| path.to_owned())
        .display()
        .to_string()
}

/// Copies the last picture into the window.
struct Picture;

impl CallbackTrait for Picture {
    fn paint(
        &self,
        _info: egui::PaintCallbackInfo,
        pass: &mut wgpu::RenderPass<'static>,
        resources: &CallbackResources,
    ) {
        if let Some(renderer) = resources.get::<Renderer>() {
            renderer.show(pass);
        }
    }
}
