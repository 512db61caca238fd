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
mod floor;
mod frame;
mod gpu;
mod lines;
mod mesh;
mod picture;
mod textures;
mod visibility;

pub use lines::Line;

use crate::image::Image;
use crate::scene::Scene;
use balls::Balls;
use frame::{Frame, Sizes};
use lines::Lines;
use mesh::Meshes;
use picture::{Picture, Show};
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
    /// Samples of a pixel, for smooth edges: 1, or 4 for anything above.
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
            samples: 4,
            coarseness: 0,
        }
    }
}

/// Draws scenes on a device.
pub struct Renderer {
    /// Whether the device is a processor that plays a graphics card.
    is_software: bool,
    frame_buffer: wgpu::Buffer,
    frame_layout: wgpu::BindGroupLayout,
    frame_group: wgpu::BindGroup,
    meshes: Meshes,
    balls: Balls,
    lines: Lines,
    visibility: Visibility,
    /// Pipelines for one sample a pixel and for several, made when they are first needed.
    painters: [Option<Painters>; 2],
    show: Show,
    canvas: Option<Canvas>,
}

/// The textures of one size of picture.
struct Canvas {
    sizes: Sizes,
    picture: Picture,
    targets: Targets,
}

/// The pipelines that draw into the picture.
struct Painters {
    meshes: wgpu::RenderPipeline,
    balls: wgpu::RenderPipeline,
    floor: floor::Pipelines,
    lines: lines::Pipelines,
}

/// What the passes of one frame need to know.
struct Plan {
    frame: Option<Frame>,
    background: wgpu::Color,
    look: bool,
    shadows: bool,
}

