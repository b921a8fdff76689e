//! The encoding that a meta declares, as `metas.py` finds it; there it is said where it is looked for.

use crate::attributes::{is_space, split_where};
use memchr::{memchr, memchr_iter, memchr2_iter, memmem};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

const NEAR: usize = 1024;
const FAR: usize = 64 * 1024;
/// Every declaration has this in it: after the last one there is nothing to look for.
const CLUE: &[u8] = b"charset";
const RAW: [&[u8]; 8] = [b"script", b"style", b"textarea", b"title", b"xmp", b"iframe", b"noembed", b"noframes"];

/// What the first label that a meta declares means, if `meant` knows it.
pub fn declared<'py>(body: &[u8], meant: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let near = first(Labels::new(body, NEAR, &[]), meant)?;
    if near.is_some() || body.len() <= NEAR { Ok(near) } else { first(Labels::new(body, FAR, &RAW), meant) }
}

fn first<'py>(labels: Labels<'_>, meant: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    for label in labels {
        let name = meant.call1((PyBytes::new(meant.py(), label),))?;
        if !name.is_none() {
            return Ok(Some(name));
        }
    }
    Ok(None)
}

/// The labels that metas declare, as written.
struct Labels<'a> {
    rest: &'a [u8],
    /// How much there is from the last clue on.
    after: usize,
    /// The elements whose content is passed over.
    raw: &'static [&'static [u8]],
}

impl<'a> Labels<'a> {
    fn new(body: &'a [u8], length: usize, raw: &'static [&'static [u8]]) -> Self {
        let rest = body.get(..length).unwrap_or(body);
        Self { rest, after: rest.len() - clues(rest).next_back().unwrap_or(0), raw }
    }

    /// Reads what begins with a `<`: the label that it declares, and what is after it. None if it never ends.
    fn read(&self, markup: &'a [u8]) -> Option<(Option<&'a [u8]>, &'a [u8])> {
        let (_, inside) = markup.split_first()?;
        if let Some(comment) = inside.strip_prefix(b"!").filter(|inside| inside.starts_with(b"--")) {
            return Some((None, after(b"-->", comment)?));
        }
        if let Some(meta) = after_name(b"meta", inside, |next| is_space(next) || matches!(next, b'/' | b'>')) {
            return meta_label(meta);
        }
        let is_apart = |next: u8| !next.is_ascii_alphanumeric() && next != b'_';
        if let Some((name, raw)) = self.raw.iter().find_map(|name| Some((name, after_name(name, inside, is_apart)?))) {
            return Some((None, after_end_tag(name, raw)?));
        }
        match inside {
            [b'a'..=b'z' | b'A'..=b'Z', ..] | [b'/', b'a'..=b'z' | b'A'..=b'Z', ..] => {
                let (_, attributes) = split_where(inside, |byte| is_space(byte) || byte == b'>');
                Some((None, walk(attributes, |_, _| {})?))
            }
            [b'!' | b'/' | b'?', ..] => Some((None, after(b">", inside)?)),
            _ => Some((None, inside)),
        }
    }
}

impl<'a> Iterator for Labels<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        loop {
            let markup = self.rest.get(memchr(b'<', self.rest)?..)?;
            if markup.len() <= self.after {
                return None;
            }
            let (label, rest) = self.read(markup)?;
            self.rest = rest;
            if label.is_some() {
                return label;
            }
        }
    }
}

/// Where the clues are.
fn clues(input: &[u8]) -> impl DoubleEndedIterator<Item = usize> {
    memchr2_iter(b'c', b'C', input).filter(|&at| starts_with(input.get(at..).unwrap_or_default(), CLUE))
}

fn starts_with(input: &[u8], word: &[u8]) -> bool {
    input.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word))
}

fn after<'a>(what: &[u8], input: &'a [u8]) -> Option<&'a [u8]> {
    input.get(memmem::find(input, what)? + what.len()..)
}

/// What follows a name, if the next byte may.
fn after_name<'a>(name: &[u8], input: &'a [u8], may_follow: impl Fn(u8) -> bool) -> Option<&'a [u8]> {
    let after = input.get(name.len()..).filter(|_| starts_with(input, name))?;
    after.first().is_none_or(|&next| may_follow(next)).then_some(after)
}

fn after_end_tag<'a>(name: &[u8], input: &'a [u8]) -> Option<&'a [u8]> {
    let mut tags = memchr_iter(b'<', input).filter_map(|at| input.get(at + 1..)?.strip_prefix(b"/"));
    tags.find(|tag| starts_with(tag, name))?.get(name.len()..)
}

/// The label of the meta whose attributes begin here, and what is after them. None if they never end.
fn meta_label(input: &[u8]) -> Option<(Option<&[u8]>, &[u8])> {
    let [mut charset, mut pragma, mut content] = [None; 3];
    let rest = walk(input, |name, value| {
        let slot = match name {
            _ if name.eq_ignore_ascii_case(CLUE) => &mut charset,
            _ if name.eq_ignore_ascii_case(b"http-equiv") => &mut pragma,
            _ if name.eq_ignore_ascii_case(b"content") => &mut content,
            _ => return,
        };
        slot.get_or_insert(value);
    })?;
    let is_type = pragma.is_some_and(|pragma: &[u8]| pragma.eq_ignore_ascii_case(b"content-type"));
    Some((charset.or_else(|| is_type.then(|| in_content(content.unwrap_or_default()))), rest))
}

/// The label in the content of a meta, empty if there is none.
fn in_content(content: &[u8]) -> &[u8] {
    let mut after_clues = clues(content).filter_map(|at| content.get(at + CLUE.len()..));
    let Some(written) = after_clues.find_map(|after| without_space(after).strip_prefix(b"=")) else { return &[] };
    match without_space(written) {
        [quote @ (b'"' | b'\''), quoted @ ..] => {
            memchr(*quote, quoted).and_then(|end| quoted.get(..end)).unwrap_or_default()
        }
        bare => split_where(bare, |byte| is_space(byte) || byte == b';').0,
    }
}

/// Shows each attribute, its name and its value. Returns what is after them, from the `>` on; none if there is no end.
fn walk<'a>(mut rest: &'a [u8], mut show: impl FnMut(&'a [u8], &'a [u8])) -> Option<&'a [u8]> {
    loop {
        rest = split_where(rest, |byte| !is_space(byte) && byte != b'/').1;
        if *rest.first()? == b'>' {
            return Some(rest);
        }
        // An equals sign where a name should start is its first character.
        let length = rest.iter().skip(1).position(|&byte| is_space(byte) || matches!(byte, b'/' | b'>' | b'='))?;
        let (name, after) = rest.split_at_checked(length + 1)?;
        let value;
        (value, rest) = match without_space(after).strip_prefix(b"=") {
            Some(written) => cut_value(without_space(written))?,
            None => (&[][..], after),
        };
        show(name, value);
    }
}

fn without_space(input: &[u8]) -> &[u8] {
    split_where(input, |byte| !is_space(byte)).1
}

/// Cuts a value off: it, and the rest. None if it never ends.
fn cut_value(input: &[u8]) -> Option<(&[u8], &[u8])> {
    match input.split_first()? {
        (&quote @ (b'"' | b'\''), quoted) => {
            let end = memchr(quote, quoted)?;
            Some((quoted.get(..end)?, quoted.get(end + 1..)?))
        }
        _ => input.split_at_checked(input.iter().position(|&byte| is_space(byte) || byte == b'>')?),
    }
}
