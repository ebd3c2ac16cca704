//! How similar two pages are, by their signatures.

use super::Signature;
use super::index::blocks::REACH;
use super::sketch::jaccard;

/// Different bits up to which two texts are taken for the same one.
///
/// Source of this and the next three: bench/duplicates.py, whose thresholds are chosen on one half of the sites and tried
/// on the other. Three bits, as Manku, Jain and Das Sarma (WWW 2007) have it for pages without noise, finds two thirds of
/// the near-duplicates there; different texts begin at 15 bits.
pub const TEXT_BITS: u32 = 12;

/// Letters for each bit that may differ: a text with few letters has few shingles, so that one other word is many bits.
pub const LETTERS_PER_BIT: u32 = 64;

/// Jaccard similarity of structures from which two pages are of one template: other templates of the same site stay
/// below 0.6, and advertisements, badges and banners leave a page above 0.7 of itself.
pub const SAME_TEMPLATE: f64 = 0.65;

/// Jaccard similarity of structures from which two pages are related: pages of different sites stay below 0.33.
pub const RELATED: f64 = 0.4;

/// How similar two pages are; later variants are more similar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum SimilarityLevel {
    /// Another page.
    New,
    /// Shares much of its structure, as pages of one site do.
    Related,
    /// The same template with other content.
    SameTemplate,
    /// The same but for what changes from load to load.
    NearDuplicate,
    /// Equal canonical forms.
    Duplicate,
}

/// A level with its evidence.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Similarity {
    pub level: SimilarityLevel,
    /// Whether the exact digests are equal.
    pub exact: bool,
    /// Whether the sets of pq-grams are equal.
    pub template: bool,
    /// The estimated Jaccard similarity of the structures.
    pub structure: f64,
    /// Different bits of the SimHashes of the texts, of 64.
    pub text_distance: u32,
    /// Whether the URLs have one pattern. It does not count towards the level.
    pub url: bool,
}

impl Signature {
    /// Compare two pages; symmetric. O(1).
    #[must_use]
    pub fn compare(&self, other: &Self) -> Similarity {
        let exact = self.exact == other.exact;
        let template = self.template == other.template;
        let structure = if template { 1.0 } else { jaccard(&self.structure, &other.structure) };
        let text_distance = (self.text ^ other.text).count_ones();
        let same_text = text_distance <= allowed_bits(self.counts.text.min(other.counts.text));
        let level = level(exact, structure, same_text);
        Similarity { level, exact, template, structure, text_distance, url: self.url == other.url }
    }
}

/// How many bits two texts may differ in and still count as the same, if the shorter one has `letters` letters. Never
/// fewer than the index is sure to find.
fn allowed_bits(letters: u32) -> u32 {
    (letters / LETTERS_PER_BIT).clamp(REACH, TEXT_BITS)
}

fn level(exact: bool, structure: f64, same_text: bool) -> SimilarityLevel {
    match structure {
        _ if exact => SimilarityLevel::Duplicate,
        SAME_TEMPLATE.. if same_text => SimilarityLevel::NearDuplicate,
        SAME_TEMPLATE.. => SimilarityLevel::SameTemplate,
        RELATED.. => SimilarityLevel::Related,
        _ => SimilarityLevel::New,
    }
}
