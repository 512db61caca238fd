//! Where candidates touch: the third stage \[MCM16 §3.2\], separating axes and manifolds.
//!
//! Looked for where movers are at the beginning of a substep, as far as they may go in it: so what is thin is met from its outside.

use super::candidates::{Candidates, Pair, Round, Scene};
use super::cast::{Cast, Who};
use super::obstacles;
use super::reduce::{Low, reduce, spread};
use super::solve::{Contact, Touch};
use crate::dynamics::contacts::statics::Placed as PlacedCollider;
use crate::visual::VisualBody;
use crate::visual::hull::Placed;
use crate::visual::manifold::{Manifold, ManifoldScratch, manifold};
use crate::visual::round::{RoundContact, ellipsoid_convex, sphere_convex};
use crate::visual::sat::{Solid, separation};
use glam::{Mat3, Quat, Vec3};
use rayon::prelude::*;

/// Contacts are looked for a little beyond the way of the movers, in the radius of the smaller primitive.
pub(super) const MARGIN: f32 = 0.02;
/// Primitives are slow if they come nearer in a frame by less than this, in radii of the smaller one.
const SLOW: f32 = 0.5;
/// Pairs that a thread takes at a time.
const SHARE: usize = 32;

/// Primitives as they are placed at the beginning of a substep.
#[derive(Clone, Debug, Default)]
pub(super) struct Stage {
    placed: Vec<Placed>,
    /// The side that each is.
    sides: Vec<Side>,
    /// Contacts of rigid primitives that hardly move against each other, for the rest of the frame.
    kept: Vec<Contact>,
    rounds: Vec<Vec<(u32, RoundContact)>>,
}

/// A primitive, or another thing that touches, at the beginning of a substep.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Side {
    pub(super) frame: u32,
    /// Centre of the primitive (m).
    pub(super) center: Vec3,
    /// Centre of its mover (m).
    x: Vec3,
    /// Rotation of its mover.
    rotation: Quat,
    v: Vec3,
    spin: Vec3,
    /// Deformation of the primitive, in world axes.
    d: Mat3,
    /// Where it goes in this substep (m), and how far anything of it goes besides.
    gone: Vec3,
    besides: f32,
}

impl Side {
    /// Something at `x` whose centre is that of its mover.
    pub(super) fn whole(
        frame: u32,
        (x, rotation): (Vec3, Quat),
        (v, spin): (Vec3, Vec3),
        (gone, besides): (Vec3, f32),
    ) -> Self {
        Self {
            frame,
            center: x,
            x,
            rotation,
            v,
            spin,
            d: Mat3::IDENTITY,
            gone,
            besides,
        }
    }

    /// How far anything of it goes (m).
    pub(super) fn reach(&self) -> f32 {
        self.gone.length() + self.besides
    }

    /// How far anything of the two goes towards the other in this substep (m).
    pub(super) fn nearing(&self, other: &Self) -> f32 {
        (self.gone - other.gone).length() + self.besides + other.besides
    }

    fn velocity_at(&self, p: Vec3) -> Vec3 {
        self.v + self.spin.cross(p - self.x)
    }

    /// A place of it in the axes of its mover.
    fn arm(&self, p: Vec3) -> Vec3 {
        self.rotation.conjugate() * (p - self.x)
    }
}

/// The contact of two sides at a place on each; `gap` is how far they are apart along the normal from the first to the second.
pub(super) fn contact(
    (a, p): (&Side, Vec3),
    (b, q): (&Side, Vec3),
    normal: Vec3,
    gap: f32,
    touch: Touch,
) -> Contact {
    let closing = (a.velocity_at(p) - b.velocity_at(q)).dot(normal);
    Contact::new(
        [a.frame, b.frame],
        [a.arm(p), b.arm(q)],
        p,
        normal,
        gap,
        closing,
        touch,
    )
}

impl Stage {
    /// Finds all contacts of a substep. If candidates are `fresh`, `left` seconds of the frame remain from its beginning.
    pub(super) fn find(
        &mut self,
        candidates: &mut Candidates,
        scene: &Scene,
        cast: &mut Cast,
        (placed, fresh): (&[PlacedCollider], Option<f32>),
        contacts: &mut Vec<Contact>,
    ) {
        contacts.clear();
        self.place(candidates, scene, cast, fresh.is_some());
        if let Some(left) = fresh {
            self.sort_pairs(candidates, scene, left);
        }
        for c in &mut self.kept {
            c.renew(scene, cast);
        }
        contacts.extend_from_slice(&self.kept);
        let mut fast = std::mem::take(&mut candidates.fast);
        self.pairs(&mut fast, candidates, scene, scene.h, contacts);
        candidates.fast = fast;
        self.rounds(candidates, scene, cast, contacts);
        for against in &candidates.against {
            let near = &candidates.near[against.near.clone()];
            let near = near.iter().map(|&slot| {
                let at = candidates.used[slot as usize];
                (at, self.sides[slot as usize], &self.placed[slot as usize])
            });
            let collider = &placed[against.collider as usize];
            let fixed = obstacles::side(cast, against.collider as usize, collider, scene.h);
            let body = against.body as usize;
            obstacles::touch(scene, cast, (collider, &fixed), body, near, contacts);
        }
    }

