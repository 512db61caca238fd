use super::super::figures::Figure;
use super::*;
use std::collections::BTreeMap;

/// Asserts that each directed edge occurs once and its reverse too, and that each vertex has one fan of triangles.
fn assert_manifold(mesh: &Mesh) {
    mesh.validate().unwrap();
    let mut edges = BTreeMap::new();
    for t in &mesh.triangles {
        for k in 0..3 {
            let again = edges.insert((t[k], t[(k + 1) % 3]), t[(k + 2) % 3]);
            assert!(again.is_none(), "an edge has two triangles on one side");
        }
    }
    assert!(edges.keys().all(|&(a, b)| edges.contains_key(&(b, a))));
    let mut degree = vec![0usize; mesh.positions.len()];
    for t in mesh.triangles.iter().flatten() {
        degree[*t as usize] += 1;
    }
    let mut first = vec![None; mesh.positions.len()];
    for &(a, b) in edges.keys() {
        first[a as usize].get_or_insert(b);
    }
    for (v, start) in first.iter().enumerate() {
        let start = start.expect("every vertex is used");
        let (mut at, mut steps) = (start, 0);
        loop {
            at = edges[&(v as u32, at)];
            steps += 1;
            if at == start {
                break;
            }
        }
        assert_eq!(steps, degree[v], "vertex {v} has several fans");
    }
}

/// The representative of a vertex's piece, with the way to it halved.
fn find(root: &mut [u32], mut v: u32) -> u32 {
    while root[v as usize] != v {
        root[v as usize] = root[root[v as usize] as usize];
        v = root[v as usize];
    }
    v
}

fn component_count(mesh: &Mesh) -> usize {
    let mut root: Vec<u32> = (0..mesh.positions.len() as u32).collect();
    for t in &mesh.triangles {
        for k in 1..3 {
            let (a, b) = (find(&mut root, t[0]), find(&mut root, t[k]));
            root[a as usize] = b;
        }
    }
    (0..root.len()).filter(|&v| root[v] == v as u32).count()
}

fn longest_edge(mesh: &Mesh) -> f32 {
    mesh.triangles
        .iter()
        .flat_map(|t| (0..3).map(move |k| (t[k], t[(k + 1) % 3])))
        .map(|(a, b)| mesh.positions[a as usize].distance(mesh.positions[b as usize]))
        .fold(0.0, f32::max)
}

/// A meshed ball has the ball's volume and area, faces outward and keeps the edge length.
#[test]
fn ball_has_its_volume() {
    let shape = Shape::Sphere {
        center: Vec3::new(0.1, 0.2, 0.3),
        radius: 1.0,
    };
    let mesh = mesh_shape(&shape, 0.1).unwrap();
    assert_manifold(&mesh);
    let exact = 4.0 / 3.0 * std::f64::consts::PI;
    assert!((mesh.volume() / exact - 1.0).abs() < 0.01);
    assert!((mesh.area() / (3.0 * exact) - 1.0).abs() < 0.01);
    assert!(longest_edge(&mesh) <= 0.1);
}

/// Each figure is one closed piece, as large as it says.
#[test]
fn figures_are_one_closed_piece() {
    for figure in Figure::ALL {
        let shape = Shape::Figure {
            figure,
            center: Vec3::ZERO,
        };
        let mesh = mesh_shape(&shape, 0.1).unwrap();
        assert_manifold(&mesh);
        assert_eq!(component_count(&mesh), 1, "{figure:?}");
        assert!(mesh.volume() > 1.0, "{figure:?}");
        let (lo, hi) = mesh.bounds().unwrap();
        let (low, high) = shape.bounds();
        assert!((low - 0.05).cmple(lo).all() && (high + 0.05).cmpge(hi).all());
        // The box that is promised is not much larger than what is there.
        assert!(
            ((high - low) - (hi - lo)).max_element() < 0.25,
            "{figure:?} {lo} {hi}"
        );
        assert!(longest_edge(&mesh) <= 0.1, "{figure:?}");
    }
}

/// Balls and boxes that touch in points and edges, which a plain net glues together, come out manifold.
#[test]
fn touching_sheets_are_separated() {
    let boxes = |shift: Vec3| {
        Shape::Union(
            [Vec3::ZERO, shift, Vec3::new(0.55, -0.52, 0.3)]
                .into_iter()
                .map(|center| Shape::Box {
                    center,
                    half: Vec3::splat(0.25),
                })
                .collect(),
        )
    };
    for i in 0..12 {
        let shift = Vec3::new(0.5, 0.5, 0.04 * i as f32);
        assert_manifold(&mesh_shape(&boxes(shift), 0.1).unwrap());
    }
    // A rough field: many thin gaps and bridges of about a cell.
    let rubble = (0..150u32).map(|i| {
        let unit = |step: u32| i.wrapping_mul(step) as f32 / u32::MAX as f32;
        Shape::Sphere {
            center: Vec3::new(unit(3518319155), unit(2882110345), unit(2360945575)),
            radius: 0.06 + 0.03 * unit(2654435769),
        }
    });
    assert_manifold(&mesh_shape(&Shape::Union(rubble.collect()), 0.04).unwrap());
}

/// One thread and two give the same mesh.
#[test]
fn same_mesh_for_any_number_of_threads() {
    let shape = Shape::Figure {
        figure: Figure::Bunny,
        center: Vec3::X,
    };
    let mesh = |threads| {
        rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap()
            .install(|| mesh_shape(&shape, 0.15).unwrap())
    };
    assert_eq!(mesh(1), mesh(2));
}

/// Too fine, too thin and nonsense are errors with a way out.
#[test]
fn impossible_requests_are_refused() {
    let ball = |radius| Shape::Sphere {
        center: Vec3::ZERO,
        radius,
    };
    let Err(MeshShapeError::TooFine { coarser, .. }) = mesh_shape(&ball(1.0), 1e-3) else {
        panic!("a grid of ten billion cells");
    };
    assert!(Grid::new(&ball(1.0), coarser).is_ok());
    assert!(mesh_shape(&ball(1.0), 0.0).is_err());
    assert!(mesh_shape(&ball(-1.0), 0.1).is_err());
    let nothing = Shape::Difference(vec![ball(0.5), ball(1.0)]);
    assert_eq!(mesh_shape(&nothing, 0.1), Err(MeshShapeError::Empty(0.1)));
}
