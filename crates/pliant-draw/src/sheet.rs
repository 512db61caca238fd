//! Several pictures on one sheet.

use crate::font;
use crate::image::Image;

const GAP: usize = 8;
const SCALE: usize = 2;
const PAPER: [u8; 3] = [250, 250, 248];
const INK: [u8; 3] = [44, 48, 56];

/// Tiles pictures in rows of `columns`, each with its label underneath. Missing labels are blank, long ones are cut off.
pub fn contact_sheet(images: &[Image], columns: usize, labels: &[&str]) -> Image {
    let columns = columns.clamp(1, images.len().max(1));
    let rows = images.len().div_ceil(columns);
    let largest = |side: fn(&Image) -> usize| images.iter().map(side).max().unwrap_or(0);
    let (width, height) = (largest(|i| i.width), largest(|i| i.height));
    let caption = if labels.is_empty() {
        0
    } else {
        font::HEIGHT * SCALE + GAP
    };
    let (cell_width, cell_height) = (width + GAP, height + caption + GAP);
    let mut sheet = Image::new(columns * cell_width + GAP, rows * cell_height + GAP, PAPER);
    for (i, image) in images.iter().enumerate() {
        let x = GAP + i % columns * cell_width;
        let y = GAP + i / columns * cell_height;
        sheet.paste(image, x, y);
        if let Some(label) = labels.get(i) {
            let fitting: String = label
                .chars()
                .take((width / (font::ADVANCE * SCALE)).max(1))
                .collect();
            let indent = width.saturating_sub(fitting.chars().count() * font::ADVANCE * SCALE) / 2;
            font::write(
                &mut sheet,
                &fitting,
                x + indent,
                y + height + GAP / 2 + 2,
                SCALE,
                INK,
            );
        }
    }
    sheet
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A sheet has room for all pictures, and captions put ink on it.
    #[test]
    fn sheet_has_pictures_and_captions() {
        let image = Image::new(60, 40, [10, 200, 30]);
        let sheet = contact_sheet(
            &vec![image; 5],
            3,
            &["one", "two", "3: a rather long label"],
        );
        assert_eq!(
            sheet.pixels.iter().filter(|p| **p == [10, 200, 30]).count(),
            5 * 60 * 40
        );
        assert!(sheet.pixels.contains(&INK));
        assert_eq!(contact_sheet(&[], 3, &[]).pixels.len(), GAP * (2 * GAP));
    }
}
