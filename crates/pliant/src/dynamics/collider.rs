//! Obstacles: fixed or following a script.

use crate::geometry::{Mesh, Shape};
use glam::{EulerRot, Quat, Vec3};
use parry3d::query::PointQuery;
use parry3d::shape::{TriMesh, TriMeshFlags};
use std::sync::Arc;

/// Where a collider is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// Position of the shape's origin (m).
    pub position: Vec3,
    /// Rotation from the shape's axes to the world's.
    pub rotation: Quat,
}

impl Pose {
    /// At the origin, not turned.
    pub const IDENTITY: Self = Self {
        position: Vec3::ZERO,
        rotation: Quat::IDENTITY,
    };

    /// At `position`, turned about the fixed x, then y, then z axis by angles in degrees.
    pub fn from_degrees(position: Vec3, degrees: Vec3) -> Self {
        Self {
            position,
            rotation: rotation_from_degrees(degrees),
        }
    }

    /// From the shape's to the world's coordinates.
    #[inline]
    pub fn apply(&self, p: Vec3) -> Vec3 {
        self.rotation * p + self.position
    }

    /// From the world's to the shape's coordinates.
    #[inline]
    pub fn invert(&self, p: Vec3) -> Vec3 {
        self.rotation.conjugate() * (p - self.position)
    }
}

/// Rotation about the fixed x, then y, then z axis (degrees).
pub fn rotation_from_degrees(degrees: Vec3) -> Quat {
    let r = degrees * (std::f32::consts::PI / 180.0);
    Quat::from_euler(EulerRot::ZYX, r.z, r.y, r.x)
}

/// One key of a motion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MotionKey {
    /// Time (s).
    pub time: f64,
    /// Position (m).
    pub position: Vec3,
    /// Angles about the fixed x, y, z axes (degrees); 1800 is five turns.
    pub rotation: Vec3,
}

/// How a motion goes from key to key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ease {
    /// At constant speed.
    #[default]
    Linear,
    /// Starting and ending each interval at rest.
    Smooth,
}

/// A scripted motion: position and the three angles are interpolated separately, so turns beyond 360° are kept.
#[derive(Clone, Debug, PartialEq)]
pub struct Motion {
    /// Keys with ascending times; at least one.
    pub keys: Vec<MotionKey>,
    /// If given, the rotation turns the collider, position included, about this point.
    pub pivot: Option<Vec3>,
    /// Interpolation.
    pub ease: Ease,
    /// Starts again after the last key.
    pub looping: bool,
}

impl Motion {
    /// A collider that stays where it is.
    pub fn fixed(position: Vec3, rotation: Vec3) -> Self {
        Self {
            keys: vec![MotionKey {
                time: 0.0,
                position,
                rotation,
            }],
            pivot: None,
            ease: Ease::Linear,
            looping: false,
        }
    }

    /// The pose at `time`; before the first key the first one, after the last the last one.
    pub fn pose(&self, time: f64) -> Pose {
        let (first, last) = (self.keys[0], self.keys[self.keys.len() - 1]);
        let span = last.time - first.time;
        let time = if self.looping && span > 0.0 && time > first.time {
            first.time + (time - first.time) % span
        } else {
            time
        };
        let next = self.keys.partition_point(|k| k.time <= time);
        let (position, degrees) = if next == 0 {
            (first.position, first.rotation)
        } else if next == self.keys.len() {
            (last.position, last.rotation)
        } else {
            let (a, b) = (self.keys[next - 1], self.keys[next]);
            let t = ((time - a.time) / (b.time - a.time)) as f32;
            let t = if self.ease == Ease::Smooth {
                t * t * (3.0 - 2.0 * t)
            } else {
                t
            };
            (
                a.position.lerp(b.position, t),
                a.rotation.lerp(b.rotation, t),
            )
        };
        let rotation = rotation_from_degrees(degrees);
        let position = match self.pivot {
            Some(pivot) => pivot + rotation * (position - pivot),
            None => position,
        };
        Pose { position, rotation }
    }

    /// Whether the collider ever moves.
    pub fn is_fixed(&self) -> bool {
        self.keys.len() == 1
    }
}

/// Signed distance to a closed triangle mesh.
pub struct MeshField {
    mesh: TriMesh,
}

impl std::fmt::Debug for MeshField {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "MeshField({} triangles)", self.mesh.indices().len())
    }
}

impl MeshField {
    /// Prepares a mesh for distance queries; the text says what is wrong if it cannot be used.
    pub fn new(mesh: &Mesh) -> Result<Self, String> {
        mesh.validate().map_err(|e| e.to_string())?;
        // Pseudo-normals tell inside from outside at edges and corners too.
        let flags = TriMeshFlags::ORIENTED
            | TriMeshFlags::MERGE_DUPLICATE_VERTICES
            | TriMeshFlags::DELETE_DEGENERATE_TRIANGLES;
        let mesh = TriMesh::with_flags(mesh.positions.clone(), mesh.triangles.clone(), flags)
            .map_err(|e| e.to_string())?;
        Ok(Self { mesh })
    }

