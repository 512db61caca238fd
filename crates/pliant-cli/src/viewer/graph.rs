//! Graphs of what the last steps took and of how much there is.

use std::collections::VecDeque;

use eframe::egui::{self, Color32, Ui};
use egui_plot::{Line, Plot, PlotPoints};
use pliant::report::Stage;
use pliant_scene::live::{Counts, Mark};

/// Steps that the graphs show.
const STEPS: usize = 300;

/// The stages of a step as the graph sums them up.
const STAGES: [(&str, &[Stage], Color32); 5] = [
    (
        "solve",
        &[
            Stage::Predict,
            Stage::Contacts,
            Stage::Solve,
            Stage::Plasticity,
        ],
        Color32::from_rgb(94, 124, 158),
    ),
    ("skin", &[Stage::Skin], Color32::from_rgb(212, 172, 100)),
    (
        "surface",
        &[Stage::Remesh, Stage::Topology],
        Color32::from_rgb(206, 120, 88),
    ),
    (
        "re-sampling",
        &[Stage::ResampleParticles, Stage::ResampleClusters],
        Color32::from_rgb(118, 146, 126),
    ),
    (
        "other",
        &[Stage::Fracture, Stage::Other],
        Color32::from_rgb(150, 108, 134),
    ),
];

/// A count, its name and its colour.
type Count = (&'static str, fn(&Counts) -> usize, Color32);

/// What is counted.
const COUNTS: [Count; 4] = [
    (
        "triangles",
        |c| c.triangles,
        Color32::from_rgb(206, 120, 88),
    ),
    (
        "particles",
        |c| c.particles,
        Color32::from_rgb(94, 124, 158),
    ),
    ("clusters", |c| c.clusters, Color32::from_rgb(212, 172, 100)),
    ("pieces", |c| c.pieces, Color32::from_rgb(150, 108, 134)),
];

/// The last steps.
#[derive(Debug, Default)]
pub(super) struct Graphs {
    marks: VecDeque<Mark>,
}

impl Graphs {
    /// Takes in new steps.
    pub(super) fn extend(&mut self, marks: &[Mark]) {
        self.marks.extend(marks);
        let surplus = self.marks.len().saturating_sub(STEPS);
        self.marks.drain(..surplus);
    }

    /// Forgets all.
    pub(super) fn clear(&mut self) {
        self.marks.clear();
    }

    /// Shows both graphs at the bottom.
    pub(super) fn show(&self, ui: &mut Ui) {
        egui::Panel::bottom("graphs")
            .resizable(false)
            .exact_size(130.0)
            .show(ui, |ui| {
                ui.columns(2, |columns| {
                    self.times(&mut columns[0]);
                    self.counts(&mut columns[1]);
                });
            });
    }

    fn line(&self, color: Color32, value: impl Fn(&Mark) -> f64) -> Line<'static> {
        let points = self
            .marks
            .iter()
            .map(|mark| [mark.frame as f64, value(mark)]);
        Line::new("", points.collect::<PlotPoints<'static>>()).color(color)
    }

    fn times(&self, ui: &mut Ui) {
        let last = self.marks.back().copied().unwrap_or_default();
        let sum = |mark: &Mark, stages: &[Stage]| -> f64 {
            stages.iter().map(|&stage| mark.timings.of(stage)).sum()
        };
        ui.horizontal(|ui| {
            ui.small(format!("{:.1} ms a step", last.timings.total()));
            for (name, stages, color) in STAGES {
                entry(ui, color, format!("{name} {:.1}", sum(&last, stages)));
            }
        });
        plot("times").show(ui, |plot| {
            plot.line(self.line(Color32::GRAY, |mark| mark.timings.total()));
            for (_, stages, color) in STAGES {
                plot.line(self.line(color, |mark| sum(mark, stages)));
            }
        });
    }

    fn counts(&self, ui: &mut Ui) {
        let last = self.marks.back().copied().unwrap_or_default().counts;
        ui.horizontal(|ui| {
            for (name, of, color) in COUNTS {
                entry(ui, color, format!("{} {name}", of(&last)));
            }
        });
        // A few pieces and a hundred thousand triangles are seen side by side by their digits.
        plot("counts")
            .y_axis_formatter(|mark, _| format!("{:.0}", 10_f64.powf(mark.value)))
            .y_grid_spacer(egui_plot::uniform_grid_spacer(|_| [6.0, 3.0, 1.0]))
            .show(ui, |plot| {
                for (_, of, color) in COUNTS {
                    let digits = |mark: &Mark| (of(&mark.counts).max(1) as f64).log10();
                    plot.line(self.line(color, digits));
                }
            });
    }
}

/// A word of the legend.
fn entry(ui: &mut Ui, color: Color32, text: String) {
    let size = egui::vec2(8.0, 3.0);
    let (rect, _) = ui.allocate_exact_size(size, egui::Sense::hover());
    ui.painter().rect_filled(rect, 1.0, color);
    ui.small(text);
}

fn plot(name: &str) -> Plot<'static> {
    Plot::new(name.to_owned())
        .allow_drag(false)
        .allow_zoom(false)
        .allow_scroll(false)
        .allow_boxed_zoom(false)
        .allow_double_click_reset(false)
        .show_x(false)
        .show_y(false)
        .show_background(false)
        // Every line of a grid is blended, which a processor that plays a graphics card takes long for.
        .show_grid([false, true])
        .include_y(0.0)
}
