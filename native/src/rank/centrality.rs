//! PageRank and harmonic centrality, as `rank/survey/centrality.py` has them.

use super::csr::Csr;
use super::threads::fill;

const DAMPING: f64 = 0.85;
const ENOUGH: f64 = 1e-6;
const ROUNDS: usize = 100;
const LEVELS: usize = 32;
const EXACT: usize = 1024;
const SOURCES: usize = 256;

/// The share of the time that a walker is at each node who follows links, and at times starts anew as `start` says.
pub fn pagerank(graph: &Csr, out: &[u32], start: &[f64]) -> Vec<f64> {
    let mut ranks = start.to_vec();
    let mut passed = vec![0.0; ranks.len()];
    let mut after = vec![0.0; ranks.len()];
    for _ in 0..ROUNDS {
        let mut stuck = 0.0;
        for ((passed, rank), many) in passed.iter_mut().zip(&ranks).zip(out) {
            *passed = if *many == 0 { 0.0 } else { rank / f64::from(*many) };
            stuck += if *many == 0 { *rank } else { 0.0 };
        }
        let anew = 1.0 - DAMPING + DAMPING * stuck;
        fill(
            &mut after,
            || (),
            |(), from, piece| {
                for (node, rank) in (from..).zip(piece) {
                    let begun = start.get(node).copied().unwrap_or(0.0);
                    let sum: f64 = graph.of(node).iter().filter_map(|source| passed.get(*source as usize)).sum();
                    *rank = anew * begun + DAMPING * sum;
                }
            },
        );
        let change: f64 = after.iter().zip(&ranks).map(|(one, other)| (one - other).abs()).sum();
        std::mem::swap(&mut ranks, &mut after);
        if change < ENOUGH {
            break;
        }
    }
    ranks
}

/// How near the others are to each node, from 0 to 1: a bit of a number for each of 64 searches at a time.
pub fn harmonic(graph: &Csr) -> Vec<f64> {
    let sources = sources_of(graph.nodes());
    let mut found = vec![0.0; graph.nodes()];
    for some in sources.chunks(64) {
        search(graph, some, &mut found);
    }
    let mut others = vec![sources.len(); graph.nodes()];
    for source in &sources {
        if let Some(many) = others.get_mut(*source) {
            *many -= 1;
        }
    }
    found.iter().zip(others).map(|(sum, many)| sum / many.max(1) as f64).collect()
}

#[derive(Clone, Copy, Default)]
struct Reached {
    arrived: u64,
    new: u64,
    sum: f64,
}

fn search(graph: &Csr, sources: &[usize], found: &mut [f64]) {
    let mut reached = vec![Reached::default(); graph.nodes()];
    let mut front = vec![0_u64; graph.nodes()];
    for (bit, source) in sources.iter().enumerate() {
        if let (Some(node), Some(seen)) = (reached.get_mut(*source), front.get_mut(*source)) {
            node.arrived |= 1 << bit;
            *seen = node.arrived;
        }
    }
    for level in 1..=LEVELS {
        fill(
            &mut reached,
            || (),
            |(), from, piece| {
                for (number, node) in (from..).zip(piece) {
                    let nearer = graph.of(number).iter().filter_map(|source| front.get(*source as usize));
                    node.new = nearer.fold(0, |all, one| all | one) & !node.arrived;
                    node.arrived |= node.new;
                    node.sum += f64::from(node.new.count_ones()) / level as f64;
                }
            },
        );
        let mut is_over = true;
        for (front, node) in front.iter_mut().zip(&reached) {
            *front = node.new;
            is_over &= node.new == 0;
        }
        if is_over {
            break;
        }
    }
    for (sum, node) in found.iter_mut().zip(&reached) {
        *sum += node.sum;
    }
}

fn sources_of(nodes: usize) -> Vec<usize> {
    if nodes <= EXACT {
        return (0..nodes).collect();
    }
    (0..SOURCES).map(|place| place * nodes / SOURCES).collect()
}
