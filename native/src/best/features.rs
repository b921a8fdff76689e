//! What is measured of each block: of itself, of the elements around it, of its neighbours, of its likes, of the page.

use super::hints::KINDS;
use super::meta::TYPES;
use super::tags::Tag;
use super::tree::{Block, Node, ROOT, Tree};
use super::url::Address;
use super::words::{Known, TOPICS, Words, read};
use std::collections::{HashMap, HashSet};
use xxhash_rust::xxh3::xxh3_64;

/// Elements, the distance to the nearest of which is measured.
const AROUND: [&[Tag]; 19] = [
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
/// Kinds of names, and elements, whose share of the good words tells what kind of page it is: content, posts, related,
/// comments, products, cards.
const HELD_BY_KIND: [u32; 6] = [0, 2, 8, 10, 20, 21];
const HELD_BY_TAG: [Tag; 5] = [Tag::Article, Tag::Main, Tag::Li, Tag::Table, Tag::A];
/// Shares of the good words that the innermost element has which is a core of the page.
const CORES: [f32; 3] = [0.9, 0.6, 0.35];
const FAR: f32 = 20.0;
const LEVELS: usize = 4;

/// Sums over the blocks before each, so that those over a range are one subtraction.
struct Sums {
    words: Vec<f32>,
    linked: Vec<f32>,
    good: Vec<f32>,
}

impl Sums {
    fn over(sums: &[f32], range: &std::ops::Range<usize>) -> f32 {
        let at = |index: usize| sums.get(index).or(sums.last()).copied().unwrap_or(0.0);
        at(range.end) - at(range.start)
    }
}

#[derive(Default, Clone, Copy)]
struct Group {
    blocks: f32,
    words: f32,
    linked: f32,
}

pub struct Page<'a> {
    tree: &'a Tree,
    words: Vec<Words>,
    sums: Sums,
    cores: [u32; CORES.len()],
    looks: Vec<u64>,
    groups: HashMap<u64, Group>,
    texts: HashMap<u64, (u32, u32)>,
    common: Vec<f32>,
    /// The first heading of the first level.
    first_h1: Option<usize>,
}

pub fn link_share(block: &Block) -> f32 {
    block.linked as f32 / block.bytes.max(1) as f32
}

impl<'a> Page<'a> {
    pub fn new(tree: &'a Tree, address: &Address) -> Self {
        let known = Known::new();
        let title: HashSet<String> = tree
            .meta
            .title
            .split(|character: char| !character.is_alphanumeric())
            .filter(|word| word.len() > 2)
            .map(str::to_lowercase)
            .collect();
        let words: Vec<Words> = tree.blocks.iter().map(|block| read(text_of(tree, block), &known, &title)).collect();
        let sums = sums(tree, &words);
        let looks: Vec<u64> = tree.blocks.iter().map(|block| look(tree, block)).collect();
        let mut groups: HashMap<u64, Group> = HashMap::new();
        let mut texts: HashMap<u64, (u32, u32)> = HashMap::new();
        for ((block, look), measured) in tree.blocks.iter().zip(&looks).zip(&words) {
            let group = groups.entry(*look).or_default();
            group.blocks += 1.0;
            group.words += measured.count;
            group.linked += measured.count * link_share(block);
            texts.entry(xxh3_64(text_of(tree, block).as_bytes())).or_default().0 += 1;
        }
        let cores = CORES.map(|share| core(tree, &sums, share));
        let first_h1 = tree.blocks.iter().position(|block| node(tree, block.node).is_some_and(|n| n.tag == Tag::H1));
        let common = common(tree, &words, &sums, address);
        Self { tree, words, sums, cores, looks, groups, texts, common, first_h1 }
    }

    /// The features of all blocks, in their order.
    pub fn rows(&mut self, mut see: impl FnMut(&[f32])) {
        let mut row = Vec::new();
        let mut heading = Heading::default();
        for at in 0..self.tree.blocks.len() {
            row.clear();
            self.row(at, &mut heading, &mut row);
            see(&row);
        }
    }

