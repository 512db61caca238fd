//! Plots of the report, as SVG.

use plotters::prelude::{
    BLACK, ChartBuilder, Circle, Color, IntoDrawingArea, LineSeries, Palette, Palette99,
    SVGBackend, SeriesLabelPosition, WHITE,
};
use std::path::Path;

/// One line of a plot.
pub(super) struct Series {
    /// What it is.
    pub(super) label: String,
    /// Its points.
    pub(super) points: Vec<(f64, f64)>,
}

/// Writes a plot of lines with marked points; the text says what went wrong if it could not.
pub(super) fn write_lines(
    path: &Path,
    title: &str,
    axes: [&str; 2],
    series: &[Series],
) -> Result<(), String> {
    let all = || series.iter().flat_map(|s| s.points.iter().copied());
    let range = |of: fn((f64, f64)) -> f64| {
        let (low, high) = all()
            .map(of)
            .fold((f64::MAX, f64::MIN), |(l, h), v| (l.min(v), h.max(v)));
        let room = ((high - low) * 0.05).max(1e-9);
        low - room..high + room
    };
    if all().next().is_none() {
        return Err("there is nothing to plot".to_owned());
    }
    let area = SVGBackend::new(path, (720, 480)).into_drawing_area();
    let draw = || -> Result<(), Box<dyn std::error::Error>> {
        area.fill(&WHITE)?;
        let mut chart = ChartBuilder::on(&area)
            .caption(title, ("sans-serif", 20))
            .margin(16)
            .x_label_area_size(40)
            .y_label_area_size(56)
            .build_cartesian_2d(range(|p| p.0), range(|p| p.1))?;
        chart
            .configure_mesh()
            .x_desc(axes[0])
            .y_desc(axes[1])
            .draw()?;
        for (k, line) in series.iter().enumerate() {
            let color = Palette99::pick(k).to_rgba();
            chart
                .draw_series(LineSeries::new(
                    line.points.iter().copied(),
                    color.stroke_width(2),
                ))?
                .label(line.label.as_str())
                .legend(move |(x, y)| Circle::new((x + 8, y), 4, color.filled()));
            chart.draw_series(
                line.points
                    .iter()
                    .map(|&p| Circle::new(p, 4, color.filled())),
            )?;
        }
        chart
            .configure_series_labels()
            .position(emptiest_corner(series))
            .background_style(WHITE.mix(0.8))
            .border_style(BLACK)
            .draw()?;
        area.present()?;
        Ok(())
    };
    draw().map_err(|error| error.to_string())
}

/// The corner that the fewest points are near: the legend covers nothing there, or little.
fn emptiest_corner(series: &[Series]) -> SeriesLabelPosition {
    let all = || series.iter().flat_map(|s| s.points.iter().copied());
    let middle = |of: fn((f64, f64)) -> f64| {
        let (low, high) = all()
            .map(of)
            .fold((f64::MAX, f64::MIN), |(l, h), v| (l.min(v), h.max(v)));
        0.5 * (low + high)
    };
    let (x, y) = (middle(|p| p.0), middle(|p| p.1));
    let crowd = |right: bool, upper: bool| {
        let near = |p: &(f64, f64)| (p.0 > x) == right && (p.1 > y) == upper;
        all().filter(near).count()
    };
    let corners = [
        (crowd(true, true), SeriesLabelPosition::UpperRight),
        (crowd(true, false), SeriesLabelPosition::LowerRight),
        (crowd(false, true), SeriesLabelPosition::UpperLeft),
        (crowd(false, false), SeriesLabelPosition::LowerLeft),
    ];
    let emptiest = corners.into_iter().min_by_key(|corner| corner.0);
    emptiest.map_or(SeriesLabelPosition::UpperRight, |corner| corner.1)
}
