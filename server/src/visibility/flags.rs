//! First gate: what the game itself has decided about an entity. Source: `SV_AddEntitiesVisibleFromPoint`.

use super::{Cause, Scene, Target, Verdict, View};
use crate::game::EntityLink;
use fogline_common::ids::ClientNum;
use fogline_common::proto::sv_flag;

/// Obeys the server flags.
pub(super) fn judge(view: &View<'_>, target: &Target<'_>, _: &Scene<'_>) -> Verdict {
    wish_of_game(&target.entity.link, view.client)
}

/// Whether the game wants a client told of an entity, wherever it is; `Pass` if it does not mind.
pub fn wish_of_game(link: &EntityLink, client: ClientNum) -> Verdict {
    let has = |flag: i32| link.sv_flags & flag != 0;
    if has(sv_flag::NOCLIENT) {
        return Verdict::Withhold(Cause::NoClient);
    }
    let me = client.index() as i32;
    let meant_for_others = (has(sv_flag::SINGLECLIENT) && link.single_client != me)
        || (has(sv_flag::NOTSINGLECLIENT) && link.single_client == me)
        || (has(sv_flag::CLIENTMASK) && !in_mask(link.single_client, me));
    if meant_for_others {
        return Verdict::Withhold(Cause::OtherClient);
    }
    if has(sv_flag::BROADCAST) {
        return Verdict::Send(Cause::Broadcast);
    }
    Verdict::Pass
}

/// A mask names the first 32 slots; the others are never in one.
fn in_mask(mask: i32, client: i32) -> bool {
    u32::try_from(client).is_ok_and(|client| client < 32 && (mask as u32 >> client) & 1 == 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::visibility::halls::{Halls, middle};

    fn check(client: usize, sv_flags: i32, single_client: i32, expected: Verdict) {
        let mut halls = Halls::new();
        let target = halls.put(100, middle(0), sv_flags, single_client);
        let me = ClientNum::new(client).unwrap();
        let verdict = halls.ask(("flags", judge), me, middle(0), target);
        assert_eq!(verdict, expected, "{sv_flags:#x} {single_client} for {client}");
    }

    #[test]
    fn the_wish_of_the_game_is_obeyed() {
        let others = Verdict::Withhold(Cause::OtherClient);
        check(3, 0, 0, Verdict::Pass);
        check(3, sv_flag::NOCLIENT | sv_flag::BROADCAST, 0, Verdict::Withhold(Cause::NoClient));
        check(3, sv_flag::SINGLECLIENT, 3, Verdict::Pass);
        check(3, sv_flag::SINGLECLIENT, 4, others);
        check(3, sv_flag::NOTSINGLECLIENT, 3, others);
        check(3, sv_flag::NOTSINGLECLIENT, 4, Verdict::Pass);
        check(3, sv_flag::CLIENTMASK, 1 << 3, Verdict::Pass);
        check(3, sv_flag::CLIENTMASK, 1 << 4, others);
        check(40, sv_flag::CLIENTMASK, -1, others);
        check(3, sv_flag::BROADCAST, 0, Verdict::Send(Cause::Broadcast));
        check(3, sv_flag::BROADCAST | sv_flag::SINGLECLIENT, 4, others);
    }
}
