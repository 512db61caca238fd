//! Scenes drawn on a graphics card, in real time, for windows.
//!
//! A [`Renderer`] draws the same [`Scene`] as [`crate::render`] and aims at the same picture. A frame is a short story:
//! upload what has changed, draw the scene as the light sees it, survey it as the eye sees it, find what each pixel of the
//! survey sees of the key light and of the sky, paint everything, and add lines.
//!
//! # The same as the ray caster's
//!
//! - Camera, background, film curve, light model (key, sky and bounce, highlight and sheen) term by term.
//! - Paints, vertex colours, inner triangles, and the rule for normals: smooth within 50°, sharp across larger angles.
//! - The floor with its grid, its automatic values and its fade.
//! - Balls are exact: every pixel casts its ray.
//! - What the documentation of [`Scene`] promises for broken input: it is left out, and the rest is drawn.
//!
//! # What differs
//!
//! - Shadows come from a map that is fitted to what is drawn on the stage and one diagonal of it around; what lies farther
//!   off throws none. Their edges widen with the distance of what throws them, by a mean distance instead of rays.
//! - Ambient occlusion knows only what is in the picture: horizons in the survey instead of rays. The floor's share is
//!   a formula. Things outside of the picture, or behind others, darken nothing.
//! - Both are found once for [`Extras::coarseness`]² pixels, so fine creases are softer.
//! - Textures are filtered with smaller copies of themselves, so far ones are calmer.
//! - Nothing nearer to the eye than a thousandth of the stage is drawn.
//! - The bytes depend on the graphics card.
//!
//! ```no_run
//! use pliant_draw::{Scene, live};
//!
//! let (device, queue) = live::headless().expect("a graphics card, or software in its place");
//! let mut renderer = live::Renderer::new(&device, &queue, wgpu::TextureFormat::Bgra8Unorm);
//! renderer.draw(&device, &queue, &Scene::default(), &live::Extras::default(), [640, 480]);
//! let picture = renderer.read(&device, &queue);
//! assert_eq!((picture.width, picture.height), (640, 480));
//! ```

mod balls;
mod develop;
mod floor;
mod frame;
mod gpu;
mod lines;
mod mesh;
mod picture;
mod roles;
mod textures;
mod visibility;

pub use lines::Line;

use crate::image::Image;
use crate::scene::Scene;
use balls::Balls;
use develop::Develop;
use frame::{Frame, Sizes};
use lines::Lines;
use mesh::Meshes;
use picture::{Picture, Show};
use roles::{Cast, Layouts, Role};
use visibility::{Targets, Visibility};

/// What is drawn besides the scene, and how.
#[derive(Clone, Debug, PartialEq)]
pub struct Extras {
    /// Lines among the surfaces or over them.
    pub lines: Vec<Line>,
    /// Whether the edges of triangles are drawn.
    pub wireframe: bool,
    /// Whether things throw shadows.
    pub shadows: bool,
    /// Whether hollows and corners are darker.
    pub occlusion: bool,
    /// Samples of a pixel, for smooth edges. With 1, edges are smoothed afterwards, and every pixel is lit once instead of
    /// every piece of a triangle in it, which is faster for many small triangles. Anything above is 4. 0 chooses 4 on a
    /// graphics card and 1 on software in its place. With OpenGL it is always 4.
    pub samples: u32,
    /// Side in pixels of the squares for which shadow and occlusion are found: 1 is finest, 2 is four times as fast. 0
    /// chooses 1 on a graphics card and 2 on software in its place.
    pub coarseness: u32,
}

impl Default for Extras {
    /// Shadows, occlusion and smooth edges; no lines, no wireframe.
    fn default() -> Self {
        Self {
            lines: Vec::new(),
            wireframe: false,
            shadows: true,
            occlusion: true,
            samples: 0,
            coarseness: 0,
        }
    }
}

/// Draws scenes on a device.
pub struct Renderer {
    /// Whether the device is a processor that plays a graphics card.
    is_software: bool,
    /// Whether depth can be copied from one texture to another: not by OpenGL.
    copies_depth: bool,
    layouts: Layouts,
    frame_buffer: wgpu::Buffer,
    frame_group: wgpu::BindGroup,
    meshes: Meshes,
    balls: Balls,
    lines: Lines,
    shadow: Cast,
    visibility: Visibility,
    /// For several samples a pixel and for one; made when they are first needed.
    direct: Option<Direct>,
    recorded: Option<Recorded>,
    show: Show,
    canvas: Option<Canvas>,
}

