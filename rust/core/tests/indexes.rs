//! Documents and nodes have index types of their own: no parameter or field with their names is a bare `u32`.

use std::fs;
use std::path::{Path, PathBuf};

const SOURCE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src");

/// Names of what is an index, one and several, and the types to use.
const INDEXES: [(&str, &str, &str); 5] = [
    ("document", "documents", "`DocumentIndex`"),
    ("node", "nodes", "`NodeIndex`"),
    ("index", "indexes", "`NodeIndex`"),
    ("old", "olds", "`NodeIndex` or `DocumentIndex`, or `NodePair` or `DocumentPair` for the old and the new one"),
    ("new", "news", "`NodeIndex` or `DocumentIndex`, or `NodePair` or `DocumentPair` for the old and the new one"),
];

/// The file that makes indexes of numbers, and the made-up pages, whose nodes are called by numbers.
const EXEMPT: [&str; 2] = ["capture/node.rs", "testing/"];

/// What is declared as `name: type` in a line, with the rest of the line from the type on.
fn declared<'a>(line: &'a str, name: &str) -> impl Iterator<Item = &'a str> {
    let is_name = |letter: char| letter.is_alphanumeric() || letter == '_';
    let colon = format!("{name}: ");
    let ends: Vec<usize> = line.match_indices(&colon).map(|(at, _)| at).collect();
    let whole = ends.into_iter().filter(move |&at| !line[..at].ends_with(is_name));
    whole.map(move |at| &line[at + colon.len()..])
}

/// Whether a type is a bare number, or a reference to one.
fn is_number(kind: &str) -> bool {
    let kind = kind.trim_start_matches('&').trim_start_matches("mut ");
    let rest = kind.strip_prefix("Option<").unwrap_or(kind).strip_prefix("u32");
    rest.is_some_and(|rest| !rest.starts_with(|letter: char| letter.is_alphanumeric() || matches!(letter, '_' | ':')))
}

/// Whether a type is a list of bare numbers.
fn is_list_of_numbers(kind: &str) -> bool {
    let kind = kind.trim_start_matches('&').trim_start_matches("mut ");
    ["[u32]", "Vec<u32>"].iter().any(|list| kind.starts_with(list))
}

/// What is wrong with the source of a file.
fn bare(file: &str, source: &str) -> Vec<String> {
    let code = (1..).zip(source.lines()).filter(|(_, line)| !line.trim_start().starts_with("//"));
    let mut found = Vec::new();
    for (number, line) in code {
        for (one, several, instead) in INDEXES {
            let is_bare = declared(line, one).any(|kind| is_number(kind) || is_list_of_numbers(kind))
                || declared(line, several).any(is_list_of_numbers);
            if is_bare {
                found.push(format!("{file}:{number}: `{one}` is a bare u32; use {instead} of capture::node"));
            }
        }
    }
    found
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("the folder can be read");
    let paths = entries.map(|entry| entry.expect("the entry can be read").path());
    paths.flat_map(|path| if path.is_dir() { sources(&path) } else { vec![path] }).collect()
}

#[test]
fn no_index_is_a_bare_number() {
    let mut problems = Vec::new();
    let files = sources(Path::new(SOURCE));
    assert!(files.len() > 100, "the sources were not found: {}", files.len());
    for path in files {
        let inner = path.strip_prefix(SOURCE).expect("it lies in the source folder").to_string_lossy().into_owned();
        if !EXEMPT.iter().any(|exempt| inner.starts_with(exempt)) {
            problems.extend(bare(&inner, &fs::read_to_string(&path).expect("sources are UTF-8")));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn planted_numbers_are_found() {
    let planted = [
        ("fn name(node: u32) {", "node"),
        ("    document: u32,", "document"),
        ("pub(super) fn of(old: &u32, limit: usize)", "old"),
        ("let is_there = |index: u32| true;", "index"),
        ("fn cut(new: Option<u32>)", "new"),
        ("fn all(nodes: &[u32])", "node"),
        ("    documents: Vec<u32>,", "document"),
    ];
    for (line, name) in planted {
        let found = bare("a.rs", &format!("// node: u32\n{line}"));
        assert_eq!(found.len(), 1, "{line}");
        assert!(found[0].starts_with(&format!("a.rs:2: `{name}` is a bare u32; use `")), "{}", found[0]);
    }
    for line in
        ["fn name(node: NodeIndex, count: u32)", "nodes: u32,", "backend_node: u32", "node: u32::MAX", "old: u321"]
    {
        assert_eq!(bare("a.rs", line), Vec::<String>::new(), "{line}");
    }
}
