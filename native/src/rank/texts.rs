//! A column of texts as Arrow has it: where each ends, and the text of all.

#[derive(Clone, Copy)]
pub struct Texts<'a> {
    ends: &'a [u8],
    text: &'a [u8],
    base: usize,
}

impl<'a> Texts<'a> {
    /// `ends` are numbers of four bytes, one more than there are texts; the first says where `text` begins.
    pub fn new(ends: &'a [u8], text: &'a [u8]) -> Self {
        Self { ends, text, base: number(ends.get(..4).unwrap_or_default()) }
    }

    pub fn iter(self) -> impl Iterator<Item = &'a [u8]> {
        let ends = self.ends.chunks_exact(4).map(number);
        ends.clone().zip(ends.skip(1)).map(move |(start, end)| {
            let within = start.saturating_sub(self.base)..end.saturating_sub(self.base);
            self.text.get(within).unwrap_or_default()
        })
    }
}

fn number(bytes: &[u8]) -> usize {
    bytes.try_into().map_or(0, u32::from_le_bytes) as usize
}

/// Numbers of eight bytes each.
pub fn longs(bytes: &[u8]) -> impl Iterator<Item = u64> {
    bytes.chunks_exact(8).map(|eight| eight.try_into().map_or(0, u64::from_le_bytes))
}

/// Numbers of four bytes each.
pub fn places(bytes: &[u8]) -> impl Iterator<Item = usize> {
    bytes.chunks_exact(4).map(number)
}
