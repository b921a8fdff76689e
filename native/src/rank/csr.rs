//! Who vouches for whom: for each node the numbers of those that do, in order, all in one row of numbers.

use super::pairs::{source, target, vouches};

pub struct Csr {
    starts: Vec<usize>,
    sources: Vec<u32>,
}

impl Csr {
    /// Of pairs in order, those that vouch.
    pub fn new(pairs: &[u64], nodes: usize) -> Self {
        let mut starts = vec![0; nodes + 1];
        let kept = || pairs.iter().copied().filter(|pair| vouches(*pair));
        for pair in kept() {
            if let Some(count) = starts.get_mut(target(pair) as usize + 1) {
                *count += 1;
            }
        }
        let mut sum = 0;
        for start in &mut starts {
            sum += *start;
            *start = sum;
        }
        let mut sources = Vec::with_capacity(sum);
        sources.extend(kept().map(source));
        Self { starts, sources }
    }

    pub fn nodes(&self) -> usize {
        self.starts.len() - 1
    }

    pub fn of(&self, node: usize) -> &[u32] {
        let (start, end) = (self.starts.get(node), self.starts.get(node + 1));
        start.zip(end).and_then(|(start, end)| self.sources.get(*start..*end)).unwrap_or_default()
    }

    /// How many nodes each one vouches for.
    pub fn out_degrees(&self, nodes: usize) -> Vec<u32> {
        let mut out = vec![0; nodes];
        for source in &self.sources {
            if let Some(count) = out.get_mut(*source as usize) {
                *count += 1;
            }
        }
        out
    }

    pub fn in_degrees(&self) -> Vec<u32> {
        (0..self.nodes()).map(|node| self.of(node).len() as u32).collect()
    }
}
