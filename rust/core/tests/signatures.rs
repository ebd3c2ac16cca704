//! What signatures must not see and must see, how well sketches estimate, what the index must find, and what
//! bad bytes and hostile pages get.

use std::collections::{BTreeSet, HashSet};

use proptest::prelude::*;
use stillframe_core::testing::capture::atom::Atom;
use stillframe_core::testing::capture::columns::ELEMENT;
use stillframe_core::testing::capture::node::{DocumentIndex, Node, NodeIndex};
use stillframe_core::testing::digest::canonical::{looks_generated, token_set};
use stillframe_core::testing::element::snapshot::Snapshot;
use stillframe_core::testing::page::{Encoding, TestTree, card_grid};
use stillframe_core::testing::signature::error::ErrorKind;
use stillframe_core::testing::signature::index::{Blocks, REACH, SignatureIndex};
use stillframe_core::testing::signature::similarity::SimilarityLevel;
use stillframe_core::testing::signature::sketch::{SLOTS, jaccard, min_hash};
use stillframe_core::testing::signature::{Signature, record};

mod pages;
use pages::random::{GAMMA, Random};
use pages::{Edit, a_page, edited};

const GOLDEN: &str = include_str!("signatures.txt");

/// A sequence of numbers that looks random and is the same every time.
fn numbers(seed: u64) -> impl Iterator<Item = u64> {
    let mut random = Random((seed << 32).wrapping_mul(GAMMA));
    std::iter::from_fn(move || Some(random.next()))
}

fn signature(tree: &TestTree) -> Signature {
    Signature::of(&tree.snapshot())
}

/// A signature made up from numbers.
fn made_up(seed: u64) -> Signature {
    let mut numbers = numbers(seed);
    let mut next = || numbers.next().unwrap_or(0);
    let mut signature = signature(&TestTree::new());
    signature.exact[..8].copy_from_slice(&next().to_le_bytes());
    signature.template[..8].copy_from_slice(&next().to_le_bytes());
    signature.text = next();
    signature.structure = std::array::from_fn(|_| next() as u16);
    signature
}

fn paragraph(texts: &[&str]) -> TestTree {
    let mut tree = TestTree::new();
    for text in texts {
        let block = tree.element(TestTree::BODY, "P", &[]);
        tree.text(block, text);
    }
    tree
}

// -- the features --------------------------------------------------------------------------------------------------

