//! Markup cut into tags and text, where `tokens.py` cuts it; there it is said why there is no tree.

use crate::attributes::{cut, is_space};
use memchr::{memchr, memchr_iter};

/// What the name of a tag stands for; `tag` is empty if nobody asks for it by name.
#[derive(Clone, Copy)]
pub struct Element {
    pub tag: &'static str,
    pub is_block: bool,
    /// Its content is not markup.
    pub is_raw: bool,
}

pub enum Token<'a> {
    Text(&'a [u8]),
    Start { element: Element, written: &'a [u8], raw: &'a [u8] },
    End { element: Element },
}

pub struct Tokens<'a>(pub &'a [u8]);

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        while !self.0.is_empty() {
            let (token, rest) = self.0.strip_prefix(b"<").and_then(markup).unwrap_or_else(|| text(self.0));
            self.0 = rest;
            if token.is_some() {
                return token;
            }
        }
        None
    }
}

/// A token, or none for comments and the like, and what follows it.
type Read<'a> = (Option<Token<'a>>, &'a [u8]);

/// Reads text up to the next `<`, which may be the second byte at the earliest.
fn text(input: &[u8]) -> Read<'_> {
    let length = input.get(1..).and_then(|after| memchr(b'<', after)).map_or(input.len(), |at| at + 1);
    let (text, rest) = split(input, length);
    (Some(Token::Text(text)), rest)
}

/// Reads what follows a `<`. None if it is text.
fn markup(input: &[u8]) -> Option<Read<'_>> {
    match input {
        [b'a'..=b'z' | b'A'..=b'Z', ..] => Some(tag(input, false)),
        [b'/', b'a'..=b'z' | b'A'..=b'Z', ..] => Some(tag(input.get(1..)?, true)),
        [b'!', b'-', b'-', comment @ ..] => Some((None, after_comment(comment))),
        [b'!' | b'?', ..] | [b'/', _, ..] => {
            let end = memchr(b'>', input).map_or(input.len(), |at| at + 1);
            Some((None, split(input, end).1))
        }
        _ => None,
    }
}

fn after_comment(comment: &[u8]) -> &[u8] {
    let is_end = |at: &usize| {
        let before = split(comment, *at).0;
        matches!(before, b"" | b"-") || before.ends_with(b"--") || before.ends_with(b"--!")
    };
    let end = memchr_iter(b'>', comment).find(is_end);
    end.map_or(&[], |at| split(comment, at + 1).1)
}

/// Reads a tag from its name on. One that never ends is none, and neither is what follows it.
fn tag(input: &[u8], is_end: bool) -> Read<'_> {
    let length = input.iter().position(|&byte| is_space(byte) || matches!(byte, b'/' | b'>'));
    let (name, after) = split(input, length.unwrap_or(input.len()));
    let Some((written, rest)) = cut(after) else {
        return (None, &[]);
    };
    let element = element(name);
    if is_end {
        return (Some(Token::End { element }), rest);
    }
    let length = if element.is_raw { raw_length(rest, element.tag.as_bytes()) } else { 0 };
    let (raw, rest) = split(rest, length);
    (Some(Token::Start { element, written, raw }), rest)
}

/// How much is before the end tag of an element whose content is not markup.
fn raw_length(input: &[u8], name: &[u8]) -> usize {
    let is_end = |at: &usize| match split(input, *at).1 {
        [b'<', b'/', after @ ..] => {
            let (written, rest) = split(after, name.len());
            written.eq_ignore_ascii_case(name)
                && rest.first().is_some_and(|&byte| is_space(byte) || matches!(byte, b'/' | b'>'))
        }
        _ => false,
    };
    memchr_iter(b'<', input).find(is_end).unwrap_or(input.len())
}

pub fn split(input: &[u8], at: usize) -> (&[u8], &[u8]) {
    input.split_at_checked(at).unwrap_or((input, &[]))
}

const LONGEST: usize = 10;

/// The tables at the top of `tokens.py`.
fn element(name: &[u8]) -> Element {
    let mut buffer = [0; LONGEST];
    let Some(lower) = buffer.get_mut(..name.len()) else {
        return OTHER;
    };
    lower.copy_from_slice(name);
    lower.make_ascii_lowercase();
    match &*lower {
        b"address" | b"article" | b"aside" | b"blockquote" | b"body" | b"br" | b"caption" | b"center" | b"dd"
        | b"details" | b"dialog" | b"dir" | b"div" | b"dl" | b"dt" | b"fieldset" | b"figcaption" | b"figure"
        | b"footer" | b"frameset" | b"h1" | b"h2" | b"h3" | b"h4" | b"h5" | b"h6" | b"head" | b"header" | b"hgroup"
        | b"hr" | b"legend" | b"li" | b"listing" | b"main" | b"menu" | b"nav" | b"ol" | b"optgroup" | b"option"
        | b"p" | b"pre" | b"search" | b"section" | b"select" | b"summary" | b"table" | b"tbody" | b"td" | b"tfoot"
        | b"th" | b"thead" | b"tr" | b"ul" => BLOCK,
        b"form" => Element { tag: "form", ..BLOCK },
        b"html" => Element { tag: "html", ..BLOCK },
        b"xmp" => Element { tag: "xmp", is_block: true, is_raw: true },
        b"plaintext" => Element { tag: "plaintext", is_block: true, is_raw: true },
        b"a" => marked("a"),
        b"area" => marked("area"),
        b"audio" => marked("audio"),
        b"base" => marked("base"),
        b"embed" => marked("embed"),
        b"frame" => marked("frame"),
        b"img" => marked("img"),
        b"input" => marked("input"),
        b"link" => marked("link"),
        b"meta" => marked("meta"),
        b"object" => marked("object"),
        b"source" => marked("source"),
        b"template" => marked("template"),
        b"track" => marked("track"),
        b"video" => marked("video"),
        b"iframe" => raw("iframe"),
        b"noembed" => raw("noembed"),
        b"noframes" => raw("noframes"),
        b"noscript" => raw("noscript"),
        b"script" => raw("script"),
        b"style" => raw("style"),
        b"textarea" => raw("textarea"),
        b"title" => raw("title"),
        _ => OTHER,
    }
}

const OTHER: Element = marked("");
const BLOCK: Element = Element { is_block: true, ..OTHER };

const fn marked(tag: &'static str) -> Element {
    Element { tag, is_block: false, is_raw: false }
}

const fn raw(tag: &'static str) -> Element {
    Element { tag, is_block: false, is_raw: true }
}
