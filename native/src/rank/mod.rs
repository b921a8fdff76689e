//! The nightly look: links and captures of a whole crawl in, what they say of each host and domain out.
//!
//! `skitter/rank/survey/plain.py` is the reference, and `tests/rank/survey/test_survey.py` compares the two.

mod centrality;
mod csr;
mod hosts;
mod inlinks;
mod mirrors;
mod pairs;
mod signals;
mod suffixes;
mod support;
mod survey;
mod texts;
mod threads;
mod together;
mod visits;

pub use inlinks::Inlinks;
pub use survey::Survey;