    /// Signed distance at `p` and the direction away from the surface; `None` farther than `reach` from it.
    fn distance_normal(&self, p: Vec3, reach: f32) -> Option<(f32, Vec3)> {
        let projection = self
            .mesh
            .project_local_point_with_max_dist(p, false, reach)?;
        let away = p - projection.point;
        let distance = away.length();
        let sign = if projection.is_inside { -1.0 } else { 1.0 };
        let normal = if distance > 1e-6 {
            away * (sign / distance)
        } else {
            Vec3::Y
        };
        Some((sign * distance, normal))
    }

    fn bounds(&self) -> (Vec3, Vec3) {
        let aabb = self.mesh.local_aabb();
        (aabb.mins, aabb.maxs)
    }
}

/// A capsule at a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CapsuleKey {
    /// Time (s).
    pub time: f64,
    /// One end of its segment (m).
    pub a: Vec3,
    /// The other end (m).
    pub b: Vec3,
    /// Radius (m).
    pub radius: f32,
}

/// A capsule whose ends move as recorded.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CapsuleTrack {
    /// Keys with strictly ascending times; at least one.
    pub keys: Vec<CapsuleKey>,
}

impl CapsuleTrack {
    /// The capsule at a time: linear between keys, at rest before the first and after the last.
    pub fn at(&self, time: f64) -> CapsuleKey {
        let next = self.keys.partition_point(|k| k.time <= time);
        let (Some(from), Some(to)) = (self.keys.get(next.max(1) - 1), self.keys.get(next)) else {
            return self.keys[self.keys.len() - 1];
        };
        if next == 0 {
            return *from;
        }
        let t = ((time - from.time) / (to.time - from.time)) as f32;
        CapsuleKey {
            time,
            a: from.a.lerp(to.a, t),
            b: from.b.lerp(to.b, t),
            radius: from.radius + (to.radius - from.radius) * t,
        }
    }
}

impl CapsuleKey {
    /// Middle, direction and half of the length of its segment.
    fn segment(&self) -> (Vec3, Vec3, f32) {
        let along = self.b - self.a;
        let direction = along.normalize_or(Vec3::Y);
        (0.5 * (self.a + self.b), direction, 0.5 * along.length())
    }

    /// Poses of an upright capsule at two times, the second turned from the first without a twist, and half its length at the second.
    pub(crate) fn poses(&self, later: &Self) -> (Pose, Pose, f32) {
        let (middle, from, _) = self.segment();
        let (end, to, half) = later.segment();
        let rotation = Quat::from_rotation_arc(Vec3::Y, from);
        let start = Pose {
            position: middle,
            rotation,
        };
        let end = Pose {
            position: end,
            rotation: (Quat::from_rotation_arc(from, to) * rotation).normalize(),
        };
        (start, end, half)
    }
}

/// What a collider looks like, in its own coordinates.
#[derive(Clone, Debug)]
pub enum ColliderShape {
    /// Everything below a plane: n·p ≤ offset.
    Plane {
        /// Unit normal.
        normal: Vec3,
        /// Distance of the plane from the origin along the normal (m).
        offset: f32,
    },
    /// A solid shape.
    Solid(Shape),
    /// A closed triangle mesh.
    Mesh(Arc<MeshField>),
    /// A capsule whose ends move as recorded; the collider's motion does not count.
    Track(Arc<CapsuleTrack>),
}

impl ColliderShape {
    /// Signed distance at local `p` and the outward normal; `None` if it is certainly farther than `reach`.
    #[inline]
    pub fn distance_normal(&self, p: Vec3, reach: f32) -> Option<(f32, Vec3)> {
        let (distance, normal) = self.distance(p, reach)?;
        Some((distance, normal.unwrap_or_else(|| self.normal(p))))
    }

    /// Signed distance at local `p`, and the outward normal if it comes with it at no cost; `None` if it is certainly farther than `reach`.
    #[inline]
    pub fn distance(&self, p: Vec3, reach: f32) -> Option<(f32, Option<Vec3>)> {
        match self {
            Self::Plane { normal, offset } => {
                let d = normal.dot(p) - offset;
                (d <= reach).then_some((d, Some(*normal)))
            }
            Self::Solid(shape) => shape.clearance(p, reach),
            Self::Mesh(field) => {
                let (d, normal) = field.distance_normal(p, reach)?;
                Some((d, Some(normal)))
            }
            // Its size depends on the time: [`Placed`](crate::dynamics::contacts::statics::Placed) knows it.
            Self::Track(_) => None,
        }
    }

