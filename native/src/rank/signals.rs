//! What is told of all hosts or of all domains: a column for each signal.

use super::hosts::Names;
use super::support::Support;
use super::visits::Counts;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

/// The signals of all hosts or of all domains: names, and columns by name.
#[derive(Default)]
pub struct Columns {
    pub names: Names,
    pub counts: Vec<(&'static str, Vec<u32>)>,
    pub shares: Vec<(&'static str, Vec<f64>)>,
}

/// Where each name ends, the text of all, and the columns by name.
pub type Told<'py> = (Bound<'py, PyBytes>, Bound<'py, PyBytes>, Bound<'py, PyDict>);

impl Columns {
    pub fn told<'py>(&self, py: Python<'py>) -> PyResult<Told<'py>> {
        let (ends, text) = self.names.buffers();
        let columns = PyDict::new(py);
        for (name, column) in &self.counts {
            let bytes: Vec<u8> = column.iter().flat_map(|number| number.to_le_bytes()).collect();
            columns.set_item(name, PyBytes::new(py, &bytes))?;
        }
        for (name, column) in &self.shares {
            let bytes: Vec<u8> = column.iter().flat_map(|number| number.to_le_bytes()).collect();
            columns.set_item(name, PyBytes::new(py, &bytes))?;
        }
        Ok((PyBytes::new(py, &ends), PyBytes::new(py, text), columns))
    }

    pub fn with_support(&mut self, found: &[Support]) {
        let mut add = |name, of: fn(&Support) -> u32| self.counts.push((name, found.iter().map(of).collect()));
        add("vouchers", |one| one.vouchers);
        add("hangers_on", |one| one.hangers_on);
        add("ring", |one| one.ring);
        add("supporters", |one| one.supporters);
    }

    pub fn with_counts(&mut self, found: &[Counts]) {
        let mut add = |name, of: fn(&Counts) -> u32| self.counts.push((name, found.iter().map(of).collect()));
        add("urls", |one| one.urls);
        add("pages", |one| one.pages);
        add("duplicates", |one| one.duplicates);
        add("soft_404", |one| one.soft_404);
        add("thin", |one| one.thin);
        add("errors", |one| one.errors);
        add("again", |one| one.again);
        add("changed", |one| one.changed);
    }
}
