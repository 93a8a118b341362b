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

/// The clusters of an entity as the reference keeps them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReferenceClusters<'a> {
    /// How many the entity itself has; those below may be its owner's.
    pub own_count: usize,
    /// The first of them, in the order of the tree, with repetitions.
    pub listed: &'a [i32],
    /// The last of all, if there were too many to list; 0 if not.
    pub last: i32,
}

/// What the reference's gate says, with its overflow rule: it looks for a visible cluster from the last listed one on, and takes
/// the entity for hidden only if the *last* one is the first to be found. Source: facts page "visibility-openmohaa", gate 15.
///
/// The server itself keeps clusters sorted and scans them right in both profiles (quirks.md#clusters), so this is kept for
/// comparison alone.
pub fn reference_passes(clusters: &ReferenceClusters<'_>, visible: impl Fn(i32) -> bool) -> bool {
    if clusters.own_count == 0 {
        return false;
    }
    if clusters.listed.iter().any(|&cluster| visible(cluster)) {
        return true;
    }
    let Some(&last_listed) = clusters.listed.last().filter(|_| clusters.last != 0) else { return false };
    let found = (last_listed..=clusters.last).find(|&cluster| visible(cluster));
    // Nothing found: the original's counter has run past the last.
    found != Some(clusters.last)
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