    /// Places every primitive that may touch another; of known candidates only those that are looked at again.
    fn place(&mut self, candidates: &Candidates, scene: &Scene, cast: &mut Cast, all: bool) {
        let used = &candidates.used;
        self.placed.resize_with(used.len(), Placed::default);
        self.sides.resize(used.len(), Side::default());
        let is_live = |slot: usize| all || candidates.live[slot];
        for (slot, &(body, k)) in used.iter().enumerate().filter(|(slot, _)| is_live(*slot)) {
            if let Some(visual) = scene.visuals[body as usize].as_deref() {
                self.sides[slot] = side(scene, cast, (body as usize, visual), k as usize);
            }
        }
        let places = self.placed.par_iter_mut().zip(&self.sides).zip(used);
        places
            .enumerate()
            .with_min_len(SHARE)
            .for_each(|(slot, ((placed, side), &(body, k)))| {
                if is_live(slot)
                    && let Some(visual) = &scene.visuals[body as usize]
                {
                    visual.hulls[k as usize].place(side.d, placed);
                }
            });
    }

    /// Rigid primitives that hardly move against each other in the rest of the frame are looked at once; their contacts move with them.
    fn sort_pairs(&mut self, candidates: &mut Candidates, scene: &Scene, left: f32) {
        let fall = 0.5 * scene.gravity.length() * left * left;
        let nearing = |pair: &Pair| {
            let [a, b] = [pair.a, pair.b].map(|slot| &self.sides[slot as usize]);
            let [r, q] = [pair.a, pair.b].map(|slot| self.placed[slot as usize].radius);
            let relative = a.velocity_at(a.center) - b.velocity_at(b.center);
            let turn = a.spin.length() * r + b.spin.length() * q;
            (relative.length() + turn) * left + fall
        };
        let is_rigid = |slot: u32| {
            let body = candidates.used[slot as usize].0 as usize;
            scene.visuals[body].as_ref().is_some_and(|v| !v.is_soft())
        };
        let is_slow = |pair: &Pair| {
            let [r, q] = [pair.a, pair.b].map(|slot| self.placed[slot as usize].radius);
            is_rigid(pair.a) && is_rigid(pair.b) && nearing(pair) < SLOW * r.min(q)
        };
        let of_slow: Vec<bool> = candidates.pairs.par_iter().map(is_slow).collect();
        let mut of_slow = of_slow.into_iter();
        let (mut slow, fast): (Vec<Pair>, Vec<Pair>) = candidates
            .pairs
            .iter()
            .partition(|_| of_slow.next() == Some(true));
        let mut kept = std::mem::take(&mut self.kept);
        kept.clear();
        self.pairs(&mut slow, candidates, scene, left, &mut kept);
        self.kept = kept;
        candidates.slow = slow;
        candidates.set_fast(fast);
    }

