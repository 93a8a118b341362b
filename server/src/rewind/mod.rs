//! Instant hits are judged in the world that the shooter was drawing when it fired.
//!
//! In: every frame's bodies and movers ([`History`], [`Movers`]), every snapshot sent and what was acknowledged ([`Sent`]), every
//! usercmd's claim of the moment that its client drew. Out: [`Rewound`], a view of the game's entities at that moment, and the
//! answer of a ray in it. Nothing is ever moved, so nothing has to be put back, and shots may be judged in any order.
//!
//! It knows no client table, no message and no rules: who calls hands it facts. `docs/rewind.md` says how and why.

pub mod arrivals;
pub mod beat;
pub mod broad;
pub mod claims;
pub mod cover;
pub mod history;
pub mod moment;
pub mod movers;
pub mod packets;
pub mod report;
pub mod sent;
pub mod shots;
pub mod validate;
pub mod view;

use crate::config::Config;
use crate::game::EntityTable;
use crate::snapshot::WorldFrame;
use crate::world::World;
use broad::players;
use fogline_common::ids::{ClientNum, EntityNum, Sequence};
use fogline_common::math::Bounds;
use fogline_common::openarena::pers;
use fogline_common::proto::PlayerState;
use fogline_common::proto::limits::MAX_CLIENTS;
use fogline_common::time::{Arrival, CommandTime, Millis, ServerTime};
use fogline_common::trace::{Trace, TraceRequest};
use history::{Body, History, MARGIN};
use moment::Moment;
use movers::Movers;
pub use packets::Packet;
use packets::Packets;
use sent::Sent;
use shots::{Book, Boxes, Ray, Shot};
use std::cell::{Ref, RefCell};
use validate::{Fault, Judged, Line};
use view::{Rewound, Tally, Target};

/// What the host allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// Shots are judged in the past at all.
    pub enabled: bool,
    /// How far back at most.
    pub cap: Millis,
    /// Weapons that are, a bit each.
    pub weapons: i32,
    /// Players that the shooter was not shown may be hit.
    pub unseen_may_be_hit: bool,
    /// A shot fired before its shooter died counts.
    pub after_death: bool,
    /// Opinions asked about a claim; bits of [`validate::check`].
    pub checks: i32,
    /// A claim that is not believed is judged by the present, not by the oldest moment that would have been.
    pub refuse: bool,
    /// Time from one frame to the next.
    pub step: Millis,
    /// What the present would have said is worked out for every shot, for the log.
    pub compare: bool,
}

impl Rules {
    /// From the settings.
    pub fn of(config: &Config) -> Self {
        Self {
            enabled: config.g_delaghitscan,
            cap: Millis(config.sv_maxunlag),
            weapons: config.sv_unlag_weapons,
            unseen_may_be_hit: config.sv_unlag_unseen,
            after_death: config.sv_unlag_afterdeath,
            checks: config.sv_unlag_validate,
            refuse: config.sv_unlag_refuse,
            step: Millis((1000 / config.sv_fps.max(1)).max(1)),
            compare: !config.sv_shotlog.is_empty(),
        }
    }
}

/// What has been counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Broad phases: one for each ray, or for all rays of a blast.
    pub looks: u64,
    /// Rays judged in the past.
    pub rays: u64,
    /// Players left after the broad phase, over all broad phases.
    pub candidates: u64,
    /// Broad phases that left somebody whom the shooter had not been shown.
    pub unseen: u64,
    /// Claims weighed.
    pub claims: u64,
    /// Claims not believed, in the order of [`Fault::ALL`].
    pub faults: [u64; Fault::ALL.len()],
}

/// The past, and everybody's picture of it.
#[derive(Debug)]
pub struct Rewind {
    rules: Rules,
    history: History,
    movers: Movers,
    /// Shape: by client number.
    shooters: Box<[Shooter]>,
    /// When the newest frame was run.
    frame_came: Arrival,
    now: ServerTime,
    /// What rays are noted in while the game asks for them.
    noted: RefCell<Noted>,
    /// Room to work in.
    targets: RefCell<Vec<Target>>,
}

