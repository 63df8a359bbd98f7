//! Which of many events equal the one some places before, as bits: 32 compared at once where the processor can.
//!
//! Events are single bytes here (`loops.rs` gives each chunk its own alphabet), so a comparison of 64 events with those *n* places before is two
//! loads, two comparisons and two masks.

/// Sixty-four bytes.
type Lane = [u8; 64];

/// How bytes are compared.
pub(crate) trait Compare: Copy {
    /// Bit *k* is whether bytes *k* are the same.
    fn equal(self, a: &Lane, b: &Lane) -> u64;
}

/// Eight bytes at a time, on any processor.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Portable;

impl Compare for Portable {
    #[inline]
    fn equal(self, a: &Lane, b: &Lane) -> u64 {
        const LOW: u64 = 0x7f7f_7f7f_7f7f_7f7f;
        let mut bits = 0;
        let (a, _) = a.as_chunks::<8>();
        let (b, _) = b.as_chunks::<8>();
        for (place, (a, b)) in a.iter().zip(b).enumerate() {
            let differ = u64::from_le_bytes(*a) ^ u64::from_le_bytes(*b);
            // The top bit of each byte that is zero.
            let same = !(((differ & LOW) + LOW) | differ | LOW);
            let gathered = (same >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56;
            bits |= gathered << (8 * place);
        }
        bits
    }
}

#[cfg(target_arch = "x86_64")]
impl Compare for pulp::x86::V3 {
    #[inline(always)]
    #[expect(
        clippy::inline_always,
        reason = "the loop around it is compiled for the processor"
    )]
    fn equal(self, a: &Lane, b: &Lane) -> u64 {
        let halves =
            |lane: &Lane| -> [core::arch::x86_64::__m256i; 2] { pulp::bytemuck::cast(*lane) };
        let ([a0, a1], [b0, b1]) = (halves(a), halves(b));
        let mask = |a, b| {
            let same = self.avx2._mm256_cmpeq_epi8(a, b);
            u64::from(self.avx2._mm256_movemask_epi8(same).cast_unsigned())
        };
        mask(a0, b0) | mask(a1, b1) << 32
    }
}

/// Writes a word of bits per 64 events of `bytes`, which begin at `at`: whether each equals the one `back` places before. `bytes` goes on for 64 more.
#[inline(always)]
#[expect(
    clippy::inline_always,
    reason = "it is compiled for the processor by its caller"
)]
pub(crate) fn compare(with: impl Compare, bytes: &[u8], at: usize, back: usize, words: &mut [u64]) {
    let (here, there) = (&bytes[at..], &bytes[at - back..]);
    let (here, _) = here.as_chunks::<64>();
    let (there, _) = there.as_chunks::<64>();
    for ((word, a), b) in words.iter_mut().zip(here).zip(there) {
        *word = with.equal(a, b);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_agree_with_comparing_one_by_one() {
        let bytes: Vec<u8> = (0..512_u32)
            .map(|i| {
                (i.wrapping_mul(2_654_435_761) >> 29) as u8 ^ if i % 7 == 0 { 0x80 } else { 0 }
            })
            .collect();
        for back in 1..=64 {
            let mut words = [0; 6];
            compare(Portable, &bytes, 64, back, &mut words);
            for i in 0..384 {
                let bit = words[i / 64] >> (i % 64) & 1 == 1;
                assert_eq!(bit, bytes[64 + i] == bytes[64 + i - back], "{i} {back}");
            }
            #[cfg(target_arch = "x86_64")]
            if let Some(v3) = pulp::x86::V3::try_new() {
                let mut again = [0; 6];
                compare(v3, &bytes, 64, back, &mut again);
                assert_eq!(words, again);
            }
        }
    }
}
