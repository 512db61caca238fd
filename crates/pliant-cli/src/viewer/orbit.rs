//! A camera that goes around what it looks at.

use glam::{Vec2, Vec3};
use pliant_draw::Camera;

/// Highest and lowest view, as an angle from the level (rad): straight down there is no telling which way is up.
const PITCH: [f32; 2] = [-1.45, 1.5];
/// Nearest and farthest view, in sizes of the scene.
const ZOOM: [f32; 2] = [0.02, 20.0];
/// Turn of a drag across the height of the view (rad).
const TURN: f32 = 3.6;
/// How fast the view follows (1/s): fast enough to feel direct, slow enough to be smooth.
const FOLLOW: f32 = 18.0;

/// Where the view is.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Spot {
    target: Vec3,
    /// Angle about the vertical, from +z towards +x (rad).
    yaw: f32,
    /// Angle above the level (rad).
    pitch: f32,
    distance: f32,
}

/// A camera that goes around what it looks at, and eases into every turn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Orbit {
    now: Spot,
    goal: Spot,
    fov_degrees: f32,
    /// Size of the scene (m).
    size: f32,
}

impl Orbit {
    /// Looks as a camera does, at a scene of a size.
    pub(super) fn of(camera: &Camera, size: f32) -> Self {
        let back = camera.eye - camera.target;
        let distance = back.length().max(1e-4);
        let spot = Spot {
            target: camera.target,
            yaw: back.x.atan2(back.z),
            pitch: (back.y / distance)
                .clamp(-1.0, 1.0)
                .asin()
                .clamp(PITCH[0], PITCH[1]),
            distance,
        };
        Self {
            now: spot,
            goal: spot,
            fov_degrees: camera.fov_degrees,
            size: size.max(1e-4),
        }
    }

    /// The camera as it is.
    pub(super) fn camera(&self) -> Camera {
        let Spot {
            target,
            yaw,
            pitch,
            distance,
        } = self.now;
        let back = Vec3::new(
            pitch.cos() * yaw.sin(),
            pitch.sin(),
            pitch.cos() * yaw.cos(),
        );
        Camera {
            eye: target + back * distance,
            target,
            up: Vec3::Y,
            fov_degrees: self.fov_degrees,
        }
    }

    /// Goes around by a drag, in heights of the view.
    pub(super) fn turn(&mut self, drag: Vec2) {
        self.goal.yaw -= TURN * drag.x;
        self.goal.pitch = (self.goal.pitch + TURN * drag.y).clamp(PITCH[0], PITCH[1]);
    }

    /// Moves aside by a drag, in heights of the view: what is under the mouse stays under it.
    pub(super) fn pan(&mut self, drag: Vec2) {
        let (right, up, _) = axes(&self.camera());
        let height = 2.0 * self.goal.distance * (0.5 * self.fov_degrees).to_radians().tan();
        self.goal.target += (up * drag.y - right * drag.x) * height;
    }

    /// Goes nearer (above 1) or farther (below 1) by a factor.
    pub(super) fn zoom(&mut self, factor: f32) {
        if factor > 0.0 && factor.is_finite() {
            let [least, most] = ZOOM.map(|z| z * self.size);
            self.goal.distance = (self.goal.distance / factor).clamp(least, most);
        }
    }

    /// Eases on for a time (s); says whether it still moves.
    pub(super) fn ease(&mut self, seconds: f32) -> bool {
        let share = 1.0 - (-FOLLOW * seconds.clamp(0.0, 1.0)).exp();
        let (now, goal) = (&mut self.now, self.goal);
        now.target += (goal.target - now.target) * share;
        now.yaw += (goal.yaw - now.yaw) * share;
        now.pitch += (goal.pitch - now.pitch) * share;
        now.distance += (goal.distance - now.distance) * share;
        let near = (goal.target - now.target).length() < 1e-4 * self.size
            && (goal.yaw - now.yaw).abs() < 1e-4
            && (goal.pitch - now.pitch).abs() < 1e-4
            && (goal.distance / now.distance - 1.0).abs() < 1e-4;
        if near {
            self.now = goal;
        }
        !near
    }

    /// The ray through a place of the view: origin and unit direction. (0, 0) is the upper left corner, heights of the view the unit.
    pub(super) fn ray(&self, place: Vec2, aspect: f32) -> (Vec3, Vec3) {
        let camera = self.camera();
        let (right, up, forward) = axes(&camera);
        let tangent = (0.5 * self.fov_degrees).to_radians().tan();
        let x = (2.0 * place.x - aspect) * tangent;
        let y = (1.0 - 2.0 * place.y) * tangent;
        (camera.eye, (forward + right * x + up * y).normalize())
    }

    /// Unit vectors to the right, up and forward.
    pub(super) fn axes(&self) -> (Vec3, Vec3, Vec3) {
        axes(&self.camera())
    }

    /// Distance of the eye from what it looks at (m).
    pub(super) fn distance(&self) -> f32 {
        self.now.distance
    }

    /// Size of the scene (m).
    pub(super) fn size(&self) -> f32 {
        self.size
    }
}

fn axes(camera: &Camera) -> (Vec3, Vec3, Vec3) {
    let forward = (camera.target - camera.eye).normalize_or(Vec3::NEG_Z);
    let right = forward.cross(camera.up).normalize_or(Vec3::X);
    (right, right.cross(forward), forward)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settled(mut orbit: Orbit) -> Orbit {
        for _ in 0..600 {
            orbit.ease(1.0 / 60.0);
        }
        orbit
    }

    /// It starts where the camera was; a turn keeps the distance, a pan the direction, and it comes to rest.
    #[test]
    fn it_goes_around() {
        let camera = Camera::default();
        let start = Orbit::of(&camera, 2.0);
        assert!(start.camera().eye.distance(camera.eye) < 1e-4);
        let mut turned = start;
        turned.turn(Vec2::new(0.3, 0.1));
        let turned = settled(turned);
        assert!(turned.camera().eye.distance(camera.eye) > 1.0);
        let distance = turned.camera().eye.distance(camera.target);
        assert!((distance - camera.eye.distance(camera.target)).abs() < 1e-3);
        assert!(!turned.clone().ease(0.1));
        let mut panned = start;
        panned.pan(Vec2::new(0.5, 0.0));
        let panned = settled(panned).camera();
        let moved = (panned.eye - camera.eye) - (panned.target - camera.target);
        assert!(moved.length() < 1e-3);
    }

    /// The ray through the middle goes to the target; no drag turns it over or brings it to a stop.
    #[test]
    fn rays_and_limits() {
        let mut orbit = Orbit::of(&Camera::default(), 2.0);
        let (eye, direction) = orbit.ray(Vec2::new(0.8, 0.5), 1.6);
        let target = orbit.camera().target;
        assert!((target - eye).normalize().distance(direction) < 1e-4);
        orbit.turn(Vec2::new(0.0, 99.0));
        orbit.zoom(f32::NAN);
        orbit.zoom(1e9);
        let orbit = settled(orbit);
        let (right, up, forward) = orbit.axes();
        assert!(up.y > 0.0 && right.is_finite() && forward.is_finite());
        assert!(orbit.distance() > 0.0);
    }
}
