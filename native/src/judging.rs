//! What judging compares, page by page: `judge/near.py`, `judge/novelty.py` and `judge/frame.py`, where it is said why.
//!
//! Hashes come and go as bytes, four each, the largest first: so they are kept.

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};
use xxhash_rust::xxh3::xxh3_64;

const BANDS: usize = 5;
const ROWS: usize = 4;
/// Larger than any hash.
const NONE: u64 = 1 << 32;

/// The keys that a page is looked up under, by the sample of its shingles without those of the frame.
#[pyfunction]
pub fn bands<'py>(py: Python<'py>, prefix: &[u8], sample: &[u8], mut common: Vec<u32>) -> Vec<Bound<'py, PyBytes>> {
    common.sort_unstable();
    let mut smallest = [NONE; BANDS * ROWS];
    for hash in hashes(sample).filter(|hash| common.binary_search(hash).is_err()) {
        if let Some(kept) = smallest.get_mut(hash as usize % (BANDS * ROWS)) {
            *kept = u64::from(hash).min(*kept);
        }
    }
    let named = |key: [u8; 8]| PyBytes::new(py, &[prefix, &key].concat());
    let mut keys = Vec::with_capacity(BANDS + 1);
    keys.push(named(key(BANDS, sample)));
    for band in 0..BANDS {
        let row: Vec<u64> = smallest.iter().skip(band).step_by(BANDS).copied().collect();
        if row.iter().any(|hash| *hash < NONE) {
            keys.push(named(key(band, &row.iter().flat_map(|hash| hash.to_be_bytes()).collect::<Vec<_>>())));
        }
    }
    keys
}

fn key(band: usize, row: &[u8]) -> [u8; 8] {
    let mut key = xxh3_64(row).to_be_bytes();
    key[0] = band as u8;
    key
}

/// How many of the hashes of a page are new to those who have `seen` these, of how many that can be compared; and what
/// they have seen then, at most `most`.
#[pyfunction]
pub fn compare<'py>(
    py: Python<'py>,
    page: &[u8],
    seen: Bound<'py, PyBytes>,
    most: usize,
) -> (usize, usize, Bound<'py, PyBytes>) {
    let (new, compared, after) = news_in(page, seen.as_bytes(), most);
    (new, compared, after.map_or(seen, |after| PyBytes::new(py, &after)))
}

/// The same for whoever has no objects of Python; what they have seen then, if that is more.
pub fn news_in(page: &[u8], seen: &[u8], most: usize) -> (usize, usize, Option<Vec<u8>>) {
    let is_full = seen.len() / 4 == most;
    let line = hashes(seen).last().filter(|_| is_full).unwrap_or(u32::MAX);
    let (mut known, mut kept) = (hashes(seen).peekable(), Vec::with_capacity(seen.len() + page.len()));
    let (mut new, mut compared, mut last) = (0, 0, None);
    for hash in hashes(page).take_while(|hash| *hash <= line) {
        compared += 1;
        while let Some(other) = known.next_if(|other| *other < hash) {
            kept.extend(other.to_be_bytes());
        }
        if last != Some(hash) && known.peek() != Some(&hash) {
            kept.extend(hash.to_be_bytes());
            new += 1;
        }
        last = Some(hash);
    }
    if new == 0 {
        return (0, compared, None);
    }
    known.for_each(|other| kept.extend(other.to_be_bytes()));
    kept.truncate(4 * most);
    (new, compared, Some(kept))
}

/// How often each hash was on a page: five bytes for each, in the order in which they came.
struct Counts {
    entries: Vec<(u32, u8)>,
    /// Where each hash is among them, from one on, in the next free place after the one that it asks for. Hashes need
    /// no hashing: a page can't choose them but one by one, and there are a few hundred.
    places: Vec<u16>,
}

impl Counts {
    fn read(raw: &[u8], more: usize) -> Self {
        let entries: Vec<_> = raw.chunks_exact(5).filter_map(|entry| entry.split_last().map(counted)).collect();
        let room = (2 * (entries.len() + more)).next_power_of_two();
        let mut counts = Self { entries: Vec::with_capacity(entries.len() + more), places: vec![0; room] };
        for (hash, count) in entries {
            counts.add(hash, count);
        }
        counts
    }

    fn add(&mut self, hash: u32, times: u8) {
        let last = self.places.len() - 1; // a power of two, less one
        let mut at = (hash.wrapping_mul(0x9e37_79b1) >> 16) as usize & last;
        while let Some(place) = self.places.get_mut(at) {
            match self.entries.get_mut(usize::from(*place).wrapping_sub(1)) {
                Some((known, count)) if *known == hash => {
                    *count = count.saturating_add(times);
                    return;
                }
                Some(_) => at = (at + 1) & last,
                None => {
                    self.entries.push((hash, times));
                    *place = self.entries.len() as u16;
                    return;
                }
            }
        }
    }

    fn bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        let mut raw = Vec::with_capacity(5 * self.entries.len());
        for (hash, count) in &self.entries {
            raw.extend_from_slice(&hash.to_be_bytes());
            raw.push(*count);
        }
        PyBytes::new(py, &raw)
    }
}

fn counted((count, hash): (&u8, &[u8])) -> (u32, u8) {
    (hashes(hash).next().unwrap_or_default(), *count)
}

/// The counts with one more page; of more than `most` hashes, those that at least `least` pages have are kept, and of
/// these the last half of `most`.
#[pyfunction]
pub fn count_page<'py>(py: Python<'py>, counts: &[u8], sample: &[u8], most: usize, least: u8) -> Bound<'py, PyBytes> {
    let mut counts = Counts::read(counts, sample.len() / 4);
    hashes(sample).for_each(|hash| counts.add(hash, 1));
    if counts.entries.len() > most {
        counts.entries.retain(|(_, count)| *count >= least);
        counts.entries.drain(..counts.entries.len().saturating_sub(most / 2));
    }
    counts.bytes(py)
}

/// The hashes that more pages have than so many.
#[pyfunction]
pub fn frequent<'py>(py: Python<'py>, counts: &[u8], pages: u8) -> PyResult<Bound<'py, PyTuple>> {
    let entries = Counts::read(counts, 0).entries;
    PyTuple::new(py, entries.iter().filter(|(_, count)| *count > pages).map(|(hash, _)| *hash).collect::<Vec<_>>())
}

pub fn hashes(raw: &[u8]) -> impl Iterator<Item = u32> {
    raw.chunks_exact(4).map(|four| u32::from_be_bytes(four.try_into().unwrap_or_default()))
}