#[derive(Debug, Default)]
struct Noted {
    book: Book,
    counts: Counts,
}

/// One client's side of it.
#[derive(Debug)]
struct Shooter {
    packets: Packets,
    /// Commands so far.
    commands: u64,
    claim: ServerTime,
    judged: Option<Judged>,
    moment: Option<Moment>,
}

impl Shooter {
    fn new(capacity: usize) -> Self {
        Self {
            packets: Packets::new(capacity),
            commands: 0,
            claim: ServerTime(0),
            judged: None,
            moment: None,
        }
    }

    fn forget_snapshots(&mut self) {
        self.packets.forget_snapshots();
        (self.judged, self.moment) = (None, None);
    }
}

impl Rewind {
    /// Nothing has happened yet.
    pub fn new(rules: Rules) -> Self {
        let history = History::new(rules.cap + MARGIN, rules.step);
        let shooters = (0..MAX_CLIENTS).map(|_| Shooter::new(history.capacity())).collect();
        Self {
            rules,
            history,
            movers: Movers::default(),
            shooters,
            frame_came: Arrival(0),
            now: ServerTime(0),
            noted: RefCell::default(),
            targets: RefCell::default(),
        }
    }

    /// New settings. If the ring must be longer or its frames are others, the past is forgotten.
    pub fn set_rules(&mut self, rules: Rules) {
        if (rules.cap, rules.step) != (self.rules.cap, self.rules.step) {
            self.history = History::new(rules.cap + MARGIN, rules.step);
            for shooter in &mut self.shooters {
                shooter.packets.sent = Sent::new(self.history.capacity());
                shooter.forget_snapshots();
            }
            self.movers.clear();
        }
        self.rules = rules;
    }

    /// Another match begins.
    pub fn begin_match(&mut self) {
        self.history.clear();
        self.movers.clear();
        self.shooters.iter_mut().for_each(Shooter::forget_snapshots);
    }

    /// Somebody else is in this slot from now on.
    pub fn forget(&mut self, client: ClientNum) {
        self.history.forget(client);
        let shooter = &mut self.shooters[client.index()];
        shooter.forget_snapshots();
        shooter.packets.line = Line::default();
    }

    /// The end of a frame's simulation: what clients will be told of it is what they will draw.
    pub fn record(&mut self, frame: &WorldFrame, now: Arrival, player: impl Fn(ClientNum) -> PlayerState) {
        self.frame_came = now;
        self.now = frame.time;
        self.history.begin_frame(frame.time);
        let next = history::FrameNum(self.history.newest().map_or(1, |newest| newest.0 + 1));
        for captured in frame.entities() {
            if let Some(client) = ClientNum::new(captured.num.index()) {
                let ps = player(client);
                let body = Body {
                    entity: &captured.entity,
                    spawn_count: ps.persistant[pers::SPAWN_COUNT as usize],
                    view_height: ps.view_height,
                };
                self.history.put(client, &body);
            } else if captured.entity.link.brush_model {
                self.movers.record(next, captured.num, &captured.entity);
            }
        }
        self.history.end_frame();
    }

    /// A snapshot of the newest frame goes out to a client.
    pub fn sent(&mut self, client: ClientNum, message: Sequence, players: impl Iterator<Item = ClientNum>) {
        let Some(frame) = self.history.newest() else { return };
        let players = players.fold(0u64, |set, num| set | 1 << num.index());
        self.shooters[client.index()].packets.sent.push(message.0, frame, self.now, players);
    }

    /// A message turned out too long for its snapshot.
    pub fn withdraw(&mut self, client: ClientNum, message: Sequence) {
        self.shooters[client.index()].packets.sent.withdraw(message.0);
    }

    /// A packet with commands came; its commands follow.
    pub fn packet(&mut self, client: ClientNum, packet: &Packet<'_>, now: Arrival) {
        let (step, server_now) = (self.rules.step, self.now);
        self.shooters[client.index()].packets.take(packet, step, server_now, now);
    }

    /// The longest time between two snapshots that came, of those that the latest packet is the first to acknowledge.
    pub fn delivered_gap(&self, client: ClientNum) -> Option<Millis> {
        self.shooters[client.index()].packets.delivered_gap()
    }

