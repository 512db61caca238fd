//! The built-in figures: animals and lumps made of a few dozen rounded parts.
//!
//! They stand in for scanned models, which a download would be needed for. A figure is a list of parts, each joined to (or
//! carved out of) those before it with its own fillet. The left half of an animal is the mirror image of its right half.
//! Every part's field has a slope of at most 1, and so has the whole.

use super::shape::smooth_min;
use glam::{Mat3, Vec2, Vec3};
use std::sync::LazyLock;

/// A built-in figure, in metres. The animals stand on their origin and look along z; taffy and dough lie around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Figure {
    /// A horned armoured creature with a thick tail, 4 tall.
    Golem,
    /// A sitting rabbit, 5 tall.
    Bunny,
    /// A standing cow, 5 long.
    Cow,
    /// A rod along x, 6 long and 0.8 thick, with rounded ends.
    Taffy,
    /// A flat lump: an ellipsoid of 3 × 1.5 × 3.
    Dough,
    /// An octopus with eight arms that curl up at their ends, 7 wide and 3.5 tall.
    Octopus,
    /// A bent, tapering gland of many lobes along x, 4.4 long.
    Pancreas,
}

impl Figure {
    /// All figures.
    pub const ALL: [Self; 7] = [
        Self::Golem,
        Self::Bunny,
        Self::Cow,
        Self::Taffy,
        Self::Dough,
        Self::Octopus,
        Self::Pancreas,
    ];

    /// The name by which scenes call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Golem => "golem",
            Self::Bunny => "bunny",
            Self::Cow => "cow",
            Self::Taffy => "taffy",
            Self::Dough => "dough",
            Self::Octopus => "octopus",
            Self::Pancreas => "pancreas",
        }
    }

    /// Signed distance from `p` to the surface, negative inside; a bound, not exact for the animals and the dough.
    pub fn distance(self, p: Vec3) -> f32 {
        self.model().distance(p)
    }

    /// A box that holds the figure.
    pub fn bounds(self) -> (Vec3, Vec3) {
        self.model().bounds
    }

    /// Whether the distance is exact.
    pub(crate) fn is_exact(self) -> bool {
        self == Self::Taffy
    }

    fn model(self) -> &'static Model {
        match self {
            Self::Golem => &GOLEM,
            Self::Bunny => &BUNNY,
            Self::Cow => &COW,
            Self::Taffy => &TAFFY,
            Self::Dough => &DOUGH,
            Self::Octopus => &OCTOPUS,
            Self::Pancreas => &PANCREAS,
        }
    }
}

static GOLEM: LazyLock<Model> = LazyLock::new(golem);
static BUNNY: LazyLock<Model> = LazyLock::new(bunny);
static COW: LazyLock<Model> = LazyLock::new(cow);
static TAFFY: LazyLock<Model> = LazyLock::new(taffy);
static DOUGH: LazyLock<Model> = LazyLock::new(dough);
static OCTOPUS: LazyLock<Model> = LazyLock::new(octopus);
static PANCREAS: LazyLock<Model> = LazyLock::new(pancreas);

/// The form of a part.
#[derive(Clone, Copy)]
enum Form {
    /// The hull of two balls, of radius `from` at the origin and `to` at `length` along `axis`.
    Cone {
        axis: Vec3,
        length: f32,
        from: f32,
        to: f32,
    },
    /// An ellipsoid; `turn` brings space to its axes.
    Egg { inverse_radii: Vec3, turn: Mat3 },
    /// A box with rounded edges: `core` is the box without the rounding.
    Box { core: Vec3, round: f32 },
}

#[derive(Clone, Copy)]
struct Part {
    /// Origin of the form.
    at: Vec3,
    form: Form,
    /// Around everything of the part: its field at `p` is at least `grade · (|p − middle| − reach)`.
    middle: Vec3,
    reach: f32,
    grade: f32,
    /// Fillet towards the parts before.
    blend: f32,
    /// Whether it is taken away instead of added.
    carved: bool,
}

