//! A bounded memory of fingerprints seen of late, 8 bytes each. What it has of a shard it forgets at once.
//!
//! A fingerprint is a uniform hash. Its first bits choose a line, what a processor reads at once. An entry there is, from
//! its highest bit: the next 47 bits of the fingerprint; a one, which says where they end; 4 bits, how often its shard was
//! forgotten; 12 bits, the number of its shard. An empty place is 0, which no entry is.
//!
//! A line has its latest in front, and forgets its last if it is full. Lines double while there is room: the first bit of
//! an entry then goes over into the number of its line, and the others move up. So no bit is lost, but what was remembered
//! when there were half as many lines is compared by one bit less than what comes now: and it is half as many.
//!
//! With 8 million in 2^20 lines, 20 bits and 47 are compared: one new URL in 2 × 10^13 is taken for seen, 8 of 2^47. As
//! long as some of each size are left in it, it is one in 5 × 10^12.
//!
//! To forget a shard is to count on: its entries are no longer those that count. At the 16th time all of them are taken
//! out, or the first would count again.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

const FIRST_LINE_BITS: u32 = 10;
const KEPT_BITS: u32 = 47;
const SHARDS: u16 = 1 << 12;
const TAG: u64 = 0xFFFF;

type Line = [u64; 8];

#[pyclass]
pub struct Recent {
    lines: Vec<Line>,
    most_lines: usize,
    held: usize,
    /// By the number of a shard, how its entries that count end.
    tags: Vec<u16>,
    #[pyo3(get)]
    hits: u64,
}

#[pymethods]
impl Recent {
    #[new]
    fn new(size: usize) -> Self {
        let most_lines = size / Line::default().len();
        let bits = most_lines.checked_ilog2().unwrap_or_default().min(FIRST_LINE_BITS);
        Self { lines: vec![Line::default(); 1 << bits], most_lines, held: 0, tags: (0..SHARDS).collect(), hits: 0 }
    }

    /// Bytes that its lines take.
    #[getter]
    fn size(&self) -> usize {
        size_of_val(self.lines.as_slice())
    }

    fn __call__(&mut self, fingerprint: &[u8]) -> bool {
        self.has(fingerprint)
    }

    /// Whether the fingerprint is remembered.
    pub fn has(&mut self, fingerprint: &[u8]) -> bool {
        let found = self.find(fingerprint).is_some_and(|(at, sought)| {
            let line = self.lines.get(at).map_or(&[][..], Line::as_slice);
            line.iter().any(|&entry| is_of(entry, sought) && self.counts(entry))
        });
        self.hits += u64::from(found);
        found
    }

    /// Remembers a fingerprint, until its shard is forgotten.
    fn remember(&mut self, fingerprint: &[u8], shard: usize) -> PyResult<()> {
        let tag = *self.tag_of(shard)?;
        if self.held * 2 > self.lines.len() * Line::default().len() && self.lines.len() * 2 <= self.most_lines {
            self.double();
        }
        let found = self.find(fingerprint);
        if let Some((line, kept)) = found.and_then(|(at, kept)| Some((self.lines.get_mut(at)?, kept))) {
            let [.., forgotten] = *line;
            line.rotate_right(1);
            line[0] = kept | u64::from(tag);
            self.held += usize::from(forgotten == 0);
        }
        Ok(())
    }

    /// Forgets all that was remembered of a shard.
    fn forget(&mut self, shard: usize) -> PyResult<()> {
        let tag = self.tag_of(shard)?;
        *tag = tag.wrapping_add(SHARDS);
        let is_first_again = *tag < SHARDS;
        if is_first_again {
            self.take_out(shard);
        }
        Ok(())
    }
}

impl Recent {
    /// The number of the line of a fingerprint, and its entry there but for the tag.
    fn find(&self, fingerprint: &[u8]) -> Option<(usize, u64)> {
        let bits = u128::from_be_bytes(*fingerprint.first_chunk()?);
        let line_bits = self.lines.len().trailing_zeros();
        let at = bits.checked_shr(u128::BITS - line_bits).unwrap_or_default();
        let kept = (bits << line_bits) >> (u128::BITS - KEPT_BITS);
        Some((at as usize, ((kept as u64) << 1 | 1) << TAG.count_ones()))
    }

    fn counts(&self, entry: u64) -> bool {
        self.tags.get(usize::from(entry as u16 % SHARDS)) == Some(&(entry as u16))
    }

    fn tag_of(&mut self, shard: usize) -> PyResult<&mut u16> {
        self.tags.get_mut(shard).ok_or_else(|| PyValueError::new_err(format!("no shard has the number {shard}")))
    }

    /// Splits each line in two, by the first bit of each entry: from the end, so that none is written over.
    fn double(&mut self) {
        let before = self.lines.len();
        self.lines.resize(2 * before, Line::default());
        for at in (0..before).rev() {
            let Some(line) = self.lines.get(at).copied() else { continue };
            for half in 0..2 {
                let theirs = line.iter().filter(|&entry| (entry >> (u64::BITS - 1)) as usize == half);
                if let Some(into) = self.lines.get_mut(2 * at + half) {
                    refill(into, theirs.map(|entry| (entry & !TAG) << 1 | entry & TAG));
                }
            }
        }
    }

    /// Takes the entries of a shard out, whether they count or not.
    fn take_out(&mut self, shard: usize) {
        for line in &mut self.lines {
            let before = *line;
            refill(line, before.into_iter().filter(|&entry| usize::from(entry as u16 % SHARDS) != shard));
        }
        self.held = self.lines.as_flattened().iter().filter(|&&entry| entry != 0).count();
    }
}

/// Whether the entry is of the fingerprint sought in its line: if they differ at most from the one on that ends the entry.
fn is_of(entry: u64, sought: u64) -> bool {
    let kept = entry & !TAG;
    let end = kept & kept.wrapping_neg(); // 0 if the place is empty
    (kept ^ sought) >> 1 < end
}

fn refill(line: &mut Line, mut entries: impl Iterator<Item = u64>) {
    line.fill_with(|| entries.next().unwrap_or_default());
}
