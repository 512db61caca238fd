//! Round trips, traps and random bytes, for all formats.

use std::path::{Path, PathBuf};

use glam::{Vec2, Vec3};
use pliant::geometry::Mesh;
use proptest::prelude::*;
use serde_json::json;

use super::*;

/// A folder of its own for a test, removed at its end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("pliant-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn parse_as(bytes: &[u8], format: MeshFormat) -> Result<Mesh, MeshFileError> {
    parse_mesh(bytes, format, Path::new("file"), &MeshLimits::default())
}

/// The message of the error that the bytes must give.
fn refusal(bytes: impl AsRef<[u8]>, format: MeshFormat) -> String {
    let error = parse_as(bytes.as_ref(), format).unwrap_err();
    let message = error.to_string();
    assert!(!message.contains('\n'), "{message}");
    message
}

/// A cube with a texture seam along every edge, colours and two parts.
fn cube() -> Mesh {
    let mut mesh = Mesh::default();
    for i in 0..8u8 {
        let bit = |b: u8| f32::from(i >> b & 1);
        mesh.positions.push(Vec3::new(bit(0), bit(1), bit(2) + 0.1));
        mesh.colors.push([i * 30, 255 - i, 7 * i + 3, 255]);
    }
    let sides = [
        [0, 2, 3, 1],
        [4, 5, 7, 6],
        [0, 1, 5, 4],
        [2, 6, 7, 3],
        [0, 4, 6, 2],
        [1, 3, 7, 5],
    ];
    let uv = [
        Vec2::ZERO,
        Vec2::X * 0.25,
        Vec2::new(0.25, 0.5),
        Vec2::Y * 0.5,
    ];
    for (part, [a, b, c, d]) in sides.into_iter().enumerate() {
        let offset = Vec2::new(part as f32 * 0.125, 0.25);
        mesh.triangles.extend([[a, b, c], [a, c, d]]);
        mesh.corner_uvs
            .extend([[0, 1, 2], [0, 2, 3]].map(|t| t.map(|i: usize| uv[i] + offset)));
        mesh.parts.extend([u16::from(part > 3); 2]);
    }
    mesh.part_names = vec!["hood of the car".to_owned(), "window".to_owned()];
    mesh
}

/// What a corner looks like: position, colour, texture coordinate; and the part's name.
type Corner = (Vec3, [u8; 4], Vec2, String);

/// Everything that must survive, independent of how vertices and parts are numbered. Sorted by triangle in parts order
/// for formats that group by part.
fn content(mesh: &Mesh) -> Vec<[Corner; 3]> {
    mesh.validate().unwrap();
    let corner = |t: usize, i: usize| {
        let v = mesh.triangles[t][i] as usize;
        let part = mesh
            .parts
            .get(t)
            .map(|&p| mesh.part_names[usize::from(p)].clone());
        (
            mesh.positions[v],
            mesh.colors.get(v).copied().unwrap_or([255; 4]),
            mesh.corner_uvs.get(t).map(|uvs| uvs[i]).unwrap_or_default(),
            part.unwrap_or_default(),
        )
    };
    (0..mesh.triangles.len())
        .map(|t| [corner(t, 0), corner(t, 1), corner(t, 2)])
        .collect()
}

/// The variants of a mesh with and without each kind of attribute.
fn variants(full: &Mesh) -> Vec<Mesh> {
    let mut variants = vec![full.clone(); 4];
    variants[1].colors.clear();
    variants[2].corner_uvs.clear();
    variants[3].parts.clear();
    variants[3].part_names.clear();
    variants
}

/// Positions, connectivity, colours, texture coordinates and parts survive writing and reading, in every format.
#[test]
fn round_trips() {
    for mesh in variants(&cube()) {
        let files = [
            (MeshFormat::Obj, encode_obj(&mesh)),
            (MeshFormat::Ply, encode_ply(&mesh)),
            (MeshFormat::Gltf, encode_glb(&mesh)),
        ];
        for (format, bytes) in files {
            let read = parse_as(&bytes, format).unwrap();
            assert_eq!(content(&read), content(&mesh), "{format:?}");
            assert_eq!(read.positions.len(), 8, "{format:?}");
            assert_eq!(read.colors.is_empty(), mesh.colors.is_empty());
            assert_eq!(read.corner_uvs.is_empty(), mesh.corner_uvs.is_empty());
            assert_eq!(read.part_names, mesh.part_names);
            if format != MeshFormat::Gltf {
                assert_eq!(read, mesh, "{format:?} keeps the numbering too");
            }
        }
    }
}

