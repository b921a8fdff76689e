//! The links of a page, each once, and where they lead: what `links.py` finds.

use crate::Rules;
use crate::found::Link;
use crate::hashing::Quick;
use crate::hrefs::{self, Folders, Resolved};
use crate::reader::USUAL;
use crate::recent::Recent;
use crate::table::{LinkTable, Row};
use crate::targets::{KeyRules, host, target};
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyBytes, PyDict, PyString, PyTuple};
use std::borrow::Cow;
use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::hash::BuildHasher;
use xxhash_rust::xxh3::{xxh3_128, xxh3_128_with_seed};

const LONGEST: usize = 65536;
/// Bytes of all URLs together, as in `links.py`.
const MOST: usize = 8 << 20;
/// So many are looked through for each link.
const FEW: usize = 32;
/// Other hosts told of a page, as in `links.py`.
const MOST_ABROAD: usize = 64;

/// What does not change from page to page.
pub struct Policy {
    pub link: Py<PyAny>,
    pub kinds: Vec<Py<PyAny>>,
    pub kind_names: Vec<String>,
    pub canonical: usize,
    pub embed: usize,
    pub followed: Vec<bool>,
    /// The reason of a link that asks not to be followed.
    pub nofollow: Py<PyAny>,
    pub treatment: Py<PyAny>,
    pub keys: KeyRules,
}

/// What the page and the reference know better.
pub struct Asked<'a, 'py> {
    pub folders: Folders<'a>,
    /// The host of the page.
    pub home: &'a str,
    pub resolve: Bound<'py, PyAny>,
    pub refreshed: Bound<'py, PyAny>,
    pub target: Option<Bound<'py, PyAny>>,
    pub is_known: Memory<'py>,
}

