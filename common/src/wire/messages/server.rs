//! What a server says: commands, the gamestate, snapshots, files.

use super::super::bits::{BitReader, BitWriter};
use super::super::error::{ParseError, Warn, Warning};
use super::download::Download;
use super::gamestate::Gamestate;
use super::snapshot::{SnapshotBases, SnapshotMessage};
use crate::ids::Sequence;
use crate::proto::limits::MAX_STRING_CHARS;

/// One message of a server.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ServerMessage {
    /// The newest client command that the server has executed.
    pub reliable_acknowledge: i32,
    /// What it says, in order.
    pub ops: Vec<ServerOp>,
}

/// One thing that a server says.
#[derive(Clone, Debug, PartialEq)]
pub enum ServerOp {
    /// A text command, repeated in every message until acknowledged.
    Command {
        /// Its number.
        sequence: i32,
        /// Its text, without terminator.
        text: Vec<u8>,
    },
    /// A map begins.
    Gamestate(Box<Gamestate>),
    /// A moment of it.
    Snapshot(Box<SnapshotMessage>),
    /// A part of a file.
    Download(Download),
}

/// What one must know to understand a server's message.
#[derive(Clone, Copy)]
pub struct ServerContext<'a> {
    /// The message's own number.
    pub sequence: Sequence,
    /// What snapshots may be changes of.
    pub bases: &'a dyn SnapshotBases,
    /// Whether a block of the file being loaded has come before.
    pub has_download_begun: bool,
}

impl ServerMessage {
    /// Reads a message from which the netchan has taken header and scramble.
    ///
    /// # Errors
    /// If it is not one; nothing of it should be believed then.
    pub fn parse(
        message: &[u8],
        context: &ServerContext<'_>,
        warn: &mut dyn Warn,
    ) -> Result<Self, ParseError> {
        let mut r = BitReader::new(message);
        let reliable_acknowledge = r.expect_long("command acknowledged by server message")?;
        let mut ops = Vec::new();
        loop {
            const READING: &str = "operation of server message";
            match r.expect_byte(READING)? {
                op::END => break,
                op::NOP => warn.warn(Warning::Nop { at_bit: r.bit() }),
                op::GAMESTATE => ops.push(ServerOp::Gamestate(Box::new(Gamestate::read(&mut r)?))),
                op::COMMAND => ops.push(read_command(&mut r)?),
                op::DOWNLOAD => {
                    let is_first = !context.has_download_begun;
                    ops.push(ServerOp::Download(Download::read(&mut r, is_first)?));
                }
                op::SNAPSHOT => {
                    let snapshot = SnapshotMessage::read(&mut r, context.sequence, context.bases)?;
                    ops.push(ServerOp::Snapshot(Box::new(snapshot)));
                }
                op => return Err(ParseError::UnknownOp { reading: READING, op, at_bit: r.bit() }),
            }
        }
        r.warn_after_end(warn);
        Ok(Self { reliable_acknowledge, ops })
    }

    /// Writes the message, without end mark.
    pub fn emit(&self, w: &mut BitWriter, context: &ServerContext<'_>) {
        write_head(w, self.reliable_acknowledge);
        for op in &self.ops {
            match op {
                ServerOp::Command { sequence, text } => write_server_command(w, *sequence, text),
                ServerOp::Gamestate(gamestate) => gamestate.emit(w),
                ServerOp::Snapshot(snapshot) => snapshot.emit(w, context.sequence, context.bases),
                ServerOp::Download(download) => download.emit(w),
            }
        }
    }
}

/// Begins a server's message: the newest client command executed.
pub fn write_head(w: &mut BitWriter, reliable_acknowledge: i32) {
    w.write_long(reliable_acknowledge);
}

/// Ends a message that goes into a demo; the netchan ends those that it sends.
pub fn write_end(w: &mut BitWriter) {
    w.write_byte(op::END.into());
}

/// Adds nothing that means anything: for tests of readers.
pub fn write_nop(w: &mut BitWriter) {
    w.write_byte(op::NOP.into());
}

