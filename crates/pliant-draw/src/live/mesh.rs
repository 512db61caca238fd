//! Triangle meshes: from the scene's objects to corners in a vertex buffer, every frame anew.
//!
//! Each triangle has three corners of its own. Shared vertices would be fewer, but colours and normals may differ on both
//! sides of an edge, and the wireframe needs to know which corner of a triangle it has.

use super::gpu::{self, GrowBuffer, Recipe};
use super::roles::{Layouts, Role};
use super::textures::Textures;
use crate::bvh::Aabb;
use crate::color::to_linear;
use crate::scene::{Object, Paint, Scene};
use crate::trace::{corner_normals, sound_triangle};
use glam::{Vec2, Vec3};
use rayon::prelude::*;
use std::ops::Range;

/// A corner as the vertex shader takes it.
#[repr(C)]
#[derive(Clone, Copy, Default, bytemuck::Pod, bytemuck::Zeroable)]
struct Corner {
    position: [f32; 3],
    /// Unit normal on the unfolded octahedron.
    normal: [i16; 2],
    /// Linear colour that multiplies the pattern, and gloss.
    color: [u16; 4],
    /// Place in the pattern, and its scale; a scale of 0 has no pattern.
    pattern: [f32; 4],
}

/// The pattern's colours, the twin of `Look` in `mesh.wgsl`; the last number of the first is the kind of paint.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
struct Look {
    first: [f32; 4],
    second: [f32; 4],
}

impl Look {
    const PLAIN: Self = Self {
        first: [0.0; 4],
        second: [0.0; 4],
    };

    fn of(object: &Object) -> Self {
        match &object.paint {
            Paint::Plain(_) => Self::PLAIN,
            Paint::Checker { colors, .. } => Self {
                first: to_linear(colors[0]).extend(1.0).to_array(),
                second: to_linear(colors[1]).extend(0.0).to_array(),
            },
            Paint::Picture { base, .. } => Self {
                first: to_linear(*base).extend(2.0).to_array(),
                second: [0.0; 4],
            },
        }
    }
}

/// Corners that are drawn with one look.
struct Run {
    corners: Range<u32>,
    /// Which kind of paint.
    paint: usize,
    look: u32,
    texture: usize,
}

/// All meshes of the scene on the device.
pub(super) struct Meshes {
    corners: Vec<Corner>,
    runs: Vec<Run>,
    /// Looks, each at a multiple of the device's alignment.
    looks: Vec<u8>,
    look_stride: u32,
    corner_buffer: GrowBuffer,
    look_buffer: GrowBuffer,
    look_group: Option<wgpu::BindGroup>,
    textures: Textures,
}

/// The layout of the looks' bind group.
pub(super) fn look_layout(device: &wgpu::Device) -> wgpu::BindGroupLayout {
    let entry = gpu::uniform_entry(0, true, size_of::<Look>() as u64);
    gpu::bind_layout(device, "look", &[entry])
}

impl Meshes {
    pub(super) fn new(device: &wgpu::Device, queue: &wgpu::Queue, layouts: &Layouts) -> Self {
        let size = size_of::<Look>() as u64;
        Self {
            corners: Vec::new(),
            runs: Vec::new(),
            looks: Vec::new(),
            look_stride: (size as u32)
                .next_multiple_of(device.limits().min_uniform_buffer_offset_alignment),
            corner_buffer: GrowBuffer::new("corners", wgpu::BufferUsages::VERTEX),
            look_buffer: GrowBuffer::new("looks", wgpu::BufferUsages::UNIFORM),
            look_group: None,
            textures: Textures::new(device, queue, &layouts.picture),
        }
    }

