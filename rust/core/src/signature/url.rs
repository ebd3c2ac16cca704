//! The pattern of a URL: the URL without the parts that identify one page among many.

use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::SEED;
use crate::digest::canonical::looks_generated;

/// Scheme, host and port of a URL; the URL up to its first `/`, `?` or `#` if it has no host.
pub fn origin(url: &str) -> &str {
    let after = url.find("://").map_or(0, |at| at + 3);
    let end = url[after..].find(['/', '?', '#']).map_or(url.len(), |at| after + at);
    &url[..end]
}

/// The host in lower case, the path with `#` for numbers and made-up names and `*` for slugs, the names of the
/// parameters in order. The scheme, `www.`, values and the fragment do not count, except a fragment that is a route
/// (`#/…`, `#!…`), which is read as the path goes on.
pub fn pattern(url: &str) -> String {
    let start = origin(url);
    let host = start.rsplit("://").next().unwrap_or("").to_ascii_lowercase();
    let mut pattern = host.strip_prefix("www.").unwrap_or(&host).to_owned();
    let (rest, fragment) = url[start.len()..].split_once('#').unwrap_or((&url[start.len()..], ""));
    let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
    add_path(&mut pattern, path);
    if fragment.starts_with(['/', '!']) {
        pattern.push('#');
        add_path(&mut pattern, fragment);
    }
    let mut names: Vec<&str> = query.split('&').filter_map(|pair| pair.split('=').next()).collect();
    names.retain(|name| !name.is_empty());
    names.sort_unstable();
    names.dedup();
    for name in names {
        pattern.push('&');
        pattern.push_str(name);
    }
    pattern
}

fn add_path(pattern: &mut String, path: &str) {
    for segment in path.split('/').filter(|segment| !segment.is_empty()) {
        pattern.push('/');
        add_segment(pattern, segment);
    }
}

/// Three hyphens or more make a slug: titles have that many, names of sections do not.
fn add_segment(pattern: &mut String, segment: &str) {
    if segment.bytes().filter(|byte| matches!(byte, b'-' | b'_')).count() >= 3 || segment.len() > 64 {
        pattern.push('*');
    } else if looks_generated(segment) {
        pattern.push('#');
    } else {
        let mut digits = false;
        for letter in segment.chars() {
            if !letter.is_ascii_digit() {
                pattern.push(letter);
            } else if !digits {
                pattern.push('#');
            }
            digits = letter.is_ascii_digit();
        }
    }
}

/// A hash of the pattern.
pub fn pattern_hash(url: &str) -> u64 {
    xxh3_64_with_seed(pattern(url).as_bytes(), SEED)
}

#[cfg(test)]
mod tests {
    use super::{origin, pattern};

    #[test]
    fn pages_of_one_kind_have_one_pattern() {
        let kinds = [
            ("https://www.Shop.test/product/12?ref=a&utm=b", "http://shop.test/product/7?utm=1&ref=#top"),
            ("https://a.test/2024/05/a-title-with-words", "https://a.test/1999/12/quite-another-one-here"),
            (
                "https://a.test/u/3f2504e0-4f89-11d3-9a0c-0305e82c3301",
                "https://a.test/u/9b2504e0-4f89-41d3-9a0c-0305e82c3302",
            ),
            ("https://a.test/app#/item/3", "https://a.test/app/#/item/44"),
        ];
        for (one, other) in kinds {
            assert_eq!(pattern(one), pattern(other));
        }
        assert_ne!(pattern("https://a.test/cart"), pattern("https://a.test/list"));
        assert_ne!(pattern("https://a.test/?q=1"), pattern("https://a.test/?page=1"));
    }

    #[test]
    fn any_text_has_an_origin_and_a_pattern() {
        for (url, wanted) in [
            ("https://a.test:80/x/y", "https://a.test:80"),
            ("file:///x", "file://"),
            ("about:blank", "about:blank"),
            ("", ""),
            ("://", "://"),
            ("?ü#é", ""),
        ] {
            assert_eq!(origin(url), wanted);
            let _ = pattern(url);
        }
    }
}
