//! Text as a reader sees it, as `text.py` has it: references resolved, spaces collapsed, so many characters of it.

use crate::eight::{Eight, before};
use crate::references::{Meaning, Names};
use crate::tokens::split;
use memchr::memchr2;
use std::borrow::Cow;

/// The edge of a block.
pub const BREAK: u8 = 0x0c;
/// Bytes read for each character that is kept.
const MAX_SPACE: usize = 16;

/// The visible text: a line for each block.
pub fn visible(written: &[u8], limit: usize, names: &Names) -> String {
    let mut text = String::with_capacity(limit.min(written.len()));
    collapse(written, limit, names, '\n', &mut text);
    text
}

/// Appends text on one line.
pub fn add_short(written: &[u8], limit: usize, names: &Names, text: &mut String) {
    collapse(split(written, limit.saturating_mul(MAX_SPACE)).0, limit, names, ' ', text);
}

/// The text of an attribute.
pub fn value<'a>(written: &'a [u8], names: &Names) -> Cow<'a, str> {
    let text = decode(written);
    if memchr2(b'&', 0, text.as_bytes()).is_none() {
        return text;
    }
    let mut read = String::with_capacity(text.len());
    let mut rest = &*text;
    while let Some(at) = rest.find(['&', '\0']) {
        let (before, found) = rest.split_at_checked(at).unwrap_or((rest, ""));
        read.push_str(before);
        rest = found.get(1..).unwrap_or_default();
        if found.starts_with('\0') {
            read.push('\u{fffd}');
            continue;
        }
        match names.in_value(rest) {
            None => read.push('&'),
            Some((meaning, length)) => {
                match meaning {
                    Meaning::Named(text) => read.push_str(text),
                    Meaning::Numbered(character) => read.extend(character),
                }
                rest = rest.get(length..).unwrap_or_default();
            }
        }
    }
    read.push_str(rest);
    Cow::Owned(read)
}

/// So many characters of a text, from its start.
pub fn first(text: &str, limit: usize) -> &str {
    if text.len() <= limit {
        return text; // no character has less than a byte
    }
    text.char_indices().nth(limit).and_then(|(end, _)| text.get(..end)).unwrap_or(text)
}

fn collapse(written: &[u8], limit: usize, names: &Names, at_break: char, text: &mut String) {
    let start = text.len();
    Lines { text, start, room: limit, gap: None, at_break }.read(&decode(written), names);
}

/// What `String::from_utf8_lossy` returns, sooner: nearly all is in order.
fn decode(written: &[u8]) -> Cow<'_, str> {
    std::str::from_utf8(written).map_or_else(|_| String::from_utf8_lossy(written), Cow::Borrowed)
}

struct Lines<'a> {
    text: &'a mut String,
    /// Where it begins.
    start: usize,
    /// For so many more characters.
    room: usize,
    /// What comes before the next word.
    gap: Option<char>,
    at_break: char,
}

impl Lines<'_> {
    fn read(&mut self, mut rest: &str, names: &Names) {
        while self.room > 0 {
            let (space, after) = cut(rest, space_length);
            self.add_space(space);
            let (words, after) = cut(after, words_length);
            self.add_words(words);
            let mut characters = after.chars();
            rest = match characters.next() {
                None => return,
                Some(next) if next.is_ascii_whitespace() => after,
                Some(next) => self.add_next(next, characters.as_str(), names),
            }
        }
    }

    /// Adds a character, or what is meant if it begins a reference. Returns what follows.
    fn add_next<'b>(&mut self, character: char, after: &'b str, names: &Names) -> &'b str {
        let Some((meaning, length)) = (character == '&').then(|| names.in_text(after)).flatten() else {
            self.add(character);
            return after;
        };
        match meaning {
            Meaning::Named(text) => text.chars().for_each(|character| self.add(character)),
            Meaning::Numbered(character) => character.into_iter().for_each(|character| self.add(character)),
        }
        after.get(length..).unwrap_or_default()
    }

    /// Adds plain words with a space between each two.
    fn add_words(&mut self, words: &str) {
        if !words.is_empty() {
            self.close_gap();
            let part = words.get(..self.room).unwrap_or(words);
            self.text.push_str(part);
            self.room -= part.len();
        }
    }

    /// Adds ASCII space.
    fn add_space(&mut self, space: &str) {
        if space.bytes().any(|byte| byte == BREAK) {
            self.gap = Some(self.at_break);
        } else if !space.is_empty() {
            self.gap = self.gap.or(Some(' '));
        }
    }

    fn add(&mut self, character: char) {
        if is_space(character) {
            if character == char::from(BREAK) {
                self.gap = Some(self.at_break);
            }
            self.gap = self.gap.or(Some(' '));
        } else if character != '\0' {
            self.close_gap();
            if self.room > 0 {
                self.text.push(character);
                self.room -= 1;
            }
        }
    }

    fn close_gap(&mut self) {
        let gap = self.gap.take().filter(|_| self.text.len() > self.start && self.room > 0);
        if let Some(gap) = gap {
            self.text.push(gap);
            self.room -= 1;
        }
    }
}

fn cut(text: &str, length: impl Fn(&[u8]) -> usize) -> (&str, &str) {
    text.split_at_checked(length(text.as_bytes())).unwrap_or((text, ""))
}

/// Whether a byte is a part of a word, whatever is around it.
fn is_plain(byte: u8) -> bool {
    byte.is_ascii_graphic() && byte != b'&'
}

/// How much of this is plain words with a space between each two.
fn words_length(text: &[u8]) -> usize {
    let mut length = 0;
    loop {
        let bytes = Eight::of(text.get(length..).unwrap_or_default());
        let others = bytes.below(b'!') | bytes.equal(b'&') | bytes.beyond_ascii();
        length += before(others);
        match text.get(length..length + 2) {
            _ if others == 0 => {}
            Some(&[b' ', next]) if is_plain(next) => length += 1,
            _ => return length,
        }
    }
}

fn space_length(text: &[u8]) -> usize {
    text.iter().position(|&byte| !matches!(byte, b'\t'..=b'\r' | b' ')).unwrap_or(text.len())
}

/// What `str.split` takes for space: Unicode's, and four separators.
fn is_space(character: char) -> bool {
    character.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&character)
}
