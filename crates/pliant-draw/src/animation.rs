//! Animations in GIF files.

use crate::error::DrawError;
use crate::image::Image;
use crate::render::TURNS;
use rayon::prelude::*;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

/// Palette entry that leaves the pixel of the frame before.
const UNCHANGED: u8 = 255;
/// Bits of a channel that the table of nearest colours distinguishes.
const TABLE_BITS: u32 = 6;
/// Pixels of all frames together that a palette is chosen from.
const PALETTE_PIXELS: usize = 200_000;
/// How far colours are pushed up and down by turns before they are rounded to the palette, which hides its steps.
const DITHER: f32 = 5.0;

/// Writes an animation that repeats for ever.
pub struct GifWriter<W: Write> {
    encoder: gif::Encoder<W>,
    width: usize,
    height: usize,
    fps: f64,
    frame_count: u32,
}

impl GifWriter<BufWriter<File>> {
    /// Starts an animation in a new file.
    pub fn create(
        path: impl AsRef<Path>,
        width: usize,
        height: usize,
        fps: f64,
    ) -> Result<Self, DrawError> {
        let path = path.as_ref();
        let file = File::create(path).map_err(|source| DrawError::Write {
            path: path.to_owned(),
            source,
        })?;
        Self::new(BufWriter::new(file), width, height, fps)
    }
}

impl<W: Write> GifWriter<W> {
    /// Starts an animation. Frame rates beyond what a GIF can say, 1 to 50 frames a second, are taken as the nearest.
    pub fn new(writer: W, width: usize, height: usize, fps: f64) -> Result<Self, DrawError> {
        let (Ok(columns @ 1..), Ok(rows @ 1..)) = (u16::try_from(width), u16::try_from(height))
        else {
            return Err(DrawError::PictureSize { width, height });
        };
        let mut encoder = gif::Encoder::new(writer, columns, rows, &[])?;
        encoder.set_repeat(gif::Repeat::Infinite)?;
        let fps = if fps.is_finite() {
            fps.clamp(1.0, 50.0)
        } else {
            25.0
        };
        Ok(Self {
            encoder,
            width,
            height,
            fps,
            frame_count: 0,
        })
    }

    /// Appends a frame with a palette of its own.
    pub fn push(&mut self, image: &Image) -> Result<(), DrawError> {
        self.push_all(std::slice::from_ref(image))
    }

    /// Appends frames that share a palette, each only as far as it differs from the one before. A whole animation pushed at
    /// once is therefore smaller and steadier than one pushed frame by frame.
    pub fn push_all(&mut self, images: &[Image]) -> Result<(), DrawError> {
        if let Some(odd) = images
            .iter()
            .find(|i| (i.width, i.height) != (self.width, self.height))
        {
            return Err(DrawError::FrameSize {
                width: odd.width,
                height: odd.height,
                expected_width: self.width,
                expected_height: self.height,
            });
        }
        let palette = Palette::of(images);
        let indexed: Vec<Vec<u8>> = images.par_iter().map(|i| palette.index(i)).collect();
        let mut previous: Option<&Vec<u8>> = None;
        for current in &indexed {
            let mut frame = change(previous, current, self.width);
            frame.palette = Some(palette.bytes());
            frame.delay = self.next_delay();
            self.encoder.write_frame(&frame)?;
            previous = Some(current);
        }
        Ok(())
    }

    /// Hundredths of a second until the next frame. A GIF cannot say 1/30 s, but 3, 3 and 4 hundredths in turn can.
    fn next_delay(&mut self) -> u16 {
        let at = |frame: u32| (f64::from(frame) * 100.0 / self.fps).round();
        let delay = at(self.frame_count + 1) - at(self.frame_count);
        self.frame_count += 1;
        delay as u16
    }

    /// Ends the animation and hands back the writer.
    pub fn finish(self) -> Result<W, DrawError> {
        let mut writer = self.encoder.into_inner()?;
        writer.flush().map_err(gif::EncodingError::Io)?;
        Ok(writer)
    }
}

/// Up to 255 colours and which of them is nearest to any other.
struct Palette {
    colors: Vec<[u8; 3]>,
    table: Vec<u8>,
}

impl Palette {
    /// The palette that suits some pictures.
    fn of(images: &[Image]) -> Self {
        let pixel_count: usize = images.iter().map(|i| i.pixels.len()).sum();
        // An odd stride does not fall into step with the width.
        let stride = (pixel_count / PALETTE_PIXELS) | 1;
        let sampled: Vec<[u8; 3]> = images
            .iter()
            .flat_map(|i| &i.pixels)
            .step_by(stride)
            .copied()
            .collect();
        // The quantiser wants a rectangle; a few pixels at the end do not matter, but one row must remain.
        let width = sampled.len().clamp(1, 64);
        let height = (sampled.len() / width).clamp(1, usize::from(u16::MAX));
        let mut colors: Vec<[u8; 3]> = if sampled.is_empty() {
            vec![[0; 3]]
        } else {
            let pixels = &sampled[..width * height];
            let frame =
                gif::Frame::from_rgb_speed(width as u16, height as u16, pixels.as_flattened(), 4);
            let (colors, _) = frame.palette.as_deref().unwrap_or(&[0; 3]).as_chunks::<3>();
            colors.to_vec()
        };
        colors.truncate(usize::from(UNCHANGED));

        let side = 1usize << TABLE_BITS;
        let shift = 8 - TABLE_BITS;
        let table = (0..side * side * side)
            .into_par_iter()
            .map(|entry| {
                let channels = [entry / (side * side), entry / side % side, entry % side];
                let middle = channels.map(|c| ((c << shift) + (1 << (shift - 1))) as i32);
                let distance = |color: &[u8; 3]| -> i32 {
                    // The eye tells greens apart best, blues worst.
                    (0..3)
                        .map(|c| [3, 6, 2][c] * (i32::from(color[c]) - middle[c]).pow(2))
                        .sum()
                };
                (0..colors.len())
                    .min_by_key(|&i| distance(&colors[i]))
                    .unwrap_or(0) as u8
            })
            .collect();
        Self { colors, table }
    }

