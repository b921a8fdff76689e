//! Tells for sure that a fingerprint was never added: a Bloom filter that grows in layers, each as large as all before.
//!
//! Each layer takes some for its own that it does not have, so that a filter of many layers is wrong more often: whoever
//! holds it makes it anew, in one layer, as soon as it has two (`shard/filter.py`).
//!
//! Fingerprints are uniform hashes already. Half of one chooses a line in each layer, what a processor reads at once;
//! the other half chooses one bit in each word of that line.

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use xxhash_rust::xxh3::xxh3_128;

const VERSION: u8 = 2;
const FIRST: usize = 64;

/// Fingerprints for each line of a layer: at 12 bits each, a full layer takes one in 200 for its own.
const A_LINE: usize = 42;

type Line = [u64; 8];

#[pyclass]
pub struct Filter {
    layers: Vec<Vec<Line>>,
    first: usize,
    room: usize,
}

#[pymethods]
impl Filter {
    /// One without any layer; the first that it grows by has so many lines.
    #[new]
    #[pyo3(signature = (lines = FIRST))]
    fn new(lines: usize) -> Self {
        Self { layers: Vec::new(), first: lines.max(1), room: 0 }
    }

    /// What `to_bytes` gave; None if it can't be that.
    #[staticmethod]
    fn from_bytes(raw: &[u8]) -> Option<Self> {
        let (version, rest) = raw.split_first()?;
        let (room, rest) = rest.split_first_chunk()?;
        let (first, words) = rest.split_first_chunk()?;
        let [room, first] = [*room, *first].map(u64::from_le_bytes).map(usize::try_from);
        let mut filter = Self { layers: Vec::new(), first: first.ok().filter(|lines| *lines > 0)?, room: room.ok()? };
        let mut lines = words.chunks_exact(size_of::<Line>()).map(line);
        while lines.len() >= filter.next_lines() {
            filter.layers.push(lines.by_ref().take(filter.next_lines()).collect());
        }
        (*version == VERSION && filter.room <= filter.last_room() && filter.size() == words.len()).then_some(filter)
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        let mut raw = vec![VERSION];
        raw.extend((self.room as u64).to_le_bytes());
        raw.extend((self.first as u64).to_le_bytes());
        raw.extend(self.layers.iter().flatten().flatten().flat_map(|word| word.to_le_bytes()));
        PyBytes::new(py, &raw)
    }

    /// Bytes that it holds.
    #[getter]
    fn size(&self) -> usize {
        self.layers.iter().map(|layer| size_of_val(layer.as_slice())).sum()
    }

    /// Bytes that `grow` adds.
    #[getter]
    fn growth(&self) -> usize {
        self.next_lines().saturating_mul(size_of::<Line>())
    }

    /// How many layers it has.
    #[getter]
    fn layers(&self) -> usize {
        self.layers.len()
    }

    /// Lines of all layers together.
    #[getter]
    fn lines(&self) -> usize {
        self.layers.iter().map(Vec::len).sum()
    }

    /// Makes room for as many again as there was room for.
    fn grow(&mut self) {
        self.layers.push(vec![Line::default(); self.next_lines()]);
        self.room = self.last_room();
    }

    /// Adds a fingerprint. False: it has no room for it and must grow first.
    fn add(&mut self, fingerprint: &[u8]) -> bool {
        let Some((place, bits)) = marks(fingerprint) else {
            return true;
        };
        let Some(room) = self.room.checked_sub(1) else {
            return false;
        };
        let layer = self.layers.last_mut().map(Vec::as_mut_slice).unwrap_or_default();
        let at = at(place, layer.len());
        if let Some(line) = layer.get_mut(at) {
            line.iter_mut().zip(bits).for_each(|(word, bit)| *word |= bit);
        }
        self.room = room;
        true
    }

    /// Adds keys of any length by their hashes. False: it has no room for all of them, and none was added.
    fn add_keys(&mut self, keys: Vec<Bound<'_, PyBytes>>) -> bool {
        self.room >= keys.len() && keys.iter().all(|key| self.add(&hash(key.as_bytes())))
    }

    /// Those of the keys that may have been added. That the others were not is sure.
    fn known_keys<'py>(&self, keys: Vec<Bound<'py, PyBytes>>) -> Vec<Bound<'py, PyBytes>> {
        keys.into_iter().filter(|key| self.__contains__(&hash(key.as_bytes()))).collect()
    }

    /// Whether the fingerprint may have been added. False is sure.
    fn __contains__(&self, fingerprint: &[u8]) -> bool {
        let Some((place, bits)) = marks(fingerprint) else {
            return true;
        };
        let is_in = |line: &Line| line.iter().zip(bits).all(|(word, bit)| word & bit != 0);
        self.layers.iter().rev().any(|layer| layer.get(at(place, layer.len())).is_some_and(is_in))
    }
}

impl Filter {
    fn next_lines(&self) -> usize {
        if self.layers.is_empty() { self.first } else { self.lines() }
    }

    fn last_room(&self) -> usize {
        self.layers.last().map_or(0, |layer| layer.len() * A_LINE)
    }
}

/// What stands for a key that is no uniform hash by itself.
fn hash(key: &[u8]) -> [u8; 16] {
    xxh3_128(key).to_be_bytes()
}

/// Where in a layer a fingerprint is to be looked for, and its bits. None: it is not 16 bytes, and nothing is known of it.
fn marks(fingerprint: &[u8]) -> Option<(u64, Line)> {
    let (place, bits) = fingerprint.split_first_chunk()?;
    let bits = u64::from_le_bytes(*bits.first_chunk()?);
    Some((u64::from_le_bytes(*place), std::array::from_fn(|word| 1 << (bits >> (6 * word) & 63))))
}

fn at(place: u64, lines: usize) -> usize {
    ((u128::from(place) * lines as u128) >> 64) as usize
}

fn line(raw: &[u8]) -> Line {
    let mut words = raw.chunks_exact(size_of::<u64>()).filter_map(<[u8]>::first_chunk);
    std::array::from_fn(|_| words.next().map_or(0, |bytes| u64::from_le_bytes(*bytes)))
}
