//! Eight bytes looked at together, as one number with the first of them lowest.
//!
//! A question is answered with the highest bit of each byte for which it is true. That is right up to the first of
//! them, and above it there may be others.

#[derive(Clone, Copy)]
pub struct Eight(pub u64);

impl Eight {
    /// The first bytes of `input`, and zeros if there are less.
    pub fn of(input: &[u8]) -> Self {
        Self(input.first_chunk().map_or_else(|| number(input), |bytes| u64::from_le_bytes(*bytes)))
    }

    /// Which are below this one, which must not be above 0x80.
    pub fn below(self, byte: u8) -> u64 {
        self.0.wrapping_sub(all(byte)) & !self.0 & all(0x80)
    }

    pub fn equal(self, byte: u8) -> u64 {
        Self(self.0 ^ all(byte)).below(1)
    }

    /// Which are not ASCII.
    pub fn beyond_ascii(self) -> u64 {
        self.0 & all(0x80)
    }

    /// Which are from `first` to `last`, which must be ASCII. This is right for all of them, not up to the first alone.
    pub fn between(self, first: u8, last: u8) -> u64 {
        let low = self.0 & all(0x7f);
        let (from_first, beyond_last) = (low + all(0x80 - first), low + all(0x7f - last));
        from_first & !beyond_last & !self.0 & all(0x80)
    }
}

/// How many are before the first for which it is true.
pub fn before(answer: u64) -> usize {
    answer.trailing_zeros() as usize / 8
}

/// A bit for each byte for which it is true, the first lowest; the answer must be right for all of them.
pub fn bits(answer: u64) -> u64 {
    (answer >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56
}

pub const fn all(byte: u8) -> u64 {
    u64::from_ne_bytes([byte; 8])
}

/// So many bytes as a number.
pub const fn number(mut bytes: &[u8]) -> u64 {
    let mut number = 0;
    while let [rest @ .., last] = bytes {
        number = number << 8 | *last as u64;
        bytes = rest;
    }
    number
}