/// The pq-grams of a page, written out: the slow twin of the scan.
fn written_grams(snapshot: &Snapshot) -> BTreeSet<String> {
    let mut grams = BTreeSet::new();
    // (node, label, label of the one above)
    let mut stack = vec![(NodeIndex::ROOT, "*".to_owned(), "*".to_owned())];
    while let Some((node, label, above)) = stack.pop() {
        let document = &snapshot.documents[0];
        let (mut window, mut any) = (vec!["*".to_owned(), "*".to_owned()], false);
        for child in document.children(node).filter(|&child| document.kind[child] == ELEMENT) {
            let at = Node { document: DocumentIndex::FIRST, index: child };
            if snapshot.tag(at) == Atom::Head {
                continue;
            }
            let classes = snapshot.attribute(at, Atom::Class);
            if matches!(snapshot.tag(at), Atom::B) && classes.is_none() {
                stack.push((child, format!("({label}"), above.clone()));
                continue;
            }
            let mut tokens = token_set(classes.unwrap_or("").as_bytes());
            tokens.retain(|token| std::str::from_utf8(token).is_ok_and(|token| !looks_generated(token)));
            let role = snapshot.attribute(at, Atom::Role);
            let of_input = snapshot.attribute(at, Atom::Type).filter(|_| snapshot.tag(at) == Atom::Input);
            let name = format!("{} {role:?} {of_input:?} {tokens:?}", snapshot.tag_name(at));
            if window.last() != Some(&name) {
                grams.insert(format!("{above}|{label}|{}|{}|{name}", window[0], window[1]).replace('(', ""));
                window = vec![window[1].clone(), name.clone()];
            }
            any = true;
            stack.push((child, name, label.replace('(', "")));
        }
        if label.starts_with('(') || node == NodeIndex::ROOT {
            continue;
        }
        grams.insert(format!("{above}|{label}|{}|{}|*", window[0], window[1]));
        if any && window[1] != "*" {
            grams.insert(format!("{above}|{label}|{}|*|*", window[1]));
        }
    }
    grams
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn templates_are_equal_where_the_written_grams_are(page in a_page(), edits in prop::collection::vec(any::<Edit>(), 0..4)) {
        let other = edited(&page, &edits);
        let (one, two) = (page.snapshot(), other.snapshot());
        let (first, second) = (written_grams(&one), written_grams(&two));
        let (one, two) = (Signature::of(&one), Signature::of(&two));
        prop_assert_eq!(one.counts.grams as usize, first.len());
        prop_assert_eq!(one.template == two.template, first == second);
        let shared = first.intersection(&second).count() as f64;
        let exact = shared / first.union(&second).count() as f64;
        let sigma = (exact * (1.0 - exact) / SLOTS as f64).sqrt();
        prop_assert!((jaccard(&one.structure, &two.structure) - exact).abs() <= 5.0 * sigma + 1e-9);
    }

    #[test]
    fn the_way_a_page_is_written_down_means_nothing(
        page in a_page(), rotate in 0usize..7, reverse_attributes: bool, reverse_keys: bool, shift in 0u32..1000,
    ) {
        let mut other = page.clone();
        for node in &mut other.nodes {
            node.backend_node_id += shift;
        }
        let encoding = Encoding { rotate, reverse_attributes, reverse_keys, ..Encoding::default() };
        let found = Signature::of(&other.snapshot_as(&encoding));
        prop_assert_eq!(&found, &signature(&page));
        prop_assert_eq!(Signature::from_bytes(&found.to_bytes()), Ok(found));
    }

    #[test]
    fn comparing_does_not_depend_on_the_order(page in a_page(), edits in prop::collection::vec(any::<Edit>(), 0..6)) {
        let other = edited(&page, &edits);
        let (one, two) = (signature(&page), signature(&other));
        prop_assert_eq!(one.compare(&two), two.compare(&one));
        prop_assert_eq!(one.compare(&two).level == SimilarityLevel::Duplicate, one.exact == two.exact);
    }
}

#[test]
fn a_longer_list_has_the_same_template() {
    let (short, long) = (signature(&card_grid(180)), signature(&card_grid(1800)));
    assert_eq!(short.template, long.template);
    let similarity = short.compare(&long);
    assert!(similarity.template && similarity.level == SimilarityLevel::SameTemplate, "{similarity:?}");
}

#[test]
fn blocks_in_another_order_are_the_same_text() {
    let one = signature(&paragraph(&["alpha beta gamma delta", "one two three", "x"]));
    let other = signature(&paragraph(&["x", "one two three", "alpha beta gamma delta"]));
    assert_eq!((one.text, one.counts.shingles), (other.text, 4));
    assert_ne!(one.text, signature(&paragraph(&["alpha beta gamma delta one two three x"])).text);
}

#[test]
fn scripts_without_spaces_have_texts_too() {
    let story = "東京都は日本の首都であり、世界最大級の都市圏を形成している。人口は約千四百万人である。";
    let one = signature(&paragraph(&[story]));
    assert!(one.counts.shingles > 30, "{:?}", one.counts);
    let edited = signature(&paragraph(&[&story.replace("最大級", "有数")]));
    let other = "京都市は京都府の府庁所在地で、千年以上にわたり都であった歴史のある街として知られる。";
    let another = signature(&paragraph(&[other]));
    assert!(one.compare(&edited).text_distance < 16);
    assert!(one.compare(&another).text_distance > 20);
}

