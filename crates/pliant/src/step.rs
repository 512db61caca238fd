//! One step of the world.

use crate::dynamics::Collider;
use crate::dynamics::action::{Squeeze, Tool, WIND_RATE};
use crate::dynamics::attachments::{Attachment, Ground};
use crate::dynamics::contacts::ellipsoids::{EllipsoidBody, Movers};
use crate::dynamics::contacts::hulls::BodyPlaces;
use crate::dynamics::contacts::hulls::candidates::Scene;
use crate::dynamics::contacts::hulls::cast;
use crate::dynamics::contacts::kinship::Kinship;
use crate::dynamics::contacts::pairs::PairBody;
use crate::dynamics::contacts::statics::{ContactSkin, Placed};
use crate::dynamics::predict::{Forces, predict_points, predict_rigids};
use crate::dynamics::turns::{
    begin_second_order, end_second_order, predict_second_order, predict_turns, update_turns,
};
use crate::dynamics::velocities::{
    MotionLimits, admit_points, return_residue, update_points, update_rigids,
};
use crate::matching::{Creep, Dynamics, state_pass};
use crate::plasticity::{PlasticStep, plastic_update};
use crate::report::{ResampleStage, Stage, StepReport, Stopwatch, SurfaceReport};
use crate::resample::{self, Context, Edit, Recluster};
use crate::state::{Points, Surface};
use crate::surface::skin::{self, Obstacle, SkinFrame};
use crate::surface::tear::Carriers;
use crate::visual::joining::WorldJoint;
use crate::world::{Body, Plan, Scratch, World};
use glam::Vec3;
use rayon::prelude::*;
use std::ops::Range;

/// Length of a substep to which stiffness refers (s).
const REFERENCE_DT: f32 = 1.0 / 240.0;
/// Iterations to which stiffness refers.
const REFERENCE_ITERATIONS: f32 = 4.0;

impl World {
    /// Moves the world on by `dt` seconds, one output frame.
    ///
    /// ```text
    /// actions → substeps × { predict → contacts → stabilize → iterations × { groups → contacts } → velocities → plasticity } → surfaces
    /// ```
    pub fn step(&mut self, dt: f32) -> StepReport {
        // On a worker of the pool from here on: a stage that is started from another thread wakes a worker and sleeps, and
        // there are a hundred stages in a step (measured: 40 % of it).
        rayon::scope(|_| self.step_on_worker(dt))
    }

    fn step_on_worker(&mut self, dt: f32) -> StepReport {
        let mut report = StepReport::default();
        let mut watch = Stopwatch::start(self.settings.clock);
        let searches = self.scratch.pairs.rebuilds;

        // Hands close, shots are fired.
        self.refresh_plan();
        self.start_actions(&mut report);
        self.settings = self.settings.usable();
        // A step of no length, or backwards, leaves everything where it is.
        let (dt, substeps) = if dt > 0.0 && dt.is_finite() {
            (dt, self.settings.substeps)
        } else {
            (0.0, 0)
        };
        let h = dt / self.settings.substeps as f32;
        self.set_stiffness(h, &mut report);
        let limits = self.motion_limits(h);
        report.non_finite += admit_points(self.plan.jacobi.blocks(), &limits, &mut self.points);
        watch.lap(Stage::Other);

        self.groups.flowed.fill(0.0);
        self.scratch.ellipsoids.begin_frame();
        self.scratch.hulls.begin_frame();
        self.scratch
            .depths
            .find(&self.bodies, &self.surfaces, &self.points);
        self.scratch.layer.find(
            &self.bodies,
            &self.surfaces,
            (&self.points, &self.oriented),
            self.scratch.depths.all(),
        );
        watch.lap(Stage::Contacts);
        for substep in 0..substeps {
            self.substep(substep, h, &limits, &mut report, &mut watch);
        }
        self.remember_contacts();

        // Hands open, spent shots leave; the surface follows the particles.
        self.frame += 1;
        self.time += f64::from(dt);
        self.finish_actions();
        self.damp_soft(dt);
        self.move_surfaces(dt, &mut report, &mut watch);
        self.resample(&mut report, &mut watch);
        self.break_bodies(dt, &mut report);
        watch.lap(Stage::Fracture);

        report.frame = self.frame;
        report.time = self.time;
        report.ledger = self.ledger();
        let of_ellipsoids = self.scratch.ellipsoids.counts();
        report.static_contacts = self.scratch.statics.len() + of_ellipsoids.0;
        report.pair_searches = self.scratch.pairs.rebuilds - searches;
        report.contact_pairs = self.scratch.pairs.len() + of_ellipsoids.1;
        watch.lap(Stage::Other);
        report.timings = watch.timings;
        report
    }