impl Part {
    fn distance(&self, p: Vec3) -> f32 {
        let p = p - self.at;
        match self.form {
            Form::Cone {
                axis,
                length,
                from,
                to,
            } => {
                // The ball among all along the axis that is nearest. With balls shrinking by `s` a unit it is met where
                // the way to `p` leans back by the angle whose sine is `s`.
                let y = p.dot(axis);
                let x = (p.length_squared() - y * y).max(0.0).sqrt();
                let s = (from - to) / length;
                let t = (y - s * x / (1.0 - s * s).sqrt()).clamp(0.0, length);
                Vec2::new(x, y - t).length() - (from - s * t)
            }
            // The scaled distance from the centre has a slope of at most 1 over the smallest radius; `grade` times the
            // longest radius is that radius.
            Form::Egg {
                inverse_radii,
                turn,
            } => ((turn * p * inverse_radii).length() - 1.0) * self.reach * self.grade,
            Form::Box { core, round } => {
                let q = p.abs() - core;
                q.max(Vec3::ZERO).length() + q.max_element().min(0.0) - round
            }
        }
    }
}

/// The hull of two balls.
fn cone(a: [f32; 3], from: f32, b: [f32; 3], to: f32, blend: f32) -> Part {
    let (a, b) = (Vec3::from_array(a), Vec3::from_array(b));
    let length = a.distance(b);
    Part {
        at: a,
        form: Form::Cone {
            axis: (b - a) / length,
            length,
            from,
            to,
        },
        middle: a.midpoint(b),
        reach: 0.5 * length + from.max(to),
        grade: 1.0,
        blend,
        carved: false,
    }
}

fn ball(center: [f32; 3], radius: f32, blend: f32) -> Part {
    egg(center, [radius; 3], blend)
}

/// An ellipsoid along the axes.
fn egg(center: [f32; 3], radii: [f32; 3], blend: f32) -> Part {
    tilted_egg(center, radii, [0.0; 3], blend)
}

/// An ellipsoid that is turned about z, then y, then x, by degrees.
fn tilted_egg(center: [f32; 3], radii: [f32; 3], degrees: [f32; 3], blend: f32) -> Part {
    let at = Vec3::from_array(center);
    let radii = Vec3::from_array(radii);
    let [x, y, z] = degrees.map(f32::to_radians);
    let reach = radii.max_element();
    Part {
        at,
        form: Form::Egg {
            inverse_radii: radii.recip(),
            turn: (Mat3::from_rotation_x(x) * Mat3::from_rotation_y(y) * Mat3::from_rotation_z(z))
                .transpose(),
        },
        middle: at,
        reach,
        grade: radii.min_element() / reach,
        blend,
        carved: false,
    }
}

/// A box of given half sides whose edges are rounded.
fn rounded_box(center: [f32; 3], half: [f32; 3], round: f32, blend: f32) -> Part {
    let at = Vec3::from_array(center);
    let core = Vec3::from_array(half) - round;
    Part {
        at,
        form: Form::Box { core, round },
        middle: at,
        reach: core.length() + round,
        grade: 1.0,
        blend,
        carved: false,
    }
}

/// The part as a hollow.
fn carve(part: Part) -> Part {
    Part {
        carved: true,
        ..part
    }
}

struct Model {
    parts: Vec<Part>,
    /// Whether parts at x > 0 have a mirror image.
    mirrored: bool,
    bounds: (Vec3, Vec3),
}

impl Model {
    fn animal(parts: Vec<Part>, lo: [f32; 3], hi: [f32; 3]) -> Self {
        Self {
            parts,
            mirrored: true,
            bounds: (Vec3::from_array(lo), Vec3::from_array(hi)),
        }
    }

