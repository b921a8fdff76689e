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

/// Blocks that are asked together: the machine compares several numbers at once.
const TOGETHER: usize = 16;
/// Features that a row has at most.
const MOST: usize = 256;

type Lane = [f32; TOGETHER];

/// How likely blocks are main text, given their features one after the other.
pub struct Likelihoods<'a> {
    questions: &'a [Questions],
    /// The features of those that wait to be asked, by feature.
    columns: Vec<Lane>,
    waiting: usize,
    found: Vec<f32>,
}

impl<'a> Likelihoods<'a> {
    pub fn new(questions: &'a [Questions]) -> Self {
        // A feature that is not there is above nothing.
        Self { questions, columns: vec![[f32::NEG_INFINITY; TOGETHER]; MOST], waiting: 0, found: Vec::new() }
    }

    pub fn add(&mut self, row: &[f32]) {
        for (column, value) in self.columns.iter_mut().zip(row) {
            if let Some(slot) = column.get_mut(self.waiting) {
                *slot = *value;
            }
        }
        self.waiting += 1;
        if self.waiting == TOGETHER {
            self.ask();
        }
    }

    /// From 0 to 1 for each, in their order.
    pub fn done(mut self) -> Vec<f32> {
        self.ask();
        self.found
    }

    fn ask(&mut self) {
        let mut sums = [0.0; TOGETHER];
        for questions in self.questions {
            questions.add_answers(&self.columns, &mut sums);
        }
        let likely = sums.iter().take(self.waiting).map(|sum| 1.0 / (1.0 + (-sum).exp()));
        self.found.extend(likely);
        self.waiting = 0;
    }
}

impl Questions {
    /// Adds what is answered for each block. All is asked of all, without a branch: that is quicker than to go down a tree.
    fn add_answers(&self, columns: &[Lane], sums: &mut Lane) {
        let [b0, b1, b2, b3, b4, b5, b6] = self.bounds;
        let [a0, a1, a2, a3, a4, a5, a6, a7] = self.answers;
        let [Some(c0), Some(c1), Some(c2), Some(c3), Some(c4), Some(c5), Some(c6)] =
            self.features.map(|feature| columns.get(usize::from(feature)))
        else {
            return;
        };
        let lower = c1.iter().zip(c3).zip(c4).map(|((x1, x3), x4)| {
            let (no, yes) = (if *x3 > b3 { a1 } else { a0 }, if *x4 > b4 { a3 } else { a2 });
            if *x1 > b1 { yes } else { no }
        });
        let upper = c2.iter().zip(c5).zip(c6).map(|((x2, x5), x6)| {
            let (no, yes) = (if *x5 > b5 { a5 } else { a4 }, if *x6 > b6 { a7 } else { a6 });
            if *x2 > b2 { yes } else { no }
        });
        for (((sum, x0), no), yes) in sums.iter_mut().zip(c0).zip(lower).zip(upper) {
            *sum += if *x0 > b0 { yes } else { no };
        }
    }
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
