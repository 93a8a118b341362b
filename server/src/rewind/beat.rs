//! The pictures that a client drew, as its usercmds tell of them, and what their rhythm gives away.
//!
//! Each usercmd claims the moment that was drawn before it was made, so the commands of a packet are a list of pictures. A stock
//! client's clock moves with its frames, and by 1 ms forward or 2 ms back more in each frame that brought a snapshot
//! (`CL_AdjustTimeDelta`). Where frames are even, the steps between claims therefore say which pictures were the first with a new
//! snapshot.

use fogline_common::proto::limits::MAX_PACKET_USERCMDS;
use fogline_common::time::{Millis, ServerTime};

/// Steps that make an opinion of the frame time.
const STEPS: usize = 32;
/// Steps before there is one.
const STEPS_BEGIN: usize = 16;
/// The clock's own moves in a frame with a new snapshot. Source: `CL_AdjustTimeDelta`. Unit: ms.
const MOVES: [i32; 2] = [1, -2];
/// Moves of the clock in the last steps may be so many more or fewer than snapshots were due.
const MOVES_OFF: i32 = 5;

/// The pictures that the new commands of one packet tell of, in order.
#[derive(Clone, Copy, Debug)]
pub struct Pictures {
    drawn: [ServerTime; MAX_PACKET_USERCMDS],
    count: usize,
    /// No picture is missing between the last one known before and the first of these.
    pub follows: bool,
}

impl Pictures {
    /// None yet.
    pub const fn none(follows: bool) -> Self {
        Self { drawn: [ServerTime(0); MAX_PACKET_USERCMDS], count: 0, follows }
    }

    /// One more; what does not fit is left out.
    pub fn push(&mut self, drawn: ServerTime) {
        if let Some(slot) = self.drawn.get_mut(self.count) {
            *slot = drawn;
            self.count += 1;
        }
    }

    /// The moments drawn.
    pub fn drawn(&self) -> &[ServerTime] {
        &self.drawn[..self.count]
    }

    /// A moment before which the first picture after these cannot be. `None` if there are none.
    pub fn after(&self) -> Option<ServerTime> {
        Some(*self.drawn().last()? + Millis(1))
    }
}

/// Whether a picture was the first with a new snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Brought {
    /// It was.
    New,
    /// It was not.
    Nothing,
    /// Nobody can tell.
    Unknown,
}

/// A client's frame time, as its last steps from picture to picture show it.
#[derive(Clone, Debug, Default)]
pub struct Beat {
    /// Shape: ring. Unit: ms.
    steps: [i32; STEPS],
    count: usize,
}

impl Beat {
    /// The time from one picture to the next.
    pub fn push(&mut self, step: Millis) {
        self.steps[self.count % STEPS] = step.0;
        self.count += 1;
    }

    /// Time of a frame on average; at least 1 ms.
    pub fn mean(&self) -> Millis {
        let steps = &self.steps[..self.count.min(STEPS)];
        Millis(steps.iter().sum::<i32>() / (steps.len() as i32).max(1)).max(Millis(1))
    }

    /// Time of a frame, if frames are so even that the clock's own moves stand out. `period`: time from one snapshot to the next.
    pub fn frame(&self, period: Millis) -> Option<Millis> {
        let steps = &self.steps[..self.count.min(STEPS)];
        if steps.len() < STEPS_BEGIN {
            return None;
        }
        let share = |of: i32| steps.iter().filter(|&&step| step == of).count();
        let most = *steps.iter().max_by_key(|&&step| (share(step), step))?;
        let span: i32 = steps.iter().sum();
        let due = (span / period.0.max(1)).min(steps.len() as i32);
        // Where snapshots come with most pictures, it is the moved clock that is seen most.
        let moved = |frame: i32| MOVES.iter().map(|by| share(frame + by)).sum::<usize>();
        let off = |frame: i32| (moved(frame) as i32 - due).abs();
        let is_even = |frame: &i32| share(*frame) + moved(*frame) == steps.len() && off(*frame) <= MOVES_OFF;
        let frames = [most, most - MOVES[0], most - MOVES[1]];
        frames.into_iter().filter(is_even).min_by_key(|&frame| off(frame)).map(Millis)
    }

    /// What the step after a picture says about it, by frames of `frame`.
    pub fn brought(frame: Option<Millis>, step: Millis) -> Brought {
        match frame.map(|frame| step.0 - frame.0) {
            Some(0) => Brought::Nothing,
            Some(by) if MOVES.contains(&by) => Brought::New,
            _ => Brought::Unknown,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn beat(steps: impl Iterator<Item = i32>) -> Beat {
        let mut beat = Beat::default();
        steps.for_each(|step| beat.push(Millis(step)));
        beat
    }

    #[test]
    fn even_frames_show_the_moves_of_the_clock() {
        let frame = beat((0..60).map(|n| 12 + [1, 0, 0, 0, -2, 0, 0, 0][n % 8])).frame(Millis(50));
        assert_eq!(frame, Some(Millis(12)));
        let brought = [12, 13, 10, 11].map(|step| Beat::brought(frame, Millis(step)));
        assert_eq!(brought, [Brought::Nothing, Brought::New, Brought::New, Brought::Unknown]);
    }

    #[test]
    fn uneven_frames_and_too_many_moves_say_nothing() {
        assert_eq!(beat((0..60).map(|n| 12 + n % 5)).frame(Millis(50)), None);
        // One step in two a millisecond longer: that is the frames, not snapshots every 200 ms.
        assert_eq!(beat((0..60).map(|n| 11 + n % 2)).frame(Millis(200)), None);
        assert_eq!(beat(std::iter::repeat_n(12, 9)).frame(Millis(50)), None);
        assert_eq!(Beat::brought(None, Millis(12)), Brought::Unknown);
    }
}
