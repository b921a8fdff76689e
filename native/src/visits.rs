//! What a page tells about its corners, while there is nothing to say against them: `judge/counting.py` and
//! `judge/traps.py`, where it is said why. Where a corner comes near to one of the ways that end it, or to a sounding,
//! nothing is returned, and Python decides.

use crate::choices;
use crate::corners::{Corners, DEEP, HOST, SHAPE, SIZES, WIDE, Ways};
use crate::judging::{hashes, news_in};
use crate::shape::order;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};
use xxhash_rust::xxh3::xxh3_64;

/// The numbers of the Python modules.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct Policy {
    stale: f64,
    weak: f64,
    new: f64,
    usual: f64,
    copied: f64,
    credit: i64,
    much: usize,
    many: i64,
    kept: usize,
    orders: usize,
    choices: u32,
    parameters: u32,
    longest: usize,
    led: i64,
    patience: [i64; SIZES],
    corners: [usize; SIZES],
    flood: i64,
    day: f64,
}

/// Where the fields of a corner are.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct Places {
    seen: usize,
    pages: usize,
    stale: usize,
    weak: usize,
    led: usize,
    calm: usize,
    usual: usize,
    doors: usize,
    alone: usize,
    parameters: usize,
    dull: usize,
    orders: usize,
    turned: usize,
    choices: usize,
    joined: usize,
    found: usize,
    most: usize,
    grown: usize,
    tried: usize,
    copied: usize,
    dated: usize,
    circling: usize,
}

/// The fields of a corner, in order.
struct Fields<'py>(Vec<Bound<'py, PyAny>>);

impl<'py> Fields<'py> {
    fn get<T: for<'a> FromPyObject<'a, 'py, Error: Into<PyErr>>>(&self, place: usize) -> PyResult<T> {
        let field = self.0.get(place).ok_or_else(|| pyo3::exceptions::PyIndexError::new_err("no such field"))?;
        field.extract().map_err(Into::into)
    }

    fn bytes(&self, place: usize) -> &[u8] {
        self.0.get(place).and_then(|field| field.cast::<PyBytes>().ok()).map_or(&[], |field| field.as_bytes())
    }

    fn set(&mut self, place: usize, field: Bound<'py, PyAny>) {
        if let Some(old) = self.0.get_mut(place) {
            *old = field;
        }
    }

    fn set_bytes(&mut self, py: Python<'py>, place: usize, raw: Option<Vec<u8>>) {
        if let Some(raw) = raw {
            self.set(place, PyBytes::new(py, &raw).into_any());
        }
    }

    fn count(&mut self, py: Python<'py>, place: usize, before: i64, after: i64) -> PyResult<()> {
        if after != before {
            self.set(place, after.into_pyobject(py)?.into_any());
        }
        Ok(())
    }
}

/// How much a page says that is new: the share, and how much speaks for it.
#[derive(Default)]
struct News {
    share: Option<f64>,
    compared: i64,
    is_copied: bool,
}

/// A page that was fetched, as far as it tells about its corners.
struct Visit<'a> {
    corners: Corners,
    above: Corners,
    href: &'a str,
    order: Option<[u8; 8]>,
    ways: Ways<'a>,
    news: News,
    links: i64,
    limit: i64,
    haste: i64,
    is_twin: bool,
    is_combined: bool,
    is_fresh: bool,
    is_dated: bool,
}

/// Counts the pages of corners.
#[pyclass(frozen)]
pub struct Visits {
    policy: Policy,
    places: Places,
    corner: Py<PyAny>,
    traps: Py<PyAny>,
    fields_of: Py<PyAny>,
}

#[pymethods]
impl Visits {
    #[new]
    fn new(policy: Policy, places: Places, corner: Py<PyAny>, traps: Py<PyAny>, fields_of: Py<PyAny>) -> Self {
        Self { policy, places, corner, traps, fields_of }
    }