    fn distance(&self, p: Vec3) -> f32 {
        let p = if self.mirrored {
            p.with_x(p.x.abs())
        } else {
            p
        };
        let mut d = f32::INFINITY;
        for part in &self.parts {
            // Beyond `d + blend` a part changes nothing (a hollow beyond `blend − d`): most are skipped by their sphere.
            let at_least = (p.distance(part.middle) - part.reach) * part.grade;
            if part.carved {
                if at_least < part.blend - d {
                    d = -smooth_min(-d, part.distance(p), part.blend);
                }
            } else if at_least < d + part.blend {
                d = if d.is_finite() {
                    smooth_min(d, part.distance(p), part.blend)
                } else {
                    part.distance(p)
                };
            }
        }
        d
    }
}

fn taffy() -> Model {
    Model {
        parts: vec![cone([-2.6, 0.0, 0.0], 0.4, [2.6, 0.0, 0.0], 0.4, 0.1)],
        mirrored: false,
        bounds: (Vec3::new(-3.0, -0.4, -0.4), Vec3::new(3.0, 0.4, 0.4)),
    }
}

fn dough() -> Model {
    let radii = Vec3::new(1.5, 0.75, 1.5);
    Model {
        parts: vec![egg([0.0; 3], radii.to_array(), 0.1)],
        mirrored: false,
        bounds: (-radii, radii),
    }
}

