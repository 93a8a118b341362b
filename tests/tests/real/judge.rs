//! What made a client miss: each miss is laid beside what the client was told of its player around that moment. The same judge for
//! our server and for a stock one, so that what it excuses here can be counted there.

use crate::rounding;
use fogline_common::collision::ClipMap;
use fogline_common::ids::EntityNum;
use fogline_common::openarena::{entity_flag, pers, pm_flag, pm_type, stat};
use fogline_common::proto::PlayerState;
use fogline_tests::stock::moves::Move;
use fogline_tests::stock::recorded::Told;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// A client tells of a miss when the snapshot is shown that has it; it may be held up meanwhile, and so may be the mark by which
/// the snapshot is dated.
const BEFORE: Duration = Duration::from_millis(300);
/// As before, the other way round.
const AFTER: Duration = Duration::from_millis(150);
/// Two players' boxes meet at 30; further apart is what both move in a frame.
const TOUCHES: f32 = 62.0;
/// Snapshots that come further apart than this were held up. Frames are 50 ms.
const HELD_UP_MS: i32 = 75;

/// What no client can foresee.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Cause {
    /// It died or came back.
    Life,
    /// It was put somewhere else.
    Teleport,
    /// Somebody hurt it, which pushes.
    Knockback,
    /// It met another player, whom it is told of late and in whole units.
    Player,
    /// It stood on a mover, or one came upon it.
    Mover,
    /// Frames of the server came late, or a usercmd came so early or late by its clock that it was cut.
    HeldUp,
    /// A unit in the last place of where it stood decides, and this makes the very miss; Debian's client rounds otherwise than the
    /// source says. See `common/docs/quirks.md#rounding`.
    Rounding,
}

/// Whether what somebody stands on is neither the world nor nothing.
fn is_mover(ground: i32) -> bool {
    ground < EntityNum::WORLD.index() as i32
}

/// What befell the player from one snapshot to the next, most telling first. `cut` are the times to which the server cut usercmds.
fn between(before: &Told, after: &Told, cut: &[i32]) -> Option<Cause> {
    let (a, b) = (&before.player, &after.player);
    let points = |ps: &PlayerState| ps.stats[stat::HEALTH as usize] + ps.stats[stat::ARMOR as usize];
    let changed = |index: i32| a.persistant[index as usize] != b.persistant[index as usize];
    if b.pm_type == pm_type::DEAD || a.pm_type == pm_type::DEAD || changed(pers::SPAWN_COUNT) {
        Some(Cause::Life)
    } else if (a.flags ^ b.flags) & entity_flag::TELEPORT_BIT != 0 {
        Some(Cause::Teleport)
    } else if points(b) < points(a) - 2
        || a.damage_event != b.damage_event
        || b.pm_flags & pm_flag::TIME_KNOCKBACK != 0
    {
        // By more than what counts down by itself.
        Some(Cause::Knockback)
    } else if [before, after].iter().any(|told| told.nearest.is_some_and(|gap| gap < TOUCHES)) {
        Some(Cause::Player)
    } else if [before, after].iter().any(|told| is_mover(told.player.ground_entity) || told.is_pushed) {
        Some(Cause::Mover)
    } else if after.time.0 - before.time.0 > HELD_UP_MS
        || cut.iter().any(|time| (a.command_time..=b.command_time).contains(time))
    {
        Some(Cause::HeldUp)
    } else {
        None
    }
}

/// The account of a match.
#[derive(Clone, Debug, Default)]
pub(crate) struct Account {
    /// Misses by cause, and the largest of each. Unit: units.
    pub(crate) excused: BTreeMap<Cause, (usize, f32)>,
    /// How often each befell the player, what goes on from one snapshot to the next counted once.
    pub(crate) occasions: BTreeMap<Cause, usize>,
    /// Misses without one, and when since the start. Unit: ms.
    pub(crate) unexplained: Vec<(u128, String)>,
    /// Time in which a miss would have had no excuse, of all time that was watched. Unit: ms.
    pub(crate) judged_ms: u128,
    /// Unit: ms.
    pub(crate) watched_ms: u128,
}

