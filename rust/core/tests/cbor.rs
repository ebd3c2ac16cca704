//! Chrome's CBOR means the same as its JSON, and no CBOR makes the core panic, hang or recurse.

mod crdtp;
mod pages;

use crdtp::{container, encode, envelope, head, spell_message, string, wide};
use pages::a_page;
use pages::random::Random;
use proptest::prelude::*;
use serde_json::{Value, json};
use stillframe_core::testing::capture::bounds::bounds;
use stillframe_core::testing::capture::node::{DocumentIndex, Node};
use stillframe_core::testing::capture::parse::parse;
use stillframe_core::testing::delta::row::{Wording, page_rows};
use stillframe_core::testing::delta::{Delta, DeltaOptions};
use stillframe_core::testing::element::snapshot::Snapshot;
use stillframe_core::testing::error::ErrorKind;
use stillframe_core::testing::page::{Encoding, TestTree, bytes, card_grid, four_edits};
use stillframe_core::testing::wire::{from_cbor, to_cbor};

fn both(json: &[u8]) -> (Snapshot, Snapshot) {
    let value: Value = serde_json::from_slice(json).expect("valid JSON");
    let cbor = Snapshot::from_cdp(bytes(encode(&value))).expect("the same page");
    (Snapshot::from_cdp(bytes(json.to_vec())).expect("a page"), cbor)
}

/// Everything a snapshot says is the same.
fn assert_same(one: &Snapshot, two: &Snapshot) {
    let digests = |snapshot: &Snapshot| {
        let found = snapshot.digests();
        (found.exact, found.visible, found.structure)
    };
    assert_eq!(digests(one), digests(two));
    assert_eq!(one.len(), two.len());
    assert_eq!(
        format!("{:?}", page_rows(one, 100, &Wording::default())),
        format!("{:?}", page_rows(two, 100, &Wording::default()))
    );
    for (a, b) in one.documents.iter().zip(&two.documents) {
        assert_eq!(
            (&a.parent, &a.kind, &a.backend_node_id, &a.flags),
            (&b.parent, &b.kind, &b.backend_node_id, &b.flags)
        );
        assert_eq!(a.content_size, b.content_size);
    }
    assert!(Delta::between(one, two, &DeltaOptions::default()).is_empty());
}

fn assert_same_boxes(one: &Snapshot, two: &Snapshot) {
    for (document, columns) in one.documents.iter().enumerate() {
        for index in columns.nodes() {
            let node = Node { document: DocumentIndex::from_at(document), index };
            assert_eq!(bounds(one, node), bounds(two, node));
        }
    }
}

proptest! {
    #[test]
    fn a_page_is_the_same_in_either_encoding(page in a_page(), message: bool, reverse_keys: bool, rotate in 0usize..40) {
        let encoding = Encoding { message, reverse_keys, rotate, ..Encoding::default() };
        let (json, cbor) = both(&page.encode(&encoding));
        assert_same(&json, &cbor);
        assert_same_boxes(&json, &cbor);
    }

    #[test]
    fn messages_read_as_the_slow_reader_reads_them(value in a_message()) {
        let cbor = encode(&value);
        let json = from_cbor::json(&cbor).expect("a message");
        prop_assert_eq!(Some(String::from_utf8(json.clone()).expect("UTF-8")), spell_message(&cbor));
        prop_assert_eq!(&serde_json::from_slice::<Value>(&json).expect("JSON"), &value);
        // And back: bytes for bytes, since both put the keys in the same order.
        let back = to_cbor::cbor(&json).expect("a message");
        prop_assert_eq!(from_cbor::json(&back).expect("a message"), json);
    }

    #[test]
    fn doubles_read_back_as_they_were(value: f64) {
        let cbor = container(0xbf, vec![string("x"), [&[0xfb][..], &value.to_be_bytes()].concat()]);
        let json = String::from_utf8(from_cbor::json(&cbor).expect("a message")).expect("UTF-8");
        let text = json.trim_start_matches("{\"x\":").trim_end_matches('}');
        let back = text.parse::<f64>().ok();
        prop_assert_eq!(back, value.is_finite().then_some(value));
        if value.is_finite() {
            let again = to_cbor::cbor(json.as_bytes()).expect("a message");
            prop_assert_eq!(from_cbor::json(&again).expect("a message"), json.replace("-0}", "0}").into_bytes());
        }
    }

    #[test]
    fn binary_is_base64(data: Vec<u8>) {
        let cbor = container(0xbf, vec![string("x"), vec![0xd6], head(2, data.len() as u64), data]);
        let json = String::from_utf8(from_cbor::json(&cbor).expect("a message")).expect("UTF-8");
        prop_assert_eq!(Some(json), spell_message(&cbor));
    }

    #[test]
    fn any_bytes_are_an_error_or_what_the_slow_reader_says(data: Vec<u8>, wrapped: bool) {
        let data = if wrapped { envelope(&[&[0xbf][..], &data, &[0xff]].concat()) } else { data };
        let json = from_cbor::json(&data).ok().map(|json| String::from_utf8(json).expect("UTF-8"));
        prop_assert_eq!(json, spell_message(&data));
        let _ = to_cbor::cbor(&data);
        let _ = parse(bytes(data));
    }
}

