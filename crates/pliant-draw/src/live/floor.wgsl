// The floor as a large square, and the background behind everything.

struct Seen {
    @builtin(position) clip: vec4f,
    @location(0) position: vec3f,
};

@vertex fn corner(@builtin(vertex_index) number: u32) -> Seen {
    // Where the floor is 99.9 % gone, nothing of it is drawn.
    let reach = 3.2 * frame.floor_line.w;
    let x = f32(number & 1u) * 2.0 - 1.0;
    let z = f32(number >> 1u) * 2.0 - 1.0;
    let position = frame.floor_middle.xyz + reach * vec3f(x, 0.0, z);
    return Seen(to_clip(position), position);
}

fn covered(x: vec2f, middle: f32) -> vec2f {
    let nearest = floor(x + 0.5);
    return 2.0 * middle * nearest + clamp(x - nearest, vec2f(-middle), vec2f(middle));
}

// Share of the interval `width` around `x` that is covered by lines of half-width `middle` at the whole numbers.
fn line_share(x: vec2f, width: vec2f, middle: f32) -> f32 {
    let w = clamp(width, vec2f(1e-4), vec2f(1e4));
    // Whole cells away from the lines' own numbers keep their digits.
    let at = x - floor(x);
    let share = clamp((covered(at + 0.5 * w, middle) - covered(at - 0.5 * w, middle)) / w, vec2f(0.0), vec2f(1.0));
    return share.x + share.y - share.x * share.y;
}

fn floor_albedo(p: vec2f, width: vec2f) -> vec3f {
    let cell = frame.floor_color.w;
    if cell <= 0.0 {
        return frame.floor_color.xyz;
    }
    let fine = 0.55 * line_share(p / cell, width / cell, 0.010);
    let coarse = line_share(p / (5.0 * cell), width / (5.0 * cell), 0.004);
    return mix(frame.floor_color.xyz, frame.floor_line.xyz, max(fine, coarse));
}

@fragment fn paint(in: Seen) -> @location(0) vec4f {
    let width = max(abs(dpdx(in.position.xz)), abs(dpdy(in.position.xz)));
    let gone = haze(in.position);
    if gone > 0.999 {
        discard;
    }
    let share = visible(in.clip.xy, dot(in.position - frame.eye.xyz, frame.forward.xyz));
    let color = film(shade_floor(in.position, floor_albedo(in.position.xz, width), share));
    return dithered(mix(color, behind(in.clip.y), gone), in.clip.xy);
}

@vertex fn sky_corner(@builtin(vertex_index) number: u32) -> @builtin(position) vec4f {
    return full_screen(number);
}

@fragment fn sky(@builtin(position) clip: vec4f) -> @location(0) vec4f {
    return dithered(behind(clip.y), clip.xy);
}
