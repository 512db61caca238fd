//! The controls at the left of the window.

use eframe::egui::{self, Slider, Ui};
use glam::Vec3;
use pliant_scene::MeshOutput;
use pliant_scene::builtin::SCENES;
use pliant_scene::file::{Action, Change, Gravity, PRESETS};
use pliant_scene::live::View;
use pliant_scene::live::layers::Heat;

use super::hand::{Hand, Tool};
use super::keys::Wish;
use super::stage::Shows;

/// Largest yield of the slider: nothing yields beyond.
const MOST_YIELD: f32 = 10.0;

/// What the controls know.
#[derive(Debug)]
pub(super) struct Panel {
    /// What a mesh that is dropped is made of.
    pub(super) preset: String,
    /// Format of meshes.
    pub(super) mesh_format: MeshOutput,
    /// Ending of films.
    pub(super) film_format: &'static str,
    /// The body that the sliders are for; none = all.
    body: Option<usize>,
    values: Values,
}

/// What the sliders say.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Values {
    stiffness: f32,
    plastic_yield: f32,
    flow: f32,
    hardening: f32,
    gravity: f32,
}

impl Default for Panel {
    fn default() -> Self {
        Self {
            preset: "clay".to_owned(),
            mesh_format: MeshOutput::Ply,
            film_format: "gif",
            body: None,
            values: Values::default(),
        }
    }
}

/// What was asked for.
#[derive(Debug, Default)]
pub(super) struct Asked {
    pub(super) wishes: Vec<Wish>,
    pub(super) actions: Vec<Action>,
    pub(super) open: Option<String>,
    /// Another material for meshes.
    pub(super) preset: bool,
    pub(super) speed: bool,
    pub(super) layers: bool,
}

impl Panel {
    /// Sets the sliders to what bodies are made of.
    pub(super) fn follow(&mut self, view: &View) {
        self.body = self.body.filter(|&body| body < view.bodies.len());
        if let Some(body) = view.bodies.get(self.body.unwrap_or(0)) {
            let m = &body.material;
            self.values = Values {
                stiffness: m.stiffness,
                plastic_yield: m.plastic_yield.min(MOST_YIELD),
                flow: m.plastic_flow,
                hardening: m.hardening,
                gravity: -view.gravity.y,
            };
        }
    }

    /// Shows the controls.
    pub(super) fn show(
        &mut self,
        ui: &mut Ui,
        view: Option<&View>,
        hand: &mut Hand,
        shows: &mut Shows,
        speed: &mut f32,
    ) -> Asked {
        let mut asked = Asked::default();
        egui::Panel::left("controls")
            .resizable(false)
            .exact_size(230.0)
            .show(ui, |ui| {
                egui::ScrollArea::vertical().show(ui, |ui| {
                    self.scenes(ui, view, &mut asked);
                    ui.separator();
                    time(ui, view, speed, &mut asked);
                    ui.separator();
                    tools(ui, hand, &mut asked);
                    ui.separator();
                    self.material(ui, view, &mut asked);
                    ui.separator();
                    layers(ui, shows, &mut asked);
                    ui.separator();
                    self.saving(ui, view, &mut asked);
                });
            });
        asked
    }

    fn scenes(&mut self, ui: &mut Ui, view: Option<&View>, asked: &mut Asked) {
        ui.horizontal(|ui| {
            ui.heading("Pliant");
            if ui.button("Help").on_hover_text("all keys (F1)").clicked() {
                asked.wishes.push(Wish::Help);
            }
        });
        let name = view.map_or("…", |view| &view.name);
        egui::ComboBox::from_id_salt("scene")
            .selected_text(name)
            .width(200.0)
            .show_ui(ui, |ui| {
                for scene in SCENES {
                    let label = ui.selectable_label(scene.name == name, scene.name);
                    if label.clicked() {
                        asked.open = Some(scene.name.to_owned());
                    }
                }
            });
        ui.horizontal(|ui| {
            ui.label("dropped meshes are");
            let before = self.preset.clone();
            egui::ComboBox::from_id_salt("preset")
                .selected_text(&self.preset)
                .width(80.0)
                .show_ui(ui, |ui| {
                    for preset in PRESETS {
                        ui.selectable_value(&mut self.preset, preset.to_owned(), preset);
                    }
                });
            asked.preset = before != self.preset;
        });
    }

