//! Pages that no author meant: each is a way to make a careless program slow or large. `n` says how much of it.
#![allow(dead_code)]

use stillframe_core::testing::capture::strings::Bytes;
use stillframe_core::testing::page::{Encoding, TestTree, bytes};

/// A shape: its name, and the captures of it before and after a change, both of O(n) bytes.
pub type Shape = (&'static str, fn(usize) -> (Bytes, Bytes));

pub const SHAPES: &[Shape] = &[
    ("chain", chain),
    ("reversed siblings", reversed),
    ("shuffled siblings", shuffled),
    ("equal leaves made again", equal_leaves),
    ("moved to another parent", moved),
    ("one line of many texts", texts),
    ("one element with many attributes", attributes),
    ("one class of many words", classes),
    ("many names for one long string", long_names),
    ("many texts of one long blank", long_blanks),
    ("many escapes", escapes),
    ("many frames", frames),
    ("wide and deep", combs),
];

fn encoded(tree: &TestTree) -> Bytes {
    bytes(tree.encode(&Encoding::default()))
}

fn list(n: usize) -> (TestTree, usize) {
    let mut tree = TestTree::new();
    let list = tree.element(TestTree::BODY, "UL", &[]);
    for at in 0..n {
        tree.element(list, "LI", &[("data-at", &at.to_string())]);
    }
    (tree, list)
}

fn chain(n: usize) -> (Bytes, Bytes) {
    let mut tree = TestTree::new();
    let mut at = TestTree::BODY;
    for _ in 0..n {
        at = tree.element(at, "DIV", &[]);
    }
    let before = encoded(&tree);
    tree.text(at, "deep");
    (before, encoded(&tree))
}

fn reversed(n: usize) -> (Bytes, Bytes) {
    let (mut tree, list) = list(n);
    let before = encoded(&tree);
    tree.nodes[list].children.reverse();
    (before, encoded(&tree))
}

fn shuffled(n: usize) -> (Bytes, Bytes) {
    let (mut tree, list) = list(n);
    let before = encoded(&tree);
    let mut seed = 0x9e37_79b9_7f4a_7c15u64;
    tree.nodes[list].children.sort_by_cached_key(|_| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed
    });
    (before, encoded(&tree))
}

fn equal_leaves(n: usize) -> (Bytes, Bytes) {
    let page = |first: u32| {
        let mut tree = TestTree::new();
        let list = tree.element(TestTree::BODY, "UL", &[]);
        for _ in 0..n {
            tree.element(list, "LI", &[]);
        }
        for (at, node) in tree.nodes.iter_mut().enumerate().skip(list + 1) {
            node.backend_node_id = first + at as u32;
        }
        encoded(&tree)
    };
    (page(1), page(1 + n as u32))
}

fn moved(n: usize) -> (Bytes, Bytes) {
    let (mut tree, list) = list(n);
    let other = tree.element(TestTree::BODY, "OL", &[]);
    let before = encoded(&tree);
    let half = tree.nodes[list].children.split_off(n / 2);
    tree.nodes[other].children = half;
    (before, encoded(&tree))
}

fn texts(n: usize) -> (Bytes, Bytes) {
    let mut tree = TestTree::new();
    let line = tree.element(TestTree::BODY, "P", &[]);
    for at in 0..n {
        let word = tree.element(line, "B", &[]);
        tree.text(word, &format!("word {at}"));
        tree.text(line, " and ");
    }
    let before = encoded(&tree);
    for node in tree.nodes.iter_mut().filter(|node| node.kind == 3) {
        node.value.push('!');
    }
    (before, encoded(&tree))
}

fn attributes(n: usize) -> (Bytes, Bytes) {
    let mut tree = TestTree::new();
    let element = tree.element(TestTree::BODY, "DIV", &[("id", "x")]);
    tree.nodes[element].attributes.extend((0..n).map(|at| (format!("data-a{at}"), "1".to_owned())));
    let before = encoded(&tree);
    for attribute in &mut tree.nodes[element].attributes {
        attribute.1.push('2');
    }
    (before, encoded(&tree))
}

