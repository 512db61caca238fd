//! The picture itself: what it is drawn into, and the ways out of it.

use super::frame::Sizes;
use super::gpu::{self, Recipe};
use crate::image::Image;

/// The picture of one size.
pub(super) struct Picture {
    texture: wgpu::Texture,
    view: wgpu::TextureView,
    raw: Raw,
    group: wgpu::BindGroup,
}

/// What becomes the picture.
enum Raw {
    /// Several samples a pixel, with their depth; they are averaged.
    Samples([wgpu::TextureView; 2]),
    /// One sample a pixel; its edges are smoothed.
    Steps(wgpu::Texture, wgpu::TextureView, wgpu::BindGroup),
}

impl Picture {
    pub(super) fn new(device: &wgpu::Device, show: &Show, sizes: &Sizes) -> Self {
        let make =
            |label, format, samples| gpu::target(device, label, sizes.picture, format, samples);
        let texture = make("picture", gpu::COLOR, 1);
        let view = gpu::view(&texture);
        let bind = |view: &wgpu::TextureView| {
            gpu::bind_textures(device, &show.layout, &[view], Some(&show.sampler))
        };
        let raw = if sizes.samples > 1 {
            let formats = [gpu::COLOR, gpu::DEPTH];
            Raw::Samples(formats.map(|f| gpu::view(&make("samples", f, sizes.samples))))
        } else {
            let steps = make("steps", gpu::COLOR, 1);
            let view = gpu::view(&steps);
            let group = bind(&view);
            Raw::Steps(steps, view, group)
        };
        Self {
            raw,
            group: bind(&show.view(&texture)),
            texture,
            view,
        }
    }

    /// A pass that draws what becomes the picture, which starts as `clear`; `surveyed` is the depth if it is known already.
    pub(super) fn begin<'e>(
        &self,
        encoder: &'e mut wgpu::CommandEncoder,
        clear: wgpu::Color,
        surveyed: &wgpu::TextureView,
    ) -> wgpu::RenderPass<'e> {
        let (color, depth) = match &self.raw {
            Raw::Samples([color, depth]) => (
                Some(gpu::onto(color, Some(&self.view), clear)),
                Some(gpu::onto_depth(depth, Some(0.0), false)),
            ),
            Raw::Steps(_, color, _) => (
                Some(gpu::onto(color, None, clear)),
                Some(gpu::onto_depth(surveyed, None, true)),
            ),
        };
        encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("paint"),
            color_attachments: &[color],
            depth_stencil_attachment: depth,
            ..wgpu::RenderPassDescriptor::default()
        })
    }

    /// Makes the picture of what was drawn, unless the pass has done so.
    pub(super) fn finish(&self, encoder: &mut wgpu::CommandEncoder, show: &Show) {
        let Raw::Steps(steps, _, group) = &self.raw else {
            return;
        };
        // Most pixels stay as they are.
        encoder.copy_texture_to_texture(
            steps.as_image_copy(),
            self.texture.as_image_copy(),
            self.texture.size(),
        );
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("smooth"),
            color_attachments: &[Some(gpu::over(&self.view))],
            ..wgpu::RenderPassDescriptor::default()
        });
        pass.set_pipeline(&show.smooth);
        pass.set_bind_group(0, group, &[]);
        pass.draw(0..3, 0..1);
    }

    /// Reads the pixels back.
    pub(super) fn read(&self, device: &wgpu::Device, queue: &wgpu::Queue) -> Image {
        read(device, queue, &self.texture)
    }
}

