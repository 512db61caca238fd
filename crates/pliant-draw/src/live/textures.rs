//! Pictures on the device, each uploaded once.

use super::gpu;
use crate::color::{to_linear, to_srgb};
use crate::scene::Texture;
use glam::Vec3;
use std::sync::{Arc, Weak};

/// Textures by the address of their `Arc`. A weak pointer keeps an address from being used again without keeping the
/// pixels.
pub(super) struct Textures {
    sampler: wgpu::Sampler,
    /// White, for what has no picture.
    none: wgpu::BindGroup,
    known: Vec<(Weak<Texture>, wgpu::BindGroup)>,
}

impl Textures {
    /// The number of no picture.
    pub(super) const NONE: usize = usize::MAX;

    pub(super) fn new(
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        layout: &wgpu::BindGroupLayout,
    ) -> Self {
        let sampler = device.create_sampler(&wgpu::SamplerDescriptor {
            label: Some("picture"),
            address_mode_u: wgpu::AddressMode::Repeat,
            address_mode_v: wgpu::AddressMode::Repeat,
            mag_filter: wgpu::FilterMode::Linear,
            min_filter: wgpu::FilterMode::Linear,
            mipmap_filter: wgpu::MipmapFilterMode::Linear,
            ..wgpu::SamplerDescriptor::default()
        });
        let white = Level {
            width: 1,
            height: 1,
            pixels: vec![[1.0; 4]],
        };
        let none = upload(device, queue, layout, &sampler, white);
        Self {
            sampler,
            none,
            known: Vec::new(),
        }
    }

    pub(super) fn group(&self, number: usize) -> &wgpu::BindGroup {
        self.known.get(number).map_or(&self.none, |k| &k.1)
    }

    /// Frees the pictures that nobody holds any more. Numbers change.
    pub(super) fn forget_dropped(&mut self) {
        self.known.retain(|(texture, _)| texture.strong_count() > 0);
    }

    /// The number of a picture, which is uploaded if it is new.
    pub(super) fn find(
        &mut self,
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        layout: &wgpu::BindGroupLayout,
        texture: &Arc<Texture>,
    ) -> usize {
        let address = Arc::as_ptr(texture);
        if let Some(number) = self.known.iter().position(|k| k.0.as_ptr() == address) {
            return number;
        }
        let mut level = Level::of(texture);
        let largest = device.limits().max_texture_dimension_2d as usize;
        while level.width > largest || level.height > largest {
            level = level.halved();
        }
        let group = upload(device, queue, layout, &self.sampler, level);
        self.known.push((Arc::downgrade(texture), group));
        self.known.len() - 1
    }
}

/// A picture in linear light, colours multiplied by alpha: so the mean of some texels over a base colour is the mean of
/// what each of them would show.
struct Level {
    width: usize,
    height: usize,
    pixels: Vec<[f32; 4]>,
}

impl Level {
    fn of(texture: &Texture) -> Self {
        let pixels = texture.pixels.iter().map(|&[r, g, b, a]| {
            let alpha = f32::from(a) / 255.0;
            (to_linear([r, g, b]) * alpha).extend(alpha).to_array()
        });
        Self {
            width: texture.width,
            height: texture.height,
            pixels: pixels.collect(),
        }
    }

    /// Half the size, each texel the mean of up to four.
    fn halved(&self) -> Self {
        let (width, height) = ((self.width / 2).max(1), (self.height / 2).max(1));
        let pixels = (0..width * height).map(|i| {
            let (x, y) = (i % width * 2, i / width * 2);
            let (x1, y1) = ((x + 1).min(self.width - 1), (y + 1).min(self.height - 1));
            let four = [(x, y), (x1, y), (x, y1), (x1, y1)]
                .map(|(x, y)| glam::Vec4::from_array(self.pixels[y * self.width + x]));
            (0.25 * (four[0] + four[1] + four[2] + four[3])).to_array()
        });
        Self {
            width,
            height,
            pixels: pixels.collect(),
        }
    }

    fn bytes(&self) -> Vec<[u8; 4]> {
        self.pixels
            .iter()
            .map(|&[r, g, b, a]| {
                let [r, g, b] = to_srgb(Vec3::new(r, g, b), 0.5);
                [r, g, b, (a * 255.0 + 0.5) as u8]
            })
            .collect()
    }
}

/// A texture with all of its smaller levels.
fn upload(
    device: &wgpu::Device,
    queue: &wgpu::Queue,
    layout: &wgpu::BindGroupLayout,
    sampler: &wgpu::Sampler,
    mut level: Level,
) -> wgpu::BindGroup {
    let count = level.width.max(level.height).ilog2() + 1;
    let texture = device.create_texture(&wgpu::TextureDescriptor {
        label: Some("picture"),
        size: gpu::extent([level.width as u32, level.height as u32]),
        mip_level_count: count,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: wgpu::TextureFormat::Rgba8UnormSrgb,
        usage: wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_DST,
        view_formats: &[],
    });
    for number in 0..count {
        queue.write_texture(
            wgpu::TexelCopyTextureInfo {
                texture: &texture,
                mip_level: number,
                origin: wgpu::Origin3d::ZERO,
                aspect: wgpu::TextureAspect::All,
            },
            level.bytes().as_flattened(),
            wgpu::TexelCopyBufferLayout {
                offset: 0,
                bytes_per_row: Some(4 * level.width as u32),
                rows_per_image: None,
            },
            gpu::extent([level.width as u32, level.height as u32]),
        );
        level = level.halved();
    }
    gpu::bind_textures(device, layout, &[&gpu::view(&texture)], Some(sampler))
}
