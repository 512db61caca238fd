// Lines of a given width in pixels: two triangles each, in the plane of the picture.

struct Corner {
    @builtin(vertex_index) number: u32,
    @location(0) a: vec3f,
    @location(1) b: vec3f,
    @location(2) color: vec4f,  // sRGB
    @location(3) width: f32,
};

struct Seen {
    @builtin(position) clip: vec4f,
    @location(0) @interpolate(flat) color: vec3f,
};

@vertex fn corner(in: Corner) -> Seen {
    // Corners 0 1 2, 2 1 3 of the quad: bit 0 is the side, bit 1 the end.
    let place = in.number % 6u;
    let number = select(place, select(select(2u, 1u, place == 4u), 3u, place == 5u), place > 2u);
    var head = to_clip(in.a);
    var tail = to_clip(in.b);
    // What lies before the near plane is cut off.
    let near = frame.eye.w;
    if head.w < near && tail.w < near {
        return Seen(vec4f(2.0, 2.0, 0.0, 1.0), vec3f(0.0));
    }
    if head.w < near {
        head = mix(head, tail, (near - head.w) / (tail.w - head.w));
    }
    if tail.w < near {
        tail = mix(tail, head, (near - tail.w) / (head.w - tail.w));
    }
    let scale = 0.5 * frame.size.xy;
    let run = (tail.xy / tail.w - head.xy / head.w) * scale;
    let pixels = length(run);
    let along = select(vec2f(1.0, 0.0), run / pixels, pixels > 1e-6);
    let across = vec2f(-along.y, along.x);
    let side = select(-0.5, 0.5, (number & 1u) == 1u) * in.width;
    let end = select(-0.5, 0.5, number > 1u) * min(in.width, 2.0);
    var clip = head;
    if number > 1u {
        clip = tail;
    }
    let shift = (across * side + along * end) / scale;
    // A little nearer than it is: lines on a surface are not cut by it.
    let depth = clip.z * 1.002;
    let s = in.color.xyz;
    let color = select(pow((s + 0.055) / 1.055, vec3f(2.4)), s / 12.92, s <= vec3f(0.04045));
    return Seen(vec4f(clip.xy + shift * clip.w, min(depth, clip.w), clip.w), color);
}

@fragment fn paint(in: Seen) -> @location(0) vec4f {
    // As everywhere, alpha is the brightness.
    return vec4f(in.color, sqrt(dot(in.color, vec3f(0.299, 0.587, 0.114))));
}
