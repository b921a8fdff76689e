//! Where a block is: on the page, after its heading, and from its core, the element that most of the good words are in.

use super::around::FAR;
use super::sums::Sums;
use super::tags::Tag;
use super::tree::{Node, ROOT, Tree};

/// Which share of the good words makes an element a core.
const CORES: [f32; 3] = [0.9, 0.6, 0.35];
/// Blocks from a first heading that is not there.
const NOWHERE: f32 = -500.0;

pub struct Place {
    cores: [u32; CORES.len()],
    heading: Option<usize>,
}

impl Place {
    pub fn new(tree: &Tree, sums: &Sums) -> Self {
        let heading = tree.blocks.iter().position(|block| tree.tag_of(block) == Tag::H1);
        Self { cores: CORES.map(|share| core(tree, sums, share)), heading }
    }

    pub fn features(&self, tree: &Tree, sums: &Sums, at: usize, row: &mut Vec<f32>) {
        let before = sums.words.before(at);
        row.extend([
            at as f32 / tree.blocks.len().max(1) as f32,
            sums.words.share(before),
            before,
            sums.words.total().max(1.0) - before,
            sums.good.share(sums.good.before(at)),
            self.heading.map_or(NOWHERE, |heading| at as f32 - heading as f32),
        ]);
        let depth = tree.blocks.get(at).and_then(|block| tree.node(block.node)).map_or(0, |node| node.depth);
        for core in self.cores.iter().filter_map(|core| tree.node(*core)) {
            row.extend([steps_out(tree, core, at), f32::from(depth) - f32::from(core.depth)]);
        }
    }
}

/// How many elements there are from the core to the first that has the block too.
fn steps_out(tree: &Tree, core: &Node, at: usize) -> f32 {
    if core.blocks.contains(&at) {
        return 0.0;
    }
    let outer =
        std::iter::successors(
            tree.node(core.parent),
            |outer| {
                if outer.depth == 0 { None } else { tree.node(outer.parent) }
            },
        );
    outer.take_while(|outer| !outer.blocks.contains(&at)).take(FAR).count() as f32 + 1.0
}

/// The innermost element with this share of the good words.
fn core(tree: &Tree, sums: &Sums, share: f32) -> u32 {
    let wanted = sums.good.total() * share;
    let mut best = (ROOT, 0);
    for (number, node) in (0..).zip(&tree.nodes) {
        let is_deeper = node.depth > best.1 && node.tag != Tag::A;
        if is_deeper && wanted > 0.0 && sums.good.over(&node.blocks) >= wanted {
            best = (number, node.depth);
        }
    }
    best.0
}