    fn row(&mut self, at: usize, heading: &mut Heading, row: &mut Vec<f32>) {
        let tree = self.tree;
        let (Some(block), Some(words)) = (tree.blocks.get(at), self.words.get(at)) else { return };
        let Some(own) = node(tree, block.node) else { return };
        own_features(block, words, own, row);
        let seen = self.texts.entry(xxh3_64(text_of(tree, block).as_bytes())).or_default();
        row.extend([seen.0 as f32, seen.1 as f32]);
        seen.1 += 1;
        self.around(block, row);
        self.levels(block, row);
        self.place(at, row);
        let group = self.looks.get(at).and_then(|look| self.groups.get(look)).copied().unwrap_or_default();
        row.extend([group.blocks, group.words / group.blocks.max(1.0), group.linked / group.words.max(1.0), group.words]);
        self.neighbours(at, row);
        heading.pass(own, words, at);
        heading.features(at, row);
        row.extend_from_slice(&self.common);
    }

    /// How far the elements of each kind are that the block is in.
    fn around(&self, block: &Block, row: &mut Vec<f32>) {
        let mut tags = [FAR; AROUND.len()];
        let mut kinds = [FAR; KINDS];
        let mut hidden = FAR;
        for (kind, slot) in kinds.iter_mut().enumerate() {
            if block.kinds >> kind & 1 == 1 {
                *slot = 0.0;
            }
        }
        let mut distance = 0.0;
        for node in ancestors(self.tree, block.node).take(FAR as usize) {
            for (slot, _) in tags.iter_mut().zip(AROUND).filter(|(_, wanted)| wanted.contains(&node.tag)) {
                *slot = slot.min(distance);
            }
            let mut left = node.kinds;
            while left != 0 {
                if let Some(slot) = kinds.get_mut(left.trailing_zeros() as usize) {
                    *slot = slot.min(distance);
                }
                left &= left - 1;
            }
            if node.is_hidden {
                hidden = distance.min(hidden);
            }
            distance += 1.0;
        }
        row.extend(tags);
        row.extend(kinds);
        row.push(hidden);
    }

    /// The elements around the block, each of which has more in it than the one before.
    fn levels(&self, block: &Block, row: &mut Vec<f32>) {
        let mut left = LEVELS;
        let mut last = 0;
        let all = self.sums.good.last().copied().unwrap_or(0.0).max(1.0);
        for node in ancestors(self.tree, block.node) {
            if left == 0 {
                return;
            }
            if node.blocks.len() <= last {
                continue;
            }
            last = node.blocks.len();
            left -= 1;
            let words = Sums::over(&self.sums.words, &node.blocks);
            row.extend([
                node.blocks.len() as f32,
                words / node.blocks.len() as f32,
                Sums::over(&self.sums.linked, &node.blocks) / words.max(1.0),
                Sums::over(&self.sums.good, &node.blocks) / all,
            ]);
        }
        row.extend(std::iter::repeat_n(-1.0, left * 4));
    }

    /// Where the block is: on the page, and from its cores.
    fn place(&self, at: usize, row: &mut Vec<f32>) {
        let total = self.sums.words.last().copied().unwrap_or(0.0).max(1.0);
        let before = self.sums.words.get(at).copied().unwrap_or(0.0);
        row.extend([at as f32 / self.tree.blocks.len().max(1) as f32, before / total, before, total - before]);
        let good = self.sums.good.get(at).copied().unwrap_or(0.0);
        row.push(good / self.sums.good.last().copied().unwrap_or(0.0).max(1.0));
        row.push(self.first_h1.map_or(-500.0, |h1| at as f32 - h1 as f32));
        for core in self.cores {
            let Some(core) = node(self.tree, core) else { continue };
            let is_inside = core.blocks.contains(&at);
            let outside = if is_inside { 0.0 } else { self.steps_out(core, at) };
            let depth = self.tree.blocks.get(at).and_then(|block| node(self.tree, block.node)).map_or(0, |n| n.depth);
            row.extend([outside, f32::from(depth) - f32::from(core.depth)]);
        }
    }