#[rustfmt::skip]
fn golem() -> Model {
    let mut parts = vec![
        // Trunk: belly, chest, hips.
        egg([0.0, 1.75, 0.06], [0.80, 0.74, 0.68], 0.10),
        egg([0.0, 2.38, -0.02], [0.84, 0.58, 0.56], 0.25),
        cone([0.0, 1.25, -0.10], 0.52, [0.38, 1.22, -0.02], 0.44, 0.20),
        // Tail.
        cone([0.0, 1.15, -0.45], 0.46, [0.0, 0.55, -1.00], 0.33, 0.25),
        cone([0.0, 0.55, -1.00], 0.33, [0.0, 0.26, -1.55], 0.21, 0.08),
        cone([0.0, 0.26, -1.55], 0.21, [0.0, 0.34, -2.10], 0.09, 0.08),
        // Legs and feet with three toes.
        cone([0.46, 1.35, 0.02], 0.46, [0.64, 0.88, 0.16], 0.36, 0.12),
        cone([0.64, 0.88, 0.14], 0.35, [0.64, 0.30, 0.02], 0.29, 0.08),
        egg([0.66, 0.20, 0.20], [0.33, 0.20, 0.46], 0.10),
        cone([0.48, 0.15, 0.50], 0.13, [0.42, 0.11, 0.70], 0.10, 0.05),
        cone([0.67, 0.15, 0.55], 0.14, [0.68, 0.11, 0.78], 0.10, 0.05),
        cone([0.86, 0.15, 0.48], 0.13, [0.93, 0.11, 0.67], 0.10, 0.05),
        // Neck and head.
        cone([0.0, 2.70, 0.02], 0.42, [0.0, 3.10, 0.16], 0.32, 0.20),
        egg([0.0, 3.28, 0.20], [0.45, 0.40, 0.46], 0.12),
        cone([0.0, 3.22, 0.42], 0.29, [0.0, 3.10, 0.86], 0.17, 0.12),
        ball([0.0, 3.17, 1.01], 0.09, 0.05),
        cone([0.0, 3.04, 0.40], 0.22, [0.0, 2.95, 0.72], 0.13, 0.06),
        // Arms, half raised.
        cone([0.70, 2.58, 0.0], 0.36, [0.95, 2.56, 0.02], 0.34, 0.15),
        cone([0.95, 2.56, 0.02], 0.30, [1.38, 2.36, 0.16], 0.23, 0.10),
        cone([1.38, 2.36, 0.16], 0.24, [1.58, 2.86, 0.46], 0.23, 0.06),
        egg([1.62, 3.00, 0.54], [0.22, 0.24, 0.18], 0.08),
        cone([1.52, 3.15, 0.58], 0.09, [1.44, 3.42, 0.70], 0.07, 0.05),
        cone([1.64, 3.18, 0.58], 0.09, [1.66, 3.50, 0.66], 0.07, 0.05),
        cone([1.76, 3.12, 0.56], 0.09, [1.87, 3.40, 0.60], 0.07, 0.05),
        cone([1.46, 2.98, 0.56], 0.09, [1.28, 3.10, 0.70], 0.07, 0.05),
        // Ears like spoons and a pair of horns before them.
        tilted_egg([0.52, 3.66, 0.04], [0.15, 0.36, 0.10], [0.0, 20.0, -38.0], 0.06),
        carve(tilted_egg([0.54, 3.68, 0.13], [0.08, 0.24, 0.07], [0.0, 20.0, -38.0], 0.04)),
        cone([0.20, 3.58, 0.32], 0.11, [0.25, 3.95, 0.42], 0.04, 0.05),
        // Eyes under brows, nostrils, mouth.
        carve(ball([0.23, 3.36, 0.60], 0.12, 0.05)),
        ball([0.22, 3.36, 0.54], 0.09, 0.02),
        cone([0.10, 3.47, 0.62], 0.06, [0.36, 3.48, 0.46], 0.07, 0.05),
        carve(egg([0.0, 3.045, 0.78], [0.30, 0.035, 0.26], 0.04)),
        carve(ball([0.07, 3.12, 1.06], 0.035, 0.02)),
        // Knee and elbow caps, shoulder shells.
        egg([0.66, 0.92, 0.46], [0.19, 0.20, 0.10], 0.05),
        tilted_egg([0.98, 2.76, 0.0], [0.30, 0.16, 0.34], [0.0, 0.0, -25.0], 0.04),
        tilted_egg([1.22, 2.62, 0.06], [0.22, 0.12, 0.27], [0.0, 0.0, -28.0], 0.04),
        egg([1.44, 2.30, 0.02], [0.16, 0.16, 0.14], 0.05),
    ];
    // Plates on belly and chest, with grooves between.
    for i in 0..5 {
        let y = 1.36 + 0.27 * i as f32;
        let z = [0.65, 0.74, 0.74, 0.63, 0.54][i];
        let half = [0.40, 0.46, 0.48, 0.50, 0.50][i];
        parts.push(carve(egg([0.0, y, z], [half, 0.05, 0.09], 0.05)));
    }
    parts.push(carve(egg([0.0, 2.50, 0.56], [0.05, 0.24, 0.09], 0.05)));
    // A comb of spikes from the nape to the tail, and two rows of knobs beside it.
    let spine = [
        (2.98, -0.26, 40.0), (2.70, -0.50, 65.0), (2.40, -0.62, 85.0), (2.08, -0.68, 95.0),
        (1.76, -0.72, 100.0), (1.44, -0.80, 80.0), (1.14, -0.98, 50.0), (0.88, -1.16, 45.0),
        (0.62, -1.38, 35.0), (0.48, -1.66, 10.0), (0.44, -1.92, 0.0),
    ];
    for (i, (y, z, lean)) in spine.into_iter().enumerate() {
        let size = 1.0 - 0.055 * i as f32;
        let lean: f32 = lean;
        let (sin, cos) = libm::sincosf(lean.to_radians());
        let tip = [0.0, y + 0.24 * size * cos, z - 0.24 * size * sin];
        parts.push(cone([0.0, y, z], 0.13 * size, tip, 0.04, 0.05));
        if i < 7 {
            let side = [0.30, 0.36, 0.40, 0.40, 0.38, 0.36, 0.28][i];
            let forward = [0.10, 0.09, 0.09, 0.08, 0.09, 0.12, 0.08][i];
            parts.push(ball([side, y - 0.14, z + forward], 0.13, 0.05));
            if i < 6 {
                parts.push(ball([side + 0.26, y - 0.08, z + 0.12 + 2.2 * forward], 0.11, 0.05));
            }
        }
    }
    // Knobs down the outside of thigh and forearm.
    for (x, y, z) in [(0.98, 1.42, -0.02), (1.02, 1.16, 0.10), (0.99, 0.88, 0.10), (0.95, 0.60, 0.06)] {
        parts.push(ball([x - 0.04, y, z], 0.10, 0.04));
    }
    for (x, y, z) in [(1.66, 2.44, 0.14), (1.75, 2.64, 0.26), (1.80, 2.84, 0.38)] {
        parts.push(ball([x, y, z], 0.08, 0.04));
    }
    Model::animal(parts, [-1.96, -0.03, -2.21], [1.96, 4.02, 1.12])
}

