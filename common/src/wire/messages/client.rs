//! What a client says: acknowledgements, text commands, usercmds.
//!
//! ```text
//! command   4 | number 32 | text
//! move      2 or 3 | count 8 | count × usercmd          2: send me changes from the message that I acknowledge, 3: send me all
//! voice     6 or 7 | generation 8 | number 32 | frames 8 | to whom 8 × 8 | flags 8 | size 16 | size × 8      ioq3 wire only
//! end       5
//! ```

use super::super::bits::{BitReader, BitWriter};
use super::super::delta::{move_key, read_usercmd, write_usercmd};
use super::super::error::{ParseError, Warn, Warning};
use super::super::netchan::WireKind;
use crate::proto::UserCmd;
use crate::proto::limits::{MAX_CLIENTS, MAX_PACKET_USERCMDS, MAX_RELIABLE_COMMANDS, MAX_STRING_CHARS};

/// One message of a client.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClientMessage {
    /// The map that the client believes to be on: the `sv_serverid` of its gamestate.
    pub server_id: i32,
    /// The newest message that it has received.
    pub message_acknowledge: i32,
    /// The newest server command that it has received.
    pub reliable_acknowledge: i32,
    /// What it says, in order.
    pub ops: Vec<ClientOp>,
}

/// One thing that a client says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClientOp {
    /// A text command, repeated in every message until acknowledged.
    Command {
        /// Its number.
        sequence: i32,
        /// Its text, without terminator.
        text: Vec<u8>,
    },
    /// Usercmds, oldest first; the older ones were sent before, in case they were lost. Nothing comes after them.
    Move {
        /// Whether the next snapshot may be a change from the message acknowledged.
        delta: bool,
        /// 1 to 32 of them.
        cmds: Vec<UserCmd>,
    },
    /// A voice packet, passed over.
    Voice {
        /// Bytes of sound.
        bytes: u16,
    },
}

/// What one must know to understand a client's message.
#[derive(Clone, Copy)]
pub struct ClientContext<'a> {
    /// The framing that the client speaks.
    pub wire: WireKind,
    /// The checksum feed of the gamestate that the client has.
    pub checksum_feed: i32,
    /// The text of the server command of that number; any number may be asked for.
    pub command_text: &'a dyn Fn(i32) -> &'a [u8],
}

impl ClientMessage {
    /// Reads a message from which the netchan has taken header and scramble.
    ///
    /// # Errors
    /// If it is not one; nothing of it should be believed then.
    pub fn parse(
        message: &[u8],
        context: &ClientContext<'_>,
        warn: &mut dyn Warn,
    ) -> Result<Self, ParseError> {
        let mut parsed = Self::default();
        parsed.parse_into(message, context, warn).map(|()| parsed)
    }

    /// As [`parse`](Self::parse), into buffers that are there already. After an error the content is of no meaning.
    ///
    /// # Errors
    /// If it is not one.
    pub fn parse_into(
        &mut self,
        message: &[u8],
        context: &ClientContext<'_>,
        warn: &mut dyn Warn,
    ) -> Result<(), ParseError> {
        let mut cmds_buffer = self.take_cmds_buffer();
        let mut r = BitReader::new(message);
        self.server_id = r.expect_long("server id of client message")?;
        self.message_acknowledge = r.expect_long("message acknowledged by client message")?;
        self.reliable_acknowledge = r.expect_long("command acknowledged by client message")?;
        loop {
            const READING: &str = "operation of client message";
            let op = r.expect_byte(READING)?;
            let is_over = matches!(self.ops.last(), Some(ClientOp::Move { .. }));
            match op {
                END => break,
                NOP => warn.warn(Warning::Nop { at_bit: r.bit() }),
                COMMAND if !is_over => {
                    let command = read_command(&mut r)?;
                    if self.ops.len() >= MAX_RELIABLE_COMMANDS {
                        let value = self.ops.len() as i32 + 1;
                        return Err(ParseError::OutOfRange {
                            reading: "count of client's operations",
                            value,
                            at_bit: r.bit(),
                        });
                    }
                    self.ops.push(command);
                }
                MOVE | MOVE_NO_DELTA if !is_over => {
                    let text = (context.command_text)(self.reliable_acknowledge);
                    let key = move_key(context.checksum_feed, self.message_acknowledge, text);
                    let mut cmds = std::mem::take(&mut cmds_buffer);
                    read_cmds(&mut r, key, &mut cmds)?;
                    self.ops.push(ClientOp::Move { delta: op == MOVE, cmds });
                }
                VOICE_SPEEX | VOICE_OPUS if !is_over && context.wire == WireKind::Ioq3 => {
                    self.ops.push(read_voice(&mut r)?);
                }
                op => return Err(ParseError::UnknownOp { reading: READING, op, at_bit: r.bit() }),
            }
        }
        r.warn_after_end(warn);
        Ok(())
    }

