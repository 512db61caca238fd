//! Small helpers around wgpu: buffers that grow, textures that follow the picture, pipelines by recipe.

use std::num::NonZeroU64;

/// Format of every depth buffer. Reversed depth makes good use of its floating point.
pub(super) const DEPTH: wgpu::TextureFormat = wgpu::TextureFormat::Depth32Float;
/// Format of the picture: linear light is averaged over samples and encoded when it is stored.
pub(super) const COLOR: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8UnormSrgb;

/// A buffer that grows when more is written than it holds, and never shrinks.
pub(super) struct GrowBuffer {
    label: &'static str,
    usage: wgpu::BufferUsages,
    buffer: Option<wgpu::Buffer>,
}

impl GrowBuffer {
    pub(super) fn new(label: &'static str, usage: wgpu::BufferUsages) -> Self {
        Self {
            label,
            usage: usage | wgpu::BufferUsages::COPY_DST,
            buffer: None,
        }
    }

    /// How many items of a type fit into the largest buffer of the device.
    pub(super) fn most<T>(device: &wgpu::Device) -> usize {
        (device.limits().max_buffer_size / size_of::<T>() as u64) as usize
    }

    /// Replaces the contents; `data` must not be longer than [`GrowBuffer::most`]. True if the buffer is a new one.
    pub(super) fn write<T: bytemuck::NoUninit>(
        &mut self,
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        data: &[T],
    ) -> bool {
        let bytes: &[u8] = bytemuck::cast_slice(data);
        if bytes.is_empty() {
            return false;
        }
        let needed = bytes.len() as u64;
        let grow = self.buffer.as_ref().is_none_or(|b| b.size() < needed);
        if grow {
            // Half as much again, so that what grows a little every frame is not made anew every frame.
            let roomy = (needed + needed / 2).next_multiple_of(256);
            self.buffer = Some(device.create_buffer(&wgpu::BufferDescriptor {
                label: Some(self.label),
                size: roomy.min(device.limits().max_buffer_size & !3).max(needed),
                usage: self.usage,
                mapped_at_creation: false,
            }));
        }
        if let Some(buffer) = &self.buffer {
            queue.write_buffer(buffer, 0, bytes);
        }
        grow
    }

    pub(super) fn get(&self) -> Option<&wgpu::Buffer> {
        self.buffer.as_ref()
    }
}

/// A texture to draw into and, if it has one sample a pixel, to read from.
pub(super) fn target(
    device: &wgpu::Device,
    label: &str,
    size: [u32; 2],
    format: wgpu::TextureFormat,
    samples: u32,
) -> wgpu::Texture {
    let more = if samples > 1 {
        wgpu::TextureUsages::empty()
    } else {
        wgpu::TextureUsages::TEXTURE_BINDING
            | wgpu::TextureUsages::COPY_SRC
            | wgpu::TextureUsages::COPY_DST
    };
    let encoded = [format.remove_srgb_suffix()];
    device.create_texture(&wgpu::TextureDescriptor {
        label: Some(label),
        size: extent(size),
        mip_level_count: 1,
        sample_count: samples,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage: wgpu::TextureUsages::RENDER_ATTACHMENT | more,
        view_formats: if has_other_views(device) {
            &encoded
        } else {
            &[]
        },
    })
}

/// Whether a texture can be looked at as if it had another format: not by OpenGL.
pub(super) fn has_other_views(device: &wgpu::Device) -> bool {
    device.adapter_info().backend != wgpu::Backend::Gl
}

pub(super) fn extent([width, height]: [u32; 2]) -> wgpu::Extent3d {
    wgpu::Extent3d {
        width,
        height,
        depth_or_array_layers: 1,
    }
}

pub(super) fn view(texture: &wgpu::Texture) -> wgpu::TextureView {
    texture.create_view(&wgpu::TextureViewDescriptor::default())
}

/// The entry of a uniform buffer, perhaps with an offset that is given when it is bound.
pub(super) fn uniform_entry(binding: u32, dynamic: bool, size: u64) -> wgpu::BindGroupLayoutEntry {
    wgpu::BindGroupLayoutEntry {
        binding,
        visibility: wgpu::ShaderStages::VERTEX_FRAGMENT,
        ty: wgpu::BindingType::Buffer {
            ty: wgpu::BufferBindingType::Uniform,
            has_dynamic_offset: dynamic,
            min_binding_size: NonZeroU64::new(size),
        },
        count: None,
    }
}

/// The entry of a texture that fragments read.
pub(super) fn texture_entry(binding: u32, filterable: bool) -> wgpu::BindGroupLayoutEntry {
    wgpu::BindGroupLayoutEntry {
        binding,
        visibility: wgpu::ShaderStages::FRAGMENT,
        ty: wgpu::BindingType::Texture {
            sample_type: wgpu::TextureSampleType::Float { filterable },
            view_dimension: wgpu::TextureViewDimension::D2,
            multisampled: false,
        },
        count: None,
    }
}

pub(super) fn sampler_entry(binding: u32) -> wgpu::BindGroupLayoutEntry {
    wgpu::BindGroupLayoutEntry {
        binding,
        visibility: wgpu::ShaderStages::FRAGMENT,
        ty: wgpu::BindingType::Sampler(wgpu::SamplerBindingType::Filtering),
        count: None,
    }
}

pub(super) fn bind_layout(
    device: &wgpu::Device,
    label: &str,
    entries: &[wgpu::BindGroupLayoutEntry],
) -> wgpu::BindGroupLayout {
    device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
        label: Some(label),
        entries,
    })
}

