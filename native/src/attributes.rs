//! The attributes of a tag, as `attributes.py` reads them.

use memchr::{memchr, memchr2};

pub fn is_space(byte: u8) -> bool {
    matches!(byte, b'\t' | b'\n' | 0x0c | b'\r' | b' ')
}

/// Where `input` stops to be of a kind: what is before that, and the rest.
pub fn split_where(input: &[u8], stops: impl Fn(u8) -> bool) -> (&[u8], &[u8]) {
    let at = input.iter().position(|&byte| stops(byte)).unwrap_or(input.len());
    input.split_at_checked(at).unwrap_or((input, &[]))
}

/// Cuts the attributes of a tag off what follows its name: they, and what is after the tag. None if it never ends.
pub fn cut(input: &[u8]) -> Option<(&[u8], &[u8])> {
    let length = usual_length(input).or_else(|| walked_length(input))?;
    Some((input.get(..length)?, input.get(length + 1..)?))
}

/// How long attributes are that end in `">`, as nearly all do; none if it takes more to say so.
///
/// A tag ends at the first `>` that is not in quotes. The last double quote before it opens a value only if there is an
/// equals sign before that; if it does not, and there are no single quotes, no value is open.
fn usual_length(input: &[u8]) -> Option<usize> {
    if input.starts_with(b">") {
        return Some(0);
    }
    let end = memchr2(b'>', b'\'', input)?;
    match (input.get(..end)?, input.get(end)?) {
        ([.., before, b'"'], b'>') if !is_space(*before) && *before != b'=' => Some(end),
        _ => None,
    }
}

fn walked_length(input: &[u8]) -> Option<usize> {
    let mut walk = Attributes(input);
    while walk.next().is_some() {}
    walk.0.starts_with(b">").then(|| input.len() - walk.0.len())
}

/// The values of the attributes with these names, as written; of two with one name the first counts.
pub fn find<'a, const N: usize>(written: &'a [u8], names: [&str; N]) -> [Option<&'a [u8]>; N] {
    let mut found = [None; N];
    for (name, value) in Attributes(written) {
        for (slot, wanted) in found.iter_mut().zip(names) {
            if slot.is_none() && name.eq_ignore_ascii_case(wanted.as_bytes()) {
                *slot = Some(value);
            }
        }
    }
    found
}

/// Whether a template is the inside of a component (a declarative shadow root), which is no template then.
pub fn is_shadow_root(written: &[u8]) -> bool {
    let [mode] = find(written, ["shadowrootmode"]);
    mode.is_some_and(|mode| mode.eq_ignore_ascii_case(b"open") || mode.eq_ignore_ascii_case(b"closed"))
}

/// Names and values as written, up to the end of the tag or of the input.
struct Attributes<'a>(&'a [u8]);

impl<'a> Iterator for Attributes<'a> {
    type Item = (&'a [u8], &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        self.0 = split_where(self.0, |byte| !is_space(byte) && byte != b'/').1;
        if matches!(self.0.first(), None | Some(b'>')) {
            return None;
        }
        // An equals sign where a name should start is its first character.
        let length = self.0.iter().skip(1).position(|&byte| is_space(byte) || matches!(byte, b'/' | b'>' | b'='));
        let (name, after) = self.0.split_at_checked(length.map_or(self.0.len(), |length| length + 1))?;
        let (value, rest) = match split_where(after, |byte| !is_space(byte)).1.strip_prefix(b"=") {
            Some(written) => cut_value(split_where(written, |byte| !is_space(byte)).1),
            None => (&[][..], after),
        };
        self.0 = rest;
        Some((name, value))
    }
}

/// Cuts a value off: it, and the rest, which is nothing if its quote is never closed.
fn cut_value(input: &[u8]) -> (&[u8], &[u8]) {
    match input.split_first() {
        Some((&quote @ (b'"' | b'\''), quoted)) => match memchr(quote, quoted) {
            Some(at) => (quoted.get(..at).unwrap_or_default(), quoted.get(at + 1..).unwrap_or_default()),
            None => (quoted, &[]),
        },
        _ => split_where(input, |byte| is_space(byte) || byte == b'>'),
    }
}