    /// Keeps where points were pushed last: those that are renewed below have other numbers afterwards.
    fn remember_contacts(&mut self) {
        let Scratch {
            statics, pushed, ..
        } = &mut self.scratch;
        let points = &self.points;
        pushed.clear();
        let last = statics.pushed(&self.plan.blocks);
        pushed.extend(last.map(|(i, normal)| (points.x[i], normal)));
    }

    /// One substep of `h` seconds: position based dynamics \[MMCK14\], then plastic flow [CMM16 §3.1].
    fn substep(
        &mut self,
        number: u32,
        h: f32,
        limits: &[MotionLimits],
        report: &mut StepReport,
        watch: &mut Stopwatch,
    ) {
        let start = self.time + f64::from(number) * f64::from(h);
        let end = start + f64::from(h);

        // Springs pull; where everything would go on its own then; what a hand holds goes with the hand.
        self.predict(h, end, report);
        watch.lap(Stage::Predict);

        // What may touch what on the way there.
        let left = h * (self.settings.substeps - 1 - number) as f32;
        self.find_contacts(h, start, end, left);
        watch.lap(Stage::Contacts);

        // Groups pull their members to their rest shapes, or limit their strain, then contacts push them apart.
        self.solve(h, report);
        self.update_velocities(h, limits, report);
        watch.lap(Stage::Solve);

        // Strain above the yield moves into the rest shapes.
        self.flow(h, report);
        watch.lap(Stage::Plasticity);
    }

    /// Predicts where everything is at the time `end`, `h` seconds from now.
    fn predict(&mut self, h: f32, end: f64, report: &mut StepReport) {
        let forces = Forces {
            gravity: self.settings.gravity,
            wind: self.wind(),
            squeezes: &self.squeezed(),
            dt: h,
        };
        let Self {
            points,
            groups,
            oriented,
            rigids,
            bodies,
            visuals,
            grabs,
            plan,
            scratch,
            ..
        } = self;
        let Plan {
            jacobi,
            sequential,
            blocks,
            ..
        } = plan;
        jacobi.begin_substep(groups, points);
        sequential.begin_substep();
        let met = jacobi.spring(groups, points, h);
        report.rotations_repaired += met.repaired;
        report.non_finite += met.non_finite;
        let smooth = || bodies.iter().filter(|body| body.second_order);
        smooth().for_each(|body| begin_second_order(points, oriented, body.oriented.clone()));
        predict_points(&forces, blocks, points, jacobi.residue_mut());
        predict_turns(h, points, oriented);
        for (at, body) in bodies.iter().enumerate().filter(|(_, b)| b.second_order) {
            let residue = predict_second_order(h, points, oriented, body.oriented.clone());
            sequential.add_residue(at, residue);
        }
        predict_rigids(&forces, rigids);
        scratch
            .hulls
            .cast
            .begin(visuals, |v| forces.acceleration(v), h);
        for grab in grabs.iter() {
            grab.carry(points, oriented, end);
        }
        scratch.v_before.clone_from(&points.v);
        scratch.spin_before.clone_from(&oriented.spin);
    }