/// Adds a text command. More than [`MAX_COMMAND_TEXT`](crate::proto::limits::MAX_COMMAND_TEXT) bytes are too many for old clients.
pub fn write_server_command(w: &mut BitWriter, sequence: i32, text: &[u8]) {
    w.write_byte(op::COMMAND.into());
    w.write_long(sequence);
    w.write_text(text, MAX_STRING_CHARS);
}

fn read_command(r: &mut BitReader<'_>) -> Result<ServerOp, ParseError> {
    let sequence = r.expect_long("number of server command")?;
    let mut text = Vec::new();
    r.expect_text(MAX_STRING_CHARS, "text of server command", &mut text)?;
    Ok(ServerOp::Command { sequence, text })
}

/// What begins each part of a server's message. Source: `svc_ops_e`.
pub(super) mod op {
    pub(crate) const NOP: u8 = 1;
    pub(crate) const GAMESTATE: u8 = 2;
    pub(crate) const CONFIGSTRING: u8 = 3;
    pub(crate) const BASELINE: u8 = 4;
    pub(crate) const COMMAND: u8 = 5;
    pub(crate) const DOWNLOAD: u8 = 6;
    pub(crate) const SNAPSHOT: u8 = 7;
    pub(crate) const END: u8 = 8;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{ClientNum, ConfigstringNum, EntityNum};
    use crate::proto::{EntityState, PlayerState};
    use crate::time::ServerTime;
    use crate::wire::IgnoreWarnings;
    use crate::wire::messages::{GamestateHead, SnapshotRef};
    use proptest::prelude::*;

    /// One snapshot that came in message 90, and a baseline for every entity.
    struct Bases {
        base: SnapshotMessage,
        baseline: EntityState,
    }