#[rustfmt::skip]
fn bunny() -> Model {
    let parts = vec![
        // Trunk.
        egg([0.0, 1.55, -0.75], [1.22, 1.40, 1.50], 0.10),
        egg([0.0, 1.55, 0.35], [0.92, 1.10, 0.95], 0.50),
        // Haunches and hind paws.
        egg([1.08, 1.02, -0.66], [0.46, 0.90, 0.98], 0.08),
        cone([1.05, 0.27, -0.70], 0.27, [1.08, 0.24, 0.62], 0.23, 0.15),
        egg([1.08, 0.24, 0.66], [0.30, 0.22, 0.36], 0.08),
        // Forelegs.
        cone([0.46, 1.35, 0.85], 0.40, [0.46, 0.34, 1.16], 0.24, 0.20),
        egg([0.46, 0.21, 1.34], [0.26, 0.20, 0.40], 0.10),
        // Neck, head, cheeks, muzzle.
        cone([0.0, 2.05, 0.55], 0.72, [0.0, 2.75, 0.95], 0.60, 0.30),
        egg([0.0, 3.02, 1.18], [0.70, 0.68, 0.84], 0.20),
        egg([0.36, 2.78, 1.50], [0.42, 0.40, 0.46], 0.20),
        egg([0.0, 2.84, 1.86], [0.30, 0.26, 0.26], 0.18),
        egg([0.15, 2.74, 2.00], [0.19, 0.16, 0.15], 0.05),
        egg([0.0, 2.90, 2.11], [0.11, 0.08, 0.07], 0.03),
        // Ears, hollow in front.
        tilted_egg([0.44, 4.14, 0.74], [0.27, 0.98, 0.19], [-14.0, 12.0, -13.0], 0.16),
        carve(tilted_egg([0.48, 4.26, 0.92], [0.14, 0.62, 0.12], [-14.0, 12.0, -13.0], 0.08)),
        // Eyes.
        carve(ball([0.63, 3.13, 1.62], 0.17, 0.08)),
        ball([0.55, 3.13, 1.54], 0.17, 0.02),
        // Tail.
        ball([0.0, 1.05, -2.28], 0.46, 0.12),
        // Toes.
        carve(egg([0.37, 0.24, 1.74], [0.025, 0.16, 0.16], 0.03)),
        carve(egg([0.55, 0.24, 1.74], [0.025, 0.16, 0.16], 0.03)),
        carve(egg([0.98, 0.28, 1.00], [0.025, 0.16, 0.16], 0.03)),
        carve(egg([1.18, 0.28, 1.00], [0.025, 0.16, 0.16], 0.03)),
    ];
    Model::animal(parts, [-1.58, -0.03, -2.76], [1.58, 5.08, 2.20])
}

