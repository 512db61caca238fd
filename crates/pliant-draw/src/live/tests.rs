use super::*;
use crate::scene::{Ball, Camera, Ground, Light, Object, Paint, Texture};
use crate::{Quality, render};
use glam::{Vec2, Vec3};
use std::f32::consts::{PI, TAU};
use std::sync::Arc;

const SIZE: [u32; 2] = [320, 240];

/// A device with a renderer on it.
struct Bench {
    device: wgpu::Device,
    queue: wgpu::Queue,
    renderer: Renderer,
}

impl Bench {
    /// Whoever asks for these tests, by a feature, has a device: a test that skips itself shows nothing.
    fn new() -> Self {
        let (device, queue) = headless()
            .expect("a graphics card, or software in its place (Debian: mesa-vulkan-drivers)");
        let renderer = Renderer::new(&device, &queue, wgpu::TextureFormat::Bgra8Unorm);
        Self {
            device,
            queue,
            renderer,
        }
    }

    /// Draws; any complaint of the device fails the test.
    fn draw(&mut self, scene: &Scene, extras: &Extras, size: [u32; 2]) -> Image {
        let scope = self.device.push_error_scope(wgpu::ErrorFilter::Validation);
        self.renderer
            .draw(&self.device, &self.queue, scene, extras, size);
        let image = self.renderer.read(&self.device, &self.queue);
        let complaint = finished(scope.pop()).expect("the device answers at once");
        assert!(complaint.is_none(), "{complaint:?}");
        image
    }
}

/// Extras for one sample a pixel and for several.
fn ways() -> [Extras; 2] {
    [1, 4].map(|samples| Extras {
        samples,
        ..Extras::default()
    })
}

