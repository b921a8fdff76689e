//! The links of a page, as text in one piece: no object is made of a link unless somebody looks at it.

use crate::Rules;
use memchr::memchr;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString, PyTuple};

pub struct Row {
    pub tag: &'static str,
    pub kind: usize,
    pub nofollow: bool,
    /// Its URL is canonical as it is, see `hrefs.rs`.
    pub is_plain: bool,
    /// Where its URL begins in the text, where that ends and its anchor begins, and where that ends.
    pub start: usize,
    pub middle: usize,
    pub end: usize,
}

/// The reasons of links that were not followed. A page has few, for many links: each is held once.
pub struct Reasons {
    /// The first is that of all others: none.
    names: Vec<String>,
    /// Which of them each link has.
    numbers: Vec<u8>,
}

impl Reasons {
    /// Reads what Python has by place.
    pub fn of(links: usize, refused: &Bound<'_, PyDict>) -> PyResult<Self> {
        let mut reasons = Self { names: vec![String::new()], numbers: vec![0; links] };
        for (place, reason) in refused {
            let number = reasons.number(reason.cast::<PyString>()?.to_str()?);
            if let Some(told) = reasons.numbers.get_mut(place.extract::<usize>()?) {
                *told = number;
            }
        }
        Ok(reasons)
    }

    fn number(&mut self, name: &str) -> u8 {
        let known = self.names.iter().position(|known| known == name);
        let number = known.unwrap_or_else(|| {
            self.names.push(name.to_owned());
            self.names.len() - 1
        });
        u8::try_from(number).unwrap_or(0) // there are not so many reasons
    }

    pub fn numbers(&self) -> &[u8] {
        &self.numbers
    }

    pub fn name(&self, number: u8) -> &str {
        self.names.get(usize::from(number)).map_or("", String::as_str)
    }
}

/// To Python a sequence of `Link`.
#[pyclass(frozen, sequence)]
pub struct LinkTable {
    rules: Py<Rules>,
    text: String,
    rows: Vec<Row>,
    /// All is printable ASCII, and no URL has a space: seen while the text is at hand.
    is_plain: bool,
}

impl LinkTable {
    pub fn new(rules: Py<Rules>, text: String, rows: Vec<Row>) -> Self {
        // Without a way out in the middle: so it takes many bytes at once.
        let is_ascii = text.bytes().fold(true, |is_ascii, byte| is_ascii & matches!(byte, b' '..=b'~'));
        let mut table = Self { rules, text, rows, is_plain: false };
        table.is_plain = is_ascii && !table.has_space();
        table
    }

    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    pub fn url(&self, row: &Row) -> &str {
        self.text.get(row.start..row.middle).unwrap_or_default()
    }

    pub fn anchor(&self, row: &Row) -> &str {
        self.text.get(row.middle..row.end).unwrap_or_default()
    }

    pub fn kind(&self, row: &Row) -> &str {
        self.rules.get().0.kind_names.get(row.kind).map_or("", String::as_str)
    }

    fn has_space(&self) -> bool {
        self.rows.iter().any(|row| memchr(b' ', self.url(row).as_bytes()).is_some())
    }

    fn link<'py>(&self, py: Python<'py>, row: &Row) -> PyResult<Bound<'py, PyAny>> {
        let policy = &self.rules.get().0;
        let tag = PyString::intern(py, row.tag);
        let fields = (self.url(row), tag, policy.kinds.get(row.kind), row.nofollow, self.anchor(row));
        policy.link.bind(py).call1((fields,))
    }
}

#[pymethods]
impl LinkTable {
    fn __len__(&self) -> usize {
        self.rows.len()
    }

    fn __getitem__<'py>(&self, py: Python<'py>, index: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        // One link alone makes one object, not a thousand.
        match index.extract::<usize>().ok().and_then(|place| self.rows.get(place)) {
            Some(row) => self.link(py, row),
            None => self.links(py)?.as_any().get_item(index),
        }
    }

    /// The places of the links of a kind.
    fn places(&self, kind: usize) -> Vec<usize> {
        self.rows.iter().enumerate().filter(|(_, row)| row.kind == kind).map(|(place, _)| place).collect()
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(self.links(py)?.as_any().try_iter()?.into_any())
    }

    fn __eq__<'py>(&self, py: Python<'py>, other: Bound<'py, PyAny>) -> PyResult<bool> {
        let theirs = other.try_iter()?.collect::<PyResult<Vec<_>>>()?;
        self.links(py)?.eq(PyTuple::new(py, theirs)?)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(self.links(py)?.repr()?.to_string())
    }

    /// The links, each an object.
    fn links<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let links = self.rows.iter().map(|row| self.link(py, row)).collect::<PyResult<Vec<_>>>()?;
        PyTuple::new(py, links)
    }

    /// Whether each link can stand on a line as it is. Text beyond ASCII is for Python to judge.
    fn is_clean(&self, py: Python<'_>) -> PyResult<bool> {
        if self.is_plain || self.has_space() {
            return Ok(self.is_plain);
        }
        PyString::new(py, &self.text).call_method0("isprintable")?.extract()
    }

    /// A line for each link, as `store/index/facts.py` writes it; they must be clean.
    fn lines<'py>(&self, py: Python<'py>, refused: &Bound<'_, PyDict>) -> PyResult<Bound<'py, PyBytes>> {
        let reasons = Reasons::of(self.rows.len(), refused)?;
        let mut lines = String::with_capacity(self.text.len() + 48 * self.rows.len());
        let (mut last, mut between) = (None, String::new());
        for (row, number) in self.rows.iter().zip(reasons.numbers()) {
            let treated = (row.tag, row.kind, row.nofollow, *number);
            if last.replace(treated) != Some(treated) {
                let follow = if row.nofollow { "nofollow" } else { "follow" };
                let (comma, reason) = (if *number == 0 { "" } else { "," }, reasons.name(*number));
                between = format!(" {} {} {follow}{comma}{reason} ", row.tag, self.kind(row));
            }
            for part in ["outlink: ", self.url(row), &between, self.anchor(row), "\r\n"] {
                lines.push_str(part);
            }
        }
        Ok(PyBytes::new(py, lines.as_bytes()))
    }
}
