//! A hash that is quick on short text, and seeded: a page can't be written to make all its links collide.

use std::hash::{BuildHasher, Hasher, RandomState};
use xxhash_rust::xxh3::xxh3_64_with_seed;

#[derive(Clone)]
pub struct Quick(u64);

impl Default for Quick {
    fn default() -> Self {
        Self(RandomState::new().hash_one(0))
    }
}

impl BuildHasher for Quick {
    type Hasher = State;

    fn build_hasher(&self) -> State {
        State(self.0)
    }
}

pub struct State(u64);

impl Hasher for State {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = xxh3_64_with_seed(bytes, self.0);
    }

    fn write_u8(&mut self, number: u8) {
        self.0 ^= u64::from(number);
    }

    fn write_u64(&mut self, number: u64) {
        self.write(&number.to_ne_bytes());
    }

    fn write_u128(&mut self, number: u128) {
        self.0 = number as u64; // a hash already
    }

    fn write_usize(&mut self, number: usize) {
        self.0 = self.0.rotate_left(5) ^ (number as u64);
    }
}
