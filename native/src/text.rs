//! Text as a reader sees it, as `text.py` has it: references resolved, spaces collapsed, so many characters of it.

use crate::references::{Meaning, Names};
use crate::tokens::split;
use std::borrow::Cow;

/// The edge of a block.
pub const BREAK: u8 = 0x0c;
/// Bytes read for each character that is kept.
const MAX_SPACE: usize = 16;

/// The visible text: a line for each block.
pub fn visible(written: &[u8], limit: usize, names: &Names) -> String {
    collapse(written, limit, names, '\n')
}

/// Text on one line.
pub fn short(written: &[u8], limit: usize, names: &Names) -> String {
    collapse(split(written, limit.saturating_mul(MAX_SPACE)).0, limit, names, ' ')
}

/// The text of an attribute.
pub fn value<'a>(written: &'a [u8], names: &Names) -> Cow<'a, str> {
    let text = decode(written);
    if !text.bytes().any(|byte| matches!(byte, b'&' | 0)) {
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

fn collapse(written: &[u8], limit: usize, names: &Names, at_break: char) -> String {
    let mut lines = Lines { text: String::new(), room: limit, gap: None, at_break };
    lines.read(&decode(written), names);
    lines.text
}

/// What `String::from_utf8_lossy` returns, sooner: nearly all is in order.
fn decode(written: &[u8]) -> Cow<'_, str> {
    std::str::from_utf8(written).map_or_else(|_| String::from_utf8_lossy(written), Cow::Borrowed)
}

struct Lines {
    text: String,
    /// For so many more characters.
    room: usize,
    /// What comes before the next word.
    gap: Option<char>,
    at_break: char,
}

impl Lines {
    fn read(&mut self, mut rest: &str, names: &Names) {
        while self.room > 0 {
            let length = rest.bytes().position(|byte| byte == b'&' || !byte.is_ascii_graphic());
            let Some((word, after)) = rest.split_at_checked(length.unwrap_or(rest.len())) else { return };
            self.add_word(word);
            let mut characters = after.chars();
            let Some(next) = characters.next() else { return };
            rest = characters.as_str();
            match if next == '&' { names.in_text(rest) } else { None } {
                None => self.add(next),
                Some((meaning, length)) => {
                    match meaning {
                        Meaning::Named(text) => text.chars().for_each(|character| self.add(character)),
                        Meaning::Numbered(character) => character.into_iter().for_each(|character| self.add(character)),
                    }
                    rest = rest.get(length..).unwrap_or_default();
                }
            }
        }
    }

    /// Adds a part of a word that is plain ASCII.
    fn add_word(&mut self, word: &str) {
        if !word.is_empty() {
            self.close_gap();
            let part = word.get(..self.room).unwrap_or(word);
            self.text.push_str(part);
            self.room -= part.len();
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
        let gap = self.gap.take().filter(|_| !self.text.is_empty() && self.room > 0);
        if let Some(gap) = gap {
            self.text.push(gap);
            self.room -= 1;
        }
    }
}

/// What `str.split` takes for space: Unicode's, and four separators.
fn is_space(character: char) -> bool {
    character.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&character)
}
