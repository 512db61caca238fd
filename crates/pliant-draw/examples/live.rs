//! Draws test pictures with both renderers, side by side, and tells what each stage of the live one takes:
//! `cargo run --release -p pliant-draw --features live --example live -- FOLDER [WIDTH HEIGHT [SAMPLES]]`.

mod common;

use glam::{Vec2, Vec3};
use pliant_draw::live::{Extras, Line, Renderer, headless};
use pliant_draw::{
    Ball, Camera, Ground, Image, Light, Object, Paint, Quality, Scene, Texture, render,
};
use std::f32::consts::TAU;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

/// One knot of 60,000 triangles.
fn knot() -> Scene {
    let mut scene = common::studio();
    scene.objects.truncate(1);
    scene.balls.clear();
    frame(scene, Vec3::new(-0.3, 0.5, 1.0))
}

/// A heap of 60,000 particles in all colours.
fn particles() -> Scene {
    let balls = (0..60_000).map(|i| {
        let part = |step: f32| (i as f32 * step).fract();
        let (x, y, z) = (part(0.754_877), part(0.569_84), part(0.438_579));
        let height = 0.7 * (1.0 - 0.8 * (x - 0.5).hypot(z - 0.5) * 2.0).max(0.05);
        Ball {
            center: Vec3::new(2.0 * x - 1.0, 0.012 + y * height, 2.0 * z - 1.0),
            radius: 0.012,
            color: [x, y, z].map(|c| (90.0 + 150.0 * c) as u8),
            gloss: 0.4,
        }
    });
    let scene = Scene {
        balls: balls.collect(),
        ground: Some(Ground::default()),
        ..Scene::default()
    };
    frame(scene, Vec3::new(0.5, 0.6, 1.0))
}

/// A texture, vertex colours, inner triangles, a large ball, and a box that floats.
fn mixed() -> Scene {
    let texture = |x: usize, y: usize| -> [u8; 4] {
        let stripe = (x / 8 + y / 8).is_multiple_of(2);
        let shade = (x * 3) as u8;
        if stripe {
            [shade, 90, 60, 255]
        } else {
            [240, 230, 200, if x > 40 { 128 } else { 255 }]
        }
    };
    let pixels = (0..64 * 64).map(|i| texture(i % 64, i / 64)).collect();
    let texture = Arc::new(Texture::new(64, 64, pixels).expect("64 by 64 pixels"));
    let (rows, columns) = (60, 60);
    let mut vase = common::wrapped(rows, columns, |u, v| {
        let (a, b) = (u * TAU, v * TAU);
        let out = 0.55 + 0.25 * b.cos();
        Vec3::new(out * a.cos() - 1.0, 0.3 + 0.28 * b.sin(), out * a.sin())
    });
    vase.corner_uvs = vase
        .triangles
        .iter()
        .enumerate()
        .map(|(t, _)| {
            let (i, j) = (t as u32 / 2 / columns, t as u32 / 2 % columns);
            let at = |k: u32, l: u32| {
                Vec2::new(
                    4.0 * (i + k) as f32 / rows as f32,
                    2.0 * (j + l) as f32 / columns as f32,
                )
            };
            if t.is_multiple_of(2) {
                [at(0, 0), at(0, 1), at(1, 1)]
            } else {
                [at(0, 0), at(1, 1), at(1, 0)]
            }
        })
        .collect();
    vase.paint = Paint::Picture {
        texture,
        base: [90, 140, 200],
    };
    let mut colored = common::cuboid(Vec3::new(0.6, 0.9, -0.2), Vec3::splat(0.3));
    colored.colors = (0..8u8)
        .map(|i| [255 * (i & 1), 255 * (i >> 1 & 1), 255 * (i >> 2), 255])
        .collect();
    colored.paint = Paint::Plain([255; 3]);
    let mut cut = common::cuboid(Vec3::new(0.7, 0.3, 0.7), Vec3::new(0.4, 0.3, 0.25));
    cut.inner = (0..12).map(|t| t / 2 == 5 || t / 2 == 3).collect();
    cut.inner_color = [190, 60, 50];
    let balls = vec![
        Ball {
            center: Vec3::new(-0.2, 0.35, 1.0),
            radius: 0.35,
            color: [200, 170, 60],
            gloss: 0.9,
        },
        Ball {
            center: Vec3::new(1.6, 0.5, -0.6),
            radius: 0.5,
            color: [120, 120, 130],
            gloss: 0.1,
        },
    ];
    let scene = Scene {
        objects: vec![vase, colored, cut],
        balls,
        ground: Some(Ground::default()),
        ..Scene::default()
    };
    frame(scene, Vec3::new(0.3, 0.5, 1.0))
}

