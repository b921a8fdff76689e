//! What the captures of a host say of it, as `rank/survey/content.py` has it.

pub const PAGE: u8 = 1;
const ERROR: u8 = 2;
const DUPLICATE: u8 = 4;
const SOFT_404: u8 = 8;
const THIN: u8 = 16;
const SAME: u8 = 32;

/// One capture or failure of a URL; texts by their hash, and 0 where there is none.
#[derive(Clone, Copy)]
pub struct Visit {
    pub url: u64,
    pub at: i64,
    pub digest: u64,
    pub simhash: u64,
    pub host: u32,
    pub mark: u8,
}

#[derive(Clone, Copy, Default)]
pub struct Counts {
    pub urls: u32,
    pub pages: u32,
    pub duplicates: u32,
    pub soft_404: u32,
    pub thin: u32,
    pub errors: u32,
    pub again: u32,
    pub changed: u32,
}

impl Counts {
    pub fn add(&mut self, other: &Self) {
        self.urls += other.urls;
        self.pages += other.pages;
        self.duplicates += other.duplicates;
        self.soft_404 += other.soft_404;
        self.thin += other.thin;
        self.errors += other.errors;
        self.again += other.again;
        self.changed += other.changed;
    }
}

/// What is counted of each of so many hosts, and the pages as they last were.
pub fn counts_of(mut visits: Vec<Visit>, hosts: usize) -> (Vec<Counts>, Vec<Visit>) {
    let mut counts = vec![Counts::default(); hosts];
    visits.sort_by_key(|visit| (visit.url, visit.at));
    let mut pages = Vec::new();
    for seen in visits.chunk_by(|one, next| one.url == next.url) {
        let count = seen.last().and_then(|last| counts.get_mut(last.host as usize));
        if let Some(count) = count {
            pages.extend(followed(seen, count));
        }
    }
    drop(visits);
    pages.sort_unstable_by_key(|page| (page.host, page.digest));
    for alike in pages.chunk_by(|one, next| (one.host, one.digest) == (next.host, next.digest)) {
        let marked = alike.iter().filter(|page| page.mark & DUPLICATE != 0).count();
        let equal = if alike.first().is_some_and(|page| page.digest == 0) { 0 } else { alike.len() - 1 };
        if let Some(count) = alike.first().and_then(|page| counts.get_mut(page.host as usize)) {
            count.duplicates += marked.max(equal) as u32;
        }
    }
    (counts, pages)
}

/// Counts the visits to one URL, in order of time: the page that it is now, if it is one.
fn followed(seen: &[Visit], count: &mut Counts) -> Option<Visit> {
    let mut page: Option<Visit> = None;
    let mut outcome = 0;
    for visit in seen {
        if let Some(page) = page.filter(|_| visit.mark & (PAGE | SAME) != 0) {
            count.again += 1;
            count.changed += u32::from(visit.mark & SAME == 0 && differ(&page, visit));
        }
        if visit.mark & (PAGE | ERROR) != 0 {
            outcome = visit.mark;
        }
        if visit.mark & PAGE != 0 {
            page = Some(*visit);
        }
    }
    count.urls += u32::from(outcome != 0);
    count.errors += u32::from(outcome & ERROR != 0);
    let page = page.filter(|_| outcome & PAGE != 0)?;
    count.pages += 1;
    count.soft_404 += u32::from(page.mark & SOFT_404 != 0);
    count.thin += u32::from(page.mark & THIN != 0);
    Some(Visit { host: seen.last()?.host, ..page })
}

fn differ(one: &Visit, other: &Visit) -> bool {
    if one.simhash != 0 && other.simhash != 0 { one.simhash != other.simhash } else { one.digest != other.digest }
}
