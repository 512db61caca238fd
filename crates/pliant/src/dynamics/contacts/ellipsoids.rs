//! Oriented particles against colliders, each other, plain particles and projectiles.
//!
//! All of these are ellipsoids, some of them balls; a contact acts at the end of a lever arm, so it also turns. Contacts are solved one
//! after the other, those in different slabs of space at the same time.

use super::edges::fitted;
use super::ellipsoid::{Posed, Question, climb_eight, highest, refine};
use super::kinship::Kinship;
use super::layer::Layer;
use super::nearby::{Candidate, Nearby, Other};
use super::pairs::PairBody;
use super::rolling::slow_down;
use super::sides::{Place, Side, Sides, load};
use super::statics::{Placed, TangentPlane};
use super::{LIFT, combined_friction, friction};
use crate::parallel::{PerRange, for_each_range};
use crate::state::{Oriented, Points, Rigids};
use glam::Vec3;
use rayon::prelude::*;
use std::ops::Range;

/// What contacts need to know of a body of oriented particles.
#[derive(Clone, Debug, PartialEq)]
pub struct EllipsoidBody {
    /// Its entries in the columns of oriented particles.
    pub oriented: Range<usize>,
    /// Friction coefficient.
    pub friction: f32,
    /// Restitution.
    pub restitution: f32,
    /// Whether far parts of it collide.
    pub self_contact: bool,
}

/// A particle against the plane of a collider.
#[derive(Clone, Copy, Debug)]
struct Static {
    particle: u32,
    /// Where its side is.
    side: u32,
    plane: TangentPlane,
    friction: f32,
    restitution: f32,
    /// Old penetration that is left for later substeps (m).
    left: f32,
    /// How far the solver had to push the particle out in this substep, times its mass (kg m).
    push: f32,
}

/// Two movers that touch, or nearly so, in this substep.
#[derive(Clone, Copy, Debug)]
struct Pair {
    near: Candidate,
    /// Where its sides are.
    sides: [Place; 2],
    /// Direction from the first to the second in which they are farthest apart.
    normal: Vec3,
    /// How deep they were in each other when the substep began (m).
    old: f32,
    /// Old penetration that is left for later substeps (m).
    left: f32,
}

/// Contacts that are solved together.
#[derive(Clone, Debug, Default)]
struct Slab {
    pairs: Vec<Pair>,
    statics: Vec<Static>,
}

/// The contacts of oriented particles in a substep.
#[derive(Clone, Debug, Default)]
pub struct EllipsoidContacts {
    /// Contacts within slabs, and those across their borders.
    slabs: Vec<Slab>,
    across: Vec<Pair>,
    sides: Sides,
    /// All of them as they were found.
    statics: Vec<Static>,
    pairs: Vec<Pair>,
    nearby: Nearby,
    /// Where the ellipsoids are predicted to be when the substep begins.
    poses: Vec<Posed>,
    /// How far anything of each has moved since the frame began, at most (m).
    moved: Vec<f32>,
}

/// How far apart two movers may be to count as touching while the solver runs, in the reach of the smaller.
pub(super) const TOUCHING: f32 = 0.1;

/// Particles of a body that are looked at together.
const SHARE: usize = 64;

/// The movers of a step.
pub struct Movers<'a> {
    /// All particles.
    pub points: &'a mut Points,
    /// What some of them have besides.
    pub oriented: &'a mut Oriented,
    /// Projectiles.
    pub rigids: &'a mut Rigids,
    /// Plain particles as balls.
    pub layer: &'a Layer,
}

impl EllipsoidContacts {
    /// How many may touch a collider, and how many another mover.
    pub fn counts(&self) -> (usize, usize) {
        (self.all_statics().count(), self.nearby.candidates.len())
    }

    /// Begins a frame: nothing of the last one may show, or equal states would have unequal futures.
    pub fn begin_frame(&mut self) {
        self.nearby.forget();
        self.moved.clear();
    }

    /// Finds what may touch in this substep; `left` is the time to the end of the frame (s).
    pub fn find(
        &mut self,
        (bodies, plain): (&[EllipsoidBody], &[PairBody]),
        kinship: &Kinship,
        movers: &Movers,
        placed: &[Placed],
        left: f32,
    ) {
        if bodies.is_empty() {
            *self = Self::default();
            return;
        }
        self.find_statics(bodies, movers, placed);
        self.nearby.follow((bodies, plain), kinship, movers, left);
        self.pose(movers);
        let (poses, moved) = (&self.poses, &self.moved);
        let nearby = self.nearby.candidates.par_chunks_mut(SHARE);
        let touching = nearby.flat_map_iter(|near| touching(near, poses, moved, movers));
        self.pairs.par_extend(touching);
        self.sort_into_slabs(movers);
    }

