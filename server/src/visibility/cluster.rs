//! Third gate: the PVS. Source: `SV_AddEntitiesVisibleFromPoint`, with the overflow rule done right (quirks.md).

use super::{Cause, Scene, Target, Verdict, View};
use fogline_common::ids::ClusterNum;

/// Withholds what touches no cluster in the PVS of the viewpoint.
pub(super) fn judge(view: &View<'_>, target: &Target<'_>, _: &Scene<'_>) -> Verdict {
    let record = target.record;
    if record.clusters().next().is_none() {
        return Verdict::Withhold(Cause::NoCluster);
    }
    let visible = |cluster: ClusterNum| view.pvs.get(cluster.index()).is_some_and(|bit| *bit);
    if record.touches_visible(visible) { Verdict::Pass } else { Verdict::Withhold(Cause::NotInPvs) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::visibility::halls::{Halls, middle};
    use fogline_common::ids::ClientNum;
    use fogline_common::math::{Vec3, vec3};

    fn check(from: Vec3, at: Vec3, expected: Verdict) {
        let mut halls = Halls::new();
        let target = halls.put(100, at, 0, 0);
        let verdict = halls.ask(("cluster", judge), ClientNum::new(0).unwrap(), from, target);
        assert_eq!(verdict, expected, "from {from:?} at {at:?}");
    }

    #[test]
    fn the_pvs_of_the_viewpoint_decides() {
        check(middle(0), middle(1), Verdict::Pass);
        check(middle(0), middle(2), Verdict::Withhold(Cause::NotInPvs));
        check(middle(3), middle(1), Verdict::Withhold(Cause::NotInPvs));
    }

    #[test]
    fn one_visible_cluster_of_several_is_enough() {
        check(middle(0), vec3(15.5, 0.0, 0.0), Verdict::Pass);
        check(middle(0), vec3(17.0, 0.0, 0.0), Verdict::Withhold(Cause::NotInPvs));
    }
}
