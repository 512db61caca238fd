// Light, film curve and what a pixel sees of the key light and of the sky: the ray caster's, term by term.

@group(0) @binding(1) var seen: texture_2d<f32>;

struct Surface {
    position: vec3f,
    normal: vec3f,
    albedo: vec3f,
    gloss: f32,
};

// Seen shares of the key light and of the sky, from the survey's pixels that show the same surface.
fn visible(pixel: vec2f, depth: f32) -> vec2f {
    if frame.key.w + frame.sky.w == 0.0 {
        return vec2f(1.0);
    }
    let place = pixel * frame.lookup.xy + frame.lookup.zw;
    let mine = depth * frame.scale.x;
    let slack = 4.0 * frame.scale.y * mine;
    let at = place - 0.5;
    let first = floor(at);
    let part = at - first;
    let last = vec2i(frame.size.zw) - 1;
    var sum = vec2f(0.0);
    var total = 0.0;
    for (var i = 0; i < 4; i++) {
        let step = vec2i(i & 1, i >> 1u);
        let share = select(1.0 - part, part, step == vec2i(1));
        let other = textureLoad(seen, clamp(vec2i(first) + step, vec2i(0), last), 0);
        // Within the slack all depths are alike; beyond it the nearest one takes over.
        let near = max(abs(other.z - mine) / slack, 1.0);
        let near2 = near * near;
        let weight = (share.x * share.y + 0.01) / (near2 * near2);
        sum += weight * other.xy;
        total += weight;
    }
    return min(sum / total, vec2f(1.0));
}

// An interpolated normal that faces away from the viewer is bent back into view; `along` points from the eye.
fn in_view(n: vec3f, along: vec3f) -> vec3f {
    return normalize(n - 1.001 * max(dot(n, along), 0.0) * along);
}

fn around(y: f32) -> vec3f {
    return mix(frame.bounce.xyz, frame.sky.xyz, 0.5 + 0.5 * y);
}

fn matt(s: Surface, key: vec3f, open: f32) -> vec3f {
    let ambient = around(s.normal.y) * open / (1.0 - 0.9 * s.albedo * (1.0 - open));
    return s.albedo * (key + ambient);
}

fn fresnel(cosine: f32) -> f32 {
    let x = 1.0 - clamp(cosine, 0.0, 1.0);
    let x2 = x * x;
    return 0.04 + 0.96 * x2 * x2 * x;
}

// Light from a surface to the eye, before the film curve.
fn shade(s: Surface, seen: vec2f) -> vec3f {
    let n = s.normal;
    let to_eye = normalize(frame.eye.xyz - s.position);
    let key = frame.key.xyz * (max(dot(n, frame.to_light.xyz), 0.0) * seen.x);
    let halfway = normalize(frame.to_light.xyz + to_eye);
    let power = exp2(3.0 + 7.0 * s.gloss);
    let lobe = (power + 8.0) / 8.0 * pow(max(dot(n, halfway), 1e-4), power);
    let highlight = key * (lobe * fresnel(dot(halfway, to_eye)));
    let facing = dot(n, to_eye);
    let sheen = around(2.0 * facing * n.y - to_eye.y) * (seen.y * fresnel(facing) * (0.35 + 0.65 * s.gloss));
    return matt(s, key, seen.y) + highlight + sheen;
}

// The film curve of `color.rs`.
fn film(light: vec3f) -> vec3f {
    let power = pow(max(light, vec3f(1e-6)), vec3f(1.2));
    return min(power * (1.0 + 0.6276 / 9.7435) / (power + 0.6276), vec3f(1.0));
}

// Light from the floor, before the film curve.
fn shade_floor(position: vec3f, albedo: vec3f, seen: vec2f) -> vec3f {
    let key = frame.key.xyz * (max(frame.to_light.y, 0.0) * seen.x);
    return matt(Surface(position, vec3f(0.0, 1.0, 0.0), albedo, 0.0), key, seen.y);
}

// Share of the background that covers the floor.
fn haze(position: vec3f) -> f32 {
    let away = distance(position, frame.floor_middle.xyz) / frame.floor_line.w;
    return 1.0 - exp2(-away * away);
}

// The background in a row of the picture.
fn behind(y: f32) -> vec3f {
    return mix(frame.top.xyz, frame.bottom.xyz, clamp(y / frame.size.y, 0.0, 1.0));
}

// Brightness, about as the eye has it: smoothing finds edges by it.
fn luma(color: vec3f) -> f32 {
    return sqrt(dot(color, vec3f(0.299, 0.587, 0.114)));
}

// Rounding by turns hides the steps of slow gradients: shifts by up to half of an sRGB step.
fn dithered(color: vec3f, pixel: vec2f) -> vec4f {
    let shift = (turn_of(vec2u(pixel)) - 0.5) / 255.0;
    return vec4f(color + shift * 2.1 * sqrt(max(color, vec3f(0.0))), luma(color));
}
