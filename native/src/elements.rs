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
    /// Is beside the main text.
    Aside,
    Anchor,
    Area,
    Base,
    Embed,
    Form,
    /// May be anything, as its attributes say.
    Holder,
    /// Holds markup for those who run no scripts and show no frames.
    Instead,
    /// Names another document.
    Link,
    /// Holds the main text.
    Main,
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
    "article", "blockquote", "body", "br", "caption", "center", "dd", "details", "dir", "dt", "fieldset",
    "figcaption", "figure", "frameset", "h1", "h2", "h3", "h4", "h5", "h6", "head", "hgroup", "hr", "legend", "li",
    "listing", "optgroup", "option", "p", "pre", "summary", "tbody", "td", "tfoot", "th", "thead", "tr",
];

pub const NAMED: &[Element] = &[
    block(marked("address", Role::Holder)),
    block(marked("aside", Role::Aside)),
    block(marked("dialog", Role::Aside)),
    block(marked("div", Role::Holder)),
    block(marked("dl", Role::Holder)),
    block(marked("footer", Role::Aside)),
    block(marked("form", Role::Form)),
    block(marked("header", Role::Aside)),
    block(marked("html", Role::Root)),
    block(marked("main", Role::Main)),
    block(marked("menu", Role::Aside)),
    block(marked("nav", Role::Aside)),
    block(marked("ol", Role::Holder)),
    block(marked("search", Role::Aside)),
    block(marked("section", Role::Holder)),
    block(marked("select", Role::Aside)),
    block(marked("table", Role::Holder)),
    block(marked("ul", Role::Holder)),
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
