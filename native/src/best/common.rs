//! What is measured of a page, and all its blocks have in common.

use super::meta::TYPES;
use super::sums::{Sums, is_good};
use super::tags::Tag;
use super::tree::{Node, Tree};
use super::url::Address;
use super::words::Words;

/// Kinds of names, and elements, whose share of the good words tells what kind of page it is: content, posts, related,
/// comments, products, cards.
const KINDS: [u32; 6] = [0, 2, 8, 10, 20, 21];
const TAGS: [Tag; 5] = [Tag::Article, Tag::Main, Tag::Li, Tag::Table, Tag::A];

pub fn features(tree: &Tree, words: &[Words], sums: &Sums, address: &Address) -> Vec<f32> {
    let count = |tag: Tag| tree.nodes.iter().filter(|node| node.tag == tag).count() as f32;
    let good_blocks = tree.blocks.iter().zip(words).filter(|(block, words)| is_good(block, words)).count();
    let mut row = vec![
        sums.words.total(),
        tree.blocks.len() as f32,
        sums.words.share(sums.linked.total()),
        sums.words.share(sums.good.total()),
        good_blocks as f32,
        count(Tag::P),
        count(Tag::Article),
        count(Tag::H1),
    ];
    row.extend(KINDS.map(|kind| share(tree, sums, |node| node.kinds >> kind & 1 == 1)));
    row.extend(TAGS.map(|tag| share(tree, sums, |node| node.tag == tag)));
    row.extend((0..TYPES.len()).map(|bit| (tree.meta.types >> bit & 1) as f32));
    row.extend(address.features());
    row
}

/// The share of the good words that is in elements of a kind.
fn share(tree: &Tree, sums: &Sums, is_wanted: impl Fn(&Node) -> bool) -> f32 {
    let (mut held, mut end) = (0.0, 0);
    for node in tree.nodes.iter().filter(|node| is_wanted(node)) {
        // Elements come in the order of the page: what is in one that was counted was counted with it.
        held += sums.good.over(&(node.blocks.start.max(end)..node.blocks.end.max(end)));
        end = end.max(node.blocks.end);
    }
    sums.good.share(held)
}
