// Averages visibility over the neighbouring pixels of the same surface.
//
// The weights 1 2 2 2 1 are a box of 4 and a box of 2: they cancel the pattern of the 4 × 4 turns.

@group(1) @binding(0) var raw: texture_2d<f32>;
@group(1) @binding(1) var normals: texture_2d<f32>;

@vertex fn corner(@builtin(vertex_index) number: u32) -> @builtin(position) vec4f {
    return full_screen(number);
}

fn blurred(at: vec2f, way: vec2i) -> vec4f {
    let pixel = vec2i(at);
    let middle = textureLoad(raw, pixel, 0);
    if middle.z >= 5.9e4 {
        return middle;
    }
    var normal = vec3f(0.0, 1.0, 0.0);
    if middle.w == 0.0 {
        normal = normalize(textureLoad(normals, surveyed(at), 0).xyz - 0.5);
    }
    let ray = through(surveyed_at(at));
    let stride = through(surveyed_at(at + vec2f(way))) - ray;
    let ahead = dot(normal, ray);
    let turned = dot(normal, stride);
    let slack = 2.0 * middle.z * frame.scale.y;
    let last = vec2i(frame.size.zw) - 1;
    var sum = 2.0 * middle.xy;
    var total = 2.0;
    for (var i = -2; i <= 2; i++) {
        if i == 0 {
            continue;
        }
        let other = textureLoad(raw, clamp(pixel + i * way, vec2i(0), last), 0);
        // How far the other point lies off this one's plane.
        let off = other.z * (ahead + f32(i) * turned) - middle.z * ahead;
        let same = abs(off) < slack && other.w == middle.w;
        let weight = select(0.0, select(2.0, 1.0, abs(i) == 2), same);
        sum += weight * other.xy;
        total += weight;
    }
    return vec4f(sum / total, middle.zw);
}

@fragment fn along_x(@builtin(position) clip: vec4f) -> @location(0) vec4f {
    return blurred(clip.xy, vec2i(1, 0));
}

@fragment fn along_y(@builtin(position) clip: vec4f) -> @location(0) vec4f {
    return blurred(clip.xy, vec2i(0, 1));
}
