//! One pass over a document: what `scanner.py` finds in it, field by field.

use crate::attributes::{find, is_shadow_root};
use crate::elements::{Element, Role};
use crate::found::Found;
use crate::main_text::main_text;
use crate::references::Names;
use crate::regions::Regions;
use crate::seen::Seen;
use crate::shingles::{Said, said};
use crate::sketch::sketch;
use crate::srcset::candidates;
use crate::text::{BREAK, add_short, first, value, visible};
use crate::tokens::{Token, Tokens};
use memchr::memchr;
use std::borrow::Cow;

/// Links found of a page, at most: the first ones. `reference.py` has the same number.
const MAX_LINKS: usize = 100_000;
/// Links for which there is room from the start.
pub const USUAL: usize = 64;

/// What a link says that leads to a feed. `attributes.py` has the same.
const FEED_TYPES: [&[u8]; 4] =
    [b"application/rss+xml", b"application/atom+xml", b"application/rdf+xml", b"application/feed+json"];

/// Characters kept.
pub struct Limits {
    pub text: usize,
    pub anchor: usize,
    pub title: usize,
    pub sketched: usize,
    pub said: usize,
    pub brief: usize,
}

#[derive(Default)]
pub struct Scanned {
    pub base: Option<String>,
    pub lang: Option<String>,
    pub title: Option<String>,
    /// Name, http-equiv and content.
    pub metas: Vec<(String, String, String)>,
    pub links: Found,
    pub text: String,
    pub sketch: [u8; 4],
    pub said: Said,
    /// The main text, if it is short.
    pub brief: String,
}

pub fn read(html: &[u8], limits: &Limits, names: &Names) -> Scanned {
    let mut reader = Reader {
        limits,
        names,
        found: Scanned { links: Found::with_room_for(USUAL), ..Scanned::default() },
        seen: Seen::default(),
        text: Vec::with_capacity(html.len() / 2),
        open: None,
        regions: Regions::default(),
        instead: None,
        is_instead: false,
    };
    reader.read(html);
    reader.say();
    if let Some(instead) = reader.instead.take() {
        reader.text.clear();
        reader.is_instead = true;
        reader.read(&instead);
    }
    reader.found
}

struct Reader<'a> {
    limits: &'a Limits,
    names: &'a Names,
    found: Scanned,
    seen: Seen,
    /// As written, without tags.
    text: Vec<u8>,
    open: Option<Anchor>,
    regions: Regions,
    /// Markup for those who run no scripts and show no frames, which is read by itself, and whether this is it.
    instead: Option<Vec<u8>>,
    is_instead: bool,
}

/// The link whose text is being read.
struct Anchor {
    link: usize,
    start: usize,
    /// Of the images in it, as written.
    alternatives: Vec<u8>,
}