    /// Finds what may touch in the substep of `h` seconds from `start` to `end`; `left` seconds of the frame remain after it.
    fn find_contacts(&mut self, h: f32, start: f64, end: f64, left: f32) {
        let placed = placed_during(&self.colliders, &self.tools, start, end);
        let Scratch {
            statics,
            pairs,
            spheres,
            ellipsoids,
            hulls,
            depths,
            layer,
            ..
        } = &mut self.scratch;
        let plan = &self.plan;
        let (points, rigids) = (&mut self.points, &mut self.rigids);
        statics.find(&plan.blocks, &plan.skins, points, &placed);
        let of_mover = &self.groups.of_mover;
        pairs.update(&plan.pair_bodies, points, depths.all(), of_mover);
        spheres.find(&plan.pair_bodies, points, rigids, &placed, h);
        let movers = Movers {
            points,
            oriented: &mut self.oriented,
            rigids,
            layer,
        };
        if let Some(kinship) = &plan.kinship {
            let bodies = (&plan.ellipsoid_bodies[..], &plan.pair_bodies[..]);
            ellipsoids.find(bodies, kinship, &movers, &placed, left);
        }
        if plan.has_hulls {
            let scene = Scene {
                bodies: &self.bodies,
                visuals: &self.visuals,
                points: &self.points,
                oriented: &self.oriented,
                rigids: &self.rigids,
                h,
                gravity: self.settings.gravity,
            };
            hulls.find(&scene, &placed, &plan.apart, left);
            let joined = (&mut self.joints[..], &self.attachments[..]);
            hulls.bind(&scene, &placed, joined, &plan.places);
        }
    }

    /// Moves everything to where groups and contacts want it.
    fn solve(&mut self, h: f32, report: &mut StepReport) {
        let Self {
            settings,
            joints,
            groups,
            rings,
            plan,
            scratch,
            ..
        } = self;
        let Plan {
            jacobi,
            sequential,
            blocks,
            skins,
            kinship,
            has_hulls,
            ..
        } = plan;
        let Scratch {
            statics,
            pairs,
            spheres,
            ellipsoids,
            hulls,
            layer,
            ..
        } = scratch;
        let mut movers = Movers {
            points: &mut self.points,
            oriented: &mut self.oriented,
            rigids: &mut self.rigids,
            layer,
        };
        // Old penetration leaves without becoming velocity.
        for _ in 0..settings.stabilize_iterations {
            spheres.stabilize(pairs, movers.points, movers.rigids);
            ellipsoids.stabilize(&mut movers);
            if *has_hulls {
                hulls.stabilize(&mut cast_of(&mut movers));
            }
            statics.stabilize(blocks, skins, movers.points);
        }
        if *has_hulls {
            hulls.recall(&mut cast_of(&mut movers));
        }
        let sweeps = jacobi.sweeps();
        for i in 0..settings.iterations {
            let points = &mut *movers.points;
            let mut met = jacobi.iterate(groups, points, settings.over_relaxation);
            met += sequential.iterate(i, rings, points, movers.oriented);
            for sweep in i * sweeps / settings.iterations..(i + 1) * sweeps / settings.iterations {
                met += jacobi.limit_strain(sweep, groups, points);
            }
            report.rotations_repaired += met.repaired;
            report.non_finite += met.non_finite;
            spheres.solve(pairs, points, movers.rigids);
            if let Some(kinship) = &*kinship {
                ellipsoids.solve(&mut movers, kinship, i + 1 == settings.iterations);
            }
            if *has_hulls {
                let mut movers = cast_of(&mut movers);
                hulls.cast.load(&movers);
                hulls.pass_joints(joints, h, i + 1 == settings.iterations);
                hulls.pass();
                hulls.cast.store(&mut movers);
            }
            statics.project(blocks, skins, movers.points);
        }
    }

    /// What moved has a velocity; a bad number stops here.
    fn update_velocities(&mut self, h: f32, limits: &[MotionLimits], report: &mut StepReport) {
        let Self {
            points,
            oriented,
            rigids,
            bodies,
            visuals,
            plan,
            scratch,
            settings,
            ..
        } = self;
        report.non_finite +=
            update_points(h, &plan.blocks, limits, points, plan.jacobi.residue_mut());
        report.non_finite += update_turns(h, points, oriented);
        report.non_finite += update_rigids(h, rigids);
        report.non_finite += scratch.hulls.cast.settle(visuals, h);
        for (body, residue) in bodies.iter().zip(plan.jacobi.residue()) {
            return_residue(residue, body.points.clone(), points, h);
        }
        for &(body, residue) in plan.sequential.residue() {
            return_residue(residue, bodies[body].points.clone(), points, h);
        }
        for body in bodies.iter().filter(|body| body.second_order) {
            end_second_order(points, oriented, body.oriented.clone());
        }
        let Scratch {
            statics,
            ellipsoids,
            hulls,
            v_before,
            spin_before,
            layer,
            ..
        } = scratch;
        statics.restitute(&plan.blocks, &plan.skins, v_before, &mut points.v, h);
        let mut movers = Movers {
            points,
            oriented,
            rigids,
            layer,
        };
        ellipsoids.restitute(&mut movers, v_before, spin_before, h);
        ellipsoids.slow_rolling(&plan.ellipsoid_bodies, &mut movers, h);
        if plan.has_hulls {
            hulls.restitute(visuals, &mut cast_of(&mut movers), settings.gravity, h);
            hulls.remember(&Scene {
                bodies,
                visuals,
                points,
                oriented,
                rigids,
                h,
                gravity: settings.gravity,
            });
        }
    }

