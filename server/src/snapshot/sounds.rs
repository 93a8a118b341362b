//! Sounds of players whom a client is not told of: short-lived event entities that name nobody.
//!
//! [`Listening`] finds each frame what players did that can be heard. Each client has [`Sounds`]: a queue that waits for its
//! next snapshot, so that a frame in which it is sent nothing loses nothing, and the events that it is being told of. A stock
//! client plays an event entity once, when it first sees its number; like the game's own, each stays for 300 ms against loss,
//! and its number then rests.

use super::numbers::Numbers;
use super::states::{StateLog, StateRef};
use crate::game::VOICES;
use crate::visibility::hearing;
use crate::visibility::redact::PlayerSet;
use fogline_common::ids::{ClientNum, EntityNum};
use fogline_common::math::Vec3;
use fogline_common::openarena::{entity_flag, entity_type, event, powerup, shared, trajectory, weapon};
use fogline_common::proto::limits::{MAX_CLIENTS, MAX_ENTITIES};
use fogline_common::proto::{EntityState, Trajectory};
use fogline_common::time::{Millis, ServerTime};

/// Sounds of one source in one frame. More are left out and counted, as in the reference.
const PER_SOURCE: u8 = 4;
/// Sounds that wait for one client's snapshot. More are left out and counted.
const MAX_WAITING: usize = 64;
/// A sound that has waited longer is no longer news.
const STALE: Millis = Millis(500);
/// How long an event entity stays. Source: `EVENT_VALID_MSEC`.
const LIFE: Millis = Millis(shared::EVENT_VALID_MSEC);
/// Sounds told of at a time that room is kept for from the start.
const MAX_TOLD: usize = 128;

/// Something that a player did and that can be heard.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Heard {
    /// Who.
    pub source: ClientNum,
    /// One of [`event`].
    pub event: i32,
    /// Its parameter.
    pub parm: i32,
    /// The weapon in hand.
    pub weapon: i32,
    /// Powerups as bits.
    pub powerups: i32,
    /// Where the player is.
    pub place: Vec3,
    /// When.
    pub at: ServerTime,
}

/// Finds what is new among the events of a frame.
#[derive(Debug)]
pub struct Listening {
    /// The event field of each player in the last frame.
    last: [i32; MAX_CLIENTS],
    /// Event entities of the last frame and of this one, a bit each.
    events: [[u64; MAX_ENTITIES / 64]; 2],
    in_frame: [u8; MAX_CLIENTS],
    heard: Vec<Heard>,
    /// Sounds left out because one source made too many in a frame.
    pub dropped: u64,
}

impl Default for Listening {
    fn default() -> Self {
        Self {
            last: [0; MAX_CLIENTS],
            events: [[0; MAX_ENTITIES / 64]; 2],
            in_frame: [0; MAX_CLIENTS],
            heard: Vec::with_capacity(64),
            dropped: 0,
        }
    }
}

impl Listening {
    /// A new frame begins.
    pub(super) fn begin(&mut self) {
        self.heard.clear();
        self.in_frame = [0; MAX_CLIENTS];
        self.events[0] = self.events[1];
        self.events[1] = [0; MAX_ENTITIES / 64];
    }

    /// An event entity stands in the frame. Whether it is new.
    pub(super) fn is_new_event(&mut self, state: &EntityState) -> bool {
        let Some(num) = state.num() else { return false };
        let (word, bit) = (num.index() / 64, 1u64 << (num.index() % 64));
        self.events[1][word] |= bit;
        self.events[0][word] & bit == 0
    }

    /// A player's entity as it is now: its own event may be new.
    pub(super) fn player(&mut self, player: ClientNum, state: &EntityState, place: Vec3, at: ServerTime) {
        let last = std::mem::replace(&mut self.last[player.index()], state.event);
        let kind = state.event & !shared::EV_EVENT_BITS;
        if state.event != last && kind != event::NONE {
            self.add(Heard::of(player, kind, state, place, at));
        }
    }

    /// Something was heard.
    pub(super) fn add(&mut self, heard: Heard) {
        let count = &mut self.in_frame[heard.source.index()];
        if !is_audible(heard.event) {
            return;
        }
        if *count == PER_SOURCE {
            self.dropped += 1;
            return;
        }
        *count += 1;
        self.heard.push(heard);
    }

    /// What was heard in this frame.
    pub fn heard(&self) -> &[Heard] {
        &self.heard
    }
}

impl Heard {
    /// An event of a player, from the state that carries it.
    pub(super) fn of(
        source: ClientNum,
        event: i32,
        state: &EntityState,
        place: Vec3,
        at: ServerTime,
    ) -> Self {
        let (parm, weapon, powerups) = (state.event_parm, state.weapon, state.powerups);
        Self { source, event, parm, weapon, powerups, place, at }
    }
}