    impl SnapshotBases for Bases {
        fn snapshot(&self, message: Sequence) -> Option<SnapshotRef<'_>> {
            (message == Sequence(90)).then(|| self.base.as_ref())
        }
        fn baseline(&self, _: EntityNum) -> Option<&EntityState> {
            Some(&self.baseline)
        }
    }

    fn context(bases: &Bases) -> ServerContext<'_> {
        ServerContext { sequence: Sequence(100), bases, has_download_begun: false }
    }

    fn parse(w: &BitWriter, bases: &Bases) -> Result<ServerMessage, ParseError> {
        ServerMessage::parse(w.bytes(), &context(bases), &mut IgnoreWarnings)
    }

    fn ended(mut w: BitWriter) -> BitWriter {
        w.write_byte(op::END.into());
        w
    }

    fn empty_snapshot() -> SnapshotMessage {
        SnapshotMessage {
            server_time: ServerTime(0),
            delta_num: 0,
            is_valid: true,
            flags: 0,
            area_mask: Vec::new(),
            player: PlayerState::default(),
            entities: Vec::new(),
        }
    }

    fn bases() -> Bases {
        Bases { base: empty_snapshot(), baseline: EntityState::default() }
    }

    #[test]
    fn a_snapshot_of_a_base_that_is_gone_is_read_and_marked() {
        let mut bases = bases();
        bases.base.entities = vec![EntityState { number: 3, ..EntityState::default() }];
        let snapshot = SnapshotMessage { delta_num: 10, server_time: ServerTime(5), ..empty_snapshot() };
        let command = ServerOp::Command { sequence: 1, text: b"cp hello".to_vec() };
        let ops = vec![ServerOp::Snapshot(Box::new(snapshot)), command.clone()];
        let mut w = BitWriter::new();
        ServerMessage { reliable_acknowledge: 0, ops }.emit(&mut w, &context(&bases));
        let w = ended(w);
        let later = ServerContext { sequence: Sequence(101), ..context(&bases) };
        let parsed = ServerMessage::parse(w.bytes(), &later, &mut IgnoreWarnings).unwrap();
        let [ServerOp::Snapshot(snapshot), after] = &parsed.ops[..] else { panic!("{parsed:?}") };
        assert!(!snapshot.is_valid);
        assert_eq!(*after, command);
    }

    #[test]
    fn entities_out_of_order_are_refused() {
        let mut w = BitWriter::new();
        write_head(&mut w, 0);
        let entities = [5, 4].map(|number| EntityState { number, ..EntityState::default() });
        let head =
            super::super::SnapshotHead { server_time: ServerTime(0), delta_num: 0, flags: 0, area_mask: &[] };
        let to = SnapshotRef { player: &PlayerState::default(), entities: &entities };
        super::super::write_snapshot(&mut w, &head, None::<SnapshotRef<'_>>, to, &[]);
        let error = parse(&ended(w), &bases()).unwrap_err();
        assert!(matches!(error, ParseError::OutOfRange { value: 4, .. }), "{error}");
    }

    #[test]
    fn configstrings_beyond_what_a_client_can_hold_are_refused() {
        let mut w = BitWriter::new();
        write_head(&mut w, 0);
        let head =
            GamestateHead { command_sequence: 0, client: ClientNum::new(0).unwrap(), checksum_feed: 0 };
        let text = [b'a'; 7999];
        let strings = [0, 1].map(|num| (ConfigstringNum::new(num).unwrap(), &text[..7999 - num]));
        super::super::write_gamestate(&mut w, &head, strings, &[]);
        let w = ended(w);
        assert!(parse(&w, &bases()).is_ok(), "15999 bytes and the empty string fit");
        let mut w = BitWriter::new();
        write_head(&mut w, 0);
        let strings = [0, 1].map(|num| (ConfigstringNum::new(num).unwrap(), &text[..]));
        super::super::write_gamestate(&mut w, &head, strings, &[]);
        assert_eq!(parse(&ended(w), &bases()).unwrap_err().cause(), "out_of_range");
    }

    #[test]
    fn block_zero_has_a_size_only_when_a_file_begins() {
        let mut w = BitWriter::new();
        write_head(&mut w, 0);
        super::super::write_download_block(&mut w, 0, None, b"data");
        let w = ended(w);
        let bases = bases();
        let context = ServerContext { has_download_begun: true, ..context(&bases) };
        let parsed = ServerMessage::parse(w.bytes(), &context, &mut IgnoreWarnings).unwrap();
        let block = Download::Block { number: 0, file_bytes: None, data: b"data".to_vec() };
        assert_eq!(parsed.ops, [ServerOp::Download(block)]);
    }

    fn text() -> impl Strategy<Value = Vec<u8>> {
        proptest::collection::vec((1..=126u8).prop_filter("not welcome", |&b| b != b'%'), 1..60)
    }

    /// Words that travel without loss: each is cut to `bits`.
    fn entity(number: i32) -> impl Strategy<Value = EntityState> {
        proptest::collection::vec((0..51usize, prop_oneof![Just(0u32), 1..300u32, any::<u32>()]), 0..8)
            .prop_map(move |changes| {
                let mut state = EntityState { number, ..EntityState::default() };
                for (index, value) in changes {
                    let field = crate::wire::fields::ENTITY_FIELDS[index];
                    let float = f32::from_bits(value);
                    state.words_mut()[field.word] = match field.bits {
                        0 if float == 0.0 => 0,
                        0 | 32 => value,
                        bits => value & ((1 << bits) - 1),
                    };
                }
                state
            })
    }

    fn entities() -> impl Strategy<Value = Vec<EntityState>> {
        proptest::collection::btree_set(0..1023i32, 0..12)
            .prop_flat_map(|numbers| numbers.into_iter().map(entity).collect::<Vec<_>>())
    }

    prop_compose! {
        fn player()(
            command_time: i32, ground in 0..1024i32, origin in -5000..5000i32, pm_time: i16,
            stats: [i16; 16], powerups: [i32; 16],
        ) -> PlayerState {
            let mut player = PlayerState { command_time, ground_entity: ground, pm_time: pm_time.into(), ..Default::default() };
            player.origin.x = origin as f32 * 0.5;
            player.stats = stats.map(i32::from);
            player.powerups = powerups;
            player
        }
    }

    prop_compose! {
        fn snapshot()(
            time: i32, is_delta: bool, flags in 0..8i32,
            area_mask in proptest::collection::vec(any::<u8>(), 0..=32),
            player in player(), entities in entities(),
        ) -> SnapshotMessage {
            let delta_num = if is_delta { 10 } else { 0 };
            SnapshotMessage { server_time: ServerTime(time), delta_num, is_valid: true, flags, area_mask, player, entities }
        }
    }

    prop_compose! {
        fn gamestate()(
            command_sequence: i32, checksum_feed: i32, client in 0..64usize,
            strings in proptest::collection::vec((0..1024usize, text()), 0..10),
            mut baselines in entities(),
        ) -> Gamestate {
            baselines.retain(|baseline| baseline.number != 0);
            let client = ClientNum::new(client).unwrap();
            let configstrings =
                strings.into_iter().map(|(num, text)| (ConfigstringNum::new(num).unwrap(), text)).collect();
            Gamestate { head: GamestateHead { command_sequence, client, checksum_feed }, configstrings, baselines }
        }
    }

    fn download() -> impl Strategy<Value = Download> {
        let data = proptest::collection::vec(any::<u8>(), 0..300);
        prop_oneof![
            text().prop_map(|reason| Download::Refused { reason }),
            (0..3u16, 0..i32::MAX, data).prop_map(|(number, size, data)| Download::Block {
                number,
                file_bytes: (number == 0).then_some(size),
                data
            }),
        ]
    }

    fn any_op() -> impl Strategy<Value = ServerOp> {
        prop_oneof![
            (any::<i32>(), text()).prop_map(|(sequence, text)| ServerOp::Command { sequence, text }),
            gamestate().prop_map(|gamestate| ServerOp::Gamestate(Box::new(gamestate))),
            snapshot().prop_map(|snapshot| ServerOp::Snapshot(Box::new(snapshot))),
            download().prop_map(ServerOp::Download),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn what_is_emitted_parses_to_the_same_value(
            reliable_acknowledge: i32,
            ops in proptest::collection::vec(any_op(), 0..4),
            base in snapshot(),
            baseline in entity(0),
        ) {
            let bases = Bases { base, baseline };
            let message = ServerMessage { reliable_acknowledge, ops };
            let mut w = BitWriter::new();
            message.emit(&mut w, &context(&bases));
            let w = ended(w);
            prop_assert!(!w.overflowed());
            let parsed = parse(&w, &bases);
            // Compared as text, in which a float that is not a number equals itself.
            prop_assert_eq!(format!("{parsed:?}"), format!("{:?}", Ok::<_, ParseError>(message)));
        }

        #[test]
        fn no_bytes_upset_it(bytes in proptest::collection::vec(any::<u8>(), 0..400), base in snapshot()) {
            let bases = Bases { base, baseline: EntityState::default() };
            let _ = parse_bytes(&bytes, &bases);
        }

        #[test]
        fn no_change_of_a_bit_upsets_it(
            ops in proptest::collection::vec(any_op(), 1..3), flips in proptest::collection::vec(any::<prop::sample::Index>(), 1..4),
        ) {
            let bases = bases();
            let mut w = BitWriter::new();
            ServerMessage { reliable_acknowledge: 1, ops }.emit(&mut w, &context(&bases));
            let mut bytes = ended(w).bytes().to_vec();
            for flip in flips {
                let bit = flip.index(bytes.len() * 8);
                bytes[bit / 8] ^= 1 << (bit % 8);
            }
            let _ = parse_bytes(&bytes, &bases);
        }
    }

    fn parse_bytes(bytes: &[u8], bases: &Bases) -> Result<ServerMessage, ParseError> {
        ServerMessage::parse(bytes, &context(bases), &mut IgnoreWarnings)
    }
}