    /// How many elements around the core there are, up to the first that has the block too.
    fn steps_out(&self, core: &Node, at: usize) -> f32 {
        let out = std::iter::successors(node(self.tree, core.parent), |outer| {
            if outer.depth == 0 { None } else { node(self.tree, outer.parent) }
        });
        out.take_while(|outer| !outer.blocks.contains(&at)).take(FAR as usize).count() as f32 + 1.0
    }

    fn neighbours(&self, at: usize, row: &mut Vec<f32>) {
        for near in [at.wrapping_sub(2), at.wrapping_sub(1), at + 1, at + 2] {
            match (self.tree.blocks.get(near), self.words.get(near)) {
                (Some(block), Some(words)) => {
                    let tag = node(self.tree, block.node).map_or(Tag::Block, |node| node.tag);
                    row.extend([words.count, link_share(block), form(tag)]);
                }
                _ => row.extend([-1.0; 3]),
            }
        }
        for reach in [3, 8] {
            let range = at.saturating_sub(reach)..(at + reach + 1).min(self.tree.blocks.len());
            let words = Sums::over(&self.sums.words, &range);
            row.extend([
                words / range.len().max(1) as f32,
                Sums::over(&self.sums.linked, &range) / words.max(1.0),
                Sums::over(&self.sums.good, &range) / words.max(1.0),
            ]);
        }
    }
}

/// The heading before a block.
#[derive(Default)]
struct Heading {
    at: Option<usize>,
    level: u8,
    topics: [u16; TOPICS],
}

impl Heading {
    fn pass(&mut self, own: &Node, words: &Words, at: usize) {
        if own.tag.heading() > 0 {
            *self = Self { at: Some(at), level: own.tag.heading(), topics: words.topics };
        }
    }

    fn features(&self, at: usize, row: &mut Vec<f32>) {
        row.push(self.at.map_or(-1.0, |heading| (at - heading) as f32));
        row.push(f32::from(self.level));
        row.extend(self.topics.map(f32::from));
    }
}

fn own_features(block: &Block, words: &Words, own: &Node, row: &mut Vec<f32>) {
    let count = words.count.max(1.0);
    row.extend([
        words.count,
        link_share(block),
        block.links as f32,
        block.images as f32,
        block.breaks as f32,
        words.letters / count,
        words.capitals / count,
        words.digits / words.letters.max(1.0),
        words.sentences,
        words.commas / count,
        words.in_title / count,
        f32::from(words.end),
        f32::from(u8::from(block.is_in_link)),
        form(own.tag),
        f32::from(own.tag.heading()),
        f32::from(own.depth),
    ]);
    row.extend(words.topics.map(f32::from));
}

/// What kind of block an element makes, from those that are likely to be text to those that are not.
fn form(tag: Tag) -> f32 {
    match tag {
        Tag::P | Tag::Blockquote => 0.0,
        Tag::Pre => 1.0,
        Tag::H1 => 2.0,
        Tag::H2 | Tag::H3 => 3.0,
        Tag::H4 | Tag::H5 | Tag::H6 => 4.0,
        Tag::Li => 5.0,
        Tag::Dd | Tag::Dt => 6.0,
        Tag::Td | Tag::Th => 7.0,
        Tag::Figcaption => 8.0,
        Tag::Section | Tag::Article | Tag::Main => 9.0,
        Tag::Div => 10.0,
        Tag::Summary => 11.0,
        Tag::Button => 13.0,
        Tag::Option | Tag::Select => 14.0,
        _ => 12.0,
    }
}

pub fn text_of<'a>(tree: &'a Tree, block: &Block) -> &'a str {
    tree.text.get(block.text.clone()).unwrap_or_default()
}