fn classes(n: usize) -> (Bytes, Bytes) {
    let words = |prefix: &str| (0..n).map(|at| format!("{prefix}{at}")).collect::<Vec<_>>().join(" ");
    let mut tree = TestTree::new();
    let element = tree.element(TestTree::BODY, "DIV", &[("class", &words("a"))]);
    let before = encoded(&tree);
    tree.nodes[element].attributes[0].1 = words("b");
    (before, encoded(&tree))
}

fn long_names(n: usize) -> (Bytes, Bytes) {
    let (mut tree, list) = list(n);
    let name = "X".repeat(n);
    for node in &mut tree.nodes[list + 1..] {
        node.name.clone_from(&name);
    }
    let before = encoded(&tree);
    tree.nodes[list].children.reverse();
    (before, encoded(&tree))
}

fn long_blanks(n: usize) -> (Bytes, Bytes) {
    let mut tree = TestTree::new();
    let blank = " ".repeat(n);
    for _ in 0..n {
        tree.text(TestTree::BODY, &blank);
    }
    let before = encoded(&tree);
    let last = tree.element(TestTree::BODY, "P", &[]);
    tree.text(last, "new");
    (before, encoded(&tree))
}

fn escapes(n: usize) -> (Bytes, Bytes) {
    let page = |text: &str| {
        let mut tree = TestTree::new();
        for at in 0..n / 8 {
            tree.text(TestTree::BODY, &format!("{text}{at}"));
        }
        let text = String::from_utf8(tree.encode(&Encoding::default())).unwrap_or_default();
        bytes(text.replace("lone", "\\ud800\\u0000\\\\").into_bytes())
    };
    (page("lone"), page("lone lone"))
}

/// One document whose every element holds a document.
fn frames(n: usize) -> (Bytes, Bytes) {
    let list = |value: &dyn Fn(usize) -> String, count: usize| (0..count).map(value).collect::<Vec<_>>().join(",");
    let page = |name: usize| {
        let n = n / 4;
        let nodes = format!(
            r#"{{"nodes":{{"parentIndex":[-1,{}],"nodeType":[9,{}],"nodeName":[0,{}],"nodeValue":[-1,{}],"backendNodeId":[{}],"attributes":[[],{}],"contentDocumentIndex":{{"index":[{}],"value":[{}]}}}},"layout":{{"nodeIndex":[{}],"styles":[{}],"bounds":[{}]}}}}"#,
            list(&|_| "0".to_owned(), n),
            list(&|_| "1".to_owned(), n),
            list(&|_| "1".to_owned(), n),
            list(&|_| "-1".to_owned(), n),
            list(&|at| (at + 1).to_string(), n + 1),
            list(&|_| "[]".to_owned(), n),
            list(&|at| (at + 1).to_string(), n),
            list(&|at| (at + 1).to_string(), n),
            list(&|at| at.to_string(), n + 1),
            list(&|_| "[]".to_owned(), n + 1),
            list(&|_| "[0,0,1,1]".to_owned(), n + 1),
        );
        let inner = |at: usize| {
            let id = 2 * at + n + 2;
            format!(
                r#"{{"nodes":{{"parentIndex":[-1,0],"nodeType":[9,1],"nodeName":[0,{name}],"nodeValue":[-1,-1],"backendNodeId":[{id},{}],"attributes":[[],[]]}},"layout":{{"nodeIndex":[0,1],"styles":[[],[]],"bounds":[[0,0,1,1],[0,0,1,1]]}}}}"#,
                id + 1
            )
        };
        let text = format!(r##"{{"documents":[{nodes},{}],"strings":["#document","IFRAME","P"]}}"##, list(&inner, n));
        bytes(text.into_bytes())
    };
    (page(2), page(1))
}

/// √n rows of √n nodes inside one another, each with a leaf.
fn combs(n: usize) -> (Bytes, Bytes) {
    // Twice the size is twice as wide: what an element costs grows with its depth, until a limit ends that.
    const DEPTH: usize = 500;
    let mut tree = TestTree::new();
    for _ in 0..(n / DEPTH / 2).max(1) {
        let mut at = TestTree::BODY;
        for _ in 0..DEPTH {
            at = tree.element(at, "DIV", &[("class", "c")]);
            tree.text(at, "leaf");
        }
    }
    let before = encoded(&tree);
    for node in tree.nodes.iter_mut().filter(|node| node.kind == 3) {
        "fall".clone_into(&mut node.value);
    }
    (before, encoded(&tree))
}
