//! What a hit pushes: all that lies where the thing that hits would be.

use super::super::links::LinkGraph;
use super::super::primitive::Primitive;
use super::super::welded::Pose;
use glam::Vec3;

/// A hit that leaves a dent.
#[derive(Clone, Copy, Debug)]
pub struct Blow {
    /// The primitive that was touched.
    pub primitive: u32,
    /// Where, in body axes (m).
    pub at: Vec3,
    /// Unit vector into the body.
    pub normal: Vec3,
    /// How far the thing goes into the body (m).
    pub depth: f32,
    /// Radius of the thing (m); zero of a flat one, of which each primitive feels contacts of its own.
    pub radius: f32,
}

/// Adds what a blow pushes, and how far.
///
/// Departs from \[MCM16 §3.5\], where only the touching primitives are moved: a ball that touches one of many small ones would drive a
/// spike. So those around it, as far as they are linked, are pushed to where the ball would be. It sinks in to its middle at most; what
/// would go deeper would go through.
pub fn imprint(
    blow: &Blow,
    primitives: &[Primitive],
    graph: &LinkGraph,
    rest: &[Pose],
    pushes: &mut Vec<(u32, Vec3)>,
) {
    let depth = if blow.radius > 0.0 {
        let thickness = primitives[blow.primitive as usize].thickness;
        blow.depth.min(blow.radius.max(0.5 * thickness))
    } else {
        blow.depth
    };
    pushes.push((blow.primitive, blow.normal * depth));
    let mut seen = vec![blow.primitive];
    let mut next = 0;
    while let Some(&p) = seen.get(next) {
        next += 1;
        for (q, _) in graph.neighbors(p) {
            let offset = rest[q as usize].x - blow.at;
            let aside = offset - blow.normal * blow.normal.dot(offset);
            let below = blow.radius * blow.radius - aside.length_squared();
            // NaN is not above zero.
            let way = depth - (blow.radius - below.max(0.0).sqrt());
            if below > 0.0 && way > 0.0 && !seen.contains(&q) {
                seen.push(q);
                pushes.push((q, blow.normal * way));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::intake::{IntakeOptions, intake};
    use super::super::super::links::find_links;
    use super::super::super::nasty::{append, moved, sheet};
    use super::super::super::polygons::PolygonMesh;
    use super::*;

    struct Sheet {
        primitives: Vec<Primitive>,
        graph: LinkGraph,
        rest: Vec<Pose>,
    }

    fn of(mesh: &PolygonMesh) -> Sheet {
        let options = IntakeOptions {
            thickness: vec![0.02],
            ..IntakeOptions::default()
        };
        let primitives = intake(mesh, &options).unwrap().primitives;
        Sheet {
            graph: find_links(&primitives),
            rest: primitives.iter().map(Pose::at_rest).collect(),
            primitives,
        }
    }

    impl Sheet {
        fn pushes(&self, blow: &Blow) -> Vec<(u32, Vec3)> {
            let mut out = Vec::new();
            imprint(blow, &self.primitives, &self.graph, &self.rest, &mut out);
            out
        }

        /// A blow down on the primitive in the middle of a sheet of 21 by 21.
        fn blow(&self, depth: f32, radius: f32) -> Blow {
            Blow {
                primitive: 220,
                at: self.rest[220].x,
                normal: Vec3::NEG_Z,
                depth,
                radius,
            }
        }
    }

    /// A ball pushes each primitive of a sheet that lies below it as far as the ball reaches there, and no other one, none twice.
    #[test]
    fn a_ball_leaves_its_form() {
        let s = of(&sheet(21, 21, 0.05));
        let blow = s.blow(0.06, 0.2);
        let mut pushes = s.pushes(&blow);
        pushes.sort_by_key(|p| p.0);
        let below = |k: usize| {
            let aside = s.rest[k].x.truncate().distance(blow.at.truncate());
            let way = 0.06 - (0.2 - (0.04 - aside * aside).max(0.0).sqrt());
            (aside < 0.2 && way > 0.0).then_some((k as u32, way))
        };
        let expected: Vec<(u32, f32)> = (0..s.rest.len()).filter_map(below).collect();
        assert!(expected.len() > 20, "{}", expected.len());
        assert_eq!(pushes.len(), expected.len());
        for ((p, push), (q, way)) in pushes.iter().zip(expected) {
            assert_eq!(*p, q);
            assert!((*push - Vec3::NEG_Z * way).length() < 1e-6, "{push} {way}");
        }
    }

    /// However fast a ball is, it sinks in to its middle; a small one half a thickness. A flat thing goes as far as it goes.
    #[test]
    fn depths() {
        let s = of(&sheet(21, 21, 0.05));
        for (depth, radius, expected) in [
            (9.0, 0.2, 0.2),
            (0.1, 0.2, 0.1),
            (9.0, 0.001, 0.01),
            (9.0, 0.0, 9.0),
        ] {
            let pushes = s.pushes(&s.blow(depth, radius));
            assert_eq!(pushes[0].0, 220);
            assert!((pushes[0].1.z + expected).abs() < 1e-6, "{depth} {radius}");
            assert!(radius > 0.0 || pushes.len() == 1);
        }
    }

    /// What is near but not linked is not pushed: neither another sheet just below nor what lies behind a crack.
    #[test]
    fn only_what_is_linked() {
        let mut mesh = sheet(21, 21, 0.05);
        append(&mut mesh, &moved(sheet(21, 21, 0.05), Vec3::NEG_Z * 0.05));
        let mut s = of(&mesh);
        let blow = s.blow(0.06, 0.2);
        let whole = s.pushes(&blow);
        assert!(whole.iter().all(|p| p.0 < 441));
        // Columns from x = 0.55 on, right beside the one that is hit.
        let is_right = |k: u32| s.rest[k as usize].x.x > 0.55;
        assert!(whole.iter().any(|p| is_right(p.0)));
        for link in &mut s.graph.links {
            link.broken = is_right(link.i) != is_right(link.j);
        }
        let torn = s.pushes(&blow);
        let left: Vec<_> = whole.iter().filter(|p| !is_right(p.0)).collect();
        assert_eq!(torn.len(), left.len());
        assert!(torn.iter().all(|p| left.contains(&p)));
    }

    /// Numbers that are not finite push nothing but what was touched.
    #[test]
    fn bad_numbers() {
        let mut s = of(&sheet(21, 21, 0.05));
        for pose in s.rest.iter_mut().skip(221) {
            pose.x = Vec3::NAN;
        }
        let pushes = s.pushes(&s.blow(0.06, 0.2));
        assert!(pushes.iter().all(|p| p.0 <= 220 && p.1.is_finite()));
        assert_eq!(s.pushes(&s.blow(f32::NAN, 0.0)).len(), 1);
    }
}
