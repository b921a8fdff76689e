//! The hottest pure seams of Skitter: the bytes of a page in, its links and sketch out, in one pass; heads of answers,
//! records of the archive, rows of the links table; the memory of what was seen of late and the filters of the shards;
//! what judging compares; what a visit makes of the belief about a page.
//!
//! Each has a reference in Python, which is used where there is no kernel, and a test that compares the two: pages are
//! `skitter/parse/scanner.py` and `tests/parse/test_scanner.py`.

mod attributes;
mod best;
mod choices;
mod columns;
mod corners;
mod eight;
mod elements;
mod filter;
mod found;
mod hashing;
mod head;
mod hrefs;
mod judging;
mod main_text;
mod marks;
mod metas;
mod names;
mod outlinks;
mod pattern;
mod rank;
mod reader;
mod recent;
mod references;
mod regions;
mod seen;
mod shape;
mod shingles;
mod sketch;
mod srcset;
mod table;
mod targets;
mod text;
mod tokens;
mod turn;
mod visits;
mod warc;
mod words;

use columns::LinkColumns;
use found::Found;
use hrefs::Folders;
use outlinks::{Asked, Memory, Outlinks, Policy};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyString, PyTuple};
use reader::{Limits, Scanned};
use references::Names;
use shingles::Said;
use std::collections::HashSet;
use table::LinkTable;
use targets::KeyRules;

static NAMES: PyOnceLock<Names> = PyOnceLock::new();

/// The links of a page, made into Python's objects when they are asked for: a page may have a million.
#[pyclass]
struct Links {
    found: Found,
    next: usize,
}

#[pymethods]
impl Links {
    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__<'py>(&mut self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyTuple>>> {
        let Some(link) = self.found.get(self.next) else { return Ok(None) };
        self.next += 1;
        (link.tag, link.href, link.rel, link.anchor).into_pyobject(py).map(Some)
    }

    /// The links resolved, those of their targets that nobody knows, how many are known, whether there were more links
    /// than `max_links`, the canonical URL, the reasons of those that are not followed, and the hosts beside `home` that
    /// the others lead to. None is left then.
    #[allow(clippy::too_many_arguments)]
    fn read<'py>(
        &mut self,
        rules: Bound<'py, Rules>,
        base: Bound<'py, PyString>,
        home: &str,
        max_links: usize,
        resolve: Bound<'py, PyAny>,
        refreshed: Bound<'py, PyAny>,
        target: Option<Bound<'py, PyAny>>,
        is_known: Bound<'py, PyAny>,
    ) -> PyResult<Outlinks<'py>> {
        let told: Vec<String>;
        let folders = match hrefs::folders(base.to_str().unwrap_or_default()) {
            Some(folders) => folders,
            None => {
                told = resolve.getattr("folders")?.extract()?;
                Folders { held: told.iter().map(String::as_str).collect(), page: None }
            }
        };
        let asked = Asked { folders, home, resolve, refreshed, target, is_known: Memory::of(is_known) };
        let left = std::mem::replace(&mut self.next, self.found.len());
        outlinks::read(&rules, (left..).map_while(|number| self.found.get(number)), max_links, &asked)
    }
}

/// What the operator and `links.py` decided, once for all pages.
#[pyclass(frozen)]
pub struct Rules(Policy);

#[pymethods]
impl Rules {
    #[new]
    #[pyo3(signature = (*, link, kinds, canonical, embed, followed, nofollow, treatment, index_pages, max_length, drop_www, drop_index, drop_trailing_slash, merge_schemes))]
    #[allow(clippy::too_many_arguments, clippy::fn_params_excessive_bools)]
    fn new(
        py: Python<'_>,
        link: Py<PyAny>,
        kinds: Vec<Py<PyAny>>,
        canonical: usize,
        embed: usize,
        followed: Vec<bool>,
        nofollow: Py<PyAny>,
        treatment: Py<PyAny>,
        index_pages: HashSet<String>,
        max_length: usize,
        drop_www: bool,
        drop_index: bool,
        drop_trailing_slash: bool,
        merge_schemes: bool,
    ) -> PyResult<Self> {
        let kind_names = kinds.iter().map(|kind| kind.extract(py)).collect::<PyResult<_>>()?;
        let keys = KeyRules { index_pages, max_length, drop_www, drop_index, drop_trailing_slash, merge_schemes };
        Ok(Self(Policy { link, kinds, kind_names, canonical, embed, followed, nofollow, treatment, keys }))
    }
}