/// A camera and a light that suit the scene.
fn frame(mut scene: Scene, direction: Vec3) -> Scene {
    let positions = scene
        .objects
        .iter()
        .flat_map(|o: &Object| &o.positions)
        .copied();
    let points: Vec<Vec3> = positions
        .chain(scene.balls.iter().map(|b| b.center))
        .collect();
    scene.camera = Camera::framing_points(&points, direction, 16.0 / 9.0);
    scene.light = Light::over_shoulder(&scene.camera);
    scene
}

/// Frames that are timed.
const ROUNDS: u32 = 10;

/// The least time of each stage.
fn stages(mut measure: impl FnMut() -> Vec<(&'static str, f64)>) -> Vec<(&'static str, f64)> {
    let mut best = measure();
    for _ in 1..ROUNDS {
        for (best, time) in best.iter_mut().zip(measure()) {
            best.1 = best.1.min(time.1);
        }
    }
    best
}

/// Seconds that all threads of this process have computed. On a machine that has other work, this says more than the
/// clock; where the system does not tell, it is the clock.
fn processor_time(start: Instant) -> f64 {
    let threads = std::fs::read_dir("/proc/self/task")
        .into_iter()
        .flatten()
        .flatten();
    let nanoseconds: f64 = threads
        .filter_map(|thread| std::fs::read_to_string(thread.path().join("schedstat")).ok())
        .filter_map(|text| text.split_whitespace().next()?.parse::<f64>().ok())
        .sum();
    if nanoseconds > 0.0 {
        1e-9 * nanoseconds
    } else {
        start.elapsed().as_secs_f64()
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = PathBuf::from(arguments.next().unwrap_or_else(|| ".".to_owned()));
    let mut number = |default: u32| arguments.next().map_or(Ok(default), |a| a.parse());
    let size = [number(1280)?, number(720)?];
    let samples = number(0)?;
    let began = Instant::now();
    let (device, queue) = headless().ok_or("there is no graphics card")?;
    println!("{:?}", device.adapter_info().name);
    let mut renderer = Renderer::new(&device, &queue, wgpu::TextureFormat::Bgra8Unorm);
    let lines = vec![
        Line {
            a: Vec3::ZERO,
            b: Vec3::X,
            color: [220, 40, 40],
            width: 3.0,
            on_top: true,
        },
        Line {
            a: Vec3::ZERO,
            b: Vec3::Y,
            color: [40, 160, 40],
            width: 3.0,
            on_top: false,
        },
        Line {
            a: Vec3::ZERO,
            b: Vec3::Z,
            color: [40, 60, 220],
            width: 3.0,
            on_top: false,
        },
    ];
    let plain = Extras {
        samples,
        ..Extras::default()
    };
    let lined = Extras {
        lines,
        wireframe: true,
        ..plain.clone()
    };
    let scenes = [
        ("knot", knot(), &plain),
        ("studio", common::studio(), &plain),
        ("particles", particles(), &plain),
        ("mixed", mixed(), &plain),
        ("lines", mixed(), &lined),
    ];
    for (name, scene, extras) in scenes {
        renderer.draw(&device, &queue, &scene, extras, size);
        let live = renderer.read(&device, &queue);
        let clock = || processor_time(began);
        let best = stages(|| renderer.measure(&device, &queue, &scene, extras, size, clock));
        let (start, busy) = (Instant::now(), clock());
        for _ in 0..ROUNDS {
            renderer.draw(&device, &queue, &scene, extras, size);
            device.poll(wgpu::PollType::wait_indefinitely())?;
        }
        let per_round = |seconds: f64| 1e3 * seconds / f64::from(ROUNDS);
        let whole = per_round(start.elapsed().as_secs_f64());
        print!(
            "{name}: {whole:.1} ms, {:.1} ms of processors",
            per_round(clock() - busy)
        );
        print!(" =");
        for (stage, seconds) in best {
            print!(" {stage} {:.1}", 1e3 * seconds);
        }
        println!();
        let cast = render(
            &scene,
            size[0] as usize,
            size[1] as usize,
            &Quality::default(),
        )?;
        let mut both = Image::new(2 * cast.width, cast.height, [0; 3]);
        both.paste(&cast, 0, 0);
        both.paste(&live, cast.width, 0);
        both.write_png(folder.join(format!("{name}.png")))?;
    }
    Ok(())
}