    fn solid<'a>(
        &'a self,
        scene: &'a Scene,
        candidates: &Candidates,
        slot: u32,
    ) -> Option<Solid<'a>> {
        let (body, k) = candidates.used[slot as usize];
        Some(Solid {
            hull: &scene.visuals[body as usize].as_ref()?.hulls[k as usize],
            placed: &self.placed[slot as usize],
        })
    }

    /// Primitives against primitives, for as long as `time` says (s).
    fn pairs(
        &self,
        pairs: &mut [Pair],
        known: &Candidates,
        scene: &Scene,
        time: f32,
        contacts: &mut Vec<Contact>,
    ) {
        // Few of them touch.
        let all = pairs.par_iter_mut().with_min_len(SHARE);
        let found = all.map_init(ManifoldScratch::default, |scratch, pair| {
            let found = self.touch(scene, known, time, pair, scratch)?;
            Some((*pair, found))
        });
        let found: Vec<(Pair, Manifold)> = found.flatten_iter().collect();
        let mut first = contacts.len();
        let mut bodies = (u32::MAX, u32::MAX);
        for (pair, found) in &found {
            let at = [pair.a, pair.b].map(|slot| known.used[slot as usize]);
            if (at[0].0, at[1].0) != bodies {
                reduce(contacts, first);
                (first, bodies) = (contacts.len(), (at[0].0, at[1].0));
            }
            let [a, b] = [pair.a, pair.b].map(|slot| &self.sides[slot as usize]);
            let touch = Touch::between(scene, at);
            for point in found.points() {
                let (p, q) = (a.center + point.a, b.center + point.b);
                contacts.push(contact((a, p), (b, q), found.normal, point.gap, touch));
            }
        }
        reduce(contacts, first);
    }

    fn touch(
        &self,
        scene: &Scene,
        candidates: &Candidates,
        time: f32,
        pair: &mut Pair,
        scratch: &mut ManifoldScratch,
    ) -> Option<Manifold> {
        let a = self.solid(scene, candidates, pair.a)?;
        let b = self.solid(scene, candidates, pair.b)?;
        let [one, two] = [pair.a, pair.b].map(|slot| &self.sides[slot as usize]);
        let small = a.placed.radius.min(b.placed.radius);
        // A substep is known exactly, the rest of a frame is not.
        let margin = one.nearing(two) * (time / scene.h) + MARGIN * small;
        let offset = two.center - one.center;
        let found = separation(a, b, offset, margin, &mut pair.cache)?;
        Some(manifold(a, b, offset, &found, margin, scratch))
    }

    /// Round movers against the nearest primitive of each rigid body, and against all of a soft one.
    fn rounds(
        &mut self,
        candidates: &Candidates,
        scene: &Scene,
        cast: &mut Cast,
        contacts: &mut Vec<Contact>,
    ) {
        let mut found = std::mem::take(&mut self.rounds);
        found.resize_with(candidates.rounds.len(), Vec::new);
        let all = found.par_iter_mut().zip(&candidates.rounds);
        all.with_min_len(SHARE)
            .for_each_init(Placed::default, |scratch, (found, round)| {
                found.clear();
                self.touched(candidates, scene, round, scratch, found);
            });
        for (found, round) in found.iter().zip(&candidates.rounds) {
            for (slot, found) in found {
                let one = &self.sides[*slot as usize];
                let two = round_side(scene, cast, round.who);
                let at = candidates.used[*slot as usize];
                let touch = Touch::with(scene, at, round.who, round.friction);
                let (p, q) = (one.center + found.on_hull, two.center + found.on_round);
                contacts.push(contact((one, p), (&two, q), found.normal, found.gap, touch));
            }
        }
        self.rounds = found;
    }

    /// What a round mover touches of a body: of a rigid one the nearest primitive holds it, but those of a soft one are movers of their own, and
    /// one alone is too light to stop what is heavy.
    fn touched(
        &self,
        candidates: &Candidates,
        scene: &Scene,
        round: &Round,
        scratch: &mut Placed,
        all: &mut Vec<(u32, RoundContact)>,
    ) {
        let (x, v) = place_of(scene, round.who);
        let other = Side {
            gone: v * scene.h,
            besides: MARGIN * round.radius,
            ..Side::default()
        };
        let visual = scene.visuals[round.body as usize].as_ref();
        let is_soft = visual.is_some_and(|v| v.is_soft());
        for &slot in &candidates.near[round.near.clone()] {
            let Some(solid) = self.solid(scene, candidates, slot) else {
                continue;
            };
            let side = &self.sides[slot as usize];
            let (center, margin) = (x - side.center, side.nearing(&other));
            let found = match round.who {
                Who::Oriented(o) => {
                    let o = o as usize;
                    let rotation = scene.points.rotation[scene.oriented.point[o] as usize];
                    let axes = Mat3::from_quat(rotation * scene.oriented.axes[o]);
                    let m = axes * Mat3::from_diagonal(scene.oriented.radii[o]);
                    ellipsoid_convex(solid.hull, side.d, center, m, margin, scratch)
                }
                _ => sphere_convex(solid, center, round.radius, margin),
            };
            match (found, all.first_mut()) {
                (None, _) => {}
                (Some(found), Some(best)) if !is_soft => {
                    if found.gap < best.1.gap {
                        *best = (slot, found);
                    }
                }
                (Some(found), _) => all.push((slot, found)),
            }
        }
    }
}

