//! What is drawn: the world as pictures show it, with what the toggles ask for.

use std::collections::BTreeMap;
use std::f32::consts::PI;

use glam::Vec3;
use pliant_draw::live::{Extras, Line};
use pliant_draw::{Ball, Camera, Light, Object, Paint, Scene};
use pliant_scene::live::View;
use pliant_scene::live::layers::{Ellipsoid, Heat, Layers};
use pliant_scene::picture::{Frame, scene};

use super::hand::Hand;

/// What is shown of the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shows {
    /// The surface.
    pub(super) surface: bool,
    /// Its edges.
    pub(super) wireframe: bool,
    /// Shadows.
    pub(super) shadows: bool,
    /// Ambient occlusion.
    pub(super) occlusion: bool,
    /// Convex primitives in outline instead of as solids.
    pub(super) primitives: bool,
    /// What else.
    pub(super) layers: Layers,
}

impl Default for Shows {
    fn default() -> Self {
        Self {
            surface: true,
            wireframe: false,
            shadows: true,
            occlusion: true,
            primitives: false,
            layers: Layers::default(),
        }
    }
}

/// Strain at which the heat map is hottest.
const HOT: [f32; 2] = [0.3, 1.5];
/// Cold, warm and hot.
const HEAT: [[f32; 3]; 4] = [
    [52.0, 86.0, 168.0],
    [104.0, 186.0, 176.0],
    [244.0, 214.0, 104.0],
    [206.0, 52.0, 38.0],
];
/// Cosine of the angle between triangles from which on their edge is sharp.
const SHARP: f32 = 0.85;
const OUTLINE_COLOR: [u8; 3] = [52, 72, 104];
/// Colour and length of pins, in particle radii.
const PIN: ([u8; 3], f32) = ([196, 52, 44], 2.5);
/// Colour and length of the needles at contacts, in particle radii.
const NEEDLE: ([u8; 3], f32) = ([210, 40, 60], 1.2);
const MOTE_COLOR: [u8; 3] = [196, 150, 110];
/// Turns of the spring that a grip hangs on.
const COILS: usize = 12;

/// The drawing of a view, and lines over it.
pub(super) fn picture(
    view: &View,
    shows: &Shows,
    hand: &Hand,
    frame: &Frame,
    camera: Camera,
) -> (Scene, Extras) {
    let mut scene = scene(&view.snapshot, &view.looks, frame);
    scene.camera = camera;
    scene.light = Light::over_shoulder(&camera);
    let mut lines = Vec::new();
    let bodies = view.bodies.len().min(scene.objects.len());
    if shows.primitives {
        // What is no body is a primitive.
        let solids = scene.objects.drain(bodies..);
        lines.extend(solids.flat_map(|solid| outline(&solid, camera.eye)));
    }
    if shows.layers.heat != Heat::Off {
        let hot = HOT[usize::from(shows.layers.heat == Heat::Plastic)];
        for (object, heat) in scene.objects.iter_mut().zip(&view.layers.heat) {
            object.colors = heat.iter().map(|h| heat_color(h / hot)).collect();
            object.paint = Paint::Plain([255; 3]);
            object.inner.clear();
        }
    }
    if !shows.surface {
        scene.objects.drain(..bodies);
    }
    let motes = view.layers.motes.iter().map(|mote| Ball {
        center: mote.center,
        radius: mote.radius,
        color: if shows.layers.clusters {
            mote.color
        } else {
            MOTE_COLOR
        },
        gloss: 0.2,
    });
    scene.balls.extend(motes);
    if !view.layers.ellipsoids.is_empty() {
        scene.objects.push(ellipsoids(&view.layers.ellipsoids));
    }
    let r = view.bodies.first().map_or(0.1, |body| body.particle_radius);
    lines.extend(view.layers.contacts.iter().map(|(at, normal)| Line {
        b: *at + *normal * (NEEDLE.1 * r),
        width: 1.5,
        ..line(*at, NEEDLE.0)
    }));
    for pin in hand.pins() {
        let head = pin.at + pin.normal * (PIN.1 * r);
        lines.push(Line {
            b: head,
            width: 3.0,
            ..line(pin.at, PIN.0)
        });
        scene.balls.push(Ball {
            center: head,
            radius: 0.7 * r,
            color: PIN.0,
            gloss: 0.7,
        });
    }
    if let Some(ends) = hand.spring(view) {
        lines.extend(coil(ends, 0.6 * r));
    }
    let extras = Extras {
        lines,
        wireframe: shows.wireframe,
        shadows: shows.shadows,
        occlusion: shows.occlusion,
        ..Extras::default()
    };
    (scene, extras)
}

/// A line over everything, from a place to itself.
fn line(at: Vec3, color: [u8; 3]) -> Line {
    Line {
        a: at,
        b: at,
        color,
        width: 2.0,
        on_top: true,
    }
}

/// A solid as one draws it with a pencil: sharp edges and those behind which it turns away from the eye.
fn outline(solid: &Object, eye: Vec3) -> Vec<Line> {
    let place = |v: u32| solid.positions[v as usize];
    // The normals on both sides of each edge.
    let mut edges: BTreeMap<[u32; 2], [Option<Vec3>; 2]> = BTreeMap::new();
    for &[a, b, c] in &solid.triangles {
        let normal = (place(b) - place(a)).cross(place(c) - place(a));
        let normal = normal.normalize_or_zero();
        for [from, to] in [[a, b], [b, c], [c, a]] {
            let sides = edges.entry([from.min(to), from.max(to)]).or_default();
            sides[usize::from(from > to)] = Some(normal);
        }
    }
    let is_seen = |at: Vec3, sides: [Option<Vec3>; 2]| match sides {
        // Triangles without area, as at poles, bound nothing.
        [Some(m), Some(n)] if m != Vec3::ZERO && n != Vec3::ZERO => {
            m.dot(n) < SHARP || (m.dot(at - eye) < 0.0) != (n.dot(at - eye) < 0.0)
        }
        [Some(_), Some(_)] => false,
        _ => true,
    };
    let shown = edges
        .iter()
        .filter(|&(&[a, b], &sides)| place(a) != place(b) && is_seen(place(a), sides));
    shown
        .map(|(&[a, b], _)| Line {
            b: place(b),
            width: 1.5,
            ..line(place(a), OUTLINE_COLOR)
        })
        .collect()
}