/// The player whose event an event entity is, whoever may be told of it.
pub(super) fn source_of(state: &EntityState) -> Option<ClientNum> {
    let kind = state.entity_type - entity_type::EVENTS;
    let number = match kind {
        event::PLAYER_TELEPORT_IN | event::PLAYER_TELEPORT_OUT => state.client_num,
        _ if state.flags & entity_flag::PLAYER_EVENT != 0 => state.other_entity,
        _ => return None,
    };
    usize::try_from(number).ok().and_then(ClientNum::new)
}

/// What one client hears of players whom it does not see.
#[derive(Debug)]
pub struct Sounds {
    waiting: Vec<Heard>,
    told: Vec<EntityState>,
    /// Numbers that these, and other things that come and go, are told under.
    pub(super) numbers: Numbers,
    /// Sounds left out because too many waited, or no number was free.
    pub dropped: u64,
    /// Sounds told.
    pub count: u64,
    /// Whose sounds began with the last snapshot.
    pub begun: Vec<ClientNum>,
    /// Events of players out of sight that were kept back in the last snapshot and in this one, a bit each by number.
    kept_back: [[u64; MAX_ENTITIES / 64]; 2],
}

impl Default for Sounds {
    fn default() -> Self {
        Self {
            waiting: Vec::with_capacity(MAX_WAITING),
            told: Vec::with_capacity(MAX_TOLD),
            numbers: Numbers::default(),
            dropped: 0,
            count: 0,
            begun: Vec::with_capacity(MAX_CLIENTS),
            kept_back: [[0; MAX_ENTITIES / 64]; 2],
        }
    }
}

/// What [`Sounds::tell`] needs to know of the snapshot.
pub struct Audience<'a> {
    /// Where the client listens.
    pub ear: Vec3,
    /// Whose eyes it has.
    pub own: ClientNum,
    /// Players withheld for being out of sight.
    pub unseen: PlayerSet,
    /// Cells that places are rounded to; `None` for the places themselves.
    pub cell: Option<f32>,
    /// Sounds that the game has given to its clients.
    pub voices: &'a Voices,
    /// Entity numbers of the game are below this.
    pub game_numbers: usize,
    /// The moment.
    pub now: ServerTime,
}

impl Sounds {
    /// Something was heard in a frame; it waits for the next snapshot.
    pub fn queue(&mut self, heard: &[Heard]) {
        let room = MAX_WAITING - self.waiting.len().min(MAX_WAITING);
        self.dropped += heard.len().saturating_sub(room) as u64;
        self.waiting.extend_from_slice(&heard[..heard.len().min(room)]);
    }

    /// Forgets what waits: nobody is withheld.
    pub fn clear(&mut self) {
        self.waiting.clear();
        self.told.clear();
        self.begun.clear();
        self.kept_back = Default::default();
    }

    /// A snapshot begins.
    pub(super) fn begin(&mut self) {
        self.kept_back[0] = std::mem::take(&mut self.kept_back[1]);
    }

    /// An event was kept back for being of a player out of sight. While it lasts it stays so, or whoever comes into view would
    /// be heard once more, from where it was then.
    pub(super) fn keep_back(&mut self, event: EntityNum) {
        self.kept_back[1][event.index() / 64] |= 1 << (event.index() % 64);
    }

    /// Whether an event was kept back in the last snapshot.
    pub(super) fn was_kept_back(&self, event: EntityNum) -> bool {
        self.kept_back[0][event.index() / 64] >> (event.index() % 64) & 1 == 1
    }

    /// Turns what waits into event entities, and gives all that are to be in this snapshot, by no order.
    pub fn tell(&mut self, audience: &Audience<'_>) -> &[EntityState] {
        let now = audience.now;
        self.told.retain(|state| now - ServerTime(state.time) < LIFE);
        self.begun.clear();
        let mut waiting = std::mem::take(&mut self.waiting);
        for heard in waiting.drain(..) {
            if now - heard.at > STALE || !audience.unseen.has(heard.source) {
                continue;
            }
            let place = match audience.cell {
                Some(cell) => hearing::place(heard.place, audience.ear, cell),
                None => (heard.place.distance(audience.ear) < hearing::HEARING).then_some(heard.place),
            };
            let Some(place) = place else { continue };
            let Some(state) = audience.voices.event_entity(&heard, place, audience.own) else { continue };
            match self.numbers.fresh(audience.game_numbers, now) {
                Some(number) => {
                    self.count += 1;
                    self.begun.push(heard.source);
                    self.told.push(EntityState { number, time: now.0, ..state });
                }
                None => self.dropped += 1,
            }
        }
        self.waiting = waiting;
        &self.told
    }

