//! What is measured of each block: of itself, of the elements around it, of its likes and its neighbours, of the page.
//!
//! `learnt.rs` knows the features by their number: after a change here `bench/main_text.py` has to learn again.

use super::alike::Alike;
use super::around::{distances, levels};
use super::common;
use super::place::Place;
use super::sums::Sums;
use super::tags::Tag;
use super::tree::{Block, Node, Tree};
use super::url::Address;
use super::words::{TOPICS, Title, Words, read};

/// Blocks that count as neighbours to each side, in two measures.
const REACHES: [usize; 2] = [3, 8];

pub struct Page<'a> {
    tree: &'a Tree,
    words: Vec<Words>,
    sums: Sums,
    place: Place,
    alike: Alike,
    common: Vec<f32>,
}

impl<'a> Page<'a> {
    pub fn new(tree: &'a Tree, address: &Address) -> Self {
        let title = words_of(&tree.meta.title);
        let words: Vec<Words> = tree.blocks.iter().map(|block| read(tree.text_of(block), &title)).collect();
        let sums = Sums::new(tree, &words);
        let common = common::features(tree, &words, &sums, address);
        Self { tree, place: Place::new(tree, &sums), alike: Alike::new(tree, &words), words, sums, common }
    }

    /// Shows the features of each block, in their order.
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
        let Some(own) = tree.node(block.node) else { return };
        own_features(block, words, own, row);
        self.alike.times(tree, block, row);
        distances(tree, block, row);
        levels(tree, &self.sums, block, row);
        self.place.features(tree, &self.sums, at, row);
        self.alike.group(tree, block, row);
        self.neighbours(at, row);
        heading.pass(own, words, at);
        heading.features(at, row);
        row.extend_from_slice(&self.common);
    }

    fn neighbours(&self, at: usize, row: &mut Vec<f32>) {
        for near in [at.wrapping_sub(2), at.wrapping_sub(1), at + 1, at + 2] {
            match (self.tree.blocks.get(near), self.words.get(near)) {
                (Some(block), Some(words)) => {
                    row.extend([words.count, block.link_share(), form(self.tree.tag_of(block))]);
                }
                _ => row.extend([-1.0; 3]),
            }
        }
        for reach in REACHES {
            let range = at.saturating_sub(reach)..(at + reach + 1).min(self.tree.blocks.len());
            let words = self.sums.words.over(&range);
            row.extend([
                words / range.len().max(1) as f32,
                self.sums.linked.over(&range) / words.max(1.0),
                self.sums.good.over(&range) / words.max(1.0),
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

/// The words of a title that tell it from others.
fn words_of(title: &str) -> Title {
    let words = title.split(|character: char| !character.is_alphanumeric());
    words.filter(|word| word.len() > 2).map(str::to_lowercase).collect()
}

fn own_features(block: &Block, words: &Words, own: &Node, row: &mut Vec<f32>) {
    let count = words.count.max(1.0);
    row.extend([
        words.count,
        block.link_share(),
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