/// What tells whether a URL was seen before: the kernel's own, or whatever else Python has.
pub enum Memory<'py> {
    Own(Bound<'py, Recent>),
    Other(Bound<'py, PyAny>),
}

impl<'py> Memory<'py> {
    pub fn of(is_known: Bound<'py, PyAny>) -> Self {
        is_known.cast_into().map_or_else(|other| Self::Other(other.into_inner()), Self::Own)
    }

    fn has(&self, mark: &[u8]) -> PyResult<bool> {
        match self {
            Self::Own(recent) => Ok(recent.try_borrow_mut()?.has(mark)),
            Self::Other(asked) => asked.call1((PyBytes::new(asked.py(), mark),))?.is_truthy(),
        }
    }
}

pub type Outlinks<'py> =
    (LinkTable, Bound<'py, PyTuple>, usize, bool, Option<String>, Bound<'py, PyDict>, Bound<'py, PyDict>);

/// Where the links of a page lead: the targets that are new, how many are known, and why others are not followed, by
/// their places on the page.
struct Leads<'a, 'py> {
    targets: Vec<Bound<'py, PyTuple>>,
    known: usize,
    refused: Bound<'py, PyDict>,
    abroad: Abroad<'a>,
}

/// The other hosts that a page leads to, with the place of the first link to each.
struct Abroad<'a> {
    hosts: Vec<(Cow<'a, str>, usize)>,
    known: HashSet<u128, Quick>,
}

impl Default for Abroad<'_> {
    fn default() -> Self {
        let known = HashSet::with_capacity_and_hasher(MOST_ABROAD, Quick::default());
        Self { hosts: Vec::with_capacity(MOST_ABROAD), known }
    }
}

impl<'a> Abroad<'a> {
    fn add(&mut self, host: Cow<'a, str>, place: usize, home: &str) {
        if host != home && self.hosts.len() < MOST_ABROAD && self.known.insert(xxh3_128(host.as_bytes())) {
            self.hosts.push((host, place));
        }
    }
}

/// What the links of a page are to it, by tag and rel, of which a page has few.
struct Treatments(Vec<(&'static str, String, Treatment)>);

/// The kind, if it is anything to us, and whether it asks not to be followed.
type Treatment = (Option<usize>, bool);

impl Treatments {
    fn of(&mut self, py: Python<'_>, link: &Link<'_>, policy: &Policy) -> PyResult<Treatment> {
        if let Some((.., known)) = self.0.iter().find(|(tag, rel, _)| *tag == link.tag && *rel == link.rel) {
            return Ok(*known);
        }
        let treatment = policy.treatment.call1(py, (link.tag, link.rel))?.extract(py)?;
        if self.0.len() < FEW {
            self.0.push((link.tag, link.rel.to_owned(), treatment));
        }
        Ok(treatment)
    }
}

pub fn read<'a, 'py>(
    rules: &Bound<'py, Rules>,
    links: impl Iterator<Item = Link<'a>>,
    max_links: usize,
    asked: &Asked<'_, 'py>,
) -> PyResult<Outlinks<'py>> {
    let (py, policy) = (rules.py(), &rules.get().0);
    let mut kept = Kept::new(max_links);
    let mut treatments = Treatments(Vec::new());
    for link in links {
        match treatments.of(py, &link, policy)? {
            (Some(kind), nofollow) if !kept.is_full(kind == policy.embed) => {
                kept.add(&link, kind, nofollow, policy, asked)?;
            }
            _ if kept.full == [true, true] => break,
            _ => {}
        }
    }
    let cut = kept.is_full(false);
    let table = LinkTable::new(rules.clone().unbind(), kept.text, kept.rows);
    let Leads { targets, known, refused, abroad } = lead(py, &table, policy, asked)?;
    let canonical = table.rows().iter().find(|row| row.kind == policy.canonical).map(|row| table.url(row).to_owned());
    let abroad = abroad.hosts.into_py_dict(py)?;
    Ok((table, PyTuple::new(py, targets)?, known, cut, canonical, refused, abroad))
}

/// The links kept so far.
struct Kept {
    text: String,
    rows: Vec<Row>,
    /// The row of each kind and URL, by a hash that no page can foresee.
    known: HashMap<u128, usize, Quick>,
    seed: u64,
    /// Of links and of embeds, and bytes of URLs.
    room: [usize; 2],
    bytes: usize,
    full: [bool; 2],
}

impl Kept {
    fn new(max_links: usize) -> Self {
        let known = HashMap::<_, _, Quick>::with_capacity_and_hasher(USUAL, Quick::default());
        let seed = known.hasher().hash_one(0_u64);
        let (text, rows) = (String::with_capacity(USUAL * 128), Vec::with_capacity(USUAL));
        Self { text, rows, known, seed, room: [max_links; 2], bytes: MOST, full: [false; 2] }
    }

    fn is_full(&self, is_embed: bool) -> bool {
        self.full.get(usize::from(is_embed)) == Some(&true)
    }

    fn add(
        &mut self,
        link: &Link<'_>,
        kind: usize,
        nofollow: bool,
        policy: &Policy,
        asked: &Asked<'_, '_>,
    ) -> PyResult<()> {
        let start = self.text.len();
        let is_plain = match resolve(link, asked, &mut self.text)? {
            Resolved::No => return Ok(()),
            resolved => resolved == Resolved::Plainly,
        };
        let url = self.text.get(start..).unwrap_or_default().as_bytes();
        let class = usize::from(kind == policy.embed);
        let has_room = self.room.get(class).is_some_and(|left| *left > 0) && url.len() <= self.bytes;
        match self.known.entry(xxh3_128_with_seed(url, self.seed ^ kind as u64)) {
            Entry::Occupied(row) => {
                if let Some(row) = self.rows.get_mut(*row.get()) {
                    row.nofollow &= nofollow;
                }
                self.text.truncate(start);
            }
            Entry::Vacant(row) if has_room => {
                row.insert(self.rows.len());
                let middle = self.text.len();
                self.bytes -= middle - start;
                self.text.push_str(link.anchor);
                self.rows.push(Row { tag: link.tag, kind, nofollow, is_plain, start, middle, end: self.text.len() });
                if let Some(left) = self.room.get_mut(class) {
                    *left -= 1;
                }
            }
            Entry::Vacant(_) => {
                self.text.truncate(start);
                if let Some(is_full) = self.full.get_mut(class) {
                    *is_full = true;
                }
            }
        }
        Ok(())
    }
}

/// Appends the URL of a link to `text`, if it has one.
fn resolve(link: &Link<'_>, asked: &Asked<'_, '_>, text: &mut String) -> PyResult<Resolved> {
    if link.tag != "meta" && link.href.len() <= LONGEST {
        let resolved = hrefs::resolve(link.href, &asked.folders, text);
        if resolved != Resolved::No {
            return Ok(resolved);
        }
    }
    let way = if link.tag == "meta" { &asked.refreshed } else { &asked.resolve };
    let url: Option<String> = way.call1((link.href,))?.extract()?;
    text.push_str(url.as_deref().unwrap_or_default());
    Ok(if url.is_some() { Resolved::Yes } else { Resolved::No })
}

/// Where the links of those kinds lead that may be followed.
fn lead<'a, 'py>(
    py: Python<'py>,
    table: &'a LinkTable,
    policy: &Policy,
    asked: &Asked<'_, 'py>,
) -> PyResult<Leads<'a, 'py>> {
    let mut leads = Leads { targets: Vec::new(), known: 0, refused: PyDict::new(py), abroad: Abroad::default() };
    let Some(slow) = &asked.target else { return Ok(leads) };
    let mut key = String::new();
    let mut last: Option<Bound<'py, PyString>> = None;
    for (place, row) in table.rows().iter().enumerate() {
        if policy.followed.get(row.kind) != Some(&true) {
            continue;
        }
        if row.nofollow {
            leads.refused.set_item(place, &policy.nofollow)?;
            continue;
        }
        let url = table.url(row);
        let Some((authority, mark)) = target(url, row.is_plain, &policy.keys, &mut key) else {
            leads.add_answer(place, slow.call1((url,))?, asked)?;
            continue;
        };
        let host = host(authority);
        leads.abroad.add(host.clone(), place, asked.home);
        if asked.is_known.has(&mark)? {
            leads.known += 1;
            continue;
        }
        // The links of a page mostly lead to one host: one object for all of them is hashed once.
        let host = match last.take() {
            Some(before) if before == *host => before,
            _ => PyString::new(py, &host),
        };
        leads.targets.push((url, &host, PyBytes::new(py, &mark), place).into_pyobject(py)?);
        last = Some(host);
    }
    Ok(leads)
}

impl<'py> Leads<'_, 'py> {
    /// Adds what `links.py` said of a link: where it leads, or why nowhere.
    fn add_answer(&mut self, place: usize, answer: Bound<'py, PyAny>, asked: &Asked<'_, 'py>) -> PyResult<()> {
        let Ok(led) = answer.cast::<PyTuple>() else { return self.refused.set_item(place, answer) };
        let (href, host, mark) = (led.get_item(0)?, led.get_item(1)?, led.get_item(2)?);
        self.abroad.add(Cow::Owned(host.extract()?), place, asked.home);
        if asked.is_known.has(mark.extract()?)? {
            self.known += 1;
        } else {
            self.targets.push((href, host, mark, place).into_pyobject(answer.py())?);
        }
        Ok(())
    }
}
