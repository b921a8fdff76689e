//! Which hosts are copies of others, as `rank/survey/mirrors.py` has it, which explains how.

use super::visits::Visit;
use std::sync::{Mutex, PoisonError};

const BITS: u32 = 3;
const BLOCKS: [u32; 6] = [11, 11, 11, 11, 10, 10];
const NEIGHBOURS: usize = 64;
const FEWEST: usize = 3;
const ENOUGH: usize = 10;
pub const NOBODY: u32 = u32::MAX;

/// Whether so many of all are most of them.
pub fn is_most(some: usize, all: usize) -> bool {
    some * 5 >= all * 3
}

/// What a page says, by its SimHash, or by its bytes if it has none, and its host.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Said {
    is_bytes: bool,
    text: u64,
    host: u32,
}

/// By host the one that it is a mirror of, or `NOBODY`. The best of `standing` is the original.
pub fn mirrors(pages: &[Visit], standing: &[u32]) -> Vec<u32> {
    let mut said: Vec<_> = pages
        .iter()
        .map(|page| match page.simhash {
            0 => Said { is_bytes: true, text: page.digest, host: page.host },
            text => Said { is_bytes: false, text, host: page.host },
        })
        .filter(|said| said.text != 0)
        .collect();
    said.sort_unstable();
    let alike = || said.chunk_by(|one, next| (one.is_bytes, one.text) == (next.is_bytes, next.text));
    let best: Vec<u32> = alike().map(|group| best_of(group, standing)).collect();
    let simhashes: Vec<u64> =
        alike().filter_map(|group| group.first()).take_while(|one| !one.is_bytes).map(|one| one.text).collect();
    let original = originals(&simhashes, best, standing);
    let mut found = Vec::with_capacity(said.len());
    for (group, original) in alike().zip(&original) {
        found.extend(group.iter().map(|one| (one.host, *original)));
    }
    most(found, standing.len())
}

fn best_of(group: &[Said], standing: &[u32]) -> u32 {
    group.iter().map(|one| one.host).reduce(|one, other| better(one, other, standing)).unwrap_or(NOBODY)
}

fn better(one: u32, other: u32, standing: &[u32]) -> u32 {
    let place = |host: u32| standing.get(host as usize);
    if place(one) >= place(other) { one } else { other }
}

/// By text the host that has the original of it, or of a near one.
fn originals(simhashes: &[u64], best: Vec<u32>, standing: &[u32]) -> Vec<u32> {
    let masks = Mutex::new(masks().into_iter());
    let whole = Mutex::new(best.clone());
    let next = || masks.lock().unwrap_or_else(PoisonError::into_inner).next();
    let toil = || {
        let mut mine = best.clone();
        while let Some(mask) = next() {
            near(simhashes, mask, |one, other| {
                for (here, there) in [(one, other), (other, one)] {
                    if let (Some(original), Some(theirs)) = (mine.get_mut(here), best.get(there)) {
                        *original = better(*original, *theirs, standing);
                    }
                }
            });
        }
        let mut whole = whole.lock().unwrap_or_else(PoisonError::into_inner);
        for (one, other) in whole.iter_mut().zip(&mine) {
            *one = better(*one, *other, standing);
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(toil);
        toil();
    });
    whole.into_inner().unwrap_or_else(PoisonError::into_inner)
}

fn masks() -> Vec<u64> {
    let mut at = 0;
    let blocks = BLOCKS.map(|size| {
        let block = ((1 << size) - 1) << at;
        at += size;
        block
    });
    let mut found = Vec::new();
    for (first, one) in blocks.iter().enumerate() {
        for (second, two) in blocks.iter().enumerate().skip(first + 1) {
            found.extend(blocks.iter().skip(second + 1).map(|three| one | two | three));
        }
    }
    found
}

/// Tells the places of values that are within three bits and have the same bits under `mask`.
fn near(values: &[u64], mask: u64, mut tell: impl FnMut(usize, usize)) {
    let mut ordered: Vec<_> = values.iter().enumerate().map(|(place, value)| (value & mask, place as u32)).collect();
    ordered.sort_unstable();
    let value = |place: u32| values.get(place as usize).copied().unwrap_or(0);
    for (at, (key, place)) in ordered.iter().enumerate() {
        let after = ordered.iter().skip(at + 1).take(NEIGHBOURS).take_while(|(other, _)| other == key);
        for (_, other) in after {
            if (value(*place) ^ value(*other)).count_ones() <= BITS {
                tell(*place as usize, *other as usize);
            }
        }
    }
}

fn most(mut found: Vec<(u32, u32)>, hosts: usize) -> Vec<u32> {
    let mut mirrors = vec![NOBODY; hosts];
    let mut pages = vec![0_usize; hosts];
    for (host, _) in &found {
        pages.get_mut(*host as usize).into_iter().for_each(|many| *many += 1);
    }
    found.sort_unstable();
    for all in found.chunk_by(|one, next| one.0 == next.0) {
        for some in all.chunk_by(|one, next| one == next) {
            let Some((host, original)) = some.first() else { continue };
            let its = pages.get(*original as usize).copied().unwrap_or(0);
            let of_mine = some.len() >= FEWEST && is_most(some.len(), all.len());
            let of_its = some.len() >= ENOUGH && is_most(some.len(), its);
            if original != host && (of_mine || of_its) {
                if let Some(mirror) = mirrors.get_mut(*host as usize) {
                    *mirror = *original;
                }
            }
        }
    }
    mirrors
}