/// Reads a texture of four bytes a pixel back; black if the device does not give it.
pub(super) fn read(device: &wgpu::Device, queue: &wgpu::Queue, texture: &wgpu::Texture) -> Image {
    let (width, height) = (texture.width(), texture.height());
    let mut image = Image::new(width as usize, height as usize, [0; 3]);
    let stride = (4 * width).next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
    let size = u64::from(stride) * u64::from(height);
    if size > device.limits().max_buffer_size {
        return image;
    }
    let buffer = device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("read"),
        size,
        usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
        mapped_at_creation: false,
    });
    let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    encoder.copy_texture_to_buffer(
        texture.as_image_copy(),
        wgpu::TexelCopyBufferInfo {
            buffer: &buffer,
            layout: wgpu::TexelCopyBufferLayout {
                offset: 0,
                bytes_per_row: Some(stride),
                rows_per_image: None,
            },
        },
        gpu::extent([width, height]),
    );
    queue.submit([encoder.finish()]);
    let (send, receive) = std::sync::mpsc::channel();
    buffer
        .slice(..)
        .map_async(wgpu::MapMode::Read, move |result| {
            // The receiver waits below; if it is gone, nobody wants the result.
            let _ = send.send(result);
        });
    if device.poll(wgpu::PollType::wait_indefinitely()).is_err() {
        return image;
    }
    if let (Ok(Ok(())), Ok(bytes)) = (receive.try_recv(), buffer.slice(..).get_mapped_range()) {
        let rows = bytes.chunks_exact(stride as usize);
        for (row, pixels) in rows.zip(image.pixels.chunks_exact_mut(width as usize)) {
            for (texel, pixel) in row.chunks_exact(4).zip(pixels) {
                pixel.copy_from_slice(&texel[..3]);
            }
        }
    }
    image
}

/// Copies a picture into a window, and smooths one of one sample a pixel.
pub(super) struct Show {
    /// Whether encoded values go into the window as they are, without being decoded and encoded again.
    as_they_are: bool,
    pipeline: wgpu::RenderPipeline,
    smooth: wgpu::RenderPipeline,
    layout: wgpu::BindGroupLayout,
    sampler: wgpu::Sampler,
}

impl Show {
    pub(super) fn new(device: &wgpu::Device, format: wgpu::TextureFormat) -> Self {
        let layout = gpu::bind_layout(
            device,
            "show",
            &[gpu::texture_entry(0, true), gpu::sampler_entry(1)],
        );
        let build = |name, source, entry, target| {
            Recipe {
                label: name,
                module: &gpu::shader(device, name, &[source]),
                groups: &[Some(&layout)],
                vertex: "corner",
                fragment: Some(entry),
                buffer: None,
                strip: false,
                constants: &[],
                targets: &[target],
                depth: None,
                samples: 1,
                alpha_to_coverage: false,
            }
            .build(device)
        };
        let as_they_are = !format.is_srgb() && gpu::has_other_views(device);
        let copy = if format.is_srgb() || as_they_are {
            "plain"
        } else {
            "encoded"
        };
        let pipeline = build("show", include_str!("show.wgsl"), copy, format);
        let source = include_str!("smooth.wgsl");
        let smooth = build("smooth", source, "smooth_edges", gpu::COLOR);
        let sampler = device.create_sampler(&wgpu::SamplerDescriptor {
            mag_filter: wgpu::FilterMode::Linear,
            min_filter: wgpu::FilterMode::Linear,
            ..wgpu::SamplerDescriptor::default()
        });
        Self {
            as_they_are,
            pipeline,
            smooth,
            layout,
            sampler,
        }
    }

    /// The picture as the copy takes it.
    fn view(&self, texture: &wgpu::Texture) -> wgpu::TextureView {
        let format = texture.format();
        texture.create_view(&wgpu::TextureViewDescriptor {
            format: self.as_they_are.then(|| format.remove_srgb_suffix()),
            // Only the format itself may be drawn into.
            usage: Some(wgpu::TextureUsages::TEXTURE_BINDING),
            ..wgpu::TextureViewDescriptor::default()
        })
    }

    pub(super) fn draw(&self, pass: &mut wgpu::RenderPass<'_>, picture: &Picture) {
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &picture.group, &[]);
        pass.draw(0..3, 0..1);
    }
}
