//! Balls: one triangle each, on which the fragment shader casts the pixels' rays.

use super::gpu::{self, GrowBuffer, Recipe};
use super::roles::{Layouts, Role};
use crate::bvh::Aabb;
use crate::scene::Scene;
use rayon::prelude::*;

/// A corner of a ball's triangle. All three are alike: the shader tells them apart by their number. Instances would be
/// smaller, but many tiny ones are slow on most devices.
#[repr(C)]
#[derive(Clone, Copy, Default, bytemuck::Pod, bytemuck::Zeroable)]
struct Corner {
    center: [f32; 3],
    radius: f32,
    /// sRGB, and gloss.
    color: [u8; 4],
}

/// All balls of the scene on the device.
pub(super) struct Balls {
    corners: Vec<[Corner; 3]>,
    buffer: GrowBuffer,
}

impl Balls {
    pub(super) fn new() -> Self {
        Self {
            corners: Vec::new(),
            buffer: GrowBuffer::new("balls", wgpu::BufferUsages::VERTEX),
        }
    }

    /// Uploads the scene's balls and returns the box around them.
    pub(super) fn update(
        &mut self,
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        scene: &Scene,
    ) -> Option<Aabb> {
        let most = GrowBuffer::most::<[Corner; 3]>(device).min(u32::MAX as usize / 3);
        let balls = &scene.balls[..scene.balls.len().min(most)];
        let sound = balls
            .par_iter()
            .with_min_len(1024)
            .filter(|b| b.center.is_finite() && b.radius.is_finite() && b.radius > 0.0);
        self.corners.clear();
        self.corners.par_extend(sound.clone().map(|b| {
            let [r, g, b_] = b.color;
            [Corner {
                center: b.center.to_array(),
                radius: b.radius,
                color: [r, g, b_, (b.gloss.clamp(0.0, 1.0) * 255.0 + 0.5) as u8],
            }; 3]
        }));
        self.buffer.write(device, queue, &self.corners);
        sound
            .map(|b| Aabb {
                lo: b.center - b.radius,
                hi: b.center + b.radius,
            })
            .reduce_with(Aabb::join)
    }

    pub(super) fn draw(&self, pass: &mut wgpu::RenderPass<'_>, pipeline: &wgpu::RenderPipeline) {
        let Some(buffer) = self.buffer.get().filter(|_| !self.corners.is_empty()) else {
            return;
        };
        pass.set_pipeline(pipeline);
        pass.set_vertex_buffer(0, buffer.slice(..));
        pass.draw(0..3 * self.corners.len() as u32, 0..1);
    }
}

/// The pipeline of balls in a role.
pub(super) fn pipeline(
    device: &wgpu::Device,
    layouts: &Layouts,
    role: Role,
) -> wgpu::RenderPipeline {
    const ATTRIBUTES: [wgpu::VertexAttribute; 2] =
        wgpu::vertex_attr_array![0 => Float32x4, 1 => Unorm8x4];
    let parts = [
        include_str!("frame.wgsl"),
        include_str!("light.wgsl"),
        include_str!("ball.wgsl"),
    ];
    let module = gpu::shader(device, "ball", &parts);
    let groups = [Some(role.frame(layouts))];
    let mut recipe = Recipe {
        buffer: Some(wgpu::VertexBufferLayout {
            array_stride: size_of::<Corner>() as u64,
            step_mode: wgpu::VertexStepMode::Vertex,
            attributes: &ATTRIBUTES,
        }),
        alpha_to_coverage: matches!(role, Role::Paint(_)),
        ..role.recipe("ball", &module, &groups)
    };
    if role == Role::Shadow {
        // Unlike a triangle's, a ball's depth is not that of its corners.
        recipe.vertex = "shadow_corner";
        recipe.fragment = Some("shadow");
    }
    recipe.build(device)
}
