// Balls: a triangle around each one's outline, on which every pixel casts its ray.

struct Corner {
    @builtin(vertex_index) number: u32,
    @location(0) ball: vec4f,   // centre, radius
    @location(1) color: vec4f,  // sRGB; w: gloss
};

// Corners of a triangle around the unit disc.
fn around_disc(number: u32) -> vec2f {
    let place = number % 3u;
    return vec2f((f32(place) - 1.0) * 1.7320508, select(-1.0, 2.0, place == 1u));
}

struct Seen {
    @builtin(position) clip: vec4f,
    @location(0) @interpolate(flat) ball: vec4f,
    @location(1) @interpolate(flat) color: vec4f,  // linear
};

fn from_srgb(s: vec3f) -> vec3f {
    return select(pow((s + 0.055) / 1.055, vec3f(2.4)), s / 12.92, s <= vec3f(0.04045));
}

@vertex fn corner(in: Corner) -> Seen {
    let to_ball = in.ball.xyz - frame.eye.xyz;
    let distance = length(to_ball);
    let radius = in.ball.w;
    let at = around_disc(in.number);
    let color = vec4f(from_srgb(in.color.xyz), in.color.w);
    if distance <= radius * 1.001 {
        // The eye is within: the inside fills the picture.
        return Seen(vec4f(at * 4.0, 0.5, 1.0), in.ball, color);
    }
    // The circle in which rays from the eye touch the ball.
    let along = to_ball / distance;
    let sine = radius / distance;
    let middle = frame.eye.xyz + to_ball * (1.0 - sine * sine);
    // The outermost pixels are covered in part.
    let rim = radius * sqrt(1.0 - sine * sine) + 1.5 * distance * frame.scale.y;
    var side = cross(along, frame.up.xyz);
    if dot(side, side) < 1e-4 {
        side = cross(along, frame.right.xyz);
    }
    side = normalize(side);
    let other = cross(side, along);
    return Seen(to_clip(middle + rim * (at.x * side + at.y * other)), in.ball, color);
}

struct Hit {
    offset: vec3f,  // from the eye
    normal: vec3f,  // towards the eye
    inside: f32,    // pixels of a picture (width at distance 1 given) from the outline, positive within
};

fn meet(ball: vec4f, uv: vec2f, spread: f32) -> Hit {
    let ray = normalize(through(uv));
    let to_center = ball.xyz - frame.eye.xyz;
    let along = dot(to_center, ray);
    let nearest = along * ray - to_center;
    let aside = length(nearest);
    let half_chord = sqrt(max(ball.w * ball.w - aside * aside, 0.0));
    var t = along - half_chord;
    var side = 1.0;
    if t <= 0.0 {
        t = along + half_chord;
        side = -1.0;
    }
    let normal = (nearest + (t - along) * ray) / max(aside, ball.w);
    let inside = select(-1.0, (ball.w - aside) / (max(along, 1e-12) * spread), t > 0.0);
    return Hit(t * ray, side * normal, inside);
}

struct Survey {
    @location(0) normal: vec4f,
    @builtin(frag_depth) clip_depth: f32,
};

@fragment fn survey(in: Seen) -> Survey {
    let hit = meet(in.ball, in.clip.xy / frame.survey.xy, frame.scale.y);
    if hit.inside < 0.0 {
        discard;
    }
    let depth = dot(hit.offset, frame.forward.xyz);
    return Survey(stored(hit.normal), clamp(frame.eye.w / depth, 0.0, 1.0));
}

struct Painted {
    @location(0) color: vec4f,
    @builtin(frag_depth) clip_depth: f32,
};

// The share of the pixel within the outline is the colour's alpha, which the pipeline turns into samples.
@fragment fn paint(in: Seen) -> Painted {
    let hit = meet(in.ball, in.clip.xy / frame.size.xy, frame.forward.w);
    let share = clamp(hit.inside + 0.5, 0.0, 1.0);
    let least = select(0.5, 0.01, frame.bottom.w > 1.0);
    if share < least {
        discard;
    }
    let depth = dot(hit.offset, frame.forward.xyz);
    let surface = Surface(frame.eye.xyz + hit.offset, hit.normal, in.color.xyz, in.color.w);
    let color = dithered(film(shade(surface, visible(in.clip.xy, depth))), in.clip.xy);
    return Painted(vec4f(color.xyz, share), clamp(frame.eye.w / depth, 0.0, 1.0));
}

struct Record {
    @location(0) normal: vec4f,
    @location(1) albedo: vec4f,
    @builtin(frag_depth) clip_depth: f32,
};

@fragment fn record(in: Seen) -> Record {
    let hit = meet(in.ball, in.clip.xy / frame.size.xy, frame.forward.w);
    if hit.inside < 0.0 {
        discard;
    }
    let depth = dot(hit.offset, frame.forward.xyz);
    return Record(stored(hit.normal), in.color, clamp(frame.eye.w / depth, 0.0, 1.0));
}

struct Shadowed {
    @builtin(position) clip: vec4f,
    @location(0) on_disc: vec2f,
    // Depth of the centre, and the radius as a depth.
    @location(1) @interpolate(flat) depth: vec2f,
};

@vertex fn shadow_corner(in: Corner) -> Shadowed {
    let at = around_disc(in.number);
    let middle = to_shadow(in.ball.xyz);
    let corner = vec3f(middle.xy + at * in.ball.w * frame.shadow_scale.xy, middle.z);
    return Shadowed(shadow_clip(vec3f(corner.xy, 0.5)), at, vec2f(middle.z, in.ball.w * frame.shadow_scale.z));
}

@fragment fn shadow(in: Shadowed) -> @builtin(frag_depth) f32 {
    let height = 1.0 - dot(in.on_disc, in.on_disc);
    if height < 0.0 {
        discard;
    }
    return clamp(in.depth.x - sqrt(height) * in.depth.y, 0.0, 1.0);
}