/// Files on disk come back; writing replaces the old file and leaves no other.
#[test]
fn files_round_trip() {
    type Writer = fn(&Path, &Mesh) -> Result<(), MeshFileError>;
    let folder = Folder::new("files");
    let mesh = cube();
    let writers: [(&str, Writer); 3] = [
        ("a.obj", write_obj),
        ("b.ply", write_ply),
        ("c.GLB", write_glb),
    ];
    for (name, write) in writers {
        let path = folder.0.join(name);
        std::fs::write(&path, "old").unwrap();
        write(&path, &mesh).unwrap();
        assert_eq!(content(&read_mesh(&path).unwrap()), content(&mesh));
    }
    assert_eq!(std::fs::read_dir(&folder.0).unwrap().count(), 3);
    // Content beats the name.
    let misnamed = folder.0.join("d.obj");
    write_ply(&misnamed, &mesh).unwrap();
    assert_eq!(content(&read_mesh(&misnamed).unwrap()), content(&mesh));
    let error = write_obj(&folder.0.join("no/such/folder.obj"), &mesh).unwrap_err();
    assert!(matches!(error, MeshFileError::NotFound { .. }));
}

/// Other programs' readers accept what is written.
#[test]
fn other_readers_agree() {
    let mesh = cube();
    let glb = encode_glb(&mesh);
    // The reader validates indices, accessors and required bounds.
    let document = gltf::Gltf::from_slice(&glb).unwrap();
    let primitive = document
        .meshes()
        .next()
        .unwrap()
        .primitives()
        .next()
        .unwrap();
    let bounds = primitive.bounding_box();
    assert_eq!((bounds.min, bounds.max), ([0.0, 0.0, 0.1], [1.0, 1.0, 1.1]));
    let reader = primitive.reader(|_| document.blob.as_deref());
    assert!(
        reader
            .read_normals()
            .unwrap()
            .all(|n| { (Vec3::from_array(n).length() - 1.0).abs() < 1e-5 })
    );
    assert_eq!(reader.read_indices().unwrap().into_u32().count(), 24);

    assert!(primitive.material().index().is_some());

    let obj = encode_obj(&mesh);
    let options = tobj::LoadOptions::default();
    let (models, _) =
        tobj::load_obj_buf(&mut obj.as_slice(), &options, |_| Ok(Default::default())).unwrap();
    let indices: usize = models.iter().map(|m| m.mesh.indices.len()).sum();
    assert_eq!((models.len(), indices), (2, 36));

    let ply = encode_ply(&mesh);
    let parser = ply_rs_bw::parser::Parser::<ply_rs_bw::ply::DefaultElement>::new();
    let read = parser.read_ply(&mut ply.as_slice()).unwrap();
    assert_eq!(read.payload["face"].len(), 12);
}

/// Transparency survives in the formats that have a place for it.
#[test]
fn alpha() {
    let mut mesh = cube();
    for (i, color) in (0..).zip(&mut mesh.colors) {
        color[3] = 31 * i;
    }
    for (format, bytes) in [
        (MeshFormat::Ply, encode_ply(&mesh)),
        (MeshFormat::Gltf, encode_glb(&mesh)),
    ] {
        assert_eq!(content(&parse_as(&bytes, format).unwrap()), content(&mesh));
    }
}

/// A mesh without triangles can be written; reading it says that there is nothing in it.
#[test]
fn empty_mesh() {
    let mesh = Mesh::default();
    gltf::Gltf::from_slice(&encode_glb(&mesh)).unwrap();
    let files = [
        (MeshFormat::Obj, encode_obj(&mesh)),
        (MeshFormat::Ply, encode_ply(&mesh)),
        (MeshFormat::Gltf, encode_glb(&mesh)),
    ];
    for (format, bytes) in files {
        assert!(parse_as(&bytes, format).is_err(), "{format:?}");
    }
}

/// Folders, missing files, unknown endings, empty and too long files are each told apart.
#[test]
fn file_errors() {
    let folder = Folder::new("errors");
    let at = |name: &str| folder.0.join(name);
    assert!(matches!(
        read_mesh(&at("none.obj")),
        Err(MeshFileError::NotFound { .. })
    ));
    assert!(matches!(
        read_mesh(&folder.0),
        Err(MeshFileError::IsDirectory { .. })
    ));
    std::fs::write(at("a.fbx"), "Kaydara").unwrap();
    assert!(matches!(
        read_mesh(&at("a.fbx")),
        Err(MeshFileError::UnsupportedExtension { .. })
    ));
    std::fs::write(at("a.obj"), "").unwrap();
    let error = read_mesh(&at("a.obj")).unwrap_err();
    assert!(error.to_string().contains("a.obj: the file is empty"));
    std::fs::write(at("b.obj"), encode_obj(&cube())).unwrap();
    let small = MeshLimits {
        bytes: 10,
        ..MeshLimits::default()
    };
    let few = MeshLimits {
        triangles: 5,
        ..MeshLimits::default()
    };
    for limits in [small, few] {
        let error = read_mesh_within(&at("b.obj"), &limits).unwrap_err();
        assert!(matches!(error, MeshFileError::Limit { .. }), "{error}");
    }
    for format in [
        MeshFormat::Obj,
        MeshFormat::Ply,
        MeshFormat::Stl,
        MeshFormat::Gltf,
    ] {
        assert!(refusal(b"", format).contains("empty"));
    }
}

