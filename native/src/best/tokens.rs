//! Markup cut into tags with their names, and text: where `crate::tokens` cuts it, which keeps fewer names.

use super::tags::Tag;
use crate::attributes::{cut, is_space, split_where};
use crate::tokens::{after_comment, raw_length, split};
use memchr::memchr;

pub enum Token<'a> {
    Text(&'a [u8]),
    Start { tag: Tag, written: &'a [u8], raw: &'a [u8] },
    End { tag: Tag },
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

type Read<'a> = (Option<Token<'a>>, &'a [u8]);

fn text(input: &[u8]) -> Read<'_> {
    let length = input.get(1..).and_then(|after| memchr(b'<', after)).map_or(input.len(), |at| at + 1);
    let (text, rest) = split(input, length);
    (Some(Token::Text(text)), rest)
}

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

fn tag(input: &[u8]) -> Read<'_> {
    let end = input.strip_prefix(b"/");
    let (name, after) = split_where(end.unwrap_or(input), |byte| is_space(byte) || matches!(byte, b'/' | b'>'));
    let tag = Tag::named(name);
    let Some((written, rest)) = cut(after) else {
        return (None, &[]);
    };
    if end.is_some() {
        return (Some(Token::End { tag }), rest);
    }
    let length = if tag.is_raw() { raw_length(rest, name) } else { 0 };
    let (raw, rest) = split(rest, length);
    (Some(Token::Start { tag, written, raw }), rest)
}
