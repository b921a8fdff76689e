//! All that the tables say, gathered and brought together, as `rank/survey.py` has it.

use super::centrality::{harmonic, pagerank};
use super::csr::Csr;
use super::hosts::{Names, authority_of, host_of_authority};
use super::mirrors::{NOBODY, is_most, mirrors};
use super::pairs::{Pairs, pair, source, target, tidy, vouches};
use super::suffixes::Suffixes;
use super::support::{Support, host_support, support};
use super::texts::{Texts, longs, places};
use super::visits::{Counts, Visit, counts_of};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use xxhash_rust::xxh3::xxh3_64;

const NONE: u8 = 0;
const VOUCHES: u8 = 2;

#[pyclass]
pub struct Survey {
    suffixes: Suffixes,
    hosts: Names,
    pairs: Pairs,
    visits: Vec<Visit>,
}

/// The signals of all hosts or of all domains: names, and columns by name.
#[derive(Default)]
struct Columns {
    names: Names,
    counts: Vec<(&'static str, Vec<u32>)>,
    shares: Vec<(&'static str, Vec<f64>)>,
}

#[pymethods]
impl Survey {
    #[new]
    fn new(rules: Vec<String>) -> Self {
        let suffixes = Suffixes::new(&rules);
        Self { suffixes, hosts: Names::default(), pairs: Pairs::default(), visits: Vec::new() }
    }

    /// Takes links: the texts of the sources, the place of each link's source among them, the targets and the marks.
    #[allow(clippy::too_many_arguments)]
    fn links(
        &mut self,
        py: Python<'_>,
        source_ends: &[u8],
        source_text: &[u8],
        source_places: &[u8],
        target_ends: &[u8],
        target_text: &[u8],
        marks: &[u8],
    ) {
        let (sources, targets) = (Texts::new(source_ends, source_text), Texts::new(target_ends, target_text));
        py.detach(|| self.take_links(sources, source_places, targets, marks));
    }

    /// Takes captures and failures: texts of hosts, URLs and digests, then SimHashes and times of eight bytes, and marks.
    #[allow(clippy::too_many_arguments)]
    fn captures(
        &mut self,
        py: Python<'_>,
        hosts: (&[u8], &[u8]),
        urls: (&[u8], &[u8]),
        digests: (&[u8], &[u8]),
        simhashes: &[u8],
        times: &[u8],
        marks: &[u8],
    ) {
        let [hosts, urls, digests] = [hosts, urls, digests].map(|(ends, text)| Texts::new(ends, text));
        py.detach(|| {
            let texts = hosts.iter().zip(urls.iter()).zip(digests.iter());
            let numbers = longs(simhashes).zip(longs(times)).zip(marks);
            for (((host, url), digest), ((simhash, at), mark)) in texts.zip(numbers) {
                if !host.is_empty() {
                    let (host, url) = (self.hosts.number_of(host), xxh3_64(url));
                    let digest = if digest.is_empty() { 0 } else { xxh3_64(digest).max(1) };
                    self.visits.push(Visit { url, at: at as i64, digest, simhash, host, mark: *mark });
                }
            }
        });
    }

    /// The signals of hosts, and of domains: names (where each ends, the text), and columns by name. Once, and last.
    fn settle<'py>(&mut self, py: Python<'py>, seeds: Vec<String>) -> PyResult<[Told<'py>; 2]> {
        let (hosts, domains) = py.detach(|| self.bring_together(&seeds));
        Ok([hosts.told(py)?, domains.told(py)?])
    }
}

type Told<'py> = (Bound<'py, PyBytes>, Bound<'py, PyBytes>, Bound<'py, PyDict>);