mod obj {
    use super::*;

    const OBJ: MeshFormat = MeshFormat::Obj;

    /// Errors name line and column.
    #[test]
    fn places() {
        let vertices = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
        let cases = [
            ("v 0 0 0\nv nan inf 0\n", "file:2:3: 'nan'"),
            ("v 0 0 1e39\n", "file:1:7: '1e39'"),
            ("v 0 zero 0\n", "file:1:5: 'zero'"),
            ("v 0 0\n", "file:1:1: a vertex with 2 numbers"),
            (
                &format!("{vertices}f 1 2\n"),
                "file:4:1: a face with 2 corners",
            ),
            (
                &format!("{vertices}f 1 2 4\n"),
                "file:4:7: the face refers to vertex 4",
            ),
            (
                &format!("{vertices}f 1 2 0\n"),
                "file:4:7: the face refers to vertex 0",
            ),
            (
                &format!("{vertices}f 1 2 -4\n"),
                "file:4:7: the face refers to vertex -4",
            ),
            (
                &format!("{vertices}f 1/1 2 3\n"),
                "file:4:5: the face refers to texture",
            ),
            (&format!("{vertices}f 1 2 x\n"), "file:4:7: 'x'"),
            (
                &format!("{vertices}f 1 2 99999999999999999999\n"),
                "file:4:7: '9999",
            ),
            ("# nothing\n", "file: the mesh has no triangles"),
        ];
        for (text, expected) in cases {
            let message = refusal(text, OBJ);
            assert!(message.starts_with(expected), "{message}");
        }
        assert!(refusal(b"v 0 0 \xff\xfe\n", OBJ).starts_with("file:1:7:"));
    }

    /// Polygons, negative indices, continued lines, Windows line ends, marks and foreign comments are read.
    #[test]
    fn dialects() {
        let text = b"\xef\xbb\xbf# caf\xe9\r\nv 0 0 0 1 0 0\r\nv 2 0 0\r\nv 2 2 0 0.5\r\nv \\\r\n1 0.5 0\r\n\
            vn 0 0 1\r\nvt 0 0\r\nvt 1 1 0\r\ng body\r\nusemtl skin\r\nf -4/1/1 -3/2 \\\r\n -2//1 4 # end\r\nl 1 2\r\n";
        let mesh = parse_as(text, OBJ).unwrap();
        assert_eq!(mesh.positions.len(), 4);
        assert_eq!(mesh.triangles.len(), 2);
        // The corner at (1, 0.5) is concave: the area is that of the arrow head.
        assert!((mesh.area() - 1.5).abs() < 1e-6);
        assert_eq!(mesh.colors[..2], [[255, 0, 0, 255], [255; 4]]);
        assert_eq!(mesh.corner_uvs.len(), 2);
        assert_eq!(mesh.part_names, ["body"]);
    }

    /// Groups tell parts apart before objects, objects before materials.
    #[test]
    fn parts() {
        let names = |statements: [&str; 4]| {
            let [a, b, c, d] = statements;
            let text = format!("v 0 0 0\nv 1 0 0\nv 0 1 0\n{a}\n{b}\nf 1 2 3\n{c}\n{d}\nf 3 2 1\n");
            parse_as(text.as_bytes(), OBJ).unwrap().part_names
        };
        assert_eq!(names(["o car", "usemtl a", "", "usemtl b"]), ["a", "b"]);
        assert_eq!(
            names(["o car", "usemtl a", "o bus", "usemtl b"]),
            ["car", "bus"]
        );
        assert_eq!(names(["o car", "g x", "o bus", "g y"]), ["x", "y"]);
        assert_eq!(names(["o car", "g x", "", "usemtl b"]), ["", "b"]);
        assert_eq!(names(["o car", "g x", "", ""]), ["car"]);
        assert!(names(["", "", "", ""]).is_empty());
    }

    /// A face may come before its vertices.
    #[test]
    fn forward_references() {
        let mesh = parse_as(b"f 1 2 3\nv 0 0 0\nv 1 0 0\nv 0 1 0", OBJ).unwrap();
        assert_eq!(mesh.triangles, [[0, 1, 2]]);
    }
}

mod ply {
    use super::*;

    const PLY: MeshFormat = MeshFormat::Ply;

    fn header(format: &str, vertices: &str, faces: &str) -> String {
        format!(
            "ply\nformat {format} 1.0\ncomment by hand\nelement vertex {vertices}\nproperty float x\nproperty float y\n\
             property float z\nelement face {faces}\nproperty list uchar int vertex_indices\nend_header\n"
        )
    }