    /// Uploads the scene's objects and returns the box around their triangles. What does not fit into the device's largest
    /// buffer is left out.
    pub(super) fn update(
        &mut self,
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        layouts: &Layouts,
        scene: &Scene,
    ) -> Option<Aabb> {
        self.runs.clear();
        self.looks.clear();
        self.textures.forget_dropped();
        let most = GrowBuffer::most::<Corner>(device).min(u32::MAX as usize) / 3;
        let mut room = most;
        let mut bounds: Option<Aabb> = None;
        self.corners.clear();
        for object in &scene.objects {
            let (mut faces, found) = drawn_faces(object, scene);
            bounds = match (bounds, found) {
                (Some(a), Some(b)) => Some(a.join(b)),
                (a, b) => a.or(b),
            };
            faces.truncate(room);
            if faces.is_empty() {
                continue;
            }
            let start = self.corners.len();
            let end = start + 3 * faces.len();
            self.corners.resize(end, Corner::default());
            fill(object, &faces, &mut self.corners[start..end]);
            let texture = match &object.paint {
                Paint::Picture { texture, .. } => {
                    self.textures.find(device, queue, &layouts.picture, texture)
                }
                _ => Textures::NONE,
            };
            self.add_run(start as u32..end as u32, Look::of(object), texture);
            room -= faces.len();
        }
        self.corner_buffer.write(device, queue, &self.corners);
        if self.look_buffer.write(device, queue, &self.looks) || self.look_group.is_none() {
            self.look_group = self.look_buffer.get().map(|buffer| {
                device.create_bind_group(&wgpu::BindGroupDescriptor {
                    label: Some("look"),
                    layout: &layouts.look,
                    entries: &[wgpu::BindGroupEntry {
                        binding: 0,
                        resource: wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                            buffer,
                            offset: 0,
                            size: std::num::NonZeroU64::new(size_of::<Look>() as u64),
                        }),
                    }],
                })
            });
        }
        bounds
    }

    /// Joins the corners to the last run if both look the same.
    fn add_run(&mut self, corners: Range<u32>, look: Look, texture: usize) {
        let bytes = bytemuck::bytes_of(&look);
        if let Some(last) = self.runs.last_mut() {
            let at = last.look as usize;
            if last.texture == texture && self.looks[at..at + bytes.len()] == *bytes {
                last.corners.end = corners.end;
                return;
            }
        }
        let at = self.looks.len();
        self.looks.extend_from_slice(bytes);
        self.looks.resize(at + self.look_stride as usize, 0);
        self.runs.push(Run {
            corners,
            paint: look.first[3] as usize,
            look: at as u32,
            texture,
        });
    }

    /// Draws all corners for their shape alone.
    pub(super) fn draw_shapes(&self, pass: &mut wgpu::RenderPass<'_>, pipelines: &Pipelines) {
        let Some(buffer) = self
            .corner_buffer
            .get()
            .filter(|_| !self.corners.is_empty())
        else {
            return;
        };
        pass.set_pipeline(&pipelines.0[0]);
        pass.set_vertex_buffer(0, buffer.slice(..));
        pass.draw(0..self.corners.len() as u32, 0..1);
    }

    /// Draws all corners with their paint.
    pub(super) fn draw_painted(&self, pass: &mut wgpu::RenderPass<'_>, pipelines: &Pipelines) {
        let (Some(buffer), Some(looks)) = (self.corner_buffer.get(), &self.look_group) else {
            return;
        };
        pass.set_vertex_buffer(0, buffer.slice(..));
        for run in &self.runs {
            pass.set_pipeline(&pipelines.0[run.paint]);
            pass.set_bind_group(1, looks, &[run.look]);
            pass.set_bind_group(2, self.textures.group(run.texture), &[]);
            pass.draw(run.corners.clone(), 0..1);
        }
    }
}

/// The pipelines of meshes in one role, by paint: plain, checker, picture. For shapes they are one and the same.
pub(super) struct Pipelines([wgpu::RenderPipeline; 3]);

impl Pipelines {
    pub(super) fn new(device: &wgpu::Device, layouts: &Layouts, role: Role) -> Self {
        let parts = [
            include_str!("frame.wgsl"),
            include_str!("light.wgsl"),
            include_str!("mesh.wgsl"),
        ];
        let module = gpu::shader(device, "mesh", &parts);
        if matches!(role, Role::Shadow | Role::Survey) {
            let shape = pipeline(device, layouts, role, &module, 0);
            return Self([shape.clone(), shape.clone(), shape]);
        }
        Self([0, 1, 2].map(|paint| pipeline(device, layouts, role, &module, paint)))
    }
}

