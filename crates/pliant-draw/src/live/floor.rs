//! The floor and the background.

use super::gpu::{self, Recipe};
use super::roles::{Layouts, Role};

/// The pipelines that paint them.
pub(super) struct Pipelines {
    floor: wgpu::RenderPipeline,
    sky: wgpu::RenderPipeline,
}

impl Pipelines {
    pub(super) fn new(device: &wgpu::Device, layouts: &Layouts, samples: u32) -> Self {
        let parts = [
            include_str!("frame.wgsl"),
            include_str!("light.wgsl"),
            include_str!("floor.wgsl"),
        ];
        let module = gpu::shader(device, "floor", &parts);
        let groups = [Some(&layouts.painter)];
        let recipe = |label| Role::Paint(samples).recipe(label, &module, &groups);
        Self {
            floor: Recipe {
                strip: true,
                ..recipe("floor")
            }
            .build(device),
            sky: Recipe {
                vertex: "sky_corner",
                fragment: Some("sky"),
                depth: Some((false, wgpu::CompareFunction::Equal)),
                ..recipe("sky")
            }
            .build(device),
        }
    }

    /// Paints both behind what is drawn already.
    pub(super) fn draw(&self, pass: &mut wgpu::RenderPass<'_>, has_floor: bool) {
        if has_floor {
            pass.set_pipeline(&self.floor);
            pass.draw(0..4, 0..1);
        }
        pass.set_pipeline(&self.sky);
        pass.draw(0..3, 0..1);
    }
}
