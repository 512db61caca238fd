//! Balls: one triangle each, on which the fragment shader casts the pixels' rays.

use super::gpu::{self, GrowBuffer, Recipe};
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

/// The pipelines that draw balls for their shape alone.
pub(super) struct Shapes {
    pub(super) shadow: wgpu::RenderPipeline,
    pub(super) survey: wgpu::RenderPipeline,
}

impl Shapes {
    pub(super) fn new(
        device: &wgpu::Device,
        frame: &wgpu::BindGroupLayout,
        survey: &[wgpu::TextureFormat],
    ) -> Self {
        let module = shader(device);
        Self {
            shadow: Recipe {
                label: "ball shadow",
                groups: &[Some(frame)],
                vertex: "shadow_corner",
                fragment: Some("shadow"),
                depth: Some((true, wgpu::CompareFunction::Less)),
                ..recipe(&module)
            }
            .build(device),
            survey: Recipe {
                label: "ball survey",
                groups: &[Some(frame)],
                fragment: Some("survey"),
                targets: survey,
                ..recipe(&module)
            }
            .build(device),
        }
    }
}

/// The pipeline that draws balls with light.
pub(super) fn painter(
    device: &wgpu::Device,
    frame: &wgpu::BindGroupLayout,
    seen: &wgpu::BindGroupLayout,
    samples: u32,
) -> wgpu::RenderPipeline {
    Recipe {
        groups: &[Some(frame), Some(seen)],
        fragment: Some("paint"),
        targets: &[gpu::COLOR],
        samples,
        alpha_to_coverage: true,
        ..recipe(&shader(device))
    }
    .build(device)
}

fn shader(device: &wgpu::Device) -> wgpu::ShaderModule {
    let parts = [
        include_str!("frame.wgsl"),
        include_str!("light.wgsl"),
        include_str!("ball.wgsl"),
    ];
    gpu::shader(device, "ball", &parts)
}

/// What all of the balls' pipelines have in common.
fn recipe(module: &wgpu::ShaderModule) -> Recipe<'_> {
    const ATTRIBUTES: [wgpu::VertexAttribute; 2] =
        wgpu::vertex_attr_array![0 => Float32x4, 1 => Unorm8x4];
    Recipe {
        label: "ball",
        module,
        groups: &[],
        vertex: "corner",
        fragment: None,
        buffer: Some(wgpu::VertexBufferLayout {
            array_stride: size_of::<Corner>() as u64,
            step_mode: wgpu::VertexStepMode::Vertex,
            attributes: &ATTRIBUTES,
        }),
        strip: false,
        targets: &[],
        depth: Some((true, wgpu::CompareFunction::Greater)),
        samples: 1,
        alpha_to_coverage: false,
    }
}
