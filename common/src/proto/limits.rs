//! Every limit that both ends of protocol 68 take for granted. Full means a counted drop in a stated order, never silence.
//!
//! Source: facts page "q3-protocol-facts", section 2.

/// Player slots.
pub const MAX_CLIENTS: usize = 64;
/// Bits of an entity number.
pub const ENTITY_NUM_BITS: i32 = 10;
/// Entity numbers, the world and the "none" marker included.
pub const MAX_ENTITIES: usize = 1 << ENTITY_NUM_BITS;
/// Entities that a game may use: all but the world and the marker.
pub const MAX_NORMAL_ENTITIES: usize = MAX_ENTITIES - 2;
/// Configstrings.
pub const MAX_CONFIGSTRINGS: usize = 1024;
/// Bytes of all configstrings of a gamestate, terminators included; beyond it every client errors out.
pub const MAX_GAMESTATE_CHARS: usize = 16000;
/// Entities of one snapshot.
pub const MAX_SNAPSHOT_ENTITIES: usize = 256;
/// Bytes of the area mask.
pub const MAX_MAP_AREA_BYTES: usize = 32;
/// Bytes of one message.
pub const MAX_MESSAGE_BYTES: usize = 16384;
/// Bytes of one datagram that a peer may send.
pub const MAX_PACKET_BYTES: usize = 1400;
/// Bytes of one fragment; a message of this size or more is fragmented.
pub const FRAGMENT_BYTES: usize = 1300;
/// Server commands kept until acknowledged; one more drops the client.
pub const MAX_RELIABLE_COMMANDS: usize = 64;
/// Messages remembered as delta bases.
pub const PACKET_BACKUP: usize = 32;
/// Usercmds of one packet.
pub const MAX_PACKET_USERCMDS: usize = 32;
/// Bytes of a string command, terminator included.
pub const MAX_STRING_CHARS: usize = 1024;
/// Bytes of a "big" string (configstrings), terminator included.
pub const BIG_INFO_STRING: usize = 8192;
/// Bytes of an info string, terminator included.
pub const MAX_INFO_STRING: usize = 1024;
/// Bytes of a reliable command's text that every client survives.
pub const MAX_COMMAND_TEXT: usize = 1022;
/// Bytes of a player's name, terminator included.
pub const MAX_NAME_LENGTH: usize = 32;
/// Value of `solid` for an inline brush model.
pub const SOLID_BRUSH_MODEL: i32 = 0xff_ffff;
/// Bytes of one block of a download: a message with one fits one datagram, even if Huffman makes it longer.
pub const DOWNLOAD_BLOCK_BYTES: usize = 1024;
/// Blocks of a download on their way at once. Source: ioquake3's `MAX_DOWNLOAD_WINDOW`; each is acknowledged by a reliable command.
pub const DOWNLOAD_WINDOW: usize = 48;
/// Default game port, UDP.
pub const DEFAULT_PORT: u16 = 27960;
/// Default master port, UDP.
pub const MASTER_PORT: u16 = 27950;

const _: () = assert!(MAX_CLIENTS < MAX_NORMAL_ENTITIES);
const _: () = assert!(FRAGMENT_BYTES + 14 <= MAX_PACKET_BYTES);
const _: () = assert!(MAX_GAMESTATE_CHARS < MAX_MESSAGE_BYTES);
const _: () = assert!(MAX_RELIABLE_COMMANDS.is_power_of_two() && PACKET_BACKUP.is_power_of_two());
const _: () = assert!(MAX_COMMAND_TEXT < MAX_STRING_CHARS);
const _: () = assert!(DOWNLOAD_WINDOW < MAX_RELIABLE_COMMANDS && DOWNLOAD_BLOCK_BYTES < FRAGMENT_BYTES);
