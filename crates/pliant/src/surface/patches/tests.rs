use super::*;
use crate::geometry::Mesh;
use crate::random::Random;
use crate::surface::testing::{append, blob, sheet, sphere};
use proptest::prelude::*;

fn closed(mesh: &Mesh) -> ClosedMesh {
    ClosedMesh::new(mesh).expect("a closed mesh")
}

/// Living triangles are in exactly one patch; patches hang together; sizes are right where a neighbour allows it.
fn check(mesh: &ClosedMesh, patches: &Patches, smallest: usize) {
    let mut seen = vec![false; mesh.patch.len()];
    for p in 0..patches.len() as u32 {
        let members: Vec<u32> = patches.triangles(mesh, p).collect();
        assert!(members.len() <= LARGEST, "{}", members.len());
        let mut stack: Vec<u32> = members.first().copied().into_iter().collect();
        let mut reached = 0;
        while let Some(t) = stack.pop() {
            if mesh.patch[t as usize] == p && !std::mem::replace(&mut seen[t as usize], true) {
                reached += 1;
                stack.extend(sides(t).map(|h| mesh.twin(h) / 3));
            }
        }
        assert_eq!(reached, members.len(), "patch {p} hangs together");
        let patch = &patches.all()[p as usize];
        let mut near = Vec::new();
        for &t in &members {
            let b = Bounds::of(mesh.points(t));
            assert_eq!(b.join(patch.bounds), patch.bounds);
            let n = mesh.area_vector(t).normalize();
            assert!(n.dot(patch.axis) >= patch.cos - 1e-5);
            for v in mesh.triangle(t) {
                near.extend(mesh.ring(v).map(|h| mesh.patch[h as usize / 3]));
            }
        }
        near.sort_unstable();
        near.dedup();
        near.retain(|&q| q != p);
        assert_eq!(near, patches.neighbours(p));
        assert!(members.is_empty() || members.len() >= smallest || near.is_empty());
    }
    assert!(mesh.triangles().all(|t| seen[t as usize]));
}

/// A built partition is sound, on one sheet and on several, also with small ones.
#[test]
fn build() {
    for n in [1, 2, 3, 7, 20] {
        let mut mesh = blob(n, 7, 0.1, 0.02);
        append(&mut mesh, &sphere(1), Vec3::X * 3.0);
        append(&mut mesh, &sphere(4), Vec3::X * 6.0);
        let mut mesh = closed(&mesh);
        let patches = Patches::build(&mut mesh);
        check(&mesh, &patches, SMALLEST);
        if n == 20 {
            // Mean size: not many more patches than needed.
            assert!(patches.len() < mesh.triangle_count() * 8 / (5 * TARGET));
        }
    }
    let mut mesh = closed(&sheet(60, 30, 0.1, 0.1));
    let patches = Patches::build(&mut mesh);
    check(&mesh, &patches, SMALLEST);
    assert!(Patches::build(&mut ClosedMesh::default()).is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Whatever labels the triangles have, housekeeping makes patches that hang together and are not too large.
    #[test]
    fn housekeeping_repairs(seed in 0u64..1 << 40, labels in 1u32..40) {
        let mut mesh = closed(&sphere(9));
        let mut patches = Patches::build(&mut mesh);
        let mut random = Random::new([seed, 0, 0, 0]);
        let count = patches.len() as u32 + 3;
        for t in 0..mesh.patch.len() {
            if random.next_below(labels) == 0 {
                mesh.patch[t] = random.next_below(count);
            } else if random.next_below(50) == 0 {
                mesh.patch[t] = NONE;
            }
        }
        patches.begin_frame(&mut mesh);
        patches.housekeeping(&mut mesh);
        patches.begin_frame(&mut mesh);
        // A large patch of odd shape may leave a small half, which is joined in the next frame.
        check(&mesh, &patches, 1);
        // Quiet patches are known to be quiet.
        patches.begin_frame(&mut mesh);
        prop_assert!(patches.all().iter().all(|p| !p.changed));
    }
}

/// Displacements are measured from the frame before, whatever happens in between.
#[test]
fn displacements() {
    let mut mesh = closed(&sphere(8));
    let mut patches = Patches::build(&mut mesh);
    let shift = Vec3::new(0.5, -0.25, 0.125);
    for p in mesh.positions_mut() {
        *p += shift;
    }
    mesh.x[0] += Vec3::X;
    patches.begin_frame(&mut mesh);
    let star: Vec<u32> = mesh.ring(0).map(|h| mesh.patch[h as usize / 3]).collect();
    for (p, patch) in patches.all().iter().enumerate() {
        if patches.triangles(&mesh, p as u32).next().is_none() {
            continue;
        }
        if star.contains(&(p as u32)) {
            let far = shift + Vec3::X;
            assert!(patch.spread >= 0.5 && patch.shift.distance(far) <= patch.spread);
        } else {
            assert!(patch.spread < 1e-5 && patch.shift.distance(shift) < 1e-6);
        }
    }
}

/// Boxes and columns give the triangles that a loop over all gives, once each, also those made since.
#[test]
fn queries() {
    let mut mesh = closed(&blob(14, 3, 0.1, 0.02));
    let mut patches = Patches::build(&mut mesh);
    let mut random = Random::new([1, 2, 3, 4]);
    for _ in 0..40 {
        // A triangle changes its patch and its place, another dies and comes back elsewhere.
        let t = random.next_below(mesh.patch.len() as u32);
        let [a, b, c] = mesh.triangle(t);
        let twins = sides(t).map(|h| mesh.twin(h));
        mesh.free_triangle(t);
        let patch = if random.next_below(2) == 0 {
            NONE
        } else {
            random.next_below(3)
        };
        let fresh = mesh.add_triangle([a, b, c], 0, patch);
        for (h, g) in sides(fresh).into_iter().zip(twins) {
            mesh.twin[h as usize] = g;
            mesh.twin[g as usize] = h;
        }
        mesh.x[a as usize] *= 1.3;
        let star: Vec<u32> = mesh.ring(a).map(|h| h / 3).collect();
        patches.touch(&mut mesh, &star);
        patches.touch(&mut mesh, &[fresh, t]);
        let lo = 2.0 * random.next_in_cube() - 1.0;
        let query = Bounds {
            lo,
            hi: lo + 0.5 * random.next_in_cube(),
        };
        let mut found = Vec::new();
        patches.for_each_in_box(&mesh, query.lo, query.hi, |t| found.push(t));
        found.sort_unstable();
        let all = || mesh.triangles().map(|t| (t, Bounds::of(mesh.points(t))));
        let expected: Vec<u32> = all()
            .filter(|(_, b)| b.meets(&query))
            .map(|b| b.0)
            .collect();
        assert_eq!(found, expected);
        let mut found = Vec::new();
        patches.column(&mesh, lo.x, lo.y, |t| found.push(t));
        found.sort_unstable();
        let line =
            |b: &Bounds| b.lo.x <= lo.x && lo.x <= b.hi.x && b.lo.y <= lo.y && lo.y <= b.hi.y;
        let expected: Vec<u32> = all().filter(|(_, b)| line(b)).map(|b| b.0).collect();
        assert_eq!(found, expected);
    }
}
