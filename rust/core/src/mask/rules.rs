//! Static rules: what changes by itself on any page, visible in one snapshot: clocks, progress, players, ads, animation.
//!
//! A number alone is not taken for a counter: it may be the answer (3 items in the cart). What counts up by itself is
//! learned from quiet probes.

use crate::capture::atom::Atom;
use crate::capture::bounds::bounds;
use crate::capture::columns::{ELEMENT, flag};
use crate::capture::node::{Node, NodeIndex};
use crate::capture::page::PartInfo;
use crate::element::snapshot::Snapshot;
use crate::mask::level::{Level, Mask, Why};

/// Hosts that serve ads in frames. Source: the largest exchanges and networks in public filter lists (EasyList).
const AD_HOSTS: [&str; 26] = [
    "doubleclick.net",
    "googlesyndication.com",
    "googleadservices.com",
    "adservice.google.com",
    "amazon-adsystem.com",
    "adnxs.com",
    "criteo.com",
    "criteo.net",
    "taboola.com",
    "outbrain.com",
    "rubiconproject.com",
    "pubmatic.com",
    "openx.net",
    "casalemedia.com",
    "adform.net",
    "smartadserver.com",
    "moatads.com",
    "teads.tv",
    "3lift.com",
    "media.net",
    "sharethrough.com",
    "yieldmo.com",
    "indexww.com",
    "advertising.com",
    "bidswitch.net",
    "adsrvr.org",
];

/// Properties that move or fade what is there, without saying anything new.
const ANIMATED: [&str; 12] = [
    "transform",
    "translate",
    "rotate",
    "scale",
    "opacity",
    "filter",
    "will-change",
    "offset-distance",
    "background-position",
    "stroke-dashoffset",
    "stroke-dasharray",
    "transform-origin",
];

/// The longest text that is looked at as a clock.
const CLOCK_BYTES: usize = 24;

/// The masks of the static rules, by document and node. O(nodes).
pub fn rules(snapshot: &Snapshot) -> Vec<Mask> {
    let mut masks = Vec::new();
    for (at, document) in snapshot.documents.iter().enumerate() {
        let part = &snapshot.parts[document.part as usize];
        let mut mark = |index: usize, level: Level, rule: &'static str| {
            let node = Node::numbered(at as u32, index as u32);
            masks.push(Mask { node, level, why: Why::Rule(rule) });
        };
        for node in 0..document.len() {
            if document.flags[node] & flag::DROPPED != 0 {
                continue;
            }
            if document.kind[node] != ELEMENT {
                if document.is_text(NodeIndex::from_at(node)) && is_clock(part.strings.bytes(document.value[node])) {
                    mark(node, Level::Digits, "clock");
                }
                continue;
            }
            tag_rules(atom(part, document.name[node]), |level, rule| mark(node, level, rule));
            for &[name, value] in document.attributes(NodeIndex::from_at(node)) {
                attribute_rules(atom(part, name), part.strings.bytes(value), |level, rule| mark(node, level, rule));
            }
        }
    }
    let mut more = Vec::new();
    for mask in &masks {
        match mask.why {
            Why::Rule("video") => player(snapshot, mask.node, &mut more),
            Why::Rule("iframe") if is_ad(snapshot, mask.node) => {
                more.push(Mask { why: Why::Rule("ad frame"), ..*mask });
            }
            _ => {}
        }
    }
    masks.retain(|mask| mask.why != Why::Rule("iframe"));
    masks.extend(more);
    masks
}

#[inline(always)]
fn atom(part: &PartInfo, name: u32) -> Atom {
    part.atoms.get(name as usize).copied().unwrap_or(Atom::Other)
}

