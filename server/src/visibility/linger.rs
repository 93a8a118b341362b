//! The only state of the filter over time: until when each pair of players counts as seen without being looked for.
//!
//! In the compat profile this is what the reference has: a time of the next look, one a pair of slots, never forgotten. In the
//! default profile it is a linger: a player stays told of for `vistime` after it was last in sight, unless either of the two
//! has been reborn or teleported since, or left its slot to another.

use super::{Life, Pose, Profile};
use fogline_common::ids::ClientNum;
use fogline_common::proto::limits::MAX_CLIENTS;
use fogline_common::time::{Millis, ServerTime};

/// What is remembered of one pair.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Memory {
    until: Option<ServerTime>,
    lives: [Life; 2],
}

/// Until when each pair of players counts as seen. Shape: viewer by target. Unit: ms of server time.
///
/// A viewer is whose eyes are used: a follower shares the memory of the player that it follows, and so is told the same.
#[derive(Debug)]
pub struct Linger {
    memories: Box<[Memory]>,
}

impl Default for Linger {
    fn default() -> Self {
        Self { memories: vec![Memory::default(); MAX_CLIENTS * MAX_CLIENTS].into() }
    }
}

impl Linger {
    /// Until when the target counts as seen, if that is remembered and, in the default profile, means these two lives.
    pub fn until(&self, profile: Profile, viewer: &Pose, target: &Pose) -> Option<ServerTime> {
        let memory = &self.memories[index(viewer.player, target.player)];
        let same = memory.lives == [viewer.life, target.life];
        memory.until.filter(|_| same || profile == Profile::Compat)
    }

    /// The target was found in sight.
    pub fn saw(&mut self, viewer: &Pose, target: &Pose, now: ServerTime, vistime: Millis) {
        let memory = &mut self.memories[index(viewer.player, target.player)];
        *memory = Memory { until: Some(now + vistime), lives: [viewer.life, target.life] };
    }

    /// Whoever connects to a slot has seen nobody. Source: the reference clears its whole client record.
    pub fn forget_viewer(&mut self, viewer: ClientNum) {
        let first = viewer.index() * MAX_CLIENTS;
        self.memories[first..first + MAX_CLIENTS].fill(Memory::default());
    }

    /// A new map: time begins anew.
    pub fn clear(&mut self) {
        self.memories.fill(Memory::default());
    }
}

fn index(viewer: ClientNum, target: ClientNum) -> usize {
    viewer.index() * MAX_CLIENTS + target.index()
}

#[cfg(test)]
mod tests {
    use super::*;
    use fogline_common::math::Vec3;

    fn pose(n: usize, life: Life) -> Pose {
        Pose { life, ..Pose::at(ClientNum::new(n).unwrap(), Vec3::ZERO) }
    }

    #[test]
    fn a_pair_is_remembered_for_a_while_and_one_way() {
        let (mut linger, life) = (Linger::default(), Life::default());
        let (a, b) = (pose(1, life), pose(2, life));
        linger.saw(&a, &b, ServerTime(1000), Millis(200));
        assert_eq!(linger.until(Profile::Meant, &a, &b), Some(ServerTime(1200)));
        assert_eq!(linger.until(Profile::Meant, &b, &a), None);
        linger.forget_viewer(a.player);
        assert_eq!(linger.until(Profile::Compat, &a, &b), None);
    }

    #[test]
    fn another_life_is_not_remembered_but_in_the_reference() {
        let mut linger = Linger::default();
        let (a, b) = (pose(1, Life::default()), pose(2, Life::default()));
        linger.saw(&a, &b, ServerTime(1000), Millis(200));
        for changed in [
            Life { births: 1, ..Life::default() },
            Life { teleports: true, ..Life::default() },
            Life { connection: 7, ..Life::default() },
        ] {
            let reborn = pose(2, changed);
            assert_eq!(linger.until(Profile::Meant, &a, &reborn), None);
            assert_eq!(linger.until(Profile::Meant, &pose(1, changed), &b), None);
            assert_eq!(linger.until(Profile::Compat, &a, &reborn), Some(ServerTime(1200)));
        }
    }
}
