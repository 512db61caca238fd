use super::*;
use crate::geometry::Mesh;
use crate::geometry::solids::{octahedron, sphere, tetrahedron, torus};
use crate::random::Random;
use crate::surface::testing::append;
use crate::surface::validate::{Census, Level};

fn closed(mesh: &Mesh) -> ClosedMesh {
    ClosedMesh::new(mesh).expect("closed")
}

/// A box of `n` squares a side, from −1 to 1.
fn cube(n: i32) -> Mesh {
    let mut mesh = Mesh::default();
    let mut known = std::collections::BTreeMap::new();
    for axis in 0..3 {
        for side in [0, n] {
            for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
                let [a, b, c, d] =
                    [(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)].map(|(i, j)| {
                        let mut at = [0; 3];
                        at[axis] = side;
                        at[(axis + 1) % 3] = i;
                        at[(axis + 2) % 3] = j;
                        *known.entry(at).or_insert_with(|| {
                            let p = Vec3::from_array(at.map(|k| k as f32));
                            mesh.positions.push(p * (2.0 / n as f32) - 1.0);
                            mesh.positions.len() as u32 - 1
                        })
                    });
                if side == 0 {
                    mesh.triangles.extend([[a, c, b], [a, d, c]]);
                } else {
                    mesh.triangles.extend([[a, b, c], [a, c, d]]);
                }
            }
        }
    }
    mesh
}

fn hollow() -> Mesh {
    let mut mesh = sphere(1.0, 8);
    let mut inner = sphere(0.6, 4);
    for t in &mut inner.triangles {
        t.swap(1, 2);
    }
    append(&mut mesh, &inner, Vec3::ZERO);
    mesh
}

fn census(mesh: &ClosedMesh) -> Census {
    match mesh.validate(Level::Everything) {
        Ok(census) => census,
        Err(violation) => panic!("{violation}"),
    }
}

/// Cuts, checks and returns what there is then.
fn halves(mesh: &Mesh, point: Vec3, normal: Vec3) -> Census {
    let mut mesh = closed(mesh);
    let before = mesh.volume();
    mesh.cut(&Cut::new(point, normal), 0.01).unwrap();
    let after = census(&mesh);
    assert!(
        (after.volume / before - 1.0).abs() < 1e-3,
        "{} {before}",
        after.volume
    );
    after
}

#[test]
fn simple_solids_fall_into_two() {
    for n in [Vec3::X, Vec3::new(0.3, 0.5, 0.7), Vec3::ONE] {
        for mesh in [tetrahedron(1.0), octahedron(1.0), sphere(1.0, 8), cube(6)] {
            let after = halves(&mesh, 0.01 * n, n);
            assert_eq!((after.sheets, after.euler), (2, 4), "{n}");
        }
    }
}

#[test]
fn a_torus_falls_into_bows_and_rings() {
    let mesh = torus(1.0, 0.3, 48, 16);
    for shift in [0.0, 0.011, 0.1] {
        let across = halves(&mesh, Vec3::X * shift, Vec3::X);
        assert_eq!((across.sheets, across.euler), (2, 4), "{shift}");
        let along = halves(&mesh, Vec3::Y * shift, Vec3::Y);
        assert_eq!((along.sheets, along.euler), (2, 0), "{shift}");
    }
    let side = halves(&mesh, Vec3::X * 0.85, Vec3::X);
    assert_eq!((side.sheets, side.euler), (2, 2));
}

/// The caps of a hollow ball are rings: its halves are bowls.
#[test]
fn a_hollow_ball_falls_into_bowls() {
    for shift in [0.0, 0.02, 0.3] {
        let after = halves(&hollow(), Vec3::Z * shift, Vec3::new(0.1, 0.0, 1.0));
        assert_eq!((after.sheets, after.euler), (2, 4), "{shift}");
    }
    let beside = halves(&hollow(), Vec3::Z * 0.8, Vec3::Z);
    assert_eq!((beside.sheets, beside.euler), (3, 6));
}

