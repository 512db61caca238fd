//! The floor and the background.

use super::gpu::{self, Recipe};
use super::roles::{Layouts, Role};

/// The pipeline of the floor in a role.
pub(super) fn pipeline(
    device: &wgpu::Device,
    layouts: &Layouts,
    role: Role,
) -> wgpu::RenderPipeline {
    let (module, groups) = (shader(device), [Some(role.frame(layouts))]);
    Recipe {
        strip: true,
        ..role.recipe("floor", &module, &groups)
    }
    .build(device)
}

/// The pipeline that paints the background where nothing is.
pub(super) fn sky_pipeline(
    device: &wgpu::Device,
    layouts: &Layouts,
    samples: u32,
) -> wgpu::RenderPipeline {
    let (module, groups) = (shader(device), [Some(&layouts.painter)]);
    Recipe {
        vertex: "sky_corner",
        fragment: Some("sky"),
        depth: Some((false, wgpu::CompareFunction::GreaterEqual)),
        ..Role::Paint(samples).recipe("sky", &module, &groups)
    }
    .build(device)
}

/// Draws the floor's square.
pub(super) fn draw(pass: &mut wgpu::RenderPass<'_>, pipeline: &wgpu::RenderPipeline) {
    pass.set_pipeline(pipeline);
    pass.draw(0..4, 0..1);
}

/// Draws over the whole picture.
pub(super) fn draw_sky(pass: &mut wgpu::RenderPass<'_>, pipeline: &wgpu::RenderPipeline) {
    pass.set_pipeline(pipeline);
    pass.draw(0..3, 0..1);
}

fn shader(device: &wgpu::Device) -> wgpu::ShaderModule {
    let parts = [
        include_str!("frame.wgsl"),
        include_str!("light.wgsl"),
        include_str!("floor.wgsl"),
    ];
    gpu::shader(device, "floor", &parts)
}