    /// Writes the message, without end mark. Voice is left out: there is no sound to it.
    ///
    /// # Panics
    /// In debug builds on a move of no usercmds or of more than 32.
    pub fn emit(&self, w: &mut BitWriter, context: &ClientContext<'_>) {
        write_client_head(w, self.server_id, self.message_acknowledge, self.reliable_acknowledge);
        for op in &self.ops {
            match op {
                ClientOp::Command { sequence, text } => write_client_command(w, *sequence, text),
                ClientOp::Move { delta, cmds } => {
                    let text = (context.command_text)(self.reliable_acknowledge);
                    let key = move_key(context.checksum_feed, self.message_acknowledge, text);
                    write_move(w, *delta, key, cmds);
                }
                ClientOp::Voice { .. } => {}
            }
        }
    }

    /// Empties the message and saves the buffer of its usercmds, so that steady play allocates nothing.
    fn take_cmds_buffer(&mut self) -> Vec<UserCmd> {
        let mut buffers = self.ops.drain(..).filter_map(|op| match op {
            ClientOp::Move { cmds, .. } => Some(cmds),
            _ => None,
        });
        buffers.next_back().unwrap_or_default()
    }
}

/// Begins a client's message.
pub fn write_client_head(
    w: &mut BitWriter,
    server_id: i32,
    message_acknowledge: i32,
    reliable_acknowledge: i32,
) {
    w.write_long(server_id);
    w.write_long(message_acknowledge);
    w.write_long(reliable_acknowledge);
}

/// Adds a text command.
pub fn write_client_command(w: &mut BitWriter, sequence: i32, text: &[u8]) {
    w.write_byte(COMMAND.into());
    w.write_long(sequence);
    w.write_text(text, MAX_STRING_CHARS);
}

/// Adds usercmds, oldest first; nothing may follow. `key` is [`move_key`] of this message.
///
/// # Panics
/// In debug builds if there are none or more than 32.
pub fn write_move(w: &mut BitWriter, delta: bool, key: i32, cmds: &[UserCmd]) {
    debug_assert!((1..=MAX_PACKET_USERCMDS).contains(&cmds.len()), "{} usercmds", cmds.len());
    w.write_byte(if delta { MOVE } else { MOVE_NO_DELTA }.into());
    w.write_byte(cmds.len() as i32);
    let mut from = UserCmd::default();
    for cmd in cmds {
        write_usercmd(w, key, &from, cmd);
        from = *cmd;
    }
}

fn read_command(r: &mut BitReader<'_>) -> Result<ClientOp, ParseError> {
    let sequence = r.expect_long("number of client command")?;
    let mut text = Vec::new();
    r.expect_text(MAX_STRING_CHARS, "text of client command", &mut text)?;
    Ok(ClientOp::Command { sequence, text })
}

fn read_cmds(r: &mut BitReader<'_>, key: i32, cmds: &mut Vec<UserCmd>) -> Result<(), ParseError> {
    const READING: &str = "count of usercmds";
    let count = r.expect_byte(READING)?;
    if !(1..=MAX_PACKET_USERCMDS).contains(&count.into()) {
        return Err(ParseError::OutOfRange { reading: READING, value: count.into(), at_bit: r.bit() });
    }
    cmds.clear();
    let mut from = UserCmd::default();
    for _ in 0..count {
        from = read_usercmd(r, key, &from)?;
        cmds.push(from);
    }
    Ok(())
}

