//! Mixing of hashes: one multiplication per pair of words, and a polynomial over 2^61 - 1 for lists.

use xxhash_rust::xxh3::xxh3_64_with_seed;

const MODULUS: u64 = (1 << 61) - 1;

/// The product of two words, folded to one.
#[inline(always)]
pub fn fold_multiply(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    (product as u64) ^ ((product >> 64) as u64)
}

/// `value * base + next` over 2^61 - 1, up to one multiple of the modulus.
///
/// For a base below 2^60 and a value below 2^62 + 16 the result is below 2^62 + 16 again, so a list is reduced once, at
/// its end, by `reduced`. The polynomial is order-sensitive and associative: a long list may be kept in blocks.
#[inline(always)]
pub fn append(value: u64, base: u64, next: u64) -> u64 {
    let product = u128::from(value) * u128::from(base) + u128::from(next);
    (product as u64 & MODULUS) + (product >> 61) as u64
}

/// The one representative of a value that `append` returned (but for the residues 0 and 1, which have two each).
#[inline(always)]
pub fn reduced(value: u64) -> u64 {
    (value & MODULUS) + (value >> 61)
}

/// The word that `seed` gives for `number`.
pub fn draw(seed: u64, number: u64) -> u64 {
    xxh3_64_with_seed(&number.to_le_bytes(), seed)
}

/// A base for `append`.
pub fn draw_base(seed: u64, number: u64) -> u64 {
    (draw(seed, number) >> 4) | 1
}