    /// Puts the contacts that were found where they are solved.
    fn sort_into_slabs(&mut self, movers: &Movers) {
        let Self {
            slabs,
            across,
            sides,
            statics,
            pairs,
            ..
        } = self;
        let of_pair = |pair: &Pair| {
            let near = &pair.near;
            [
                (Other::Oriented(near.particle), 0.0),
                (near.other, near.radius),
            ]
        };
        let of_static = |contact: &Static| (Other::Oriented(contact.particle), 0.0);
        let named = pairs.iter().flat_map(of_pair);
        sides.plan(movers, named.chain(statics.iter().map(of_static)));
        slabs.resize_with(sides.slabs.len(), Slab::default);
        for slab in &mut *slabs {
            slab.pairs.clear();
            slab.statics.clear();
        }
        across.clear();
        for mut pair in pairs.drain(..) {
            pair.sides = of_pair(&pair).map(|(who, _)| sides.place(movers, who));
            match pair.sides {
                [Place::Fixed(_), Place::Fixed(_)] => {}
                [Place::Slab(a), Place::Slab(b)] if sides.slab(a) != sides.slab(b) => {
                    across.push(pair);
                }
                [Place::Slab(a), _] | [_, Place::Slab(a)] => slabs[sides.slab(a)].pairs.push(pair),
            }
        }
        for mut contact in statics.drain(..) {
            if let Place::Slab(side) = sides.place(movers, Other::Oriented(contact.particle)) {
                contact.side = side;
                slabs[sides.slab(side)].statics.push(contact);
            }
        }
    }

    /// All contacts with colliders.
    fn all_statics(&self) -> impl Iterator<Item = &Static> {
        self.slabs.iter().flat_map(|slab| &slab.statics)
    }

    /// Takes down where all ellipsoids are predicted to be, and how far that is from where they were last in this frame.
    fn pose(&mut self, movers: &Movers) {
        let (points, oriented) = (&*movers.points, &*movers.oriented);
        let all = (0..oriented.len()).into_par_iter().with_min_len(256);
        let posed = all.map(|i| posed_at(points, oriented, i));
        if self.moved.is_empty() {
            posed.collect_into_vec(&mut self.poses);
            self.moved.resize(oriented.len(), 0.0);
            return;
        }
        let known = self.poses.par_iter_mut().zip(&mut self.moved);
        known.zip(posed).for_each(|((last, moved), now)| {
            *moved += last.most_between(&now);
            *last = now;
        });
    }

    /// Particles near colliders.
    fn find_statics(&mut self, bodies: &[EllipsoidBody], movers: &Movers, placed: &[Placed]) {
        let mut shares = Vec::new();
        for body in bodies {
            let starts = body.oriented.clone().step_by(SHARE);
            shares.extend(starts.map(|i| (body, i..(i + SHARE).min(body.oriented.end))));
        }
        let found = shares.into_par_iter().flat_map_iter(|(body, own)| {
            let (lo, hi, most) = extent(movers, own.clone());
            let near = placed.iter();
            let near = near.filter(move |c| c.may_touch(lo, hi, 2.0 * most));
            near.flat_map(move |collider| {
                let own = own.clone();
                own.filter_map(move |i| near_collider(movers, body, i, collider))
            })
        });
        self.statics.par_extend(found);
    }

    /// Moves particles that are already inside each other or inside a collider a little apart, so that old penetration does not turn into
    /// velocity.
    pub fn stabilize(&self, movers: &mut Movers) {
        let pairs = self.slabs.iter().flat_map(|slab| &slab.pairs);
        let pairs = pairs.chain(&self.across);
        pairs
            .filter(|pair| pair.old > 0.0)
            .for_each(|pair| part(pair, movers));
        for contact in self.all_statics() {
            let i = contact.particle as usize;
            let point = movers.oriented.point[i] as usize;
            if movers.points.inv_mass[point] == 0.0 {
                continue;
            }
            let n = contact.plane.normal;
            let axes = movers.points.rotation[point] * movers.oriented.axes[i];
            let x = movers.points.x[point];
            let reach = Posed::new(x, axes, movers.oriented.radii[i]).reach(n);
            let depth = contact.plane.offset_start + reach - contact.left - n.dot(x);
            if depth > 0.0 {
                movers.points.x[point] += n * depth;
                movers.points.shift_pred(point, n * depth);
            }
        }
    }