    /// How uneven the line of a client is.
    pub fn jitter(&self, client: ClientNum) -> Millis {
        self.shooters[client.index()].packets.line.jitter()
    }

    /// The server's moment between two frames.
    pub fn moment_at(&self, now: Arrival) -> ServerTime {
        self.now + now.since(self.frame_came).min(self.rules.step)
    }

    /// A command is about to be executed. Why its claim is not believed, if it is not.
    pub fn command(&mut self, client: ClientNum, claim: CommandTime, now: Arrival) -> Option<Fault> {
        let moment = self.moment_at(now);
        let (rules, frame_now) = (self.rules, self.now);
        let shooter = &mut self.shooters[client.index()];
        let claim = claim.as_drawn();
        shooter.commands += 1;
        shooter.claim = claim;
        (shooter.judged, shooter.moment) = (None, None);
        let judged = shooter.packets.judge(claim, moment, rules.checks)?;
        shooter.judged = Some(judged);
        if judged.fault.is_none() || !rules.refuse {
            let earliest = frame_now - rules.cap;
            shooter.moment = Moment::resolve(&self.history, &shooter.packets.sent, judged.at, earliest);
        }
        let counts = &mut self.noted.get_mut().counts;
        counts.claims += 1;
        if let Some(fault) = judged.fault {
            counts.faults[fault as usize] += 1;
        }
        judged.fault
    }

    /// A ray of a shooter's weapon, in the world that it drew. Without such a world, and for weapons that are not judged so, in
    /// the present.
    pub fn trace(
        &self,
        world: &World,
        shooter: ClientNum,
        entities: &dyn EntityTable,
        request: &TraceRequest,
    ) -> Trace {
        let mut trace = [Trace::clear(request.end)];
        self.trace_all(world, shooter, entities, std::slice::from_ref(request), &mut trace);
        trace[0]
    }

    /// The same for all rays of one shot; `traces` has one place for each. The shot is rewound once.
    ///
    /// # Panics
    /// If there are fewer places than rays.
    pub fn trace_all(
        &self,
        world: &World,
        shooter: ClientNum,
        entities: &dyn EntityTable,
        rays: &[TraceRequest],
        traces: &mut [Trace],
    ) {
        assert!(rays.len() <= traces.len(), "{} rays for {} answers", rays.len(), traces.len());
        let weapon = entities.get(shooter.entity()).state.weapon;
        let applies = self.rules.enabled && self.rules.weapons >> (weapon & 31) & 1 != 0;
        let moment = self.shooters[shooter.index()].moment.as_ref().filter(|_| applies);
        let past = if let Some(moment) = moment {
            let view = self.view(entities, moment);
            let tally = view.trace_all(world, rays, traces, &mut self.targets.borrow_mut());
            Some((view, tally))
        } else {
            for (request, trace) in rays.iter().zip(&mut *traces) {
                *trace = world.trace(entities, request);
            }
            None
        };
        let compares = self.rules.compare && past.is_some();
        let in_present = |request: &TraceRequest| compares.then(|| world.trace(entities, request).entity);
        self.note(shooter, weapon, past.as_ref(), &Answers { rays, traces }, &in_present);
    }