fn node(tree: &Tree, number: u32) -> Option<&Node> {
    tree.nodes.get(number as usize)
}

/// An element and all that it is in, from the inside.
fn ancestors(tree: &Tree, number: u32) -> impl Iterator<Item = &Node> {
    let mut next = Some(number);
    std::iter::from_fn(move || {
        let number = next?;
        let found = node(tree, number)?;
        next = (number != ROOT).then_some(found.parent);
        Some(found)
    })
}

/// Equal for blocks that look the same: elements of the same tags and classes, three levels up.
fn look(tree: &Tree, block: &Block) -> u64 {
    ancestors(tree, block.node)
        .filter(|node| node.tag != Tag::A)
        .take(3)
        .fold(0, |all: u64, node| all.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(node.look))
}

fn is_good(block: &Block, words: &Words) -> bool {
    words.count >= 15.0 && link_share(block) < 0.3
}

fn sums(tree: &Tree, words: &[Words]) -> Sums {
    let mut sums = Sums { words: vec![0.0], linked: vec![0.0], good: vec![0.0] };
    let (mut all, mut linked, mut good) = (0.0, 0.0, 0.0);
    for (block, words) in tree.blocks.iter().zip(words) {
        all += words.count;
        linked += words.count * link_share(block);
        good += if is_good(block, words) { words.count } else { 0.0 };
        sums.words.push(all);
        sums.linked.push(linked);
        sums.good.push(good);
    }
    sums
}

/// The innermost element with this share of the good words.
fn core(tree: &Tree, sums: &Sums, share: f32) -> u32 {
    let wanted = sums.good.last().copied().unwrap_or(0.0) * share;
    let good = |node: &Node| Sums::over(&sums.good, &node.blocks);
    let mut best = (ROOT, 0);
    for (number, node) in tree.nodes.iter().enumerate() {
        if node.depth > best.1 && node.tag != Tag::A && wanted > 0.0 && good(node) >= wanted {
            best = (u32::try_from(number).unwrap_or(ROOT), node.depth);
        }
    }
    best.0
}

/// The share of the good words that is in elements of a kind.
fn share(tree: &Tree, sums: &Sums, is_wanted: impl Fn(&Node) -> bool) -> f32 {
    let (mut held, mut end) = (0.0, 0);
    for node in tree.nodes.iter().filter(|node| is_wanted(node)) {
        // Elements come in the order of the page: what is in one that was counted was counted with it.
        held += Sums::over(&sums.good, &(node.blocks.start.max(end)..node.blocks.end.max(end)));
        end = end.max(node.blocks.end);
    }
    held / sums.good.last().copied().unwrap_or(0.0).max(1.0)
}

/// What all blocks of a page have in common.
fn common(tree: &Tree, words: &[Words], sums: &Sums, address: &Address) -> Vec<f32> {
    let total = sums.words.last().copied().unwrap_or(0.0);
    let of_tag = |tag: Tag| tree.nodes.iter().filter(|node| node.tag == tag).count() as f32;
    let good_blocks = tree.blocks.iter().zip(words).filter(|(block, words)| is_good(block, words)).count() as f32;
    let mut row = vec![
        total,
        tree.blocks.len() as f32,
        sums.linked.last().copied().unwrap_or(0.0) / total.max(1.0),
        sums.good.last().copied().unwrap_or(0.0) / total.max(1.0),
        good_blocks,
        of_tag(Tag::P),
        of_tag(Tag::Article),
        of_tag(Tag::H1),
    ];
    row.extend(HELD_BY_KIND.map(|kind| share(tree, sums, |node| node.kinds >> kind & 1 == 1)));
    row.extend(HELD_BY_TAG.map(|tag| share(tree, sums, |node| node.tag == tag)));
    row.extend((0..TYPES.len()).map(|bit| (tree.meta.types >> bit & 1) as f32));
    row.extend(address.features());
    row
}
