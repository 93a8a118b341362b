//! Events that the client predicts: it plays them at once and recognises them by their sequence when the server's come.

use crate::proto::PlayerState;

/// Appends an event to the two latest of the state. Source: `BG_AddPredictableEventToPlayerstate`.
pub fn add_predictable_event(ps: &mut PlayerState, event: i32, parm: i32) {
    let slot = (ps.event_sequence & (MAX_PS_EVENTS - 1)) as usize;
    ps.events[slot] = event;
    ps.event_parms[slot] = parm;
    ps.event_sequence = ps.event_sequence.wrapping_add(1);
}

/// Events that a state keeps; the sequence number modulo this is the slot.
pub(super) const MAX_PS_EVENTS: i32 = 2;