fn pipeline(
    device: &wgpu::Device,
    layouts: &Layouts,
    role: Role,
    module: &wgpu::ShaderModule,
    paint: u32,
) -> wgpu::RenderPipeline {
    const ATTRIBUTES: [wgpu::VertexAttribute; 4] =
        wgpu::vertex_attr_array![0 => Float32x3, 1 => Snorm16x2, 2 => Unorm16x4, 3 => Float32x4];
    let groups = [
        Some(role.frame(layouts)),
        Some(&layouts.look),
        Some(&layouts.picture),
    ];
    let constants = [("PAINT", f64::from(paint))];
    let is_shape = matches!(role, Role::Shadow | Role::Survey);
    let groups = if is_shape { &groups[..1] } else { &groups };
    Recipe {
        vertex: match role {
            Role::Shadow => "shadow",
            Role::Survey => "survey_corner",
            _ => "corner",
        },
        buffer: Some(wgpu::VertexBufferLayout {
            array_stride: size_of::<Corner>() as u64,
            step_mode: wgpu::VertexStepMode::Vertex,
            attributes: &ATTRIBUTES,
        }),
        constants: &constants,
        ..role.recipe("mesh", module, groups)
    }
    .build(device)
}

/// The triangles of an object that are drawn, and the box around all. Those of a solid that neither the eye nor the light sees are left
/// out, which is about a third: software takes as long for a triangle as for many pixels.
fn drawn_faces(object: &Object, scene: &Scene) -> (Vec<u32>, Option<Aabb>) {
    let (eye, to_light) = (scene.camera.eye, scene.light.direction);
    let found: Vec<(u32, Aabb, bool)> = object
        .triangles
        .par_iter()
        .enumerate()
        .with_min_len(512)
        .filter_map(|(t, &numbers)| {
            let triangle = sound_triangle(object, numbers)?;
            let (a, ab, ac) = (triangle.a, triangle.ab, triangle.ac);
            let normal = ab.cross(ac);
            let hidden = normal.dot(eye - a) < 0.0 && normal.dot(to_light) < 0.0;
            let bounds = Aabb {
                lo: a + ab.min(ac).min(Vec3::ZERO),
                hi: a + ab.max(ac).max(Vec3::ZERO),
            };
            Some((t as u32, bounds, !(object.closed && hidden)))
        })
        .collect();
    let bounds = found.iter().map(|(_, bounds, _)| *bounds);
    let bounds = bounds.reduce(Aabb::join);
    let drawn = found.iter().filter(|(.., drawn)| *drawn);
    (drawn.map(|(t, ..)| *t).collect(), bounds)
}

/// Writes the corners of some of an object's triangles, which are sound, three for each in turn.
fn fill(object: &Object, faces: &[u32], corners: &mut [Corner]) {
    let normals = corner_normals(object);
    let coat = Coat::new(object);
    corners
        .par_chunks_mut(3)
        .zip(faces)
        .with_min_len(512)
        .for_each(|(corners, &face)| {
            let t = face as usize;
            let numbers = object.triangles[t];
            let positions = numbers.map(|v| object.positions[v as usize]);
            let patterns = coat.patterns(t, numbers, positions);
            for i in 0..3 {
                corners[i] = Corner {
                    position: positions[i].to_array(),
                    normal: fold(normals[t][i]),
                    color: coat.color(t, numbers[i], patterns.is_some()),
                    pattern: patterns.map_or([0.0; 4], |p| p[i]),
                };
            }
        });
}