/// Messages with all kinds of values and text.
fn a_message() -> impl Strategy<Value = Value> {
    let number = prop_oneof![any::<i32>().prop_map(Value::from), (-30i32..300).prop_map(|n| json!(f64::from(n) + 0.5))];
    let text = prop_oneof!["[ -~]{0,30}", "\\PC{0,8}", "[\\x00-\\x1f\"\\\\é😀]{0,6}"].prop_map(Value::from);
    let leaf = prop_oneof![Just(Value::Null), any::<bool>().prop_map(Value::from), number, text];
    let value = leaf.prop_recursive(5, 60, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::btree_map("[a-zé]{0,4}", inner, 0..6).prop_map(|map| map.into_iter().collect()),
        ]
    });
    prop::collection::btree_map("[a-z]{1,5}", value, 0..6).prop_map(|map| map.into_iter().collect())
}

#[test]
fn a_large_page_with_edits_gives_the_same_delta() {
    let mut tree = card_grid(3_000);
    let before = both(&tree.encode(&Encoding::default()));
    four_edits(&mut tree);
    let after = both(&tree.encode(&Encoding { message: true, rotate: 7, ..Encoding::default() }));
    assert_same(&before.0, &before.1);
    assert_same(&after.0, &after.1);
    let told = |before: &Snapshot, after: &Snapshot| {
        let found = Delta::between(before, after, &DeltaOptions::default());
        format!("{:?} {:?} {:?}", found.appeared.rows, found.disappeared.rows, found.changed.rows)
    };
    // A capture in one encoding compares with one in the other.
    assert_eq!(told(&before.0, &after.0), told(&before.1, &after.1));
    assert_eq!(told(&before.0, &after.0), told(&before.0, &after.1));
    assert_eq!(told(&before.0, &after.0), told(&before.1, &after.0));
}

/// A page of three nodes. `change` sees every field before it is written.
fn small(change: impl Fn(&str, Value) -> Vec<u8>) -> Vec<u8> {
    let fields = |members: Vec<(&str, Value)>| {
        let parts = members.into_iter().flat_map(|(key, value)| [string(key), change(key, value)]).collect();
        container(0xbf, parts)
    };
    let nodes = fields(vec![
        ("parentIndex", json!([-1, 0, 1])),
        ("nodeType", json!([9, 1, 3])),
        ("nodeName", json!([1, 2, 3])),
        ("nodeValue", json!([-1, -1, 4])),
        ("backendNodeId", json!([1, 2, 70_000])),
        ("attributes", json!([[], [5, 5], []])),
    ]);
    let layout = fields(vec![
        ("nodeIndex", json!([0, 1, 2])),
        ("styles", json!([[], [0], [0]])),
        ("bounds", json!([[0, 0, 1, 1], [0, 0, 1, 1.5], [0, 0, 1, 1]])),
        ("text", json!([-1, -1, 4])),
        ("paintOrders", json!([0, 1, 2])),
    ]);
    let url = [string("documentURL"), change("documentURL", json!(0))].concat();
    let document = container(0xbf, vec![url, string("nodes"), nodes, string("layout"), layout]);
    let documents = container(0x9f, vec![document]);
    let strings = change("strings", json!(["https://a.test/", "#document", "P", "#text", "hello", "class"]));
    container(0xbf, vec![string("documents"), documents, string("strings"), strings])
}

