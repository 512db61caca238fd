//! The roles in which things are drawn: each kind of thing has a pipeline for each role.

use super::gpu::{COLOR, Recipe};
use super::{balls, mesh};
use wgpu::TextureFormat::{Rgb10a2Unorm, Rgba8UnormSrgb};

/// Formats of the survey besides its depth: normal; then albedo and gloss, if the picture is painted from it.
pub(super) const SURVEY: [wgpu::TextureFormat; 2] = [Rgb10a2Unorm, Rgba8UnormSrgb];

/// What things are drawn for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Depth as the light sees it.
    Shadow,
    /// Depth and normal as the eye sees them.
    Survey,
    /// The same and albedo.
    Record,
    /// Light, with so many samples a pixel.
    Paint(u32),
}

/// Layouts of bind groups.
pub(super) struct Layouts {
    /// Group 0: the frame.
    pub(super) frame: wgpu::BindGroupLayout,
    /// Group 0 of painters: the frame and what is seen of the lights.
    pub(super) painter: wgpu::BindGroupLayout,
    /// Group 1 of meshes: colours of the pattern.
    pub(super) look: wgpu::BindGroupLayout,
    /// Group 2 of meshes: the texture.
    pub(super) picture: wgpu::BindGroupLayout,
}

impl Role {
    /// A recipe with all that follows from the role.
    pub(super) fn recipe<'a>(
        self,
        label: &'a str,
        module: &'a wgpu::ShaderModule,
        groups: &'a [Option<&'a wgpu::BindGroupLayout>],
    ) -> Recipe<'a> {
        let compare = match self {
            Self::Shadow => wgpu::CompareFunction::Less,
            _ => wgpu::CompareFunction::Greater,
        };
        Recipe {
            label,
            module,
            groups,
            vertex: "corner",
            fragment: match self {
                Self::Shadow => None,
                Self::Survey => Some("survey"),
                Self::Record => Some("record"),
                Self::Paint(_) => Some("paint"),
            },
            buffer: None,
            strip: false,
            constants: &[],
            targets: match self {
                Self::Shadow => &[],
                Self::Survey => &SURVEY[..1],
                Self::Record => &SURVEY,
                Self::Paint(_) => &[COLOR],
            },
            depth: Some((true, compare)),
            samples: match self {
                Self::Paint(samples) => samples,
                _ => 1,
            },
            alpha_to_coverage: false,
        }
    }

    /// Group 0.
    pub(super) fn frame(self, layouts: &Layouts) -> &wgpu::BindGroupLayout {
        match self {
            Self::Paint(_) => &layouts.painter,
            _ => &layouts.frame,
        }
    }
}

/// The pipelines of one role.
pub(super) struct Cast {
    pub(super) meshes: mesh::Pipelines,
    pub(super) balls: wgpu::RenderPipeline,
}

impl Cast {
    pub(super) fn new(device: &wgpu::Device, layouts: &Layouts, role: Role) -> Self {
        Self {
            meshes: mesh::Pipelines::new(device, layouts, role),
            balls: balls::pipeline(device, layouts, role),
        }
    }
}
