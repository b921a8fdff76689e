//! Which links of a page were found before, by a hash of what they are. It is seeded: no page can make two of them one.

use crate::hashing::Quick;
use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};
use xxhash_rust::xxh3::{xxh3_64_with_seed, xxh3_128_with_seed};

pub struct Seen {
    seed: u64,
    links: HashSet<u128, Quick>,
}

impl Default for Seen {
    fn default() -> Self {
        Self { seed: RandomState::new().hash_one(0), links: HashSet::with_capacity_and_hasher(64, Quick::default()) }
    }
}

impl Seen {
    /// Whether there was no link like this yet; now there is.
    pub fn insert(&mut self, tag: &str, href: &str, rel: &str) -> bool {
        let of_tag = xxh3_64_with_seed(tag.as_bytes(), self.seed);
        let of_both = xxh3_64_with_seed(rel.as_bytes(), of_tag);
        self.links.insert(xxh3_128_with_seed(href.as_bytes(), of_both))
    }
}