/// A primitive of a body.
pub(super) fn side(
    scene: &Scene,
    cast: &mut Cast,
    (body, visual): (usize, &VisualBody),
    k: usize,
) -> Side {
    let pose = visual.rest[k];
    let radius = visual.bounds_of[k].radius;
    let way = |cast: &Cast, frame: u32, out: Vec3| {
        let f = &cast.frames[frame as usize];
        let gone = f.x - f.start + f.turned.cross(out);
        (gone, f.turned.length() * radius)
    };
    if let (Some(rigid), Some(frame)) = (&visual.rigid, cast.of_body(body)) {
        {
            let out = rigid.rotation * pose.x;
            let (gone, besides) = way(cast, frame, out);
            Side {
                frame,
                center: rigid.x + out,
                x: rigid.x,
                rotation: rigid.rotation,
                v: rigid.v,
                spin: rigid.spin,
                d: Mat3::from_quat(rigid.rotation) * pose.d,
                gone,
                besides,
            }
        }
    } else {
        {
            let own = &scene.bodies[body];
            let (i, o) = (own.points.start + k, own.oriented.start + k);
            let frame = cast.of(&scene.movers(), Who::Oriented(o as u32));
            let rotation = scene.points.rotation[i];
            let turned = rotation * visual.turned[k].conjugate();
            let (gone, besides) = way(cast, frame, Vec3::ZERO);
            Side {
                frame,
                center: scene.points.x[i],
                x: scene.points.x[i],
                rotation,
                v: scene.points.v[i],
                spin: scene.oriented.spin[o],
                d: Mat3::from_quat(turned) * pose.d,
                gone,
                besides,
            }
        }
    }
}

/// Place and velocity of a round mover.
fn place_of(scene: &Scene, who: Who) -> (Vec3, Vec3) {
    match who {
        Who::Point(i) => (scene.points.x[i as usize], scene.points.v[i as usize]),
        Who::Oriented(o) => {
            let i = scene.oriented.point[o as usize] as usize;
            (scene.points.x[i], scene.points.v[i])
        }
        Who::Sphere(s) => (scene.rigids.x[s as usize], scene.rigids.v[s as usize]),
        Who::World | Who::Collider(_) | Who::Body(_) => (Vec3::ZERO, Vec3::ZERO),
    }
}

fn round_side(scene: &Scene, cast: &mut Cast, who: Who) -> Side {
    let (x, v) = place_of(scene, who);
    let (rotation, spin) = match who {
        Who::Oriented(o) => {
            let o = o as usize;
            let rotation = scene.points.rotation[scene.oriented.point[o] as usize];
            (rotation, scene.oriented.spin[o])
        }
        // Projectiles are balls, whose frames do not tell how they are turned.
        Who::Sphere(s) => (Quat::IDENTITY, scene.rigids.spin[s as usize]),
        _ => (Quat::IDENTITY, Vec3::ZERO),
    };
    let frame = cast.of(&scene.movers(), who);
    Side::whole(frame, (x, rotation), (v, spin), (Vec3::ZERO, 0.0))
}

/// The lowest vertices of a body on a plane that looks along `n`, n·p = `offset`: of a rigid one those few that hold it, of a soft one those
/// of each primitive. Calls `add` with the primitive, its side, the place and its gap.
pub(super) fn lowest(
    scene: &Scene,
    cast: &mut Cast,
    (body, visual): (usize, &VisualBody),
    (n, offset, drop): (Vec3, f32, f32),
    mut add: impl FnMut(u32, &Side, Vec3, f32),
) {
    if let Some(rigid) = &visual.rigid {
        let whole = side(scene, cast, (body, visual), 0);
        let frame = &cast.frames[whole.frame as usize];
        let way = (frame.x - frame.start).length() + frame.turned.length() * visual.radius;
        let margin = way + drop + MARGIN * visual.thickness;
        let local = rigid.rotation.conjugate() * n;
        let base = offset - n.dot(rigid.x);
        let mut low: Vec<Low> = Vec::new();
        visual.for_each_below(local, base + margin, |k| {
            let pose = visual.rest[k as usize];
            for &v in &visual.hulls[k as usize].verts {
                let p = pose.x + pose.d * v;
                let gap = local.dot(p) - base;
                if gap <= margin {
                    low.push((k, p, gap));
                }
            }
        });
        for (k, p, gap) in spread(low, local) {
            add(k, &whole, rigid.x + rigid.rotation * p, gap);
        }
        return;
    }
    let first = scene.bodies[body].points.start;
    for k in 0..visual.primitives.len() {
        let (x, pred) = (scene.points.x[first + k], scene.points.pred[first + k]);
        let radius = visual.bounds_of[k].radius;
        let way = pred.position().distance(x);
        // Most are far above.
        if n.dot(x) - offset > (1.0 + MARGIN) * radius + 2.0 * way + drop {
            continue;
        }
        let own = side(scene, cast, (body, visual), k);
        let margin = own.reach() + drop + MARGIN * radius;
        let gaps = visual.hulls[k].verts.iter().map(|&v| {
            let p = x + own.d * v;
            (k as u32, p, n.dot(p) - offset)
        });
        let low: Vec<Low> = gaps.filter(|g| g.2 <= margin).collect();
        for (k, p, gap) in spread(low, n) {
            add(k, &own, p, gap);
        }
    }
}