    /// Text of other programs is read: polygons, colours, corner texture coordinates, unknown elements.
    #[test]
    fn text() {
        let text = "ply\r\nformat ascii 1.0\r\nelement camera 1\r\nproperty list uchar float k\r\nelement vertex 4\r\n\
            property double x\r\nproperty double y\r\nproperty double z\r\nproperty float red\r\nproperty float green\r\n\
            property float blue\r\nelement face 1\r\nproperty list uint8 uint32 vertex_index\r\n\
            property list uchar float texcoord\r\nend_header\r\n2 0.5 0.5\r\n0 0 0 1 0 0\r\n1 0 0 0 1 0\r\n\
            1 1 0 0 0 1\r\n0 1 0 0 0 0.5\r\n4 0 1 2 3 8 0 0 1 0 1 1 0 1\r\n";
        let mesh = parse_as(text.as_bytes(), PLY).unwrap();
        assert_eq!(mesh.triangles.len(), 2);
        assert_eq!(mesh.colors[3], [0, 0, 128, 255]);
        assert_eq!(mesh.corner_uvs[1][1], Vec2::ONE);
    }

    /// Both byte orders give the same mesh.
    #[test]
    fn byte_orders() {
        let body = |big: bool| {
            let mut bytes = Vec::new();
            for f in [0.0f32, 0.0, 0.0, 1.5, 0.0, 0.0, 0.0, 2.5, 0.0] {
                bytes.extend(if big {
                    f.to_be_bytes()
                } else {
                    f.to_le_bytes()
                });
            }
            bytes.push(3);
            for i in [0i32, 1, 2] {
                bytes.extend(if big {
                    i.to_be_bytes()
                } else {
                    i.to_le_bytes()
                });
            }
            bytes
        };
        let file = |format: &str, big: bool| {
            let mut bytes = header(format, "3", "1").into_bytes();
            bytes.extend(body(big));
            parse_as(&bytes, PLY).unwrap()
        };
        let little = file("binary_little_endian", false);
        assert_eq!(little, file("binary_big_endian", true));
        assert_eq!(little.positions[1], Vec3::X * 1.5);
    }

    /// Absurd counts are refused before anything is allocated for them.
    #[test]
    fn counts() {
        for format in ["ascii", "binary_little_endian"] {
            for count in ["4000000000", "9223372036854775807"] {
                let message = refusal(header(format, count, "1"), PLY);
                assert!(message.contains("too short"), "{message}");
            }
            let message = refusal(header(format, "100000000000000000000", "1"), PLY);
            assert!(message.starts_with("file:4:16: '1000"), "{message}");
            assert!(refusal(header(format, "-1", "1"), PLY).contains("a count of -1"));
        }
        // Rows without properties take no space, and no time either.
        let empty = "ply\nformat binary_little_endian 1.0\nelement vertex 9000000000000000000\nend_header\n";
        refusal(empty, PLY);
        let list = header("ascii", "3", "1") + "0 0 0 1 0 0 0 1 0 4000000000 0 1 2";
        assert!(refusal(list, PLY).contains("more than the file can hold"));
    }

    /// Bad headers and rows are refused with their place.
    #[test]
    fn traps() {
        let vertices = "0 0 0\n1 0 0\n0 1 0\n";
        let ascii = |faces: &str| header("ascii", "3", "1") + vertices + faces;
        let cases = [
            ("plyx\n".to_owned(), "file:1:5: not a PLY file"),
            (
                "ply\nformat ascii 1.0\n".to_owned(),
                "file:3:1: the file ends within its header",
            ),
            (
                "ply\nformat utf8 1.0\n".to_owned(),
                "file:2:8: format 'utf8'",
            ),
            (
                "ply\nproperty float x\n".to_owned(),
                "file:2:1: a property before",
            ),
            (
                "ply\nelement vertex\n".to_owned(),
                "file:2:1: 'element' is not followed",
            ),
            (
                "ply\nelement v 1\nproperty list float int x\n".to_owned(),
                "file:3:15: the length",
            ),
            (
                "ply\nelement v 1\nproperty half x\n".to_owned(),
                "file:3:10: 'half'",
            ),
            (
                "ply\nelement v 0\nend_header\n".to_owned(),
                "file:3:11: the header has no 'format'",
            ),
            (ascii("3 0 1 3"), "file: face 0 refers to vertex 3"),
            (ascii("3 0 1 -1"), "file: face 0 refers to vertex -1"),
            (ascii("3 0 1 0.5"), "file: face 0 refers to vertex 0.5"),
            (ascii("3 0 1 nan"), "file: face 0 refers to vertex NaN"),
            (ascii("2 0 1"), "file: face 0 has 2 corners"),
            (
                ascii("3 0 1"),
                "file:14:6: the file ends in row 0 of 'face'",
            ),
            (ascii("3 0 1 two"), "file:14:7: 'two'"),
            (
                header("ascii", "3", "1") + "0 0 0 1 nan 0 0 1 0 3 0 1 2",
                "file: vertex 1 has",
            ),
            (
                header("ascii", "3", "1") + "0 0 0 1 1e39 0 0 1 0 3 0 1 2",
                "file: vertex 1 has",
            ),
        ];
        for (text, expected) in cases {
            let message = refusal(&text, PLY);
            assert!(
                message.starts_with(expected),
                "{message}, expected {expected}"
            );
        }
        let whole = encode_ply(&cube());
        for length in [10, whole.len() / 2, whole.len() - 1] {
            refusal(&whole[..length], PLY);
        }
    }
}