#[test]
fn what_the_main_content_says_outweighs_the_frame_of_the_site() {
    let page = |nav: &str, main: &str| {
        let mut tree = TestTree::new();
        for (tag, text) in [("NAV", nav), ("MAIN", main)] {
            let holder = tree.element(TestTree::BODY, tag, &[]);
            tree.text(holder, text);
        }
        signature(&tree)
    };
    let words = |seed: u64, count: usize| numbers(seed).take(count).map(letters).collect::<Vec<String>>().join(" ");
    let (frame, story) = (words(1, 100), words(2, 100));
    let base = page(&frame, &story);
    let other_story = base.compare(&page(&frame, &words(3, 100))).text_distance;
    let other_frame = base.compare(&page(&words(4, 100), &story)).text_distance;
    assert!(other_frame + 10 < other_story, "{other_frame} {other_story}");
}

fn letters(number: u64) -> String {
    (0..6).map(|at| char::from(b'a' + (number >> (5 * at) & 15) as u8)).collect()
}

#[test]
fn signatures_are_the_same_on_every_machine() {
    let mut lines = String::new();
    let page = |text: &str| paragraph(&[text, "12 items", "Ärger über Öl"]);
    for (name, tree) in [("grid", card_grid(1000)), ("cjk", page("東京都は日本の首都")), ("empty", TestTree::new())]
    {
        let hex: String = signature(&tree).to_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
        lines.push_str(&format!("{name} {hex}\n"));
    }
    assert_eq!(
        lines, GOLDEN,
        "signatures changed: raise VERSION and write these lines to rust/core/tests/signatures.txt"
    );
}

