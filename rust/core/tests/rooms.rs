//! The order of the rooms: lib.rs lists them, and no room uses one below it in that list.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

const SOURCE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src");

/// The place of each room in the list of lib.rs.
fn order(manual: &str) -> BTreeMap<String, usize> {
    let rooms = manual.lines().filter_map(|line| line.strip_prefix("//! - `")?.split('`').next());
    rooms.enumerate().map(|(place, room)| (room.to_owned(), place)).collect()
}

/// The rooms that `crate::` paths in a source name, with the lines they are on. Comments name none.
fn used(source: &str) -> Vec<(usize, String)> {
    let code = (1..).zip(source.lines()).filter(|(_, line)| !line.trim_start().starts_with("//"));
    let mut found = Vec::new();
    for (number, line) in code {
        // Such a path could leave the room unseen.
        if line.contains("super::super::") {
            found.push((number, "super::super".to_owned()));
        }
        for rest in line.split("crate::").skip(1) {
            let names = rest.strip_prefix('{').map_or(rest, |list| list.split('}').next().unwrap_or(list));
            let is_list = rest.starts_with('{');
            for name in names.split(',').take(if is_list { usize::MAX } else { 1 }) {
                let room = name.trim().split(|letter: char| !(letter.is_alphanumeric() || letter == '_')).next();
                found.extend(room.filter(|room| !room.is_empty()).map(|room| (number, room.to_owned())));
            }
        }
    }
    found
}

/// What is wrong with a source of `room`.
fn upward(room: &str, source: &str, order: &BTreeMap<String, usize>) -> Vec<String> {
    let Some(own) = order.get(room) else { return vec![format!("lib.rs does not list the room {room}")] };
    let wrong = |(line, other): (usize, String)| match order.get(&other) {
        Some(place) if place <= own => None,
        Some(_) => Some(format!("line {line}: {room} uses {other}, which stands below it")),
        None => Some(format!("line {line}: {room} uses {other}, which lib.rs does not list")),
    };
    used(source).into_iter().filter_map(wrong).collect()
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("the folder can be read");
    let paths = entries.map(|entry| entry.expect("the entry can be read").path());
    paths.flat_map(|path| if path.is_dir() { sources(&path) } else { vec![path] }).collect()
}

#[test]
fn no_room_uses_one_below_it() {
    let order = order(&fs::read_to_string(Path::new(SOURCE).join("lib.rs")).expect("lib.rs can be read"));
    let mut problems = Vec::new();
    let mut seen = 0;
    for path in sources(Path::new(SOURCE)) {
        let inner = path.strip_prefix(SOURCE).expect("it lies in the source folder");
        let room = inner.iter().next().and_then(|name| name.to_str()).expect("names are UTF-8").trim_end_matches(".rs");
        if room == "lib" {
            continue;
        }
        seen += 1;
        let source = fs::read_to_string(&path).expect("sources are UTF-8");
        problems
            .extend(upward(room, &source, &order).into_iter().map(|problem| format!("{}: {problem}", inner.display())));
    }
    assert!(seen > 100, "the sources were not found: {seen}");
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn planted_uses_are_found() {
    let order = order("//! - `low`: one\n//! - `high`: two\n");
    assert_eq!(upward("high", "use crate::low::thing;", &order), Vec::<String>::new());
    assert_eq!(upward("low", "// crate::high is above", &order), Vec::<String>::new());
    for planted in ["use crate::high::thing;", "    let x = crate::high::thing();", "use crate::{low::a, high::b};"] {
        assert_eq!(upward("low", planted, &order), ["line 1: low uses high, which stands below it"], "{planted}");
    }
    assert_eq!(upward("high", "use crate::other;", &order), ["line 1: high uses other, which lib.rs does not list"]);
    let climbing = upward("high", "use super::super::low::thing;", &order);
    assert_eq!(climbing, ["line 1: high uses super::super, which lib.rs does not list"]);
    assert_eq!(upward("new", "", &order), ["lib.rs does not list the room new"]);
}
