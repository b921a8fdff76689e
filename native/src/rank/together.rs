//! What was gathered is brought together: graphs, who stands behind whom, what pages say, mirrors.

use super::centrality::{harmonic, pagerank};
use super::csr::Csr;
use super::hosts::Names;
use super::mirrors::{NOBODY, is_most, mirrors};
use super::pairs::{pair, source, target, tidy, vouches};
use super::signals::Columns;
use super::suffixes::Suffixes;
use super::support::{Support, host_support, support};
use super::visits::{Counts, Visit, counts_of};

/// Hosts and domains by number, and which domains are seeds'.
pub struct Web {
    hosts: Names,
    domains: Names,
    domain_of: Vec<u32>,
    seeded: Vec<bool>,
}

impl Web {
    pub fn new(hosts: Names, suffixes: &Suffixes, seeds: &[u32]) -> Self {
        let mut domains = Names::default();
        let domain_of: Vec<_> = hosts.iter().map(|host| domains.number_of(&suffixes.domain_of(host))).collect();
        let mut seeded = vec![false; domains.len()];
        for host in seeds {
            let seed = domain_of.get(*host as usize).and_then(|domain| seeded.get_mut(*domain as usize));
            seed.into_iter().for_each(|seed| *seed = true);
        }
        Self { hosts, domains, domain_of, seeded }
    }

    fn domain(&self, host: u32) -> u32 {
        self.domain_of.get(host as usize).copied().unwrap_or(0)
    }

    fn is_seed(&self, host: u32) -> bool {
        self.seeded.get(self.domain(host) as usize).copied().unwrap_or(false)
    }
}

/// Domains that vouch for a domain, and for a host; how many link to each without; and how central a host is.
struct Graphs {
    domains: Csr,
    hosts: Csr,
    domain_nofollow: Vec<u32>,
    host_nofollow: Vec<u32>,
    host_harmonic: Vec<f64>,
}

impl Graphs {
    fn new(pairs: Vec<u64>, web: &Web) -> Self {
        let (hosts, domains) = (web.hosts.len(), web.domains.len());
        let host_harmonic = harmonic(&Csr::new(&pairs, hosts));
        let by_host = foreign(&pairs, web, |host| host);
        let by_domain = foreign(&pairs, web, |host| web.domain(host));
        drop(pairs);
        Self {
            host_harmonic,
            domain_nofollow: not_vouched(&by_domain, domains),
            host_nofollow: not_vouched(&by_host, hosts),
            domains: Csr::new(&by_domain, domains),
            hosts: Csr::new(&by_host, hosts),
        }
    }
}

/// The signals of hosts, and of domains.
pub fn together(web: Web, pairs: Vec<u64>, visits: Vec<Visit>) -> (Columns, Columns) {
    let graphs = Graphs::new(pairs, &web);
    let behind_domains = support(&graphs.domains, &web.seeded);
    let behind_hosts = host_support(&graphs.hosts, &web.domain_of, &behind_domains, &graphs.domains, &web.seeded);
    let degrees = graphs.hosts.in_degrees();
    let (counts, pages) = counts_of(visits, web.hosts.len());
    let standing = standing(&behind_hosts, &degrees, &counts, &web);
    let copies = mirrors(&pages, &standing);
    drop((pages, standing));
    let totals = totals(&counts, &web);

    let mut domains = Columns {
        counts: vec![
            ("domain", (0..web.domains.len() as u32).collect()),
            ("in_degree", graphs.domains.in_degrees()),
            ("nofollow", graphs.domain_nofollow),
            ("mirror_of", domain_mirrors(&copies, &counts, &totals, &web)),
        ],
        shares: ranks(&graphs.domains, &web.seeded),
        names: web.domains,
    };
    domains.with_support(&behind_domains);
    domains.with_counts(&totals);
    let mut hosts = Columns {
        counts: vec![
            ("domain", web.domain_of),
            ("in_degree", degrees),
            ("nofollow", graphs.host_nofollow),
            ("mirror_of", copies),
        ],
        shares: vec![("harmonic", graphs.host_harmonic)],
        names: web.hosts,
    };
    hosts.with_support(&behind_hosts);
    hosts.with_counts(&counts);
    (hosts, domains)
}

/// The pairs of a target, by `target_of` of its host, and a domain that is not its own.
fn foreign(pairs: &[u64], web: &Web, target_of: impl Fn(u32) -> u32) -> Vec<u64> {
    let domain = |host: u32| web.domain(host);
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
fn standing(found: &[Support], degrees: &[u32], counts: &[Counts], web: &Web) -> Vec<u32> {
    let mut order: Vec<_> = found
        .iter()
        .zip(degrees)
        .zip(counts)
        .zip(0..)
        .map(|(((one, degree), count), host)| {
            let place = std::cmp::Reverse(host);
            ((web.is_seed(host), one.vouchers, one.supporters), (*degree, count.pages, place))
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

fn totals(counts: &[Counts], web: &Web) -> Vec<Counts> {
    let mut sums = vec![Counts::default(); web.domains.len()];
    for (count, domain) in counts.iter().zip(&web.domain_of) {
        if let Some(sum) = sums.get_mut(*domain as usize) {
            sum.add(count);
        }
    }
    sums
}

/// By domain the one that most of its pages are copies of, or `NOBODY`.
fn domain_mirrors(copies: &[u32], counts: &[Counts], totals: &[Counts], web: &Web) -> Vec<u32> {
    let mut pairs: Vec<_> = (0_u32..)
        .zip(copies.iter().zip(counts))
        .filter(|(_, (original, _))| **original != NOBODY)
        .map(|(host, (original, count))| (web.domain(host), web.domain(*original), count.pages))
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
