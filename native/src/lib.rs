//! The hottest pure seam of Skitter: the bytes of a page in, its links and text out, in one pass.
//!
//! The reference is `skitter/parse/scanner.py`; `tests/parse/test_scanner.py` compares the two field by field.

mod attributes;
mod reader;
mod references;
mod srcset;
mod text;
mod tokens;

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use reader::{Limits, Link, Scanned};
use references::Names;
use std::vec::IntoIter;

static NAMES: PyOnceLock<Names> = PyOnceLock::new();

/// The links of a page, made into Python's objects when they are asked for: a page may have a million.
#[pyclass]
struct Links(IntoIter<Link>);

#[pymethods]
impl Links {
    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__(&mut self) -> Option<(&'static str, String, String, String)> {
        self.0.next().map(|link| (link.tag, link.href, link.rel, link.anchor))
    }
}

type Fields = (Option<String>, String, String, Vec<(String, String, String)>, Links, String);

#[pyfunction]
fn scan(py: Python<'_>, html: &[u8], max_text: usize, max_anchor: usize, max_title: usize) -> PyResult<Fields> {
    let names = NAMES.get_or_try_init(py, || load_names(py))?;
    let limits = Limits { text: max_text, anchor: max_anchor, title: max_title };
    let Scanned { base, lang, title, metas, links, text } = py.detach(|| reader::read(html, &limits, names));
    let links = Links(links.into_iter());
    Ok((base, lang.unwrap_or_default(), title.unwrap_or_default(), metas, links, text))
}

/// The named references of the Python that runs us, so that both scanners know the same ones.
fn load_names(py: Python<'_>) -> PyResult<Names> {
    let meanings = py.import("html.entities")?.getattr("html5")?.extract()?;
    Ok(Names::new(meanings))
}

#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Links>()?;
    module.add_function(wrap_pyfunction!(scan, module)?)
}