    /// Keeps what was told last, and what else comes and goes, and adds it to a snapshot's entities, which it follows: these numbers
    /// are the highest there are. A number that the game has taken since is the game's; at most `room` are added.
    pub(super) fn keep(
        &mut self,
        passing: &[EntityState],
        room: usize,
        (now, game_numbers): (ServerTime, usize),
        states: &mut StateLog,
        out: &mut Vec<StateRef>,
    ) {
        let first = out.len();
        let sounds = self.told.iter().filter(|state| state.number as usize >= game_numbers);
        let numbers = &mut self.numbers;
        out.extend(passing.iter().chain(sounds).take(room).map(|state| numbers.keep(state, states, now)));
        out[first..].sort_unstable_by_key(|&at| states.get(at).map(|state| state.number));
    }
}

/// Whether an event makes a sound that others hear.
fn is_audible(kind: i32) -> bool {
    matches!(
        kind,
        event::FOOTSTEP..=event::SWIM
            | event::FALL_SHORT..=event::ITEM_PICKUP
            | event::NOAMMO..=event::FIRE_WEAPON
            | event::PLAYER_TELEPORT_IN..=event::PLAYER_TELEPORT_OUT
            | event::GENERAL_SOUND
            | event::PAIN..=event::DEATH3
            | event::POWERUP_QUAD..=event::GIB_PLAYER
            | event::TAUNT
    )
}

/// Indices of sounds that stand for a voice: the events themselves would be played in the voice of slot 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Voices {
    indices: [Option<u8>; VOICES.len()],
    /// Sounds that each player has in its own voice, a bit each.
    custom: [u64; 4],
}

/// What is heard in place of an event. In the order of [`VOICES`].
#[derive(Clone, Copy)]
enum Voice {
    Jump,
    Pain,
    Death,
    Teleport,
}

impl Voices {
    /// From the sounds that a game has given to its clients: index and file.
    pub fn among<'a>(sounds: impl Iterator<Item = (u8, &'a str)>) -> Self {
        let mut voices = Self::default();
        for (index, file) in sounds {
            if file.starts_with('*') {
                voices.custom[usize::from(index) / 64] |= 1 << (index % 64);
            }
            if let Some(voice) = VOICES.iter().position(|known| known.eq_ignore_ascii_case(file)) {
                voices.indices[voice] = Some(index);
            }
        }
        voices
    }

    /// The entity that a stock client plays this as. `None` if the game has no such sound.
    fn event_entity(&self, heard: &Heard, place: Vec3, listener: ClientNum) -> Option<EntityState> {
        let (kind, parm) = match voice_of(heard) {
            Some(voice) => (event::GENERAL_SOUND, i32::from(self.indices[voice as usize]?)),
            None => (heard.event, heard.parm),
        };
        let is_custom = |index: i32| {
            usize::try_from(index).is_ok_and(|n| n < 256 && self.custom[n / 64] >> (n % 64) & 1 == 1)
        };
        if kind == event::GENERAL_SOUND && is_custom(parm) {
            return None;
        }
        let fires = kind == event::FIRE_WEAPON;
        if fires && !(weapon::GAUNTLET..weapon::NUM_WEAPONS).contains(&heard.weapon) {
            return None;
        }
        Some(EntityState {
            entity_type: entity_type::EVENTS + kind,
            event_parm: parm,
            pos: Trajectory { kind: trajectory::STATIONARY, base: place, ..Trajectory::default() },
            origin: place,
            ground_entity: EntityNum::NONE_ON_WIRE,
            weapon: if fires { heard.weapon } else { 0 },
            powerups: if fires { heard.powerups & 1 << powerup::QUAD } else { 0 },
            // Some events shake the view of whom they name: never the listener.
            client_num: i32::from(listener.index() == 0),
            ..EntityState::default()
        })
    }
}