    /// Plastic flow of all bodies in a substep of `h` seconds, from the strain at its end. Springs feel it a substep later.
    fn flow(&mut self, h: f32, report: &mut StepReport) {
        let Self {
            points,
            oriented,
            groups,
            rings,
            bodies,
            plan,
            scratch,
            ..
        } = self;
        let (jacobi, a) = (&mut plan.jacobi, &mut scratch.a);
        let springs = |body: &&Body| body.dynamics != Dynamics::Positions;
        for body in bodies.iter().filter(springs) {
            groups.settle_flow(body.groups.clone());
        }
        if bodies.iter().any(|body| springs(&body)) {
            jacobi.refresh_right(groups);
        }
        report.rotations_repaired += state_pass(jacobi, groups, &points.pred, a);
        report.groups_yielding = 0;
        for body in &*bodies {
            let step = PlasticStep {
                material: &body.material,
                dt: h,
            };
            let met = plastic_update(&step, body.groups.clone(), groups, a);
            report.groups_yielding += met.yielding;
            report.groups_reset += met.reset;
            if springs(&body) {
                groups.put_off_flow(body.groups.clone());
            }
        }
        jacobi.refresh_right(groups);
        let creep = |body: usize| {
            let material = &bodies[body].material;
            material.plastic_yield.is_finite().then(|| Creep {
                share: (material.creep * h).min(1.0),
                most: material.max_strain,
            })
        };
        report.groups_yielding += plan.sequential.flow(rings, points, oriented, creep);
    }

    /// Makes anew what follows from the bodies.
    fn refresh_plan(&mut self) {
        if !self.plan.stale {
            return;
        }
        let matched = self.matched_bodies();
        let sequential = self.sequential_bodies();
        let plan = &mut self.plan;
        plan.jacobi.plan(matched, &self.groups);
        plan.sequential.plan(&sequential, &self.rings);
        plan.blocks = plan.jacobi.blocks().to_vec();
        plan.pair_bodies = self
            .bodies
            .iter()
            .zip(&self.surfaces)
            .filter(|(b, _)| b.oriented.is_empty())
            .map(|(b, surface)| PairBody {
                points: b.points.clone(),
                radius: 0.5 * b.particle_radius,
                friction: b.material.friction,
                own_distance: b.self_contact.then(|| own_distance(b, surface)),
                wide_kin: b.weighted,
            })
            .collect();
        plan.has_hulls = self.visuals.iter().any(Option::is_some);
        plan.places = BodyPlaces::new(&self.bodies);
        let places = &plan.places;
        let pair = |own: &WorldJoint| {
            let Ground::Body(b) = own.b else { return None };
            let (a, b) = (places.of(own.a)? as u32, places.of(b)? as u32);
            Some((a.min(b), a.max(b)))
        };
        let mut apart: Vec<(u32, u32)> = self.joints.iter().filter_map(pair).collect();
        apart.sort_unstable();
        apart.dedup();
        plan.apart.bodies = apart;
        let tie = |own: &Attachment| {
            let Ground::Body(to) = own.to else {
                return None;
            };
            Some([
                (places.of(own.soft)? as u32, own.primitive),
                (places.of(to)? as u32, 0),
            ])
        };
        plan.apart.tied = self.attachments.iter().filter_map(tie).collect();
        let visuals = &self.visuals;
        plan.apart.spread_ties(|(body, k), visit| {
            if let Some(visual) = visuals[body as usize].as_deref() {
                visual.graph.neighbors(k).for_each(|(n, _)| visit(n));
            }
        });
        let all = self.bodies.iter().zip(&self.visuals);
        let oriented = all.filter(|(b, visual)| !b.oriented.is_empty() && visual.is_none());
        plan.ellipsoid_bodies = oriented
            .map(|(b, _)| EllipsoidBody {
                oriented: b.oriented.clone(),
                friction: b.material.friction,
                restitution: b.material.restitution,
                self_contact: b.self_contact,
            })
            .collect();
        plan.kinship.get_or_insert_with(|| {
            Kinship::new(&plan.ellipsoid_bodies, &self.oriented, &self.rings)
        });
        let of_block = |block: &std::ops::Range<usize>| {
            &self.bodies[self.bodies.partition_point(|b| b.points.end <= block.start)]
        };
        plan.skins = plan
            .blocks
            .iter()
            .map(|block| {
                let body = of_block(block);
                ContactSkin {
                    is_plain: body.oriented.is_empty(),
                    radius: 0.5 * body.particle_radius,
                    friction: body.material.friction,
                    restitution: body.material.restitution,
                }
            })
            .collect();
        plan.radii = plan
            .blocks
            .iter()
            .map(|block| of_block(block).particle_radius)
            .collect();
        plan.sleeps = plan
            .blocks
            .iter()
            .map(|block| {
                let body = of_block(block);
                body.dynamics == Dynamics::Positions && body.oriented.is_empty()
            })
            .collect();
        self.scratch.pairs.invalidate();
        plan.stale = false;
    }

