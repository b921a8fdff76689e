//! How likely a block is main text, by what was learnt (`learnt.rs`), and which blocks to take.

/// A tree of three questions: the first, those after a no and a yes, those after them; and eight answers, all yes last.
pub struct Questions {
    features: [u8; 7],
    bounds: [f32; 7],
    answers: [f32; 8],
}

/// The bound of a question that is always answered with no.
pub const NEVER: f32 = f32::INFINITY;

pub const fn learnt(features: [u8; 7], bounds: [f32; 7], answers: [f32; 8]) -> Questions {
    Questions { features, bounds, answers }
}

impl Questions {
    fn answer(&self, row: &[f32]) -> f32 {
        let is_above = |at: usize| {
            let (feature, bound) = (self.features.get(at).copied().unwrap_or(0), self.bounds.get(at));
            bound.is_some_and(|bound| row.get(usize::from(feature)).is_some_and(|value| value > bound))
        };
        let first = usize::from(is_above(0));
        let second = 2 * first + usize::from(is_above(1 + first));
        let third = 2 * second + usize::from(is_above(3 + second));
        self.answers.get(third).copied().unwrap_or(0.0)
    }
}

/// From 0 to 1.
pub fn likelihood(questions: &[Questions], row: &[f32]) -> f32 {
    let sum: f32 = questions.iter().map(|tree| tree.answer(row)).sum();
    1.0 / (1.0 + (-sum).exp())
}

/// Which blocks to take, given how likely and how long each is, so that the F1 of their words is the best to be expected.
///
/// Taking the likeliest first, F1 is twice the words that we expect to be right over those taken and those that we
/// expect there to be. A page of which we know little is taken nearly whole, of one of which we know much the best.
pub fn choose(blocks: &[(f32, f32)]) -> Vec<bool> {
    let mut order: Vec<usize> = (0..blocks.len()).collect();
    let at = |index: usize| blocks.get(index).copied().unwrap_or_default();
    order.sort_by(|one, other| at(*other).0.total_cmp(&at(*one).0));
    let expected: f32 = blocks.iter().map(|(likely, words)| likely * words).sum();
    let (mut right, mut taken, mut best, mut last) = (0.0, 0.0, 0.0, f32::INFINITY);
    for (likely, words) in order.into_iter().map(at) {
        right += likely * words;
        taken += words;
        let f1 = 2.0 * right / (taken + expected).max(1.0);
        if f1 > best {
            (best, last) = (f1, likely);
        }
    }
    blocks.iter().map(|(likely, _)| *likely >= last).collect()
}
