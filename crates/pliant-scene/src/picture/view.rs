//! From a snapshot to a picture.

use std::sync::Arc;

use glam::Vec3;
use pliant::dynamics::{CapsuleKey, Pose};
use pliant::geometry::Mesh;
use pliant_draw::{
    Ball, Camera, DrawError, Ground, Image, Light, Object, Paint, Quality, Scene, render,
};

use super::looks::{BodyLook, Looks, Obstacle};
use super::primitive::capsule;
use super::snapshot::{Seen, Snapshot};

/// Colours of bodies: glazes and clays that go together, taken in turn.
const BODY_COLORS: [[u8; 3]; 8] = [
    [206, 120, 88],  // terracotta
    [118, 146, 126], // sage
    [94, 124, 158],  // slate blue
    [212, 172, 100], // ochre
    [150, 108, 134], // plum
    [108, 148, 152], // verdigris
    [186, 146, 128], // rose clay
    [132, 130, 112], // olive grey
];
/// The lighter colour of a checker; the darker one is the body's.
const CHECKER_LIGHT: [u8; 3] = [238, 228, 210];
/// Cells of a checker along the longest side of a body.
const CHECKER_CELLS: f32 = 12.0;
/// The two tones of a checker on a body whose vertices have colours: it lightens and darkens those.
const CHECKER_TONES: [[u8; 3]; 2] = [[255; 3], [168; 3]];
/// How much darker than the body its inside is: enough to see seams and cuts, not enough to take them for another thing.
const INNER_TONE: f32 = 0.82;
const BALL_COLOR: [u8; 3] = [62, 68, 80];
const OBSTACLE_COLOR: [u8; 3] = [150, 158, 170];
const WALL_COLOR: [u8; 3] = [198, 200, 204];
const BODY_GLOSS: f32 = 0.22;
const BALL_GLOSS: f32 = 0.7;

/// Obstacles up to this share of the bodies' size belong into the picture.
const OBSTACLE_SIZE: f32 = 1.2;
/// Most points of an obstacle that a picture is framed by.
const OBSTACLE_POINTS: usize = 300;
/// Width over height from which on a scene is long and low.
const LONG: f32 = 2.5;

/// From where the action is seen if the scene does not say: from the front, a little to the right, a little above.
const VIEW: Vec3 = Vec3::new(0.42, 0.40, 1.0);

/// What a picture shows: some points in space that it is about, and its shape.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// Points that must be in the picture (m).
    pub points: Vec<Vec3>,
    /// Width over height.
    pub aspect: f32,
}

impl Frame {
    /// Frames all that some snapshots show: the bodies, and those obstacles that are not much larger than they.
    pub fn around<'a>(
        snapshots: impl IntoIterator<Item = &'a Snapshot>,
        looks: &Looks,
        width: usize,
        height: usize,
    ) -> Self {
        let mut frame = Self {
            points: Vec::new(),
            aspect: width as f32 / height.max(1) as f32,
        };
        let mut obstacles = Vec::new();
        for snapshot in snapshots {
            frame.points.extend(snapshot.outline());
            for (obstacle, pose) in looks.obstacles.iter().zip(&snapshot.poses) {
                if let Obstacle::Solid(mesh) = obstacle
                    && let Some(bounds) = mesh.bounds()
                {
                    obstacles.push((mesh, pose, (bounds.1 - bounds.0).length()));
                }
            }
        }
        let (lo, hi) = frame.bounds();
        let largest = OBSTACLE_SIZE * (hi - lo).length();
        for (mesh, pose, _) in obstacles.iter().filter(|o| o.2 <= largest) {
            let stride = mesh.positions.len() / OBSTACLE_POINTS + 1;
            let picked = mesh.positions.iter().step_by(stride);
            frame.points.extend(picked.map(|&p| pose.apply(p)));
        }
        frame
    }

    fn bounds(&self) -> (Vec3, Vec3) {
        let boxes = self.points.iter().map(|&p| (p, p));
        boxes
            .reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))
            .unwrap_or((Vec3::NEG_ONE, Vec3::ONE))
    }
}

/// Draws a still of a snapshot, `width` pixels wide. It has the format 4:3; what is long and low gets 16:9.
pub fn still(snapshot: &Snapshot, looks: &Looks, width: usize) -> Result<Image, DrawError> {
    let mut height = width * 3 / 4;
    let mut frame = Frame::around([snapshot], looks, width, height);
    let (lo, hi) = frame.bounds();
    if hi.x - lo.x > LONG * (hi.y - lo.y) {
        height = width * 9 / 16;
        frame = Frame::around([snapshot], looks, width, height);
    }
    let scene = scene(snapshot, looks, &frame);
    render(&scene, width, height, &Quality::default())
}

