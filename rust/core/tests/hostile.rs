//! No input makes the core panic, hang or recurse: errors are typed and carry an offset.

#[path = "pages/random.rs"]
mod random;

use random::Random;
use stillframe_core::testing::capture::page::PartSource;
use stillframe_core::testing::capture::parse::parse;
use stillframe_core::testing::delta::{Delta, DeltaOptions};
use stillframe_core::testing::element::snapshot::Snapshot;
use stillframe_core::testing::error::ErrorKind;
use stillframe_core::testing::page::{Encoding, TestTree, bytes, card_grid};

const SMALL: &str = r##"{"documents":[{"documentURL":0,"frameId":0,"nodes":{"parentIndex":[-1,0,1],"nodeType":[9,1,3],
"nodeName":[1,2,3],"nodeValue":[-1,-1,4],"backendNodeId":[1,2,3],"attributes":[[],[],[]]},
"layout":{"nodeIndex":[0,1,2],"styles":[[],[],[]],"bounds":[[0,0,1,1],[0,0,1,1],[0,0,1,1]]}}],
"strings":["https://a.test/","#document","P","#text","hello"]}"##;

fn kind_of(text: &str) -> ErrorKind {
    match parse(bytes(text.as_bytes().to_vec())) {
        Ok(_) => panic!("this must not parse: {text}"),
        Err(error) => {
            assert!(error.offset <= text.len());
            assert!(!error.to_string().is_empty());
            error.kind
        }
    }
}

fn changed(from: &str, to: &str) -> String {
    assert!(SMALL.contains(from), "{from}");
    SMALL.replacen(from, to, 1)
}

#[test]
fn the_small_page_is_valid() {
    assert_eq!(Snapshot::from_cdp(bytes(SMALL.as_bytes().to_vec())).expect("it is valid").len(), 3);
}

#[test]
fn every_truncation_is_an_error() {
    for end in 0..SMALL.len() {
        assert!(parse(bytes(SMALL.as_bytes()[..end].to_vec())).is_err(), "cut at {end}");
    }
}

