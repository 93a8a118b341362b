//! A usercmd's claim that was not believed: the host and the log of claims are told.

use crate::clients::Session;
use crate::rewind::claims::{self, Entry};
use crate::rewind::report::Who;
use crate::server::Server;
use fogline_common::ids::ClientNum;
use fogline_common::proto::info_string;
use fogline_common::time::ServerTime;

impl Server {
    /// A client's clock was not believed: who, what and why, as often as its [`Ledger`](claims::Ledger) allows.
    pub(crate) fn report_claim(&mut self, num: ClientNum) {
        let now = self.engine.now;
        let Some((claim, judged)) = self.engine.rewind.claim_of(num) else { return };
        let (Some(fault), Some(session)) = (judged.fault, self.engine.clients.get_mut(num)) else { return };
        let telling = session.claims.note(now);
        let (who, refused) = (who(session), session.claims.refused);
        if telling.console {
            self.engine.log.line(format!(
                "client {num} ({}, guid {}) claims to have drawn {} ms, the oldest believed is {} ms: {fault} ({refused} \
                 such commands so far)",
                who.name, who.guid, claim.0, judged.oldest.0,
            ));
        }
        let config = self.engine.cvars.config();
        if let Some(unwritten) = telling.file.filter(|_| !config.sv_claimlog.is_empty()) {
            let entry = Entry {
                now: self.engine.level.as_ref().map_or(ServerTime(0), |level| level.time),
                claim,
                judged,
                by_present: config.sv_unlag_refuse,
                refused,
                unwritten,
            };
            self.engine.claim_log.line(claims::line(num, &who, &entry));
        }
    }

    /// A client goes: what its claims had no line for is told in one.
    pub(crate) fn close_claims(&mut self, num: ClientNum) {
        let now = self.engine.level.as_ref().map_or(ServerTime(0), |level| level.time);
        let Some(session) = self.engine.clients.get_mut(num) else { return };
        let Some(unwritten) = session.claims.close() else { return };
        if !self.engine.cvars.config().sv_claimlog.is_empty() {
            let line = claims::closing_line(num, &who(session), now, session.claims.refused, unwritten);
            self.engine.claim_log.line(line);
        }
    }
}

fn who(session: &Session) -> Who<'_> {
    Who { name: &session.name, guid: info_string::value(&session.userinfo, "cl_guid") }
}
