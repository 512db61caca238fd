//! Paints the picture from the survey, for one sample a pixel.

use super::gpu::{self, Recipe};
use super::roles::{Layouts, Role};
use super::visibility::Targets;

/// The pipeline that lights every pixel of the survey once.
pub(super) struct Develop {
    pipeline: wgpu::RenderPipeline,
    layout: wgpu::BindGroupLayout,
}

impl Develop {
    pub(super) fn new(device: &wgpu::Device, layouts: &Layouts) -> Self {
        let entries = [0, 1, 2].map(|binding| gpu::texture_entry(binding, false));
        let layout = gpu::bind_layout(device, "develop", &entries);
        let parts = [
            include_str!("frame.wgsl"),
            include_str!("light.wgsl"),
            include_str!("develop.wgsl"),
        ];
        let module = gpu::shader(device, "develop", &parts);
        let groups = [Some(&layouts.painter), Some(&layout)];
        let pipeline = Recipe {
            fragment: Some("develop"),
            // Drawn at infinity: passes wherever something nearer has been recorded.
            depth: Some((false, wgpu::CompareFunction::Less)),
            ..Role::Paint(1).recipe("develop", &module, &groups)
        }
        .build(device);
        Self { pipeline, layout }
    }

    /// Binds the survey.
    pub(super) fn bind(&self, device: &wgpu::Device, targets: &Targets) -> wgpu::BindGroup {
        let mut views = vec![&targets.surveyed];
        views.extend(&targets.survey);
        gpu::bind_textures(device, &self.layout, &views, None)
    }

    pub(super) fn draw(&self, pass: &mut wgpu::RenderPass<'_>, survey: &wgpu::BindGroup) {
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(1, survey, &[]);
        pass.draw(0..3, 0..1);
    }
}
