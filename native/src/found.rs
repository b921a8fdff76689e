//! The links that were found on a page, as text in one piece: to allocate each part of each takes longer than to copy it.

pub struct Link<'a> {
    pub tag: &'static str,
    pub href: &'a str,
    pub rel: &'a str,
    pub anchor: &'a str,
}

#[derive(Default)]
pub struct Found {
    text: String,
    links: Vec<Places>,
}

/// Where the parts of a link are in the text.
struct Places {
    tag: &'static str,
    /// Where its href begins, where that ends and its rel begins, and where that ends.
    start: usize,
    middle: usize,
    end: usize,
    /// Where its anchor begins and ends, which may be known later.
    anchor: (usize, usize),
}

impl Found {
    pub fn with_room_for(links: usize) -> Self {
        Self { text: String::with_capacity(128 * links), links: Vec::with_capacity(links) }
    }

    pub fn len(&self) -> usize {
        self.links.len()
    }

    pub fn get(&self, number: usize) -> Option<Link<'_>> {
        let Places { tag, start, middle, end, anchor } = self.links.get(number)?;
        let part = |from: usize, to: usize| self.text.get(from..to).unwrap_or_default();
        let (href, rel) = (part(*start, *middle), part(*middle, *end));
        Some(Link { tag, href, rel, anchor: part(anchor.0, anchor.1) })
    }

    /// Adds a link without an anchor.
    pub fn push(&mut self, tag: &'static str, href: &str, rel: &str) {
        let start = self.text.len();
        let middle = start + href.len();
        let end = middle + rel.len();
        self.text.extend([href, rel]);
        self.links.push(Places { tag, start, middle, end, anchor: (end, end) });
    }

    /// Gives a link the anchor that `write` appends.
    pub fn set_anchor(&mut self, number: usize, write: impl FnOnce(&mut String)) {
        let start = self.text.len();
        write(&mut self.text);
        if let Some(places) = self.links.get_mut(number) {
            places.anchor = (start, self.text.len());
        }
    }
}
