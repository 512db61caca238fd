//! Graphs of what the last steps took and of how much there is.

use std::collections::VecDeque;

use eframe::egui::{self, Color32, Ui};
use egui_plot::{Corner, Legend, Line, Plot, PlotPoints};
use pliant::report::{Stage, Timings};
use pliant_scene::live::Mark;

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

    fn line(&self, name: &str, value: impl Fn(&Mark) -> f64) -> Line<'static> {
        let points = self
            .marks
            .iter()
            .map(|mark| [mark.frame as f64, value(mark)]);
        Line::new(name.to_owned(), points.collect::<PlotPoints<'static>>())
    }

    fn times(&self, ui: &mut Ui) {
        let total = |t: &Timings| t.total();
        let last = self.marks.back().map_or(0.0, |mark| total(&mark.timings));
        ui.small(format!("ms a step: {last:.1}"));
        plot("times").show(ui, |plot| {
            plot.line(
                self.line("total", |mark| total(&mark.timings))
                    .color(Color32::GRAY),
            );
            for (name, stages, color) in STAGES {
                let sum = |mark: &Mark| stages.iter().map(|&stage| mark.timings.of(stage)).sum();
                plot.line(self.line(name, sum).color(color));
            }
        });
    }

    fn counts(&self, ui: &mut Ui) {
        let last = self.marks.back().copied().unwrap_or_default().counts;
        ui.small(format!(
            "{} particles, {} clusters, {} triangles, {} pieces",
            last.particles, last.clusters, last.triangles, last.pieces
        ));
        plot("counts").show(ui, |plot| {
            plot.line(self.line("particles", |mark| mark.counts.particles as f64));
            plot.line(self.line("clusters", |mark| mark.counts.clusters as f64));
            plot.line(self.line("triangles", |mark| mark.counts.triangles as f64));
        });
    }
}

fn plot(name: &str) -> Plot<'static> {
    Plot::new(name.to_owned())
        .allow_drag(false)
        .allow_zoom(false)
        .allow_scroll(false)
        .allow_boxed_zoom(false)
        .show_x(false)
        .include_y(0.0)
        .legend(
            Legend::default()
                .position(Corner::LeftTop)
                .text_style(egui::TextStyle::Small),
        )
}
