//! Work on a long row of results by two threads: each takes the next piece that nobody has taken.

use std::sync::{Mutex, PoisonError};

const THREADS: usize = 2;
const PIECE: usize = 4096;

/// Has `work` fill `results`: it is told where its piece begins, and keeps a state that `begin` made for its thread.
pub fn fill<T: Send, S>(
    results: &mut [T],
    begin: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, usize, &mut [T]) + Sync,
) {
    let is_small = results.len() <= PIECE;
    let pieces = Mutex::new(results.chunks_mut(PIECE).enumerate());
    let next = || pieces.lock().unwrap_or_else(PoisonError::into_inner).next();
    let toil = || {
        let mut state = begin();
        while let Some((number, piece)) = next() {
            work(&mut state, number * PIECE, piece);
        }
    };
    if is_small {
        return toil();
    }
    std::thread::scope(|scope| {
        for _ in 1..THREADS {
            scope.spawn(toil);
        }
        toil();
    });
}
