//! The floor and the background.

use super::gpu::{self, Recipe};

/// The pipelines that paint them.
pub(super) struct Pipelines {
    floor: wgpu::RenderPipeline,
    sky: wgpu::RenderPipeline,
}

impl Pipelines {
    pub(super) fn new(
        device: &wgpu::Device,
        frame: &wgpu::BindGroupLayout,
        seen: &wgpu::BindGroupLayout,
        samples: u32,
    ) -> Self {
        let module = shader(device);
        Self {
            floor: Recipe {
                groups: &[Some(frame), Some(seen)],
                targets: &[gpu::COLOR],
                samples,
                ..recipe(&module)
            }
            .build(device),
            sky: Recipe {
                label: "sky",
                groups: &[Some(frame), Some(seen)],
                vertex: "sky_corner",
                fragment: Some("sky"),
                strip: false,
                targets: &[gpu::COLOR],
                depth: Some((false, wgpu::CompareFunction::GreaterEqual)),
                samples,
                ..recipe(&module)
            }
            .build(device),
        }
    }

    /// Paints both behind what is drawn already.
    pub(super) fn draw(&self, pass: &mut wgpu::RenderPass<'_>, has_floor: bool) {
        if has_floor {
            draw(pass, &self.floor);
        }
        pass.set_pipeline(&self.sky);
        pass.draw(0..3, 0..1);
    }
}

/// The pipeline that draws the floor into the survey.
pub(super) fn surveyor(
    device: &wgpu::Device,
    frame: &wgpu::BindGroupLayout,
    survey: &[wgpu::TextureFormat],
) -> wgpu::RenderPipeline {
    Recipe {
        label: "floor survey",
        groups: &[Some(frame)],
        fragment: Some("survey"),
        targets: survey,
        ..recipe(&shader(device))
    }
    .build(device)
}

/// Draws the floor's square.
pub(super) fn draw(pass: &mut wgpu::RenderPass<'_>, pipeline: &wgpu::RenderPipeline) {
    pass.set_pipeline(pipeline);
    pass.draw(0..4, 0..1);
}

fn shader(device: &wgpu::Device) -> wgpu::ShaderModule {
    let parts = [
        include_str!("frame.wgsl"),
        include_str!("light.wgsl"),
        include_str!("floor.wgsl"),
    ];
    gpu::shader(device, "floor", &parts)
}

fn recipe(module: &wgpu::ShaderModule) -> Recipe<'_> {
    Recipe {
        label: "floor",
        module,
        groups: &[],
        vertex: "corner",
        fragment: Some("paint"),
        buffer: None,
        strip: true,
        targets: &[],
        depth: Some((true, wgpu::CompareFunction::Greater)),
        samples: 1,
        alpha_to_coverage: false,
    }
}
