//! The head of an answer, taken apart: what is asked for is made into Python's strings, the rest never is.
//!
//! The reference is `read_lines` in `skitter/fetch/head.py`, to which whatever is not plain is left: a head with lines
//! that go on, or without a status line. `tests/fetch/test_head.py` compares the two.

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};
use std::borrow::Cow;
use std::ops::Range;

const MAX_DIGITS: usize = 9;

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

    fn list<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        PyList::new(py, self.lines.iter().map(|line| (self.text(py, &line.name), self.text(py, &line.value))))
    }
}

#[pymethods]
impl HeaderLines {
    /// Every value of the header called `name` (lower case), in the order sent.
    fn values<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyList>> {
        let head = self.head.as_bytes(py);
        let values = PyList::empty(py);
        for line in &self.lines {
            let key = head.get(line.name.clone()).unwrap_or_default();
            if key.iter().copied().map(lower).eq(name.chars()) {
                values.append(self.text(py, &line.value))?;
            }
        }
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
        let theirs = other.try_iter()?.collect::<PyResult<Vec<_>>>()?;
        self.list(py)?.eq(PyList::new(py, theirs)?)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(self.list(py)?.repr()?.to_string())
    }
}

/// Status, whether it is HTTP/1.1 or later, and the header lines; None if that is for the reference to say.
#[pyfunction]
pub fn read_head(raw: Bound<'_, PyBytes>) -> Option<(u32, bool, HeaderLines)> {
    let head = raw.as_bytes();
    let (status, is_modern) = status_of(head)?;
    let mut lines = Vec::with_capacity(16);
    let mut start = memchr::memchr(b'\n', head)? + 1;
    while start < head.len() {
        let rest = head.get(start..)?;
        let size = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        let line = rest.get(..size)?;
        if matches!(line.first(), Some(b' ' | b'\t')) {
            return None;
        }
        if let Some(colon) = memchr::memchr(b':', line) {
            lines.push(Line {
                name: trimmed(head, start..start + colon, false),
                value: trimmed(head, start + colon + 1..start + size, true),
            });
        }
        start += size + 1;
    }
    Some((status, is_modern, HeaderLines { head: raw.unbind(), lines }))
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
    let digits = rest.iter().position(|byte| !is_blank(*byte)).filter(|blanks| *blanks > 0)?;
    let rest = rest.get(digits..)?;
    let size = rest.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(rest.len());
    let has_end = rest.get(size).is_none_or(|byte| is_space(*byte));
    if !(1..=MAX_DIGITS).contains(&size) || !has_end {
        return None;
    }
    let status = rest.get(..size)?.iter().fold(0, |number, digit| number * 10 + u32::from(digit - b'0'));
    Some((status, (major, minor) >= (&b'1', &b'1')))
}

fn trimmed(head: &[u8], part: Range<usize>, is_value: bool) -> Range<usize> {
    let is_margin = |byte: &u8| is_blank(*byte) || (is_value && *byte == b'\r');
    let text = head.get(part.clone()).unwrap_or_default();
    let end = text.iter().rposition(|byte| !is_margin(byte)).map_or(0, |last| last + 1);
    let begin = text.iter().position(|byte| !is_value || !is_margin(byte)).unwrap_or(0).min(end);
    part.start + begin..part.start + end
}

fn is_blank(byte: u8) -> bool {
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
