//! A bounded memory of fingerprints seen of late, 8 bytes each.
//!
//! A fingerprint is a uniform hash. Its first bits choose a line, what a processor reads at once; the 64 bits after the
//! first ten are kept there, so that 74 bits are compared. With 8 million remembered, one new URL in 2 × 10^15 is taken
//! for seen. A line has its latest in front, and forgets its last if it is full. Lines double while there is room.

use pyo3::prelude::*;

const FIRST_BITS: u32 = 10;

type Line = [u64; 8];

#[pyclass]
pub struct Recent {
    lines: Vec<Line>,
    most_lines: usize,
    held: usize,
    #[pyo3(get)]
    hits: u64,
}

#[pymethods]
impl Recent {
    #[new]
    fn new(size: usize) -> Self {
        let most_lines = size / Line::default().len();
        let first_bits = most_lines.checked_ilog2().unwrap_or_default().min(FIRST_BITS);
        Self { lines: vec![Line::default(); 1 << first_bits], most_lines, held: 0, hits: 0 }
    }

    /// Bytes that it holds.
    #[getter]
    fn size(&self) -> usize {
        size_of_val(self.lines.as_slice())
    }

    fn __call__(&mut self, fingerprint: &[u8]) -> bool {
        self.has(fingerprint)
    }

    /// Whether the fingerprint is remembered.
    pub fn has(&mut self, fingerprint: &[u8]) -> bool {
        let found = self.find(fingerprint).is_some_and(|(line, kept)| kept != 0 && line.contains(&kept));
        self.hits += u64::from(found);
        found
    }

    /// Remembers a fingerprint.
    fn remember(&mut self, fingerprint: &[u8]) {
        if self.held * 2 > self.lines.len() * Line::default().len() && self.lines.len() * 2 <= self.most_lines {
            self.double();
        }
        let Some((line, kept)) = self.find(fingerprint) else {
            return;
        };
        let [.., forgotten] = *line;
        line.rotate_right(1);
        line[0] = kept;
        self.held += usize::from(forgotten == 0);
    }
}

impl Recent {
    /// The line of a fingerprint, and what is kept of it there.
    fn find(&mut self, fingerprint: &[u8]) -> Option<(&mut Line, u64)> {
        let (front, back) = fingerprint.split_first_chunk()?;
        let (front, back) = (u64::from_be_bytes(*front), u64::from_be_bytes(*back.first_chunk()?));
        let at = front.checked_shr(u64::BITS - self.lines.len().trailing_zeros()).unwrap_or_default();
        let kept = front << FIRST_BITS | back >> (u64::BITS - FIRST_BITS);
        self.lines.get_mut(usize::try_from(at).ok()?).map(|line| (line, kept))
    }

    /// Splits each line in two, by the next bit of what is kept in it: from the end, so that none is written over.
    fn double(&mut self) {
        let before = self.lines.len();
        let next_bit = u64::BITS - 1 - (before.trailing_zeros() - FIRST_BITS);
        self.lines.resize(2 * before, Line::default());
        for at in (0..before).rev() {
            let Some(line) = self.lines.get(at).copied() else { continue };
            for half in 0..2 {
                let mut kept = line.into_iter().filter(|kept| (kept >> next_bit & 1) as usize == half);
                if let Some(into) = self.lines.get_mut(2 * at + half) {
                    into.fill_with(|| kept.next().unwrap_or_default());
                }
            }
        }
    }
}