/// A bind group of textures from binding 0 on, with a sampler after them if there is one.
pub(super) fn bind_textures(
    device: &wgpu::Device,
    layout: &wgpu::BindGroupLayout,
    views: &[&wgpu::TextureView],
    sampler: Option<&wgpu::Sampler>,
) -> wgpu::BindGroup {
    let resources = views
        .iter()
        .map(|v| wgpu::BindingResource::TextureView(v))
        .chain(sampler.map(wgpu::BindingResource::Sampler));
    let entries: Vec<wgpu::BindGroupEntry> = resources
        .zip(0..)
        .map(|(resource, binding)| wgpu::BindGroupEntry { binding, resource })
        .collect();
    device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: None,
        layout,
        entries: &entries,
    })
}

pub(super) fn shader(device: &wgpu::Device, label: &str, parts: &[&str]) -> wgpu::ShaderModule {
    device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some(label),
        source: wgpu::ShaderSource::Wgsl(parts.concat().into()),
    })
}

/// What a pipeline is made of.
pub(super) struct Recipe<'a> {
    pub(super) label: &'a str,
    pub(super) module: &'a wgpu::ShaderModule,
    /// Bind group layouts from group 0 on.
    pub(super) groups: &'a [Option<&'a wgpu::BindGroupLayout>],
    pub(super) vertex: &'a str,
    pub(super) fragment: Option<&'a str>,
    pub(super) buffer: Option<wgpu::VertexBufferLayout<'a>>,
    pub(super) strip: bool,
    pub(super) targets: &'a [wgpu::TextureFormat],
    /// Constants of the shader.
    pub(super) constants: &'a [(&'a str, f64)],
    /// Whether depth is written, and which depths pass.
    pub(super) depth: Option<(bool, wgpu::CompareFunction)>,
    pub(super) samples: u32,
    /// Whether alpha is turned into a share of the samples.
    pub(super) alpha_to_coverage: bool,
}

impl Recipe<'_> {
    pub(super) fn build(&self, device: &wgpu::Device) -> wgpu::RenderPipeline {
        let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some(self.label),
            bind_group_layouts: self.groups,
            immediate_size: 0,
        });
        let targets: Vec<Option<wgpu::ColorTargetState>> =
            self.targets.iter().map(|&f| Some(f.into())).collect();
        let options = wgpu::PipelineCompilationOptions {
            constants: self.constants,
            ..wgpu::PipelineCompilationOptions::default()
        };
        let buffers: Vec<_> = self.buffer.clone().map(Some).into_iter().collect();
        device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: Some(self.label),
            layout: Some(&layout),
            vertex: wgpu::VertexState {
                module: self.module,
                entry_point: Some(self.vertex),
                compilation_options: options.clone(),
                buffers: &buffers,
            },
            primitive: wgpu::PrimitiveState {
                topology: if self.strip {
                    wgpu::PrimitiveTopology::TriangleStrip
                } else {
                    wgpu::PrimitiveTopology::TriangleList
                },
                ..wgpu::PrimitiveState::default()
            },
            depth_stencil: self.depth.map(|(write, compare)| wgpu::DepthStencilState {
                format: DEPTH,
                depth_write_enabled: Some(write),
                depth_compare: Some(compare),
                stencil: wgpu::StencilState::default(),
                bias: wgpu::DepthBiasState::default(),
            }),
            multisample: wgpu::MultisampleState {
                count: self.samples,
                mask: !0,
                alpha_to_coverage_enabled: self.alpha_to_coverage && self.samples > 1,
            },
            fragment: self.fragment.map(|entry| wgpu::FragmentState {
                module: self.module,
                entry_point: Some(entry),
                compilation_options: options,
                targets: &targets,
            }),
            multiview_mask: None,
            cache: None,
        })
    }
}

/// A colour attachment that starts from `clear`.
pub(super) fn onto<'a>(
    view: &'a wgpu::TextureView,
    resolve_target: Option<&'a wgpu::TextureView>,
    clear: wgpu::Color,
) -> wgpu::RenderPassColorAttachment<'a> {
    wgpu::RenderPassColorAttachment {
        view,
        depth_slice: None,
        resolve_target,
        ops: wgpu::Operations {
            load: wgpu::LoadOp::Clear(clear),
            // Once resolved, the samples are of no more use.
            store: if resolve_target.is_some() {
                wgpu::StoreOp::Discard
            } else {
                wgpu::StoreOp::Store
            },
        },
    }
}

/// A colour attachment that keeps what it holds.
pub(super) fn over(view: &wgpu::TextureView) -> wgpu::RenderPassColorAttachment<'_> {
    wgpu::RenderPassColorAttachment {
        view,
        depth_slice: None,
        resolve_target: None,
        ops: wgpu::Operations {
            load: wgpu::LoadOp::Load,
            store: wgpu::StoreOp::Store,
        },
    }
}

/// A depth attachment that starts from `clear`, or from what it holds.
pub(super) fn onto_depth(
    view: &wgpu::TextureView,
    clear: Option<f32>,
    keep: bool,
) -> wgpu::RenderPassDepthStencilAttachment<'_> {
    wgpu::RenderPassDepthStencilAttachment {
        view,
        depth_ops: Some(wgpu::Operations {
            load: clear.map_or(wgpu::LoadOp::Load, wgpu::LoadOp::Clear),
            store: if keep {
                wgpu::StoreOp::Store
            } else {
                wgpu::StoreOp::Discard
            },
        }),
        stencil_ops: None,
    }
}