/// An object's colours, its columns checked once.
struct Coat<'a> {
    object: &'a Object,
    /// Columns of the right length.
    inner: Option<&'a [bool]>,
    colors: Option<&'a [[u8; 4]]>,
    uvs: Option<&'a [[Vec2; 3]]>,
    rest: Option<(&'a [Vec3], f32)>,
    /// The colour where there is no pattern.
    plain: Vec3,
    inner_color: Vec3,
    gloss: u16,
}

impl<'a> Coat<'a> {
    fn new(object: &'a Object) -> Self {
        let vertices = object.positions.len();
        let triangles = object.triangles.len();
        let (plain, rest) = match &object.paint {
            Paint::Plain(color) => (*color, None),
            Paint::Checker { rest, cell, colors } => (
                colors[0],
                (rest.len() == vertices && *cell > 0.0).then_some((&rest[..], *cell)),
            ),
            Paint::Picture { base, .. } => (*base, None),
        };
        let is_picture = matches!(object.paint, Paint::Picture { .. });
        Self {
            object,
            inner: (object.inner.len() == triangles).then_some(&object.inner[..]),
            colors: (object.colors.len() == vertices).then_some(&object.colors[..]),
            uvs: (is_picture && object.corner_uvs.len() == triangles)
                .then_some(&object.corner_uvs[..]),
            rest,
            plain: to_linear(plain),
            inner_color: to_linear(object.inner_color),
            gloss: unorm(object.gloss),
        }
    }

    fn is_inner(&self, triangle: usize) -> bool {
        self.inner.is_some_and(|inner| inner[triangle])
    }

    /// Places in the pattern of a triangle's corners, unless it has none.
    fn patterns(
        &self,
        triangle: usize,
        numbers: [u32; 3],
        now: [Vec3; 3],
    ) -> Option<[[f32; 4]; 3]> {
        if self.is_inner(triangle) {
            return None;
        }
        if let Some((rest, cell)) = self.rest {
            let rest = numbers.map(|v| rest[v as usize]);
            // How much longer the rest shape is than the present one bounds the pixel's width in it.
            let stretch = (0..3)
                .map(|i| {
                    let j = (i + 1) % 3;
                    rest[i].distance_squared(rest[j]) / now[i].distance_squared(now[j]).max(1e-36)
                })
                .fold(0.0, f32::max)
                .sqrt();
            let sound = rest.iter().all(|p| p.is_finite()) && stretch.is_finite();
            return sound
                .then(|| rest.map(|p| (p / cell).extend((stretch / cell).max(1e-20)).to_array()));
        }
        let uvs = self.uvs?[triangle];
        uvs.iter()
            .all(|uv| uv.is_finite())
            .then(|| uvs.map(|uv| [uv.x, uv.y, 0.0, 1.0]))
    }

    /// What multiplies a corner's pattern, or its colour without one, and the gloss.
    fn color(&self, triangle: usize, vertex: u32, has_pattern: bool) -> [u16; 4] {
        let is_inner = self.is_inner(triangle);
        let painted = if is_inner {
            self.inner_color
        } else if has_pattern {
            Vec3::ONE
        } else {
            self.plain
        };
        let colored = match self.colors {
            Some(colors) if !is_inner || self.object.inner_has_colors => {
                let [r, g, b, _] = colors[vertex as usize];
                painted * to_linear([r, g, b])
            }
            _ => painted,
        };
        let [r, g, b] = colored.to_array().map(unorm);
        [r, g, b, self.gloss]
    }
}

fn unorm(x: f32) -> u16 {
    (x.clamp(0.0, 1.0) * 65535.0 + 0.5) as u16
}

/// From the unit sphere to the octahedron's unfolded faces; the inverse of `unfold` in `mesh.wgsl`.
fn fold(n: Vec3) -> [i16; 2] {
    let n = n / (n.x.abs() + n.y.abs() + n.z.abs()).max(1e-20);
    let (x, y) = if n.z >= 0.0 {
        (n.x, n.y)
    } else {
        (
            (1.0 - n.y.abs()).copysign(n.x),
            (1.0 - n.x.abs()).copysign(n.y),
        )
    };
    [x, y].map(|c| (c * 32767.0).round() as i16)
}
