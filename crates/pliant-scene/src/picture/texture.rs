//! Textures from PNG files.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use pliant_draw::Texture;

/// Most pixels of a texture: 8192 × 8192, a quarter of a gigabyte.
const PIXEL_LIMIT: u64 = 1 << 26;

/// Reads a PNG file; the text says what is wrong with it.
pub fn read_texture(path: &Path, byte_limit: u64) -> Result<Texture, String> {
    let file = File::open(path).map_err(|error| error.to_string())?;
    let metadata = file.metadata().map_err(|error| error.to_string())?;
    if !metadata.is_file() {
        return Err("not a regular file, a PNG picture was expected".to_owned());
    }
    if metadata.len() > byte_limit {
        return Err(format!(
            "the file has {} bytes, the limit is {byte_limit}",
            metadata.len()
        ));
    }
    let unsound = |error: png::DecodingError| format!("{error}, a PNG picture was expected");
    let mut decoder = png::Decoder::new(BufReader::new(file));
    decoder.set_transformations(
        png::Transformations::normalize_to_color8() | png::Transformations::ALPHA,
    );
    let mut reader = decoder.read_info().map_err(unsound)?;
    let (width, height) = reader.info().size();
    let pixels = u64::from(width) * u64::from(height);
    let Some(size) = reader
        .output_buffer_size()
        .filter(|_| pixels <= PIXEL_LIMIT)
    else {
        return Err(format!(
            "the picture has {width} × {height} pixels, at most {PIXEL_LIMIT} in all were expected"
        ));
    };
    let mut bytes = vec![0; size];
    let info = reader.next_frame(&mut bytes).map_err(unsound)?;
    let pixels = match info.color_type {
        png::ColorType::GrayscaleAlpha => bytes
            .chunks_exact(2)
            .map(|c| [c[0], c[0], c[0], c[1]])
            .collect(),
        _ => bytes
            .chunks_exact(4)
            .map(|c| [c[0], c[1], c[2], c[3]])
            .collect(),
    };
    Texture::new(width as usize, height as usize, pixels).map_err(|error| error.to_string())
}