    /// Stiffness of one iteration: K means the same at every step that is at least as fine as the reference.
    ///
    /// A correction of K per iteration acts like a spring of stiffness ∝ K·iterations/Δt², so K_eff = K·(4/iterations)·(Δt/Δt_ref)².
    fn set_stiffness(&mut self, h: f32, report: &mut StepReport) {
        let ratio = h / REFERENCE_DT;
        let scale = REFERENCE_ITERATIONS / self.settings.iterations as f32 * ratio * ratio;
        let positions =
            |body: &Body| body.dynamics == Dynamics::Positions && body.oriented.is_empty();
        if scale > 1.001 && self.bodies.iter().any(positions) {
            report.warnings.push(format!(
                "the step is coarser than the reference (4 substeps of 4 iterations at 60 frames a second): bodies are up to {scale:.1} times softer than their material says"
            ));
        }
        self.plan.jacobi.set_stiffness_scale(&self.groups, scale);
    }

    /// Speed and sleep limits per block of points.
    ///
    /// Springs do not sleep: they would go on pulling at a point that is held until it jumps.
    fn motion_limits(&self, h: f32) -> Vec<MotionLimits> {
        let s = &self.settings;
        let limits = |(r, sleeps): (&f32, &bool)| MotionLimits {
            max_speed: s.max_travel * r / h,
            sleep_distance: if *sleeps { s.sleep_speed * r * h } else { 0.0 },
        };
        let plan = &self.plan;
        plan.radii.iter().zip(&plan.sleeps).map(limits).collect()
    }

    /// The wind that blows now, and how fast bodies follow it.
    fn wind(&self) -> (Vec3, f32) {
        let strength = self.winds.len() as f32;
        let mean = self.winds.iter().map(|(v, _)| *v).sum::<Vec3>() / strength.max(1.0);
        (mean, WIND_RATE * strength)
    }

    /// What is squeezed now, and how.
    fn squeezed(&self) -> Vec<(Range<usize>, Squeeze)> {
        let points_of = |squeeze: &Squeeze| match squeeze.body {
            None => Some(0..self.points.len()),
            Some(id) => {
                let body = self.bodies.iter().find(|body| body.id == id);
                body.map(|body| body.points.clone())
            }
        };
        let all = self.squeezes.iter();
        all.filter_map(|squeeze| Some((points_of(squeeze)?, *squeeze)))
            .collect()
    }

    /// Soft bodies of visual geometry come to rest.
    fn damp_soft(&mut self, dt: f32) {
        for (body, visual) in self.bodies.iter().zip(&self.visuals) {
            if let Some(visual) = visual
                && visual.is_soft()
            {
                let first = [body.points.start, body.oriented.start];
                visual.damp(&mut self.points, &mut self.oriented, first, dt);
            }
        }
    }