impl Account {
    /// Lays the misses among what the client said beside what it was told, from `since` on. `moves` are what the server made of its
    /// usercmds, as far as they are known, on `map`.
    pub(crate) fn of(
        told: &[Told],
        said: &[(Instant, String)],
        since: Instant,
        moves: &[Move],
        map: &ClipMap,
    ) -> Self {
        let cut: Vec<i32> =
            moves.iter().filter(|a_move| a_move.is_cut()).map(|a_move| a_move.after.command_time).collect();
        let between = |pair: &[Told]| between(&pair[0], &pair[1], &cut);
        let events: Vec<(Instant, Cause)> =
            told.windows(2).filter_map(|pair| Some((pair[1].at, between(pair)?))).collect();
        let around = |moment: Instant| {
            let near = events.iter().filter(|(at, _)| *at + BEFORE >= moment && *at <= moment + AFTER);
            near.map(|&(_, cause)| cause).min()
        };
        let mut account = Self::default();
        let mut last = None;
        for pair in told.windows(2).filter(|pair| pair[0].at >= since) {
            let cause = between(pair);
            if let Some(cause) = cause.filter(|_| cause != last) {
                *account.occasions.entry(cause).or_default() += 1;
            }
            last = cause;
        }
        for pair in told.windows(2).filter(|pair| pair[0].at >= since) {
            let span = (pair[1].at - pair[0].at).as_millis();
            account.watched_ms += span;
            if around(pair[1].at).is_none() {
                account.judged_ms += span;
            }
        }
        for (moment, line) in said.iter().filter(|(_, line)| line.contains("Prediction miss")) {
            let size = size(line);
            let rounding = || {
                let near =
                    told.iter().filter(|told| told.at + BEFORE >= *moment && told.at <= *moment + AFTER);
                rounding::makes(size, &moves_of(near, moves), map).then_some(Cause::Rounding)
            };
            match around(*moment).or_else(rounding) {
                Some(cause) => {
                    let (count, largest) = account.excused.entry(cause).or_default();
                    *count += 1;
                    *largest = largest.max(size);
                }
                None => account.unexplained.push(((*moment - since).as_millis(), line.clone())),
            }
        }
        account
    }

    /// Misses of a cause.
    pub(crate) fn count(&self, cause: Cause) -> usize {
        self.excused.get(&cause).map_or(0, |&(count, _)| count)
    }
}

/// How far off a miss was, by the client's line.
pub(crate) fn size(line: &str) -> f32 {
    line.rsplit(' ').next().and_then(|word| word.parse().ok()).unwrap_or(0.0)
}

/// The usercmds that led from the first to the last of what was told.
fn moves_of<'a>(told: impl Iterator<Item = &'a Told>, moves: &[Move]) -> Vec<Move> {
    let (mut first, mut last) = (i32::MAX, i32::MIN);
    for Told { player, .. } in told {
        (first, last) = (first.min(player.command_time), last.max(player.command_time));
    }
    moves.iter().filter(|a_move| (first..=last).contains(&a_move.after.command_time)).copied().collect()
}

#[test]
fn a_miss_is_excused_only_by_what_happened_near_it() {
    use fogline_common::ids::ClientNum;
    use fogline_common::proto::UserCmd;
    use fogline_common::time::ServerTime;
    use fogline_tests::fixture::clip_map;
    use fogline_tests::halls;
    let start = Instant::now();
    let mut told: Vec<Told> = (0..100)
        .map(|n: u64| Told {
            at: start + Duration::from_millis(n * 50),
            time: ServerTime(n as i32 * 50),
            player: PlayerState { ground_entity: EntityNum::WORLD.index() as i32, ..PlayerState::default() },
            nearest: None,
            is_pushed: false,
        })
        .collect();
    // At 2 s it is hurt; at 4 s somebody is near.
    told[40..].iter_mut().for_each(|told| told.player.damage_event = 1);
    told[80].nearest = Some(50.0);
    let miss = |ms: u64| (start + Duration::from_millis(ms), "Prediction miss: 3.5".to_owned());
    let misses = [miss(1000), miss(2100), miss(3000), miss(4100), miss(4600)];
    // At 4.5 s a usercmd comes too far ahead of the server's clock.
    told.iter_mut().zip(0..).for_each(|(told, n)| told.player.command_time = n * 50);
    let mut cut = Move {
        client: ClientNum::new(0).expect("a slot"),
        cmd: UserCmd { server_time: 4600, ..UserCmd::default() },
        before: told[89].player,
        after: told[90].player,
    };
    let map = clip_map(halls::NAME);
    let account = Account::of(&told, &misses, start, &[cut], &map);
    assert_eq!(account.count(Cause::HeldUp), 1);
    cut.cmd.server_time = 4500;
    let account = Account::of(&told, &misses, start, &[cut], &map);
    assert_eq!(account.unexplained.last().map(|&(at, _)| at), Some(4600));
    let account = Account::of(&told, &misses[..4], start, &[], &map);
    assert_eq!((account.count(Cause::Knockback), account.count(Cause::Player)), (1, 1));
    assert_eq!(account.occasions, BTreeMap::from([(Cause::Knockback, 1), (Cause::Player, 1)]));
    let moments: Vec<u128> = account.unexplained.iter().map(|&(at, _)| at).collect();
    assert_eq!(moments, [1000, 3000]);
    assert_eq!(account.watched_ms, 99 * 50);
    assert!((3500..4300).contains(&account.judged_ms), "{}", account.judged_ms);
}