/// Pipelines for several samples a pixel: things are surveyed, then painted one by one.
struct Direct {
    survey: Cast,
    paint: Cast,
    floor: floor::Pipelines,
    lines: lines::Pipelines,
}

/// Pipelines for one sample a pixel: things are recorded with their colours, then the picture is painted from the record.
struct Recorded {
    record: Cast,
    develop: Develop,
    floor: floor::Pipelines,
    lines: lines::Pipelines,
}

/// The textures of one size of picture.
struct Canvas {
    sizes: Sizes,
    picture: Picture,
    targets: Targets,
    /// The survey for developing.
    record: Option<wgpu::BindGroup>,
}

/// What the stages of one frame need to know.
struct Plan {
    frame: Option<Frame>,
    background: wgpu::Color,
    shadows: bool,
    occlusion: bool,
}

impl Renderer {
    /// Prepares the device; `format` is that of the window into which pictures are copied.
    pub fn new(device: &wgpu::Device, queue: &wgpu::Queue, format: wgpu::TextureFormat) -> Self {
        let info = device.adapter_info();
        let layouts = layouts(device);
        let frame_buffer = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("frame"),
            size: size_of::<Frame>() as u64,
            usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let frame_group = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("frame"),
            layout: &layouts.frame,
            entries: &[wgpu::BindGroupEntry {
                binding: 0,
                resource: frame_buffer.as_entire_binding(),
            }],
        });
        Self {
            is_software: info.device_type == wgpu::DeviceType::Cpu,
            copies_depth: info.backend != wgpu::Backend::Gl,
            meshes: Meshes::new(device, queue, &layouts),
            balls: Balls::new(),
            lines: Lines::new(),
            shadow: Cast::new(device, &layouts, Role::Shadow),
            visibility: Visibility::new(device, &layouts.frame),
            direct: None,
            recorded: None,
            show: Show::new(device, format),
            canvas: None,
            layouts,
            frame_buffer,
            frame_group,
        }
    }

    /// Draws the scene into a picture of its own. A side of 0 leaves nothing to show; one above the device's largest is cut
    /// down to it.
    pub fn draw(
        &mut self,
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        scene: &Scene,
        extras: &Extras,
        size: [u32; 2],
    ) {
        let Some(plan) = self.prepare(device, queue, scene, extras, size) else {
            return;
        };
        let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        for (_, stage) in STAGES {
            stage(self, &mut encoder, &plan);
        }
        queue.submit([encoder.finish()]);
    }

    /// Draws like [`Renderer::draw`] but waits after each stage: the stages' names and how far `clock` runs in each.
    pub fn measure(
        &mut self,
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        scene: &Scene,
        extras: &Extras,
        size: [u32; 2],
        clock: impl Fn() -> f64,
    ) -> Vec<(&'static str, f64)> {
        let wait = || {
            // A device that is lost has nothing to wait for.
            let _ = device.poll(wgpu::PollType::wait_indefinitely());
        };
        wait();
        let start = clock();
        let Some(plan) = self.prepare(device, queue, scene, extras, size) else {
            return Vec::new();
        };
        let mut times = vec![("prepare", clock() - start)];
        for (name, stage) in STAGES {
            let start = clock();
            let mut encoder =
                device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            stage(self, &mut encoder, &plan);
            queue.submit([encoder.finish()]);
            wait();
            times.push((name, clock() - start));
        }
        times
    }

    /// Copies the last picture into the viewport of a pass, which has one sample and no depth.
    pub fn show(&self, pass: &mut wgpu::RenderPass<'_>) {
        if let Some(canvas) = &self.canvas {
            self.show.draw(pass, &canvas.picture);
        }
    }

    /// The last picture, read back; one without pixels if there is none. Waits for the device.
    pub fn read(&self, device: &wgpu::Device, queue: &wgpu::Queue) -> Image {
        self.canvas.as_ref().map_or_else(
            || Image::new(0, 0, [0; 3]),
            |canvas| canvas.picture.read(device, queue),
        )
    }

    /// Uploads the scene and makes what is missing for a picture of this size; `None` if there is nothing to draw into.
    fn prepare(
        &mut self,
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        scene: &Scene,
        extras: &Extras,
        size: [u32; 2],
    ) -> Option<Plan> {
        let Some(sizes) = self.sizes(device, extras, size) else {
            self.canvas = None;
            return None;
        };
        self.make_pipelines(device, sizes.samples);
        self.make_canvas(device, sizes);
        let bounds = [
            self.meshes.update(device, queue, &self.layouts, scene),
            self.balls.update(device, queue, scene),
        ];
        let drawn = bounds.into_iter().flatten().reduce(crate::bvh::Aabb::join);
        self.lines.update(device, queue, &extras.lines);
        let frame = Frame::new(scene, extras, drawn, &sizes);
        if let Some(frame) = &frame {
            queue.write_buffer(&self.frame_buffer, 0, bytemuck::bytes_of(frame));
        }
        let top = crate::color::to_linear(scene.background.top);
        let [r, g, b] = top.as_dvec3().to_array();
        Some(Plan {
            frame,
            background: wgpu::Color { r, g, b, a: 1.0 },
            shadows: extras.shadows,
            occlusion: extras.occlusion,
        })
    }

    /// Sizes of all textures, unless the picture has none.
    fn sizes(&self, device: &wgpu::Device, extras: &Extras, size: [u32; 2]) -> Option<Sizes> {
        if size.contains(&0) {
            return None;
        }
        let largest = device.limits().max_texture_dimension_2d;
        let picture = size.map(|side| side.min(largest));
        let choose = |wish: u32, card: u32, software: u32| match wish {
            0 if self.is_software => software,
            0 => card,
            wish => wish,
        };
        let coarseness = choose(extras.coarseness, 1, 2).min(16);
        let visible = picture.map(|side| side.div_ceil(coarseness));
        let (samples, survey, stride) = match choose(extras.samples, 4, 1) {
            1 if self.copies_depth => (1, picture, coarseness),
            _ => (4, visible, 1),
        };
        Some(Sizes {
            picture,
            survey,
            visible,
            stride,
            shadow: choose(0, 2048, 1024).min(largest),
            samples,
        })
    }

    fn make_pipelines(&mut self, device: &wgpu::Device, samples: u32) {
        let layouts = &self.layouts;
        let cast = |role| Cast::new(device, layouts, role);
        let floor = || floor::Pipelines::new(device, layouts, samples);
        let lines = || lines::Pipelines::new(device, &layouts.frame, samples);
        if samples > 1 {
            self.direct.get_or_insert_with(|| Direct {
                survey: cast(Role::Survey),
                paint: cast(Role::Paint(samples)),
                floor: floor(),
                lines: lines(),
            });
        } else {
            self.recorded.get_or_insert_with(|| Recorded {
                record: cast(Role::Record),
                develop: Develop::new(device, layouts),
                floor: floor(),
                lines: lines(),
            });
        }
    }

    /// Makes textures of other sizes if those at hand do not fit.
    fn make_canvas(&mut self, device: &wgpu::Device, sizes: Sizes) {
        if self.canvas.as_ref().is_some_and(|c| c.sizes == sizes) {
            return;
        }
        let buffer = &self.frame_buffer;
        let targets = Targets::new(device, &self.visibility, &self.layouts, buffer, &sizes);
        self.canvas = Some(Canvas {
            sizes,
            picture: Picture::new(device, &self.show, &sizes),
            record: self
                .recorded
                .as_ref()
                .filter(|_| sizes.samples == 1)
                .map(|r| r.develop.bind(device, &targets)),
            targets,
        });
    }

    /// The scene as the light sees it.
    fn cast_shadows(&self, encoder: &mut wgpu::CommandEncoder, plan: &Plan) {
        if let (Some(canvas), true) = (&self.canvas, plan.frame.is_some() && plan.shadows) {
            let mut pass = canvas.targets.begin_shadow(encoder);
            pass.set_bind_group(0, &self.frame_group, &[]);
            self.meshes.draw_shapes(&mut pass, &self.shadow.meshes);
            self.balls.draw(&mut pass, &self.shadow.balls);
        }
    }

    /// The scene as the eye sees it: its shape, and its colours if the picture is painted from them.
    fn survey(&self, encoder: &mut wgpu::CommandEncoder, plan: &Plan) {
        let Some(canvas) = self.canvas.as_ref().filter(|_| plan.frame.is_some()) else {
            return;
        };
        let cast = if canvas.record.is_some() {
            self.recorded.as_ref().map(|r| &r.record)
        } else {
            // Only what is seen of the lights is found from it.
            let needed = plan.shadows || plan.occlusion;
            self.direct.as_ref().filter(|_| needed).map(|d| &d.survey)
        };
        let Some(cast) = cast else {
            return;
        };
        let mut pass = canvas.targets.begin_survey(encoder);
        pass.set_bind_group(0, &self.frame_group, &[]);
        if canvas.record.is_some() {
            self.meshes.draw_painted(&mut pass, &cast.meshes);
        } else {
            self.meshes.draw_shapes(&mut pass, &cast.meshes);
        }
        self.balls.draw(&mut pass, &cast.balls);
        drop(pass);
        canvas.targets.end_survey(encoder);
    }

    /// What each pixel of the survey sees of the key light and of the sky.
    fn look(&self, encoder: &mut wgpu::CommandEncoder, plan: &Plan) {
        let needed = plan.frame.is_some() && (plan.shadows || plan.occlusion);
        if let (Some(canvas), true) = (&self.canvas, needed) {
            let frame = &self.frame_group;
            canvas.targets.look(encoder, &self.visibility, frame);
        }
    }

    /// The picture, with lines.
    fn paint(&self, encoder: &mut wgpu::CommandEncoder, plan: &Plan) {
        let Some(canvas) = &self.canvas else {
            return;
        };
        let targets = &canvas.targets;
        let mut pass = canvas
            .picture
            .begin(encoder, plan.background, &targets.depth);
        let Some(frame) = &plan.frame else {
            return;
        };
        pass.set_bind_group(0, &targets.painter_group, &[]);
        let (floor, lines) = match (&canvas.record, &self.recorded, &self.direct) {
            (Some(record), Some(recorded), _) => {
                recorded.develop.draw(&mut pass, record);
                (&recorded.floor, &recorded.lines)
            }
            (None, _, Some(direct)) => {
                self.meshes.draw_painted(&mut pass, &direct.paint.meshes);
                self.balls.draw(&mut pass, &direct.paint.balls);
                (&direct.floor, &direct.lines)
            }
            _ => return,
        };
        floor.draw(&mut pass, frame.has_floor());
        pass.set_bind_group(0, &self.frame_group, &[]);
        self.lines.draw(&mut pass, lines);
    }

    /// Smooth edges, if one sample a pixel has left steps.
    fn finish(&self, encoder: &mut wgpu::CommandEncoder, _: &Plan) {
        if let Some(canvas) = &self.canvas {
            canvas.picture.finish(encoder, &self.show);
        }
    }
}

