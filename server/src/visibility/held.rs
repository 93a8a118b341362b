//! Sixth gate: a player that was in sight a moment ago is still told of; any other that no gate before has sent is not.

use super::{Cause, Mode, Scene, Target, Verdict, View};

/// Decides about players by the memory of having seen them. Anything else passes.
pub(super) fn judge(view: &View<'_>, target: &Target<'_>, scene: &Scene<'_>) -> Verdict {
    if scene.rules.mode == Mode::Off || view.watcher.is_none() || target.pose.is_none() {
        return Verdict::Pass;
    }
    let held = target.seen_until.is_some_and(|until| until > scene.now);
    if held { Verdict::Send(Cause::Held) } else { Verdict::Withhold(Cause::OutOfSight) }
}
