//! Links of many pages as the columns of a table, in the buffers that Arrow takes them from.

use crate::table::LinkTable;
use pyo3::exceptions::PyOverflowError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

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

/// Rows gathered: source, target, tag, kind and anchor of each link, and whether it is nofollow.
#[pyclass]
#[derive(Default)]
pub struct LinkColumns {
    count: usize,
    texts: [Texts; 5],
    nofollow: Vec<u8>,
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

    fn add(&mut self, source: &str, links: PyRef<'_, LinkTable>) -> PyResult<()> {
        for row in links.rows() {
            let parts = [source, links.url(row), row.tag, links.kind(row), links.anchor(row)];
            self.texts.iter_mut().zip(parts).try_for_each(|(texts, part)| texts.push(part))?;
            if self.count % 8 == 0 {
                self.nofollow.push(0);
            }
            if let Some(bits) = self.nofollow.last_mut() {
                *bits |= u8::from(row.nofollow) << (self.count % 8);
            }
            self.count += 1;
        }
        Ok(())
    }

    /// Where each text of the five columns ends and the texts, then a bit for each row.
    fn buffers<'py>(&self, py: Python<'py>) -> ([Buffers<'py>; 5], Bound<'py, PyBytes>) {
        (self.texts.each_ref().map(|texts| texts.buffers(py)), PyBytes::new(py, &self.nofollow))
    }
}