#[test]
fn each_kind_of_damage_has_its_error() {
    for (from, to, kind) in [
        (r#""backendNodeId":[1,2,3]"#, r#""backendNodeId":[1,2]"#, ErrorKind::Length),
        (r#""attributes":[[],[],[]]"#, r#""attributes":[[],[]]"#, ErrorKind::Length),
        (r#""attributes":[[],[],[]]"#, r#""attributes":[[],[1],[]]"#, ErrorKind::Length),
        (r#""styles":[[],[],[]]"#, r#""styles":[[],[]]"#, ErrorKind::Length),
        (r#""nodeName":[1,2,3]"#, r#""nodeName":[1,2,5]"#, ErrorKind::Index),
        (r#""attributes":[[],[],[]]"#, r#""attributes":[[],[1,99],[]]"#, ErrorKind::Index),
        (r#""nodeIndex":[0,1,2]"#, r#""nodeIndex":[0,1,3]"#, ErrorKind::Index),
        (r#""parentIndex":[-1,0,1]"#, r#""parentIndex":[-1,0,2]"#, ErrorKind::Order),
        (r#""parentIndex":[-1,0,1]"#, r#""parentIndex":[-1,2,1]"#, ErrorKind::Order),
        (r#""parentIndex":[-1,0,1]"#, r#""parentIndex":[-1,-1,1]"#, ErrorKind::Order),
        (r#""parentIndex":[-1,0,1]"#, r#""parentIndex":[0,0,1]"#, ErrorKind::Order),
        (r#""nodeType":[9,1,3]"#, r#""nodeType":[9,1,300]"#, ErrorKind::Number),
        (r#""backendNodeId":[1,2,3]"#, r#""backendNodeId":[1,2,99999999999]"#, ErrorKind::Number),
        (r#""backendNodeId":[1,2,3]"#, r#""backendNodeId":[1,-2,3]"#, ErrorKind::Number),
        (r#""backendNodeId":[1,2,3]"#, r#""backendNodeId":[1,2.5,3]"#, ErrorKind::Number),
        (r#""backendNodeId":[1,2,3]"#, r#""backendNodeId":[1,"2",3]"#, ErrorKind::Syntax),
        (r#""documents""#, r#""document""#, ErrorKind::Missing),
        (r#""strings""#, r#""string""#, ErrorKind::Missing),
        (r#""nodes""#, r#""node""#, ErrorKind::Missing),
    ] {
        assert_eq!(kind_of(&changed(from, to)), kind, "{to}");
    }
}

#[test]
fn garbage_is_an_error() {
    for text in [
        "",
        " ",
        "null",
        "[]",
        "{}",
        "{",
        "}",
        "\"",
        "{\"documents\":[]}",
        "{\"documents\":[],\"strings\":[]}",
        "nonsense",
        "{\"result\":{\"result\":{}}}",
        "{\"id\":1,\"error\":{\"code\":-32000,\"message\":\"x\"}}",
    ] {
        kind_of(text);
    }
    kind_of(&format!("{SMALL}x"));
    let mut raw = SMALL.as_bytes().to_vec();
    let at = SMALL.find("hello").expect("it is there");
    raw[at] = 0xff;
    assert_eq!(parse(bytes(raw)).err().map(|error| error.kind), Some(ErrorKind::Utf8));
}

#[test]
fn pages_do_produce_lone_surrogates() {
    let text = changed("hello", r"\ud800 a \udc00\ud83d\ude00 \u12");
    let snapshot = Snapshot::from_cdp(bytes(text.into_bytes())).expect("it is valid");
    assert_eq!(snapshot.parts[0].strings.get(4), "\u{fffd} a \u{fffd}\u{1f600} \u{fffd}");
}

#[test]
fn keys_of_other_versions_are_skipped() {
    let text = changed(
        r#""frameId":0"#,
        r#""frameId":0,"note":"a ] } [ {","more":[{"a":["b"]},null,true,-1.5e3],"last":{"x":"}"}"#,
    );
    assert_eq!(Snapshot::from_cdp(bytes(text.into_bytes())).expect("it is valid").len(), 3);
}

/// A chain of 100,000 nodes inside one another.
fn chain(depth: usize) -> String {
    let list = |value: &dyn Fn(usize) -> String| (0..depth).map(value).collect::<Vec<_>>().join(",");
    let parents = list(&|at| (at as i64 - 1).to_string());
    let kinds = list(&|at| if at == 0 { "9".to_owned() } else { "1".to_owned() });
    let names = list(&|_| "0".to_owned());
    let none = list(&|_| "-1".to_owned());
    let ids = list(&|at| (at + 1).to_string());
    let attributes = list(&|_| "[]".to_owned());
    let index = list(&|at| at.to_string());
    format!(
        r#"{{"documents":[{{"nodes":{{"parentIndex":[{parents}],"nodeType":[{kinds}],"nodeName":[{names}],"nodeValue":[{none}],"backendNodeId":[{ids}],"attributes":[{attributes}]}},"layout":{{"nodeIndex":[{index}],"styles":[{attributes}],"bounds":[{attributes}]}}}}],"strings":["DIV"]}}"#
    )
}

#[test]
fn depth_costs_nothing() {
    let text = chain(100_000);
    let before = Snapshot::from_cdp(bytes(text.clone().into_bytes())).expect("deep, but valid");
    // The innermost node gets another id.
    let after = Snapshot::from_cdp(bytes(text.replace(",100000]", ",100001]").into_bytes())).expect("deep, but valid");
    assert_ne!(before.digests().exact, [0; 16]);
    let delta = Delta::between(&before, &after, &DeltaOptions::default());
    assert!(delta.same_document);
    assert_eq!(delta.script_length, 2);
    let nested = "[".repeat(200_000);
    kind_of(&format!(r#"{{"x":{nested}"#));
}

#[test]
fn wide_lists_are_linear() {
    let mut tree = TestTree::new();
    for at in 0..50_000 {
        let item = tree.element(TestTree::BODY, "P", &[]);
        tree.text(item, &format!("item {}", at % 7));
    }
    let before = tree.snapshot();
    tree.nodes[TestTree::BODY].children.reverse();
    let delta = Delta::between(&before, &tree.snapshot(), &DeltaOptions::default());
    assert_eq!((delta.appeared.total, delta.disappeared.total), (0, 0));
    assert_eq!(delta.changed.total, 1);
}

#[test]
fn many_words_and_nested_changes_are_linear() {
    let mut tree = TestTree::new();
    let line = tree.element(TestTree::BODY, "P", &[]);
    let mut nested = line;
    for _ in 0..20_000 {
        nested = tree.element(nested, "SPAN", &[("class", "a")]);
    }
    let before = tree.snapshot();
    for node in &mut tree.nodes[line + 1..] {
        node.attributes[0].1 = "b".to_owned();
    }
    for _ in 0..20_000 {
        tree.element(line, "SPAN", &[]);
    }
    let found = Delta::between(&before, &tree.snapshot(), &DeltaOptions::default());
    assert_eq!(found.changed.total, 20_000);
}

#[test]
fn documents_that_own_each_other_are_refused() {
    let document = |child: usize| {
        format!(
            r#"{{"nodes":{{"parentIndex":[-1,0],"nodeType":[9,1],"nodeName":[0,0],"nodeValue":[-1,-1],"backendNodeId":[1,2],"attributes":[[],[]],"contentDocumentIndex":{{"index":[1],"value":[{child}]}}}}}}"#
        )
    };
    for children in [vec![0], vec![1, 0], vec![2, 2, 1], vec![1, 2, 1]] {
        let documents = children.iter().map(|&child| document(child)).collect::<Vec<_>>().join(",");
        let text = format!(r#"{{"documents":[{documents}],"strings":["A"]}}"#);
        assert!(Snapshot::from_cdp(bytes(text.into_bytes())).is_err(), "{children:?}");
    }
    let part = |key: &str, holder: &str| PartSource {
        key: key.to_owned(),
        owner: Some((holder.to_owned(), Some(2))),
        raw: bytes(SMALL.as_bytes().to_vec()),
        internals: Vec::new(),
    };
    assert_eq!(
        Snapshot::from_parts(vec![part("a", "b"), part("b", "a")], Vec::new()).err().map(|e| e.kind),
        Some(ErrorKind::Cycle)
    );
    assert_eq!(Snapshot::from_parts(vec![part("a", "x")], Vec::new()).err().map(|e| e.kind), Some(ErrorKind::Parts));
    assert_eq!(Snapshot::from_parts(Vec::new(), Vec::new()).err().map(|e| e.kind), Some(ErrorKind::Parts));
}

/// The fuzz targets in small, on any toolchain: damaged pages either fail or can be worked with.
#[test]
fn damaged_pages_never_panic() {
    let seeds = [SMALL.as_bytes().to_vec(), card_grid(60).encode(&Encoding { message: true, ..Encoding::default() })];
    let good = Snapshot::from_cdp(bytes(seeds[1].clone())).expect("it is valid");
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut parsed = 0;
    for round in 0..6_000 {
        let mut raw = seeds[round % 2].clone();
        for _ in 0..=random.below(4) {
            let at = random.below(raw.len());
            match random.below(5) {
                0 => raw[at] = b"0123456789[]{},:\"\\-"[random.below(19)],
                1 => raw[at] = random.below(256) as u8,
                2 => drop(raw.remove(at)),
                3 => raw.insert(at, b"0123456789"[random.below(10)]),
                _ => {
                    let from = random.below(raw.len());
                    let piece = raw[from..(from + 8).min(raw.len())].to_vec();
                    raw.splice(at..at, piece);
                }
            }
        }
        if let Ok(snapshot) = Snapshot::from_cdp(bytes(raw)) {
            parsed += 1;
            let _ = snapshot.digests();
            let _ = Delta::between(&good, &snapshot, &DeltaOptions::default());
            let _ = Delta::between(&snapshot, &good, &DeltaOptions::default());
            let _ = stillframe_core::testing::delta::row::page_rows(
                &snapshot,
                20,
                &stillframe_core::testing::delta::row::Wording::default(),
            );
        }
    }
    assert!(parsed > 100, "only {parsed} damaged pages were still pages");
}
