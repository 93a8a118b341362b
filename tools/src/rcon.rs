//! `fogtool rcon`: a line for a server's console, from afar.

use crate::query::readable;
use crate::rim::ask::{Patience, ask};
use crate::rim::resolve;
use clap::Args;
use fogline_common::time::Millis;

/// Names the password if the command line should not.
const PASSWORD_VARIABLE: &str = "FOGTOOL_RCON_PASSWORD";
/// Beginnings of what servers say instead of obeying. Source: `SVC_RemoteCommand`.
const REFUSALS: [&str; 3] = ["Bad rconpassword", "No rconpassword set", "Bad rcon"];

/// Whom to tell what.
#[derive(Args, Debug)]
pub struct RconArgs {
    /// The server, as host or host:port.
    pub address: String,
    /// Its rconPassword; - to take it from the variable FOGTOOL_RCON_PASSWORD, so that no list of processes shows it.
    pub password: String,
    /// The line for its console.
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    pub command: Vec<String>,
    /// How long to wait for the first answer, in milliseconds.
    #[arg(long, value_name = "MS", default_value_t = 2000, value_parser = clap::value_parser!(i32).range(1..=60_000))]
    pub timeout: i32,
    /// After an answer, how long to wait for more of it, in milliseconds.
    #[arg(long, value_name = "MS", default_value_t = 300, value_parser = clap::value_parser!(i32).range(1..=60_000))]
    pub quiet: i32,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// What a server made of it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Reply {
    text: String,
    refused: bool,
}

/// Tells the server and prints its answer. Whether it answered and obeyed. The line is sent once only, since it may not be
/// harmless to run twice.
///
/// # Errors
/// A sentence, if it could not even ask.
pub fn run(args: &RconArgs) -> Result<bool, String> {
    let server = resolve(&args.address)?;
    let password = if args.password == "-" {
        std::env::var(PASSWORD_VARIABLE)
            .map_err(|_| format!("password -: the variable {PASSWORD_VARIABLE} is not set"))?
    } else {
        args.password.clone()
    };
    let question = question(&password, &args.command)?;
    let patience = Patience { timeout: Millis(args.timeout), tries: 1, quiet: Some(Millis(args.quiet)) };
    let answer =
        ask(server, question.as_bytes(), "print", &patience).map_err(|error| format!("{server}: {error}"))?;
    let reply = answer.map(|answer| read(&answer.texts));
    if args.json {
        let text = reply.as_ref().map(|reply| reply.text.as_str());
        let refused = reply.as_ref().map(|reply| reply.refused);
        say!("{:#}", serde_json::json!({ "address": server.to_string(), "text": text, "refused": refused }));
    } else if let Some(reply) = &reply {
        show!("{}", readable(&reply.text));
    } else {
        eprintln!("fogtool: {server} does not answer within {} ms", args.timeout);
    }
    Ok(reply.is_some_and(|reply| !reply.refused))
}

/// The datagram without its mark.
fn question(password: &str, command: &[String]) -> Result<String, String> {
    if password.contains('"') {
        return Err("the password holds a quote, which no server can be told".to_owned());
    }
    Ok(format!("rcon \"{password}\" {}", command.join(" ")))
}

/// A refusal is short and the whole answer; text that merely holds the words is none.
fn read(texts: &[Vec<u8>]) -> Reply {
    let text = String::from_utf8_lossy(&texts.concat()).into_owned();
    let refused =
        REFUSALS.iter().any(|words| text.starts_with(words)) && text.trim_end().lines().count() == 1;
    Reply { text, refused }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_password_is_one_word_whatever_is_in_it() {
        let command = ["say".to_owned(), "a b".to_owned()];
        assert_eq!(question("my secret", &command).unwrap(), "rcon \"my secret\" say a b");
        assert!(question("a\"b", &command).is_err());
    }

    #[test]
    fn refusals_are_told_from_output() {
        let reply =
            |texts: &[&str]| read(&texts.iter().map(|text| text.as_bytes().to_vec()).collect::<Vec<_>>());
        assert!(reply(&["Bad rconpassword.\n"]).refused);
        assert!(!reply(&["map: oa_dm1\n", "Bad rconpassword.\n"]).refused);
        assert_eq!(reply(&["one ", "two\n"]).text, "one two\n");
        assert!(!reply(&[""]).refused);
    }
}
