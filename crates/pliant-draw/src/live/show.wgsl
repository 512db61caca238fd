// Copies the picture into a window.

@group(0) @binding(0) var picture: texture_2d<f32>;
@group(0) @binding(1) var picture_sampler: sampler;

struct Seen {
    @builtin(position) clip: vec4f,
    @location(0) uv: vec2f,
};

@vertex fn corner(@builtin(vertex_index) number: u32) -> Seen {
    let at = vec2f(f32(number & 1u), f32(number >> 1u)) * 2.0;
    return Seen(vec4f(2.0 * at.x - 1.0, 1.0 - 2.0 * at.y, 0.0, 1.0), at);
}

// For windows whose format encodes sRGB by itself, or if the picture's values are seen encoded.
@fragment fn plain(in: Seen) -> @location(0) vec4f {
    return vec4f(textureSample(picture, picture_sampler, in.uv).xyz, 1.0);
}

// For windows that take encoded values, if the picture's are decoded on the way.
@fragment fn encoded(in: Seen) -> @location(0) vec4f {
    let x = textureSample(picture, picture_sampler, in.uv).xyz;
    let s = select(1.055 * pow(x, vec3f(1.0 / 2.4)) - 0.055, 12.92 * x, x <= vec3f(0.0031308));
    return vec4f(s, 1.0);
}
