//! The blocks of a page that are like one another: posts of a thread, cards of a shop, what is said twice.

use super::tags::Tag;
use super::tree::{Block, Tree};
use super::words::Words;
use crate::hashing::Quick;
use std::collections::HashMap;
use xxhash_rust::xxh3::xxh3_64;

/// Elements that are looked at for how a block looks.
const LEVELS: usize = 3;

#[derive(Default)]
struct Group {
    blocks: f32,
    words: f32,
    linked: f32,
}

/// How often a text is on the page, and how often it was before this block.
#[derive(Default)]
struct Times {
    all: f32,
    before: f32,
}

#[derive(Default)]
pub struct Alike {
    groups: HashMap<u64, Group, Quick>,
    texts: HashMap<u64, Times, Quick>,
}

impl Alike {
    pub fn new(tree: &Tree, words: &[Words]) -> Self {
        let mut alike = Self::default();
        for (block, words) in tree.blocks.iter().zip(words) {
            let group = alike.groups.entry(look(tree, block)).or_default();
            group.blocks += 1.0;
            group.words += words.count;
            group.linked += words.count * block.link_share();
            alike.texts.entry(text(tree, block)).or_default().all += 1.0;
        }
        alike
    }

    /// How often the text of a block is there. To be asked once for each, in their order.
    pub fn times(&mut self, tree: &Tree, block: &Block, row: &mut Vec<f32>) {
        let times = self.texts.entry(text(tree, block)).or_default();
        row.extend([times.all, times.before]);
        times.before += 1.0;
    }

    /// The blocks that look like this one.
    pub fn group(&self, tree: &Tree, block: &Block, row: &mut Vec<f32>) {
        let none = Group::default();
        let group = self.groups.get(&look(tree, block)).unwrap_or(&none);
        let mean = group.words / group.blocks.max(1.0);
        row.extend([group.blocks, mean, group.linked / group.words.max(1.0), group.words]);
    }
}

fn text(tree: &Tree, block: &Block) -> u64 {
    xxh3_64(tree.text_of(block).as_bytes())
}

/// Equal for blocks in elements of the same tags and classes.
fn look(tree: &Tree, block: &Block) -> u64 {
    let nodes = tree.ancestors(block.node).filter(|node| node.tag != Tag::A).take(LEVELS);
    nodes.fold(0, |all: u64, node| all.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(node.look))
}