    /// The outward normal at local `p` of a shape whose distance does not tell it.
    pub(crate) fn normal(&self, p: Vec3) -> Vec3 {
        match self {
            Self::Solid(shape) => shape.normal(p),
            Self::Plane { .. } | Self::Mesh(_) | Self::Track(_) => Vec3::Y,
        }
    }

    /// A local box around the shape; `None` for a plane, which has none.
    pub fn bounds(&self) -> Option<(Vec3, Vec3)> {
        match self {
            Self::Plane { .. } | Self::Track(_) => None,
            Self::Solid(shape) => Some(shape.bounds()),
            Self::Mesh(field) => Some(field.bounds()),
        }
    }
}

/// An obstacle.
#[derive(Clone, Debug)]
pub struct Collider {
    /// Its name, for messages and pictures.
    pub name: String,
    /// Its shape.
    pub shape: ColliderShape,
    /// Where it is when.
    pub motion: Motion,
    /// Friction coefficient; a contact uses the mean of both sides.
    pub friction: f32,
}

impl Collider {
    /// The half-space below the height `y`.
    pub fn floor(y: f32) -> Self {
        Self {
            name: "floor".into(),
            shape: ColliderShape::Plane {
                normal: Vec3::Y,
                offset: y,
            },
            motion: Motion::fixed(Vec3::ZERO, Vec3::ZERO),
            friction: 0.5,
        }
    }

    /// A fixed solid at a pose.
    pub fn solid(name: &str, shape: Shape, position: Vec3) -> Self {
        Self {
            name: name.into(),
            shape: ColliderShape::Solid(shape),
            motion: Motion::fixed(position, Vec3::ZERO),
            friction: 0.5,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Keys hold before the first and after the last; five turns are five turns; smooth starts slowly.
    #[test]
    fn motion_interpolates_angles_separately() {
        let key = |time, x, deg| MotionKey {
            time,
            position: Vec3::new(x, 0.0, 0.0),
            rotation: Vec3::new(0.0, 0.0, deg),
        };
        let mut motion = Motion {
            keys: vec![key(1.0, 0.0, 0.0), key(2.0, 4.0, 1800.0)],
            pivot: None,
            ease: Ease::Linear,
            looping: false,
        };
        assert_eq!(motion.pose(0.0).position.x, 0.0);
        assert_eq!(motion.pose(9.0).position.x, 4.0);
        let quarter = motion.pose(1.05);
        assert!(
            (quarter.rotation * Vec3::X - Vec3::Y).length() < 1e-4,
            "1800° × 0.05 is a quarter turn"
        );
        motion.ease = Ease::Smooth;
        assert!(motion.pose(1.1).position.x < 0.2);
        motion.looping = true;
        assert!((motion.pose(3.5).position - motion.pose(1.5).position).length() < 1e-5);
    }

    /// With a pivot the position turns too.
    #[test]
    fn pivot_turns_the_position() {
        let key = |time, deg| MotionKey {
            time,
            position: Vec3::X,
            rotation: Vec3::new(0.0, 0.0, deg),
        };
        let motion = Motion {
            keys: vec![key(0.0, 0.0), key(1.0, 90.0)],
            pivot: Some(Vec3::ZERO),
            ease: Ease::Linear,
            looping: false,
        };
        assert!((motion.pose(1.0).position - Vec3::Y).length() < 1e-6);
    }

    /// Angles turn about the fixed axes, x first.
    #[test]
    fn euler_order_is_fixed_x_y_z() {
        let q = rotation_from_degrees(Vec3::new(90.0, 90.0, 0.0));
        // y → z by the x turn, then z → x by the y turn.
        assert!((q * Vec3::Y - Vec3::X).length() < 1e-6);
    }

    /// A mesh collider knows inside from outside and the way out.
    #[test]
    fn mesh_distance_is_signed() {
        let corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
            .map(|c: [i32; 3]| Vec3::new(c[0] as f32, c[1] as f32, c[2] as f32));
        let mesh = Mesh {
            positions: corners.to_vec(),
            triangles: vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]],
            ..Mesh::default()
        };
        let field = MeshField::new(&mesh).unwrap();
        let (inside, _) = field.distance_normal(Vec3::splat(0.1), 10.0).unwrap();
        assert!((inside + 0.1).abs() < 1e-5);
        let (outside, normal) = field
            .distance_normal(Vec3::new(0.2, 0.2, -0.5), 10.0)
            .unwrap();
        assert!((outside - 0.5).abs() < 1e-5 && (normal + Vec3::Z).length() < 1e-5);
        assert!(field.distance_normal(Vec3::splat(50.0), 1.0).is_none());
    }
}