    /// Moves every surface with its particles; one that is tracked is then kept in shape, merges and splits.
    fn move_surfaces(&mut self, dt: f32, report: &mut StepReport, watch: &mut Stopwatch) {
        skin::interpolate_rotations(&mut self.points, &self.groups);
        let Self {
            points,
            oriented,
            groups,
            surfaces,
            bodies,
            visuals,
            colliders,
            tools,
            scratch,
            time,
            ..
        } = self;
        skin::turns(points, &mut scratch.turn);
        skin::flow_of_points(groups, points.len(), &mut scratch.flow);
        let placed = placed_during(colliders, tools, *time, *time);
        let (points, groups, turn) = (&*points, &*groups, &scratch.turn);
        let frame_of = |body: &Body| SkinFrame {
            points,
            groups,
            own: body.points.clone(),
            obstacles: &[],
            turn,
            particle_radius: body.particle_radius,
        };
        let oriented = &*oriented;
        let skins = bodies.par_iter().zip(&mut *surfaces);
        skins.for_each(|(body, surface)| {
            if let Surface::Skinned(skinned) = surface {
                let touched = obstacles_near(&placed, points, body);
                let frame = SkinFrame {
                    obstacles: &touched,
                    ..frame_of(body)
                };
                skin::deform(&frame, (oriented, &body.oriented), skinned);
            }
        });
        let shown = bodies.par_iter().zip(&mut *visuals).zip(&mut *surfaces);
        shown.for_each(|((body, visual), surface)| {
            if let (Some(visual), Surface::Welded(welded)) = (visual, surface) {
                if visual.is_soft() {
                    visual.follow(points, body.points.start);
                }
                visual.draw(welded, false);
            }
        });
        for (body, surface) in bodies.iter().zip(surfaces) {
            let renewed = body.resampling.recluster != Recluster::Off;
            let moved = match surface {
                Surface::None | Surface::Skinned(_) | Surface::Welded(_) => {
                    SurfaceReport::default()
                }
                Surface::Tracked(tracked) => {
                    let touched = obstacles_near(&placed, points, body);
                    let frame = SkinFrame {
                        obstacles: &touched,
                        ..frame_of(body)
                    };
                    tracked.carry(&frame);
                    if renewed {
                        tracked.smooth(&scratch.flow);
                    }
                    watch.lap(Stage::Skin);
                    let delay = (body.merge_delay / dt).round() as u32;
                    // Without new particles it would tear wherever it is stretched.
                    let carriers = if renewed {
                        Carriers {
                            positions: &points.x[body.points.clone()],
                            components: &points.piece[body.points.clone()],
                            radius: body.particle_radius,
                            guess: &[],
                        }
                    } else {
                        Carriers::default()
                    };
                    tracked.update(&frame, delay, &carriers, &mut |stage| watch.lap(stage))
                }
            };
            if moved.tracker.remesh.refused_splits > 0 {
                report.warnings.push(format!(
                    "{}: the surface has reached its limit of triangles and stays coarser; raise the limit `triangles` or `edge_length`",
                    body.name
                ));
            }
            if moved.tracker.cuts.refused > 0 {
                report.warnings.push(format!(
                    "{}: a cut was not made, because the surface would have too many triangles or too little of it would be left; move the cut or raise the limit `triangles`",
                    body.name
                ));
            }
            report.surfaces.push(moved);
        }
        watch.lap(Stage::Skin);
    }