    /// What is remembered of a host after a page; None: there may be more to it than that.
    ///
    /// `hashes` stand for what the page says, None if it is none; `inside` are its new links to the same host.
    #[allow(clippy::too_many_arguments)]
    fn after_page<'py>(
        &self,
        py: Python<'py>,
        traps: &Bound<'py, PyAny>,
        href: &str,
        parent: Option<&str>,
        said: Option<&[u8]>,
        inside: Vec<Bound<'py, PyAny>>,
        elsewhere: i64,
        links: i64,
        is_twin: bool,
        common: &Bound<'py, PyAny>,
        now: f64,
        limit: i64,
        haste: i64,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let new = inside.iter().map(|one| one.extract::<&str>()).collect::<Result<Vec<_>, _>>()?;
        if !(href.is_ascii() && parent.is_none_or(str::is_ascii) && new.iter().all(|one| one.is_ascii())) {
            return Ok(None);
        }
        let traps: Remembered<'py> = self.fields_of.bind(py).call1((traps,))?.extract()?;
        let (known, closed, sounding, sounded, pages, heard, last_day, fresh) = traps;
        let longest = self.policy.longest;
        let corners = Corners::of(href, longest);
        if !closed.is_empty() || corners.is_odd() {
            return Ok(None);
        }
        let Some((others, mut mine)) = self.taken(py, &known, &corners)? else { return Ok(None) };
        let above = parent.filter(|parent| host_of(parent) == host_of(href));
        let ways = Ways::of(&corners, &new, elsewhere, longest);
        let mut visit = Visit {
            above: above.map_or(Corners::nowhere(), |parent| Corners::of(parent, longest)),
            news: self.compared(py, &mut mine, said, common)?,
            is_combined: false,
            is_fresh: false,
            is_dated: has_date(href),
            corners,
            href,
            order: order(href),
            ways,
            links,
            limit,
            haste,
            is_twin,
        };
        for (size, fields) in &mut mine {
            if *size == WIDE && href.contains('?') {
                let (is_combined, more) =
                    choices::combined(href, fields.bytes(self.places.parameters), self.policy.parameters);
                visit.is_combined = is_combined;
                fields.set_bytes(py, self.places.parameters, more);
            }
            if *size == HOST {
                visit.is_fresh = fields.get::<i64>(self.places.weak)? < limit;
            }
        }
        let mut found = 0;
        for (size, fields) in &mut mine {
            if *size == DEEP || *size == WIDE {
                self.choose(py, *size, fields, &visit)?;
            }
            let Some(more) = self.counted(py, *size, fields, &visit)? else { return Ok(None) };
            found = more; // those of the host come last
        }
        let day = (now / self.policy.day).floor() as i64;
        let fresh = if day == last_day { fresh + found } else { found };
        if fresh >= self.policy.flood {
            return Ok(None);
        }
        let mut kept = self.kept(others, &mine)?;
        for (_, fields) in mine {
            kept.push(self.corner.bind(py).call1(PyTuple::new(py, fields.0)?)?);
        }
        let after = (PyTuple::new(py, kept)?, closed, sounding, sounded, pages + 1, heard, day, fresh);
        self.traps.bind(py).call1(after).map(Some)
    }
}

type Any<'py> = Bound<'py, PyAny>;
/// The fields of what is remembered of a host, in order.
type Remembered<'py> = (Bound<'py, PyTuple>, Bound<'py, PyTuple>, Any<'py>, i64, i64, Any<'py>, i64, i64);
/// A corner that the page is not in, with its size.
type Other<'py> = (usize, Bound<'py, PyAny>);
/// One that it is in: its size, and its fields.
type Mine<'py> = (usize, Fields<'py>);

