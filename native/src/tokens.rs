//! Markup cut into tags and text, where `tokens.py` cuts it; there it is said why there is no tree.

use crate::attributes::{cut, is_space};
use crate::eight::{Eight, before};
use crate::elements::Element;
use crate::names::cut_name;
use memchr::{memchr, memchr_iter};

pub enum Token<'a> {
    Text(&'a [u8]),
    Start { element: &'static Element, written: &'a [u8], raw: &'a [u8] },
    End { element: &'static Element },
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
    let length = input.get(1..).and_then(next_tag).map_or(input.len(), |at| at + 1);
    let (text, rest) = split(input, length);
    (Some(Token::Text(text)), rest)
}

/// Where the next `<` is: half of the time so near that calling for a search takes longer than the search.
fn next_tag(input: &[u8]) -> Option<usize> {
    match Eight::of(input).equal(b'<') {
        0 => memchr(b'<', input),
        near => Some(before(near)),
    }
}

/// Reads what follows a `<`. None if it is text.
fn markup(input: &[u8]) -> Option<Read<'_>> {
    match input {
        [b'a'..=b'z' | b'A'..=b'Z', ..] | [b'/', b'a'..=b'z' | b'A'..=b'Z', ..] => Some(tag(input)),
        [b'!', b'-', b'-', comment @ ..] => Some((None, after_comment(comment))),
        [b'!' | b'?', ..] | [b'/', _, ..] => {
            let end = memchr(b'>', input).map_or(input.len(), |at| at + 1);
            Some((None, split(input, end).1))
        }
        _ => None,
    }
}

pub fn after_comment(comment: &[u8]) -> &[u8] {
    let is_end = |at: &usize| {
        let before = split(comment, *at).0;
        matches!(before, b"" | b"-") || before.ends_with(b"--") || before.ends_with(b"--!")
    };
    let end = memchr_iter(b'>', comment).find(is_end);
    end.map_or(&[], |at| split(comment, at + 1).1)
}

/// Reads a tag. One that never ends is none, and neither is what follows it.
fn tag(input: &[u8]) -> Read<'_> {
    let end = input.strip_prefix(b"/");
    let (element, after) = cut_name(end.unwrap_or(input));
    let Some((written, rest)) = cut(after) else {
        return (None, &[]);
    };
    if end.is_some() {
        return (Some(Token::End { element }), rest);
    }
    let length = if element.is_raw { raw_length(rest, element.tag.as_bytes()) } else { 0 };
    let (raw, rest) = split(rest, length);
    (Some(Token::Start { element, written, raw }), rest)
}

/// How much is before the end tag of an element whose content is not markup.
pub fn raw_length(input: &[u8], name: &[u8]) -> usize {
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
