//! WARC records before compression, and what the head of an answer says. `store/frames.py` and `store/heads.py` are the
//! references.

use memchr::memchr_iter;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use sha2::{Digest, Sha256};
use std::io::Write;

/// Blocks above this are digested while other threads of Python run; below, letting them takes longer than the digest.
const LARGE: usize = 256 * 1024;

/// The SHA-256 of some bytes.
#[pyfunction]
pub fn sha256<'py>(py: Python<'py>, bytes: &[u8]) -> Bound<'py, PyBytes> {
    PyBytes::new(py, &digest(py, bytes, b""))
}

/// A record of these fields and a block of two parts, with its digest and its length.
#[pyfunction]
pub fn frame<'py>(py: Python<'py>, fields: &[u8], block: &[u8], more: &[u8]) -> PyResult<Bound<'py, PyBytes>> {
    let length = block.len() + more.len();
    let digest = hex(&digest(py, block, more));
    let end = format!("WARC-Block-Digest: sha256:{digest}\r\nContent-Length: {length}\r\n\r\n");
    let parts = [b"WARC/1.1\r\n", fields, end.as_bytes(), block, more, b"\r\n\r\n"];
    PyBytes::new_with(py, parts.iter().map(|part| part.len()).sum(), |mut left| {
        Ok(parts.iter().try_for_each(|part| left.write_all(part))?)
    })
}

fn digest(py: Python<'_>, block: &[u8], more: &[u8]) -> [u8; 32] {
    let digested = || Sha256::new().chain_update(block).chain_update(more).finalize().into();
    if block.len() + more.len() > LARGE { py.detach(digested) } else { digested() }
}

fn hex(digest: &[u8]) -> String {
    let digits = digest.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    digits.map(|digit| char::from(if digit < 10 { b'0' + digit } else { b'a' + digit - 10 })).collect()
}

/// Whether every reader finds the end of a head where it is, and the status and the media type that it says.
#[pyfunction]
pub fn head_reading(head: &[u8]) -> (bool, u16, String) {
    (has_plain_end(head), status(head).unwrap_or_default(), mime(head).unwrap_or_default())
}

fn has_plain_end(head: &[u8]) -> bool {
    let is_at_start = head.first().is_some_and(|byte| !is_space(*byte));
    is_at_start && head.ends_with(b"\r\n\r\n") && first_blank_line(head) == Some(head.len())
}

/// Where the first line ends that some reader takes for blank.
fn first_blank_line(head: &[u8]) -> Option<usize> {
    let mut lines = memchr_iter(b'\n', head);
    let mut start = lines.next()? + 1;
    for end in lines {
        if head.get(start..end)?.iter().all(|byte| is_blank(*byte)) {
            return Some(end + 1);
        }
        start = end + 1;
    }
    None
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | 0x0b | 0x0c | 0x1c..=0x1f | 0x80..)
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

fn status(head: &[u8]) -> Option<u16> {
    let version = head.get(head.iter().position(|byte| !is_space(*byte))?..)?;
    let after = version.get(version.iter().position(|byte| is_space(*byte))?..)?;
    let said = without_blanks(after);
    let digits = said.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if said.len() == after.len() || digits != 3 {
        return None;
    }
    Some(said.iter().take(3).fold(0, |number, digit| number * 10 + u16::from(digit - b'0')))
}

fn mime(head: &[u8]) -> Option<String> {
    memchr_iter(b'\n', head).find_map(|end| mime_of(head.get(end + 1..)?))
}

fn mime_of(line: &[u8]) -> Option<String> {
    let (name, rest) = line.split_at_checked(b"content-type".len())?;
    if !name.eq_ignore_ascii_case(b"content-type") {
        return None;
    }
    let value = without_blanks(without_blanks(rest).strip_prefix(b":")?);
    let length = value.iter().take_while(|byte| byte.is_ascii_graphic() && **byte != b';').count();
    let mime: String = value.iter().take(length).map(|byte| char::from(byte.to_ascii_lowercase())).collect();
    (!mime.is_empty()).then_some(mime)
}

fn without_blanks(text: &[u8]) -> &[u8] {
    let blanks = text.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    text.get(blanks..).unwrap_or_default()
}
