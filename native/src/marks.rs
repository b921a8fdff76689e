//! The tags by which a page says something about itself, as `about.py` looks for them.

use crate::attributes::{cut, is_space};
use crate::tokens::{raw_length, split};
use memchr::{memchr, memmem};
use pyo3::prelude::*;

/// Bytes of the longest name.
const LONGEST: usize = 8;

/// A name, where its attributes begin and end, and where what is in it ends, if that is not markup.
type Mark = (&'static str, usize, usize, usize);

/// At most so many tags that matter, in their order.
#[pyfunction]
pub fn marks(py: Python<'_>, html: &[u8], most: usize) -> Vec<Mark> {
    py.detach(|| Marks { html, rest: html }.take(most).collect())
}

struct Marks<'a> {
    html: &'a [u8],
    rest: &'a [u8],
}

impl Iterator for Marks<'_> {
    type Item = Mark;

    fn next(&mut self) -> Option<Mark> {
        while let Some(at) = memchr(b'<', self.rest) {
            self.rest = split(self.rest, at + 1).1;
            if self.rest.starts_with(b"!--") {
                let comment = split(self.rest, 1).1;
                self.rest = split(comment, memmem::find(comment, b"-->")?).1;
            } else if let Some(name) = named(self.rest) {
                let written = split(self.rest, name.len()).1;
                let (attributes, after) = cut(written)?; // a tag that never ends is none, and all of the rest is in it
                let start = self.html.len() - written.len();
                let (end, mut until) = (start + attributes.len(), start + attributes.len() + 1);
                self.rest = after;
                if is_raw(name) {
                    let length = raw_length(after, name.as_bytes());
                    self.rest = split(after, length).1;
                    until += length;
                    if self.rest.is_empty() {
                        return None;
                    }
                }
                if !is_raw(name) || (name == "script" && is_linked(attributes)) {
                    return Some((name, start, end, until));
                }
            }
        }
        None
    }
}

/// The name that a tag begins with, if it is one of those that matter.
fn named(input: &[u8]) -> Option<&'static str> {
    let length = input.iter().take(LONGEST + 1).position(|&byte| is_space(byte) || matches!(byte, b'/' | b'>'))?;
    let mut lower = [0; LONGEST];
    let name = lower.get_mut(..length)?;
    name.copy_from_slice(input.get(..length)?);
    name.make_ascii_lowercase();
    Some(match &*name {
        b"meta" => "meta",
        b"time" => "time",
        b"h1" => "h1",
        b"h2" => "h2",
        b"h3" => "h3",
        b"h4" => "h4",
        b"h5" => "h5",
        b"h6" => "h6",
        b"script" => "script",
        b"style" => "style",
        b"textarea" => "textarea",
        b"xmp" => "xmp",
        b"noscript" => "noscript",
        b"template" => "template",
        _ => return None,
    })
}

/// What is in it is passed over.
fn is_raw(name: &str) -> bool {
    matches!(name, "script" | "style" | "textarea" | "xmp" | "noscript" | "template")
}

fn is_linked(attributes: &[u8]) -> bool {
    attributes.windows(7).any(|part| part.eq_ignore_ascii_case(b"ld+json"))
}