#[test]
fn estimates_are_within_three_sigma() {
    let (mut pairs, mut outside, mut bias) = (0, 0, 0.0);
    for seed in 0..600u64 {
        let size = [8, 20, 60, 200, 1000, 4000][seed as usize % 6];
        let shared = size * (1 + seed as usize / 6 % 9) / 10;
        let all: Vec<u64> = numbers(seed).take(2 * size - shared).collect();
        let (one, other) = (&all[..size], &all[size - shared..]);
        let exact = shared as f64 / all.len() as f64;
        let error = jaccard(&min_hash(one), &min_hash(other)) - exact;
        let sigma = (exact * (1.0 - exact) / SLOTS as f64).sqrt();
        assert!(error.abs() <= 5.0 * sigma, "{size} {exact} {error}");
        outside += usize::from(error.abs() > 3.0 * sigma);
        bias += error;
        pairs += 1;
    }
    assert!(outside <= pairs / 100, "{outside} of {pairs} beyond three sigma");
    assert!((bias / f64::from(pairs as u32)).abs() < 0.006, "biased by {}", bias / f64::from(pairs as u32));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_blocks_find_what_looking_at_all_finds(seed in 0u64..1 << 30, size in 1usize..400, clusters in 1u64..40) {
        // Hashes near a few centres, so that there are many pairs at every small distance.
        let centres: Vec<u64> = numbers(seed).take(clusters as usize).collect();
        let hashes: Vec<u64> = numbers(seed + 1).take(size).map(|number| {
            let flips = (number >> 60) % 6;
            (0..flips).fold(centres[(number % clusters) as usize], |hash, at| hash ^ 1 << (number >> (6 * at + 8) & 63))
        }).collect();
        let mut blocks = Blocks::default();
        hashes.iter().enumerate().for_each(|(slot, &hash)| blocks.add(hash, slot as u32));
        for &wanted in hashes.iter().chain(&centres) {
            let mut found = BTreeSet::new();
            let truncated = blocks.near(wanted, |slot| hashes[slot as usize], |slot| {
                found.insert(slot);
                true
            });
            prop_assert!(!truncated);
            let all = hashes.iter().enumerate().filter(|(_, hash)| (**hash ^ wanted).count_ones() <= REACH);
            prop_assert_eq!(found, all.map(|(slot, _)| slot as u32).collect::<BTreeSet<_>>());
        }
    }

    #[test]
    fn the_index_tells_what_comparing_with_all_tells(seed in 0u64..1 << 30, size in 1usize..60, removed in 0usize..30) {
        let mut index = SignatureIndex::new();
        let mut twin: Vec<(String, Signature)> = Vec::new();
        for (at, number) in numbers(seed).take(size).enumerate() {
            // Variants of a few pages: other text bits, other slots of the structure, or quite equal.
            let mut one = made_up(number % 7);
            (0..number >> 8 & 3).for_each(|bit| one.text ^= 1 << (number >> (10 + 6 * bit) & 63));
            (0..number >> 40 & 15).for_each(|slot| one.structure[slot as usize * 8] ^= 1);
            one.exact[15] = (number >> 50) as u8 & 1;
            let key = format!("page {}", at % 50);
            index.add(&key, one.clone());
            twin.retain(|entry| entry.0 != key);
            twin.push((key, one));
        }
        for (at, number) in numbers(seed + 9).take(removed).enumerate() {
            let key = format!("page {}", (number + at as u64) % 50);
            prop_assert_eq!(index.remove(&key), twin.iter().any(|entry| entry.0 == key));
            twin.retain(|entry| entry.0 != key);
        }
        let again = SignatureIndex::from_bytes(&index.to_bytes()).expect("what it wrote");
        prop_assert_eq!(index.len(), twin.len());
        for wanted in (0..8).map(made_up) {
            let answer = index.query(&wanted, usize::MAX);
            let found: Vec<(String, SimilarityLevel)> =
                answer.matches.iter().map(|one| (index.key(one.slot).to_owned(), one.similarity.level)).collect();
            let named: BTreeSet<(String, SimilarityLevel)> = found.iter().cloned().collect();
            prop_assert_eq!(named.len(), found.len());
            prop_assert!(found.is_sorted_by(|one, other| one.1 >= other.1));
            let near = |other: &Signature| (other.text ^ wanted.text).count_ones() <= REACH;
            let told = |other: &Signature| wanted.compare(other).level > SimilarityLevel::New && (!answer.truncated || near(other));
            let told = twin.iter().filter(|entry| told(&entry.1));
            let told: BTreeSet<_> = told.map(|(key, other)| (key.clone(), wanted.compare(other).level)).collect();
            prop_assert!(told.is_subset(&named));
            prop_assert!(answer.truncated || told == named);
            let read = again.query(&wanted, usize::MAX);
            let reread = read.matches.iter().map(|one| (again.key(one.slot).to_owned(), one.similarity.level));
            prop_assert!(answer.truncated || read.truncated || reread.collect::<BTreeSet<_>>() == named);
        }
    }
}

#[test]
fn a_query_among_equal_signatures_does_not_grow() {
    let one = made_up(1);
    let mut steps = Vec::new();
    let mut index = SignatureIndex::new();
    for size in [2_000, 20_000] {
        for at in index.len()..size {
            index.add(&at.to_string(), one.clone());
        }
        let answer = index.query(&one, 5);
        assert!(answer.truncated && answer.matches.len() == 5);
        assert!(answer.matches.iter().all(|found| found.similarity.level == SimilarityLevel::Duplicate));
        steps.push(answer.steps);
    }
    assert_eq!(steps[0], steps[1]);
    assert!(steps[1] < 1100, "{steps:?}");
    // An equal page is found first, full places or not.
    let mut hidden = made_up(2);
    hidden.text = one.text;
    hidden.structure = one.structure;
    index.add("hidden", hidden.clone());
    for at in 0..2_000 {
        index.add(&format!("after {at}"), one.clone());
    }
    let found = index.query(&hidden, 1);
    assert_eq!(index.key(found.matches[0].slot), "hidden");
    assert_eq!(found.matches[0].similarity.level, SimilarityLevel::Duplicate);
}

