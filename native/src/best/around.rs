//! What is measured of the elements that a block is in.

use super::hints::KINDS;
use super::sums::Sums;
use super::tags::{COUNT, Tag};
use super::tree::{Block, Tree};

/// How far an element is at most that still counts, and how far one is that is not there.
pub const FAR: usize = 20;
const LEVELS: usize = 4;
const LEVEL_FEATURES: usize = 4;

/// Elements, the distance to the nearest of which is measured.
const TAGS: [&[Tag]; 19] = [
    &[Tag::Nav],
    &[Tag::Header],
    &[Tag::Footer],
    &[Tag::Aside],
    &[Tag::Main],
    &[Tag::Article],
    &[Tag::Section],
    &[Tag::Form, Tag::Fieldset],
    &[Tag::Table],
    &[Tag::Ul],
    &[Tag::Ol],
    &[Tag::Li],
    &[Tag::Figure],
    &[Tag::Details],
    &[Tag::Dialog],
    &[Tag::A],
    &[Tag::Blockquote, Tag::Pre],
    &[Tag::Dl],
    &[Tag::Noscript],
];
/// Of each tag, which of `TAGS` it is in; what is in none has a number beyond them.
const SLOTS: [u8; COUNT] = slots();

#[allow(clippy::indexing_slicing)] // at compile time: what is wrong here does not compile
const fn slots() -> [u8; COUNT] {
    let mut slots = [TAGS.len() as u8; COUNT];
    let mut slot = 0;
    while slot < TAGS.len() {
        let mut at = 0;
        while at < TAGS[slot].len() {
            slots[TAGS[slot][at] as usize] = slot as u8;
            at += 1;
        }
        slot += 1;
    }
    slots
}

/// How far the elements of each kind are that the block is in.
pub fn distances(tree: &Tree, block: &Block, row: &mut Vec<f32>) {
    let mut tags = [FAR as f32; TAGS.len()];
    let mut kinds = [FAR as f32; KINDS];
    let mut hidden = FAR as f32;
    note(&mut kinds, block.kinds, 0.0);
    let mut distance = 0.0;
    for node in tree.ancestors(block.node).take(FAR) {
        let slot = SLOTS.get(node.tag as usize).and_then(|&slot| tags.get_mut(usize::from(slot)));
        if let Some(slot) = slot {
            *slot = slot.min(distance);
        }
        note(&mut kinds, node.kinds, distance);
        if node.is_hidden {
            hidden = distance.min(hidden);
        }
        distance += 1.0;
    }
    row.extend(tags);
    row.extend(kinds);
    row.push(hidden);
}

/// Notes a distance for each kind that is in a set.
fn note(distances: &mut [f32; KINDS], mut kinds: u32, distance: f32) {
    while kinds != 0 {
        if let Some(slot) = distances.get_mut(kinds.trailing_zeros() as usize) {
            *slot = slot.min(distance);
        }
        kinds &= kinds - 1;
    }
}

/// The elements around the block, each of which has more in it than the one before.
pub fn levels(tree: &Tree, sums: &Sums, block: &Block, row: &mut Vec<f32>) {
    let (mut left, mut last) = (LEVELS, 0);
    for node in tree.ancestors(block.node) {
        if node.blocks.len() <= last {
            continue;
        }
        last = node.blocks.len();
        let words = sums.words.over(&node.blocks);
        row.extend([
            last as f32,
            words / last as f32,
            sums.linked.over(&node.blocks) / words.max(1.0),
            sums.good.share(sums.good.over(&node.blocks)),
        ]);
        left -= 1;
        if left == 0 {
            return;
        }
    }
    row.extend(std::iter::repeat_n(-1.0, left * LEVEL_FEATURES));
}
