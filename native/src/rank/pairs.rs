//! Pairs of a target and a source, each once: gathered, and put in order now and then, so that memory holds no more
//! than twice what is different.

const FIRST: usize = 1 << 24;
const RECENT: usize = 1 << 16;

/// A target in 31 bits, a source in 32, and whether none of their links vouches.
///
/// In order, a pair that vouches comes before the same one that does not.
pub fn pair(target: u32, source: u32, is_nofollow: bool) -> u64 {
    u64::from(target) << 33 | u64::from(source) << 1 | u64::from(is_nofollow)
}

pub fn target(pair: u64) -> u32 {
    (pair >> 33) as u32
}

pub fn source(pair: u64) -> u32 {
    (pair >> 1) as u32
}

pub fn vouches(pair: u64) -> bool {
    pair & 1 == 0
}

/// Puts pairs in order and keeps each once: as one that vouches, if it is there as such.
pub fn tidy(pairs: &mut Vec<u64>) {
    pairs.sort_unstable();
    pairs.dedup_by_key(|pair| *pair >> 1);
}

pub struct Pairs {
    held: Vec<u64>,
    most: usize,
    recent: Vec<u64>,
}

impl Default for Pairs {
    fn default() -> Self {
        Self { held: Vec::new(), most: FIRST, recent: vec![u64::MAX; RECENT] }
    }
}

impl Pairs {
    pub fn push(&mut self, pair: u64) {
        // The pages of a host have many links in common: most pairs were here a moment ago.
        let slot = (pair.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 48) as usize % RECENT;
        if let Some(recent) = self.recent.get_mut(slot) {
            if *recent == pair {
                return;
            }
            *recent = pair;
        }
        if self.held.len() == self.most {
            tidy(&mut self.held);
            self.most = FIRST.max(2 * self.held.len());
            self.held.reserve_exact(self.most - self.held.len());
        }
        self.held.push(pair);
    }

    /// All pairs, in order, each once.
    pub fn take(&mut self) -> Vec<u64> {
        self.recent = Vec::new();
        let mut held = std::mem::take(&mut self.held);
        tidy(&mut held);
        held
    }
}
