//! The head of an answer, taken apart: what is asked for is made into Python's strings, the rest never is.
//!
//! The reference is `find_end` and `read_lines` in `skitter/fetch/head.py`, to which whatever is not plain is left: a
//! head with lines that go on, or without a status line. `tests/fetch/test_head.py` compares the two.

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};
use std::borrow::Cow;
use std::ops::Range;

const MAX_DIGITS: usize = 9;
const TELLING: [&str; 4] = ["transfer-encoding", "content-length", "connection", "content-encoding"];

struct Line {
    name: Range<usize>,
    value: Range<usize>,
}

/// Name and value of each header line, in the order and the case in which they were sent.
#[pyclass(frozen)]
pub struct HeaderLines {
    head: Py<PyBytes>,
    lines: Vec<Line>,
}

impl HeaderLines {
    fn text<'a>(&'a self, py: Python<'a>, part: &Range<usize>) -> Cow<'a, str> {
        latin1(self.head.as_bytes(py).get(part.clone()).unwrap_or_default())
    }

    fn named<'a>(&'a self, head: &'a [u8], name: &'a str) -> impl Iterator<Item = &'a [u8]> {
        let part = |range: &Range<usize>| head.get(range.clone()).unwrap_or_default();
        let lines = self.lines.iter().filter(move |line| part(&line.name).iter().copied().map(lower).eq(name.chars()));
        lines.map(move |line| part(&line.value))
    }

    /// What the header called `name` lists, in lower case; sent twice, it is one list.
    fn listed(&self, head: &[u8], name: &str) -> Vec<String> {
        let items = self.named(head, name).flat_map(|value| value.split(|byte| *byte == b','));
        let bare = items.map(|item| item.get(within(item, is_blank)).unwrap_or_default());
        bare.map(|item| item.iter().copied().map(lower).collect()).collect()
    }

    fn list<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        PyList::new(py, self.lines.iter().map(|line| (self.text(py, &line.name), self.text(py, &line.value))))
    }
}

#[pymethods]
impl HeaderLines {
    /// Every value of the header called `name` (lower case), in the order sent.
    fn values<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyList>> {
        let values = PyList::empty(py);
        self.named(self.head.as_bytes(py), name).try_for_each(|value| values.append(latin1(value)))?;
        Ok(values)
    }

    fn __len__(&self) -> usize {
        self.lines.len()
    }

    fn __getitem__<'py>(&self, py: Python<'py>, index: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.list(py)?.as_any().get_item(index)
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(self.list(py)?.as_any().try_iter()?.into_any())
    }

    fn __eq__<'py>(&self, py: Python<'py>, other: Bound<'py, PyAny>) -> PyResult<bool> {
        let Ok(theirs) = other.try_iter() else { return Ok(false) };
        self.list(py)?.eq(PyList::new(py, theirs.collect::<PyResult<Vec<_>>>()?)?)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(self.list(py)?.repr()?.to_string())
    }
}

/// Where the first empty line at or after `start` ends, 0 if there is none.
#[pyfunction]
pub fn head_end(text: &[u8], start: usize) -> usize {
    let rest = text.get(start..).unwrap_or_default();
    let ends = memchr::memchr_iter(b'\n', rest).find_map(|at| match rest.get(at + 1..)? {
        [b'\n', ..] => Some(at + 2),
        [b'\r', b'\n', ..] => Some(at + 3),
        _ => None,
    });
    ends.map_or(0, |end| start + end)
}

type Lines = (u32, bool, HeaderLines, [Vec<String>; 4]);

/// Status, whether it is HTTP/1.1 or later, the header lines, and what those list that say where the body ends; None if
/// that is for the reference to say.
#[pyfunction]
pub fn read_head(raw: Bound<'_, PyBytes>) -> Option<Lines> {
    let head = raw.as_bytes();
    let (status, is_modern) = status_of(head)?;
    let mut lines = Vec::with_capacity(16);
    let mut start = memchr::memchr(b'\n', head)? + 1;
    while start < head.len() {
        let rest = head.get(start..)?;
        let size = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        let line = rest.get(..size)?;
        if line.first().is_some_and(is_blank) {
            return None;
        }
        lines.extend(line_at(line, start));
        start += size + 1;
    }
    let lines = HeaderLines { head: raw.clone().unbind(), lines };
    let listed = TELLING.map(|name| lines.listed(head, name));
    Some((status, is_modern, lines, listed))
}

fn line_at(line: &[u8], start: usize) -> Option<Line> {
    let colon = memchr::memchr(b':', line)?;
    let name = within(line.get(..colon)?, is_blank);
    let value = within(line.get(colon + 1..)?, |byte| is_blank(byte) || *byte == b'\r');
    let after = start + colon + 1;
    Some(Line { name: start..start + name.end, value: after + value.start..after + value.end })
}

fn status_of(head: &[u8]) -> Option<(u32, bool)> {
    let (protocol, rest) = head.split_at_checked(b"HTTP/".len())?;
    if !protocol.eq_ignore_ascii_case(b"HTTP/") {
        return None;
    }
    let (major, rest) = rest.split_first().filter(|(byte, _)| byte.is_ascii_digit())?;
    let (minor, rest) = match rest {
        [b'.', minor, rest @ ..] if minor.is_ascii_digit() => (minor, rest),
        rest => (&b'0', rest),
    };
    let digits = rest.iter().position(|byte| !is_blank(byte)).filter(|blanks| *blanks > 0)?;
    let rest = rest.get(digits..)?;
    let size = rest.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(rest.len());
    let has_end = rest.get(size).is_none_or(|byte| is_space(*byte));
    if !(1..=MAX_DIGITS).contains(&size) || !has_end {
        return None;
    }
    let status = rest.get(..size)?.iter().fold(0, |number, digit| number * 10 + u32::from(digit - b'0'));
    Some((status, (major, minor) >= (&b'1', &b'1')))
}

/// Where `text` begins and ends without its margins.
fn within(text: &[u8], is_margin: impl Fn(&u8) -> bool) -> Range<usize> {
    let end = text.iter().rposition(|byte| !is_margin(byte)).map_or(0, |last| last + 1);
    text.iter().position(|byte| !is_margin(byte)).unwrap_or(end)..end
}

fn is_blank(byte: &u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

/// What `\s` stands for in text that was read as Latin-1.
fn is_space(byte: u8) -> bool {
    matches!(byte, b'\t'..=b'\r' | 0x1c..=b' ' | 0x85 | 0xa0)
}

fn lower(byte: u8) -> char {
    char::from(byte).to_lowercase().next().unwrap_or_default()
}

fn latin1(text: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(text) {
        Ok(plain) if text.is_ascii() => Cow::Borrowed(plain),
        _ => text.iter().copied().map(char::from).collect(),
    }
}
