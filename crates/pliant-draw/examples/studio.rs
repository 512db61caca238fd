//! Draws a test picture with everything the ray caster can do: `cargo run --release -p pliant-draw --example studio`.

mod common;

use pliant_draw::{Quality, contact_sheet, render};
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args()
        .nth(1)
        .unwrap_or_else(|| "studio.png".to_owned());
    let scene = common::studio();
    let start = Instant::now();
    let still = render(&scene, 960, 720, &Quality::default())?;
    println!("still {:.2} s", start.elapsed().as_secs_f64());
    let start = Instant::now();
    let frame = render(&scene, 480, 360, &Quality::fast())?;
    println!("frame {:.2} s", start.elapsed().as_secs_f64());
    still.write_png(&path)?;
    let sheet = contact_sheet(
        &[frame.clone(), frame.clone(), frame],
        2,
        &[
            "The quick brown fox: 0123456789",
            "jumps (over) {lazy} dogs, 42%!",
            "~Pliant_v0.1 [E = 5e3 Pa] @#$",
        ],
    );
    sheet.write_png(format!("{path}.sheet.png"))?;
    Ok(())
}
