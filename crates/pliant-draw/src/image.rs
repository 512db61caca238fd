//! Pictures in memory and in files.

use crate::error::DrawError;
use rayon::prelude::*;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

/// A picture of sRGB pixels, rows from top to bottom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// Pixels in a row.
    pub width: usize,
    /// Number of rows.
    pub height: usize,
    /// `width · height` pixels.
    pub pixels: Vec<[u8; 3]>,
}

impl Image {
    /// A picture of one colour.
    pub fn new(width: usize, height: usize, color: [u8; 3]) -> Self {
        Self {
            width,
            height,
            pixels: vec![color; width * height],
        }
    }

    /// Copies another picture to (`x`, `y`); what does not fit is cut off.
    pub fn paste(&mut self, other: &Self, x: usize, y: usize) {
        let columns = other.width.min(self.width.saturating_sub(x));
        let rows = other.height.min(self.height.saturating_sub(y));
        for row in 0..rows {
            let to = (y + row) * self.width + x;
            let from = row * other.width;
            self.pixels[to..to + columns].copy_from_slice(&other.pixels[from..from + columns]);
        }
    }

    /// The picture as the bytes of a PNG file.
    pub fn encode_png(&self) -> Result<Vec<u8>, DrawError> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, self.width as u32, self.height as u32);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(self.pixels.as_flattened())?;
        writer.finish()?;
        Ok(bytes)
    }

    /// Writes a PNG file.
    pub fn write_png(&self, path: impl AsRef<Path>) -> Result<(), DrawError> {
        let path = path.as_ref();
        let bytes = self.encode_png()?;
        std::fs::write(path, bytes).map_err(|source| DrawError::Write {
            path: path.to_owned(),
            source,
        })
    }
}

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

    /// Appends a frame.
    pub fn push(&mut self, image: &Image) -> Result<(), DrawError> {
        self.push_all(std::slice::from_ref(image))
    }

    /// Appends frames; choosing their palettes, which takes the time, runs in parallel.
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
        let frames: Vec<gif::Frame> = images
            .par_iter()
            .map(|image| {
                gif::Frame::from_rgb_speed(
                    image.width as u16,
                    image.height as u16,
                    image.pixels.as_flattened(),
                    10,
                )
            })
            .collect();
        for mut frame in frames {
            frame.delay = self.next_delay();
            self.encoder.write_frame(&frame)?;
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

#[cfg(test)]
mod tests {
    use super::*;

    fn gradient() -> Image {
        let mut image = Image::new(7, 5, [0; 3]);
        for (i, p) in image.pixels.iter_mut().enumerate() {
            *p = [i as u8 * 7, 255 - i as u8, 3];
        }
        image
    }

    /// A PNG decodes to the pixels that were encoded.
    #[test]
    fn png_round_trip() {
        let image = gradient();
        let bytes = image.encode_png().unwrap();
        let mut reader = png::Decoder::new(std::io::Cursor::new(bytes))
            .read_info()
            .unwrap();
        let mut decoded = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut decoded).unwrap();
        assert_eq!((info.width, info.height), (7, 5));
        assert_eq!(decoded, image.pixels.as_flattened());
    }

    /// An animation holds its frames, and their delays add up to its length.
    #[test]
    fn gif_keeps_time() {
        let image = gradient();
        let mut writer = GifWriter::new(Vec::new(), 7, 5, 30.0).unwrap();
        writer.push_all(&vec![image.clone(); 5]).unwrap();
        writer.push(&image).unwrap();
        let bytes = writer.finish().unwrap();
        let mut decoder = gif::DecodeOptions::new().read_info(&bytes[..]).unwrap();
        let mut delays = Vec::new();
        while let Some(frame) = decoder.read_next_frame().unwrap() {
            delays.push(frame.delay);
        }
        assert_eq!((delays.len(), delays.iter().sum::<u16>()), (6, 20));
    }

    /// A frame of the wrong size is an error.
    #[test]
    fn gif_refuses_other_sizes() {
        let mut writer = GifWriter::new(Vec::new(), 8, 5, 30.0).unwrap();
        assert!(matches!(
            writer.push(&gradient()),
            Err(DrawError::FrameSize { .. })
        ));
        assert!(GifWriter::new(Vec::new(), 70_000, 5, 30.0).is_err());
    }
}
