//! The elements that matter: the tables at the top of `tokens.py`.

#[derive(Clone, Copy)]
pub struct Element {
    /// Empty if nobody asks for it by name.
    pub tag: &'static str,
    pub role: Role,
    pub is_block: bool,
    /// Its content is not markup.
    pub is_raw: bool,
}

/// What an element is to the reader.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Role {
    Nothing,
    Anchor,
    Area,
    Base,
    Embed,
    Form,
    /// Holds markup for those who run no scripts and show no frames.
    Instead,
    /// Names another document.
    Link,
    Meta,
    Root,
    /// Its content is shown as it is.
    Shown,
    Template,
    Title,
}

pub const OTHER: Element = marked("", Role::Nothing);
pub const BLOCK: Element = block(OTHER);

#[rustfmt::skip]
pub const BLOCKS: &[&str] = &[
    "address", "article", "aside", "blockquote", "body", "br", "caption", "center", "dd", "details", "dialog", "dir",
    "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "frameset", "h1", "h2", "h3", "h4", "h5", "h6",
    "head", "header", "hgroup", "hr", "legend", "li", "listing", "main", "menu", "nav", "ol", "optgroup", "option", "p",
    "pre", "search", "section", "select", "summary", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "ul",
];

pub const NAMED: &[Element] = &[
    block(marked("form", Role::Form)),
    block(marked("html", Role::Root)),
    block(raw("plaintext", Role::Shown)),
    block(raw("xmp", Role::Shown)),
    marked("a", Role::Anchor),
    marked("area", Role::Area),
    marked("audio", Role::Embed),
    marked("base", Role::Base),
    marked("embed", Role::Embed),
    marked("frame", Role::Link),
    marked("img", Role::Embed),
    marked("input", Role::Embed),
    marked("link", Role::Link),
    marked("meta", Role::Meta),
    marked("object", Role::Embed),
    marked("source", Role::Embed),
    marked("template", Role::Template),
    marked("track", Role::Embed),
    marked("video", Role::Embed),
    raw("iframe", Role::Link),
    raw("noembed", Role::Nothing),
    raw("noframes", Role::Instead),
    raw("noscript", Role::Instead),
    raw("script", Role::Embed),
    raw("style", Role::Nothing),
    raw("textarea", Role::Nothing),
    raw("title", Role::Title),
];

const fn marked(tag: &'static str, role: Role) -> Element {
    Element { tag, role, is_block: false, is_raw: false }
}

const fn raw(tag: &'static str, role: Role) -> Element {
    Element { is_raw: true, ..marked(tag, role) }
}

const fn block(element: Element) -> Element {
    Element { is_block: true, ..element }
}