/// The drawing of a snapshot, as seen in a frame.
pub fn scene(snapshot: &Snapshot, looks: &Looks, frame: &Frame) -> Scene {
    let camera = camera(looks, frame);
    let (lo, hi) = frame.bounds();
    let plain = BodyLook::default();
    let bodies = snapshot.surfaces.iter().enumerate().map(|(index, seen)| {
        let look = looks.of(seen.origin).unwrap_or(&plain);
        body(seen, look, look.color.unwrap_or(body_color(index)))
    });
    let mut objects: Vec<Object> = bodies.collect();
    let mut ground: Option<Ground> = None;
    let placed = looks.obstacles.iter().zip(&snapshot.poses);
    let tools = snapshot.tools.iter().map(|(_, form, pose)| (form, pose));
    for (obstacle, pose) in placed.chain(tools) {
        match obstacle {
            Obstacle::Solid(mesh) => objects.extend(solid(mesh, pose)),
            Obstacle::Track(track) => {
                let CapsuleKey { a, b, radius, .. } = track.at(snapshot.time);
                objects.extend(solid(&Arc::new(capsule(a, b, radius)), &Pose::IDENTITY));
            }
            Obstacle::Plane { normal, offset } => {
                let up = pose.rotation * *normal;
                let foot = pose.apply(*normal * *offset);
                if up.y > 0.999 {
                    // The highest of several floors is the one that is seen.
                    let height = ground.map_or(foot.y, |g| g.height.max(foot.y));
                    ground = Some(Ground {
                        height,
                        ..Ground::default()
                    });
                } else if up.dot(camera.eye - foot) > 0.0 {
                    objects.push(wall(up, foot, lo, hi));
                }
            }
        }
    }
    let balls = snapshot.balls.iter().map(|&(center, radius)| Ball {
        center,
        radius,
        color: BALL_COLOR,
        gloss: BALL_GLOSS,
    });
    let motes = snapshot.motes.iter().map(|mote| Ball {
        center: mote.center,
        radius: mote.radius,
        color: mote.color,
        gloss: BODY_GLOSS,
    });
    Scene {
        objects,
        balls: balls.chain(motes).collect(),
        ground,
        camera,
        light: Light::over_shoulder(&camera),
        stage: Some((lo, hi)),
        ..Scene::default()
    }
}

/// The camera that the scene asks for, as far as it does.
fn camera(looks: &Looks, frame: &Frame) -> Camera {
    // A row of things is seen from the front: from the side the near ones would hide the far ones.
    let (lo, hi) = frame.bounds();
    let depth = (1.5 * (hi.z - lo.z) / (hi.x - lo.x).max(1e-6)).min(1.0);
    let view = VIEW * Vec3::new(depth, 0.5 + 0.5 * depth, 1.0);
    let framed = || Camera::framing_points(&frame.points, view, frame.aspect);
    match (looks.eye, looks.target) {
        (None, None) => framed(),
        (None, Some(target)) => {
            let framed = framed();
            Camera {
                eye: framed.eye + target - framed.target,
                target,
                ..framed
            }
        }
        (Some(eye), target) => Camera {
            eye,
            target: target.unwrap_or(0.5 * (lo + hi)),
            ..Camera::default()
        },
    }
}

/// The colour of the body of an index, in sRGB.
pub fn body_color(index: usize) -> [u8; 3] {
    BODY_COLORS[index % BODY_COLORS.len()]
}

fn body(seen: &Seen, look: &BodyLook, color: [u8; 3]) -> Object {
    let fabric = &seen.fabric;
    if !seen.colors.is_empty() {
        return Object {
            positions: seen.positions.clone(),
            triangles: fabric.triangles.clone(),
            colors: seen.colors.clone(),
            paint: Paint::Plain([255; 3]),
            gloss: BODY_GLOSS,
            closed: fabric.closed,
            ..Object::default()
        };
    }
    let paint = if let Some(texture) = &look.texture {
        Paint::Picture {
            texture: Arc::clone(texture),
            base: color,
        }
    } else if look.checker {
        Paint::Checker {
            rest: fabric.rest.clone(),
            cell: longest_side(&fabric.rest) / CHECKER_CELLS,
            colors: if fabric.colors.is_empty() {
                [CHECKER_LIGHT, color]
            } else {
                CHECKER_TONES
            },
        }
    } else if fabric.colors.is_empty() {
        Paint::Plain(color)
    } else {
        Paint::Plain([255; 3])
    };
    let blend = look.blend && !fabric.colors.is_empty();
    let inside = if blend { [255; 3] } else { color };
    Object {
        positions: seen.positions.clone(),
        triangles: fabric.triangles.clone(),
        corner_uvs: fabric.corner_uvs.clone(),
        colors: fabric.colors.clone(),
        paint,
        inner: fabric.inner.clone(),
        inner_color: inside.map(|c| (f32::from(c) * INNER_TONE) as u8),
        inner_has_colors: blend,
        gloss: BODY_GLOSS,
        closed: fabric.closed,
        ..Object::default()
    }
}

fn longest_side(points: &[Vec3]) -> f32 {
    let (lo, hi) = points.iter().fold((Vec3::MAX, Vec3::MIN), |(lo, hi), &p| {
        (lo.min(p), hi.max(p))
    });
    (hi - lo).max_element().max(1e-6)
}

fn solid(mesh: &Mesh, pose: &Pose) -> Option<Object> {
    (!mesh.triangles.is_empty()).then(|| Object {
        positions: mesh.positions.iter().map(|&p| pose.apply(p)).collect(),
        triangles: mesh.triangles.clone(),
        paint: Paint::Plain(OBSTACLE_COLOR),
        gloss: 0.35,
        ..Object::default()
    })
}

/// A piece of a plane that is not a floor, large enough to pass for one without end.
fn wall(normal: Vec3, foot: Vec3, lo: Vec3, hi: Vec3) -> Object {
    let middle = 0.5 * (lo + hi);
    let center = middle - normal * normal.dot(middle - foot);
    let reach = 2.0 * (hi - lo).length();
    let right = normal.any_orthonormal_vector() * reach;
    let up = normal.cross(right);
    Object {
        positions: vec![
            center - right - up,
            center + right - up,
            center + right + up,
            center - right + up,
        ],
        triangles: vec![[0, 1, 2], [0, 2, 3]],
        paint: Paint::Plain(WALL_COLOR),
        ..Object::default()
    }
}