fn whole() -> Vec<u8> {
    small(|_, value| encode(&value))
}

fn kind_of(raw: Vec<u8>) -> Option<ErrorKind> {
    let length = raw.len();
    let error = parse(bytes(raw)).err()?;
    assert!(error.offset <= length);
    Some(error.kind)
}

#[test]
fn the_small_page_is_valid() {
    let raw = whole();
    let snapshot = Snapshot::from_cdp(bytes(raw.clone())).expect("it is valid");
    assert_eq!(snapshot.len(), 3);
    assert_eq!(bounds(&snapshot, Node::numbered(0, 1)), Some([0.0, 0.0, 1.0, 1.5]));
    // As the message that carries it, whose other members do not belong to the content.
    let message = container(
        0xbf,
        vec![string("id"), head(0, 7), string("result"), raw.clone(), string("sessionId"), string("S")],
    );
    let snapshot = Snapshot::from_cdp(bytes(message)).expect("it is valid");
    assert_eq!(snapshot.parts[0].content(), raw);
}

#[test]
fn every_truncation_is_an_error() {
    let raw = whole();
    for end in 0..raw.len() {
        assert!(kind_of(raw[..end].to_vec()).is_some(), "cut at {end}");
        assert!(from_cbor::json(&raw[..end]).is_err(), "cut at {end}");
    }
    assert_eq!(kind_of([raw, vec![0xff]].concat()), Some(ErrorKind::Syntax));
}

#[test]
fn each_kind_of_damage_has_its_error() {
    let long = |value: &Value, by: i8| {
        let mut raw = encode(value);
        raw[6] = raw[6].wrapping_add_signed(by);
        raw
    };
    type Damage<'a> = (&'a str, &'a dyn Fn(Value) -> Vec<u8>, ErrorKind);
    let damages: [Damage; 16] = [
        ("backendNodeId", &|_| encode(&json!([1, 2])), ErrorKind::Length),
        ("attributes", &|_| encode(&json!([[], [1], []])), ErrorKind::Length),
        ("nodeName", &|_| encode(&json!([1, 2, 6])), ErrorKind::Index),
        ("parentIndex", &|_| encode(&json!([-1, 2, 1])), ErrorKind::Order),
        ("nodeType", &|_| encode(&json!([9, 1, 300])), ErrorKind::Number),
        ("backendNodeId", &|_| encode(&json!([1, -2, 3])), ErrorKind::Number),
        ("backendNodeId", &|_| encode(&json!([1, 2.5, 3])), ErrorKind::Number),
        ("backendNodeId", &|_| encode(&json!([1, 3_000_000_000u32, 3])), ErrorKind::Number),
        ("backendNodeId", &|_| encode(&json!([1, "2", 3])), ErrorKind::Syntax),
        ("backendNodeId", &|_| encode(&json!({})), ErrorKind::Syntax),
        // Not in an envelope.
        ("backendNodeId", &|_| vec![0x9f, 1, 2, 3, 0xff], ErrorKind::Syntax),
        ("backendNodeId", &|value| long(&value, -1), ErrorKind::Nesting),
        ("backendNodeId", &|value| long(&value, 1), ErrorKind::Nesting),
        (
            "attributes",
            &|_| container(0x9f, vec![long(&json!([]), 1), encode(&json!([])), encode(&json!([]))]),
            ErrorKind::Nesting,
        ),
        // Longer than all there is.
        ("bounds", &|_| vec![0xd8, 0x18, 0x5a, 0xff, 0xff, 0xff, 0xff, 0x9f], ErrorKind::Truncated),
        ("strings", &|_| container(0x9f, vec![head(3, 1), vec![0xff]]), ErrorKind::Utf8),
    ];
    for (at, (wanted, damage, kind)) in damages.iter().enumerate() {
        let raw = small(|key, value| if key == *wanted { damage(value) } else { encode(&value) });
        assert_eq!(kind_of(raw), Some(*kind), "damage {at}: {wanted}");
    }
    // A field nobody reads may be anything that has the length it says, but may not lie about that.
    let raw = small(|key, value| if key == "paintOrders" { envelope(b"nonsense") } else { encode(&value) });
    assert_eq!(kind_of(raw), None);
    let raw = small(|key, value| if key == "paintOrders" { long(&value, 2) } else { encode(&value) });
    assert!(kind_of(raw).is_some());
}

