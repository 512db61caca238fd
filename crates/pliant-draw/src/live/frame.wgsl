// What every pass knows of the picture; the twin of `frame.rs`.

struct Frame {
    eye: vec4f,           // w: distance of the near plane
    right: vec4f,         // w: tangent of half of the horizontal angle of view
    up: vec4f,            // w: tangent of half of the vertical angle of view
    forward: vec4f,       // w: width of a pixel of the picture at distance 1
    size: vec4f,          // of the picture and of visibility, in pixels
    to_light: vec4f,      // w: tangent of the key light's radius
    // The shadow map's coordinates: u, v in [0, 1] and the depth away from the light.
    shadow_u: vec4f,
    shadow_v: vec4f,
    shadow_w: vec4f,
    shadow_scale: vec4f,  // map units per metre along u, v, w; w: pixels of a side of the map
    key: vec4f,           // w: 1 with shadows
    sky: vec4f,           // w: 1 with ambient occlusion
    bounce: vec4f,        // w: reach of ambient occlusion (m)
    top: vec4f,           // w: 1 with wireframe
    bottom: vec4f,        // w: samples of a pixel
    floor_color: vec4f,   // w: side of a grid cell (m), 0 without a grid
    floor_line: vec4f,    // w: distance at which the floor is half gone (m)
    floor_middle: vec4f,  // y: its height; w: 1 with a floor
    scale: vec4f,         // x: 1 / (a typical distance from the eye), y: width of a visibility pixel at distance 1
    lower: vec4f,         // the box around all that is drawn
    upper: vec4f,
    survey: vec4f,        // size of the survey in pixels; z: its pixels for one of visibility
    lookup: vec4f,        // from pixels of the picture to pixels of visibility: scale, then shift
};

@group(0) @binding(0) var<uniform> frame: Frame;

// The distance of nothing.
const NOTHING: f32 = 1e15;

// Distance along `forward` of what a depth buffer holds.
fn distance_of(depth: f32) -> f32 {
    return min(frame.eye.w / max(depth, 1e-30), NOTHING);
}

// Reversed depth without a far plane: 1 at the near plane, 0 at infinity.
fn to_clip(p: vec3f) -> vec4f {
    let d = p - frame.eye.xyz;
    return vec4f(
        dot(d, frame.right.xyz) / frame.right.w,
        dot(d, frame.up.xyz) / frame.up.w,
        frame.eye.w,
        dot(d, frame.forward.xyz),
    );
}

// Direction through a point of the picture (0, 0 upper left, 1, 1 lower right); its part along `forward` is 1.
fn through(uv: vec2f) -> vec3f {
    let x = (2.0 * uv.x - 1.0) * frame.right.w;
    let y = (1.0 - 2.0 * uv.y) * frame.up.w;
    return frame.forward.xyz + x * frame.right.xyz + y * frame.up.xyz;
}

// The survey's pixel for one of visibility, and where in the picture it lies.
fn surveyed(pixel: vec2f) -> vec2i {
    return vec2i(floor(pixel) * frame.survey.z);
}

fn surveyed_at(pixel: vec2f) -> vec2f {
    return (floor(pixel) * frame.survey.z + 0.5) / frame.survey.xy;
}

// Normals are stored on [0, 1].
fn stored(normal: vec3f) -> vec4f {
    return vec4f(0.5 + 0.5 * normal, 1.0);
}

// u, v and depth in the shadow map.
fn to_shadow(p: vec3f) -> vec3f {
    return vec3f(
        dot(p, frame.shadow_u.xyz) + frame.shadow_u.w,
        dot(p, frame.shadow_v.xyz) + frame.shadow_v.w,
        dot(p, frame.shadow_w.xyz) + frame.shadow_w.w,
    );
}

fn shadow_clip(at: vec3f) -> vec4f {
    return vec4f(2.0 * at.x - 1.0, 1.0 - 2.0 * at.y, at.z, 1.0);
}

// The order in which a 4 × 4 block of pixels takes its turns, on [0, 1): neighbours lie far apart in it.
fn turn_of(pixel: vec2u) -> f32 {
    let a = pixel.x ^ pixel.y;
    let b = pixel.y;
    let turn = ((a & 1u) << 3u) | ((b & 1u) << 2u) | (a & 2u) | ((b >> 1u) & 1u);
    return (f32(turn) + 0.5) / 16.0;
}

fn full_screen(vertex: u32) -> vec4f {
    let x = f32(vertex & 1u) * 4.0 - 1.0;
    let y = f32(vertex >> 1u) * 4.0 - 1.0;
    return vec4f(x, y, 0.0, 1.0);
}
