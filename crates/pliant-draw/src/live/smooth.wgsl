// Smooths the steps of edges in a picture of one sample a pixel: along an edge, colours of both sides are mixed
// (after Lottes 2009, "FXAA").

@group(0) @binding(0) var raw: texture_2d<f32>;
@group(0) @binding(1) var raw_sampler: sampler;

@vertex fn corner(@builtin(vertex_index) number: u32) -> @builtin(position) vec4f {
    let at = vec2f(f32(number & 1u), f32(number >> 1u)) * 4.0 - 1.0;
    return vec4f(at, 0.0, 1.0);
}

// Brightness: the painters leave it in alpha.
fn luma(pixel: vec2i) -> f32 {
    let last = vec2i(textureDimensions(raw)) - 1;
    return textureLoad(raw, clamp(pixel, vec2i(0), last), 0).w;
}

// Draws over a copy of the picture, and only where an edge is.
@fragment fn smooth_edges(@builtin(position) clip: vec4f) -> @location(0) vec4f {
    let pixel = vec2i(clip.xy);
    let here = luma(pixel);
    let nw = luma(pixel + vec2i(-1, -1));
    let ne = luma(pixel + vec2i(1, -1));
    let sw = luma(pixel + vec2i(-1, 1));
    let se = luma(pixel + vec2i(1, 1));
    let least = min(here, min(min(nw, ne), min(sw, se)));
    let most = max(here, max(max(nw, ne), max(sw, se)));
    if most - least < max(0.04, 0.1 * most) {
        discard;
    }
    // Along the edge, longer where it is level or upright.
    var along = vec2f((sw + se) - (nw + ne), (nw + sw) - (ne + se));
    let weakest = min(abs(along.x), abs(along.y)) + max(0.03 * (nw + ne + sw + se), 1.0 / 128.0);
    along = clamp(along / weakest, vec2f(-8.0), vec2f(8.0));
    let size = vec2f(textureDimensions(raw));
    let near = 0.5 * (textureSampleLevel(raw, raw_sampler, (clip.xy - along / 6.0) / size, 0.0)
        + textureSampleLevel(raw, raw_sampler, (clip.xy + along / 6.0) / size, 0.0));
    let far = 0.5 * near + 0.25 * (textureSampleLevel(raw, raw_sampler, (clip.xy - 0.5 * along) / size, 0.0)
        + textureSampleLevel(raw, raw_sampler, (clip.xy + 0.5 * along) / size, 0.0));
    // Far taps that bring in something else are not trusted.
    return select(far, near, far.w < least || far.w > most);
}