#[test]
fn text_comes_as_utf_8_and_as_utf_16() {
    let text = [0xd800, 97, 0xdc00, 0xd83d, 0xde00];
    let table = container(
        0x9f,
        vec![string("u"), string("#document"), string("P"), wide(&text), string("é"), {
            [head(3, 2), "é".as_bytes().to_vec()].concat()
        }],
    );
    let raw = small(|key, value| if key == "strings" { table.clone() } else { encode(&value) });
    let snapshot = Snapshot::from_cdp(bytes(raw.clone())).expect("it is valid");
    let strings = &snapshot.parts[0].strings;
    assert_eq!([3, 4, 5].map(|at| strings.get(at)), ["\u{fffd}a\u{fffd}\u{1f600}", "é", "é"]);
    let json = from_cbor::json(&raw).expect("a message");
    assert_same(&Snapshot::from_cdp(bytes(json)).expect("it is valid"), &snapshot);
}

#[test]
fn the_last_of_two_keys_counts() {
    let twice = |first: Value, last: Value| {
        small(|key, value| match key {
            "backendNodeId" => [encode(&first), string("backendNodeId"), encode(&last)].concat(),
            _ => encode(&value),
        })
    };
    let ids = |raw| parse(bytes(raw)).map(|part| part.documents[0].backend_node_id.clone()).ok();
    assert_eq!(ids(twice(json!([7, 8, 9]), json!([1, 2, 3]))), Some(vec![1, 2, 3]));
    assert_eq!(ids(twice(json!([1, 2, 3]), json!([7]))), None);
}

/// `depth` arrays in one another.
fn nested(depth: usize) -> Vec<u8> {
    const LEVEL: usize = 9;
    let mut raw = Vec::with_capacity(LEVEL * depth);
    for left in (1..=depth).rev() {
        raw.extend_from_slice(&[0xd8, 0x18, 0x5a]);
        raw.extend_from_slice(&((LEVEL * left - 7) as u32).to_be_bytes());
        raw.push(0x9f);
    }
    raw.resize(LEVEL * depth, 0xff);
    raw
}

#[test]
fn depth_costs_nothing() {
    // A deep page is not a deep value.
    let mut tree = TestTree::new();
    let mut inner = TestTree::BODY;
    for _ in 0..20_000 {
        inner = tree.element(inner, "B", &[]);
    }
    let value: Value = serde_json::from_slice(&tree.encode(&Encoding::default())).expect("valid JSON");
    assert_eq!(Snapshot::from_cdp(bytes(encode(&value))).expect("deep, but valid").len(), 20_004);
    // What nobody reads is passed, however deep it is.
    let raw = small(|key, value| if key == "paintOrders" { nested(200_000) } else { encode(&value) });
    assert_eq!(kind_of(raw), None);
    let raw = small(|key, value| if key == "nodeName" { nested(200_000) } else { encode(&value) });
    assert_eq!(kind_of(raw), Some(ErrorKind::Syntax));
}

