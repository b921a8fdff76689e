//! Builds the tree of a page from its tokens.
//!
//! The tree is not the standard's, which can't be bounded (`tokens.py`): elements end where their end tag is, or where one
//! begins that can't be in them; nothing is opened again, and no element is deeper than `DEEPEST`. So time and memory
//! grow with the page.

use super::hints::kinds;
use super::opened::Opened;
use super::tags::Tag;
use super::tokens::{Token, Tokens};
use super::tree::{Block, Node, ROOT, Tree};
use crate::attributes::{find, is_shadow_root};
use crate::hashing::Quick;
use crate::references::Names;
use crate::text::{BREAK, visible};
use std::collections::HashMap;
use xxhash_rust::xxh3::xxh3_64;

const DEEPEST: usize = 512;
/// Of a page, at most: the first ones.
const MOST_BLOCKS: usize = 50_000;
const MOST_NODES: usize = 400_000;
/// Open elements among which one is looked for that ends where another begins.
const NEAR: usize = 8;

struct Builder<'a> {
    names: &'a Names,
    tree: Tree,
    open: Opened,
    /// Templates and pictures in which we are, whose content is not shown.
    unseen: usize,
    /// The block that is being read, and its text as written.
    block: Block,
    written: Vec<u8>,
    looks: HashMap<Vec<u8>, u32, Quick>,
}

pub fn build(html: &[u8], names: &Names) -> Tree {
    let mut builder = Builder {
        names,
        tree: Tree::default(),
        open: Opened::default(),
        unseen: 0,
        block: Block::default(),
        written: Vec::new(),
        looks: HashMap::default(),
    };
    builder.push(Tag::Html, &[]);
    for token in Tokens(html) {
        builder.read(token);
    }
    builder.close_down_to(0);
    builder.tree
}