/// Caps face away from the material and lie in the plane.
#[test]
fn caps_are_flat_and_face_outwards() {
    let mut mesh = closed(&hollow());
    let normal = Vec3::new(0.2, -0.4, 0.8).normalize();
    mesh.cut(&Cut::new(Vec3::ZERO, normal), 0.01).unwrap();
    let mut area = [0.0, 0.0];
    for t in mesh.triangles() {
        if mesh.material(t) == super::super::closed_mesh::INNER {
            let n = mesh.area_vector(t);
            let height = mesh.points(t).map(|p| p.dot(normal));
            let above = height[0] > 0.0;
            assert!(height.iter().all(|h| (h.abs() - 1e-4).abs() < 1e-6));
            assert!(n.dot(normal) * if above { -1.0 } else { 1.0 } > 0.0);
            area[usize::from(above)] += 0.5 * n.length();
        }
    }
    let exact = std::f32::consts::PI * (1.0 - 0.36);
    for a in area {
        assert!((a / exact - 1.0).abs() < 0.05, "{a} {exact}");
    }
}

#[test]
fn planes_beside_at_faces_and_tangent_cut_nothing() {
    let ball = sphere(1.0, 8);
    let top = 1.0f32;
    for (mesh, point) in [
        (ball.clone(), Vec3::Y * 2.0),
        (ball.clone(), Vec3::Y * top),
        (ball, Vec3::Y * -top),
    ] {
        let mut closed = closed(&mesh);
        let x = closed.x.clone();
        assert_eq!(closed.cut(&Cut::new(point, Vec3::Y), 0.01), Ok(false));
        assert_eq!(closed.x, x);
    }
    // The face of a box.
    let cube = cube(4);
    let high = cube.positions.iter().map(|p| p.y).fold(0.0, f32::max);
    let mut mesh = closed(&cube);
    assert_eq!(
        mesh.cut(&Cut::new(Vec3::Y * high, Vec3::Y), 0.01),
        Ok(false)
    );
    census(&mesh);
}

#[test]
fn planes_without_direction_are_refused() {
    let mut mesh = closed(&sphere(1.0, 2));
    for (point, normal) in [
        (Vec3::ZERO, Vec3::ZERO),
        (Vec3::ZERO, Vec3::NAN),
        (Vec3::ZERO, Vec3::splat(f32::INFINITY)),
        (Vec3::NAN, Vec3::X),
        (Vec3::splat(f32::INFINITY), Vec3::X),
    ] {
        assert_eq!(
            mesh.cut(&Cut::new(point, normal), 0.1),
            Err(CutError::Plane)
        );
    }
    for (along, half) in [
        (Vec3::X, [1.0, 1.0]),
        (Vec3::Y, [0.0, 1.0]),
        (Vec3::Y, [f32::NAN, 1.0]),
        (Vec3::ZERO, [1.0, 1.0]),
    ] {
        let mut cut = Cut::new(Vec3::ZERO, Vec3::X);
        cut.blade = Some(Blade { along, half });
        assert_eq!(mesh.cut(&cut, 0.1), Err(CutError::Blade));
    }
}

#[test]
fn the_same_plane_cuts_once() {
    let mut mesh = closed(&torus(1.0, 0.3, 48, 16));
    let cut = Cut::new(Vec3::ZERO, Vec3::new(0.1, 1.0, 0.0));
    assert_eq!(mesh.cut(&cut, 0.01), Ok(true));
    let x = mesh.x.clone();
    assert_eq!(mesh.cut(&cut, 0.01), Ok(false));
    assert_eq!(mesh.x, x);
    assert_eq!(census(&mesh).sheets, 2);
}

/// Slabs of any thinness are legal.
#[test]
fn thin_slabs_stay_sound() {
    for thickness in [1e-2, 1e-3, 2e-4, 1e-4, 1e-5, 1e-7] {
        let mut mesh = closed(&cube(6));
        for k in 0..6 {
            let normal = Vec3::new(0.0, 1.0, 0.01 * thickness * k as f32);
            mesh.cut(&Cut::new(Vec3::Y * (k as f32 * thickness), normal), 0.01)
                .unwrap();
            census(&mesh);
        }
    }
}

/// Only the chosen piece is cut.
#[test]
fn other_pieces_are_left_alone() {
    let mut two = sphere(1.0, 4);
    append(&mut two, &sphere(1.0, 4), Vec3::X * 3.0);
    let mut mesh = closed(&two);
    for v in 0..mesh.x.len() {
        mesh.component[v] = u32::from(mesh.x[v].x > 1.5);
    }
    let mut cut = Cut::new(Vec3::ZERO, Vec3::Y);
    cut.components = Some(vec![1]);
    assert_eq!(mesh.cut(&cut, 0.01), Ok(true));
    assert_eq!(census(&mesh).sheets, 3);
}

