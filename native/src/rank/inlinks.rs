//! How many pages link to each of some URLs, as `rank/survey/forms.py` counts them.

use super::texts::{Texts, longs, places};
use pyo3::prelude::*;
use std::collections::HashMap;
use xxhash_rust::xxh3::xxh3_64;

const VOUCHES: u8 = 2;

#[derive(Default)]
struct Count {
    pages: u32,
    last: u64,
}

#[pyclass]
pub struct Inlinks {
    counts: HashMap<u64, Count>,
}

#[pymethods]
impl Inlinks {
    /// Counts for the URLs of these hashes, eight bytes each.
    #[new]
    fn new(hashes: &[u8]) -> Self {
        Self { counts: longs(hashes).map(|hash| (hash, Count::default())).collect() }
    }

    /// Takes links, as `Survey` does.
    #[allow(clippy::too_many_arguments)]
    fn links(
        &mut self,
        py: Python<'_>,
        source_ends: &[u8],
        source_text: &[u8],
        source_places: &[u8],
        target_ends: &[u8],
        target_text: &[u8],
        marks: &[u8],
    ) {
        let (sources, targets) = (Texts::new(source_ends, source_text), Texts::new(target_ends, target_text));
        py.detach(|| {
            let sources: Vec<u64> = sources.iter().map(|source| xxh3_64(source).max(1)).collect();
            for ((place, target), mark) in places(source_places).zip(targets.iter()).zip(marks) {
                let (Some(source), VOUCHES) = (sources.get(place), *mark) else { continue };
                let end = target.iter().position(|byte| *byte == b'#').unwrap_or(target.len());
                let Some(count) = self.counts.get_mut(&xxh3_64(target.get(..end).unwrap_or_default())) else {
                    continue;
                };
                // The links of a page come together: one that links twice is counted once.
                count.pages += u32::from(count.last != *source);
                count.last = *source;
            }
        });
    }

    /// How many pages link to the URLs of these hashes, in their order.
    fn counts(&self, hashes: &[u8]) -> Vec<u32> {
        longs(hashes).map(|hash| self.counts.get(&hash).map_or(0, |count| count.pages)).collect()
    }
}