mod stl {
    use std::fmt::Write;

    use super::*;

    const STL: MeshFormat = MeshFormat::Stl;

    fn triangles() -> Vec<[[f32; 3]; 3]> {
        let cube = cube();
        let corner = |v: u32| cube.positions[v as usize].to_array();
        cube.triangles.iter().map(|t| t.map(corner)).collect()
    }

    fn binary() -> Vec<u8> {
        let mut mesh = Vec::new();
        let triangles = triangles().into_iter().map(|t| stl_io::Triangle {
            normal: stl_io::Normal::new([0.0; 3]),
            vertices: t.map(stl_io::Vertex::new),
        });
        let triangles: Vec<_> = triangles.collect();
        stl_io::write_stl(&mut mesh, triangles.iter()).unwrap();
        mesh
    }

    fn text() -> String {
        let mut text = "solid one two\n".to_owned();
        for t in triangles() {
            text += "facet normal nan 0 0\n outer loop\n";
            for [x, y, z] in t {
                writeln!(text, "  vertex {x} {y} {z}").unwrap();
            }
            text += " endloop\nendfacet\n";
        }
        text + "endsolid one two\n"
    }

    /// Binary and text files give a welded, closed cube.
    #[test]
    fn cubes() {
        let mut disguised = binary();
        disguised[..5].copy_from_slice(b"solid");
        for bytes in [binary(), disguised, text().into_bytes()] {
            let mesh = parse_as(&bytes, STL).unwrap();
            assert_eq!(mesh.positions.len(), 8);
            assert!((mesh.volume() - 1.0).abs() < 1e-5);
        }
        let mesh = parse_as((text() + &text().replace("one", "six")).as_bytes(), STL).unwrap();
        assert_eq!(mesh.part_names, ["one two", "six two"]);
    }

    /// Short files, absurd counts and bad numbers are refused.
    #[test]
    fn traps() {
        assert!(refusal(b"abc", STL).contains("too short"));
        assert!(refusal(&binary()[..400], STL).contains("declares 12 triangles"));
        let mut absurd = binary();
        absurd[80..84].copy_from_slice(&u32::MAX.to_le_bytes());
        assert!(refusal(absurd, STL).contains("declares 4294967295 triangles"));
        let mut bad = binary();
        bad[84 + 50 + 12..84 + 50 + 16].copy_from_slice(&f32::NAN.to_le_bytes());
        assert!(refusal(bad, STL).contains("triangle 1 has a corner that is not finite"));
        let message = refusal(text().replacen("vertex 0", "vertex inf", 1), STL);
        assert!(message.starts_with("file:4:10: 'inf'"), "{message}");
        let message = refusal(text().replacen("endloop", "vertex 1 2 3", 1), STL);
        assert!(
            message.contains("'vertex' where 'endloop' was expected"),
            "{message}"
        );
        assert!(refusal("solid a\nfacet", STL).contains("the file ends"));
        assert!(refusal("solid a\nendsolid a\n", STL).contains("no triangles"));
    }
}

mod gltf_files {
    use super::*;

    const GLTF: MeshFormat = MeshFormat::Gltf;

