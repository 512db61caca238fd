// Paints the picture from the survey: every pixel is lit once, however many small triangles it has seen.

@group(1) @binding(0) var depths: texture_2d<f32>;
@group(1) @binding(1) var normals: texture_2d<f32>;
@group(1) @binding(2) var albedos: texture_2d<f32>;

@vertex fn corner(@builtin(vertex_index) number: u32) -> @builtin(position) vec4f {
    return full_screen(number);
}

// The depth test leaves out pixels that show nothing.
@fragment fn develop(@builtin(position) clip: vec4f) -> @location(0) vec4f {
    let pixel = vec2i(clip.xy);
    let depth = distance_of(textureLoad(depths, pixel, 0).x);
    let offset = depth * through(clip.xy / frame.size.xy);
    let albedo = textureLoad(albedos, pixel, 0);
    let normal = in_view(normalize(textureLoad(normals, pixel, 0).xyz - 0.5), normalize(offset));
    let surface = Surface(frame.eye.xyz + offset, normal, albedo.xyz, albedo.w);
    return dithered(film(shade(surface, visible(clip.xy, depth))), clip.xy);
}
