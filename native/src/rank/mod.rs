//! The nightly look: links and captures of a whole crawl in, what they say of each host and domain out.
//!
//! `skitter/rank/survey.py` is the reference, and `tests/rank/test_survey.py` compares the two.

mod centrality;
mod csr;
mod hosts;
mod mirrors;
mod pairs;
mod suffixes;
mod support;
mod survey;
mod texts;
mod threads;
mod visits;

pub use survey::Survey;