    /// The palette entries of a picture's pixels.
    fn index(&self, image: &Image) -> Vec<u8> {
        let shift = 8 - TABLE_BITS;
        image
            .pixels
            .iter()
            .enumerate()
            .map(|(i, pixel)| {
                let (x, y) = (i % image.width, i / image.width);
                let push = DITHER * ((TURNS[y & 3][x & 3] as f32 + 0.5) / 16.0 - 0.5);
                let [r, g, b] = pixel.map(|c| {
                    let pushed = (f32::from(c) + push).clamp(0.0, 255.0);
                    usize::from(pushed as u8 >> shift)
                });
                self.table[(r << TABLE_BITS | g) << TABLE_BITS | b]
            })
            .collect()
    }

    /// All 256 entries as a GIF stores them.
    fn bytes(&self) -> Vec<u8> {
        let mut bytes = self.colors.as_flattened().to_vec();
        bytes.resize(3 * 256, 0);
        bytes
    }
}

/// The frame that turns `previous` into `current`: the rectangle around all changes, transparent where there is none.
fn change(previous: Option<&Vec<u8>>, current: &[u8], width: usize) -> gif::Frame<'static> {
    let height = current.len() / width;
    let changed = |i: usize| previous.is_none_or(|p| p[i] != current[i]);
    let (mut lo, mut hi) = ((width, height), (0, 0));
    for i in (0..current.len()).filter(|&i| changed(i)) {
        let (x, y) = (i % width, i / width);
        lo = (lo.0.min(x), lo.1.min(y));
        hi = (hi.0.max(x + 1), hi.1.max(y + 1));
    }
    if lo.0 >= hi.0 {
        // Nothing moved: one unchanged pixel carries the delay.
        (lo, hi) = ((0, 0), (1, 1));
    }
    let buffer: Vec<u8> = (lo.1..hi.1)
        .flat_map(|y| (lo.0..hi.0).map(move |x| y * width + x))
        .map(|i| if changed(i) { current[i] } else { UNCHANGED })
        .collect();
    gif::Frame {
        left: lo.0 as u16,
        top: lo.1 as u16,
        width: (hi.0 - lo.0) as u16,
        height: (hi.1 - lo.1) as u16,
        transparent: Some(UNCHANGED),
        dispose: gif::DisposalMethod::Keep,
        buffer: buffer.into(),
        ..gif::Frame::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A black picture with a coloured column at `x`.
    fn column(x: usize) -> Image {
        let mut image = Image::new(8, 5, [0; 3]);
        for row in 0..5 {
            image.pixels[row * 8 + x] = [200, 120, 40];
        }
        image
    }

    /// An animation holds its frames, and their delays add up to its length.
    #[test]
    fn delays_keep_time() {
        let mut writer = GifWriter::new(Vec::new(), 8, 5, 30.0).unwrap();
        let images: Vec<Image> = (0..5).map(column).collect();
        writer.push_all(&images).unwrap();
        writer.push(&images[4]).unwrap();
        writer.push_all(&[]).unwrap();
        let bytes = writer.finish().unwrap();
        let mut decoder = gif::DecodeOptions::new().read_info(&bytes[..]).unwrap();
        let mut delays = Vec::new();
        while let Some(frame) = decoder.read_next_frame().unwrap() {
            delays.push(frame.delay);
        }
        assert_eq!((delays.len(), delays.iter().sum::<u16>()), (6, 20));
    }

    /// Laying the changes over one another gives back every frame, nearly in its colours.
    #[test]
    fn changes_add_up() {
        let images: Vec<Image> = [0, 3, 3, 6].into_iter().map(column).collect();
        let palette = Palette::of(&images);
        let indexed: Vec<Vec<u8>> = images.iter().map(|i| palette.index(i)).collect();
        let mut canvas = [UNCHANGED; 40];
        let mut previous = None;
        for (image, current) in images.iter().zip(&indexed) {
            let frame = change(previous, current, 8);
            for (i, &entry) in frame.buffer.iter().enumerate() {
                let x = usize::from(frame.left) + i % usize::from(frame.width);
                let y = usize::from(frame.top) + i / usize::from(frame.width);
                if entry != UNCHANGED {
                    canvas[y * 8 + x] = entry;
                }
            }
            for (&entry, pixel) in canvas.iter().zip(&image.pixels) {
                let color = palette.colors[usize::from(entry)];
                assert!((0..3).all(|c| color[c].abs_diff(pixel[c]) < 10));
            }
            previous = Some(current);
        }
    }

    /// A frame of the wrong size is an error.
    #[test]
    fn other_sizes_are_refused() {
        let mut writer = GifWriter::new(Vec::new(), 7, 5, 30.0).unwrap();
        assert!(matches!(
            writer.push(&column(0)),
            Err(DrawError::FrameSize { .. })
        ));
        assert!(GifWriter::new(Vec::new(), 70_000, 5, 30.0).is_err());
    }
}