fn voice_of(heard: &Heard) -> Option<Voice> {
    Some(match heard.event {
        event::JUMP | event::JUMP_PAD | event::TAUNT => Voice::Jump,
        event::PAIN | event::FALL_MEDIUM | event::FALL_FAR | event::WATER_CLEAR => Voice::Pain,
        event::DEATH1..=event::DEATH3 | event::GIB_PLAYER => Voice::Death,
        event::PLAYER_TELEPORT_IN | event::PLAYER_TELEPORT_OUT => Voice::Teleport,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use fogline_common::math::vec3;
    use fogline_common::proto::limits::MAX_NORMAL_ENTITIES;

    fn player(n: usize) -> ClientNum {
        ClientNum::new(n).unwrap()
    }

    fn step(at: i32) -> Heard {
        let place = vec3(700.0, 10.0, 20.0);
        Heard::of(player(3), event::FOOTSTEP, &EntityState::default(), place, ServerTime(at))
    }

    fn audience(now: i32, unseen: bool) -> Audience<'static> {
        static NO_VOICES: Voices = Voices { indices: [None; VOICES.len()], custom: [0; 4] };
        let mut set = PlayerSet::default();
        if unseen {
            set.insert(player(3));
        }
        Audience {
            ear: Vec3::ZERO,
            own: player(0),
            unseen: set,
            cell: Some(128.0),
            voices: &NO_VOICES,
            game_numbers: 100,
            now: ServerTime(now),
        }
    }

    #[test]
    fn a_step_out_of_sight_is_heard_from_its_cell_and_names_nobody() {
        let mut sounds = Sounds::default();
        sounds.queue(&[step(1000)]);
        let told = sounds.tell(&audience(1050, true)).to_vec();
        assert_eq!(told.len(), 1);
        let state = told[0];
        assert_eq!(state.entity_type, entity_type::EVENTS + event::FOOTSTEP);
        assert_eq!(state.pos.base, vec3(704.0, 64.0, 64.0));
        assert_eq!(state.flags & entity_flag::PLAYER_EVENT, 0);
        assert_ne!((state.client_num, state.other_entity), (3, 3));
        assert_ne!(state.client_num, 0, "the listener itself");
    }

    #[test]
    fn who_is_seen_is_heard_without_us() {
        let mut sounds = Sounds::default();
        sounds.queue(&[step(1000)]);
        assert!(sounds.tell(&audience(1050, false)).is_empty());
    }

    #[test]
    fn a_sound_waits_for_the_next_snapshot_and_stays_300_ms() {
        let mut sounds = Sounds::default();
        sounds.queue(&[step(1000)]);
        sounds.queue(&[step(1050)]);
        assert_eq!(sounds.tell(&audience(1100, true)).len(), 2);
        assert_eq!(sounds.tell(&audience(1399, true)).len(), 2);
        assert_eq!(sounds.tell(&audience(1400, true)).len(), 0);
        sounds.queue(&[step(1400)]);
        assert_eq!(sounds.tell(&audience(2000, true)).len(), 0, "stale");
    }

    #[test]
    fn a_number_rests_until_every_client_has_forgotten_it() {
        let mut sounds = Sounds::default();
        let mut born: Vec<(i32, i32)> = Vec::new();
        for frame in 0..400 {
            let now = 1000 + frame * 50;
            sounds.queue(&[step(now), step(now), step(now)]);
            for state in sounds.tell(&audience(now, true)).to_vec() {
                if state.time != now {
                    continue;
                }
                assert!(state.number >= 100 && (state.number as usize) < MAX_NORMAL_ENTITIES);
                let earlier = born.iter().rev().find(|(number, _)| *number == state.number);
                assert!(earlier.is_none_or(|(_, time)| now - time >= 1300));
                born.push((state.number, now));
            }
        }
        assert_eq!((born.len(), sounds.dropped), (1200, 0));
    }

    #[test]
    fn one_source_makes_at_most_four_sounds_a_frame() {
        let mut listening = Listening::default();
        listening.begin();
        (0..6).for_each(|_| listening.add(step(0)));
        assert_eq!((listening.heard().len(), listening.dropped), (4, 2));
        listening.begin();
        assert!(listening.heard().is_empty());
    }

    #[test]
    fn an_event_that_stays_in_a_players_state_is_heard_once() {
        let mut listening = Listening::default();
        let mut state = EntityState { event: event::PAIN | shared::EV_EVENT_BIT1, ..EntityState::default() };
        let mut count = |state: &EntityState| {
            listening.begin();
            listening.player(player(3), state, Vec3::ZERO, ServerTime(0));
            listening.heard().len()
        };
        assert_eq!([count(&state), count(&state)], [1, 0]);
        state.event = event::PAIN | shared::EV_EVENT_BIT2;
        assert_eq!(count(&state), 1);
    }

    #[test]
    fn a_voice_is_never_that_of_another_player() {
        let jump = Heard { event: event::JUMP, ..step(0) };
        assert_eq!(Voices::default().event_entity(&jump, Vec3::ZERO, player(1)), None);
        let voices = Voices::among([(9, "sound/player/sarge/jump1.wav")].into_iter());
        let state = voices.event_entity(&jump, Vec3::ZERO, player(1)).unwrap();
        assert_eq!((state.entity_type, state.event_parm), (entity_type::EVENTS + event::GENERAL_SOUND, 9));
    }
}
