//! Character references, as `html.unescape` reads them in text and `attributes.py` in values.

use std::collections::HashMap;

const UNKNOWN: char = '\u{fffd}';
/// Python reads no longer ones, see `attributes.py`.
const MAX_DIGITS: usize = 99;

/// What 0x80 to 0x9f mean, by number: the characters of windows-1252.
const HIGH: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}', '\u{90}', '‘', '’',
    '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

/// The names of `html.entities.html5`, with the semicolon that most of them need.
pub struct Names {
    meanings: HashMap<String, String>,
    longest_bare: usize,
}

/// What a reference means.
pub enum Meaning<'a> {
    Named(&'a str),
    Numbered(Option<char>),
}

/// What a reference means, and how much follows its `&`.
type Read<'a> = Option<(Meaning<'a>, usize)>;

impl Names {
    pub fn new(meanings: HashMap<String, String>) -> Self {
        let bare = meanings.keys().filter(|name| !name.ends_with(';'));
        let longest_bare = bare.map(String::len).max().unwrap_or(0);
        Names { meanings, longest_bare }
    }

    /// Reads what follows a `&` in text. Without a semicolon, the longest name that fits is meant, whatever follows.
    pub fn in_text(&self, after: &str) -> Read<'_> {
        if after.starts_with('#') {
            return number(after.as_bytes());
        }
        let (length, next) = cut_name(after);
        let whole = if next == Some(&b';') { self.get(after, length + 1) } else { None };
        let mut bare = (2..=length.min(self.longest_bare)).rev();
        whole.or_else(|| bare.find_map(|length| self.get(after, length)))
    }

    /// Reads what follows a `&` in an attribute: `&copy=1` in a URL is no reference, nor is `&copying`.
    pub fn in_value(&self, after: &str) -> Read<'_> {
        if after.starts_with('#') {
            return number(after.as_bytes());
        }
        match cut_name(after) {
            (length, Some(b';')) => self.get(after, length + 1),
            (_, Some(b'=')) => None,
            (length, _) => self.get(after, length),
        }
    }

    fn get(&self, after: &str, length: usize) -> Read<'_> {
        Some((Meaning::Named(self.meanings.get(after.get(..length)?)?), length))
    }
}

/// The length of a name, and the byte after it.
fn cut_name(after: &str) -> (usize, Option<&u8>) {
    let bytes = after.as_bytes();
    let length = bytes.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
    (length, bytes.get(length))
}

fn number<'a>(after: &[u8]) -> Read<'a> {
    let (radix, start) = match after {
        [_, b'x' | b'X', ..] => (16, 2),
        _ => (10, 1),
    };
    let digits = after.iter().skip(start).map_while(|&byte| char::from(byte).to_digit(radix));
    let (code, count) =
        digits.fold((0_u32, 0), |(code, count), digit| (code.saturating_mul(radix).saturating_add(digit), count + 1));
    if count == 0 {
        return None;
    }
    let length = start + count + usize::from(after.get(start + count) == Some(&b';'));
    let meaning = if radix == 10 && count > MAX_DIGITS { Some(UNKNOWN) } else { numbered(code) };
    Some((Meaning::Numbered(meaning), length))
}

/// The character of a number. None for control codes and for those that never are characters.
fn numbered(code: u32) -> Option<char> {
    match code {
        0 => Some(UNKNOWN),
        0x80..=0x9f => HIGH.get(usize::try_from(code - 0x80).ok()?).copied(),
        0x01..=0x08 | 0x0b | 0x0e..=0x1f | 0x7f | 0xfdd0..=0xfdef => None,
        0xfffe.. if code <= 0x10_ffff && code & 0xfffe == 0xfffe => None,
        _ => Some(char::from_u32(code).unwrap_or(UNKNOWN)),
    }
}
