//! The flags of the command line, up to the first word that begins with `+`.

use crate::config::{By, CvarError, Cvars};
use clap::Parser;
use clap::error::{ContextKind, ContextValue};
use std::net::IpAddr;
use std::path::PathBuf;

/// A dedicated server for Quake III-family shooters that tells no client what it cannot see.
///
/// After these flags come console commands as every Quake server takes them, each beginning with a plus sign:
/// fogline +set fs_basepath DIR +set com_basegame baseoa +map oa_dm1
#[derive(Clone, Debug, Default, Parser)]
#[command(
    name = "fogline",
    version,
    verbatim_doc_comment,
    override_usage = "fogline [OPTIONS] [+COMMAND ...]"
)]
pub struct Flags {
    /// Folder that holds the game folders and is only read (fs_basepath)
    #[arg(long, value_name = "DIR")]
    pub basepath: Option<String>,
    /// Folder that holds your game folders and is the only one ever written (fs_homepath)
    #[arg(long, value_name = "DIR")]
    pub homepath: Option<String>,
    /// Game folder of a modification (fs_game)
    #[arg(long, value_name = "NAME")]
    pub game: Option<String>,
    /// UDP port to listen at, 0 for any free one (net_port)
    #[arg(long, value_name = "PORT")]
    pub port: Option<u16>,
    /// Address to listen at; the other family is turned off (net_ip or net_ip6)
    #[arg(long, value_name = "ADDRESS")]
    pub bind: Option<IpAddr>,
    /// Read everything, start the map, say what is wrong, and end
    #[arg(long)]
    pub check_config: bool,
    /// Print every cvar with its description as a cfg file, and end
    #[arg(long)]
    pub dump_cvars: bool,
    /// Record the run, so that it can be replayed
    #[arg(long, value_name = "FILE")]
    pub journal: Option<PathBuf>,
    /// Replay a recorded run as fast as it goes, say whether the same comes out, and end
    #[arg(long, value_name = "FILE", conflicts_with = "journal")]
    pub replay: Option<PathBuf>,
}

impl Flags {
    /// From the words before the first that begins with a plus sign, the program's name among them.
    ///
    /// # Errors
    /// What is wrong, with its exit code. A word without a dash is most likely a command whose plus sign was forgotten.
    pub fn from_words(words: impl IntoIterator<Item = String>) -> Result<Self, clap::Error> {
        Self::try_parse_from(words).map_err(|mut error| {
            if let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidArg)
                && !word.starts_with('-')
            {
                let tip =
                    format!("console commands begin with a plus sign: +{word}, or +map {word} for a map");
                error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
            }
            error
        })
    }

    /// Sets the cvars that the flags stand for.
    ///
    /// # Errors
    /// If a value cannot be a cvar's.
    pub fn apply(&self, cvars: &mut Cvars) -> Result<(), CvarError> {
        let port = self.port.map(|port| port.to_string());
        let bind = self.bind.map(|ip| ip.to_string());
        let v4 = self.bind.is_some_and(|ip| ip.is_ipv4());
        let family = bind.is_some().then_some(if v4 { "1" } else { "2" });
        let settings = [
            ("fs_basepath", self.basepath.as_deref()),
            ("fs_homepath", self.homepath.as_deref()),
            ("fs_game", self.game.as_deref()),
            ("net_port", port.as_deref()),
            (if v4 { "net_ip" } else { "net_ip6" }, bind.as_deref()),
            ("net_enabled", family),
        ];
        for (name, value) in settings {
            if let Some(value) = value {
                cvars.set(name, value, By::Host)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_stand_for_cvars() {
        let flags =
            Flags::try_parse_from(["fogline", "--basepath", "/data", "--port=27970", "--bind", "::1"]);
        let mut cvars = Cvars::new();
        flags.unwrap().apply(&mut cvars).unwrap();
        cvars.seal();
        let config = cvars.config();
        assert_eq!((config.fs_basepath.as_str(), config.net_port), ("/data", 27970));
        assert_eq!((config.net_ip6.as_str(), config.net_enabled), ("::1", 2));
    }

    #[test]
    fn a_flag_that_is_none_is_refused_and_a_stray_word_too() {
        for args in [&["fogline", "--bogus"][..], &["fogline", "oa_dm1"], &["fogline", "--port", "70000"]] {
            assert_eq!(Flags::try_parse_from(args).unwrap_err().exit_code(), 2, "{args:?}");
        }
    }

    #[test]
    fn a_forgotten_plus_sign_is_said_so() {
        let said =
            |word: &str| Flags::from_words(["fogline", word].map(str::to_owned)).unwrap_err().to_string();
        assert!(said("oa_dm1").contains("+map oa_dm1"), "{}", said("oa_dm1"));
        assert!(!said("--bogus").contains("plus sign"));
    }
}
