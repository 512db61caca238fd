//! From sRGB bytes to linear light and back, and the film curve between.

use glam::Vec3;
use std::sync::LazyLock;

/// Linear light of each sRGB byte: colours are decoded at every hit, and the power is slow.
static LINEAR: LazyLock<[f32; 256]> =
    LazyLock::new(|| std::array::from_fn(|byte| channel_to_linear(byte as u8)));

/// Decodes one sRGB channel to linear light.
fn channel_to_linear(byte: u8) -> f32 {
    let s = f32::from(byte) / 255.0;
    if s <= 0.04045 {
        s / 12.92
    } else {
        ((s + 0.055) / 1.055).powf(2.4)
    }
}

/// Decodes an sRGB colour to linear light.
pub(crate) fn to_linear(color: [u8; 3]) -> Vec3 {
    Vec3::from_array(color.map(|byte| LINEAR[usize::from(byte)]))
}

/// Encodes one channel of linear light to sRGB on 0 to 255, not yet rounded.
fn channel_to_srgb(linear: f32) -> f32 {
    let x = linear.clamp(0.0, 1.0);
    255.0
        * if x <= 0.003_130_8 {
            12.92 * x
        } else {
            1.055 * x.powf(1.0 / 2.4) - 0.055
        }
}

/// Encodes linear light to sRGB bytes; `dither` in [0, 1) is where in its interval a value rounds up.
pub(crate) fn to_srgb(linear: Vec3, dither: f32) -> [u8; 3] {
    // A value that is not a number must not pass `clamp`; black shows that something was wrong.
    let safe = if linear.is_finite() {
        linear
    } else {
        Vec3::ZERO
    };
    safe.to_array()
        .map(|x| (channel_to_srgb(x) + dither).min(255.0) as u8)
}

/// Compresses scene light to what a screen shows, channel by channel: an S-curve like film's.
///
/// `s·x^p / (x^p + k)` has a toe (p > 1 deepens the shadows) and a shoulder. `k` and `s` follow from two wishes: middle
/// grey 0.18 stays where it is, and light of `WHITE` just reaches 1.
pub(crate) fn film(light: Vec3) -> Vec3 {
    const CONTRAST: f32 = 1.2;
    const WHITE_POWER: f32 = 9.7435; // 6.667^1.2: two and a half stops above a white wall
    const K: f32 = 0.6276; // solves film(0.18) = 0.18
    const SCALE: f32 = 1.0 + K / WHITE_POWER;
    Vec3::from_array(light.max(Vec3::ZERO).to_array().map(|x| {
        let power = x.powf(CONTRAST);
        (SCALE * power / (power + K)).min(1.0)
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every byte survives the way to linear light and back.
    #[test]
    fn srgb_round_trip() {
        for byte in 0..=255 {
            assert_eq!(to_srgb(to_linear([byte; 3]), 0.5), [byte; 3]);
        }
    }

    /// The film curve keeps middle grey, grows steadily and ends at white.
    #[test]
    fn film_keeps_middle_grey() {
        assert!((film(Vec3::splat(0.18)).x - 0.18).abs() < 2e-3);
        let values: Vec<f32> = (0..100)
            .map(|i| film(Vec3::splat(i as f32 * 0.08)).x)
            .collect();
        assert!(values.windows(2).all(|w| w[0] <= w[1]));
        assert!(values[99] > 0.99);
    }
}