type Metas = Vec<(String, String, String)>;
/// Words, `SimHash` and sample.
type Hashes<'py> = (usize, u64, Bound<'py, PyBytes>);
type Fields<'py> = (Option<String>, String, String, Metas, Links, String, Bound<'py, PyBytes>, Hashes<'py>, String);

#[pyfunction]
#[allow(clippy::too_many_arguments)]
fn scan<'py>(
    py: Python<'py>,
    html: &[u8],
    max_text: usize,
    max_anchor: usize,
    max_title: usize,
    max_sketched: usize,
    max_said: usize,
    max_brief: usize,
) -> PyResult<Fields<'py>> {
    let names = NAMES.get_or_try_init(py, || load_names(py))?;
    let limits = Limits {
        text: max_text,
        anchor: max_anchor,
        title: max_title,
        sketched: max_sketched,
        said: max_said,
        brief: max_brief,
    };
    let Scanned { base, lang, title, metas, links, text, sketch, said, brief } =
        py.detach(|| reader::read(html, &limits, names));
    let links = Links { found: links, next: 0 };
    let sketch = PyBytes::new(py, &sketch);
    let (lang, title) = (lang.unwrap_or_default(), title.unwrap_or_default());
    Ok((base, lang, title, metas, links, text, sketch, hashes(py, &said), brief))
}

/// What a text in UTF-8 says.
#[pyfunction]
fn said<'py>(py: Python<'py>, text: &[u8]) -> Hashes<'py> {
    hashes(py, &shingles::said(&String::from_utf8_lossy(text).to_ascii_lowercase()))
}

fn hashes<'py>(py: Python<'py>, said: &Said) -> Hashes<'py> {
    let sample: Vec<u8> = said.sample.iter().flat_map(|hash| hash.to_be_bytes()).collect();
    (said.words, said.simhash, PyBytes::new(py, &sample))
}

/// The encoding that a meta of a page declares, by a label that `meant` knows.
#[pyfunction]
fn declared<'py>(body: &[u8], meant: Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    metas::declared(body, &meant)
}

/// The named references of the Python that runs us, so that both scanners know the same ones.
fn load_names(py: Python<'_>) -> PyResult<Names> {
    let meanings = py.import("html.entities")?.getattr("html5")?.extract()?;
    Ok(Names::new(meanings))
}

#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<filter::Filter>()?;
    module.add_class::<head::HeaderLines>()?;
    module.add_class::<LinkColumns>()?;
    module.add_class::<LinkTable>()?;
    module.add_class::<Links>()?;
    module.add_class::<pattern::Pattern>()?;
    module.add_class::<recent::Recent>()?;
    module.add_class::<Rules>()?;
    module.add_class::<visits::Visits>()?;
    module.add_class::<rank::Survey>()?;
    module.add_class::<rank::Inlinks>()?;
    module.add_function(wrap_pyfunction!(best::blocks, module)?)?;
    module.add_function(wrap_pyfunction!(best::main_text, module)?)?;
    module.add_function(wrap_pyfunction!(declared, module)?)?;
    module.add_function(wrap_pyfunction!(head::head_end, module)?)?;
    module.add_function(wrap_pyfunction!(head::read_head, module)?)?;
    module.add_function(wrap_pyfunction!(judging::bands, module)?)?;
    module.add_function(wrap_pyfunction!(judging::compare, module)?)?;
    module.add_function(wrap_pyfunction!(judging::count_page, module)?)?;
    module.add_function(wrap_pyfunction!(judging::frequent, module)?)?;
    module.add_function(wrap_pyfunction!(words::has_word, module)?)?;
    module.add_function(wrap_pyfunction!(words::short_mark, module)?)?;
    module.add_function(wrap_pyfunction!(shape::order_of, module)?)?;
    module.add_function(wrap_pyfunction!(said, module)?)?;
    module.add_function(wrap_pyfunction!(shape::goes_round, module)?)?;
    module.add_function(wrap_pyfunction!(shape::shape_of, module)?)?;
    module.add_function(wrap_pyfunction!(turn::first_plan, module)?)?;
    module.add_function(wrap_pyfunction!(turn::turn, module)?)?;
    module.add_function(wrap_pyfunction!(marks::marks, module)?)?;
    module.add_function(wrap_pyfunction!(warc::frame, module)?)?;
    module.add_function(wrap_pyfunction!(warc::head_reading, module)?)?;
    module.add_function(wrap_pyfunction!(warc::sha256, module)?)?;
    module.add_function(wrap_pyfunction!(scan, module)?)
}