/// A lumpy ball of triangles.
fn blob(center: Vec3, radius: f32) -> Object {
    let (rings, sectors) = (32u32, 64u32);
    let mut object = Object::default();
    for i in 0..=rings {
        for j in 0..sectors {
            let theta = i as f32 / rings as f32 * PI;
            let phi = j as f32 / sectors as f32 * TAU;
            let out = Vec3::new(
                theta.sin() * phi.cos(),
                theta.cos(),
                theta.sin() * phi.sin(),
            );
            let lump = 1.0 + 0.12 * (5.0 * phi).sin() * theta.sin().powi(2) * (4.0 * theta).cos();
            object.positions.push(center + radius * lump * out);
        }
    }
    for i in 0..rings {
        for j in 0..sectors {
            let at = |i: u32, j: u32| i * sectors + j % sectors;
            let (a, b, c, d) = (at(i, j), at(i, j + 1), at(i + 1, j + 1), at(i + 1, j));
            object.triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    object
}

/// An upright square with a texture.
fn poster() -> Object {
    let pixels = (0..32 * 32).map(|i| match (i % 32 / 8 + i / 32 / 8) % 3 {
        0 => [200, 60, 40, 255],
        1 => [240, 220, 120, 255],
        _ => [0, 0, 0, 0],
    });
    let texture = Texture::new(32, 32, pixels.collect()).unwrap();
    let corner = |x: f32, y: f32| Vec3::new(1.1 + x, 0.05 + y, -1.0 + 0.3 * x);
    let uv = |x: f32, y: f32| Vec2::new(2.0 * x, y);
    Object {
        positions: vec![
            corner(0.0, 0.0),
            corner(1.2, 0.0),
            corner(1.2, 1.2),
            corner(0.0, 1.2),
        ],
        triangles: vec![[0, 1, 2], [0, 2, 3]],
        corner_uvs: vec![
            [uv(0.0, 0.0), uv(1.0, 0.0), uv(1.0, 1.0)],
            [uv(0.0, 0.0), uv(1.0, 1.0), uv(0.0, 1.0)],
        ],
        paint: Paint::Picture {
            texture: Arc::new(texture),
            base: [60, 90, 160],
        },
        ..Object::default()
    }
}

/// A checkered blob, a ball, a poster, on a floor.
fn studio() -> Scene {
    let mut checkered = blob(Vec3::new(-0.8, 0.9, 0.0), 0.8);
    checkered.paint = Paint::Checker {
        rest: checkered.positions.clone(),
        cell: 0.4,
        colors: [[236, 226, 208], [62, 104, 148]],
    };
    checkered.gloss = 0.4;
    let camera = Camera {
        eye: Vec3::new(1.0, 2.6, 6.5),
        target: Vec3::new(0.3, 0.6, 0.0),
        ..Camera::default()
    };
    Scene {
        objects: vec![checkered, poster()],
        balls: vec![Ball {
            center: Vec3::new(0.9, 0.5, 0.9),
            radius: 0.5,
            color: [200, 150, 60],
            gloss: 0.6,
        }],
        ground: Some(Ground::default()),
        light: Light::over_shoulder(&camera),
        camera,
        ..Scene::default()
    }
}

fn cast(scene: &Scene, quality: &Quality) -> Image {
    render(scene, SIZE[0] as usize, SIZE[1] as usize, quality).unwrap()
}

fn brightness(pixel: [u8; 3]) -> i32 {
    pixel.iter().map(|&c| i32::from(c)).sum()
}

/// Mean absolute difference of the channels, in steps of 255.
fn difference(a: &Image, b: &Image) -> f32 {
    assert_eq!((a.width, a.height), (b.width, b.height));
    let (a, b) = (a.pixels.as_flattened(), b.pixels.as_flattened());
    let sum: u32 = a
        .iter()
        .zip(b)
        .map(|(&a, &b)| u32::from(a.abs_diff(b)))
        .sum();
    sum as f32 / a.len() as f32
}

/// Where in the picture a point is, in pixels.
fn project(camera: &Camera, p: Vec3) -> Vec2 {
    let (right, up, forward) = camera.axes();
    let d = p - camera.eye;
    let scale = 0.5 * SIZE[1] as f32 / (camera.tangent() * d.dot(forward));
    0.5 * Vec2::new(SIZE[0] as f32, SIZE[1] as f32) + scale * Vec2::new(d.dot(right), -d.dot(up))
}

fn pixel(image: &Image, at: Vec2) -> [u8; 3] {
    image.pixels[at.y as usize * image.width + at.x as usize]
}

/// The picture is the ray caster's: on average less than 1 of 255 steps apart without shadow and occlusion, and less
/// than 2 with them.
#[test]
fn looks_like_the_ray_casters() {
    let mut bench = Bench::new();
    let scene = studio();
    let bare = Quality {
        shadow_rays: 0,
        ambient_rays: 0,
        samples: 8,
    };
    let full = Quality {
        shadow_rays: 6,
        ambient_rays: 8,
        samples: 8,
    };
    for extras in ways() {
        for (quality, light, bound) in [(&bare, false, 1.0), (&full, true, 2.0)] {
            let extras = Extras {
                shadows: light,
                occlusion: light,
                ..extras.clone()
            };
            let live = bench.draw(&scene, &extras, SIZE);
            let apart = difference(&live, &cast(&scene, quality));
            println!("samples {}, light {light}: {apart:.2}", extras.samples);
            assert!(apart < bound, "{apart} with {extras:?}");
        }
    }
}

/// A solid without the triangles that nobody sees looks just the same, from all around and under any light.
#[test]
fn solids_need_no_backs() {
    let mut bench = Bench::new();
    let mut scene = studio();
    for turn in 0..5 {
        let (sin, cos) = (turn as f32 * 1.3).sin_cos();
        scene.camera.eye = Vec3::new(6.0 * sin, 1.0 + 0.6 * turn as f32, 6.0 * cos);
        scene.light.direction = Vec3::new(cos, 1.0, -sin);
        let extras = Extras::default();
        scene.objects[0].closed = false;
        let open = bench.draw(&scene, &extras, SIZE);
        scene.objects[0].closed = true;
        let closed = bench.draw(&scene, &extras, SIZE);
        let apart = difference(&open, &closed);
        assert!(apart < 0.02, "{apart} at {turn}");
    }
}

/// At least 99 % of the pixels agree on whether they show an object.
#[test]
fn silhouettes_agree() {
    let mut bench = Bench::new();
    let scene = Scene {
        ground: None,
        ..studio()
    };
    let empty = Scene {
        objects: Vec::new(),
        balls: Vec::new(),
        ..scene.clone()
    };
    let quality = Quality {
        shadow_rays: 0,
        ambient_rays: 0,
        samples: 1,
    };
    let covered = |picture: &Image, empty: &Image| -> Vec<bool> {
        let pairs = picture.pixels.iter().zip(&empty.pixels);
        pairs
            .map(|(&a, &b)| (brightness(a) - brightness(b)).abs() > 12)
            .collect()
    };
    let right = covered(&cast(&scene, &quality), &cast(&empty, &quality));
    for extras in ways() {
        let live = bench.draw(&scene, &extras, SIZE);
        let found = covered(&live, &bench.draw(&empty, &extras, SIZE));
        let agree = found.iter().zip(&right).filter(|(a, b)| a == b).count();
        let share = agree as f32 / right.len() as f32;
        assert!(share > 0.99, "{share} with {extras:?}");
    }
}

/// Switching shadows on darkens the floor where rays find shadow, and hardly anywhere else.
#[test]
fn shadows_fall_where_rays_find_them() {
    let mut bench = Bench::new();
    let scene = studio();
    let dark = |with: &Image, without: &Image| -> Vec<bool> {
        let pairs = with.pixels.iter().zip(&without.pixels);
        pairs
            .map(|(&a, &b)| brightness(b) - brightness(a) > 60)
            .collect()
    };
    let rays = |shadow_rays| Quality {
        shadow_rays,
        ambient_rays: 0,
        samples: 4,
    };
    let right = dark(&cast(&scene, &rays(8)), &cast(&scene, &rays(0)));
    let total = right.iter().filter(|&&d| d).count();
    assert!(total > 1000, "the scene has a shadow: {total}");
    for extras in ways() {
        let mut draw = |shadows| {
            let extras = Extras {
                shadows,
                occlusion: false,
                ..extras.clone()
            };
            bench.draw(&scene, &extras, SIZE)
        };
        let (with, without) = (draw(true), draw(false));
        let found = dark(&with, &without);
        let both = found.iter().zip(&right).filter(|(a, b)| **a && **b).count();
        let either = found.iter().zip(&right).filter(|(a, b)| **a || **b).count();
        let overlap = both as f32 / either as f32;
        println!(
            "samples {}: shadows overlap by {overlap:.3}",
            extras.samples
        );
        assert!(overlap > 0.88, "{overlap} with {extras:?}");
    }
}

/// Occlusion takes about as much light as rays find hidden, and takes it at the same places.
#[test]
fn hollows_are_darker() {
    let mut bench = Bench::new();
    let scene = studio();
    let taken = |with: &Image, without: &Image| -> Vec<i32> {
        let pairs = with.pixels.iter().zip(&without.pixels);
        pairs
            .map(|(&a, &b)| brightness(b) - brightness(a))
            .collect()
    };
    let rays = |ambient_rays| Quality {
        shadow_rays: 0,
        ambient_rays,
        samples: 4,
    };
    let right = taken(&cast(&scene, &rays(16)), &cast(&scene, &rays(0)));
    for extras in ways() {
        let mut draw = |occlusion| {
            let extras = Extras {
                occlusion,
                shadows: false,
                ..extras.clone()
            };
            bench.draw(&scene, &extras, SIZE)
        };
        let (with, without) = (draw(true), draw(false));
        let found = taken(&with, &without);
        let total = |taken: &[i32]| taken.iter().sum::<i32>() as f32;
        let ratio = total(&found) / total(&right);
        let apart: i32 = found.iter().zip(&right).map(|(a, b)| (a - b).abs()).sum();
        let apart = apart as f32 / total(&right);
        println!(
            "samples {}: takes {ratio:.2}, apart {apart:.2}",
            extras.samples
        );
        assert!((0.7..1.3).contains(&ratio), "{ratio} with {extras:?}");
        assert!(apart < 0.6, "{apart} with {extras:?}");
    }
}

/// The wireframe darkens the mesh and nothing else.
#[test]
fn wireframe_adds_dark_lines() {
    let mut bench = Bench::new();
    let mut scene = studio();
    // Without smoothing over the whole picture, what is not a mesh stays as it is.
    scene.objects.truncate(1);
    for extras in ways() {
        let plain = bench.draw(&scene, &extras, SIZE);
        let wired = Extras {
            wireframe: true,
            ..extras.clone()
        };
        let wired = bench.draw(&scene, &wired, SIZE);
        let darker: Vec<usize> = (0..plain.pixels.len())
            .filter(|&i| brightness(plain.pixels[i]) - brightness(wired.pixels[i]) > 60)
            .collect();
        assert!(darker.len() > 500, "{} with {extras:?}", darker.len());
        let middle = project(&scene.camera, Vec3::new(-0.8, 0.9, 0.0));
        let far = darker.iter().filter(|&&i| {
            let at = Vec2::new((i % plain.width) as f32, (i / plain.width) as f32);
            at.distance(middle) > 80.0
        });
        assert_eq!(far.count(), 0, "{extras:?}");
    }
}

/// A line is where its ends project; surfaces hide it unless it is on top.
#[test]
fn lines_are_where_they_belong() {
    let mut bench = Bench::new();
    let scene = studio();
    let (a, b) = (Vec3::new(-0.8, 0.9, -1.5), Vec3::new(-0.8, 2.1, -1.5));
    for extras in ways() {
        for on_top in [false, true] {
            let line = Line {
                a,
                b,
                color: [255, 0, 255],
                width: 5.0,
                on_top,
            };
            let lined = Extras {
                lines: vec![line],
                ..extras.clone()
            };
            let picture = bench.draw(&scene, &lined, SIZE);
            let is_line = |p: Vec3| {
                let [r, g, b] = pixel(&picture, project(&scene.camera, p));
                r > 200 && g < 60 && b > 200
            };
            assert!(is_line(a.lerp(b, 0.9)), "the open end, {lined:?}");
            assert_eq!(
                is_line(a.lerp(b, 0.1)),
                on_top,
                "behind the blob, {lined:?}"
            );
            assert!(!is_line(a.lerp(b, 1.2)), "beyond the end, {lined:?}");
        }
    }
}

/// Empty scenes, broken meshes, broken cameras and pictures without size neither fail nor upset the device.
#[test]
fn survives_broken_input() {
    let mut bench = Bench::new();
    let nan = Vec3::splat(f32::NAN);
    let broken = Object {
        positions: vec![Vec3::ZERO, Vec3::X, nan, Vec3::Y, Vec3::INFINITY],
        triangles: vec![[0, 1, 2], [0, 0, 1], [0, 1, 9], [0, 1, 4], [0, 1, 3]],
        normals: vec![nan; 5],
        colors: vec![[1; 4]; 2],
        corner_uvs: vec![<[Vec2; 3]>::default()],
        inner: vec![true],
        paint: Paint::Checker {
            rest: vec![nan; 5],
            cell: f32::NAN,
            colors: [[0; 3]; 2],
        },
        gloss: f32::NAN,
        ..Object::default()
    };
    let cameras = [
        Camera::default(),
        Camera::framing(Vec3::ZERO, Vec3::ZERO, Vec3::ZERO, 1.0),
        Camera {
            eye: nan,
            fov_degrees: f32::NAN,
            ..Camera::default()
        },
    ];
    let line = |a: Vec3, width: f32| Line {
        a,
        b: Vec3::X,
        color: [0; 3],
        width,
        on_top: true,
    };
    for extras in ways() {
        let extras = Extras {
            lines: vec![line(nan, 1.0), line(Vec3::Y, f32::NAN), line(Vec3::Y, -1.0)],
            wireframe: true,
            ..extras
        };
        for camera in cameras {
            for objects in [vec![], vec![broken.clone()], vec![Object::default()]] {
                let ball = Ball {
                    center: nan,
                    radius: -1.0,
                    color: [0; 3],
                    gloss: f32::NAN,
                };
                let scene = Scene {
                    objects,
                    balls: vec![ball],
                    ground: Some(Ground::default()),
                    camera,
                    ..Scene::default()
                };
                for size in [[20, 10], [1, 1], [0, 7]] {
                    let image = bench.draw(&scene, &extras, size);
                    let expected = if size[0] == 0 { [0, 0] } else { size };
                    assert_eq!([image.width as u32, image.height as u32], expected);
                }
            }
        }
    }
}

/// A picture copied into a window of the same size has the window's encoding of the same pixels.
#[test]
fn shows_the_same_pixels() {
    let mut bench = Bench::new();
    let picture = bench.draw(&studio(), &Extras::default(), SIZE);
    let window = bench.device.create_texture(&wgpu::TextureDescriptor {
        label: None,
        size: gpu::extent(SIZE),
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: wgpu::TextureFormat::Bgra8Unorm,
        usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::COPY_SRC,
        view_formats: &[],
    });
    let view = gpu::view(&window);
    let mut encoder = bench
        .device
        .create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
        color_attachments: &[Some(gpu::onto(&view, None, wgpu::Color::BLACK))],
        ..wgpu::RenderPassDescriptor::default()
    });
    bench.renderer.show(&mut pass);
    drop(pass);
    bench.queue.submit([encoder.finish()]);
    let mut shown = picture::read(&bench.device, &bench.queue, &window);
    for pixel in &mut shown.pixels {
        pixel.reverse();
    }
    let worst = shown
        .pixels
        .as_flattened()
        .iter()
        .zip(picture.pixels.as_flattened());
    let worst = worst.map(|(a, b)| a.abs_diff(*b)).max();
    assert!(worst <= Some(1), "{worst:?}");
}

/// Windows that encode sRGB by themselves and windows that do not are both served.
#[test]
fn serves_both_kinds_of_windows() {
    let bench = Bench::new();
    let scope = bench.device.push_error_scope(wgpu::ErrorFilter::Validation);
    for format in [
        wgpu::TextureFormat::Bgra8UnormSrgb,
        wgpu::TextureFormat::Rgba8Unorm,
    ] {
        drop(Renderer::new(&bench.device, &bench.queue, format));
    }
    let complaint = finished(scope.pop()).expect("the device answers at once");
    assert!(complaint.is_none(), "{complaint:?}");
}
