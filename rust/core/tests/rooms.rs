//! The order of the rooms: lib.rs lists them, and no room uses one below it in that list. Within a room no modules form a
//! circle. A module uses what its `use` lines and its paths with `crate::` or `super::` name.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

const SOURCE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src");

/// A module by the names on the way to it: `["element", "name", "walk"]`.
type Module = Vec<String>;

/// By module, those that it uses.
type Uses = BTreeMap<Module, BTreeSet<Module>>;

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

/// All sources of the core but lib.rs, by module.
fn modules() -> BTreeMap<Module, String> {
    let read = |path: PathBuf| {
        let inner = path.strip_prefix(SOURCE).expect("it lies in the source folder").with_extension("");
        let mut module: Module = inner.iter().map(|name| name.to_str().expect("names are UTF-8").to_owned()).collect();
        module.pop_if(|last| last == "mod");
        (module, fs::read_to_string(&path).expect("sources are UTF-8"))
    };
    sources(Path::new(SOURCE)).into_iter().map(read).filter(|(module, _)| module != &["lib"]).collect()
}

// -- circles -------------------------------------------------------------------------------------------------------

/// What `source` names in paths that begin with one of `roots`: each path as its names, lists taken apart. What
/// tests in a module use does not count.
fn paths(source: &str, roots: &[&str]) -> Vec<Vec<String>> {
    let own = source.split("#[cfg(test)]\nmod ").next().unwrap_or(source);
    let code = own.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n");
    let is_name = |letter: char| letter.is_alphanumeric() || letter == '_';
    let mut found = Vec::new();
    for root in roots {
        for (at, _) in code.match_indices(&format!("{root}::")) {
            if !code[..at].ends_with(|letter: char| is_name(letter) || letter == ':') {
                take_path(&code[at..], &mut Vec::new(), &mut found);
            }
        }
    }
    found
}

/// Take one path, or list of paths, from the beginning of `code`, and return what follows it.
fn take_path<'a>(code: &'a str, above: &mut Vec<String>, found: &mut Vec<Vec<String>>) -> &'a str {
    let mut rest = code.trim_start();
    let depth = above.len();
    loop {
        let end = rest.find(|letter: char| !(letter.is_alphanumeric() || letter == '_')).unwrap_or(rest.len());
        above.push(rest[..end].to_owned());
        rest = &rest[end..];
        let Some(next) = rest.strip_prefix("::") else { break };
        rest = next;
        let Some(list) = rest.strip_prefix('{') else { continue };
        rest = list;
        while !rest.trim_start().starts_with('}') && !rest.is_empty() {
            rest = take_path(rest, above, found).trim_start();
            // What follows is ` as name`, a comma, or the end of the list.
            rest = rest.trim_start_matches(|letter: char| !matches!(letter, ',' | '}'));
            rest = rest.strip_prefix(',').unwrap_or(rest);
        }
        above.truncate(depth);
        return rest.trim_start().strip_prefix('}').unwrap_or(rest);
    }
    found.push(above.clone());
    above.truncate(depth);
    rest
}

/// The modules that `module` uses, itself left out.
fn uses(module: &Module, source: &str, known: &BTreeSet<Module>) -> BTreeSet<Module> {
    let absolute = |path: Vec<String>| match path[0].as_str() {
        "crate" => path[1..].to_vec(),
        "super" => [&module[..module.len() - 1], &path[1..]].concat(),
        _ => [&module[..], &path[..]].concat(),
    };
    let nearest =
        |path: Vec<String>| (1..=path.len()).rev().map(|end| path[..end].to_vec()).find(|at| known.contains(at));
    let children = known.iter().filter(|other| other.len() == module.len() + 1 && other.starts_with(module));
    let children: Vec<&str> = children.filter_map(|child| child.last().map(String::as_str)).collect();
    let named = |line: &&str| children.iter().any(|child| line.contains(&format!("use {child}::")));
    let own = source.lines().filter(named).collect::<Vec<_>>().join("\n");
    let found = paths(source, &["crate", "super"]).into_iter().chain(paths(&own, &children));
    found.map(absolute).filter_map(nearest).filter(|other| other != module).collect()
}

/// A way from `start` through what the modules use back to `start`.
fn circle_from(start: &Module, uses: &Uses) -> Option<Vec<Module>> {
    let mut came_from: BTreeMap<&Module, &Module> = BTreeMap::new();
    let mut waiting = std::collections::VecDeque::from([start]);
    while let Some(at) = waiting.pop_front() {
        for next in uses.get(at).into_iter().flatten() {
            if next == start {
                let back = std::iter::successors(Some(at), |at| came_from.get(at).copied());
                let mut way: Vec<Module> = back.cloned().collect();
                way.reverse();
                way.push(start.clone());
                return Some(way);
            }
            if !came_from.contains_key(next) {
                came_from.insert(next, at);
                waiting.push_back(next);
            }
        }
    }
    None
}

/// The shortest circle of modules, as the way round.
fn circle(uses: &Uses) -> Option<String> {
    let found = uses.keys().filter_map(|start| circle_from(start, uses)).min_by_key(Vec::len)?;
    Some(found.iter().map(|module| module.join("::")).collect::<Vec<_>>().join(" uses "))
}

fn all_uses(sources: &BTreeMap<Module, String>) -> Uses {
    let known: BTreeSet<Module> = sources.keys().cloned().collect();
    sources.iter().map(|(module, source)| (module.clone(), uses(module, source, &known))).collect()
}

// -- tests ---------------------------------------------------------------------------------------------------------

#[test]
fn no_room_uses_one_below_it() {
    let order = order(&fs::read_to_string(Path::new(SOURCE).join("lib.rs")).expect("lib.rs can be read"));
    let sources = modules();
    assert!(sources.len() > 100, "the sources were not found: {}", sources.len());
    let wrong = |(module, source): (&Module, &String)| {
        let problems = upward(&module[0], source, &order).into_iter();
        problems.map(|problem| format!("{}: {problem}", module.join("::"))).collect::<Vec<_>>()
    };
    let problems: Vec<String> = sources.iter().flat_map(wrong).collect();
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

#[test]
fn no_modules_form_a_circle() {
    let uses = all_uses(&modules());
    let count: usize = uses.values().map(BTreeSet::len).sum();
    assert!(count > 500, "the uses were not found: {count}");
    if let Some(circle) = circle(&uses) {
        panic!("{circle}: move what both need into a module below them");
    }
}

#[test]
fn planted_circles_are_found() {
    let plant = |sources: &[(&str, &str)]| {
        let module = |path: &str| path.split("::").map(str::to_owned).collect::<Module>();
        circle(&all_uses(&sources.iter().map(|(path, source)| (module(path), (*source).to_owned())).collect()))
    };
    let straight = [("room::a", "use crate::room::b::{c, d};"), ("room::b", "// crate::room::a is above")];
    assert_eq!(plant(&straight), None);
    let pair = [("room::a", "use crate::room::{self, b::{c, d as e}, f};"), ("room::b", "fn x() { super::a::y() }")];
    assert_eq!(plant(&pair).as_deref(), Some("room::a uses room::b uses room::a"));
    let three =
        [("room::a", "use super::b;"), ("room::b", "use crate::{room::c};"), ("room::c", "crate::room::a::x()")];
    assert_eq!(plant(&three).as_deref(), Some("room::a uses room::b uses room::c uses room::a"));
    let folder = [("room", "mod a;\npub use a::X;"), ("room::a", "use super::Y;")];
    assert_eq!(plant(&folder).as_deref(), Some("room uses room::a uses room"));
}
