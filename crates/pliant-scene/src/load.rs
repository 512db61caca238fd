//! From the name of a scene to its checked text.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::builtin;
use crate::error::Error;
use crate::file::{Body, Collider, Document, Plane, SceneFile, Shape, apply_overrides};
use crate::mesh_files::{MeshLimits, read_mesh_within};

/// How much a scene may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Most particles of all bodies together.
    pub particles: usize,
    /// Most triangles of all surfaces together.
    pub triangles: usize,
    /// Most vertices of all surfaces together.
    pub vertices: usize,
    /// Most bodies.
    pub bodies: usize,
    /// Most bytes of one file.
    pub bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        let mesh = MeshLimits::default();
        Self {
            particles: 2_000_000,
            triangles: mesh.triangles,
            vertices: mesh.vertices,
            bodies: 10_000,
            bytes: mesh.bytes,
        }
    }
}

impl Limits {
    /// The names that [`Limits::set`] knows.
    pub const NAMES: [&str; 5] = ["particles", "triangles", "vertices", "bodies", "bytes"];

    /// Changes a limit by its name; `false` if there is none of that name.
    pub fn set(&mut self, name: &str, value: u64) -> bool {
        let count = usize::try_from(value).unwrap_or(usize::MAX);
        match name {
            "particles" => self.particles = count,
            "triangles" => self.triangles = count,
            "vertices" => self.vertices = count,
            "bodies" => self.bodies = count,
            "bytes" => self.bytes = value,
            _ => return false,
        }
        true
    }

    /// The limits of one mesh file.
    pub(crate) fn of_mesh(&self) -> MeshLimits {
        MeshLimits {
            triangles: self.triangles,
            vertices: self.vertices,
            bytes: self.bytes,
        }
    }
}

/// A scene that was read and checked, but not built.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The name of a built-in scene, or the file's name without its ending.
    pub name: String,
    /// The text, which knows the places of its values.
    pub document: Document,
    /// What the text says.
    pub scene: SceneFile,
    /// The folder in which the scene's files are; a built-in scene has none.
    pub folder: Option<PathBuf>,
    /// The files of a built-in scene, with their texts.
    pub files: &'static [(&'static str, &'static str)],
}

/// Loads a built-in scene by its name, or a scene file.
///
/// A name is taken as that of a file if it ends in `.toml` or contains a path separator.
pub fn load(scene: &str, overrides: &[String], limits: &Limits) -> Result<Loaded, Error> {
    let path = Path::new(scene);
    let is_file = scene.contains(std::path::is_separator)
        || path
            .extension()
            .is_some_and(|ending| ending.eq_ignore_ascii_case("toml"));
    if is_file {
        return load_file(path, overrides, limits);
    }
    let Some(builtin) = builtin::find(scene) else {
        let known: Vec<&str> = builtin::SCENES.iter().map(|scene| scene.name).collect();
        return Err(Error::Input(format!(
            "unknown scene '{}'; known: {} (or a .toml file)",
            scene.escape_debug(),
            known.join(", ")
        )));
    };
    let loaded = parse(
        builtin.text,
        &format!("{scene}.toml"),
        scene.to_owned(),
        None,
        overrides,
    )?;
    Ok(Loaded {
        files: builtin.files,
        ..loaded
    })
}

/// Loads a scene file.
pub fn load_file(path: &Path, overrides: &[String], limits: &Limits) -> Result<Loaded, Error> {
    let text = read_text(path, limits.bytes)?;
    let name = path
        .file_stem()
        .map_or_else(|| "scene".into(), |stem| stem.to_string_lossy());
    let folder = folder_of(path);
    let origin = path.display().to_string();
    parse(&text, &origin, name.into_owned(), Some(folder), overrides)
}

/// Endings of mesh files that a scene can be made around.
const MESHES: [&str; 5] = ["obj", "ply", "stl", "gltf", "glb"];

/// Whether a name is that of a mesh file.
pub fn is_mesh_name(name: &str) -> bool {
    let ending = Path::new(name).extension();
    let ending = ending.map(|ending| ending.to_string_lossy().to_lowercase());
    ending.is_some_and(|ending| MESHES.contains(&&*ending))
}

