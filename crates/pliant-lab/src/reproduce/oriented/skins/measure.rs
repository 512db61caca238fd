//! How badly a skin is folded, creased and thinned.

use glam::Vec3;
use pliant::geometry::Mesh;

/// What is measured of a skin against the same mesh at rest.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Measured {
    /// Triangles that are turned away from where their particles have turned them.
    pub(super) flipped: usize,
    /// Root of the mean square of the angles by which lines that are straight at rest turn from edge to edge (degrees): a smooth bend turns by a
    /// little everywhere, a kinked one at few places by much.
    pub(super) kink: f32,
    /// Largest growth of a triangle's area.
    pub(super) stretch: f32,
    /// Volume over that at rest.
    pub(super) volume: f64,
}

/// Measures a mesh; `lines` are vertices in line along it at rest, and `turned` tells where a triangle's normal is if nothing is folded.
pub(super) fn measure(
    rest: &Mesh,
    now: &Mesh,
    lines: &[Vec<usize>],
    turned: impl Fn(usize, Vec3) -> Vec3,
) -> Measured {
    let before: Vec<Vec3> = area_normals(rest).collect();
    let after: Vec<Vec3> = area_normals(now).collect();
    let flipped = |t: &usize| turned(*t, before[*t]).dot(after[*t]) <= 0.0;
    let growth = before
        .iter()
        .zip(&after)
        .map(|(b, a)| a.length() / b.length());
    let kinks: Vec<f32> = lines
        .iter()
        .flat_map(|line| line.windows(3))
        .map(|v| {
            let [a, b, c] = [v[0], v[1], v[2]].map(|v| now.positions[v]);
            degrees(b - a, c - b)
        })
        .collect();
    Measured {
        flipped: (0..before.len()).filter(flipped).count(),
        kink: (kinks.iter().map(|k| k * k).sum::<f32>() / kinks.len() as f32).sqrt(),
        stretch: growth.fold(0.0, larger),
        volume: now.volume() / rest.volume(),
    }
}

/// The larger of two numbers, or the one that is none: a bad mesh must not look good.
fn larger(a: f32, b: f32) -> f32 {
    if b <= a { a } else { b }
}

fn degrees(a: Vec3, b: Vec3) -> f32 {
    a.cross(b).length().atan2(a.dot(b)).to_degrees()
}

/// Normals of triangles, twice as long as their areas.
fn area_normals(mesh: &Mesh) -> impl Iterator<Item = Vec3> {
    mesh.triangles.iter().map(|t| {
        let [a, b, c] = t.map(|v| mesh.positions[v as usize]);
        (b - a).cross(c - a)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two triangles of a square, the second folded over the diagonal.
    fn folded(degrees: f32) -> Mesh {
        let turn =
            glam::Quat::from_axis_angle(Vec3::new(1.0, 1.0, 0.0).normalize(), degrees.to_radians());
        Mesh {
            positions: vec![
                Vec3::ZERO,
                Vec3::X,
                Vec3::new(1.0, 1.0, 0.0),
                turn * Vec3::Y,
            ],
            triangles: vec![[0, 1, 2], [0, 2, 3]],
            ..Mesh::default()
        }
    }

    /// Kinks are angles, triangles that are folded over are counted, and areas are compared.
    #[test]
    fn folds_are_seen() {
        let lines = [vec![1, 2, 3]];
        let measured = |mesh: &Mesh| measure(&folded(0.0), mesh, &lines, |_, n| n);
        let flat = measured(&folded(0.0));
        assert!((flat.kink - 90.0).abs() < 1e-3, "{flat:?}");
        assert!(flat.flipped == 0 && (flat.stretch - 1.0).abs() < 1e-5);
        assert_eq!(measured(&folded(80.0)).flipped, 0);
        assert_eq!(measured(&folded(120.0)).flipped, 1);
        let mut wide = folded(0.0);
        wide.positions[3] *= 3.0;
        assert!((measured(&wide).stretch - 3.0).abs() < 1e-5);
        wide.positions[3] = Vec3::NAN;
        assert!(measured(&wide).stretch.is_nan());
    }

    /// One kink of 90° among straight parts counts more than the same bend in three parts.
    #[test]
    fn smooth_bends_have_smaller_kinks() {
        let kink = |turns: [f32; 3]| {
            let (mut at, mut angle) = (Vec3::ZERO, 0.0f32);
            let mut mesh = Mesh::default();
            for turn in [0.0, 0.0].into_iter().chain(turns) {
                mesh.positions.push(at);
                angle += turn.to_radians();
                at += Vec3::new(angle.cos(), angle.sin(), 0.0);
            }
            measure(&mesh, &mesh, &[(0..5).collect()], |_, n| n).kink
        };
        let (sharp, smooth) = (kink([0.0, 90.0, 0.0]), kink([30.0; 3]));
        assert!((sharp - 90.0 / 3f32.sqrt()).abs() < 1e-3, "{sharp}");
        assert!(
            (smooth - 30.0 * (2.0f32 / 3.0).sqrt()).abs() < 1e-3,
            "{smooth}"
        );
    }
}