#[rustfmt::skip]
fn cow() -> Model {
    let parts = vec![
        // Barrel, withers, rump, brisket.
        rounded_box([0.0, 2.15, -0.30], [0.68, 0.68, 1.45], 0.48, 0.10),
        egg([0.0, 1.90, -0.30], [0.74, 0.60, 1.10], 0.25),
        egg([0.0, 2.45, 0.75], [0.45, 0.48, 0.50], 0.25),
        egg([0.0, 2.45, -1.40], [0.55, 0.46, 0.42], 0.20),
        egg([0.0, 1.72, 0.98], [0.42, 0.46, 0.40], 0.25),
        // Forelegs.
        cone([0.40, 1.90, 0.76], 0.32, [0.46, 1.00, 0.84], 0.21, 0.28),
        cone([0.46, 1.00, 0.84], 0.20, [0.46, 0.34, 0.80], 0.15, 0.08),
        rounded_box([0.46, 0.14, 0.85], [0.18, 0.14, 0.23], 0.10, 0.10),
        // Hind legs.
        cone([0.36, 2.00, -1.30], 0.40, [0.46, 1.24, -1.26], 0.27, 0.28),
        cone([0.47, 1.22, -1.26], 0.25, [0.47, 0.88, -1.46], 0.18, 0.08),
        cone([0.47, 0.88, -1.46], 0.18, [0.47, 0.34, -1.36], 0.15, 0.06),
        rounded_box([0.47, 0.14, -1.31], [0.18, 0.14, 0.23], 0.10, 0.10),
        // Cloven hooves.
        carve(egg([0.46, 0.10, 1.10], [0.040, 0.24, 0.14], 0.03)),
        carve(egg([0.47, 0.10, -1.06], [0.040, 0.24, 0.14], 0.03)),
        // Neck with dewlap.
        cone([0.0, 2.35, 0.95], 0.50, [0.0, 3.02, 1.68], 0.36, 0.25),
        cone([0.0, 1.98, 1.22], 0.20, [0.0, 2.55, 1.70], 0.18, 0.20),
        // Head: skull, jaw, muzzle.
        cone([0.0, 3.16, 1.78], 0.38, [0.0, 2.76, 2.42], 0.26, 0.15),
        egg([0.0, 2.64, 2.52], [0.34, 0.26, 0.28], 0.12),
        cone([0.0, 2.78, 1.90], 0.24, [0.0, 2.54, 2.42], 0.18, 0.10),
        carve(egg([0.0, 2.53, 2.70], [0.30, 0.025, 0.16], 0.03)),
        carve(egg([0.15, 2.72, 2.76], [0.06, 0.05, 0.07], 0.03)),
        // Eyes, ears, horns.
        carve(ball([0.34, 3.12, 2.10], 0.11, 0.05)),
        ball([0.275, 3.11, 2.05], 0.11, 0.02),
        tilted_egg([0.62, 3.20, 1.66], [0.36, 0.16, 0.09], [0.0, 25.0, -12.0], 0.08),
        carve(tilted_egg([0.66, 3.20, 1.75], [0.22, 0.09, 0.05], [0.0, 25.0, -12.0], 0.04)),
        cone([0.22, 3.44, 1.68], 0.12, [0.50, 3.56, 1.68], 0.10, 0.06),
        cone([0.50, 3.56, 1.68], 0.10, [0.64, 3.80, 1.74], 0.045, 0.03),
        // Udder and teats.
        egg([0.0, 1.42, -0.82], [0.40, 0.32, 0.42], 0.12),
        cone([0.17, 1.24, -0.66], 0.09, [0.18, 1.04, -0.65], 0.07, 0.05),
        cone([0.17, 1.24, -0.96], 0.09, [0.18, 1.04, -0.97], 0.07, 0.05),
        // Tail with tuft.
        cone([0.0, 2.72, -1.68], 0.13, [0.0, 2.50, -1.98], 0.09, 0.10),
        cone([0.0, 2.50, -1.98], 0.09, [0.0, 1.45, -2.08], 0.075, 0.05),
        egg([0.0, 1.22, -2.08], [0.15, 0.36, 0.15], 0.06),
    ];
    Model::animal(parts, [-0.97, -0.03, -2.25], [0.97, 3.87, 2.83])
}

