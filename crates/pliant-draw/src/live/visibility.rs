//! What each pixel sees of the key light and of the sky: shadow map, survey, and the visibility made of both.
//!
//! 1. The *shadow map* holds the depth of everything seen from the light.
//! 2. The *survey* holds depth and normal of everything seen from the eye.
//! 3. For each pixel of the survey, taps into both give the seen shares of the key light and of the sky.
//! 4. Two blurs, along x and y, average them over neighbours of the same surface.

use super::frame::Sizes;
use super::gpu::{self, Recipe};
use super::roles::{Layouts, SURVEY};
use wgpu::TextureFormat::Rgba16Float;

/// Pipelines and layouts, which do not depend on the picture's size.
pub(super) struct Visibility {
    visible: wgpu::RenderPipeline,
    blurs: [wgpu::RenderPipeline; 2],
    visible_layout: wgpu::BindGroupLayout,
    blur_layout: wgpu::BindGroupLayout,
}

impl Visibility {
    pub(super) fn new(device: &wgpu::Device, frame: &wgpu::BindGroupLayout) -> Self {
        let entries = [0, 1, 2].map(|binding| gpu::texture_entry(binding, false));
        let blur_layout = gpu::bind_layout(device, "blur", &entries[..2]);
        let visible_layout = gpu::bind_layout(device, "visible", &entries);
        let screen = |name: &str, source: &str, entry: &str, layout: &wgpu::BindGroupLayout| {
            let module = gpu::shader(device, name, &[include_str!("frame.wgsl"), source]);
            Recipe {
                label: name,
                module: &module,
                groups: &[Some(frame), Some(layout)],
                vertex: "corner",
                fragment: Some(entry),
                buffer: None,
                strip: false,
                constants: &[],
                targets: &[Rgba16Float],
                depth: None,
                samples: 1,
                alpha_to_coverage: false,
            }
            .build(device)
        };
        let blur = include_str!("blur.wgsl");
        Self {
            visible: screen(
                "visible",
                include_str!("visibility.wgsl"),
                "visible",
                &visible_layout,
            ),
            blurs: ["along_x", "along_y"].map(|entry| screen("blur", blur, entry, &blur_layout)),
            visible_layout,
            blur_layout,
        }
    }
}

/// The textures of one size of picture.
pub(super) struct Targets {
    shadow: wgpu::TextureView,
    pub(super) depth: wgpu::TextureView,
    /// A copy of the depth to read from, if more is drawn with it later.
    copy: Option<wgpu::Texture>,
    /// What the depth is read from.
    pub(super) surveyed: wgpu::TextureView,
    /// Normal and, if the picture is painted from the survey, albedo.
    pub(super) survey: Vec<wgpu::TextureView>,
    /// Raw and blurred by turns.
    seen: [wgpu::TextureView; 2],
    visible_group: wgpu::BindGroup,
    blur_groups: [wgpu::BindGroup; 2],
    /// Group 0 of painters.
    pub(super) painter_group: wgpu::BindGroup,
}

impl Targets {
    pub(super) fn new(
        device: &wgpu::Device,
        visibility: &Visibility,
        layouts: &Layouts,
        frame: &wgpu::Buffer,
        sizes: &Sizes,
    ) -> Self {
        let make = |label, size, format| gpu::view(&gpu::target(device, label, size, format, 1));
        let shadow = make("shadow", [sizes.shadow; 2], gpu::DEPTH);
        let is_recorded = sizes.samples == 1;
        let formats = &SURVEY[..if is_recorded { 2 } else { 1 }];
        let deep = || gpu::target(device, "survey depth", sizes.survey, gpu::DEPTH, 1);
        let depth = deep();
        let copy = is_recorded.then(deep);
        let surveyed = gpu::view(copy.as_ref().unwrap_or(&depth));
        let survey: Vec<_> = formats
            .iter()
            .map(|&format| make("survey", sizes.survey, format))
            .collect();
        let seen = [0, 1].map(|_| make("seen", sizes.visible, Rgba16Float));
        let blur = |from: &wgpu::TextureView| {
            let views = [from, &survey[0]];
            gpu::bind_textures(device, &visibility.blur_layout, &views, None)
        };
        let bind = |binding, resource| wgpu::BindGroupEntry { binding, resource };
        let painter_group = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("painter"),
            layout: &layouts.painter,
            entries: &[
                bind(0, frame.as_entire_binding()),
                bind(1, wgpu::BindingResource::TextureView(&seen[0])),
            ],
        });
        Self {
            depth: gpu::view(&depth),
            visible_group: gpu::bind_textures(
                device,
                &visibility.visible_layout,
                &[&surveyed, &survey[0], &shadow],
                None,
            ),
            blur_groups: [blur(&seen[0]), blur(&seen[1])],
            painter_group,
            copy,
            surveyed,
            shadow,
            survey,
            seen,
        }
    }

    /// A pass that draws into the shadow map.
    pub(super) fn begin_shadow<'e>(
        &self,
        encoder: &'e mut wgpu::CommandEncoder,
    ) -> wgpu::RenderPass<'e> {
        encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("shadow"),
            depth_stencil_attachment: Some(gpu::onto_depth(&self.shadow, Some(1.0), true)),
            ..wgpu::RenderPassDescriptor::default()
        })
    }

    /// A pass that draws into the survey.
    pub(super) fn begin_survey<'e>(
        &self,
        encoder: &'e mut wgpu::CommandEncoder,
    ) -> wgpu::RenderPass<'e> {
        let clear = wgpu::Color::TRANSPARENT;
        let attachments: Vec<_> = self
            .survey
            .iter()
            .map(|view| Some(gpu::onto(view, None, clear)))
            .collect();
        encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("survey"),
            color_attachments: &attachments,
            depth_stencil_attachment: Some(gpu::onto_depth(&self.depth, Some(0.0), true)),
            ..wgpu::RenderPassDescriptor::default()
        })
    }

    /// Copies the survey's depth if it is read from a copy.
    pub(super) fn end_survey(&self, encoder: &mut wgpu::CommandEncoder) {
        if let Some(copy) = &self.copy {
            let size = copy.size();
            encoder.copy_texture_to_texture(
                self.depth.texture().as_image_copy(),
                copy.as_image_copy(),
                size,
            );
        }
    }

    /// Finds what the survey's pixels see.
    pub(super) fn look(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        visibility: &Visibility,
        frame: &wgpu::BindGroup,
    ) {
        let steps = [
            (&self.seen[0], &visibility.visible, &self.visible_group),
            (&self.seen[1], &visibility.blurs[0], &self.blur_groups[0]),
            (&self.seen[0], &visibility.blurs[1], &self.blur_groups[1]),
        ];
        for (target, pipeline, group) in steps {
            let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
                label: Some("visible"),
                color_attachments: &[Some(gpu::onto(target, None, wgpu::Color::BLACK))],
                ..wgpu::RenderPassDescriptor::default()
            });
            pass.set_pipeline(pipeline);
            pass.set_bind_group(0, frame, &[]);
            pass.set_bind_group(1, group, &[]);
            pass.draw(0..3, 0..1);
        }
    }
}
