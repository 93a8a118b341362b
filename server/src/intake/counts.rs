//! What became of every datagram that belonged to no client, by cause.

macro_rules! causes {
    ($($(#[$doc:meta])* $name:ident = $label:literal,)*) => {
        /// What became of one connectionless datagram.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Cause { $($(#[$doc])* $name,)* }

        impl Cause {
            /// Every cause, in the order of the table.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// The name shown to hosts and in metrics.
            pub const fn label(self) -> &'static str {
                match self { $(Self::$name => $label,)* }
            }
        }
    };
}

causes! {
    /// getinfo answered.
    InfoSent = "info_sent",
    /// getstatus answered.
    StatusSent = "status_sent",
    /// getchallenge answered.
    ChallengeSent = "challenge_sent",
    /// A connect with a good challenge, handed on.
    ConnectPassed = "connect_passed",
    /// A command with the right password, handed on.
    RconPassed = "rcon_passed",
    /// `disconnect` from nobody we know.
    DisconnectIgnored = "disconnect_ignored",
    /// No command that a server answers.
    UnknownCommand = "unknown_command",
    /// Longer than a peer may send.
    Oversized = "oversized",
    /// The address used up its allowance.
    PrefixFlood = "prefix_flood",
    /// All strangers together used up the allowance.
    GlobalFlood = "global_flood",
    /// A query's echo is longer than 128 characters.
    EchoTooLong = "echo_too_long",
    /// getchallenge for another game.
    WrongGame = "wrong_game",
    /// A connect that does not decompress, or holds no userinfo.
    ConnectMalformed = "connect_malformed",
    /// A connect whose challenge was not issued to this address, or too long ago.
    BadChallenge = "bad_challenge",
    /// A userinfo that is too long.
    UserinfoTooLong = "userinfo_too_long",
    /// A userinfo with control characters, quotes or semicolons.
    UserinfoForbidden = "userinfo_forbidden",
    /// rcon while no password is set.
    RconOff = "rcon_off",
    /// rcon with a wrong password.
    RconWrong = "rcon_wrong",
    /// rcon from an address that is locked.
    RconLocked = "rcon_locked",
}

/// One number per [`Cause`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts([u64; Cause::ALL.len()]);

impl Counts {
    /// One more.
    pub const fn count(&mut self, cause: Cause) {
        self.0[cause as usize] += 1;
    }

    /// So many until now.
    pub const fn of(&self, cause: Cause) -> u64 {
        self.0[cause as usize]
    }

    /// All of them, in the order of the table.
    pub fn iter(&self) -> impl Iterator<Item = (Cause, u64)> + '_ {
        Cause::ALL.iter().map(|&cause| (cause, self.of(cause)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_cause_has_its_own_number_and_label() {
        let mut counts = Counts::default();
        counts.count(Cause::RconLocked);
        counts.count(Cause::RconLocked);
        assert_eq!(counts.iter().filter(|&(_, n)| n > 0).collect::<Vec<_>>(), [(Cause::RconLocked, 2)]);
        let mut labels: Vec<_> = Cause::ALL.iter().map(|cause| cause.label()).collect();
        labels.sort_unstable();
        labels.dedup();
        assert_eq!(labels.len(), Cause::ALL.len());
    }
}
