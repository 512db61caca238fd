//! What people see while they wait.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use pliant_scene::Event;

use crate::print;

/// Seconds between lines where there is no terminal to draw a bar on.
const LINE_SECONDS: u64 = 5;

/// Progress on stderr: a bar on a terminal, a line now and then elsewhere, or nothing.
pub(crate) struct Progress {
    bar: Option<ProgressBar>,
    quiet: bool,
    start: Instant,
    last_line: Instant,
    drawing: bool,
}

impl Progress {
    pub(crate) fn new(quiet: bool) -> Self {
        let bar = (!quiet && std::io::stderr().is_terminal()).then(|| {
            ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(10))
                .with_style(style("frame {pos}/{len}  {msg}"))
        });
        Self {
            bar,
            quiet,
            start: Instant::now(),
            last_line: Instant::now(),
            drawing: false,
        }
    }

    /// Shows an event of the run.
    pub(crate) fn show(&mut self, event: &Event<'_>) {
        match event {
            Event::Frame(done) => {
                let fps = f64::from(done.frame) / self.start.elapsed().as_secs_f64().max(1e-9);
                let particles = done.world.points().len();
                let warnings = done.new_warnings.iter();
                warnings.for_each(|warning| self.warn(warning));
                self.update(
                    (u64::from(done.frame), u64::from(done.last)),
                    format!("{fps:.1} fps  {particles} particles"),
                    "frame",
                );
            }
            Event::Picture(done, all) => {
                if !self.drawing {
                    self.drawing = true;
                    if let Some(bar) = &self.bar {
                        bar.set_style(style("picture {pos}/{len}"));
                    }
                }
                self.update((*done as u64, *all as u64), String::new(), "picture");
            }
            _ => {}
        }
    }

    /// Shows a warning.
    pub(crate) fn warn(&self, warning: &str) {
        if self.quiet {
            return;
        }
        let line = format!("warning: {}", print::one_line(warning));
        match &self.bar {
            Some(bar) => bar.suspend(|| print::note(line)),
            None => print::note(line),
        }
    }

    /// Takes the bar away.
    pub(crate) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    fn update(&mut self, (at, of): (u64, u64), message: String, noun: &str) {
        if let Some(bar) = &self.bar {
            bar.set_length(of);
            bar.set_position(at);
            bar.set_message(message);
        } else if !self.quiet && self.last_line.elapsed() >= Duration::from_secs(LINE_SECONDS) {
            self.last_line = Instant::now();
            print::note(format!("{noun} {at}/{of}  {message}").trim_end());
        }
    }
}

fn style(text: &str) -> ProgressStyle {
    let template = format!("{{bar:30}} {text}  {{eta}}");
    ProgressStyle::with_template(&template).unwrap_or_else(|_| ProgressStyle::default_bar())
}