    fn view<'a>(&'a self, present: &'a dyn EntityTable, moment: &'a Moment) -> Rewound<'a> {
        Rewound {
            present,
            history: &self.history,
            movers: &self.movers,
            moment,
            unseen_may_be_hit: self.rules.unseen_may_be_hit,
        }
    }

    fn note(
        &self,
        num: ClientNum,
        weapon: i32,
        past: Option<&(Rewound<'_>, Tally)>,
        answers: &Answers<'_>,
        in_present: &dyn Fn(&TraceRequest) -> Option<Option<EntityNum>>,
    ) {
        let shooter = &self.shooters[num.index()];
        let Noted { book, counts } = &mut *self.noted.borrow_mut();
        let tally = past.map_or_else(Tally::default, |(_, tally)| *tally);
        if past.is_some() {
            counts.looks += 1;
            counts.rays += answers.rays.len() as u64;
            counts.candidates += u64::from(tally.candidates.count_ones());
            counts.unseen += u64::from(tally.unseen != 0);
        }
        let shot = book.shot(num, shooter.commands, || Shot {
            weapon,
            now: self.now,
            claim: shooter.claim,
            oldest: shooter.judged.map_or(ServerTime(0), |judged| judged.oldest),
            fault: shooter.judged.and_then(|judged| judged.fault),
            moment: past.map(|(view, _)| *view.moment),
            sure: past.is_some_and(|(view, _)| shooter.packets.sent.is_sure(view.moment.at)),
            ..Shot::default()
        });
        let answers = answers.rays.iter().zip(answers.traces);
        shot.push_rays(answers.map(|(request, trace)| Ray {
            start: request.start,
            end: request.end,
            came: trace.end,
            hit: trace.entity,
            hit_in_present: in_present(request),
            candidates: tally.candidates.count_ones(),
        }));
        let Some((view, _)) = past else { return };
        for client in players(tally.candidates) {
            shot.push_boxes(client, || {
                let present = view.present.get(client.entity());
                let then = view.pose_of(client, &present).map(|pose| pose.world_box());
                Boxes { client, then, now: present.link.bounds.translated(present.link.origin) }
            });
        }
    }

    /// The last shots of everybody.
    pub fn shots(&self) -> Ref<'_, Book> {
        Ref::map(self.noted.borrow(), |noted| &noted.book)
    }

    /// What has been counted.
    pub fn counts(&self) -> Counts {
        self.noted.borrow().counts
    }

    /// Where a player would be hit by what a shooter has just fired; `None` if it was not drawn.
    pub fn drawn_box(
        &self,
        shooter: ClientNum,
        entities: &dyn EntityTable,
        target: ClientNum,
    ) -> Option<Bounds> {
        let moment = self.shooters[shooter.index()].moment.as_ref()?;
        Some(self.view(entities, moment).drawn(target)?.world_box())
    }

    /// Whether the command being executed was made when its client drew a moment before `moment`, not too long ago, by a claim
    /// that was believed, and such shots count.
    pub fn was_drawn_before(&self, shooter: ClientNum, moment: ServerTime) -> bool {
        let shooter = &self.shooters[shooter.index()];
        let honest = shooter.judged.is_some_and(|judged| judged.fault.is_none());
        let in_time = self.now - shooter.claim <= self.rules.cap;
        self.rules.enabled && self.rules.after_death && honest && in_time && shooter.claim < moment
    }

    /// How much older than the newest frame the moment is that the client drew when it made the command being executed: as far
    /// as that is believed, and at most the cap.
    pub fn age_of_command(&self, client: ClientNum) -> Millis {
        let believed = |judged: &Judged| judged.fault.is_none() || !self.rules.refuse;
        let judged = self.shooters[client.index()].judged.filter(believed);
        judged.map_or(Millis(0), |judged| (self.now - judged.at).clamp(Millis(0), self.rules.cap))
    }

    /// Commands of a client so far: the number of the one being executed.
    pub fn commands_of(&self, client: ClientNum) -> u64 {
        self.shooters[client.index()].commands
    }

    /// What came of the latest claim of a client: the claim, and the oldest that would have been believed.
    pub fn claim_of(&self, client: ClientNum) -> Option<(ServerTime, Judged)> {
        let shooter = &self.shooters[client.index()];
        Some((shooter.claim, shooter.judged?))
    }

    /// Where everybody was.
    pub fn history(&self) -> &History {
        &self.history
    }

    /// Bytes that the past takes, the book of shots aside.
    pub fn memory_bytes(&self) -> usize {
        let sent: usize = self.shooters.iter().map(|shooter| shooter.packets.sent.memory_bytes()).sum();
        self.history.memory_bytes() + self.movers.memory_bytes() + size_of_val(&*self.shooters) + sent
    }
}

/// The rays of a shot, and how far each came.
struct Answers<'a> {
    rays: &'a [TraceRequest],
    traces: &'a [Trace],
}