    /// Where bodies have flowed, been torn or cut, particles and groups are replaced [CMM16 §3.3].
    fn resample(&mut self, report: &mut StepReport, watch: &mut Stopwatch) {
        let (seed, frame) = (self.settings.seed, self.frame);
        // A step of no length has fitted nothing.
        if self.scratch.a.len() != self.groups.len() {
            let Self {
                plan,
                groups,
                points,
                scratch,
                ..
            } = self;
            state_pass(&plan.jacobi, groups, &points.pred, &mut scratch.a);
        }
        let Self {
            points,
            groups,
            surfaces,
            bodies,
            colliders,
            tools,
            scratch,
            time,
            ..
        } = self;
        let placed = placed_during(colliders, tools, *time, *time);
        let context = Context {
            points,
            groups,
            a: &scratch.a,
            flow: &scratch.flow,
            placed: &placed,
            seed,
            frame,
        };
        let edits: Vec<Option<Edit>> = bodies
            .iter()
            .zip(surfaces.iter())
            .map(|(body, surface)| match surface {
                Surface::Tracked(tracked) if body.resampling.recluster != Recluster::Off => {
                    let buffers = &mut scratch.resample;
                    resample::look_at(&context, body, tracked, buffers, &mut |part| {
                        watch.lap_resample(part);
                    })
                }
                _ if body.resampling.recluster == Recluster::Embedded => {
                    let buffers = &mut scratch.resample;
                    resample::look_at_groups(&context, body, buffers, &mut |part| {
                        watch.lap_resample(part);
                    })
                }
                _ => None,
            })
            .collect();
        let of_edit =
            |edit: &Option<Edit>| edit.as_ref().map_or_else(Default::default, |e| e.report);
        report.resampled = edits.iter().map(of_edit).collect();
        for (body, done) in self.bodies.iter().zip(&report.resampled) {
            if done.full {
                report.warnings.push(format!(
                    "{}: the limit of {} particles is reached; no more are added; raise the limit `particles`",
                    body.name, body.resampling.max_particles
                ));
            }
        }
        for k in 0..self.groups.len() {
            self.groups.last_norm[k] = resample::norm(self.groups.f_p[k]);
        }
        if edits.iter().all(Option::is_none) {
            return;
        }
        let was: Vec<usize> = self.bodies.iter().map(|b| b.points.start).collect();
        resample::apply(self, &edits);
        watch.lap_resample(ResampleStage::Clusters);
        self.hang_surfaces(&edits, &was);
        watch.lap_resample(ResampleStage::Reskin);
    }

    /// Hangs the surfaces of edited bodies on the points that there are now; `was` tells where each body's points began before.
    fn hang_surfaces(&mut self, edits: &[Option<Edit>], was: &[usize]) {
        let turned = resample::turn_anew(&mut self.points, &self.groups, &mut self.scratch.turn);
        for (at, edit) in edits.iter().enumerate() {
            if let Some(edit) = edit {
                let body = &self.bodies[at];
                let frame = SkinFrame {
                    points: &self.points,
                    groups: &self.groups,
                    own: body.points.clone(),
                    obstacles: &[],
                    turn: &self.scratch.turn,
                    particle_radius: body.particle_radius,
                };
                let own_turned = &turned[body.points.clone()];
                let grid = self.scratch.resample.grid();
                resample::follow_skins(
                    edit,
                    &frame,
                    own_turned,
                    &mut self.surfaces[at],
                    was[at],
                    grid,
                );
            }
        }
    }
}

/// How near the particles of two parts of a body come to each other (m).
///
/// Where surfaces can merge that is at most half of what it is elsewhere: the outermost particles lie just inside of the surface, so at
/// the full distance there would be a gap between the two surfaces, and they would never meet.
fn own_distance(body: &Body, surface: &Surface) -> f32 {
    match surface {
        Surface::Tracked(_) => 0.5 * body.particle_radius,
        _ => body.particle_radius,
    }
}

/// What contacts of hulls move.
fn cast_of<'a>(movers: &'a mut Movers<'_>) -> cast::Movers<'a> {
    cast::Movers {
        points: movers.points,
        oriented: movers.oriented,
        rigids: movers.rigids,
    }
}

/// Where all obstacles are and how they move from one time to another.
fn placed_during<'a>(
    colliders: &'a [Collider],
    tools: &'a [Tool],
    start: f64,
    end: f64,
) -> Vec<Placed<'a>> {
    let tools = tools.iter().map(|tool| &tool.collider);
    let all = colliders.iter().chain(tools);
    all.map(|collider| Placed::during(collider, start, end))
        .collect()
}

/// Colliders that a body may touch.
fn obstacles_near<'a>(placed: &[Placed<'a>], points: &Points, body: &Body) -> Vec<Obstacle<'a>> {
    let near = body_bounds(&points.x[body.points.clone()]);
    let reach = 4.0 * body.particle_radius;
    let touches = |p: &&Placed| near.is_some_and(|(lo, hi)| p.may_touch(lo, hi, reach));
    let touched = placed.iter().filter(touches);
    touched.map(|p| Obstacle::new(*p)).collect()
}

fn body_bounds(points: &[Vec3]) -> Option<(Vec3, Vec3)> {
    let first = *points.first()?;
    Some(
        points
            .iter()
            .fold((first, first), |(lo, hi), p| (lo.min(*p), hi.max(*p))),
    )
}