impl Renderer {
    /// Prepares the device; `format` is that of the window into which pictures are copied.
    pub fn new(device: &wgpu::Device, queue: &wgpu::Queue, format: wgpu::TextureFormat) -> Self {
        let size = size_of::<Frame>() as u64;
        let frame_layout = gpu::bind_layout(device, "frame", &[gpu::uniform_entry(0, false, size)]);
        let frame_buffer = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("frame"),
            size,
            usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let frame_group = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("frame"),
            layout: &frame_layout,
            entries: &[wgpu::BindGroupEntry {
                binding: 0,
                resource: frame_buffer.as_entire_binding(),
            }],
        });
        Self {
            is_software: device.adapter_info().device_type == wgpu::DeviceType::Cpu,
            meshes: Meshes::new(device, queue),
            balls: Balls::new(),
            lines: Lines::new(),
            visibility: Visibility::new(device, &frame_layout),
            painters: [None, None],
            show: Show::new(device, format),
            canvas: None,
            frame_buffer,
            frame_layout,
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

    /// Draws like [`Renderer::draw`] but waits after each stage: the stages' names and their durations in seconds.
    pub fn measure(
        &mut self,
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        scene: &Scene,
        extras: &Extras,
        size: [u32; 2],
    ) -> Vec<(&'static str, f64)> {
        let wait = || {
            // A device that is lost has nothing to wait for.
            let _ = device.poll(wgpu::PollType::wait_indefinitely());
        };
        wait();
        let start = std::time::Instant::now();
        let Some(plan) = self.prepare(device, queue, scene, extras, size) else {
            return Vec::new();
        };
        let mut times = vec![("prepare", start.elapsed().as_secs_f64())];
        for (name, stage) in STAGES {
            let start = std::time::Instant::now();
            let mut encoder =
                device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            stage(self, &mut encoder, &plan);
            queue.submit([encoder.finish()]);
            wait();
            times.push((name, start.elapsed().as_secs_f64()));
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
        let sizes = self.sizes(device, extras, size)?;
        self.resize(device, sizes);
        let painters = &mut self.painters[usize::from(sizes.samples > 1)];
        painters.get_or_insert_with(|| {
            let (frame, seen) = (&self.frame_layout, &self.visibility.seen_layout);
            Painters {
                meshes: self.meshes.painter(device, frame, seen, sizes.samples),
                balls: balls::painter(device, frame, seen, sizes.samples),
                floor: floor::Pipelines::new(device, frame, seen, sizes.samples),
                lines: lines::Pipelines::new(device, frame, sizes.samples),
            }
        });
        let bounds = [
            self.meshes.update(device, queue, scene),
            self.balls.update(device, queue, scene),
        ];
        let drawn = bounds.into_iter().flatten().reduce(crate::bvh::Aabb::join);
        self.lines.update(device, queue, &extras.lines);
        let frame = Frame::new(scene, extras, drawn, &sizes);
        if let Some(frame) = &frame {
            queue.write_buffer(&self.frame_buffer, 0, bytemuck::bytes_of(frame));
        }
        let [r, g, b] = crate::color::to_linear(scene.background.top)
            .as_dvec3()
            .to_array();
        Some(Plan {
            look: frame.is_some() && (extras.shadows || extras.occlusion),
            shadows: extras.shadows,
            background: wgpu::Color { r, g, b, a: 1.0 },
            frame,
        })
    }

    fn sizes(&mut self, device: &wgpu::Device, extras: &Extras, size: [u32; 2]) -> Option<Sizes> {
        if size.contains(&0) {
            self.canvas = None;
            return None;
        }
        let limits = device.limits();
        let picture = size.map(|side| side.min(limits.max_texture_dimension_2d));
        let coarseness = match extras.coarseness {
            0 if self.is_software => 2,
            0 => 1,
            chosen => chosen.min(16),
        };
        let shadow = if self.is_software { 1024 } else { 2048 };
        Some(Sizes {
            picture,
            survey: picture.map(|side| side.div_ceil(coarseness)),
            shadow: shadow.min(limits.max_texture_dimension_2d),
            samples: if extras.samples > 1 { 4 } else { 1 },
        })
    }

    /// Makes textures of other sizes if those at hand do not fit.
    fn resize(&mut self, device: &wgpu::Device, sizes: Sizes) {
        if self.canvas.as_ref().is_some_and(|c| c.sizes == sizes) {
            return;
        }
        self.canvas = Some(Canvas {
            sizes,
            picture: Picture::new(device, &self.show, &sizes),
            targets: Targets::new(device, &self.visibility, &sizes),
        });
    }

    /// The scene as the light sees it.
    fn cast_shadows(&self, encoder: &mut wgpu::CommandEncoder, plan: &Plan) {
        let Some(canvas) = self.canvas.as_ref().filter(|_| plan.look && plan.shadows) else {
            return;
        };
        let mut pass = canvas.targets.begin_shadow(encoder);
        pass.set_bind_group(0, &self.frame_group, &[]);
        self.meshes
            .draw_shapes(&mut pass, &self.visibility.meshes.shadow);
        self.balls.draw(&mut pass, &self.visibility.balls.shadow);
    }

    /// The scene as the eye sees it, for its shape alone.
    fn survey(&self, encoder: &mut wgpu::CommandEncoder, plan: &Plan) {
        let Some(canvas) = self.canvas.as_ref().filter(|_| plan.look) else {
            return;
        };
        let mut pass = canvas.targets.begin_survey(encoder);
        pass.set_bind_group(0, &self.frame_group, &[]);
        self.meshes
            .draw_shapes(&mut pass, &self.visibility.meshes.survey);
        self.balls.draw(&mut pass, &self.visibility.balls.survey);
        if plan.frame.as_ref().is_some_and(Frame::has_floor) {
            floor::draw(&mut pass, &self.visibility.floor);
        }
    }

    /// What each pixel of the survey sees of the key light and of the sky.
    fn look(&self, encoder: &mut wgpu::CommandEncoder, plan: &Plan) {
        if let Some(canvas) = self.canvas.as_ref().filter(|_| plan.look) {
            canvas
                .targets
                .look(encoder, &self.visibility, &self.frame_group);
        }
    }

    /// The picture.
    fn paint(&self, encoder: &mut wgpu::CommandEncoder, plan: &Plan) {
        let Some(canvas) = &self.canvas else {
            return;
        };
        let mut pass = canvas.picture.begin(encoder, plan.background);
        let painters = &self.painters[usize::from(canvas.sizes.samples > 1)];
        let (Some(frame), Some(painters)) = (&plan.frame, painters) else {
            return;
        };
        pass.set_bind_group(0, &self.frame_group, &[]);
        pass.set_bind_group(1, &canvas.targets.seen_group, &[]);
        self.meshes.draw_painted(&mut pass, &painters.meshes);
        self.balls.draw(&mut pass, &painters.balls);
        painters.floor.draw(&mut pass, frame.has_floor());
        self.lines.draw(&mut pass, &painters.lines);
    }
}

/// A stage of a frame.
type Stage = fn(&Renderer, &mut wgpu::CommandEncoder, &Plan);

/// The stages of a frame in their order.
const STAGES: [(&str, Stage); 4] = [
    ("shadow", Renderer::cast_shadows),
    ("survey", Renderer::survey),
    ("look", Renderer::look),
    ("paint", Renderer::paint),
];

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
