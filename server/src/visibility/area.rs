//! Second gate: closed doors. Source: `SV_AddEntitiesVisibleFromPoint`, `CM_AreasConnected`.

use super::{Cause, Scene, Target, Verdict, View};

/// Withholds what only touches areas that no open portal joins with the viewpoint's.
///
/// A door may stand in two areas; either will do.
pub(super) fn judge(view: &View<'_>, target: &Target<'_>, scene: &Scene<'_>) -> Verdict {
    let Some(from) = view.area else { return Verdict::Pass };
    let joined = target.record.areas.iter().flatten().any(|&to| scene.portals.connected(from, to));
    if joined { Verdict::Pass } else { Verdict::Withhold(Cause::ClosedArea) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::visibility::halls::{Halls, middle};
    use fogline_common::ids::ClientNum;
    use fogline_common::math::vec3;

    fn ask(halls: &mut Halls, at: fogline_common::math::Vec3) -> Verdict {
        let target = halls.put(100, at, 0, 0);
        halls.ask(("area", judge), ClientNum::new(0).unwrap(), middle(1), target)
    }

    #[test]
    fn a_closed_door_withholds_what_is_behind_it() {
        let mut halls = Halls::new();
        assert_eq!(ask(&mut halls, middle(2)), Verdict::Pass);
        halls.set_portal(false);
        assert_eq!(ask(&mut halls, middle(2)), Verdict::Withhold(Cause::ClosedArea));
        assert_eq!(ask(&mut halls, middle(0)), Verdict::Pass);
    }

    #[test]
    fn what_stands_in_both_areas_is_seen_from_either() {
        let mut halls = Halls::new();
        halls.set_portal(false);
        assert_eq!(ask(&mut halls, vec3(14.0, 0.0, 0.0)), Verdict::Pass);
        assert_eq!(ask(&mut halls, vec3(17.0, 0.0, 0.0)), Verdict::Withhold(Cause::ClosedArea));
    }
}
