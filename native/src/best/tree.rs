//! A page as a tree of elements, and its text as a row of blocks: the lines between the edges of elements.
//!
//! Blocks are in the order of the page, so that those in an element are a range of them.

use super::meta::Meta;
use super::tags::Tag;
use std::ops::Range;

/// Where the tree begins.
pub const ROOT: u32 = 0;

pub struct Node {
    pub tag: Tag,
    pub parent: u32,
    pub depth: u16,
    pub is_hidden: bool,
    /// What its names tell, see `hints`.
    pub kinds: u32,
    /// Equal for elements of one tag and one class.
    pub look: u64,
    /// The blocks in it.
    pub blocks: Range<usize>,
}

#[derive(Default, Clone)]
pub struct Block {
    /// The innermost element that is no part of a line.
    pub node: u32,
    /// Where it is in the text of the tree.
    pub text: Range<usize>,
    /// Bytes that are no space, of all and of links, as written.
    pub bytes: usize,
    pub linked: usize,
    pub links: u32,
    pub images: u32,
    pub breaks: u32,
    /// What the names of the elements within its lines tell.
    pub kinds: u32,
    pub is_in_link: bool,
}

#[derive(Default)]
pub struct Tree {
    pub nodes: Vec<Node>,
    pub blocks: Vec<Block>,
    /// Of all blocks, one after the other.
    pub text: String,
    pub meta: Meta,
}

impl Block {
    pub fn link_share(&self) -> f32 {
        self.linked as f32 / self.bytes.max(1) as f32
    }
}

impl Tree {
    pub fn node(&self, number: u32) -> Option<&Node> {
        self.nodes.get(number as usize)
    }

    /// The element that makes a block.
    pub fn tag_of(&self, block: &Block) -> Tag {
        self.node(block.node).map_or(Tag::Block, |node| node.tag)
    }

    pub fn text_of(&self, block: &Block) -> &str {
        self.text.get(block.text.clone()).unwrap_or_default()
    }

    /// An element and all that it is in, from the inside.
    pub fn ancestors(&self, number: u32) -> impl Iterator<Item = &Node> {
        let mut next = Some(number);
        std::iter::from_fn(move || {
            let number = next?;
            let found = self.node(number)?;
            next = (number != ROOT).then_some(found.parent);
            Some(found)
        })
    }
}
