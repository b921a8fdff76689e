//! Sums over the blocks before each, so that those over a range are one subtraction.

use super::tree::{Block, Tree};
use super::words::Words;
use std::ops::Range;

/// Words from which on a block that is not in links is good: a sentence or more.
const LONG: f32 = 15.0;
const LINKED: f32 = 0.3;

pub struct Sums {
    pub words: Sum,
    /// Words in links.
    pub linked: Sum,
    /// Words of good blocks.
    pub good: Sum,
}

pub struct Sum(Vec<f32>);

impl Sum {
    fn of(values: impl Iterator<Item = f32>) -> Self {
        let mut all = 0.0;
        let sums = values.map(|value| {
            all += value;
            all
        });
        Self(std::iter::once(0.0).chain(sums).collect())
    }

    /// Over the blocks before this one.
    pub fn before(&self, at: usize) -> f32 {
        self.0.get(at).or(self.0.last()).copied().unwrap_or(0.0)
    }

    pub fn over(&self, range: &Range<usize>) -> f32 {
        self.before(range.end) - self.before(range.start)
    }

    pub fn total(&self) -> f32 {
        self.0.last().copied().unwrap_or(0.0)
    }

    /// The share that a part has of all.
    pub fn share(&self, part: f32) -> f32 {
        part / self.total().max(1.0)
    }
}

impl Sums {
    pub fn new(tree: &Tree, words: &[Words]) -> Self {
        let each = || tree.blocks.iter().zip(words);
        let good = |(block, words)| if is_good(block, words) { words.count } else { 0.0 };
        Self {
            words: Sum::of(each().map(|(_, words)| words.count)),
            linked: Sum::of(each().map(|(block, words)| words.count * block.link_share())),
            good: Sum::of(each().map(good)),
        }
    }
}

pub fn is_good(block: &Block, words: &Words) -> bool {
    words.count >= LONG && block.link_share() < LINKED
}