/// A spring from one place to another.
fn coil([a, b]: [Vec3; 2], width: f32) -> Vec<Line> {
    let along = b - a;
    if along.length() < 1e-6 {
        return Vec::new();
    }
    let (side, other) = along.normalize().any_orthonormal_pair();
    let steps = 8 * COILS;
    let place = |i: usize| {
        let t = i as f32 / steps as f32;
        let (sin, cos) = (2.0 * PI * COILS as f32 * t).sin_cos();
        // The ends are straight.
        let swell = width * (8.0 * t.min(1.0 - t)).min(1.0);
        a + along * t + (side * cos + other * sin) * swell
    };
    (0..steps)
        .map(|i| Line {
            b: place(i + 1),
            width: 2.5,
            ..line(place(i), [250, 196, 60])
        })
        .collect()
}

/// A colour from cold to hot for 0 to 1.
pub(super) fn heat_color(heat: f32) -> [u8; 4] {
    let last = HEAT.len() - 1;
    let at = if heat.is_finite() {
        heat.clamp(0.0, 1.0) * last as f32
    } else {
        last as f32
    };
    let below = (at as usize).min(last - 1);
    let t = at - below as f32;
    let mix = |c: usize| HEAT[below][c] + (HEAT[below + 1][c] - HEAT[below][c]) * t;
    [mix(0) as u8, mix(1) as u8, mix(2) as u8, 255]
}

/// All ellipsoids as one mesh.
fn ellipsoids(all: &[Ellipsoid]) -> Object {
    let (ball, triangles) = unit_ball();
    let mut object = Object {
        paint: Paint::Plain([255; 3]),
        gloss: 0.3,
        ..Object::default()
    };
    for one in all {
        let first = object.positions.len() as u32;
        // Normals turn with the inverse of the form.
        let turned = one.axes.inverse().transpose();
        let [red, green, blue] = one.color;
        for &p in &ball {
            object.positions.push(one.center + one.axes * p);
            object.normals.push((turned * p).normalize_or(p));
            object.colors.push([red, green, blue, 255]);
        }
        let moved = triangles.iter().map(|t| t.map(|v| v + first));
        object.triangles.extend(moved);
    }
    object
}

/// A ball of rings and segments.
fn unit_ball() -> (Vec<Vec3>, Vec<[u32; 3]>) {
    const RINGS: u32 = 8;
    const SEGMENTS: u32 = 12;
    let mut positions = Vec::new();
    for ring in 0..=RINGS {
        let (y_sin, y_cos) = (PI * ring as f32 / RINGS as f32).sin_cos();
        // The poles are points.
        let y_sin = if ring % RINGS == 0 { 0.0 } else { y_sin };
        for segment in 0..SEGMENTS {
            let (sin, cos) = (2.0 * PI * segment as f32 / SEGMENTS as f32).sin_cos();
            positions.push(Vec3::new(y_sin * cos, y_cos, y_sin * sin));
        }
    }
    let mut triangles = Vec::new();
    for ring in 0..RINGS {
        for segment in 0..SEGMENTS {
            let next = (segment + 1) % SEGMENTS;
            let [a, b] = [segment, next].map(|s| ring * SEGMENTS + s);
            let [c, d] = [a + SEGMENTS, b + SEGMENTS];
            triangles.extend([[a, b, c], [b, d, c]]);
        }
    }
    (positions, triangles)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Heat goes from blue to red, whatever the number.
    #[test]
    fn heat_goes_from_blue_to_red() {
        assert_eq!(heat_color(0.0), [52, 86, 168, 255]);
        assert_eq!(heat_color(9.0), [206, 52, 38, 255]);
        assert_eq!(heat_color(f32::NAN), [206, 52, 38, 255]);
    }

    /// A box shows its twelve edges and not the diagonals of its sides; a ball shows a ring.
    #[test]
    fn outlines_are_edges() {
        let corner = |i: u32| [i & 1, (i >> 1) & 1, i >> 2].map(|c| c as f32);
        let sides = [
            [0, 2, 3, 1],
            [4, 5, 7, 6],
            [0, 1, 5, 4],
            [2, 6, 7, 3],
            [0, 4, 6, 2],
            [1, 3, 7, 5],
        ];
        let halves = |[a, b, c, d]: [u32; 4]| [[a, b, c], [a, c, d]];
        let solid = Object {
            positions: (0..8).map(|i| Vec3::from(corner(i))).collect(),
            triangles: sides.into_iter().flat_map(halves).collect(),
            ..Object::default()
        };
        let eye = Vec3::new(9.0, 7.0, 8.0);
        let lines = outline(&solid, eye);
        assert_eq!(lines.len(), 12);
        assert!(lines.iter().all(|l| (l.a.distance(l.b) - 1.0).abs() < 1e-6));
        let (positions, triangles) = unit_ball();
        let ball = Object {
            positions,
            triangles,
            ..Object::default()
        };
        let ring = outline(&ball, eye);
        assert!((12..60).contains(&ring.len()), "{}", ring.len());
    }
}
