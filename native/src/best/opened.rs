//! The elements that have not ended, from the outside.

use super::tags::{COUNT, Tag};
use super::tree::ROOT;

/// Elements among which an inline one is looked for that ends while blocks in it have not.
const NEAR: usize = 16;

pub struct Opened {
    /// The tag of each, and the node that it is or is in.
    stack: Vec<(Tag, u32)>,
    /// How many of each tag there are.
    counts: [u32; COUNT],
}

impl Default for Opened {
    fn default() -> Self {
        Self { stack: Vec::with_capacity(64), counts: [0; COUNT] }
    }
}

impl Opened {
    pub fn len(&self) -> usize {
        self.stack.len()
    }

    pub fn count(&self, tag: Tag) -> u32 {
        self.counts.get(tag as usize).copied().unwrap_or(0)
    }

    pub fn tag(&self, at: usize) -> Option<Tag> {
        self.stack.get(at).map(|(tag, _)| *tag)
    }

    /// The node of the innermost.
    pub fn node(&self) -> u32 {
        self.stack.last().map_or(ROOT, |(_, node)| *node)
    }

    /// The node of the innermost block.
    pub fn block_node(&self) -> u32 {
        self.stack.iter().rev().find(|(tag, _)| tag.is_block()).map_or(ROOT, |(_, node)| *node)
    }

    pub fn push(&mut self, tag: Tag, node: u32) {
        self.stack.push((tag, node));
        if let Some(count) = self.counts.get_mut(tag as usize) {
            *count += 1;
        }
    }

    pub fn pop(&mut self) -> Option<(Tag, u32)> {
        let (tag, node) = self.stack.pop()?;
        self.count_down(tag);
        Some((tag, node))
    }

    /// Ends an inline element that began before blocks that have not ended, which stay as they are.
    pub fn mark_ended(&mut self, tag: Tag) {
        if let Some((found, _)) = self.stack.iter_mut().rev().take(NEAR).find(|(other, _)| *other == tag) {
            *found = Tag::Ended;
            self.count_down(tag);
        }
    }

    fn count_down(&mut self, tag: Tag) {
        if let Some(count) = self.counts.get_mut(tag as usize) {
            *count = count.saturating_sub(1);
        }
    }
}
