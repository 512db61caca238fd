// Paints the picture from the survey: every pixel is lit once, however many small triangles it has seen.

@group(1) @binding(0) var depths: texture_2d<f32>;
@group(1) @binding(1) var normals: texture_2d<f32>;
@group(1) @binding(2) var albedos: texture_2d<f32>;

@vertex fn corner(@builtin(vertex_index) number: u32) -> @builtin(position) vec4f {
    return full_screen(number);
}

@fragment fn develop(@builtin(position) clip: vec4f) -> @location(0) vec4f {
    let pixel = vec2i(clip.xy);
    let measured = textureLoad(depths, pixel, 0).x;
    let depth = abs(measured);
    let sky = behind(clip.y);
    if depth >= NOTHING {
        return dithered(sky, clip.xy);
    }
    let position = frame.eye.xyz + depth * through(clip.xy / frame.size.xy);
    let albedo = textureLoad(albedos, pixel, 0);
    let share = visible(clip.xy, depth);
    if measured < 0.0 {
        let color = film(shade_floor(position, albedo.xyz, share));
        return dithered(mix(color, sky, haze(position)), clip.xy);
    }
    let normal = normalize(textureLoad(normals, pixel, 0).xyz - 0.5);
    return dithered(film(shade(Surface(position, normal, albedo.xyz, albedo.w), share)), clip.xy);
}
