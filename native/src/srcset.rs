//! The URLs of a srcset, as the HTML standard parses it.

fn is_space(character: char) -> bool {
    matches!(character, '\t' | '\n' | '\u{c}' | '\r' | ' ')
}

pub fn candidates(srcset: &str) -> impl Iterator<Item = &str> {
    let mut rest = srcset;
    std::iter::from_fn(move || {
        loop {
            let start = rest.trim_start_matches(|character| is_space(character) || character == ',');
            if start.is_empty() {
                return None;
            }
            let (written, after) = start.split_at_checked(start.find(is_space).unwrap_or(start.len()))?;
            rest = if written.ends_with(',') { after } else { after_descriptors(after) };
            let url = written.trim_end_matches(',');
            if !url.is_empty() {
                return Some(url);
            }
        }
    })
}

/// What follows descriptors: they end at a comma that is not in parentheses.
fn after_descriptors(input: &str) -> &str {
    let mut is_inside = false;
    let end = input.find(|character| {
        is_inside = if is_inside { character != ')' } else { character == '(' };
        !is_inside && character == ','
    });
    end.and_then(|at| input.get(at..)).unwrap_or_default()
}