#[test]
fn what_is_nested_too_deep_is_an_error_of_the_browser() {
    let message = |depth: usize| {
        let result = container(0xbf, vec![string("value"), nested(depth)]);
        container(0xbf, vec![string("id"), head(0, 7), string("result"), result, string("sessionId"), string("S")])
    };
    let json = |depth| String::from_utf8(from_cbor::json(&message(depth)).expect("a message")).expect("UTF-8");
    let deepest = from_cbor::MAX_DEPTH - 2;
    assert_eq!(
        json(deepest),
        format!(r#"{{"id":7,"result":{{"value":{}{}}},"sessionId":"S"}}"#, "[".repeat(deepest), "]".repeat(deepest))
    );
    for depth in [deepest + 1, 100_000] {
        let value: Value = serde_json::from_str(&json(depth)).expect("JSON");
        assert_eq!(value["id"], 7);
        assert_eq!(value["sessionId"], "S");
        assert_eq!(value["error"]["code"], -32000);
        assert_eq!(value.get("result"), None);
    }
    // The first member of all leaves no comma behind.
    let event = container(0xbf, vec![string("params"), nested(400), string("method"), string("A.b")]);
    let value: Value = serde_json::from_slice(&from_cbor::json(&event).expect("a message")).expect("JSON");
    assert_eq!(value["method"], "A.b");
}

#[test]
fn json_that_is_none_is_refused() {
    for text in
        ["", "1", "[]", "{", "{}x", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{a:1}", "{\"a\":tru}", "{\"a\":-}", "[1}"]
    {
        assert!(to_cbor::cbor(text.as_bytes()).is_err(), "{text}");
    }
    let deep = format!("{{\"a\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000));
    assert_eq!(to_cbor::cbor(deep.as_bytes()).map(|raw| raw.len()), Ok(9 * 100_001 + 2));
    let numbers = r#"{"a":[0,-1,2147483647,-2147483648,2147483648,1.0,1e3,0.5]}"#;
    let json = from_cbor::json(&to_cbor::cbor(numbers.as_bytes()).expect("a message")).expect("a message");
    assert_eq!(json, br#"{"a":[0,-1,2147483647,-2147483648,2147483648,1,1000,0.5]}"#);
}

/// The fuzz target in small, on any toolchain.
#[test]
fn damaged_captures_are_refused_or_mean_what_their_json_means() {
    let page = |size| serde_json::from_slice::<Value>(&card_grid(size).encode(&Encoding::default())).expect("JSON");
    let seeds = [whole(), encode(&page(30))];
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let (mut read, mut compared) = (0, 0);
    for round in 0..6_000 {
        let mut raw = seeds[round % 2].clone();
        for _ in 0..=random.below(3) {
            let at = random.below(raw.len());
            match random.below(4) {
                0 => {
                    raw[at] = [0, 1, 0x17, 0x18, 0x19, 0x1a, 0x20, 0x5a, 0x62, 0x9f, 0xbf, 0xd6, 0xd8, 0xf5, 0xfb, 0xff]
                        [random.below(16)]
                }
                1 => raw[at] = raw[at].wrapping_add(random.below(5) as u8).wrapping_sub(2),
                2 => raw[at] = random.below(256) as u8,
                _ => {
                    let from = random.below(raw.len());
                    let piece: Vec<u8> = raw[from..(from + 4).min(raw.len())].to_vec();
                    raw.splice(at..(at + piece.len()).min(raw.len()), piece);
                }
            }
        }
        let json = from_cbor::json(&raw).ok();
        assert_eq!(json.clone().map(|json| String::from_utf8(json).expect("UTF-8")), spell_message(&raw));
        let Ok(found) = Snapshot::from_cdp(bytes(raw)) else { continue };
        read += 1;
        let _ = (found.digests(), page_rows(&found, 20, &Wording::default()));
        if let Some(twin) = json.and_then(|json| Snapshot::from_cdp(bytes(json)).ok()) {
            compared += 1;
            // Boxes are not checked when a capture is read, so what damaged ones say is anyone's guess.
            assert_same(&twin, &found);
        }
    }
    assert!(read > 300 && compared > 300, "only {read} were read and {compared} compared");
}
