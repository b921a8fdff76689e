//! What a visit makes of the belief about a page, and when it is to be visited next: `schedule/turn.py`, where it is said
//! why, with `belief.py`, `usual.py` and `worth_a_visit.py`. Sums are taken in the same order, so that both agree.

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};
use std::sync::LazyLock;

const STEPS: usize = 16;
const DAY: f64 = 86400.0;
const SLOWEST: f64 = 1.0 / (1500.0 * DAY);
const QUICKEST: f64 = 144.0 / DAY;
const LASTS: f64 = 1500.0 * DAY;
const TINY: f64 = 1e-300;
const FINE: f64 = 16.0;
const FINEST: f64 = 4096.0;
const OF_THE_CRAWL: f64 = 1.5;
const LEAST: f64 = 1e-12;
const TOO_QUICK: f64 = 0.5;
const DOUBTED: f64 = 0.6;
const LONG: f64 = 20.0;
const SOON: f64 = 2.0;
const MAY_BE_SLOW: (f64, f64) = (0.05, 0.9);
const LEAST_HIDDEN: f64 = 0.01;
const FINER: usize = 8;
const TIMES: usize = 200;
const SHORTEST: f64 = 10.0;

type Weights = [f64; STEPS];
/// wait, demand, least
type Plan = (f64, f64, f64);
/// evidence, belief, vote, lead, hidden, alone, and the plan
type Turn<'py> = (Bound<'py, PyBytes>, Bound<'py, PyBytes>, Bound<'py, PyTuple>, f64, f64, f64, Plan);

struct Tables {
    ladder: Weights,
    weight: [f64; 256],
    times: Vec<f64>,
    gains: Vec<f64>,
}

static TABLES: LazyLock<Tables> = LazyLock::new(|| {
    let ratio = (QUICKEST / SLOWEST).powf(1.0 / (STEPS - 1) as f64);
    let finer = |step: usize| ratio.powf(step as f64 / FINER as f64);
    Tables {
        ladder: std::array::from_fn(|step| SLOWEST * ratio.powf(step as f64)),
        weight: std::array::from_fn(|step| (-(step as f64) / FINE).exp()),
        times: (0..TIMES).map(|step| SHORTEST * finer(step)).collect(),
        gains: (0..TIMES + FINER * STEPS).map(|step| gain(SLOWEST * SHORTEST * finer(step))).collect(),
    }
});

/// What a visit to a page leaves. See `python_turn`.
#[pyfunction]
#[allow(clippy::too_many_arguments)]
pub fn turn<'py>(
    py: Python<'py>,
    evidence: &[u8],
    belief: &[u8],
    host: Weights,
    pages: f64,
    crawl: Weights,
    found: (f64, bool, i32),
    stakes: (f64, f64, f64, f64, f64),
    hidden: f64,
    trusted: f64,
) -> PyResult<Turn<'py>> {
    let stakes = Stakes::from(stakes);
    let (gap, changed, signals) = found;
    let was = (!belief.is_empty()).then(|| unpacked(belief));
    let usual = usual_rates(&host, pages, &crawl, was.as_ref());
    let own = match (&was, evidence.is_empty()) {
        (Some(was), true) => zipped(was, &usual, |own, other| own / other),
        _ => unpacked_evidence(evidence),
    };
    let own = after_wait(&own, &usual, gap.max(0.0));
    let earlier = normal(zipped(&own, &usual, |each, other| each * other));
    let told = told(&earlier, gap, changed, signals, &stakes);
    let after = zipped(&own, &told, |each, how| each * how + TINY);
    let weights = normal(zipped(&after, &usual, |each, other| each * other));
    let belief = packed(&weights);
    let vote = zipped(&unpacked(&belief), &was.unwrap_or_default(), |new, was| new - was);
    let mixed = zipped(&weights, &usual, |own, other| trusted * own + (1.0 - trusted) * other);
    let lead = if was.is_some() && stakes.recall == 0.0 { lead(&earlier, &usual, &told) } else { 0.0 };
    Ok((
        PyBytes::new(py, &packed_evidence(&after)),
        PyBytes::new(py, &belief),
        PyTuple::new(py, vote)?,
        lead,
        1.0 - still_fresh(&earlier, hidden * gap),
        1.0 - still_fresh(&earlier, gap),
        planned(&mixed, &stakes),
    ))
}

