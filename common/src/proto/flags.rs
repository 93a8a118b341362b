//! Content bits, surface flags, button bits and server flags that the engine itself reads.
//!
//! Source: facts page "q3-protocol-facts", section 12.

/// What a brush is made of, and what a trace collides with.
pub mod contents {
    /// `CONTENTS_SOLID`.
    pub const SOLID: i32 = 0x1;
    /// `CONTENTS_LAVA`.
    pub const LAVA: i32 = 0x8;
    /// `CONTENTS_SLIME`.
    pub const SLIME: i32 = 0x10;
    /// `CONTENTS_WATER`.
    pub const WATER: i32 = 0x20;
    /// `CONTENTS_FOG`.
    pub const FOG: i32 = 0x40;
    /// `CONTENTS_NOTTEAM1`.
    pub const NOTTEAM1: i32 = 0x80;
    /// `CONTENTS_NOTTEAM2`.
    pub const NOTTEAM2: i32 = 0x100;
    /// `CONTENTS_NOBOTCLIP`.
    pub const NOBOTCLIP: i32 = 0x200;
    /// `CONTENTS_AREAPORTAL`.
    pub const AREAPORTAL: i32 = 0x8000;
    /// `CONTENTS_PLAYERCLIP`.
    pub const PLAYERCLIP: i32 = 0x10000;
    /// `CONTENTS_MONSTERCLIP`.
    pub const MONSTERCLIP: i32 = 0x20000;
    /// `CONTENTS_TELEPORTER`.
    pub const TELEPORTER: i32 = 0x40000;
    /// `CONTENTS_JUMPPAD`.
    pub const JUMPPAD: i32 = 0x80000;
    /// `CONTENTS_CLUSTERPORTAL`.
    pub const CLUSTERPORTAL: i32 = 0x100000;
    /// `CONTENTS_DONOTENTER`.
    pub const DONOTENTER: i32 = 0x200000;
    /// `CONTENTS_BOTCLIP`.
    pub const BOTCLIP: i32 = 0x400000;
    /// `CONTENTS_MOVER`.
    pub const MOVER: i32 = 0x800000;
    /// `CONTENTS_ORIGIN`.
    pub const ORIGIN: i32 = 0x1000000;
    /// `CONTENTS_BODY`.
    pub const BODY: i32 = 0x2000000;
    /// `CONTENTS_CORPSE`.
    pub const CORPSE: i32 = 0x4000000;
    /// `CONTENTS_DETAIL`.
    pub const DETAIL: i32 = 0x8000000;
    /// `CONTENTS_STRUCTURAL`.
    pub const STRUCTURAL: i32 = 0x10000000;
    /// `CONTENTS_TRANSLUCENT`.
    pub const TRANSLUCENT: i32 = 0x20000000;
    /// `CONTENTS_TRIGGER`.
    pub const TRIGGER: i32 = 0x40000000;
    /// `CONTENTS_NODROP`.
    pub const NODROP: i32 = -2147483648;
}

/// What a brush face is like.
pub mod surface {
    /// `SURF_NODAMAGE`.
    pub const NODAMAGE: i32 = 0x1;
    /// `SURF_SLICK`.
    pub const SLICK: i32 = 0x2;
    /// `SURF_SKY`.
    pub const SKY: i32 = 0x4;
    /// `SURF_LADDER`.
    pub const LADDER: i32 = 0x8;
    /// `SURF_NOIMPACT`.
    pub const NOIMPACT: i32 = 0x10;
    /// `SURF_NOMARKS`.
    pub const NOMARKS: i32 = 0x20;
    /// `SURF_FLESH`.
    pub const FLESH: i32 = 0x40;
    /// `SURF_NODRAW`.
    pub const NODRAW: i32 = 0x80;
    /// `SURF_HINT`.
    pub const HINT: i32 = 0x100;
    /// `SURF_SKIP`.
    pub const SKIP: i32 = 0x200;
    /// `SURF_NOLIGHTMAP`.
    pub const NOLIGHTMAP: i32 = 0x400;
    /// `SURF_POINTLIGHT`.
    pub const POINTLIGHT: i32 = 0x800;
    /// `SURF_METALSTEPS`.
    pub const METALSTEPS: i32 = 0x1000;
    /// `SURF_NOSTEPS`.
    pub const NOSTEPS: i32 = 0x2000;
    /// `SURF_NONSOLID`.
    pub const NONSOLID: i32 = 0x4000;
    /// `SURF_LIGHTFILTER`.
    pub const LIGHTFILTER: i32 = 0x8000;
    /// `SURF_ALPHASHADOW`.
    pub const ALPHASHADOW: i32 = 0x10000;
    /// `SURF_NODLIGHT`.
    pub const NODLIGHT: i32 = 0x20000;
    /// `SURF_DUST`.
    pub const DUST: i32 = 0x40000;
}

