//! `Hashtbl.hash` and `Digest.string`: `MurmurHash3` over the meaningful parts of a value as OCaml's runtime walks them, and MD5 (RFC 1321).

use std::collections::VecDeque;

use super::heap::{FLAT, FLOAT, Heap, RAW_FLOAT, STRING, Word};

/// Parts that `Hashtbl.hash` looks at, and how many of these are numbers, texts and the like.
const PARTS: (usize, u32) = (100, 10);

fn mix(hash: u32, data: u32) -> u32 {
    let data = data
        .wrapping_mul(0xcc9e_2d51)
        .rotate_left(15)
        .wrapping_mul(0x1b87_3593);
    (hash ^ data)
        .rotate_left(13)
        .wrapping_mul(5)
        .wrapping_add(0xe654_6b64)
}

fn mix_int(hash: u32, n: i64) -> u32 {
    mix(hash, ((n >> 32) ^ (n >> 63) ^ n) as u32)
}

fn mix_float(hash: u32, x: f64) -> u32 {
    let bits = if x.is_nan() {
        0x7ff0_0000_0000_0001
    } else if x == 0.0 {
        0
    } else {
        x.to_bits()
    };
    mix(mix(hash, bits as u32), (bits >> 32) as u32)
}

fn mix_string(mut hash: u32, text: &[u8]) -> u32 {
    // Of long texts the beginning alone.
    let read = &text[..text.len().min(255)];
    let mut chunks = read.chunks_exact(4);
    for chunk in &mut chunks {
        let four = [chunk[0], chunk[1], chunk[2], chunk[3]];
        hash = mix(hash, u32::from_le_bytes(four));
    }
    let rest = chunks.remainder();
    if !rest.is_empty() {
        let last = rest
            .iter()
            .rev()
            .fold(0u32, |sum, b| sum << 8 | u32::from(*b));
        hash = mix(hash, last);
    }
    hash ^ text.len() as u32
}

/// `Hashtbl.hash`.
pub(super) fn hash(heap: &Heap, value: Word) -> i64 {
    let mut hash = 0u32;
    let (mut left, mut queue) = (PARTS.1, VecDeque::from([value]));
    let mut queued = 1;
    while let Some(w) = queue.pop_front() {
        if left == 0 {
            break;
        }
        if w & 1 == 1 {
            // The word itself, tag included.
            hash = mix_int(hash, w as i64);
            left -= 1;
            continue;
        }
        match heap.tag(w) {
            FLOAT | RAW_FLOAT => {
                hash = mix_float(hash, heap.as_float(w));
                left -= 1;
            }
            STRING => {
                hash = mix_string(hash, &heap.bytes(w));
                left -= 1;
            }
            FLAT => {
                for i in 0..heap.size(w) {
                    if left == 0 {
                        break;
                    }
                    hash = mix_float(hash, heap.as_float(heap.field(w, i)));
                    left -= 1;
                }
            }
            // Functions have no parts that mean anything.
            245..=247 => {}
            tag => {
                let size = heap.size(w);
                let tag = if tag == super::GHOST { 0 } else { tag };
                hash = mix(hash, (size as u32) << 10 | u32::from(tag));
                for i in 0..size {
                    if queued >= PARTS.0 {
                        break;
                    }
                    queue.push_back(heap.field(w, i));
                    queued += 1;
                }
            }
        }
    }
    hash ^= hash >> 16;
    hash = hash.wrapping_mul(0x85eb_ca6b);
    hash ^= hash >> 13;
    hash = hash.wrapping_mul(0xc2b2_ae35);
    hash ^= hash >> 16;
    i64::from(hash & 0x3fff_ffff)
}

/// How far each step turns.
const TURNS: [[u32; 4]; 4] = [
    [7, 12, 17, 22],
    [5, 9, 14, 20],
    [4, 11, 16, 23],
    [6, 10, 15, 21],
];

/// MD5.
pub(super) fn md5(text: &[u8]) -> [u8; 16] {
    let sines: Vec<u32> = (1..=64)
        .map(|i| (f64::from(i).sin().abs() * 4_294_967_296.0) as u32)
        .collect();
    let mut padded = text.to_vec();
    padded.push(0x80);
    while padded.len() % 64 != 56 {
        padded.push(0);
    }
    padded.extend((text.len() as u64 * 8).to_le_bytes());
    let mut state = [0x6745_2301u32, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476];
    for block in padded.chunks_exact(64) {
        let words: Vec<u32> = block
            .chunks_exact(4)
            .map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]]))
            .collect();
        let [mut a, mut b, mut c, mut d] = state;
        for i in 0..64 {
            let (f, k) = match i / 16 {
                0 => ((b & c) | (!b & d), i),
                1 => ((d & b) | (!d & c), (5 * i + 1) % 16),
                2 => (b ^ c ^ d, (3 * i + 5) % 16),
                _ => (c ^ (b | !d), 7 * i % 16),
            };
            let sum = a
                .wrapping_add(f)
                .wrapping_add(sines[i])
                .wrapping_add(words[k]);
            let turned = sum.rotate_left(TURNS[i / 16][i % 4]);
            (a, d, c, b) = (d, c, b, b.wrapping_add(turned));
        }
        for (s, x) in state.iter_mut().zip([a, b, c, d]) {
            *s = s.wrapping_add(x);
        }
    }
    let mut out = [0; 16];
    for (bytes, s) in out.chunks_exact_mut(4).zip(state) {
        bytes.copy_from_slice(&s.to_le_bytes());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::md5;

    /// The examples of RFC 1321.
    #[test]
    fn md5_is_that_of_its_definition() {
        let hex = |text: &str| -> String {
            let number = u128::from_be_bytes(md5(text.as_bytes()));
            format!("{number:032x}")
        };
        assert_eq!(hex(""), "d41d8cd98f00b204e9800998ecf8427e");
        assert_eq!(hex("abc"), "900150983cd24fb0d6963f7d28e17f72");
        assert_eq!(
            hex("12345678901234567890123456789012345678901234567890123456789012345678901234567890"),
            "57edf4a22be3c955ac49da2e2107b67a"
        );
    }
}
