//! Words and marks over the view: the help, the state of the tool, notices.

use eframe::egui::{self, Align2, Color32, FontId, Pos2, Rect, RichText, Stroke, Ui};
use pliant_scene::live::{Notice, View};

use super::hand::Hand;
use super::keys::{BINDINGS, MOUSE};

/// Words over the view.
const INK: Color32 = Color32::from_rgb(44, 48, 56);

/// Under all controls. The window is cleared to it, which is cheaper than to paint it.
pub(super) const PAPER: Color32 = Color32::from_rgb(243, 242, 239);

/// The look of all controls.
pub(super) fn style(context: &egui::Context) {
    context.set_theme(egui::Theme::Light);
    context.all_styles_mut(|style| {
        style.spacing.item_spacing = egui::vec2(6.0, 4.0);
        style.visuals.panel_fill = Color32::TRANSPARENT;
    });
}

/// The state of the world and of the tool, and the line of a cut.
pub(super) fn over_view(ui: &Ui, rect: Rect, view: Option<&View>, hand: &Hand, speed: f32) {
    let painter = ui.painter_at(rect);
    let Some(view) = view else {
        let font = FontId::proportional(20.0);
        painter.text(
            rect.center(),
            Align2::CENTER_CENTER,
            "building the scene …",
            font,
            INK,
        );
        return;
    };
    let state = if view.playing { "" } else { "   paused" };
    let text = format!(
        "{}   frame {}   {:.2} s   {}× {state}",
        view.name, view.frame, view.time, speed
    );
    let at = rect.left_top() + egui::vec2(10.0, 8.0);
    painter.text(at, Align2::LEFT_TOP, text, FontId::proportional(14.0), INK);
    let right = rect.right_top() + egui::vec2(-10.0, 8.0);
    let hint = format!("{}   F1 help", hand.tool.name());
    painter.text(
        right,
        Align2::RIGHT_TOP,
        hint,
        FontId::proportional(14.0),
        INK,
    );
    if view.filming {
        painter.circle_filled(
            right + egui::vec2(-4.0, 28.0),
            6.0,
            Color32::from_rgb(210, 50, 40),
        );
    }
    if let Some(line) = hand.line() {
        let place = |p: glam::Vec2| {
            Pos2::new(rect.left(), rect.top()) + egui::vec2(p.x, p.y) * rect.height()
        };
        let stroke = Stroke::new(2.0, Color32::from_rgb(210, 50, 40));
        painter.line_segment(line.map(place), stroke);
    }
}

/// What there is to say, at the lower left; what is old goes.
pub(super) fn notices(ui: &Ui, rect: Rect, notices: &mut Vec<(Notice, f64)>) {
    let now = ui.input(|input| input.time);
    notices.retain(|(_, until)| *until > now);
    let painter = ui.painter_at(rect);
    let mut at = rect.left_bottom() + egui::vec2(10.0, -10.0);
    for (notice, _) in notices.iter().rev() {
        let (text, color) = match notice {
            Notice::Done(text) => (text, INK),
            Notice::Failed(text) => (text, Color32::from_rgb(168, 40, 30)),
        };
        let font = FontId::proportional(13.0);
        let words = painter.layout(text.clone(), font, color, rect.width() - 20.0);
        at.y -= words.size().y + 4.0;
        let back = Rect::from_min_size(at, words.size()).expand(3.0);
        painter.rect_filled(back, 3.0, Color32::from_white_alpha(190));
        painter.galley(at, words, color);
    }
    if let Some(next) = notices
        .iter()
        .map(|(_, until)| until - now)
        .reduce(f64::min)
    {
        let wait = std::time::Duration::from_secs_f64(next.max(0.05));
        ui.ctx().request_repaint_after(wait);
    }
}

/// All keys, over everything; `false` when it was closed.
pub(super) fn overlay(context: &egui::Context) -> bool {
    let mut open = true;
    let height = (context.content_rect().height() - 80.0).max(120.0);
    egui::Window::new("Keys and mouse")
        .open(&mut open)
        .collapsible(false)
        .resizable(false)
        .default_height(height)
        .anchor(Align2::CENTER_CENTER, [0.0, 0.0])
        .show(context, |ui| {
            egui::ScrollArea::vertical()
                .max_height(height)
                .show(ui, |ui| {
                    ui.columns(2, |columns| {
                        let half = BINDINGS.len().div_ceil(2);
                        for (column, keys) in columns.iter_mut().zip(BINDINGS.chunks(half)) {
                            let rows = keys.iter().map(|key| (key.label, key.help));
                            grid(column, keys[0].label, rows);
                        }
                    });
                    ui.separator();
                    grid(ui, "mouse", MOUSE.into_iter());
                });
        });
    open
}

fn grid<'a>(ui: &mut Ui, id: &str, rows: impl Iterator<Item = (&'a str, &'a str)>) {
    egui::Grid::new(id.to_owned())
        .num_columns(2)
        .show(ui, |ui| {
            for (name, what) in rows {
                ui.label(RichText::new(name).strong());
                ui.label(what);
                ui.end_row();
            }
        });
}