    /// Pushes what overlaps apart, with friction, then out of colliders.
    ///
    /// A push at the end of a lever arm turns a particle, and its groups have a say in that when they come next. After the last pushes of a
    /// substep they do not, so there only particles turn that are in no group with others: else particles under a body would spin like
    /// the balls of a bearing, and it would slide without friction.
    pub fn solve(&mut self, movers: &mut Movers, kinship: &Kinship, is_last: bool) {
        let turns = |i: u32| !is_last || kinship.is_alone(i);
        let Sides {
            movers: whose,
            slabs: ranges,
            sides,
            fixed,
            ..
        } = &mut self.sides;
        let (read, fixed) = (&*movers, &*fixed);
        let columns = (&mut sides[..], PerRange(&mut self.slabs[..]));
        for_each_range(ranges, columns, &|_, own, (sides, slabs)| {
            load(sides, &whose[own.clone()], read, &turns);
            for pair in slabs.0.iter_mut().flat_map(|slab| &mut slab.pairs) {
                solve_pair(pair, sides, own.start, fixed);
            }
        });
        for pair in &mut self.across {
            solve_pair(pair, sides, 0, fixed);
        }
        let columns = (&mut sides[..], PerRange(&mut self.slabs[..]));
        for_each_range(ranges, columns, &|_, own, (sides, slabs)| {
            for contact in slabs.0.iter_mut().flat_map(|slab| &mut slab.statics) {
                let side = &mut sides[contact.side as usize - own.start];
                solve_static(contact, side);
            }
        });
        self.sides.store(movers);
    }

    /// Slows the rotation of bodies that roll on colliders, in a substep of `h` seconds.
    pub fn slow_rolling(&self, bodies: &[EllipsoidBody], movers: &mut Movers, h: f32) {
        let pushed = self.all_statics().filter(|contact| contact.push > 0.0);
        let pushes = pushed.map(|contact| (contact.particle, contact.push));
        slow_down(bodies, movers, pushes, h);
    }

    /// Gives back part of the normal speed at impacts on colliders in a substep of `h` seconds. `v` and `spin` are the velocities before the
    /// solve.
    pub fn restitute(&self, movers: &mut Movers, v: &[Vec3], spin: &[Vec3], h: f32) {
        let bounces = |c: &&Static| c.push > 0.0 && c.restitution > 0.0;
        for contact in self.all_statics().filter(bounces) {
            let i = contact.particle as usize;
            let point = movers.oriented.point[i] as usize;
            let side = Side::oriented(movers.points, movers.oriented, i, true);
            let n = contact.plane.normal;
            let arm = -side.shape.arm(n);
            let surface = contact.plane.drift.dot(n) / h;
            let approach = n.dot(v[point] + spin[i].cross(arm)) - surface;
            let own = &mut movers.points.v[point];
            let now = n.dot(*own + movers.oriented.spin[i].cross(arm));
            let wanted = surface - contact.restitution * approach;
            if approach < 0.0 && now < wanted {
                let impulse = n * ((wanted - now) / side.give(arm, n));
                *own += impulse * side.inv_mass;
                movers.oriented.spin[i] += side.turn_by(arm.cross(impulse));
            }
        }
    }
}

/// A box around the centres of particles on their way, and the largest of their radii.
fn extent(movers: &Movers, own: Range<usize>) -> (Vec3, Vec3, f32) {
    let (points, oriented) = (&*movers.points, &*movers.oriented);
    let start = (Vec3::MAX, Vec3::MIN, 0.0);
    own.fold(start, |(lo, hi, most): (Vec3, Vec3, f32), i| {
        let point = oriented.point[i] as usize;
        let (x, pred) = (points.x[point], points.pred[point].position());
        let radius = oriented.radii[i].max_element();
        (lo.min(x).min(pred), hi.max(x).max(pred), most.max(radius))
    })
}

/// Particle `i` against a collider, if it may touch it in this substep.
fn near_collider(
    movers: &Movers,
    body: &EllipsoidBody,
    i: usize,
    collider: &Placed,
) -> Option<Static> {
    let (points, oriented) = (&*movers.points, &*movers.oriented);
    if !oriented.collides[i] {
        return None;
    }
    let point = oriented.point[i] as usize;
    let (x, pred) = (points.x[point], points.pred[point].position());
    let radii = oriented.radii[i];
    let (least, most) = (radii.min_element(), radii.max_element());
    let plane = collider.tangent_plane(x, pred, least, 2.0 * most - least)?;
    // A plane holds for all that is near; one that passes quickly is stopped where a ball would be.
    let is_round = collider.flat.is_none();
    let plane = if is_round && most > least && x.distance_squared(pred) < least * least {
        fitted(collider, plane, &posed_at(points, oriented, i))
    } else {
        plane
    };
    let n = plane.normal;
    let axes = points.rotation[point] * oriented.axes[i];
    let reach = Posed::new(x, axes, radii).reach(n);
    let depth = plane.offset_start + reach - n.dot(x);
    Some(Static {
        particle: i as u32,
        side: 0,
        plane,
        friction: combined_friction(body.friction, collider.collider.friction),
        restitution: body.restitution,
        left: (depth - LIFT * least).max(0.0),
        push: 0.0,
    })
}