    /// Four corners of a square, a strip of indices, all in one data uri.
    fn document() -> serde_json::Value {
        let mut bytes = Vec::new();
        for f in [0.0f32, 0., 0., 1., 0., 0., 0., 1., 0., 1., 1., 0.] {
            bytes.extend(f.to_le_bytes());
        }
        for i in [0u16, 1, 2, 3] {
            bytes.extend(i.to_le_bytes());
        }
        json!({
            "asset": { "version": "2.0" },
            "scene": 0,
            "scenes": [{ "nodes": [0] }],
            "nodes": [
                { "children": [1], "translation": [0, 0, 5] },
                { "mesh": 0, "name": "flag", "scale": [2, 2, 2] },
            ],
            "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 }, "indices": 1, "mode": 5 }] }],
            "accessors": [
                { "bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 4 },
                { "bufferView": 1, "componentType": 5123, "type": "SCALAR", "count": 4 },
            ],
            "bufferViews": [
                { "buffer": 0, "byteLength": 48 },
                { "buffer": 0, "byteOffset": 48, "byteLength": 8 },
            ],
            "buffers": [{ "byteLength": 56, "uri": format!("data:;base64,{}", base64(&bytes)) }],
        })
    }

    fn base64(bytes: &[u8]) -> String {
        const ALPHABET: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let mut text = String::new();
        for chunk in bytes.chunks(3) {
            let mut word = [0; 4];
            word[1..=chunk.len()].copy_from_slice(chunk);
            let bits = u32::from_be_bytes(word);
            for i in 0..4 {
                let value = bits >> (18 - 6 * i) & 63;
                let padding = i > chunk.len();
                text.push(if padding {
                    '='
                } else {
                    char::from(ALPHABET[value as usize])
                });
            }
        }
        text
    }

    /// A document with one value replaced.
    fn with(pointer: &str, value: serde_json::Value) -> String {
        let mut document = document();
        *document.pointer_mut(pointer).unwrap() = value;
        document.to_string()
    }

    /// Nested transforms, strips, fans and data uris work; a mirror does not turn the surface inside out.
    #[test]
    fn strips_and_transforms() {
        let mesh = parse_as(document().to_string().as_bytes(), GLTF).unwrap();
        assert_eq!(mesh.triangles.len(), 2);
        assert_eq!(mesh.part_names, ["flag"]);
        assert!((mesh.area() - 4.0).abs() < 1e-5);
        assert!(mesh.positions.iter().all(|p| p.z == 5.0));
        let faces_up = |mesh: &Mesh| {
            mesh.triangles.iter().all(|t| {
                let [a, b, c] = t.map(|v| mesh.positions[v as usize]);
                (b - a).cross(c - a).z > 0.0
            })
        };
        assert!(faces_up(&mesh));
        let mirrored = with("/nodes/1/scale", json!([-2, 2, 2]));
        assert!(faces_up(&parse_as(mirrored.as_bytes(), GLTF).unwrap()));
        let fan = with("/meshes/0/primitives/0/mode", json!(6));
        assert_eq!(parse_as(fan.as_bytes(), GLTF).unwrap().triangles.len(), 2);
        let matrix = with(
            "/nodes/1",
            json!({ "mesh": 0, "matrix":
            [3, 0, 0, 0, 0, 3, 0, 0, 0, 0, 3, 0, 1, 2, 3, 1] }),
        );
        let mesh = parse_as(matrix.as_bytes(), GLTF).unwrap();
        assert!((mesh.area() - 9.0).abs() < 1e-5);
        assert_eq!(mesh.positions[0], Vec3::new(1.0, 2.0, 8.0));
    }

    /// A buffer may be a file of the folder or below, and nothing else.
    #[test]
    fn buffers() {
        let folder = Folder::new("gltf");
        std::fs::create_dir_all(folder.0.join("in/sub")).unwrap();
        let mut bytes = vec![0; 48];
        bytes.extend([0, 0, 1, 0, 2, 0, 3, 0]);
        for name in ["in/sub/a b.bin", "out.bin"] {
            std::fs::write(folder.0.join(name), &bytes).unwrap();
        }
        let path = folder.0.join("in/scene.gltf");
        let read = |uri: &str| {
            std::fs::write(&path, with("/buffers/0/uri", json!(uri))).unwrap();
            read_mesh(&path)
        };
        assert_eq!(read("sub/a%20b.bin").unwrap().positions.len(), 1);
        let absolute = folder.0.join("out.bin").display().to_string();
        let escaping = [
            "../out.bin",
            "sub/../../out.bin",
            "%2e%2e/out.bin",
            "%FF.bin",
            "file:out.bin",
            "http://localhost/out.bin",
            "..\\out.bin",
            "C:out.bin",
            "a%",
            "",
            &absolute,
        ];
        for uri in escaping {
            let message = read(uri).unwrap_err().to_string();
            assert!(message.contains("buffer 0: uri"), "{uri}: {message}");
        }
        assert!(
            read("none.bin")
                .unwrap_err()
                .to_string()
                .contains("no such file")
        );
        assert!(
            read("sub")
                .unwrap_err()
                .to_string()
                .contains("is a directory")
        );
        let bytes = with("/buffers/0/uri", json!("out.bin"));
        assert!(refusal(bytes, GLTF).contains("only memory was given"));
    }

    /// Whatever does not fit together is refused and named.
    #[test]
    fn traps() {
        let cases = [
            ("/accessors/0/count", json!(5), "accessor 0 has 5 rows"),
            ("/accessors/0/count", json!(u64::MAX), "accessor 0 has"),
            (
                "/accessors/0/componentType",
                json!(1),
                "accessor 0 has an unknown type",
            ),
            (
                "/accessors/0/type",
                json!("VEC2"),
                "accessor 0 has rows of 2",
            ),
            (
                "/accessors/0/type",
                json!("MAT4"),
                "accessor 0 holds matrices",
            ),
            ("/accessors/1/componentType", json!(5126), "accessor 1"),
            (
                "/accessors/0/bufferView",
                json!(9),
                "accessor 0 refers to a buffer view",
            ),
            (
                "/bufferViews/0/buffer",
                json!(9),
                "accessor 0 refers to a buffer that",
            ),
            (
                "/bufferViews/0/byteLength",
                json!(999),
                "runs over its buffer",
            ),
            (
                "/bufferViews/0/byteLength",
                json!(u64::MAX),
                "runs over its buffer",
            ),
            (
                "/buffers/0/byteLength",
                json!(57),
                "buffer 0 declares 57 bytes but has 56",
            ),
            (
                "/buffers/0/uri",
                json!("data:;base64,@@"),
                "not sound base64",
            ),
            ("/buffers/0/uri", json!("data:abc"), "without a comma"),
            ("/buffers/0/uri", json!(null), "buffer 0 has neither"),
            (
                "/meshes/0/primitives/0/indices",
                json!(7),
                "accessor 7 does not exist",
            ),
            (
                "/meshes/0/primitives/0/attributes",
                json!({}),
                "no POSITION",
            ),
            ("/meshes/0/primitives/0/mode", json!(77), "unknown mode"),
            ("/meshes/0/primitives/0/mode", json!(4), "multiple of three"),
            ("/meshes/0/primitives/0/mode", json!(0), "no triangles"),
            ("/nodes/1/mesh", json!(3), "node 1 refers to mesh 3"),
            ("/nodes/0/children", json!([0]), "its own ancestor"),
            ("/nodes/0/children", json!([9]), "node 9"),
            ("/scenes/0/nodes", json!([0, 1]), "two parents"),
            ("/asset", json!(3), "not a sound glTF document"),
        ];
        for (pointer, value, expected) in cases {
            let message = refusal(with(pointer, value), GLTF);
            assert!(message.contains(expected), "{pointer}: {message}");
        }
        let huge = with("/nodes/0/translation", json!([3e38, 0, 0]));
        let huge = huge.replace("[2,2,2]", "[3e38,1,1]");
        assert!(refusal(huge, GLTF).contains("not a finite number"));
        let mut draco = document();
        draco["extensionsRequired"] = json!(["KHR_draco_mesh_compression"]);
        assert!(refusal(draco.to_string(), GLTF).contains("KHR_draco_mesh_compression"));
        assert!(refusal("{\n \"asset\": }", GLTF).starts_with("file:2:11:"));
    }

    /// A container that is cut off anywhere, or has a wrong version or length, is refused.
    #[test]
    fn containers() {
        let glb = encode_glb(&cube());
        for length in [4, 8, 11, 12, 19, 100, glb.len() - 1] {
            refusal(&glb[..length], GLTF);
        }
        let mut old = glb.clone();
        old[4] = 1;
        assert!(refusal(old, GLTF).contains("version 1"));
        for length in [0u32, 11, u32::MAX] {
            let mut odd = glb.clone();
            odd[8..12].copy_from_slice(&length.to_le_bytes());
            let _ = parse_as(&odd, GLTF);
            odd[12..16].copy_from_slice(&u32::MAX.to_le_bytes());
            refusal(odd, GLTF);
        }
    }
}

/// One sound file of each kind.
fn samples() -> Vec<(MeshFormat, Vec<u8>)> {
    let mesh = cube();
    let ascii = b"ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n\
        element face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";
    let stl = "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid";
    vec![
        (MeshFormat::Obj, encode_obj(&mesh)),
        (MeshFormat::Ply, encode_ply(&mesh)),
        (MeshFormat::Ply, ascii.to_vec()),
        (MeshFormat::Stl, stl.as_bytes().to_vec()),
        (MeshFormat::Gltf, encode_glb(&mesh)),
    ]
}

/// Reads within limits that keep a test short; what comes out must be sound.
fn survives(bytes: &[u8], format: MeshFormat) {
    let limits = MeshLimits {
        triangles: 10_000,
        vertices: 10_000,
        bytes: 1 << 20,
    };
    match parse_mesh(bytes, format, Path::new("file"), &limits) {
        Ok(mesh) => {
            mesh.validate().unwrap();
            encode_obj(&mesh);
            encode_ply(&mesh);
            encode_glb(&mesh);
        }
        Err(error) => assert!(!error.to_string().contains('\n')),
    }
}

proptest! {
    /// Random bytes, with and without the mark of a format, never panic.
    #[test]
    fn random_bytes(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        for (format, sample) in samples() {
            survives(&bytes, format);
            let mut marked = sample[..sample.len().min(60)].to_vec();
            marked.extend(&bytes);
            survives(&marked, format);
        }
    }

    /// Sound files with some bytes changed and the end cut off never panic.
    #[test]
    fn changed_files(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
        keep in 0.2f64..2.0,
    ) {
        for (format, mut bytes) in samples() {
            for (index, value) in &changes {
                let at = index.index(bytes.len());
                bytes[at] = *value;
            }
            let length = (bytes.len() as f64 * keep) as usize;
            bytes.truncate(length);
            survives(&bytes, format);
        }
    }

    /// Words put together at random are read or refused, but never crash the text readers.
    #[test]
    fn random_words(words in prop::collection::vec(
        prop::sample::select(vec![
            "v", "vt", "f", "g", "o", "usemtl", "1", "-1", "2", "0", "3", "1e39", "nan", "1/2/3", "//", "\n", "\n", "\\\n", "#",
            "ply\n", "format ascii 1.0\n", "element vertex 3\n", "element face 2\n", "property float x\n", "end_header\n",
            "property list uchar int vertex_indices\n", "solid", "facet", "normal", "outer", "loop", "vertex", "endsolid",
        ]), 0..60)) {
        let text = words.join(" ");
        for format in [MeshFormat::Obj, MeshFormat::Ply, MeshFormat::Stl, MeshFormat::Gltf] {
            survives(text.as_bytes(), format);
        }
    }

    /// Any sound mesh comes back from every format.
    #[test]
    fn random_meshes_round_trip(
        positions in prop::collection::vec(prop::array::uniform3(-100.0f32..100.0), 4..20),
        corners in prop::collection::vec(prop::array::uniform3(any::<prop::sample::Index>()), 1..30),
        uvs in prop::collection::vec(prop::array::uniform2(0u8..5), 90),
        part_count in 1u16..4,
    ) {
        let mut mesh = Mesh {
            positions: positions.into_iter().map(Vec3::from_array).collect(),
            ..Mesh::default()
        };
        let uv = |i: usize| Vec2::new(f32::from(uvs[i][0]), f32::from(uvs[i][1])) / 4.0;
        for (t, corner) in corners.iter().enumerate() {
            mesh.triangles.push(corner.map(|c| c.index(mesh.positions.len()) as u32));
            mesh.corner_uvs.push([uv(3 * t), uv(3 * t + 1), uv(3 * t + 2)]);
            mesh.parts.push(t as u16 * part_count / corners.len() as u16);
        }
        mesh.part_names = (0..part_count).map(|p| format!("part {p}")).collect();
        let expected = content(&mesh);
        for (format, bytes) in [
            (MeshFormat::Obj, encode_obj(&mesh)),
            (MeshFormat::Ply, encode_ply(&mesh)),
            (MeshFormat::Gltf, encode_glb(&mesh)),
        ] {
            let read = parse_as(&bytes, format).unwrap();
            prop_assert_eq!(content(&read), expected.clone(), "{:?}", format);
        }
    }
}

/// Polygons of OBJ and PLY stay polygons with their parts, texture coordinates and colours; errors are the same lines as for triangles.
#[test]
fn polygons_are_kept() {
    let limits = MeshLimits::default();
    let parse = |bytes: &[u8], format| parse_polygons(bytes, format, Path::new("file"), &limits);
    let obj =
        b"v 0 0 0 1 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0.5 2 0\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\n\
        g wall\nf 1/1 2/2 3/3 4/4\ng roof\nf 4 3 5\n";
    let mesh = parse(obj, MeshFormat::Obj).unwrap();
    assert_eq!(mesh.faces.row(0), [0, 1, 2, 3]);
    assert_eq!(mesh.faces.row(1), [3, 2, 4]);
    assert_eq!(mesh.part_name(mesh.part(1)), "roof");
    assert_eq!(mesh.face_uvs(0)[2], Vec2::ONE);
    assert_eq!(
        (mesh.colors[0], mesh.colors[1]),
        ([255, 0, 0, 255], [255; 4])
    );
    let ply = b"ply\nformat ascii 1.0\ncomment part hull\ncomment part keel\nelement vertex 5\nproperty float x\nproperty float y\n\
        property float z\nelement face 2\nproperty list uchar int vertex_indices\nproperty uchar part\nend_header\n\
        0 0 0\n1 0 0\n1 1 0\n0 1 0\n0 0 1\n4 0 1 2 3 1\n3 0 1 4 0\n";
    let mesh = parse(ply, MeshFormat::Ply).unwrap();
    assert_eq!(mesh.faces.row(0), [0, 1, 2, 3]);
    assert_eq!(mesh.part_name(mesh.part(0)), "keel");
    assert_eq!(parse_as(ply, MeshFormat::Ply).unwrap().triangles.len(), 3);
    let bad = b"v 0 0 0\nv 1 0 0\nf 1 2 9\n";
    assert_eq!(
        parse(bad, MeshFormat::Obj).unwrap_err().to_string(),
        refusal(bad, MeshFormat::Obj)
    );
}
