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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::visibility::Pose;
    use crate::visibility::halls::{Halls, middle};
    use fogline_common::ids::ClientNum;
    use fogline_common::time::ServerTime;

    #[test]
    fn who_was_seen_is_told_of_until_the_time_is_over() {
        let mut halls = Halls::new();
        let num = halls.put(5, middle(1), 0, 0);
        let [watcher, player] = [0, 5].map(|n| Pose::at(ClientNum::new(n).unwrap(), middle(1)));
        let clip = halls.world.clip_map().clone();
        let view = View { watcher: Some(&watcher), ..View::new(watcher.player, middle(0), &clip) };
        let scene = Scene { now: ServerTime(1000), ..halls.scene() };
        let ask = |until, pose| {
            let (entity, record) = (&halls.entities[num.index()], halls.world.record(num).unwrap());
            judge(&view, &Target { entity, record, pose, seen_until: until }, &scene)
        };
        assert_eq!(ask(Some(ServerTime(1001)), Some(&player)), Verdict::Send(Cause::Held));
        assert_eq!(ask(Some(ServerTime(1000)), Some(&player)), Verdict::Withhold(Cause::OutOfSight));
        assert_eq!(ask(None, Some(&player)), Verdict::Withhold(Cause::OutOfSight));
        assert_eq!(ask(None, None), Verdict::Pass);
    }
}
