//! A pattern that is looked for in linear time, whatever it is looked for in.
//!
//! RE2 does the same, but lets go of Python's lock for each search: beside busy threads that costs more than the search.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use regex::Regex;

#[pyclass(frozen)]
pub struct Pattern(Regex);

#[pymethods]
impl Pattern {
    #[new]
    fn new(pattern: &str) -> PyResult<Self> {
        Regex::new(pattern).map(Self).map_err(|error| PyValueError::new_err(error.to_string()))
    }

    /// The first place in a text that fits, None if there is none.
    fn first<'a>(&self, text: &'a str) -> Option<&'a str> {
        self.0.find(text).map(|found| found.as_str())
    }
}
