// How much of the key light and of the sky each pixel of the survey sees.
//
// Each pixel of a 4 × 4 block takes its own share of the taps; `blur` averages them over the pixels of the same surface.

@group(1) @binding(0) var depths: texture_2d<f32>;
@group(1) @binding(1) var normals: texture_2d<f32>;
@group(1) @binding(2) var shadows: texture_2d<f32>;

const PI: f32 = 3.14159265;
// Cosine and sine of the golden angle: taps turned by it from one to the next fill a disc evenly.
const GOLDEN: vec2f = vec2f(-0.73736888, 0.67549029);
const SEARCH_TAPS: i32 = 6;
const SHADOW_TAPS: i32 = 6;
const STEPS: i32 = 4;
// How dark the floor makes what faces it: below 1, because a lit floor also gives light back.
const FLOOR_OCCLUSION: f32 = 0.75;

@vertex fn corner(@builtin(vertex_index) number: u32) -> @builtin(position) vec4f {
    return full_screen(number);
}

struct Receiver {
    at: vec3f,       // in the shadow map
    slope: vec2f,    // rise of the surface towards the light per metre along u and v
    slack: f32,      // what counts as the surface itself (m)
};

// Height (m) towards the light of what the map holds `offset` metres aside, above the receiver's plane; 0 for nothing.
fn blocker(r: Receiver, offset: vec2f) -> f32 {
    let texels = frame.shadow_scale.w;
    let texel = floor((r.at.xy + offset * frame.shadow_scale.xy) * texels);
    if any(texel < vec2f(0.0)) || any(texel >= vec2f(texels)) {
        return 0.0;
    }
    let depth = textureLoad(shadows, vec2i(texel), 0).x;
    // The texel's own middle: a plane then never shadows itself, however wide the taps lie.
    let middle = ((texel + 0.5) / texels - r.at.xy) / frame.shadow_scale.xy;
    let height = (r.at.z - depth) / frame.shadow_scale.z - dot(r.slope, middle);
    return select(0.0, height, depth < 1.0 && height > r.slack);
}

fn turned(way: vec2f) -> vec2f {
    return vec2f(GOLDEN.x * way.x - GOLDEN.y * way.y, GOLDEN.y * way.x + GOLDEN.x * way.y);
}

// Only what lies in the cone of the light can block it.
fn in_cone(height: f32, aside: f32, texel: f32) -> bool {
    return height > 0.0 && aside <= frame.to_light.w * height + 1.5 * texel;
}

// Seen share of the key light: the mean distance of what blocks it gives the width of the edge.
fn key_light(position: vec3f, normal: vec3f, footprint: f32, turn: f32) -> f32 {
    let facing = dot(normal, frame.to_light.xyz);
    if facing <= 0.0 {
        return 1.0;
    }
    let texel = 1.0 / (frame.shadow_scale.w * min(frame.shadow_scale.x, frame.shadow_scale.y));
    let lift = 1.0 * texel * sqrt(max(1.0 - facing * facing, 0.0)) + 0.02 * footprint;
    let sideways = vec2f(dot(normal, frame.shadow_u.xyz), dot(normal, frame.shadow_v.xyz)) / frame.shadow_scale.xy;
    let slope = -sideways / max(facing, 0.15);
    let receiver = Receiver(to_shadow(position + lift * normal), slope, 0.7 * texel);

    let first = vec2f(cos(turn * 2.0 * PI), sin(turn * 2.0 * PI));
    let highest = max(receiver.at.z / frame.shadow_scale.z, 0.0);
    let widest = max(frame.to_light.w * highest, 1.5 * texel);
    if any(abs(receiver.at.xy - 0.5) > 0.5 + widest * frame.shadow_scale.xy) {
        return 1.0;
    }
    var sum = 0.0;
    var count = 0.0;
    var way = first;
    for (var i = 0; i < SEARCH_TAPS; i++) {
        // Denser in the middle, where near things are.
        let radius = widest * (f32(i) + turn) / f32(SEARCH_TAPS);
        let height = blocker(receiver, radius * way);
        way = turned(way);
        let blocks = in_cone(height, radius, texel);
        sum += select(0.0, height, blocks);
        count += select(0.0, 1.0, blocks);
    }
    // What the search has missed lies, if anywhere, in the outer part of the cone.
    let mean = select(0.5 * highest, sum / count, count > 0.0);
    let radius = max(frame.to_light.w * mean, texel);
    var open = 0.0;
    way = first;
    for (var i = 0; i < SHADOW_TAPS; i++) {
        let offset = radius * sqrt((f32(i) + turn) / f32(SHADOW_TAPS));
        let height = blocker(receiver, offset * way);
        // The nearest surface stands for all that lies behind it, too: once found, it blocks wherever it is.
        let blocks = height > 0.0 && (count > 0.0 || in_cone(height, offset, texel));
        open += select(1.0, 0.0, blocks);
        way = turned(way);
    }
    return open / f32(SHADOW_TAPS);
}