/// When to come again to a page that was fetched for the first time. See `python_first_plan`.
#[pyfunction]
pub fn first_plan(host: Weights, pages: f64, crawl: Weights, stakes: (f64, f64, f64, f64, f64)) -> Plan {
    planned(&usual_rates(&host, pages, &crawl, None), &Stakes::from(stakes))
}

struct Stakes {
    cost: f64,
    floor: f64,
    longest: f64,
    precision: f64,
    recall: f64,
}

impl From<(f64, f64, f64, f64, f64)> for Stakes {
    fn from((cost, floor, longest, precision, recall): (f64, f64, f64, f64, f64)) -> Self {
        Self { cost, floor, longest, precision, recall }
    }
}

fn zipped(left: &Weights, right: &Weights, both: impl Fn(f64, f64) -> f64) -> Weights {
    let mut made = [0.0; STEPS];
    for ((made, left), right) in made.iter_mut().zip(left).zip(right) {
        *made = both(*left, *right);
    }
    made
}

fn summed(left: &Weights, right: &Weights) -> f64 {
    left.iter().zip(right).map(|(left, right)| left * right).sum()
}

fn normal(weights: Weights) -> Weights {
    let total: f64 = weights.iter().sum();
    weights.map(|weight| weight / total)
}

fn unpacked(belief: &[u8]) -> Weights {
    let mut weights = [0.0; STEPS];
    for (weight, byte) in weights.iter_mut().zip(belief) {
        *weight = TABLES.weight.get(usize::from(*byte)).copied().unwrap_or_default();
    }
    normal(weights)
}

fn unpacked_evidence(evidence: &[u8]) -> Weights {
    let mut weights = [1.0; STEPS];
    for (weight, pair) in weights.iter_mut().zip(evidence.as_chunks().0) {
        *weight = (-f64::from(u16::from_be_bytes(*pair)) / FINEST).exp();
    }
    weights
}

fn most_of(weights: &Weights) -> f64 {
    weights.iter().copied().fold(f64::MIN, f64::max)
}

fn packed(weights: &Weights) -> [u8; STEPS] {
    let most = most_of(weights);
    let least = most * (-255.0 / FINE).exp();
    // Halves go to the even one, as Python rounds.
    weights.map(|weight| if weight > least { (-FINE * (weight / most).ln()).round_ties_even() as u8 } else { 255 })
}

fn packed_evidence(evidence: &Weights) -> Vec<u8> {
    let most = most_of(evidence);
    let least = most * (-f64::from(u16::MAX) / FINEST).exp();
    let number =
        |each: f64| if each > least { (-FINEST * (each / most).ln()).round_ties_even() as u16 } else { u16::MAX };
    evidence.iter().flat_map(|each| number(*each).to_be_bytes()).collect()
}

fn usual_rates(host: &Weights, pages: f64, crawl: &Weights, own: Option<&Weights>) -> Weights {
    let one = if own.is_some() { 1.0 } else { 0.0 };
    let share = OF_THE_CRAWL / (pages - one).max(TINY);
    let own = own.copied().unwrap_or_default();
    let there = zipped(host, &own, |there, vote| (there - vote).max(0.0));
    let all = zipped(crawl, &own, |all, vote| share * (all - vote).max(0.0));
    normal(zipped(&there, &all, |there, all| there + all + LEAST))
}

fn after_wait(evidence: &Weights, usual: &Weights, time: f64) -> Weights {
    let stays = (-time / LASTS).exp();
    let total = summed(evidence, usual);
    evidence.map(|each| stays * each / total + (1.0 - stays))
}

fn told(weights: &Weights, gap: f64, changed: bool, signals: i32, stakes: &Stakes) -> Weights {
    let ladder = &TABLES.ladder;
    if gap.is_nan() || gap <= 0.0 {
        return [1.0; STEPS];
    }
    if !changed {
        return ladder.map(|rate| (-rate * gap).exp());
    }
    if stakes.recall <= 0.0 {
        return ladder.map(|rate| -(-rate * gap).exp_m1());
    }
    let mean = summed(weights, ladder);
    let doubt = (1.0 - stakes.precision).powf(f64::from(signals));
    let hidden = 1.0 - stakes.recall;
    ladder.map(|rate| {
        (-stakes.recall * rate * gap).exp() * ((1.0 - doubt) * rate / mean - doubt * (-hidden * rate * gap).exp_m1())
    })
}

