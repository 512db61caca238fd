//! Between sRGB bytes, which meshes carry, and linear light, which glTF stores.

/// Linear light, 0 to 1, of an sRGB byte.
pub(super) fn linear_of_srgb(byte: u8) -> f32 {
    let s = f32::from(byte) / 255.0;
    if s <= 0.04045 {
        s / 12.92
    } else {
        libm::powf((s + 0.055) / 1.055, 2.4)
    }
}

/// The sRGB byte of linear light; values outside 0 to 1 are clamped.
pub(super) fn srgb_of_linear(light: f32) -> u8 {
    let light = light.clamp(0.0, 1.0);
    let s = if light <= 0.003_130_8 {
        12.92 * light
    } else {
        1.055 * libm::powf(light, 1.0 / 2.4) - 0.055
    };
    (s * 255.0 + 0.5) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every byte survives the way there and back, also through the 16 bits that are written.
    #[test]
    fn round_trip() {
        for byte in 0..=255 {
            let light = linear_of_srgb(byte);
            assert_eq!(srgb_of_linear(light), byte);
            let stored = (light * 65535.0 + 0.5) as u16;
            assert_eq!(srgb_of_linear(f32::from(stored) / 65535.0), byte);
        }
        assert_eq!(linear_of_srgb(255), 1.0);
        assert_eq!(srgb_of_linear(f32::NAN), 0);
    }
}