/// Who is told of an entity, and how it clips.
pub mod sv_flag {
    /// `SVF_NOCLIENT`.
    pub const NOCLIENT: i32 = 0x1;
    /// `SVF_CLIENTMASK`.
    pub const CLIENTMASK: i32 = 0x2;
    /// `SVF_BOT`.
    pub const BOT: i32 = 0x8;
    /// `SVF_BROADCAST`.
    pub const BROADCAST: i32 = 0x20;
    /// `SVF_PORTAL`.
    pub const PORTAL: i32 = 0x40;
    /// `SVF_USE_CURRENT_ORIGIN`.
    pub const USE_CURRENT_ORIGIN: i32 = 0x80;
    /// `SVF_SINGLECLIENT`.
    pub const SINGLECLIENT: i32 = 0x100;
    /// `SVF_NOSERVERINFO`.
    pub const NOSERVERINFO: i32 = 0x200;
    /// `SVF_CAPSULE`.
    pub const CAPSULE: i32 = 0x400;
    /// `SVF_NOTSINGLECLIENT`.
    pub const NOTSINGLECLIENT: i32 = 0x800;
}

/// Bits of a usercmd's `buttons`.
pub mod button {
    /// `BUTTON_ATTACK`.
    pub const ATTACK: i32 = 0x1;
    /// `BUTTON_TALK`.
    pub const TALK: i32 = 0x2;
    /// `BUTTON_USE_HOLDABLE`.
    pub const USE_HOLDABLE: i32 = 0x4;
    /// `BUTTON_GESTURE`.
    pub const GESTURE: i32 = 0x8;
    /// `BUTTON_WALKING`.
    pub const WALKING: i32 = 0x10;
    /// `BUTTON_AFFIRMATIVE`.
    pub const AFFIRMATIVE: i32 = 0x20;
    /// `BUTTON_NEGATIVE`.
    pub const NEGATIVE: i32 = 0x40;
    /// `BUTTON_GETFLAG`.
    pub const GETFLAG: i32 = 0x80;
    /// `BUTTON_GUARDBASE`.
    pub const GUARDBASE: i32 = 0x100;
    /// `BUTTON_PATROL`.
    pub const PATROL: i32 = 0x200;
    /// `BUTTON_FOLLOWME`.
    pub const FOLLOWME: i32 = 0x400;
    /// `BUTTON_ANY`.
    pub const ANY: i32 = 0x800;
}

/// Bits of a snapshot's flags byte.
pub mod snap_flag {
    /// `SNAPFLAG_RATE_DELAYED`.
    pub const RATE_DELAYED: i32 = 1;
    /// `SNAPFLAG_NOT_ACTIVE`.
    pub const NOT_ACTIVE: i32 = 2;
    /// `SNAPFLAG_SERVERCOUNT`.
    pub const SERVERCOUNT: i32 = 4;
}

/// Content sets that traces ask for.
pub mod mask {
    /// `MASK_ALL`.
    pub const ALL: i32 = -1;
    /// `MASK_SOLID`.
    pub const SOLID: i32 = 0x1;
    /// `MASK_PLAYERSOLID`.
    pub const PLAYERSOLID: i32 = 0x2010001;
    /// `MASK_DEADSOLID`.
    pub const DEADSOLID: i32 = 0x10001;
    /// `MASK_WATER`.
    pub const WATER: i32 = 0x38;
    /// `MASK_OPAQUE`.
    pub const OPAQUE: i32 = 0x19;
    /// `MASK_SHOT`.
    pub const SHOT: i32 = 0x6000001;
}
