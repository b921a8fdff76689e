//! The main text of a page, the best that we can find: a tree, blocks, what is measured of each, and what was learnt.

mod alike;
mod around;
mod builder;
mod common;
mod features;
mod hints;
mod learnt;
mod meta;
mod model;
mod opened;
mod place;
mod sums;
mod tags;
mod title;
mod tokens;
mod tree;
mod url;
mod words;

use crate::references::Names;
use crate::{NAMES, load_names};
use features::Page;
use pyo3::prelude::*;
use tags::Tag;
use tree::Tree;
use url::Address;

/// Headings that are compared with the title.
const MOST_HEADINGS: usize = 8;

/// Title, text, description, and the language that the page declares.
type MainText = (String, String, String, String);

/// The main text of a page in UTF-8.
#[pyfunction]
pub fn main_text(py: Python<'_>, html: &[u8], url: &str) -> PyResult<MainText> {
    let names = NAMES.get_or_try_init(py, || load_names(py))?;
    Ok(py.detach(|| read(html, url, names)))
}

fn read(html: &[u8], url: &str, names: &Names) -> MainText {
    let tree = builder::build(html, names);
    let title = title::find(&tree.meta, &headings(&tree)).replace('\n', " ");
    let text = text(&tree, url);
    let meta = tree.meta;
    let description = if meta.description.is_empty() { meta.quoted_description } else { meta.description };
    (title, text, description, meta.lang)
}

fn text(tree: &Tree, url: &str) -> String {
    let mut page = Page::new(tree, &Address::new(url));
    let mut likely = model::Likelihoods::new(&learnt::LEARNT);
    let mut words = Vec::with_capacity(tree.blocks.len());
    page.rows(|row| {
        likely.add(row);
        words.push(row.first().copied().unwrap_or(0.0));
    });
    let chosen = model::choose(&likely.done().into_iter().zip(words).collect::<Vec<_>>());
    let blocks = tree.blocks.iter().zip(chosen).filter(|(_, is_chosen)| *is_chosen);
    blocks.map(|(block, _)| tree.text_of(block)).collect::<Vec<_>>().join("\n")
}

/// The headings of the first level.
fn headings(tree: &Tree) -> Vec<&str> {
    let headings = tree.blocks.iter().filter(|block| tree.tag_of(block) == Tag::H1).take(MOST_HEADINGS);
    headings.map(|block| tree.text_of(block)).collect()
}

/// The text of a block, and what is measured of it.
type Measured = (String, Vec<f32>);

/// The blocks of a page and what is measured of each, for who learns from them.
#[pyfunction]
pub fn blocks(py: Python<'_>, html: &[u8], url: &str) -> PyResult<Vec<Measured>> {
    let names = NAMES.get_or_try_init(py, || load_names(py))?;
    Ok(py.detach(|| {
        let tree = builder::build(html, names);
        let mut rows = Vec::new();
        Page::new(&tree, &Address::new(url)).rows(|row| rows.push(row.to_vec()));
        tree.blocks.iter().zip(rows).map(|(block, row)| (tree.text_of(block).to_owned(), row)).collect()
    }))
}
