//! Made-up signatures, to measure an index with.

use crate::signature::{SEED, Signature, mix};
use crate::testing::page::TestTree;

/// Make signatures of `count` different pages of `templates` templates.
pub fn made_up_signatures(count: usize, templates: u64) -> Vec<Signature> {
    let empty = Signature::of(&TestTree::new().snapshot());
    let number = |seed: u64, at: u64| mix(mix(seed, at), SEED);
    let page = |at: u64| {
        let template = at % templates.max(1);
        let mut made = empty.clone();
        made.exact[..8].copy_from_slice(&number(1, at).to_le_bytes());
        made.template[..8].copy_from_slice(&number(2, template).to_le_bytes());
        made.text = number(3, at);
        made.structure = std::array::from_fn(|slot| number(4 + slot as u64, template) as u16);
        made
    };
    (0..count as u64).map(page).collect()
}
