//! The scramble of the legacy wire: each byte crossed with a running key that a listener cannot know who has not followed the
//! conversation.
//!
//! ```text
//!  key  = low byte of a start value
//!  byte i: key ^= character(text, i) << (i & 1);  byte ^= key        text repeats, without its NUL; % and above 127 count as dots
//! ```
//!
//! The key does not depend on the bytes, so doing it twice undoes it. `i` counts within the message, the clear bytes included. From
//! server to client the text is the last client command that the server has executed, from client to server the server command that
//! the client acknowledges in this message. An empty text adds nothing. Source: facts page "q3-protocol-facts", section 4.

use crate::ids::Sequence;
use crate::wire::bits::{BitReader, until_nul, wire_char};

/// Clear bytes of a message from the server: about the client command acknowledged.
const SERVER_CLEAR_BYTES: usize = 4;
/// Clear bytes of a message from a client: about its three leading numbers.
const CLIENT_CLEAR_BYTES: usize = 12;

/// Scrambles a server's message, or undoes it. `client_command` is the text of the client command that the message acknowledges.
pub(super) fn cross_server_message(
    message: &mut [u8],
    challenge: i32,
    sequence: Sequence,
    client_command: &[u8],
) {
    cross(message, SERVER_CLEAR_BYTES, challenge as u8 ^ sequence.0 as u8, client_command);
}

/// Scrambles a client's message, or undoes it. `server_command` is the text of the server command that the message acknowledges.
pub(super) fn cross_client_message(message: &mut [u8], challenge: i32, server_command: &[u8]) {
    let mut r = BitReader::new(message);
    let (server_id, message_acknowledge) = (r.read_long(), r.read_long());
    let start = challenge as u8 ^ server_id as u8 ^ message_acknowledge as u8;
    cross(message, CLIENT_CLEAR_BYTES, start, server_command);
}

/// The number of the command by whose text a message is crossed, read from its clear part: the leading number of a server's message,
/// the third of a client's.
pub(super) fn command_acknowledged(message: &[u8], from_client: bool) -> i32 {
    let mut r = BitReader::new(message);
    if from_client {
        r.read_long();
        r.read_long();
    }
    r.read_long()
}

fn cross(message: &mut [u8], clear_bytes: usize, start: u8, text: &[u8]) {
    let text = until_nul(text);
    let text = if text.is_empty() { &[0][..] } else { text };
    let mut key = start;
    let mut characters = text.iter();
    for (place, byte) in message.iter_mut().enumerate().skip(clear_bytes) {
        let character = match characters.next() {
            Some(&character) => character,
            None => {
                characters = text[1..].iter();
                text[0]
            }
        };
        key ^= wire_char(character) << (place & 1);
        *byte ^= key;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crossing_twice_changes_nothing() {
        let plain: Vec<u8> = (0..200).collect();
        let mut message = plain.clone();
        cross_server_message(&mut message, 77, Sequence(9), b"say 100%");
        assert_eq!(message[..4], plain[..4]);
        assert_ne!(message, plain);
        cross_server_message(&mut message, 77, Sequence(9), b"say 100%");
        assert_eq!(message, plain);
    }

    #[test]
    fn short_messages_stay_clear() {
        for length in 0..=12 {
            let mut message = vec![0xaa; length];
            cross_client_message(&mut message, -1, b"text");
            assert_eq!(message, vec![0xaa; length]);
        }
    }
}