/// A stage of a frame.
type Stage = fn(&Renderer, &mut wgpu::CommandEncoder, &Plan);

/// The stages of a frame in their order.
const STAGES: [(&str, Stage); 5] = [
    ("shadow", Renderer::cast_shadows),
    ("survey", Renderer::survey),
    ("look", Renderer::look),
    ("paint", Renderer::paint),
    ("finish", Renderer::finish),
];

/// The layouts that several pipelines share.
fn layouts(device: &wgpu::Device) -> Layouts {
    let frame = gpu::uniform_entry(0, false, size_of::<Frame>() as u64);
    let seen = gpu::texture_entry(1, false);
    let picture = [gpu::texture_entry(0, true), gpu::sampler_entry(1)];
    Layouts {
        frame: gpu::bind_layout(device, "frame", &[frame]),
        painter: gpu::bind_layout(device, "painter", &[frame, seen]),
        look: mesh::look_layout(device),
        picture: gpu::bind_layout(device, "picture", &picture),
    }
}

/// A device without a window, for pictures in memory; `None` if there is neither a graphics card nor software in its place.
pub fn headless() -> Option<(wgpu::Device, wgpu::Queue)> {
    let instance =
        wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle().with_env());
    let adapter = finished(instance.request_adapter(&wgpu::RequestAdapterOptions {
        power_preference: wgpu::PowerPreference::HighPerformance,
        ..wgpu::RequestAdapterOptions::default()
    }))?
    .ok()?;
    let limits = wgpu::Limits::downlevel_defaults().using_resolution(adapter.limits());
    let device = adapter.request_device(&wgpu::DeviceDescriptor {
        label: Some("pliant"),
        required_limits: limits,
        ..wgpu::DeviceDescriptor::default()
    });
    finished(device)?.ok()
}

/// The result of a future that does not wait, as those of a device outside of a browser.
fn finished<F: Future>(future: F) -> Option<F::Output> {
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    match std::pin::pin!(future).poll(&mut context) {
        std::task::Poll::Ready(output) => Some(output),
        std::task::Poll::Pending => None,
    }
}

#[cfg(test)]
mod tests;