impl Visits {
    /// The corners that a page is in, the smallest first, and the others; None if names do not tell them apart.
    fn taken<'py>(
        &self,
        py: Python<'py>,
        known: &Bound<'py, PyTuple>,
        corners: &Corners,
    ) -> PyResult<Option<(Vec<Other<'py>>, Vec<Mine<'py>>)>> {
        let mut found: [Option<Bound<'py, PyAny>>; SIZES] = Default::default();
        let (mut others, mut marks) = (Vec::with_capacity(known.len()), Vec::with_capacity(known.len()));
        for corner in known.iter() {
            let size: usize = corner.getattr(pyo3::intern!(py, "size"))?.extract()?;
            let name = corner.getattr(pyo3::intern!(py, "name"))?;
            let name: &str = name.extract()?;
            // A star in a URL makes names that are those of two corners, and then the last one has them.
            let is_others = (SHAPE..SIZES).any(|other| other != size && corners.name(other) == name);
            let mark = xxh3_64(name.as_bytes());
            if is_others || marks.contains(&mark) {
                return Ok(None);
            }
            marks.push(mark);
            match found.get_mut(size) {
                Some(place) if corners.name(size) == name => *place = Some(corner),
                _ => others.push((size, corner)),
            }
        }
        let mut mine = Vec::with_capacity(SIZES);
        for (size, corner) in found.into_iter().enumerate().filter(|(size, _)| !corners.name(*size).is_empty()) {
            let corner = match corner {
                Some(corner) => corner,
                None => self.corner.bind(py).call1((corners.name(size), size))?,
            };
            let fields = self.fields_of.bind(py).call1((corner,))?.cast_into::<PyTuple>()?;
            mine.push((size, Fields(fields.iter().collect())));
        }
        Ok(Some((others, mine)))
    }

    /// Has the corners see what the page says; returns what of it is new, to the one that knows least of it.
    fn compared<'py>(
        &self,
        py: Python<'py>,
        mine: &mut [Mine<'py>],
        said: Option<&[u8]>,
        common: &Bound<'py, PyAny>,
    ) -> PyResult<News> {
        let Some(page) = said else {
            return Ok(News { share: Some(0.0), compared: self.policy.credit, is_copied: false });
        };
        let mut found = News::default();
        for (_, fields) in mine.iter_mut().filter(|(size, _)| !page.is_empty() && (*size == SHAPE || *size == WIDE)) {
            let (new, compared, after) = news_in(page, fields.bytes(self.places.seen), self.policy.kept);
            let share = (compared > 0).then(|| new as f64 / compared as f64);
            let is_less = share.is_some_and(|share| found.share.is_none_or(|least| share < least));
            if compared >= (page.len() / 4).min(2) && is_less {
                (found.share, found.compared) = (share, compared as i64);
            }
            let is_known = compared > 0 && new as f64 <= self.policy.copied * compared as f64;
            if is_known && !found.is_copied {
                found.is_copied = self.is_copied(page, fields.bytes(self.places.seen), &common.extract::<Vec<u32>>()?);
            }
            fields.set_bytes(py, self.places.seen, after);
        }
        Ok(found)
    }

    fn is_copied(&self, page: &[u8], seen: &[u8], common: &[u32]) -> bool {
        let own: Vec<u32> = hashes(page).filter(|hash| !common.contains(hash)).collect();
        let raw: Vec<u8> = own.iter().flat_map(|hash| hash.to_be_bytes()).collect();
        let (new, compared, _) = news_in(&raw, seen, self.policy.kept);
        let most = if own.len() >= self.policy.much { self.policy.copied * compared as f64 } else { 0.0 };
        compared > 0 && new as f64 <= most
    }

    /// Takes another look at what is chosen by the URLs of a corner: by this one, and by one that it leads to.
    fn choose<'py>(&self, py: Python<'py>, size: usize, fields: &mut Fields<'py>, visit: &Visit<'_>) -> PyResult<()> {
        let (places, most) = (&self.places, self.policy.choices);
        let (is_turned, orders) = choices::turned(visit.order, fields.bytes(places.orders), self.policy.orders);
        fields.set_bytes(py, places.orders, orders);
        let folders = if size == DEEP { 2 } else { 1 };
        let (_, more) = choices::joined(visit.href, folders, fields.bytes(places.choices), most);
        fields.set_bytes(py, places.choices, more);
        let ahead = visit.ways.ahead.as_ref().filter(|(_, corners)| corners.name(size) == visit.corners.name(size));
        if let Some((href, _)) = ahead {
            let (is_joined, more) = choices::joined(href, folders, fields.bytes(places.choices), most);
            fields.set_bytes(py, places.choices, more);
            self.add(py, fields, places.joined, is_joined == Some(true))?;
            self.add(py, fields, places.tried, is_joined.is_some())?;
        }
        self.add(py, fields, places.turned, is_turned)
    }

    fn add<'py>(&self, py: Python<'py>, fields: &mut Fields<'py>, place: usize, is_so: bool) -> PyResult<()> {
        if !is_so {
            return Ok(());
        }
        let before = fields.get(place)?;
        fields.count(py, place, before, before + 1)
    }

    /// Counts a page in one of its corners; returns how many URLs of that it led to, None if Python is to decide.
    fn counted<'py>(
        &self,
        py: Python<'py>,
        size: usize,
        fields: &mut Fields<'py>,
        visit: &Visit<'_>,
    ) -> PyResult<Option<i64>> {
        let (at, policy, news) = (&self.places, &self.policy, &visit.news);
        let inside = visit.ways.inside(size);
        let is_list = visit.is_combined && size < HOST;
        let is_stale = news.share.is_some_and(|share| share <= policy.stale);
        let before: Counts = Counts::read(fields, at)?;
        let mut after = before;
        after.pages += 1;
        after.led = if inside > 0 { before.led + 1 } else { (before.led - if is_stale { 1 } else { 3 }).max(0) };
        after.alone = if inside > 0 && visit.ways.all == inside { before.alone + 1 } else { 0 };
        after.dull += i64::from(is_stale || (news.share.is_none() && visit.is_twin));
        after.copied = stepped(before.copied, news.is_copied);
        match news.share {
            Some(share) if share > if is_list { policy.new } else { policy.weak } => {
                let is_rich = share > policy.new && !is_list;
                let credit = if is_rich { policy.credit.min(2 * news.compared) } else { 1 };
                after.stale = (before.stale - credit).max(0);
                after.weak = (before.weak - credit).max(0);
                after.dull = (after.dull - credit).max(0);
            }
            _ if inside == 0 && !is_list => {
                after.stale = (before.stale - i64::from(!is_stale)).max(0);
                after.weak = (before.weak - i64::from(!is_stale)).max(0);
            }
            Some(_) if !(visit.is_fresh && visit.ways.all > inside) => {
                after.stale += i64::from(is_stale);
                after.weak += 1;
            }
            _ => {}
        }
        let new = if inside > 0 { inside * visit.links / visit.ways.all } else { 0 };
        after.found += new;
        after.most = before.most.max(new);
        after.grown = stepped(before.grown, inside >= policy.many);
        after.dated += i64::from(visit.is_dated);
        after.doors += i64::from(visit.above.name(size) != visit.corners.name(size));
        after.circling = if news.is_copied {
            before.circling + i64::from(visit.leads_to_its_like())
        } else {
            (before.circling - 1).max(0)
        };
        if !self.is_calm(size, &after, visit, fields.get(at.calm)?) {
            return Ok(None);
        }
        if let Some(share) = news.share {
            let usual: f64 = fields.get(at.usual)?;
            fields.set(at.usual, (usual + policy.usual * (share - usual)).into_pyobject(py)?.into_any());
        }
        after.write(py, &before, fields, at)?;
        Ok(Some(new))
    }

    /// Whether a corner is far from all that ends it, and need not be sounded.
    fn is_calm(&self, size: usize, corner: &Counts, visit: &Visit<'_>, calm: i64) -> bool {
        let least = visit.limit.min(self.policy.led);
        let most = [corner.led, corner.weak, corner.dull, corner.grown, corner.alone].into_iter().max();
        if most.is_some_and(|most| most >= least) {
            return false;
        }
        if corner.pages < calm {
            return true;
        }
        let patience = self.policy.patience.get(size).copied().unwrap_or(1);
        let led = if 2 * corner.dated >= corner.pages { self.policy.led / 2 } else { self.policy.led } / visit.haste;
        let is_growing = size < HOST && corner.pages >= 2 * led && corner.found >= corner.pages + led;
        let limit = visit.limit * patience / 2; // with the least patience that we ever have
        corner.led < led * patience && corner.weak.max(corner.dull) < limit && !is_growing
    }

    /// The other corners that are remembered: of each size those that look worst or grow most, then the last visited.
    fn kept<'py>(&self, mut others: Vec<Other<'py>>, mine: &[Mine<'py>]) -> PyResult<Vec<Bound<'py, PyAny>>> {
        for (size, _) in mine {
            let count = others.iter().filter(|(other, _)| other == size).count();
            if self.policy.corners.get(*size).is_none_or(|most| count < *most) {
                continue;
            }
            let mut least: Option<((i64, i64, i64), usize)> = None;
            for (place, (_, corner)) in others.iter().enumerate().filter(|(_, (other, _))| other == size) {
                let rank = rank_of(corner)?;
                if least.is_none_or(|(best, _)| rank < best) {
                    least = Some((rank, place));
                }
            }
            if let Some((_, place)) = least {
                others.remove(place);
            }
        }
        Ok(others.into_iter().map(|(_, corner)| corner).collect())
    }
}