impl Builder<'_> {
    fn read(&mut self, token: Token<'_>) {
        match token {
            Token::Start { tag: Tag::Template, written, .. } if self.unseen == 0 && is_shadow_root(written) => {}
            Token::Start { tag: Tag::Svg | Tag::Template, .. } => self.unseen += 1,
            Token::End { tag: Tag::Svg | Tag::Template } => self.unseen = self.unseen.saturating_sub(1),
            _ if self.unseen > 0 => {}
            Token::Text(text) => self.add(text),
            Token::Start { tag, written, raw } => self.start(tag, written, raw),
            Token::End { tag } => self.end(tag),
        }
    }

    fn add(&mut self, text: &[u8]) {
        if self.open.count(Tag::Pre) > 0 {
            self.written.extend(text.iter().map(|&byte| if byte == b'\n' { BREAK } else { byte }));
        } else {
            self.written.extend_from_slice(text);
        }
        let bytes = text.iter().filter(|byte| !byte.is_ascii_whitespace()).count();
        self.block.bytes += bytes;
        if self.open.count(Tag::A) > 0 {
            self.block.linked += bytes;
        }
    }

    fn start(&mut self, tag: Tag, written: &[u8], raw: &[u8]) {
        match tag {
            Tag::Html | Tag::Body => self.root(tag, written),
            Tag::Title => self.tree.meta.add_title(raw, self.names),
            Tag::Meta => self.tree.meta.add_meta(written, self.names),
            Tag::Script => self.tree.meta.add_script(written, raw),
            Tag::Br => {
                self.block.breaks += 1;
                self.written.push(BREAK);
            }
            Tag::Hr => self.flush(),
            Tag::Img => self.block.images += 1,
            _ if tag.is_void() || tag.is_raw() => {}
            _ => self.open(tag, written),
        }
    }

    fn root(&mut self, tag: Tag, written: &[u8]) {
        if tag == Tag::Html {
            self.tree.meta.add_root(written, self.names);
        } else if self.open.count(Tag::Head) > 0 {
            self.end(Tag::Head);
        }
        self.tree.meta.add_body(written);
    }

    fn open(&mut self, tag: Tag, written: &[u8]) {
        if tag.is_block() {
            self.flush();
        }
        self.end_implied(tag);
        if self.open.len() < DEEPEST && self.tree.nodes.len() < MOST_NODES {
            self.push(tag, written);
        }
        if tag == Tag::A {
            self.block.links += 1;
        }
    }

    /// Ends the elements in which this one can't begin.
    fn end_implied(&mut self, next: Tag) {
        if !next.is_block() && next != Tag::A {
            return;
        }
        for at in (1..self.open.len()).rev().take(NEAR) {
            let Some(tag) = self.open.tag(at) else { return };
            if tag.ends_before(next) {
                if tag == Tag::A {
                    self.end(Tag::A);
                } else {
                    self.close_down_to(at);
                }
            } else if tag.holds() {
                return;
            }
        }
    }

    fn push(&mut self, tag: Tag, written: &[u8]) {
        let parent = self.open.node();
        if !tag.is_block() && tag != Tag::A {
            self.block.kinds |= self.kinds_of(written);
            return self.open.push(tag, parent);
        }
        let [class, id, role, itemprop, hidden, style, aria] =
            find(written, ["class", "id", "role", "itemprop", "hidden", "style", "aria-hidden"]);
        let class = class.unwrap_or_default();
        let depth = self.tree.nodes.get(parent as usize).map_or(0, |node| node.depth.saturating_add(1));
        let others = [id, role, itemprop].iter().flatten().fold(0, |all, names| all | self.kinds_in(names));
        let is_hidden = hidden.is_some() || aria == Some(b"true") || style.is_some_and(is_undisplayed);
        let here = self.tree.blocks.len();
        let node = Node {
            tag,
            parent,
            depth,
            is_hidden,
            kinds: self.kinds_in(class) | others,
            look: xxh3_64(class).wrapping_mul(31).wrapping_add(tag as u64),
            blocks: here..here,
        };
        let number = u32::try_from(self.tree.nodes.len()).unwrap_or(ROOT);
        self.tree.nodes.push(node);
        self.open.push(tag, number);
    }

    fn kinds_of(&mut self, written: &[u8]) -> u32 {
        if written.is_empty() {
            return 0;
        }
        find(written, ["class"]).iter().flatten().fold(0, |all, names| all | self.kinds_in(names))
    }

    /// The kinds of names that are likely to have been seen before.
    fn kinds_in(&mut self, names: &[u8]) -> u32 {
        if names.is_empty() {
            return 0;
        }
        if let Some(known) = self.looks.get(names) {
            return *known;
        }
        let found = kinds(names);
        self.looks.insert(names.to_vec(), found);
        found
    }

    fn end(&mut self, tag: Tag) {
        if tag.is_block() {
            self.flush();
        }
        if self.open.count(tag) == 0 || matches!(tag, Tag::Html | Tag::Body) {
            return;
        }
        for at in (1..self.open.len()).rev() {
            let Some(other) = self.open.tag(at) else { return };
            if other == tag {
                return self.close_down_to(at);
            }
            if !tag.is_block() && other.is_block() {
                return self.open.mark_ended(tag);
            }
            if other.is_apart() && !matches!(tag, Tag::Table | Tag::Tr | Tag::Tbody | Tag::Td | Tag::Th) {
                return;
            }
        }
    }

    /// Ends all but so many open elements.
    fn close_down_to(&mut self, length: usize) {
        while self.open.len() > length {
            if self.open.tag(self.open.len() - 1).is_some_and(Tag::is_block) {
                self.flush();
            }
            let Some((tag, node)) = self.open.pop() else { return };
            let end = self.tree.blocks.len();
            if let Some(node) = self.tree.nodes.get_mut(node as usize).filter(|node| node.tag == tag) {
                node.blocks.end = end;
            }
        }
    }

    /// Ends the block that is being read.
    fn flush(&mut self) {
        let is_seen = self.block.bytes > 0 && self.open.count(Tag::Head) == 0 && self.tree.blocks.len() < MOST_BLOCKS;
        let mut block = std::mem::take(&mut self.block);
        if is_seen {
            let start = self.tree.text.len();
            self.tree.text.push_str(&visible(&self.written, usize::MAX, self.names));
            block.text = start..self.tree.text.len();
            block.node = self.open.block_node();
            block.is_in_link = self.open.count(Tag::A) > 0;
            if !block.text.is_empty() {
                self.tree.blocks.push(block);
            }
        }
        self.written.clear();
    }
}

fn is_undisplayed(style: &[u8]) -> bool {
    let plain: Vec<u8> = style.iter().filter(|byte| !byte.is_ascii_whitespace()).map(u8::to_ascii_lowercase).collect();
    plain.windows(12).any(|part| part == b"display:none") || plain.windows(17).any(|part| part == b"visibility:hidden")
}
