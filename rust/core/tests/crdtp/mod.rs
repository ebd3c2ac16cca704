//! Chrome's CBOR written and read slowly and obviously: the specification that the core is compared with.
#![allow(dead_code)]

use serde_json::Value;

pub const FALSE: u8 = 0xf4;

/// A value as Chrome writes it. Numbers that have a point in the JSON are doubles.
pub fn encode(value: &Value) -> Vec<u8> {
    match value {
        Value::Null => vec![0xf6],
        Value::Bool(value) => vec![FALSE + u8::from(*value)],
        Value::Number(number) => match number.as_i64() {
            Some(number) if number < 0 => head(1, (-1 - number) as u64),
            Some(number) => head(0, number as u64),
            None => [&[0xfb][..], &number.as_f64().expect("a number").to_be_bytes()].concat(),
        },
        Value::String(text) => string(text),
        Value::Array(values) => container(0x9f, values.iter().map(encode).collect()),
        Value::Object(members) => {
            let members = members.iter().map(|(key, value)| [string(key), encode(value)].concat()).collect();
            container(0xbf, members)
        }
    }
}

pub fn string(text: &str) -> Vec<u8> {
    if text.is_ascii() {
        return [head(3, text.len() as u64), text.as_bytes().to_vec()].concat();
    }
    wide(&text.encode_utf16().collect::<Vec<_>>())
}

pub fn wide(units: &[u16]) -> Vec<u8> {
    [head(2, 2 * units.len() as u64), units.iter().flat_map(|unit| unit.to_le_bytes()).collect()].concat()
}

pub fn container(opening: u8, parts: Vec<Vec<u8>>) -> Vec<u8> {
    envelope(&[vec![opening], parts.concat(), vec![0xff]].concat())
}

pub fn envelope(content: &[u8]) -> Vec<u8> {
    [&[0xd8, 0x18, 0x5a][..], &(content.len() as u32).to_be_bytes(), content].concat()
}

pub fn head(major: u8, argument: u64) -> Vec<u8> {
    let kind = major << 5;
    match argument {
        0..=23 => vec![kind | argument as u8],
        24..=0xff => vec![kind | 24, argument as u8],
        0x100..=0xffff => [&[kind | 25][..], &(argument as u16).to_be_bytes()].concat(),
        _ => [&[kind | 26][..], &(argument as u32).to_be_bytes()].concat(),
    }
}

/// The JSON of one message; None if it is not one.
pub fn spell_message(bytes: &[u8]) -> Option<String> {
    let (json, rest) = spell(bytes)?;
    (rest.is_empty() && json.starts_with('{')).then_some(json)
}

/// The JSON of the value that `bytes` begin with, and what comes after it.
pub fn spell(bytes: &[u8]) -> Option<(String, &[u8])> {
    let (&first, rest) = bytes.split_first()?;
    match first {
        0xf6 => Some(("null".to_owned(), rest)),
        0xf5 => Some(("true".to_owned(), rest)),
        0xf4 => Some(("false".to_owned(), rest)),
        0xfb => {
            let (bytes, rest) = rest.split_first_chunk()?;
            Some((number(f64::from_be_bytes(*bytes)), rest))
        }
        0xd6 => {
            let (2, length, rest) = argument(rest)? else { return None };
            let bytes = rest.get(..length as usize)?;
            Some((format!("\"{}\"", base64(bytes)), &rest[length as usize..]))
        }
        0xd8 => {
            let rest = rest.strip_prefix(&[0x18]).unwrap_or(rest);
            let (2, length, rest) = argument(rest)? else { return None };
            let content = rest.get(..usize::try_from(length).ok()?)?;
            Some((spell_container(content)?, &rest[length as usize..]))
        }
        _ => match argument(bytes)? {
            (0, value, rest) => Some((i32::try_from(value).ok()?.to_string(), rest)),
            (1, value, rest) => Some(((-1 - i32::try_from(value).ok()?).to_string(), rest)),
            (major, ..) => {
                let (text, rest) = spell_text(bytes)?;
                (major == 2 || major == 3).then_some((quote(&text), rest))
            }
        },
    }
}

fn quote(text: &str) -> String {
    serde_json::to_string(text).expect("text")
}

fn spell_text(bytes: &[u8]) -> Option<(String, &[u8])> {
    let (major, length, rest) = argument(bytes)?;
    let bytes = rest.get(..usize::try_from(length).ok()?)?;
    let rest = &rest[length as usize..];
    let units = || bytes.chunks(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect::<Vec<_>>();
    match major {
        2 if bytes.len() % 2 == 0 => Some((String::from_utf16_lossy(&units()), rest)),
        3 => Some((String::from_utf8_lossy(bytes).into_owned(), rest)),
        _ => None,
    }
}

/// The content of an envelope: one map or array, all of it.
fn spell_container(content: &[u8]) -> Option<String> {
    let (&opening, mut rest) = content.split_first()?;
    let mut parts = Vec::new();
    while rest.first()? != &0xff {
        let mut part = String::new();
        if opening == 0xbf {
            let (key, after) = spell_text(rest)?;
            (part, rest) = (format!("{}:", quote(&key)), after);
        }
        let (value, after) = spell(rest)?;
        parts.push(part + &value);
        rest = after;
    }
    let parts = parts.join(",");
    match opening {
        _ if rest.len() > 1 => None,
        0xbf => Some(format!("{{{parts}}}")),
        0x9f => Some(format!("[{parts}]")),
        _ => None,
    }
}

fn argument(bytes: &[u8]) -> Option<(u8, u64, &[u8])> {
    let (&first, rest) = bytes.split_first()?;
    let size = match first & 0x1f {
        low @ 0..=23 => return Some((first >> 5, u64::from(low), rest)),
        24 => 1,
        25 => 2,
        26 => 4,
        27 => 8,
        _ => return None,
    };
    let value = rest.get(..size)?.iter().fold(0, |value, byte| value << 8 | u64::from(*byte));
    Some((first >> 5, value, &rest[size..]))
}

fn number(value: f64) -> String {
    let plain = value == 0.0 || (1e-7..1e21).contains(&value.abs());
    match value.is_finite() {
        false => "null".to_owned(),
        true if plain => format!("{value}"),
        true => format!("{value:e}"),
    }
}

fn base64(bytes: &[u8]) -> String {
    let bits: String = bytes.iter().map(|byte| format!("{byte:08b}")).collect();
    let letter = |bits: &[u8]| {
        let padded = format!("{:0<6}", std::str::from_utf8(bits).expect("digits"));
        let at = usize::from_str_radix(&padded, 2).expect("digits");
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".as_bytes()[at] as char
    };
    let text: String = bits.as_bytes().chunks(6).map(letter).collect();
    let whole = text.len().div_ceil(4) * 4;
    format!("{text:=<whole$}")
}