#[inline(always)]
fn tag_rules(tag: Atom, mut mark: impl FnMut(Level, &'static str)) {
    match tag {
        Atom::Time => {
            mark(Level::Text, "time");
            mark(Level::Attributes, "time");
        }
        Atom::Progress | Atom::Meter => {
            mark(Level::Text, "progress");
            mark(Level::Attributes, "progress");
        }
        Atom::Video => mark(Level::Attributes, "video"),
        Atom::Canvas => mark(Level::Attributes, "canvas"),
        Atom::Iframe => mark(Level::Subtree, "iframe"),
        Atom::Marquee => mark(Level::Structure, "marquee"),
        _ => {}
    }
}

#[inline(always)]
fn attribute_rules(name: Atom, value: &[u8], mut mark: impl FnMut(Level, &'static str)) {
    match (name, value) {
        (Atom::Role, b"timer") => mark(Level::Structure, "timer"),
        (Atom::Role, b"marquee") => mark(Level::Structure, "marquee"),
        (Atom::Role, b"progressbar") => mark(Level::Structure, "progress"),
        (Atom::AriaLive, b"off") => mark(Level::Structure, "aria-live=off"),
        (Atom::Style, style) if is_animation(style) => mark(Level::Style, "animation"),
        _ => {}
    }
}

/// What lies over a video as part of its player: the siblings after it that are inside its box.
fn player(snapshot: &Snapshot, video: Node, masks: &mut Vec<Mask>) {
    let document = snapshot.document(video);
    let (Some(parent), Some(frame)) = (document.parent_of(video.index), bounds(snapshot, video)) else { return };
    for index in document.children(parent).filter(|&child| child > video.index && document.is_element(child)) {
        let node = Node { index, ..video };
        if bounds(snapshot, node).is_some_and(|inner| inside(inner, frame)) {
            masks.push(Mask { node, level: Level::Structure, why: Why::Rule("video overlay") });
        }
    }
}

fn inside(inner: [f32; 4], outer: [f32; 4]) -> bool {
    inner[0] >= outer[0]
        && inner[1] >= outer[1]
        && inner[0] + inner[2] <= outer[0] + outer[2]
        && inner[1] + inner[3] <= outer[1] + outer[3]
}

fn is_ad(snapshot: &Snapshot, frame: Node) -> bool {
    let named = |atom| snapshot.attribute(frame, atom).is_some_and(|name| name.starts_with("google_ads_iframe"));
    let host = snapshot.attribute(frame, Atom::Src).and_then(host).unwrap_or("");
    let serves = |ads: &&str| host.strip_suffix(*ads).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
    named(Atom::Id) || named(Atom::Name) || AD_HOSTS.iter().any(serves)
}

fn host(url: &str) -> Option<&str> {
    let rest = url.strip_prefix("https:").or_else(|| url.strip_prefix("http:")).unwrap_or(url).strip_prefix("//")?;
    rest.split(['/', '?', '#', ':']).next()
}

/// Whether a style attribute only says how something moves or fades.
pub fn is_animation(style: &[u8]) -> bool {
    let Ok(style) = std::str::from_utf8(style) else { return false };
    let mut declarations = style.split(';').filter(|declaration| !declaration.trim().is_empty()).peekable();
    declarations.peek().is_some()
        && declarations.all(|declaration| {
            let name = declaration.split(':').next().unwrap_or("").trim();
            ANIMATED.contains(&name) || name.starts_with("animation") || name.starts_with("transition")
        })
}

/// Whether a text is a clock or a countdown and nothing else: `12:05`, `0:03 / 4:12`, `2d 4h 03m 10s`, `11:59:59 PM`.
pub fn is_clock(text: &[u8]) -> bool {
    // The first or last byte decides most texts.
    let text = text.trim_ascii();
    if text.len() > CLOCK_BYTES
        || !text.first().is_some_and(|byte| byte.is_ascii_digit() || matches!(byte, b'-' | b'+'))
    {
        return false;
    }
    let is_parts = |text: &[u8]| {
        let mut parts = 0;
        let all = text.split(|byte| matches!(byte, b' ' | b'/' | b'-' | b'+')).filter(|part| !part.is_empty());
        for part in all {
            if !(is_time(part) || is_duration(part) || parts > 0 && is_half(part)) {
                return false;
            }
            parts += 1;
        }
        parts > 0
    };
    is_parts(text)
}

/// `4:12`, `12:05:09.25`.
fn is_time(part: &[u8]) -> bool {
    let mut groups = 0;
    for group in part.split(|&byte| byte == b':') {
        let (whole, fraction) = match group.iter().position(|&byte| byte == b'.') {
            Some(dot) if groups > 0 => (&group[..dot], &group[dot + 1..]),
            _ => (group, &b""[..]),
        };
        let digits = |text: &[u8]| text.iter().all(u8::is_ascii_digit);
        if whole.is_empty() || whole.len() > 2 + usize::from(groups == 0) || !digits(whole) || !digits(fraction) {
            return false;
        }
        groups += 1;
    }
    groups > 1
}

/// `2d`, `04h`, `10s`, `120ms`, `30fps`.
fn is_duration(part: &[u8]) -> bool {
    let digits = part.iter().take_while(|byte| byte.is_ascii_digit()).count();
    digits > 0
        && matches!(&part[digits..], b"d" | b"h" | b"m" | b"s" | b"ms" | b"min" | b"mins" | b"sec" | b"secs" | b"fps")
}

fn is_half(part: &[u8]) -> bool {
    part.eq_ignore_ascii_case(b"am") || part.eq_ignore_ascii_case(b"pm")
}