    fn material(&mut self, ui: &mut Ui, view: Option<&View>, asked: &mut Asked) {
        let Some(view) = view else {
            return;
        };
        if view.bodies.len() > 1 {
            let before = self.body;
            let name = self
                .body
                .map_or("all bodies", |body| &view.bodies[body].name);
            egui::ComboBox::from_id_salt("body")
                .selected_text(name)
                .show_ui(ui, |ui| {
                    ui.selectable_value(&mut self.body, None, "all bodies");
                    for (index, body) in view.bodies.iter().enumerate() {
                        ui.selectable_value(&mut self.body, Some(index), &body.name);
                    }
                });
            if before != self.body {
                self.follow(view);
            }
        }
        let before = self.values;
        let v = &mut self.values;
        ui.spacing_mut().slider_width = 90.0;
        ui.add(Slider::new(&mut v.stiffness, 0.0..=1.0).text("stiffness"));
        let yields = Slider::new(&mut v.plastic_yield, 0.0..=MOST_YIELD);
        ui.add(
            yields
                .logarithmic(true)
                .smallest_positive(1e-5)
                .text("yield"),
        );
        ui.add(Slider::new(&mut v.flow, 0.0..=1.0).text("flow"));
        ui.add(Slider::new(&mut v.hardening, -5.0..=5.0).text("hardening"));
        ui.add(Slider::new(&mut v.gravity, -10.0..=30.0).text("gravity"));
        let v = *v;
        if v.gravity != before.gravity {
            let acceleration = Vec3::new(view.gravity.x, -v.gravity, view.gravity.z).to_array();
            asked.actions.push(Action {
                gravity: Some(Gravity { acceleration }),
                ..Action::default()
            });
        }
        let changed = |new: f32, old: f32| (new != old).then_some(new);
        let change = Change {
            body: self.body.map(|body| view.bodies[body].name.clone()),
            stiffness: changed(v.stiffness, before.stiffness),
            r#yield: changed(v.plastic_yield, before.plastic_yield),
            flow: changed(v.flow, before.flow),
            hardening: changed(v.hardening, before.hardening),
        };
        let bare = Change {
            body: change.body.clone(),
            ..Change::default()
        };
        if change != bare {
            asked.actions.push(Action {
                change: Some(change),
                ..Action::default()
            });
        }
    }

    fn saving(&mut self, ui: &mut Ui, view: Option<&View>, asked: &mut Asked) {
        let recorded = view.map_or(0, |view| view.recorded);
        ui.label(format!("{recorded} actions recorded"));
        ui.horizontal_wrapped(|ui| {
            let mut button = |label: &str, hint: &str, wish: Wish| {
                if ui.button(label).on_hover_text(hint).clicked() {
                    asked.wishes.push(wish);
                }
            };
            button(
                "Scene",
                "the scene with all that was done, for pliant run (Ctrl S)",
                Wish::Save,
            );
            button("Picture", "what is seen now (F12)", Wish::Picture);
            button("Mesh", "the surface as it is (M)", Wish::Mesh);
            let filming = view.is_some_and(|view| view.filming);
            let label = if filming { "End film" } else { "Film" };
            button(label, "film from now on, drawn at the end (F9)", Wish::Film);
        });
        ui.horizontal(|ui| {
            for format in [MeshOutput::Ply, MeshOutput::Obj, MeshOutput::Glb] {
                ui.selectable_value(&mut self.mesh_format, format, format.ending());
            }
            ui.separator();
            for format in ["gif", "mp4"] {
                ui.selectable_value(&mut self.film_format, format, format);
            }
        });
    }
}

fn time(ui: &mut Ui, view: Option<&View>, speed: &mut f32, asked: &mut Asked) {
    let playing = view.is_some_and(|view| view.playing);
    ui.horizontal(|ui| {
        let label = if playing { "Pause" } else { "Play" };
        for (label, hint, wish) in [
            (label, "Space", Wish::Play),
            ("Step", "one step (.)", Wish::Step),
            ("Reset", "back to the beginning (Backspace)", Wish::Reset),
        ] {
            if ui.button(label).on_hover_text(hint).clicked() {
                asked.wishes.push(wish);
            }
        }
    });
    ui.spacing_mut().slider_width = 90.0;
    let slider = Slider::new(speed, 1.0 / 64.0..=8.0)
        .logarithmic(true)
        .text("time scale");
    asked.speed |= ui.add(slider).changed();
}

fn tools(ui: &mut Ui, hand: &mut Hand, asked: &mut Asked) {
    ui.horizontal_wrapped(|ui| {
        for (tool, key) in Tool::ALL.into_iter().zip(1..) {
            let label = ui.selectable_label(hand.tool == tool, tool.name());
            if label
                .on_hover_text(format!("{} ({key})", tool.explanation()))
                .clicked()
            {
                hand.tool = tool;
            }
        }
    });
    ui.weak(hand.tool.explanation());
    if hand.tool == Tool::Shoot {
        ui.add(
            Slider::new(&mut hand.shot_speed, 0.5..=30.0)
                .logarithmic(true)
                .text("speed"),
        );
    }
    if !hand.pins().is_empty() && ui.button("Let all pins go").clicked() {
        asked.wishes.push(Wish::Unpin);
    }
}

fn layers(ui: &mut Ui, shows: &mut Shows, asked: &mut Asked) {
    let before = shows.layers;
    egui::Grid::new("layers").num_columns(2).show(ui, |ui| {
        ui.checkbox(&mut shows.surface, "surface");
        ui.checkbox(&mut shows.wireframe, "wireframe");
        ui.end_row();
        ui.checkbox(&mut shows.layers.particles, "particles");
        ui.checkbox(&mut shows.layers.clusters, "clusters");
        ui.end_row();
        ui.checkbox(&mut shows.layers.ellipsoids, "ellipsoids");
        ui.checkbox(&mut shows.layers.contacts, "contacts");
        ui.end_row();
        ui.checkbox(&mut shows.shadows, "shadows");
        ui.checkbox(&mut shows.occlusion, "occlusion");
        ui.end_row();
        ui.checkbox(&mut shows.primitives, "primitives")
            .on_hover_text("convex primitives in outline: what bodies meet (V)");
        ui.end_row();
    });
    ui.horizontal(|ui| {
        ui.label("heat");
        for (heat, name) in [
            (Heat::Off, "none"),
            (Heat::Strain, "strain"),
            (Heat::Plastic, "plastic"),
        ] {
            ui.selectable_value(&mut shows.layers.heat, heat, name);
        }
    });
    asked.layers |= before != shows.layers;
}