/// Four arms on either side of a mantle that leans back.
fn octopus() -> Model {
    let mut parts = vec![
        tilted_egg(
            [0.0, 2.25, -0.25],
            [0.92, 1.22, 0.98],
            [-14.0, 0.0, 0.0],
            0.10,
        ),
        egg([0.0, 1.15, 0.10], [0.78, 0.62, 0.76], 0.40),
        // Brows, eyes and the funnel.
        egg([0.44, 1.62, 0.56], [0.28, 0.27, 0.27], 0.14),
        ball([0.52, 1.66, 0.72], 0.17, 0.02),
        cone([0.62, 1.25, 0.20], 0.16, [0.92, 1.12, 0.62], 0.11, 0.12),
    ];
    for arm in 0..4u8 {
        let (out_x, out_z) = libm::sincosf((22.5 + 45.0 * f32::from(arm)).to_radians());
        let mut last: Option<([f32; 3], f32)> = None;
        for joint in 0..=20u8 {
            let t = 0.05 * f32::from(joint);
            // Out and down to the floor, along it, and up again in a curl that leans to one side.
            let curl = (t - 0.62).max(0.0) / 0.38;
            let (sin, cos) = libm::sincosf(4.2 * curl);
            let far = 0.35 + 2.45 * t.min(0.62) / 0.62 + 0.48 * sin;
            let low = 0.26 + 0.85 * (1.0 - t / 0.45).max(0.0).powi(2) - 0.06 * t;
            let height = low + 0.48 * (1.0 - cos);
            let side = 0.30 * libm::sinf(5.0 * t + f32::from(arm)) * t;
            let at = [
                far * out_x + side * out_z,
                height,
                far * out_z - side * out_x,
            ];
            let radius = 0.34 * (1.0 - t) + 0.07;
            if let Some((from, thick)) = last {
                parts.push(cone(from, thick, at, radius, 0.06));
            }
            last = Some((at, radius));
        }
    }
    Model::animal(parts, [-3.27, -0.06, -3.26], [3.27, 3.48, 3.27])
}

/// Lobes around a bent tube, thick at the head and thin at the tail.
fn pancreas() -> Model {
    let mut parts = Vec::new();
    let middle = |t: f32| {
        let bend = libm::sinf(std::f32::consts::PI * t);
        [
            4.0 * t - 2.0,
            0.55 * bend - 0.25 * (1.0 - t),
            0.20 * libm::sinf(5.0 * t),
        ]
    };
    let thickness = |t: f32| 0.52 * (1.0 - t).powi(2) + 0.30;
    for joint in 0..12u8 {
        let (t, next) = (f32::from(joint) / 12.0, f32::from(joint + 1) / 12.0);
        let thick = |t: f32| 0.72 * thickness(t);
        parts.push(cone(middle(t), thick(t), middle(next), thick(next), 0.10));
    }
    for lobe in 0..90u8 {
        let t = (f32::from(lobe) + 0.5) / 90.0;
        let (sin, cos) = libm::sincosf(2.399_963 * f32::from(lobe));
        let [x, y, z] = middle(t);
        let away = 0.62 * thickness(t);
        let size = thickness(t) * (0.36 + 0.08 * libm::sinf(3.7 * f32::from(lobe)));
        parts.push(ball([x, y + away * cos, z + away * sin], size, 0.06));
    }
    Model {
        parts,
        mirrored: false,
        bounds: (Vec3::new(-2.62, -0.98, -0.84), Vec3::new(2.25, 0.88, 0.86)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Along random segments the distance changes by no more than their length, and the figure is inside of its box.
    #[test]
    fn distances_are_bounds() {
        for figure in Figure::ALL {
            let (lo, hi) = figure.bounds();
            let mut previous: Option<(Vec3, f32)> = None;
            for i in 0..40_000u32 {
                let unit = |step: u32| i.wrapping_mul(step) as f32 / u32::MAX as f32;
                let share = Vec3::new(unit(3518319155), unit(2882110345), unit(2360945575));
                let p = lo - 0.3 + (hi - lo + 0.6) * share;
                let d = figure.distance(p);
                let outside = (lo - p).max(p - hi).max_element();
                assert!(d > 0.0 || outside <= 0.0, "{figure:?} sticks out at {p}");
                if let Some((q, e)) = previous {
                    assert!((d - e).abs() <= 1.0001 * p.distance(q) + 1e-5);
                }
                let near = p + 0.01 * (share - 0.5);
                let change = (figure.distance(near) - d).abs();
                assert!(change <= 1.001 * near.distance(p) + 1e-5, "{figure:?} {p}");
                previous = Some((p, d));
            }
        }
    }
}