/// Texture and rest positions follow the cut exactly.
#[test]
fn attributes_follow() {
    let mut input = sphere(1.0, 4);
    let uv = |p: Vec3| glam::Vec2::new(p.x + 2.0 * p.y, p.z);
    input.corner_uvs = input
        .triangles
        .iter()
        .map(|t| t.map(|v| uv(input.positions[v as usize])))
        .collect();
    let mut mesh = closed(&input);
    mesh.cut(&Cut::new(Vec3::ZERO, Vec3::new(0.3, 0.9, 0.2)), 0.0)
        .unwrap();
    for t in mesh.triangles() {
        if mesh.material(t) != super::super::closed_mesh::INNER {
            for h in 3 * t..3 * t + 3 {
                let rest = mesh.rest[mesh.origin(h) as usize];
                assert!(mesh.uv[h as usize].distance(uv(rest)) < 1e-5);
                assert!(mesh.at(h).distance(rest) < 0.05);
            }
        }
    }
}

fn blade(point: Vec3, normal: Vec3, along: Vec3, half: [f32; 2]) -> Cut {
    Cut {
        blade: Some(Blade { along, half }),
        ..Cut::new(point, normal)
    }
}

#[test]
fn a_blade_that_passes_through_parts() {
    let mut mesh = closed(&sphere(1.0, 8));
    let cut = blade(Vec3::X * 0.02, Vec3::X, Vec3::Y, [2.0, 2.0]);
    assert_eq!(mesh.cut(&cut, 0.01), Ok(true));
    let after = census(&mesh);
    assert_eq!((after.sheets, after.euler), (2, 4));
    assert!(after.volume > 0.75 * 4.19 && after.volume < 4.19);
    // Through a hollow ball: bowls.
    let mut mesh = closed(&hollow());
    assert_eq!(mesh.cut(&cut, 0.01), Ok(true));
    let after = census(&mesh);
    assert_eq!((after.sheets, after.euler), (2, 4));
}

#[test]
fn a_blade_that_does_not_leaves_a_sound_surface() {
    let mut random = Random::new([5, 0, 0, 0]);
    for mesh in [
        sphere(1.0, 8),
        torus(1.0, 0.3, 32, 12),
        hollow(),
        tetrahedron(1.0),
    ] {
        let mut closed = closed(&mesh);
        for _ in 0..60 {
            let mut cut = Cut::new(random.next_in_cube() * 2.0 - 1.0, random.next_direction());
            cut.blade = Some(Blade {
                along: random.next_direction(),
                half: [0.5 * random.next_f32() + 0.01, random.next_f32() + 0.01],
            });
            closed.cut(&cut, 0.01).unwrap();
            census(&closed);
        }
    }
}

/// Any plane through anything, many times, at any size.
#[test]
fn random_planes_keep_the_surface_sound() {
    for seed in 0..40 {
        let mut random = Random::new([seed, 9, 0, 0]);
        let scale = [1.0, 1e-6, 1e6, 1e-3][seed as usize % 4];
        let mut mesh = match seed % 5 {
            0 => sphere(1.0, 8),
            1 => torus(1.0, 0.4, 24, 12),
            2 => hollow(),
            3 => cube(5),
            _ => tetrahedron(1.0),
        };
        for p in &mut mesh.positions {
            *p *= scale;
        }
        let mut closed = closed(&mesh);
        for k in 0..12 {
            let vertices: Vec<u32> = closed.vertices().collect();
            let pick = |random: &mut Random| {
                let v = vertices[random.next_below(vertices.len() as u32) as usize];
                closed.x[v as usize]
            };
            let (a, b, c) = (pick(&mut random), pick(&mut random), pick(&mut random));
            let cut = match k % 4 {
                0 => Cut::new(0.5 * (a + b), random.next_direction()),
                1 => Cut::new(a, random.next_direction()),
                2 => Cut::new(a, (b - a).cross(c - a)),
                _ => Cut::new(
                    a,
                    [Vec3::X, Vec3::Y, Vec3::Z][random.next_below(3) as usize],
                ),
            };
            let before = census(&closed);
            let was = closed.volume();
            // A vertex of a tetrahedron is put onto the plane from far away.
            let allowed = if seed % 5 == 4 { 2e-2 } else { 2e-3 };
            if closed.cut(&cut, 0.01 * scale).is_ok() {
                let after = census(&closed);
                assert!(after.sheets >= before.sheets, "seed {seed} cut {k}");
                assert!(
                    (after.volume / was - 1.0).abs() < allowed,
                    "seed {seed} cut {k}: {} {was}",
                    after.volume
                );
            }
        }
    }
}
