// Smooths the steps of edges in a picture of one sample a pixel: a pixel that stands
// out from its neighbours takes on some of the one beyond the edge.

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
    let n = luma(pixel - vec2i(0, 1));
    let s = luma(pixel + vec2i(0, 1));
    let w = luma(pixel - vec2i(1, 0));
    let e = luma(pixel + vec2i(1, 0));
    let least = min(here, min(min(n, s), min(w, e)));
    let most = max(here, max(max(n, s), max(w, e)));
    let contrast = most - least;
    if contrast < max(0.04, 0.1 * most) {
        discard;
    }
    // Towards the side that differs more, by how much this pixel stands out from its neighbours.
    let level = abs(n + s - 2.0 * here) > abs(w + e - 2.0 * here);
    let before = select(w, n, level);
    let after = select(e, s, level);
    let towards = select(1.0, -1.0, abs(before - here) > abs(after - here));
    let way = select(vec2f(towards, 0.0), vec2f(0.0, towards), level);
    let out = clamp(abs(0.25 * (n + s + w + e) - here) / contrast, 0.0, 1.0);
    let shift = min(out * (2.0 - out), 0.75) * 0.75;
    return textureSampleLevel(raw, raw_sampler, (clip.xy + shift * way) / vec2f(textureDimensions(raw)), 0.0);
}
