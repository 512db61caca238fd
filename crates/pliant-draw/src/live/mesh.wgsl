// Triangles: each has three corners of its own, so that a corner's number tells its place in the triangle.

struct Look {
    // Colours of the checker; the first is also what lies under the picture.
    first: vec4f,
    second: vec4f,
};

@group(1) @binding(0) var<uniform> look: Look;
@group(2) @binding(0) var picture: texture_2d<f32>;
@group(2) @binding(1) var picture_sampler: sampler;

// 0 plain, 1 checker, 2 picture: known when the pipeline is made, because not every device can leave out a branch.
override PAINT: u32 = 0u;

struct Corner {
    @builtin(vertex_index) number: u32,
    @location(0) position: vec3f,
    @location(1) normal: vec2f,
    @location(2) color: vec4f,
    @location(3) pattern: vec4f,
};

struct Seen {
    @builtin(position) clip: vec4f,
    @location(0) position: vec3f,
    @location(1) normal: vec3f,
    @location(2) color: vec4f,
    @location(3) pattern: vec4f,
    @location(4) edges: vec3f,
};

// From the octahedron's unfolded faces to the unit sphere.
fn unfold(at: vec2f) -> vec3f {
    let z = 1.0 - abs(at.x) - abs(at.y);
    let back = max(-z, 0.0);
    let xy = at - select(vec2f(-back), vec2f(back), at >= vec2f(0.0));
    return normalize(vec3f(xy, z));
}

@vertex fn shadow(@location(0) position: vec3f) -> @builtin(position) vec4f {
    return shadow_clip(to_shadow(position));
}

struct Surveyed {
    @builtin(position) clip: vec4f,
    @location(0) normal: vec3f,
};

@vertex fn survey_corner(@location(0) position: vec3f, @location(1) normal: vec2f) -> Surveyed {
    return Surveyed(to_clip(position), unfold(normal));
}

@fragment fn survey(in: Surveyed, @builtin(front_facing) front: bool) -> @location(0) vec4f {
    return stored(select(-1.0, 1.0, front) * normalize(in.normal));
}

@vertex fn corner(in: Corner) -> Seen {
    let place = in.number % 3u;
    let edges = vec3f(f32(place == 0u), f32(place == 1u), f32(place == 2u));
    return Seen(to_clip(in.position), in.position, unfold(in.normal), in.color, in.pattern, edges);
}

fn triangle_wave(x: vec3f) -> vec3f {
    return 0.5 - abs(fract(x * 0.5) - 0.5);
}

// Share of the second colour in a checker of unit cells around `p`, averaged over a cube of side `width`.
fn checker(p: vec3f, width: f32) -> f32 {
    let w = clamp(width, 1e-3, 1e3);
    let mean = 2.0 * (triangle_wave(p + 0.5 * w) - triangle_wave(p - 0.5 * w)) / w;
    let wave = clamp(mean, vec3f(-1.0), vec3f(1.0));
    return 0.5 - 0.5 * wave.x * wave.y * wave.z;
}

fn painted(in: Seen, distance: f32) -> vec3f {
    if PAINT == 1u {
        let width = 1.5 * distance * frame.forward.w * in.pattern.w;
        let share = checker(in.pattern.xyz, width);
        let painted = mix(look.first.xyz, look.second.xyz, share);
        return in.color.xyz * select(vec3f(1.0), painted, in.pattern.w > 0.0);
    }
    if PAINT == 2u {
        let texel = textureSample(picture, picture_sampler, vec2f(in.pattern.x, 1.0 - in.pattern.y));
        let painted = look.first.xyz * (1.0 - texel.w) + texel.xyz;
        return in.color.xyz * select(vec3f(1.0), painted, in.pattern.w > 0.0);
    }
    return in.color.xyz;
}

fn albedo(in: Seen) -> vec3f {
    var albedo = painted(in, distance(in.position, frame.eye.xyz));
    if frame.top.w > 0.0 {
        // Distance from the nearest edge, and the least height of the triangle, in pixels.
        let width = max(fwidth(in.edges), vec3f(1e-6));
        let edge = in.edges / width;
        let near = min(edge.x, min(edge.y, edge.z));
        let height = 1.0 / max(width.x, max(width.y, width.z));
        // Where lines are as dense as pixels they would be all there is to see: they fade.
        let ink = 0.88 * smoothstep(0.5, 5.0, height);
        albedo *= 1.0 - ink * (1.0 - smoothstep(0.4, 1.1, near));
    }
    return albedo;
}

@fragment fn paint(in: Seen, @builtin(front_facing) front: bool) -> @location(0) vec4f {
    let offset = in.position - frame.eye.xyz;
    let n = in_view(select(-1.0, 1.0, front) * normalize(in.normal), normalize(offset));
    let surface = Surface(in.position, n, albedo(in), in.color.w);
    let share = visible(in.clip.xy, dot(offset, frame.forward.xyz));
    return dithered(film(shade(surface, share)), in.clip.xy);
}

struct Record {
    @location(0) normal: vec4f,
    @location(1) albedo: vec4f,
};

@fragment fn record(in: Seen, @builtin(front_facing) front: bool) -> Record {
    let n = select(-1.0, 1.0, front) * normalize(in.normal);
    return Record(stored(n), vec4f(albedo(in), in.color.w));
}
