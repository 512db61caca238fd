//! Lines of a given width in pixels, among the surfaces or over them.

use super::gpu::{self, GrowBuffer, Recipe};
use glam::Vec3;

/// A straight line with a width in pixels of the picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Line {
    /// One end (m).
    pub a: Vec3,
    /// The other end (m).
    pub b: Vec3,
    /// Colour, sRGB; shown as it is, without light.
    pub color: [u8; 3],
    /// Width (pixels).
    pub width: f32,
    /// Whether it is drawn over everything; otherwise surfaces before it hide it.
    pub on_top: bool,
}

/// A corner of a line's two triangles. All six are alike: the shader tells them apart by their number.
#[repr(C)]
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
struct Corner {
    a: [f32; 3],
    b: [f32; 3],
    color: [u8; 4],
    width: f32,
}

/// All lines on the device, those among the surfaces first.
pub(super) struct Lines {
    corners: Vec<[Corner; 6]>,
    /// How many lie among the surfaces.
    among: usize,
    buffer: GrowBuffer,
}

impl Lines {
    pub(super) fn new() -> Self {
        Self {
            corners: Vec::new(),
            among: 0,
            buffer: GrowBuffer::new("lines", wgpu::BufferUsages::VERTEX),
        }
    }

    pub(super) fn update(&mut self, device: &wgpu::Device, queue: &wgpu::Queue, lines: &[Line]) {
        let most = GrowBuffer::most::<[Corner; 6]>(device).min(u32::MAX as usize / 6);
        let sound = |on_top: bool| {
            lines.iter().filter(move |l| {
                l.on_top == on_top && l.a.is_finite() && l.b.is_finite() && l.width > 0.0
            })
        };
        self.corners.clear();
        for on_top in [false, true] {
            let room = most - self.corners.len();
            self.corners.extend(sound(on_top).take(room).map(|line| {
                let [r, g, b] = line.color;
                [Corner {
                    a: line.a.to_array(),
                    b: line.b.to_array(),
                    color: [r, g, b, 255],
                    width: line.width.min(1e3),
                }; 6]
            }));
            if !on_top {
                self.among = self.corners.len();
            }
        }
        self.buffer.write(device, queue, &self.corners);
    }

    pub(super) fn draw(&self, pass: &mut wgpu::RenderPass<'_>, pipelines: &Pipelines) {
        let Some(buffer) = self.buffer.get() else {
            return;
        };
        pass.set_vertex_buffer(0, buffer.slice(..));
        let (among, all) = (6 * self.among as u32, 6 * self.corners.len() as u32);
        for (pipeline, range) in [
            (&pipelines.among, 0..among),
            (&pipelines.on_top, among..all),
        ] {
            if !range.is_empty() {
                pass.set_pipeline(pipeline);
                pass.draw(range, 0..1);
            }
        }
    }
}

/// The pipelines of lines among the surfaces and over them.
pub(super) struct Pipelines {
    among: wgpu::RenderPipeline,
    on_top: wgpu::RenderPipeline,
}

impl Pipelines {
    pub(super) fn new(device: &wgpu::Device, frame: &wgpu::BindGroupLayout, samples: u32) -> Self {
        const ATTRIBUTES: [wgpu::VertexAttribute; 4] =
            wgpu::vertex_attr_array![0 => Float32x3, 1 => Float32x3, 2 => Unorm8x4, 3 => Float32];
        let parts = [include_str!("frame.wgsl"), include_str!("line.wgsl")];
        let module = gpu::shader(device, "line", &parts);
        let build = |compare| {
            Recipe {
                label: "line",
                module: &module,
                groups: &[Some(frame)],
                vertex: "corner",
                fragment: Some("paint"),
                buffer: Some(wgpu::VertexBufferLayout {
                    array_stride: size_of::<Corner>() as u64,
                    step_mode: wgpu::VertexStepMode::Vertex,
                    attributes: &ATTRIBUTES,
                }),
                strip: false,
                constants: &[],
                targets: &[gpu::COLOR],
                depth: Some((false, compare)),
                samples,
                alpha_to_coverage: false,
            }
            .build(device)
        };
        Self {
            among: build(wgpu::CompareFunction::GreaterEqual),
            on_top: build(wgpu::CompareFunction::Always),
        }
    }
}
