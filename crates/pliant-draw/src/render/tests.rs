use super::*;
use crate::scene::{Ball, Camera, Object, Paint};

fn ball_on_ground() -> Scene {
    Scene {
        balls: vec![Ball {
            center: Vec3::Y,
            radius: 1.0,
            color: [200, 60, 40],
            gloss: 0.2,
        }],
        ground: Some(Ground::default()),
        camera: Camera {
            eye: Vec3::new(0.0, 3.0, 8.0),
            target: Vec3::Y,
            ..Camera::default()
        },
        ..Scene::default()
    }
}

/// A ball as triangles: rings of a latitude and longitude grid.
fn triangle_ball(rings: u32) -> Object {
    let sectors = 2 * rings;
    let mut object = Object::default();
    for i in 0..=rings {
        for j in 0..sectors {
            let theta = i as f32 / rings as f32 * std::f32::consts::PI;
            let phi = j as f32 / sectors as f32 * std::f32::consts::TAU;
            object.positions.push(
                Vec3::Y
                    + Vec3::new(
                        theta.sin() * phi.cos(),
                        theta.cos(),
                        theta.sin() * phi.sin(),
                    ),
            );
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

fn brightness(image: &Image, x: usize, y: usize) -> u32 {
    image.pixels[y * image.width + x]
        .iter()
        .map(|&c| u32::from(c))
        .sum()
}

/// The silhouette of a ball, analytic or of triangles, has the area of the disc that perspective makes of it.
#[test]
fn silhouette_of_a_ball() {
    let analytic = Scene {
        ground: None,
        ..ball_on_ground()
    };
    let meshed = Scene {
        balls: Vec::new(),
        objects: vec![triangle_ball(64)],
        ..analytic.clone()
    };
    let (width, height) = (120, 100);
    let quality = Quality {
        samples: 1,
        shadow_rays: 0,
        ambient_rays: 0,
    };
    let empty = Scene {
        balls: Vec::new(),
        ..analytic.clone()
    };
    let empty = render(&empty, width, height, &quality).unwrap();
    let distance = analytic.camera.eye.distance(Vec3::Y);
    let angle = (1.0 / distance).asin();
    let radius = 0.5 * height as f32 * angle.tan() / analytic.camera.tangent();
    for scene in [analytic, meshed] {
        let picture = render(&scene, width, height, &quality).unwrap();
        let covered = picture
            .pixels
            .iter()
            .zip(&empty.pixels)
            .filter(|(a, b)| a != b)
            .count();
        let ratio = covered as f32 / (std::f32::consts::PI * radius * radius);
        assert!((ratio - 1.0).abs() < 0.02, "{ratio}");
    }
}

/// The floor in the ball's shadow is darker than the floor in the light, and it is dark at the point of contact.
#[test]
fn shadow_is_darker() {
    let mut scene = ball_on_ground();
    scene.ground = Some(Ground {
        cell: -1.0,
        fade: 1e3,
        ..Ground::default()
    });
    scene.light.direction = Vec3::new(-1.0, 1.0, 0.5);
    let picture = render(&scene, 160, 120, &Quality::default()).unwrap();
    // The light comes from the left: the shadow lies on the right.
    let (lit, shaded) = (brightness(&picture, 40, 85), brightness(&picture, 115, 85));
    assert!(shaded * 10 < lit * 8, "{shaded} {lit}");
}

/// One thread and several give the same bytes.
#[test]
fn same_bytes_for_any_number_of_threads() {
    let mut scene = ball_on_ground();
    scene.objects.push(Object {
        paint: Paint::Checker {
            rest: triangle_ball(16).positions,
            cell: 0.3,
            colors: [[220; 3], [90; 3]],
        },
        ..triangle_ball(16)
    });
    let draw = |threads| {
        rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap()
            .install(|| render(&scene, 200, 150, &Quality::fast()).unwrap())
    };
    assert_eq!(draw(1), draw(2));
}

/// Empty scenes, broken meshes and broken cameras give a picture.
#[test]
fn survives_broken_input() {
    let nan = Vec3::splat(f32::NAN);
    let broken = Object {
        positions: vec![Vec3::ZERO, Vec3::X, nan, Vec3::Y, Vec3::INFINITY],
        triangles: vec![[0, 1, 2], [0, 0, 1], [0, 1, 9], [0, 1, 4], [0, 1, 3]],
        normals: vec![nan; 5],
        colors: vec![[1; 4]; 2],
        corner_uvs: vec![Default::default()],
        ..Object::default()
    };
    let cameras = [
        Camera::default(),
        Camera::framing(Vec3::ZERO, Vec3::ZERO, Vec3::ZERO, 1.0),
        Camera::framing(nan, Vec3::ONE, Vec3::Y, f32::NAN),
        Camera {
            eye: nan,
            fov_degrees: f32::NAN,
            ..Camera::default()
        },
    ];
    for camera in cameras {
        for objects in [vec![], vec![broken.clone()], vec![Object::default()]] {
            let scene = Scene {
                objects,
                balls: vec![Ball {
                    center: nan,
                    radius: -1.0,
                    color: [0; 3],
                    gloss: f32::NAN,
                }],
                ground: Some(Ground::default()),
                camera,
                ..Scene::default()
            };
            assert!(render(&scene, 20, 10, &Quality::default()).is_ok());
        }
    }
    assert!(render(&Scene::default(), 0, 10, &Quality::default()).is_err());
}
