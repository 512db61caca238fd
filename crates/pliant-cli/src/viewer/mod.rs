//! `pliant view`: the scene in a window, with hands in it.
//!
//! ```text
//!  window's thread                              simulation's thread (pliant_scene::live)
//!  mouse, keys ─► hand.rs, keys.rs ── Command ─► Player ─► Session ─► World
//!  stage.rs ◄─ what is seen, graphs, notices ◄── View ◄──┘     └─► actions of a scene file
//!      └─► pliant_draw::live ─► app.rs shows it between panel.rs, graph.rs, help.rs
//! ```

mod app;
mod files;
mod graph;
mod hand;
mod help;
mod keys;
mod orbit;
mod panel;
mod stage;

use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use eframe::egui;
use pliant_scene::live::{Player, Start};
use pliant_scene::{Limits, load_any};

use crate::failure::Failure;

/// What to view, and how.
#[derive(Debug)]
pub(crate) struct Options {
    /// A built-in scene, a scene file or a mesh file.
    pub(crate) scene: String,
    pub(crate) set: Vec<String>,
    pub(crate) limits: Limits,
    /// Folder for what is saved.
    pub(crate) out: PathBuf,
    /// A file for statistics.
    pub(crate) stats: Option<PathBuf>,
    /// Most pictures a second.
    pub(crate) fps: Option<f32>,
    pub(crate) paused: bool,
    /// Size of the window in points.
    pub(crate) size: [u32; 2],
}

impl Options {
    /// Shortest time from one picture to the next.
    fn rest(&self) -> Duration {
        self.fps
            .map_or(Duration::ZERO, |fps| Duration::from_secs_f32(1.0 / fps))
    }
}

/// What a mesh is made of if nobody says.
const MATERIAL: &str = "clay";

/// Opens the window; returns when it is closed.
pub(crate) fn view(options: Options) -> Result<(), Failure> {
    if !has_display() {
        return Err(no_window("there is no display"));
    }
    let loaded = load_any(&options.scene, &options.set, MATERIAL, &options.limits)?;
    let start = Start {
        loaded,
        limits: options.limits,
        playing: !options.paused,
        stats: options.stats.clone(),
    };
    // The scene is built while the window opens.
    let (window, rest) = (Arc::new(OnceLock::<egui::Context>::new()), options.rest());
    let theirs = Arc::clone(&window);
    let player = Player::new(start, move || {
        if let Some(context) = theirs.get() {
            // What is new waits for the next picture that may be drawn: even an unchanged window costs something to show.
            context.request_repaint_after(rest);
        }
    })?;
    if options.fps.is_some() {
        give_way();
    }
    let native = native(options.size);
    let failure: Arc<Mutex<Option<Failure>>> = Arc::default();
    let theirs = Arc::clone(&failure);
    let ended = eframe::run_native(
        "Pliant",
        native,
        Box::new(move |context| {
            // It is set once: there is one window.
            let _ = window.set(context.egui_ctx.clone());
            let app = app::App::new(context, options, player, theirs)?;
            Ok(Box::new(app))
        }),
    );
    let told = failure
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .take();
    match (told, ended) {
        (Some(failure), _) => Err(failure),
        (None, Ok(())) => Ok(()),
        (None, Err(error)) => Err(no_window(&reason(&error))),
    }
}

/// A window of a size in points.
fn native(size: [u32; 2]) -> eframe::NativeOptions {
    let [width, height] = size.map(|side| side as f32);
    eframe::NativeOptions {
        viewport: egui::ViewportBuilder::default()
            .with_title("Pliant")
            .with_app_id("pliant")
            .with_inner_size([width, height])
            .with_min_inner_size([480.0, 320.0])
            .with_drag_and_drop(true),
        renderer: eframe::Renderer::Wgpu,
        // Controls have no gradients.
        dithering: false,
        ..eframe::NativeOptions::default()
    }
}

/// Lets the simulation's threads, which are there by now, go before those of the window and of a renderer in software, which are not: who
/// asks for few pictures asks for steps.
fn give_way() {
    #[cfg(target_os = "linux")]
    {
        // The threads of the pool come with its first use.
        let _ = rayon::current_num_threads();
        // A system that does not allow it has its reasons.
        let _ = rustix::process::nice(19);
    }
}

/// Whether a window could be shown at all. Asking the system for one where there is none makes its libraries talk.
fn has_display() -> bool {
    let named = |variable: &str| std::env::var_os(variable).is_some_and(|value| !value.is_empty());
    cfg!(not(all(unix, not(target_os = "macos")))) || named("DISPLAY") || named("WAYLAND_DISPLAY")
}

/// What went wrong, without the places in libraries where it did.
fn reason(error: &eframe::Error) -> String {
    match error {
        eframe::Error::Winit(_) | eframe::Error::WinitEventLoop(_) => {
            "the display does not answer".to_owned()
        }
        eframe::Error::Wgpu(_) => "no graphics driver was found".to_owned(),
        eframe::Error::AppCreation(error) => error.to_string(),
    }
}

/// Why there is no window, in one line, and how to go on.
fn no_window(why: &str) -> Failure {
    let line = why.lines().next().unwrap_or_default().trim();
    Failure::Input(format!(
        "no window can be opened: {line}; a display and a graphics driver (Vulkan or OpenGL) are needed, without them use pliant run SCENE --preview FILE.gif"
    ))
}