// Cosine of the horizon on one side of a slice, from `least` upwards.
fn horizon(start: vec2f, position: vec3f, to_eye: vec3f, step: vec2f, turn: f32, least: f32) -> f32 {
    let reach = frame.bounce.w;
    var cosine = least;
    for (var i = 0; i < STEPS; i++) {
        let part = (f32(i) + turn) / f32(STEPS);
        let pixel = start + step * (part * part) + sign(step);
        if any(pixel < vec2f(0.0)) || any(pixel >= frame.size.zw) {
            break;
        }
        let depth = distance_of(textureLoad(depths, surveyed(pixel), 0).x);
        let offset = through(surveyed_at(pixel)) * depth - position;
        let distance = length(offset);
        // The shares of rays that are longer than this distance.
        let weight = clamp(1.0 - distance / reach, 0.0, 1.0);
        cosine = max(cosine, mix(least, dot(offset, to_eye) / max(distance, 1e-20), weight));
    }
    return cosine;
}

// Arc cosine to 1e-4, which is cheaper than the exact one.
fn arc_cosine(x: f32) -> f32 {
    let a = abs(x);
    let angle = sqrt(max(1.0 - a, 0.0)) * (1.5707288 + a * (-0.2121144 + a * (0.0742610 - 0.0187293 * a)));
    return select(angle, PI - angle, x < 0.0);
}

// The seen part of the slice on the side of `side` (1 or -1), from the cosine of its horizon h and the cosine and sine of
// the normal's angle γ: (cos γ + 2 h sin γ - cos(2 h - γ)) / 4.
fn arc(cosine: f32, side: f32, gamma: vec2f) -> f32 {
    let c = clamp(cosine, -1.0, 1.0);
    let s = side * sqrt(1.0 - c * c);
    let h = side * arc_cosine(c);
    return 0.25 * (gamma.x + 2.0 * h * gamma.y - (2.0 * c * c - 1.0) * gamma.x - 2.0 * c * s * gamma.y);
}

// Seen share of the sky in one slice through the line of sight: between the horizons of both sides
// (Jiménez et al. 2016, "Practical real-time strategies for accurate indirect occlusion", eqs. 5 to 10).
fn sky_light(pixel: vec2f, position: vec3f, normal: vec3f, depth: f32, turn: f32) -> f32 {
    let reach_pixels = min(frame.bounce.w / (depth * frame.scale.y), 0.6 * frame.size.w);
    let to_eye = -normalize(position);
    let angle = turn * PI;
    let way = vec2f(cos(angle), sin(angle));
    let across = way.x * frame.right.xyz - way.y * frame.up.xyz;
    let tangent = normalize(across - dot(across, to_eye) * to_eye);
    let axis = cross(tangent, to_eye);
    let within = normal - dot(normal, axis) * axis;
    let size = max(length(within), 1e-4);
    let gamma = vec2f(max(dot(within, to_eye), 0.0), dot(within, tangent)) / size;
    // Without anything in the way the horizon is the surface's own, a right angle from the normal.
    let jitter = fract(turn * 5.0);
    let right = horizon(pixel, position, to_eye, way * reach_pixels, jitter, -gamma.y);
    let left = horizon(pixel, position, to_eye, -way * reach_pixels, jitter, gamma.y);
    // A single slice may be above 1; only their mean is not.
    return max(size * (arc(right, 1.0, gamma) + arc(left, -1.0, gamma)), 0.0);
}

// Share of the sky that the floor hides from a surface above it: rays of all lengths up to the reach, as a matt surface
// weighs them. For a surface that faces down, at a height of `a` reaches, the integral is (1 - a)²; an upright one sees
// half of it, and the more slanted rays to the floor leave about (1 - a)^3.6.
fn below(height: f32, normal: vec3f) -> f32 {
    let near = clamp(1.0 - height / frame.bounce.w, 1e-4, 1.0);
    let share = (0.5 - 0.5 * normal.y) * pow(near, 3.6 + 1.6 * normal.y);
    return FLOOR_OCCLUSION * frame.floor_middle.w * share;
}

// Key light, sky, depth in typical distances, 1 for the floor.
@fragment fn visible(@builtin(position) clip: vec4f) -> @location(0) vec4f {
    let pixel = surveyed(clip.xy);
    let ray = through(surveyed_at(clip.xy));
    var depth = distance_of(textureLoad(depths, pixel, 0).x);
    // The floor is not in the survey.
    let to_floor = (frame.floor_middle.y - frame.eye.y) / ray.y;
    let is_floor = frame.floor_middle.w > 0.0 && to_floor > 0.0 && to_floor < depth;
    depth = select(depth, to_floor, is_floor);
    if depth >= NOTHING {
        return vec4f(1.0, 1.0, 6e4, 0.0);
    }
    var normal = vec3f(0.0, 1.0, 0.0);
    if !is_floor {
        normal = normalize(textureLoad(normals, pixel, 0).xyz - 0.5);
    }
    let turn = turn_of(vec2u(clip.xy));
    let position = ray * depth;
    let world = frame.eye.xyz + position;
    var seen = vec2f(1.0);
    if frame.key.w > 0.0 {
        seen.x = key_light(world, normal, depth * frame.scale.y, turn);
    }
    // How far all that is drawn is.
    let apart = length(max(max(frame.lower.xyz - world, world - frame.upper.xyz), vec3f(0.0)));
    if frame.sky.w > 0.0 && apart < frame.bounce.w {
        seen.y = sky_light(clip.xy, position, normal, depth, turn);
        if !is_floor {
            seen.y *= 1.0 - below(world.y - frame.floor_middle.y, normal);
        }
    }
    return vec4f(seen, min(depth * frame.scale.x, 6e4), select(0.0, 1.0, is_floor));
}