/// A scene by its name or its file, or one around a mesh file, which is made of a material.
pub fn load_any(
    scene: &str,
    overrides: &[String],
    material: &str,
    limits: &Limits,
) -> Result<Loaded, Error> {
    if is_mesh_name(scene) {
        if let Some(first) = overrides.first() {
            return Err(Error::Input(format!(
                "--set {first}: a mesh file has no fields, expected a scene"
            )));
        }
        return around_mesh(Path::new(scene), material, limits);
    }
    load(scene, overrides, limits)
}

/// Longest side of a mesh that is put into a scene of its own (m).
const MESH_EXTENT: f32 = 2.0;
/// How high above the floor it begins (m).
const MESH_DROP: f32 = 0.05;

/// A scene around a mesh file: the mesh, two metres large and made of a material, just above a floor.
fn around_mesh(path: &Path, material: &str, limits: &Limits) -> Result<Loaded, Error> {
    let mesh = read_mesh_within(path, &limits.of_mesh())?;
    let (lo, hi) = mesh.bounds().unwrap_or_default();
    let size = hi - lo;
    let height = MESH_EXTENT * size.y / size.max_element();
    let file = path.file_name().unwrap_or_default().to_string_lossy();
    let scene = SceneFile {
        title: Some(format!("{file}, made of {material}")),
        body: vec![Body {
            mesh: Some(file.into_owned()),
            extent: Some(MESH_EXTENT),
            position: Some([0.0, 0.5 * height + MESH_DROP, 0.0]),
            material: Some(material.to_owned()),
            ..Body::default()
        }],
        collider: vec![Collider {
            name: Some("floor".to_owned()),
            shape: Some(Shape::Plane(Plane {
                normal: [0.0, 1.0, 0.0],
                offset: None,
            })),
            ..Collider::default()
        }],
        ..SceneFile::default()
    };
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let origin = path.display().to_string();
    let folder = folder_of(path);
    parse(
        &scene.to_toml()?,
        &origin,
        name.into_owned(),
        Some(folder),
        &[],
    )
}

fn folder_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    }
}

fn parse(
    text: &str,
    origin: &str,
    name: String,
    folder: Option<PathBuf>,
    overrides: &[String],
) -> Result<Loaded, Error> {
    let mut document = Document::parse(text, origin)?;
    apply_overrides(&mut document, overrides)?;
    let scene = document.scene()?;
    Ok(Loaded {
        name,
        document,
        scene,
        folder,
        files: &[],
    })
}

/// The text of a file, if it is one.
pub(crate) fn read_text(path: &Path, limit: u64) -> Result<String, Error> {
    let shown = path.display();
    let failed = |source: std::io::Error| match source.kind() {
        std::io::ErrorKind::NotFound => Error::Input(format!("{shown}: no such file")),
        _ => Error::io(path, source),
    };
    let metadata = fs::metadata(path).map_err(failed)?;
    if !metadata.is_file() {
        let what = if metadata.is_dir() {
            "is a directory"
        } else {
            "is not a regular file"
        };
        return Err(Error::Input(format!(
            "{shown}: {what}, a scene file was expected"
        )));
    }
    if metadata.len() > limit {
        return Err(Error::Limit(format!(
            "{shown}: the file has {} bytes, the limit is {limit}",
            metadata.len()
        )));
    }
    let mut bytes = Vec::new();
    fs::File::open(path)
        .and_then(|file| file.take(limit).read_to_end(&mut bytes))
        .map_err(failed)?;
    String::from_utf8(bytes).map_err(|error| {
        let end = error.utf8_error().valid_up_to();
        let sound = String::from_utf8_lossy(&error.as_bytes()[..end]);
        let line = sound.split('\n').count();
        let column = sound.rsplit('\n').next().unwrap_or("").chars().count() + 1;
        Error::Input(format!(
            "{shown}:{line}:{column}: this is not UTF-8 text, a scene file in TOML was expected"
        ))
    })
}