impl Columns {
    fn told<'py>(&self, py: Python<'py>) -> PyResult<Told<'py>> {
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

    fn with_support(&mut self, found: &[Support]) {
        let mut add = |name, of: fn(&Support) -> u32| self.counts.push((name, found.iter().map(of).collect()));
        add("vouchers", |one| one.vouchers);
        add("hangers_on", |one| one.hangers_on);
        add("ring", |one| one.ring);
        add("supporters", |one| one.supporters);
    }

    fn with_counts(&mut self, found: &[Counts]) {
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

impl Survey {
    fn take_links(&mut self, sources: Texts<'_>, source_places: &[u8], targets: Texts<'_>, marks: &[u8]) {
        let known: Vec<_> = sources
            .iter()
            .map(|source| {
                let authority = authority_of(source);
                let host = host_of_authority(authority);
                (authority, if host.is_empty() { None } else { Some(self.hosts.number_of(&host)) })
            })
            .collect();
        for ((place, target), mark) in places(source_places).zip(targets.iter()).zip(marks) {
            let Some((home, Some(source))) = known.get(place) else { continue };
            let authority = authority_of(target);
            if *mark == NONE || authority == *home {
                continue;
            }
            let host = host_of_authority(authority);
            // Nothing is known of a host that is only its own other spelling.
            if host.is_empty() || host == host_of_authority(home) {
                continue;
            }
            let target = self.hosts.number_of(&host);
            self.pairs.push(pair(target, *source, *mark != VOUCHES));
        }
    }

    fn bring_together(&mut self, seeds: &[String]) -> (Columns, Columns) {
        let seeds: Vec<u32> = seeds.iter().map(|host| self.hosts.number_of(host.as_bytes())).collect();
        let hosts = std::mem::take(&mut self.hosts);
        let (domains, domain_of) = self.domains(&hosts);
        let mut seeded = vec![false; domains.len()];
        for host in seeds {
            let seed = domain_of.get(host as usize).and_then(|domain| seeded.get_mut(*domain as usize));
            seed.into_iter().for_each(|seed| *seed = true);
        }

        let pairs = self.pairs.take();
        let host_harmonic = harmonic(&Csr::new(&pairs, hosts.len()));
        let by_host = foreign(&pairs, &domain_of, |host| host);
        let by_domain = foreign(&pairs, &domain_of, |host| domain_of.get(host as usize).copied().unwrap_or(0));
        drop(pairs);
        let (host_nofollow, domain_nofollow) =
            (not_vouched(&by_host, hosts.len()), not_vouched(&by_domain, domains.len()));
        let graph = Csr::new(&by_domain, domains.len());
        drop(by_domain);
        let sites = Csr::new(&by_host, hosts.len());
        drop(by_host);

        let own = |host: usize| domain_of.get(host).copied().unwrap_or(0);
        let domain_support = support(&graph, &seeded);
        let host_support = host_support(&sites, &domain_of, &domain_support, &graph, &seeded);
        let host_degrees = sites.in_degrees();
        drop(sites);
        let (counts, pages) = counts_of(std::mem::take(&mut self.visits), hosts.len());
        let standing = standing(&host_support, &host_degrees, &counts, |host| {
            seeded.get(own(host) as usize).copied().unwrap_or(false)
        });
        let copies = mirrors(&pages, &standing);
        drop((pages, standing));
        let totals = totals(&counts, &domain_of, domains.len());

        let mut told_domains = Columns {
            counts: vec![
                ("domain", (0..domains.len() as u32).collect()),
                ("in_degree", graph.in_degrees()),
                ("nofollow", domain_nofollow),
                ("mirror_of", domain_mirrors(&copies, &counts, &totals, &domain_of)),
            ],
            shares: ranks(&graph, &seeded),
            names: domains,
        };
        told_domains.with_support(&domain_support);
        told_domains.with_counts(&totals);
        let mut told_hosts = Columns {
            counts: vec![("in_degree", host_degrees), ("nofollow", host_nofollow), ("mirror_of", copies)],
            shares: vec![("harmonic", host_harmonic)],
            names: hosts,
        };
        told_hosts.counts.push(("domain", domain_of));
        told_hosts.with_support(&host_support);
        told_hosts.with_counts(&counts);
        (told_hosts, told_domains)
    }

    fn domains(&self, hosts: &Names) -> (Names, Vec<u32>) {
        let mut domains = Names::default();
        let of = hosts.iter().map(|host| domains.number_of(&self.suffixes.domain_of(host))).collect();
        (domains, of)
    }
}

/// The pairs of a target, by `target_of` of its host, and a domain that is not its own.
fn foreign(pairs: &[u64], domain_of: &[u32], target_of: impl Fn(u32) -> u32) -> Vec<u64> {
    let domain = |host: u32| domain_of.get(host as usize).copied().unwrap_or(0);
    let mut found: Vec<u64> = pairs
        .iter()
        .filter(|one| domain(target(**one)) != domain(source(**one)))
        .map(|one| pair(target_of(target(*one)), domain(source(*one)), !vouches(*one)))
        .collect();
    tidy(&mut found);
    found
}

/// How many link to each node and do not vouch for it.
fn not_vouched(pairs: &[u64], nodes: usize) -> Vec<u32> {
    let mut counts = vec![0; nodes];
    for one in pairs.iter().filter(|one| !vouches(**one)) {
        if let Some(count) = counts.get_mut(target(*one) as usize) {
            *count += 1;
        }
    }
    counts
}

fn ranks(graph: &Csr, seeded: &[bool]) -> Vec<(&'static str, Vec<f64>)> {
    let out = graph.out_degrees(graph.nodes());
    let seeds = seeded.iter().filter(|seed| **seed).count().max(1);
    let start: Vec<f64> = seeded.iter().map(|seed| if *seed { 1.0 / seeds as f64 } else { 0.0 }).collect();
    let alike = vec![1.0 / graph.nodes().max(1) as f64; graph.nodes()];
    vec![
        ("pagerank", pagerank(graph, &out, &alike)),
        ("trust", pagerank(graph, &out, &start)),
        ("harmonic", harmonic(graph)),
    ]
}

/// The place of each host in the order of who is the original if two say the same: the last one is.
fn standing(found: &[Support], degrees: &[u32], counts: &[Counts], is_seed: impl Fn(usize) -> bool) -> Vec<u32> {
    let mut order: Vec<_> = found
        .iter()
        .zip(degrees)
        .zip(counts)
        .enumerate()
        .map(|(host, ((one, degree), count))| {
            let place = std::cmp::Reverse(host as u32);
            ((is_seed(host), one.vouchers, one.supporters), (*degree, count.pages, place))
        })
        .collect();
    order.sort_unstable();
    let mut standing = vec![0; order.len()];
    for (place, (_, (_, _, host))) in order.iter().enumerate() {
        if let Some(held) = standing.get_mut(host.0 as usize) {
            *held = place as u32;
        }
    }
    standing
}

fn totals(counts: &[Counts], domain_of: &[u32], domains: usize) -> Vec<Counts> {
    let mut sums = vec![Counts::default(); domains];
    for (count, domain) in counts.iter().zip(domain_of) {
        if let Some(sum) = sums.get_mut(*domain as usize) {
            sum.add(count);
        }
    }
    sums
}

/// By domain the one that most of its pages are copies of, or `NOBODY`.
fn domain_mirrors(copies: &[u32], counts: &[Counts], totals: &[Counts], domain_of: &[u32]) -> Vec<u32> {
    let domain = |host: u32| domain_of.get(host as usize).copied().unwrap_or(0);
    let mut pairs: Vec<_> = (0_u32..)
        .zip(copies.iter().zip(counts))
        .filter(|(_, (original, _))| **original != NOBODY)
        .map(|(host, (original, count))| (domain(host), domain(*original), count.pages))
        .filter(|(one, other, _)| one != other)
        .collect();
    pairs.sort_unstable();
    let mut found = vec![NOBODY; totals.len()];
    for same in pairs.chunk_by(|one, next| (one.0, one.1) == (next.0, next.1)) {
        let Some((one, other, _)) = same.first() else { continue };
        let pages: u32 = same.iter().map(|(_, _, pages)| pages).sum();
        let all = totals.get(*one as usize).map_or(0, |total| total.pages);
        if is_most(pages as usize, all as usize) {
            found.get_mut(*one as usize).into_iter().for_each(|mirror| *mirror = *other);
        }
    }
    found
}