/// The contacts among candidates: those that touch or nearly so. Remembers the directions between the others and how far they are apart for
/// the next substep.
fn touching(
    nearby: &mut [Candidate],
    poses: &[Posed],
    moved: &[f32],
    movers: &Movers,
) -> Vec<Pair> {
    let near_enough = |near: &mut Candidate| {
        let ways = ways(near, moved);
        if ways < near.clear {
            return false;
        }
        let other = match near.other {
            Other::Oriented(j) => poses[j as usize].x,
            Other::Point(j) => movers.layer.place(&movers.points.pred, j),
            Other::Sphere(s) => movers.rigids.pred[s as usize],
        };
        let far = near.reach + TOUCHING * near.smaller;
        let between = poses[near.particle as usize].x.distance_squared(other);
        if between > far * far {
            near.clear = ways + between.sqrt() - far;
        }
        between <= far * far
    };
    let asked = (0..nearby.len()).filter(|&i| near_enough(&mut nearby[i]));
    let asked: Vec<usize> = asked.collect();
    let mut found = Vec::new();
    for eight in asked.chunks(8) {
        // What there is too few of is asked again.
        let at = |l: usize| eight[l.min(eight.len() - 1)];
        let shapes: [(Posed, Posed); 8] =
            std::array::from_fn(|l| predicted(&nearby[at(l)], poses, movers));
        let questions: [Question; 8] = std::array::from_fn(|l| {
            let near = &nearby[at(l)];
            let guess = (near.normal != Vec3::ZERO).then_some(near.normal);
            (&shapes[l].0, &shapes[l].1, guess, enough(near))
        });
        let answers = climb_eight(&questions);
        for (l, &i) in eight.iter().enumerate() {
            let near = &mut nearby[i];
            let (normal, apart) = highest(questions[l], answers[l]);
            near.normal = normal;
            near.clear = ways(near, moved) + apart - enough(near);
            if apart <= enough(near) {
                found.push(Pair::new(near, movers));
            }
        }
    }
    found
}

/// How far two movers have come since the frame began, at most (m).
fn ways(near: &Candidate, moved: &[f32]) -> f32 {
    match near.other {
        Other::Oriented(j) => moved[near.particle as usize] + moved[j as usize],
        Other::Point(_) | Other::Sphere(_) => f32::INFINITY,
    }
}

/// How far apart two movers may be to touch (m). Two that overlap at rest hold each other in place by their groups; they touch where they are
/// deeper in each other.
fn enough(near: &Candidate) -> f32 {
    if near.allowed > 0.0 {
        -near.allowed
    } else {
        TOUCHING * near.smaller
    }
}

/// The ellipsoids of two movers where they are predicted to be; those of oriented particles are among `poses`.
fn predicted(near: &Candidate, poses: &[Posed], movers: &Movers) -> (Posed, Posed) {
    let b = match near.other {
        Other::Oriented(j) => poses[j as usize],
        Other::Point(j) => Posed::ball(movers.layer.place(&movers.points.pred, j), near.radius),
        Other::Sphere(s) => Posed::ball(movers.rigids.pred[s as usize], near.radius),
    };
    (poses[near.particle as usize], b)
}

impl Pair {
    /// Two movers that touch.
    fn new(near: &Candidate, movers: &Movers) -> Self {
        let (a, b) = old_shapes(near, movers);
        let n = near.normal;
        let room = n.dot(b.x - a.x) - a.reach(n) - b.reach(n);
        let old = (-room - near.allowed).max(0.0);
        Self {
            near: *near,
            sides: [Place::Fixed(0); 2],
            normal: n,
            old,
            left: (old - LIFT * near.smaller).max(0.0),
        }
    }
}