impl Reader<'_> {
    fn read(&mut self, html: &[u8]) {
        let mut templates = 0_usize;
        for token in Tokens(html) {
            match token {
                Token::Start { element, written, .. } if element.role == Role::Template => {
                    // A shadow root is a part of the page at once; its end tag finds nothing to end.
                    templates += usize::from(templates > 0 || !is_shadow_root(written));
                }
                Token::End { element } if element.role == Role::Template => templates = templates.saturating_sub(1),
                _ if templates > 0 => {}
                Token::Text(&[byte]) => self.text.push(byte), // half of all text: a line break between two tags
                Token::Text(text) => self.text.extend_from_slice(text),
                Token::Start { element, written, raw } => {
                    self.edge(element);
                    self.regions.start(element, written, self.text.len());
                    self.start(element, written, raw);
                }
                Token::End { element } => {
                    self.edge(element);
                    self.regions.end(element, self.text.len());
                    if element.role == Role::Anchor {
                        self.close_anchor();
                        self.regions.end_link(self.text.len());
                    }
                }
            }
        }
        self.close_anchor();
    }

    /// Keeps what the page says, once all of it was read.
    fn say(&mut self) {
        self.regions.finish(self.text.len());
        let written = main_text(&self.text, &self.regions);
        let mut main = visible(written.text.as_ref().unwrap_or(&self.text), self.limits.said, self.names);
        let telling = written.telling.map(|telling| visible(&telling, self.limits.sketched, self.names));
        let title = self.found.title.as_deref().unwrap_or_default();
        self.found.sketch = sketch(title, first(telling.as_ref().unwrap_or(&main), self.limits.sketched));
        self.found.text = visible(&self.text, self.limits.text, self.names);
        if is_brief(&main, self.limits.brief) {
            self.found.brief.clone_from(&main);
        }
        main.make_ascii_lowercase();
        self.found.said = said(&main);
    }

    fn edge(&mut self, element: &Element) {
        if element.is_block {
            self.text.push(BREAK);
        }
    }

    fn start(&mut self, element: &Element, written: &[u8], raw: &[u8]) {
        match element.role {
            Role::Nothing | Role::Template | Role::Aside | Role::Holder | Role::Main => {}
            Role::Anchor => self.anchor(written),
            Role::Area => self.area(written),
            Role::Link => self.named(element.tag, written),
            Role::Form => self.form(written),
            Role::Embed => self.embeds(element.tag, written),
            Role::Shown => self.text.extend_from_slice(raw),
            _ if self.is_instead => {}
            Role::Base => self.base(written),
            Role::Root => self.root(written),
            Role::Meta => self.meta(written),
            Role::Instead => self.keep_instead(raw),
            Role::Title => self.title(raw),
        }
    }

    fn title(&mut self, raw: &[u8]) {
        if self.found.title.is_none() {
            let mut title = String::new();
            add_short(raw, self.limits.title, self.names, &mut title);
            self.found.title = Some(title);
        }
    }

    fn anchor(&mut self, written: &[u8]) {
        self.close_anchor();
        let [href, rel] = find(written, ["href", "rel"]);
        self.regions.start_link(href, self.text.len());
        if href.is_some_and(|href| self.add("a", href, rel, None)) {
            let link = self.found.links.len() - 1;
            self.open = Some(Anchor { link, start: self.text.len(), alternatives: Vec::new() });
        }
    }

    fn close_anchor(&mut self) {
        let Some(Anchor { link, start, alternatives }) = self.open.take() else { return };
        let inside = self.text.get(start..).unwrap_or_default();
        self.found.links.set_anchor(link, |text| {
            let start = text.len();
            add_short(inside, self.limits.anchor, self.names, text);
            if text.len() == start {
                add_short(&alternatives, self.limits.anchor, self.names, text);
            }
        });
    }

    fn area(&mut self, written: &[u8]) {
        let [href, rel, alt] = find(written, ["href", "rel", "alt"]);
        if let Some(href) = href {
            self.add("area", href, rel, alt);
        }
    }

    fn named(&mut self, tag: &'static str, written: &[u8]) {
        if tag == "link" {
            return self.link(written);
        }
        let [src, rel, alt] = find(written, ["src", "rel", "alt"]);
        self.add_filled(tag, src, rel, alt);
    }

    fn link(&mut self, written: &[u8]) {
        let [href, rel, alt, media] = find(written, ["href", "rel", "alt", "type"]);
        match rel {
            // What the type says is told as the rel that some write in its place.
            Some(said) if media.is_some_and(is_feed) => {
                self.add_filled("link", href, Some(&[said, b" feed"].concat()), alt)
            }
            _ => self.add_filled("link", href, rel, alt),
        }
    }

    fn form(&mut self, written: &[u8]) {
        let [action, rel, alt, method] = find(written, ["action", "rel", "alt", "method"]);
        let method = self.value(method);
        if !method.eq_ignore_ascii_case("post") && !method.eq_ignore_ascii_case("dialog") {
            self.add_filled("form", action, rel, alt);
        }
    }

    fn embeds(&mut self, tag: &'static str, written: &[u8]) {
        let names = ["rel", "alt", "src", "data-src", "data-original", "poster", "data", "srcset", "data-srcset"];
        let [rel, alt, src, data_src, data_original, poster, data, srcset, data_srcset] = find(written, names);
        let (single, several) = match tag {
            "img" => ([src, data_src, data_original], [srcset, data_srcset]),
            "source" => ([src, data_src, None], [srcset, data_srcset]),
            "video" => ([src, poster, None], [None, None]),
            "object" => ([data, None, None], [None, None]),
            _ => ([src, None, None], [None, None]),
        };
        for href in single {
            self.add_filled(tag, href, rel, alt);
        }
        for srcset in several.into_iter().flatten() {
            let srcset = value(srcset, self.names);
            for href in candidates(&srcset) {
                self.keep(tag, href, rel, alt);
            }
        }
        if let (Some(alt), "img", Some(anchor)) = (alt, tag, &mut self.open) {
            anchor.alternatives.extend_from_slice(alt);
            anchor.alternatives.push(b' ');
        }
    }

    fn base(&mut self, written: &[u8]) {
        let [href] = find(written, ["href"]);
        if self.found.base.is_none() {
            self.found.base = href.map(|href| value(href, self.names).into_owned());
        }
    }

    fn root(&mut self, written: &[u8]) {
        if self.found.lang.is_none() {
            let [lang, xml_lang] = find(written, ["lang", "xml:lang"]);
            let [lang, xml_lang] = [lang, xml_lang].map(|written| self.value(written));
            self.found.lang = Some(if lang.is_empty() { xml_lang } else { lang }.into_owned());
        }
    }

    fn meta(&mut self, written: &[u8]) {
        let [name, pragma, content, rel, alt] = find(written, ["name", "http-equiv", "content", "rel", "alt"]);
        let [name, pragma, content] = [name, pragma, content].map(|written| self.value(written));
        if pragma.eq_ignore_ascii_case("refresh") {
            self.keep("meta", &content, rel, alt);
        }
        if !name.is_empty() || !pragma.is_empty() {
            self.found.metas.push((name.into_owned(), pragma.into_owned(), content.into_owned()));
        }
    }

    fn keep_instead(&mut self, raw: &[u8]) {
        let instead = self.instead.get_or_insert_default();
        instead.extend_from_slice(raw);
        instead.push(b'\n');
    }

    fn value<'a>(&self, written: Option<&'a [u8]>) -> Cow<'a, str> {
        value(written.unwrap_or_default(), self.names)
    }

    /// Adds a link unless its href is empty; only `a` and `area` mean the page itself by that.
    fn add_filled(&mut self, tag: &'static str, href: Option<&[u8]>, rel: Option<&[u8]>, alt: Option<&[u8]>) {
        if let Some(href) = href.filter(|href| !href.trim_ascii().is_empty()) {
            self.add(tag, href, rel, alt);
        }
    }

    fn add(&mut self, tag: &'static str, href: &[u8], rel: Option<&[u8]>, alt: Option<&[u8]>) -> bool {
        let href = value(href, self.names);
        self.keep(tag, &href, rel, alt)
    }

    /// Keeps a link unless its like is there already. Returns whether it was kept.
    fn keep(&mut self, tag: &'static str, href: &str, rel: Option<&[u8]>, alt: Option<&[u8]>) -> bool {
        if self.found.links.len() >= MAX_LINKS {
            return false;
        }
        let href = if tag == "meta" { href } else { without_fragment(href) };
        let rel = self.value(rel);
        let is_new = self.seen.insert(tag, href, &rel);
        if is_new {
            self.found.links.push(tag, href, &rel);
            if let Some(alt) = alt {
                let number = self.found.links.len() - 1;
                self.found.links.set_anchor(number, |text| add_short(alt, self.limits.anchor, self.names, text));
            }
        }
        is_new
    }
}

/// Whether a text has at most so many characters.
fn is_brief(text: &str, limit: usize) -> bool {
    text.len() <= limit || text.len() <= limit.saturating_mul(4) && text.chars().nth(limit).is_none()
}

/// Whether a type is that of a feed.
fn is_feed(media: &[u8]) -> bool {
    let name = media.split(|byte| *byte == b';').next().unwrap_or_default().trim_ascii();
    FEED_TYPES.iter().any(|feed| name.eq_ignore_ascii_case(feed))
}

fn without_fragment(href: &str) -> &str {
    memchr(b'#', href.as_bytes()).and_then(|at| href.get(..at)).unwrap_or(href)
}