fn lead(weights: &Weights, usual: &Weights, told: &Weights) -> f64 {
    (summed(weights, told).max(1e-9) / summed(usual, told).max(1e-9)).ln()
}

fn still_fresh(weights: &Weights, time: f64) -> f64 {
    weights.iter().zip(&TABLES.ladder).map(|(weight, rate)| weight * (-rate * time).exp()).sum()
}

fn planned(weights: &Weights, stakes: &Stakes) -> Plan {
    let bounded = |time: f64| stakes.floor.max(stakes.longest.min(time));
    let alone = bounded(wait(weights, stakes.cost));
    if stakes.precision <= 0.0 {
        return (alone, 1.0 / alone, 0.0);
    }
    let hidden = (1.0 - stakes.recall).max(LEAST_HIDDEN);
    let longer = bounded(wait(weights, stakes.cost * hidden) / hidden);
    let (gap, fresh) = cycle(weights, stakes, longer);
    let (net, least) = ((fresh - stakes.cost) / gap, still_fresh(weights, alone));
    if net <= least { (alone, 1.0 / alone, least) } else { (longer, 1.0 / gap, net) }
}

fn cycle(weights: &Weights, stakes: &Stakes, longest: f64) -> (f64, f64) {
    let (mut gap, mut fresh) = (0.0, 0.0);
    for (weight, rate) in weights.iter().zip(&TABLES.ladder) {
        let signals = rate * stakes.recall / stakes.precision;
        let ends = signals + rate * (1.0 - stakes.recall);
        gap += weight * -(-signals * longest).exp_m1() / signals;
        fresh += weight * -(-ends * longest).exp_m1() / ends;
    }
    (gap, fresh)
}

fn gain(x: f64) -> f64 {
    if x < 1e-3 { x * x * (1.0 / 2.0 - x / 3.0 + x * x / 8.0) } else { 1.0 - (1.0 + x) * (-x).exp() }
}

fn wait(weights: &Weights, price: f64) -> f64 {
    let quick = TABLES.ladder.partition_point(|rate| *rate < TOO_QUICK / price);
    let time = worth_after(weights, quick, price);
    let slow: f64 = weights.iter().take(quick).sum();
    if time > LONG * price && MAY_BE_SLOW.0 < slow && slow < MAY_BE_SLOW.1 { SOON * price } else { time }
}

fn worth_after(weights: &Weights, quick: usize, price: f64) -> f64 {
    let mut counted = *weights;
    counted.iter_mut().skip(quick).for_each(|weight| *weight *= DOUBTED);
    let price = price * counted.iter().sum::<f64>();
    let values = zipped(&counted, &TABLES.ladder, |weight, rate| weight / rate);
    if values.iter().sum::<f64>() <= price || price.is_nan() {
        return f64::INFINITY;
    }
    let value = |step: usize| -> f64 {
        TABLES.gains.iter().skip(step).step_by(FINER).zip(&values).map(|(gain, value)| value * gain).sum()
    };
    let shortest = (2.0 * price / summed(&counted, &TABLES.ladder)).sqrt();
    reached(value, price, TABLES.times.partition_point(|time| *time < shortest))
}

fn reached(value: impl Fn(usize) -> f64, wanted: f64, first: usize) -> f64 {
    let (mut low, mut leap) = (first, 1);
    while low + leap < TIMES && value(low + leap) < wanted {
        low += leap;
        leap *= 2;
    }
    let mut high = (low + leap).min(TIMES);
    while low < high {
        let middle = usize::midpoint(low, high);
        if value(middle) < wanted { low = middle + 1 } else { high = middle }
    }
    let time = |step: usize| TABLES.times.get(step).copied().unwrap_or(f64::INFINITY);
    if low == 0 || low >= TIMES {
        return time(low.min(TIMES - 1));
    }
    let (before, then) = (value(low - 1), value(low));
    let part = if then > before { ((wanted - before) / (then - before)).clamp(0.0, 1.0) } else { 1.0 };
    time(low - 1) * (time(low) / time(low - 1)).powf(part)
}