/// The ellipsoids of two movers where they were when the substep began.
fn old_shapes(near: &Candidate, movers: &Movers) -> (Posed, Posed) {
    let (points, oriented) = (&*movers.points, &*movers.oriented);
    let posed = |i: u32| {
        let i = i as usize;
        let point = oriented.point[i] as usize;
        let axes = points.rotation[point] * oriented.axes[i];
        Posed::new(points.x[point], axes, oriented.radii[i])
    };
    let b = match near.other {
        Other::Oriented(j) => posed(j),
        Other::Point(j) => {
            let inset = movers.layer.ball(j as usize).inset;
            Posed::ball(points.x[j as usize] + inset, near.radius)
        }
        Other::Sphere(s) => Posed::ball(movers.rigids.x[s as usize], near.radius),
    };
    (posed(near.particle), b)
}

/// The ellipsoid of particle `i` where it is predicted to be.
pub(super) fn posed_at(points: &Points, oriented: &Oriented, i: usize) -> Posed {
    let x = points.pred[oriented.point[i] as usize].position();
    Posed::new(x, oriented.turned[i] * oriented.axes[i], oriented.radii[i])
}

/// The push that undoes a depth along `n`, and as much of a slip across it as friction can; `give` tells how far a unit push along a
/// direction moves the two.
///
/// Friction is bounded by pushes, not by distances as for points: a push across turns a ball, so it moves the place of contact farther than
/// one along n, and a ball would never come to roll.
fn impulse(n: Vec3, depth: f32, slip: Vec3, coefficient: f32, give: impl Fn(Vec3) -> f32) -> Vec3 {
    let normal = depth / give(n);
    let across = slip - n * n.dot(slip);
    let along = across.normalize_or_zero();
    if along == Vec3::ZERO {
        return n * normal;
    }
    let stop = across.length() / give(along);
    n * normal - friction(along * stop, normal, coefficient)
}

/// Moves the two of a pair apart by as much of their old penetration as leaves in this substep.
fn part(pair: &Pair, movers: &mut Movers) {
    let (points, rigids) = (&mut *movers.points, &mut *movers.rigids);
    let i = movers.oriented.point[pair.near.particle as usize] as usize;
    let weight = |point: usize, points: &Points| points.inv_mass[point];
    let w = [
        weight(i, points),
        match pair.near.other {
            Other::Oriented(j) => weight(movers.oriented.point[j as usize] as usize, points),
            Other::Point(j) => weight(j as usize, points),
            Other::Sphere(s) => 1.0 / rigids.mass[s as usize],
        },
    ];
    if w[0] + w[1] == 0.0 {
        return;
    }
    let way = pair.normal * ((pair.old - pair.left) / (w[0] + w[1]));
    let mut shift = |point: usize, by: Vec3| {
        points.x[point] += by;
        points.shift_pred(point, by);
    };
    shift(i, -way * w[0]);
    match pair.near.other {
        Other::Oriented(j) => shift(movers.oriented.point[j as usize] as usize, way * w[1]),
        Other::Point(j) => shift(j as usize, way * w[1]),
        Other::Sphere(s) => {
            rigids.x[s as usize] += way * w[1];
            rigids.pred[s as usize] += way * w[1];
        }
    }
}

fn solve_static(contact: &mut Static, side: &mut Side) {
    let n = contact.plane.normal;
    let arm = -side.shape.arm(n);
    let depth = contact.plane.offset - contact.left - n.dot(side.shape.x + arm);
    if depth <= 0.0 || side.inv_mass == 0.0 {
        return;
    }
    let slip = side.slip(arm) - contact.plane.drift;
    let impulse = impulse(n, depth, slip, contact.friction, |n| side.give(arm, n));
    contact.push += n.dot(impulse);
    side.push(arm, impulse);
}

/// Solves a pair whose sides are among `sides`, the first of which is the `first` of all, or among those that are fixed.
fn solve_pair(pair: &mut Pair, sides: &mut [Side], first: usize, fixed: &[Side]) {
    let [a, b] = pair.sides.map(|place| match place {
        Place::Slab(i) => &sides[i as usize - first],
        Place::Fixed(i) => &fixed[i as usize],
    });
    let (n, apart) = refine(&a.shape, &b.shape, pair.normal);
    pair.normal = n;
    let depth = -apart - pair.near.allowed - pair.left;
    if depth <= 0.0 || a.inv_mass + b.inv_mass == 0.0 {
        return;
    }
    let arms = [a.shape.arm(n), -b.shape.arm(n)];
    let slip = b.slip(arms[1]) - a.slip(arms[0]);
    let give = |n: Vec3| a.give(arms[0], n) + b.give(arms[1], n);
    // What is pushed into the second mover; the first gets the opposite.
    let impulse = impulse(n, depth, slip, pair.near.friction, give);
    for (side, push) in [(0, -impulse), (1, impulse)] {
        if let Place::Slab(i) = pair.sides[side] {
            sides[i as usize - first].push(arms[side], push);
        }
    }
}
