//! What every pass knows of the picture: camera, light, floor, and the fit of the shadow map.

use super::Extras;
use crate::bvh::Aabb;
use crate::color::to_linear;
use crate::render::{Floor, Stage, drawn_or_unit};
use crate::scene::Scene;
use glam::{Vec3, Vec4};

/// The twin of `Frame` in `frame.wgsl`, which says what the fields are.
#[repr(C)]
#[derive(Clone, Copy, Debug, bytemuck::Pod, bytemuck::Zeroable)]
pub(super) struct Frame {
    eye: [f32; 4],
    right: [f32; 4],
    up: [f32; 4],
    forward: [f32; 4],
    size: [f32; 4],
    to_light: [f32; 4],
    shadow_u: [f32; 4],
    shadow_v: [f32; 4],
    shadow_w: [f32; 4],
    shadow_scale: [f32; 4],
    key: [f32; 4],
    sky: [f32; 4],
    bounce: [f32; 4],
    top: [f32; 4],
    bottom: [f32; 4],
    floor_color: [f32; 4],
    floor_line: [f32; 4],
    floor_middle: [f32; 4],
    scale: [f32; 4],
    lower: [f32; 4],
    upper: [f32; 4],
    survey: [f32; 4],
    lookup: [f32; 4],
}

/// Sizes of the textures that a frame is drawn into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sizes {
    pub(super) picture: [u32; 2],
    /// Of the survey: that of the picture, if it is painted from the survey, else that of visibility.
    pub(super) survey: [u32; 2],
    /// Of visibility.
    pub(super) visible: [u32; 2],
    /// Side of a visibility pixel in pixels of the survey.
    pub(super) stride: u32,
    pub(super) shadow: u32,
    pub(super) samples: u32,
}

impl Sizes {
    /// From pixels of the picture to pixels of visibility, along x and y: scales, then shifts.
    fn lookup(&self) -> [f32; 4] {
        if self.stride > 1 {
            // The survey's pixels that are looked at are the first ones of each square.
            let scale = 1.0 / self.stride as f32;
            let shift = 0.5 - 0.5 * scale;
            return [scale, scale, shift, shift];
        }
        let [x, y] = [0, 1].map(|i| self.visible[i] as f32 / self.picture[i] as f32);
        [x, y, 0.0, 0.0]
    }
}

impl Frame {
    /// Puts the scene's setting into numbers; `drawn` is the box around all triangles and balls. `None` for a camera that
    /// sees nothing because it is not finite.
    pub(super) fn new(
        scene: &Scene,
        extras: &Extras,
        drawn: Option<Aabb>,
        sizes: &Sizes,
    ) -> Option<Self> {
        let drawn = drawn_or_unit(drawn);
        let stage = Stage::new(scene, drawn);
        let camera = &scene.camera;
        let (right, up, forward) = camera.axes();
        let tangent = camera.tangent();
        let [width, height] = sizes.picture.map(|s| s as f32);
        let typical = camera.eye.distance(stage.middle()).max(1e-3 * stage.size());
        if !(camera.eye.is_finite() && camera.target.is_finite() && typical.is_finite()) {
            return None;
        }
        let floor = Floor::of(scene, &stage);
        let on = |flag: bool| f32::from(u8::from(flag));
        let light = &scene.light;
        let to_light = light.direction.normalize_or(Vec3::Y);
        let radius = light.radius_degrees.clamp(0.0, 80.0).to_radians().tan();
        let fit = ShadowFit::new(to_light, &stage, drawn);
        let linear = |color, w| with(to_linear(color), w);
        let clear = Vec3::ZERO;
        Some(Self {
            // Near enough to look into things, far enough to keep digits.
            eye: with(camera.eye, 1e-3 * typical.min(stage.size())),
            right: with(right, tangent * width / height),
            up: with(up, tangent),
            forward: with(forward, 2.0 * tangent / height),
            size: [
                width,
                height,
                sizes.visible[0] as f32,
                sizes.visible[1] as f32,
            ],
            to_light: with(to_light, radius),
            shadow_u: fit.u.to_array(),
            shadow_v: fit.v.to_array(),
            shadow_w: fit.w.to_array(),
            shadow_scale: with(fit.scale, sizes.shadow as f32),
            key: with(light.key, on(extras.shadows)),
            sky: with(light.sky, on(extras.occlusion)),
            bounce: with(light.bounce, stage.ambient_reach(scene)),
            top: linear(scene.background.top, on(extras.wireframe)),
            bottom: linear(scene.background.bottom, sizes.samples as f32),
            floor_color: with(
                floor.as_ref().map_or(clear, |f| f.color),
                floor.as_ref().map_or(0.0, |f| f.cell),
            ),
            floor_line: with(
                floor.as_ref().map_or(clear, |f| f.line_color),
                floor
                    .as_ref()
                    .map_or(1.0, |f| f.fade.min(1e5 * stage.size())),
            ),
            floor_middle: floor
                .as_ref()
                .map_or([0.0; 4], |f| with(f.middle.with_y(f.height), 1.0)),
            scale: [
                1.0 / typical,
                2.0 * tangent / sizes.visible[1] as f32,
                0.0,
                0.0,
            ],
            lower: with(drawn.lo, 0.0),
            upper: with(drawn.hi, 0.0),
            survey: [
                sizes.survey[0] as f32,
                sizes.survey[1] as f32,
                sizes.stride as f32,
                0.0,
            ],
            lookup: sizes.lookup(),
        })
    }

    pub(super) fn has_floor(&self) -> bool {
        self.floor_middle[3] > 0.0
    }
}

fn with(v: Vec3, w: f32) -> [f32; 4] {
    v.extend(w).to_array()
}

/// The shadow map's coordinates of a point p are `u · (p, 1)` and so on; `scale` is how much of them a metre is.
struct ShadowFit {
    u: Vec4,
    v: Vec4,
    w: Vec4,
    scale: Vec3,
}

impl ShadowFit {
    /// Fits the map to what is drawn on the stage and around it. Things far off the stage would waste it: they throw no
    /// shadow, but one that flies away does not make everyone else's coarse.
    fn new(to_light: Vec3, stage: &Stage, drawn: Aabb) -> Self {
        let Aabb { lo, hi } = stage.bounds;
        let grown = Aabb {
            lo: (lo - stage.size()).max(drawn.lo).min(hi),
            hi: (hi + stage.size()).min(drawn.hi).max(lo),
        };
        let (tangent, other) = to_light.any_orthonormal_pair();
        let across = |axis: Vec3, bounds: Aabb, margin: f32| {
            let (a, b) = extent_along(axis, bounds);
            let edge = margin * (b - a).max(1e-3 * stage.size());
            (a - edge, b + edge)
        };
        // Distances from the light grow along the map's depth.
        let away = across(-to_light, drawn, 0.01);
        let [u, v] = [tangent, other].map(|axis| across(axis, grown, 0.02));
        let [u, v, w] = [(tangent, u), (other, v), (-to_light, away)].map(|(axis, (a, b))| {
            let scale = 1.0 / (b - a);
            (axis * scale).extend(-a * scale)
        });
        Self {
            u,
            v,
            w,
            scale: Vec3::new(
                u.truncate().length(),
                v.truncate().length(),
                w.truncate().length(),
            ),
        }
    }
}

/// Least and largest coordinate of a box along an axis.
fn extent_along(axis: Vec3, bounds: Aabb) -> (f32, f32) {
    let (a, b) = (axis * bounds.lo, axis * bounds.hi);
    let (least, most) = (a.min(b), a.max(b));
    (least.element_sum(), most.element_sum())
}
