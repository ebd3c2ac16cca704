//! How similar two elements are: one number between 0 and 1 per property, and the weight of each property.
//!
//! Texts are compared as sets of words (Jaccard), not by edits: linear, and an inserted word costs little. A property
//! that neither element has says nothing and counts for nothing; one that only one of them has counts in full.

use crate::element::fingerprint::Traits;

/// What each property counts for. The starting point is Similo's (1.5 for tag, name, id and text, 0.5 for the rest);
/// these were tuned by bench/relocate.py on half of its pages, and reported on the other half.
pub const WEIGHTS: [(&str, f32); 16] = [
    ("tag", 0.5),
    ("role", 0.5),
    ("name", 2.0),
    ("text", 3.0),
    ("id", 1.5),
    ("classes", 1.0),
    ("attributes", 0.5),
    ("href", 2.0),
    ("heading", 0.5),
    ("around", 3.0),
    ("landmarks", 0.5),
    ("above", 0.5),
    ("structure", 0.5),
    ("place", 0.5),
    ("position", 0.25),
    ("size", 0.25),
];

/// CSS pixels after which a place on the page is another one.
const NEAR: f32 = 400.0;

/// Ancestors whose tags are compared.
const ABOVE: usize = 8;

/// How like one property of two elements is, and what it counts for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Evidence {
    pub property: &'static str,
    pub weight: f32,
    pub similarity: f32,
}

/// How much a word says on this page: rare ones say more.
pub trait Rarity {
    fn of_class(&self, class: &str) -> f32;
}

/// The weighted mean of the evidence.
pub fn score(evidence: &[Evidence]) -> f32 {
    let all: f32 = evidence.iter().map(|one| one.weight).sum();
    let sum: f32 = evidence.iter().map(|one| one.weight * one.similarity).sum();
    if all > 0.0 { sum / all } else { 0.0 }
}

/// What speaks for and against two elements being the same one; only properties that one of them has.
pub fn evidence(old: &Traits, new: &Traits, rarity: &dyn Rarity) -> Vec<Evidence> {
    let similarities = [
        either(&old.tag, &new.tag, equal),
        either(&old.role, &new.role, equal),
        either(&old.name, &new.name, words),
        either(&old.text, &new.text, words),
        either(&old.id, &new.id, words),
        classes(&old.classes, &new.classes, rarity),
        attributes(&old.attributes, &new.attributes),
        either(&old.href, &new.href, words),
        either(&old.heading, &new.heading, words),
        either(&old.around, &new.around, words),
        sequence(&old.landmarks, &new.landmarks),
        sequence(&old.above[..old.above.len().min(ABOVE)], &new.above[..new.above.len().min(ABOVE)]),
        Some(f32::from(old.structure == new.structure)),
        Some(place(old.place, new.place)),
        bounds(old.bounds, new.bounds, near),
        bounds(old.bounds, new.bounds, sized),
    ];
    let told = WEIGHTS.iter().zip(similarities);
    told.filter_map(|(&(property, weight), similarity)| Some(Evidence { property, weight, similarity: similarity? }))
        .collect()
}

fn either(old: &str, new: &str, like: impl Fn(&str, &str) -> f32) -> Option<f32> {
    match (old.is_empty(), new.is_empty()) {
        (true, true) => None,
        (false, false) => Some(like(old, new)),
        _ => Some(0.0),
    }
}

fn equal(old: &str, new: &str) -> f32 {
    f32::from(old == new)
}

/// The share of words that two texts have in common; texts that differ in order alone are not quite equal.
fn words(old: &str, new: &str) -> f32 {
    if old == new {
        return 1.0;
    }
    let split = |text: &str| -> Vec<String> {
        let pieces = text.split(|letter: char| !letter.is_alphanumeric()).filter(|piece| !piece.is_empty());
        let mut words: Vec<String> = pieces.map(str::to_lowercase).collect();
        words.sort_unstable();
        words.dedup();
        words
    };
    let (old, new) = (split(old), split(new));
    let shared = old.iter().filter(|word| new.binary_search(word).is_ok()).count();
    let all = old.len() + new.len() - shared;
    if all == 0 {
        return 0.0;
    }
    0.95 * shared as f32 / all as f32
}

fn classes(old: &[String], new: &[String], rarity: &dyn Rarity) -> Option<f32> {
    if old.is_empty() && new.is_empty() {
        return None;
    }
    let weight = |classes: &[String], keep: &dyn Fn(&String) -> bool| -> f32 {
        classes.iter().filter(|class| keep(class)).map(|class| rarity.of_class(class)).sum()
    };
    let shared = weight(old, &|class| new.contains(class));
    let all = weight(old, &|_| true) + weight(new, &|class| !old.contains(class));
    Some(if all > 0.0 { shared / all } else { 0.0 })
}

fn attributes(old: &[(String, String)], new: &[(String, String)]) -> Option<f32> {
    if old.is_empty() && new.is_empty() {
        return None;
    }
    let mut sum = 0.0;
    let mut shared = 0;
    for (name, value) in old {
        if let Some((_, other)) = new.iter().find(|(other, _)| other == name) {
            shared += 1;
            sum += words(value, other);
        }
    }
    Some(sum / (old.len() + new.len() - shared) as f32)
}

/// The share of two lists that a common beginning and a common end make up.
fn sequence(old: &[String], new: &[String]) -> Option<f32> {
    let longest = old.len().max(new.len());
    if longest == 0 {
        return None;
    }
    let front = old.iter().zip(new).take_while(|(one, other)| one == other).count();
    let rest = old.len().min(new.len()) - front;
    let back = old.iter().rev().zip(new.iter().rev()).take(rest).take_while(|(one, other)| one == other).count();
    Some((front + back) as f32 / longest as f32)
}

fn place(old: (u32, u32), new: (u32, u32)) -> f32 {
    let apart = old.0.abs_diff(new.0).min(old.1.saturating_sub(1 + old.0).abs_diff(new.1.saturating_sub(1 + new.0)));
    1.0 / (1.0 + apart as f32)
}

fn bounds(old: Option<[f32; 4]>, new: Option<[f32; 4]>, like: fn([f32; 4], [f32; 4]) -> f32) -> Option<f32> {
    match (old, new) {
        (Some(old), Some(new)) => Some(like(old, new)),
        (None, None) => None,
        _ => Some(0.0),
    }
}

fn near(old: [f32; 4], new: [f32; 4]) -> f32 {
    let apart = (old[0] - new[0]).hypot(old[1] - new[1]);
    if apart.is_finite() { (1.0 - apart / NEAR).max(0.0) } else { 0.0 }
}

fn sized(old: [f32; 4], new: [f32; 4]) -> f32 {
    let ratio = |one: f32, other: f32| {
        let (less, more) = (one.min(other).max(0.0) + 1.0, one.max(other).max(0.0) + 1.0);
        if (less / more).is_finite() { less / more } else { 0.0 }
    };
    ratio(old[2], new[2]) * ratio(old[3], new[3])
}
