//! Links of many pages as the columns of a table, in the buffers that Arrow takes them from.

use crate::table::{LinkTable, Reasons};
use pyo3::exceptions::PyOverflowError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

/// Text, one after the other, and where each ends.
#[derive(Default)]
struct Texts {
    ends: Vec<u8>,
    text: Vec<u8>,
}

impl Texts {
    fn push(&mut self, text: &str) -> PyResult<()> {
        self.text.extend_from_slice(text.as_bytes());
        self.end()
    }

    fn end(&mut self) -> PyResult<()> {
        let end = i32::try_from(self.text.len()).map_err(|_| PyOverflowError::new_err("2 GiB of links at once"))?;
        self.ends.extend_from_slice(&end.to_ne_bytes());
        Ok(())
    }

    fn buffers<'py>(&self, py: Python<'py>) -> (Bound<'py, PyBytes>, Bound<'py, PyBytes>) {
        (PyBytes::new(py, &self.ends), PyBytes::new(py, &self.text))
    }
}

/// A bit for each row.
#[derive(Default)]
struct Bits(Vec<u8>);

impl Bits {
    fn push(&mut self, place: usize, bit: bool) {
        if place % 8 == 0 {
            self.0.push(0);
        }
        if let Some(bits) = self.0.last_mut() {
            *bits |= u8::from(bit) << (place % 8);
        }
    }
}

/// Rows gathered: source, target, tag, kind, anchor and reason of each link, whether it is nofollow, and whether there
/// is a reason.
#[pyclass]
#[derive(Default)]
pub struct LinkColumns {
    count: usize,
    texts: [Texts; 6],
    nofollow: Bits,
    refused: Bits,
}

type Buffers<'py> = (Bound<'py, PyBytes>, Bound<'py, PyBytes>);

#[pymethods]
impl LinkColumns {
    #[new]
    fn new() -> PyResult<Self> {
        let mut columns = Self::default();
        columns.texts.iter_mut().try_for_each(Texts::end)?; // the first text begins where nothing ends
        Ok(columns)
    }

    fn __len__(&self) -> usize {
        self.count
    }

    /// Bytes of text held.
    #[getter]
    fn size(&self) -> usize {
        self.texts.iter().map(|texts| texts.text.len()).sum()
    }

    /// Takes the links of the page at `source`, with the reasons of those that were not followed by their places.
    fn add(&mut self, source: &str, links: PyRef<'_, LinkTable>, refused: &Bound<'_, PyDict>) -> PyResult<()> {
        let reasons = Reasons::of(links.rows().len(), refused)?;
        for (row, number) in links.rows().iter().zip(reasons.numbers()) {
            let parts = [source, links.url(row), row.tag, links.kind(row), links.anchor(row), reasons.name(*number)];
            self.texts.iter_mut().zip(parts).try_for_each(|(texts, part)| texts.push(part))?;
            self.nofollow.push(self.count, row.nofollow);
            self.refused.push(self.count, *number != 0);
            self.count += 1;
        }
        Ok(())
    }

    /// Where each text of the six columns ends and the texts, then the bits of both kinds for each row.
    fn buffers<'py>(&self, py: Python<'py>) -> ([Buffers<'py>; 6], Bound<'py, PyBytes>, Bound<'py, PyBytes>) {
        let texts = self.texts.each_ref().map(|texts| texts.buffers(py));
        (texts, PyBytes::new(py, &self.nofollow.0), PyBytes::new(py, &self.refused.0))
    }
}