#[test]
fn one_key_put_in_and_taken_out_again_and_again_leaves_nothing_behind() {
    let mut index = SignatureIndex::new();
    for at in 0..5_000 {
        assert!(index.add("key", made_up(at % 5)));
        assert_eq!(index.len(), 1);
        assert!(at % 3 > 0 || index.remove("key"));
    }
    assert!(index.memory() < 7_000_000, "{}", index.memory());
    assert!(!index.remove("other"));
}

// -- bad bytes -----------------------------------------------------------------------------------------------------

fn small_index() -> SignatureIndex {
    let mut index = SignatureIndex::new();
    for (at, key) in ["", "https://a.test/", "ключ"].into_iter().enumerate() {
        index.add(key, made_up(at as u64));
    }
    index
}

#[test]
fn every_cut_and_every_wrong_byte_is_an_error_with_its_offset() {
    let (one, index) = (made_up(3).to_bytes(), small_index().to_bytes());
    assert_eq!(one.len(), record::LENGTH);
    type Read = fn(&[u8]) -> Option<(ErrorKind, usize)>;
    let readers: [(&[u8], Read); 2] = [
        (&one, |bytes| Signature::from_bytes(bytes).err().map(|error| (error.kind, error.offset))),
        (&index, |bytes| SignatureIndex::from_bytes(bytes).err().map(|error| (error.kind, error.offset))),
    ];
    for (bytes, read) in readers {
        assert_eq!(read(bytes), None);
        for end in 0..bytes.len() {
            let (kind, offset) = read(&bytes[..end]).expect("an error");
            assert!(kind == ErrorKind::Truncated && offset <= end, "{kind:?} at {offset} of {end}");
        }
        for at in 0..bytes.len() {
            let mut wrong = bytes.to_vec();
            wrong[at] ^= 0x41;
            let (_, offset) = read(&wrong).expect("an error");
            assert!(offset <= bytes.len());
        }
        let longer = [bytes, b"x"].concat();
        assert!(read(&longer).is_some());
        for (at, kind) in [(0, ErrorKind::Magic), (3, ErrorKind::Version), (5, ErrorKind::Seed)] {
            let mut wrong = bytes.to_vec();
            wrong[at] ^= 1;
            assert_eq!(read(&wrong).map(|error| error.0), Some(kind));
        }
    }
}

#[test]
fn a_header_that_lies_about_its_length_gets_no_memory() {
    let mut bytes = small_index().to_bytes();
    bytes[8..16].copy_from_slice(&u64::MAX.to_le_bytes());
    assert_eq!(SignatureIndex::from_bytes(&bytes).err().map(|error| error.kind), Some(ErrorKind::Truncated));
    bytes[8..16].copy_from_slice(&1u64.to_le_bytes());
    assert_eq!(SignatureIndex::from_bytes(&bytes).err().map(|error| error.kind), Some(ErrorKind::Trailing));
}

#[test]
fn hostile_pages_are_scanned_in_linear_work() {
    let mut deep = TestTree::new();
    let mut at = TestTree::BODY;
    for depth in 0..30_000 {
        at = deep.element(at, ["DIV", "B", "A", "SVG-X"][depth % 4], &[("class", ["a", "b", "c"][depth % 3])]);
    }
    let mut wide = TestTree::new();
    for number in 0..30_000 {
        let one = wide.element(TestTree::BODY, "I", &[("class", &format!("k{}", letters(number * 7)))]);
        wide.text(one, "\u{0} \u{301}\u{301} ﷽ 👩‍👩‍👧 ﬃ");
    }
    for tree in [deep, wide] {
        let one = signature(&tree);
        assert!(one.counts.nodes > 30_000);
        assert!(one.structure.iter().collect::<HashSet<_>>().len() > 10);
    }
}