fn read_voice(r: &mut BitReader<'_>) -> Result<ClientOp, ParseError> {
    const READING: &str = "size of voice packet";
    r.read_byte();
    r.read_long();
    r.read_byte();
    (0..MAX_CLIENTS / 8).for_each(|_| _ = r.read_byte());
    r.read_byte();
    let size = r.expect_short(READING)?;
    // The reference believes any size and loops over it, for more than a second if it is negative.
    let bytes = u16::try_from(size).ok().filter(|&bytes| bytes <= VOICE_BYTES_MAX);
    let bytes =
        bytes.ok_or(ParseError::OutOfRange { reading: READING, value: size.into(), at_bit: r.bit() })?;
    (0..bytes).for_each(|_| _ = r.read_byte());
    r.check("sound of voice packet").map(|()| ClientOp::Voice { bytes })
}

const NOP: u8 = 1;
const MOVE: u8 = 2;
const MOVE_NO_DELTA: u8 = 3;
const COMMAND: u8 = 4;
const END: u8 = 5;
const VOICE_SPEEX: u8 = 6;
const VOICE_OPUS: u8 = 7;

/// Bytes of sound that the reference has room for.
const VOICE_BYTES_MAX: u16 = 4000;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{IgnoreWarnings, netchan::WireKind};
    use proptest::prelude::*;

    fn context(wire: WireKind) -> ClientContext<'static> {
        ClientContext { wire, checksum_feed: 0x1234_5678, command_text: &|_| b"cs 1 \"x\"" }
    }

    fn parse(w: &BitWriter, wire: WireKind) -> Result<ClientMessage, ParseError> {
        ClientMessage::parse(w.bytes(), &context(wire), &mut IgnoreWarnings)
    }

    fn head() -> BitWriter {
        let mut w = BitWriter::new();
        write_client_head(&mut w, 1, 2, 3);
        w
    }

    fn voice(size: i32, sent: usize) -> BitWriter {
        let mut w = head();
        w.write_byte(VOICE_OPUS.into());
        w.write_byte(0);
        w.write_long(1);
        w.write_data(&[0; 10]);
        w.write_short(size);
        w.write_data(&vec![0; sent]);
        w.write_byte(END.into());
        w
    }

    #[test]
    fn voice_is_passed_over_and_absurd_sizes_refused() {
        let message = parse(&voice(5, 5), WireKind::Ioq3).unwrap();
        assert_eq!(message.ops, [ClientOp::Voice { bytes: 5 }]);
        assert_eq!(parse(&voice(5, 5), WireKind::Legacy).unwrap_err().cause(), "unknown_op");
        for size in [-1, -32768, 4001, 32767] {
            assert_eq!(parse(&voice(size, 5), WireKind::Ioq3).unwrap_err().cause(), "out_of_range", "{size}");
        }
        assert_eq!(parse(&voice(4000, 5), WireKind::Ioq3).unwrap_err().cause(), "truncated");
    }

    #[test]
    fn counts_of_usercmds_are_bounded() {
        for count in [0, 33, 255] {
            let mut w = head();
            w.write_byte(MOVE.into());
            w.write_byte(count);
            w.write_data(&[0; 400]);
            assert_eq!(parse(&w, WireKind::Legacy).unwrap_err().cause(), "out_of_range");
        }
    }

    #[test]
    fn a_message_without_end_or_with_more_after_its_moves_is_refused() {
        let error = parse(&head(), WireKind::Legacy).unwrap_err();
        assert_eq!(error.cause(), "truncated");
        assert!(error.to_string().starts_with("operation of client message: "), "{error}");
        let mut w = head();
        write_move(&mut w, true, 0, &[UserCmd::default()]);
        write_client_command(&mut w, 1, b"say hi");
        w.write_byte(END.into());
        assert_eq!(parse(&w, WireKind::Legacy).unwrap_err().cause(), "unknown_op");
    }

    #[test]
    fn a_text_without_end_and_a_flood_of_commands_are_refused() {
        let mut w = head();
        w.write_byte(COMMAND.into());
        w.write_long(1);
        w.write_data(&[b'a'; 1100]);
        assert_eq!(parse(&w, WireKind::Legacy).unwrap_err().cause(), "text_too_long");
        let mut w = head();
        (0..65).for_each(|n| write_client_command(&mut w, n, b"x"));
        w.write_byte(END.into());
        assert_eq!(parse(&w, WireKind::Legacy).unwrap_err().cause(), "out_of_range");
    }

    #[test]
    fn what_is_odd_but_harmless_is_a_warning() {
        let mut w = head();
        w.write_byte(NOP.into());
        w.write_byte(END.into());
        let mut bytes = w.bytes().to_vec();
        bytes.extend([1, 2]);
        let mut warnings = Vec::new();
        ClientMessage::parse(&bytes, &context(WireKind::Legacy), &mut warnings).unwrap();
        assert!(
            matches!(warnings[..], [Warning::Nop { .. }, Warning::AfterEnd { bytes: 2 }]),
            "{warnings:?}"
        );
    }

    #[test]
    fn steady_play_reuses_the_buffer_of_its_usercmds() {
        let mut w = head();
        write_move(&mut w, true, 0, &[UserCmd::default(); 4]);
        w.write_byte(END.into());
        let mut message = ClientMessage::default();
        let mut buffers = Vec::new();
        for _ in 0..3 {
            message.parse_into(w.bytes(), &context(WireKind::Legacy), &mut IgnoreWarnings).unwrap();
            let [ClientOp::Move { cmds, .. }] = &message.ops[..] else { panic!("{message:?}") };
            buffers.push(cmds.as_ptr());
        }
        assert!(buffers.iter().all(|&buffer| buffer == buffers[0]));
    }

    prop_compose! {
        fn usercmd()(
            server_time in 0..=i32::MAX,
            angles in proptest::array::uniform3(0..=65535i32),
            buttons in 0..=65535i32,
            weapon: u8,
            moves in proptest::array::uniform3(-127..=127i8),
        ) -> UserCmd {
            let [forward_move, right_move, up_move] = moves;
            UserCmd { server_time, angles, buttons, weapon, forward_move, right_move, up_move }
        }
    }

    fn text() -> impl Strategy<Value = Vec<u8>> {
        proptest::collection::vec((1..=126u8).prop_filter("not welcome", |&b| b != b'%'), 0..60)
    }

    prop_compose! {
        fn client_message()(
            numbers: [i32; 3],
            commands in proptest::collection::vec((any::<i32>(), text()), 0..5),
            moves in proptest::option::of((any::<bool>(), proptest::collection::vec(usercmd(), 1..=32))),
        ) -> ClientMessage {
            let [server_id, message_acknowledge, reliable_acknowledge] = numbers;
            let commands = commands.into_iter().map(|(sequence, text)| ClientOp::Command { sequence, text });
            // Time may not run backwards: see quirks.md#usercmd-time.
            let moves = moves.into_iter().map(|(delta, mut cmds)| {
                cmds.sort_by_key(|cmd| cmd.server_time);
                ClientOp::Move { delta, cmds }
            });
            let ops = commands.chain(moves).collect();
            ClientMessage { server_id, message_acknowledge, reliable_acknowledge, ops }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn what_is_emitted_parses_to_the_same_value(message in client_message()) {
            let mut w = BitWriter::new();
            message.emit(&mut w, &context(WireKind::Legacy));
            w.write_byte(END.into());
            prop_assert_eq!(parse(&w, WireKind::Legacy), Ok(message));
        }

        #[test]
        fn no_bytes_upset_it(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            let _ = ClientMessage::parse(&bytes, &context(WireKind::Ioq3), &mut IgnoreWarnings);
        }
    }
}