fn rank_of(corner: &Bound<'_, PyAny>) -> PyResult<(i64, i64, i64)> {
    let py = corner.py();
    let weak: i64 = corner.getattr(pyo3::intern!(py, "weak"))?.extract()?;
    let grown: i64 = corner.getattr(pyo3::intern!(py, "grown"))?.extract()?;
    let led: i64 = corner.getattr(pyo3::intern!(py, "led"))?.extract()?;
    let pages: i64 = corner.getattr(pyo3::intern!(py, "pages"))?.extract()?;
    Ok((weak.max(grown), led, pages))
}

impl Visit<'_> {
    /// Whether a page leads to one of its own form: that of a list is a piece longer, or another one.
    fn leads_to_its_like(&self) -> bool {
        self.ways.ahead.as_ref().is_some_and(|(href, corners)| {
            let is_level = href.matches('/').count() == self.href.matches('/').count();
            is_level && corners.name(SHAPE) == self.corners.name(SHAPE)
        })
    }
}

/// One more, or one less if there is any.
fn stepped(count: i64, is_more: bool) -> i64 {
    if is_more { count + 1 } else { (count - 1).max(0) }
}

fn host_of(href: &str) -> Option<&str> {
    href.splitn(4, '/').nth(2)
}

/// Whether a year is written in a URL, or a date that begins with one.
fn has_date(href: &str) -> bool {
    let tail = href.splitn(4, '/').nth(3).unwrap_or_default();
    tail.split(|letter: char| !letter.is_ascii_alphanumeric()).any(|word| {
        let is_date = matches!(word.len(), 4 | 6 | 8) && word.bytes().all(|byte| byte.is_ascii_digit());
        is_date && (word.starts_with('2') || word.starts_with("19"))
    })
}

macro_rules! counts {
    ($($name:ident),*) => {
        /// The counts of a corner that a page may change.
        #[derive(Clone, Copy)]
        struct Counts { $($name: i64),* }

        impl Counts {
            fn read(fields: &Fields<'_>, at: &Places) -> PyResult<Self> {
                Ok(Self { $($name: fields.get(at.$name)?),* })
            }

            fn write<'py>(&self, py: Python<'py>, before: &Self, fields: &mut Fields<'py>, at: &Places) -> PyResult<()> {
                $(fields.count(py, at.$name, before.$name, self.$name)?;)*
                Ok(())
            }
        }
    };
}

counts!(pages, stale, weak, led, doors, alone, dull, found, most, grown, copied, dated, circling);
