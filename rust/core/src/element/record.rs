//! A fingerprint as JSON, to keep between runs. It has one version, which is checked; unknown keys are skipped.

use std::fmt::Write;

use crate::capture::json::{Cursor, unescape};
use crate::element::fingerprint::{Fingerprint, Home, Traits};
use crate::error::Result as JsonResult;

/// Raised whenever a property changes its meaning: then fingerprints of both kinds cannot be compared.
pub const VERSION: u32 = 1;

/// Why a record is not a fingerprint, and at which byte that became certain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordError {
    pub offset: usize,
    pub reason: String,
}

/// The fingerprint as one JSON object in UTF-8.
pub fn to_json(fingerprint: &Fingerprint) -> String {
    let Fingerprint { home, backend_node_id, selector, traits } = fingerprint;
    let mut out = format!("{{\"version\":{VERSION}");
    let mut text = |key: &str, value: &str| {
        let _ = write!(out, ",\"{key}\":");
        quote(&mut out, value);
    };
    text("frame", &home.frame);
    text("loader", &home.loader);
    text("selector", selector);
    text("tag", &traits.tag);
    text("role", &traits.role);
    text("name", &traits.name);
    text("text", &traits.text);
    text("id", &traits.id);
    text("href", &traits.href);
    text("heading", &traits.heading);
    text("around", &traits.around);
    text("structure", &format!("{:016x}", traits.structure));
    let _ = write!(
        out,
        ",\"document\":{},\"root\":{},\"backendNodeId\":{backend_node_id},\"place\":[{},{}]",
        home.document_id, home.root_id, traits.place.0, traits.place.1
    );
    for (key, list) in [("classes", &traits.classes), ("landmarks", &traits.landmarks), ("above", &traits.above)] {
        let _ = write!(out, ",\"{key}\":[");
        write_list(&mut out, list.iter());
    }
    out.push_str(",\"attributes\":[");
    write_list(&mut out, traits.attributes.iter().flat_map(|(name, value)| [name, value]));
    if let Some([x, y, width, height]) = traits.bounds {
        let _ = write!(out, ",\"bounds\":[{x},{y},{width},{height}]");
    }
    out.push('}');
    out
}

fn write_list<'a>(out: &mut String, list: impl Iterator<Item = &'a String>) {
    for (at, text) in list.enumerate() {
        if at > 0 {
            out.push(',');
        }
        quote(out, text);
    }
    out.push(']');
}

fn quote(out: &mut String, text: &str) {
    out.push('"');
    for letter in text.chars() {
        match letter {
            '"' | '\\' => {
                out.push('\\');
                out.push(letter);
            }
            '\0'..='\u{1f}' => {
                let _ = write!(out, "\\u{:04x}", letter as u32);
            }
            _ => out.push(letter),
        }
    }
    out.push('"');
}

/// Read what `to_json` wrote.
pub fn from_json(json: &[u8]) -> Result<Fingerprint, RecordError> {
    let mut cursor = Cursor::new(json, true);
    let mut version = None;
    let mut found = Fingerprint::default();
    let mut has_tag = false;
    let mut read = || -> JsonResult<()> {
        cursor.expect(b'{')?;
        let mut first = true;
        loop {
            if cursor.take(b'}') {
                return Ok(());
            }
            if !first {
                cursor.expect(b',')?;
            }
            first = false;
            let key = cursor.key()?;
            let Fingerprint { home, backend_node_id, selector, traits } = &mut found;
            match key {
                b"version" => version = Some(number(&mut cursor)?),
                b"document" => home.document_id = number(&mut cursor)?,
                b"root" => home.root_id = number(&mut cursor)?,
                b"backendNodeId" => *backend_node_id = number(&mut cursor)?,
                b"structure" => traits.structure = u64::from_str_radix(&text(&mut cursor)?, 16).unwrap_or(0),
                b"classes" => traits.classes = list(&mut cursor)?,
                b"landmarks" => traits.landmarks = list(&mut cursor)?,
                b"above" => traits.above = list(&mut cursor)?,
                b"attributes" => {
                    let flat = list(&mut cursor)?;
                    traits.attributes = flat.chunks_exact(2).map(|pair| (pair[0].clone(), pair[1].clone())).collect();
                }
                b"place" => {
                    let [before, all] = numbers::<2>(&mut cursor)?;
                    traits.place = (before as u32, all as u32);
                }
                b"bounds" => traits.bounds = Some(numbers::<4>(&mut cursor)?.map(|side| side as f32)),
                _ => match field(key, home, selector, traits) {
                    Some(field) => {
                        has_tag |= key == b"tag";
                        *field = text(&mut cursor)?;
                    }
                    None => cursor.skip()?,
                },
            }
        }
    };
    let done = read();
    let fail = |reason: String| Err(RecordError { offset: cursor.at.min(json.len()), reason });
    match (done, version) {
        (Err(error), _) => {
            Err(RecordError { offset: error.offset, reason: "it is not JSON as it was written".to_owned() })
        }
        (Ok(()), None) => fail("it says no version".to_owned()),
        (Ok(()), Some(version)) if version != VERSION => {
            fail(format!("it is of version {version} and this is version {VERSION}; take a new one"))
        }
        (Ok(()), _) if !has_tag => fail("it says no tag".to_owned()),
        _ => Ok(found),
    }
}

fn field<'a>(
    key: &[u8],
    home: &'a mut Home,
    selector: &'a mut String,
    traits: &'a mut Traits,
) -> Option<&'a mut String> {
    Some(match key {
        b"frame" => &mut home.frame,
        b"loader" => &mut home.loader,
        b"selector" => selector,
        b"tag" => &mut traits.tag,
        b"role" => &mut traits.role,
        b"name" => &mut traits.name,
        b"text" => &mut traits.text,
        b"id" => &mut traits.id,
        b"href" => &mut traits.href,
        b"heading" => &mut traits.heading,
        b"around" => &mut traits.around,
        _ => return None,
    })
}

fn text(cursor: &mut Cursor) -> JsonResult<String> {
    let span = cursor.string()?;
    let source = &cursor.bytes[span.start as usize..(span.start + span.len) as usize];
    let mut plain = Vec::with_capacity(source.len());
    unescape(source, &mut plain);
    Ok(String::from_utf8_lossy(&plain).into_owned())
}

fn number(cursor: &mut Cursor) -> JsonResult<u32> {
    Ok(float(cursor)? as u32)
}

fn float(cursor: &mut Cursor) -> JsonResult<f64> {
    let digits = cursor.number()?;
    Ok(std::str::from_utf8(digits).ok().and_then(|digits| digits.parse().ok()).unwrap_or(0.0))
}

fn numbers<const COUNT: usize>(cursor: &mut Cursor) -> JsonResult<[f64; COUNT]> {
    let mut found = [0.0; COUNT];
    for (at, slot) in found.iter_mut().enumerate() {
        cursor.expect(if at == 0 { b'[' } else { b',' })?;
        *slot = float(cursor)?;
    }
    cursor.expect(b']')?;
    Ok(found)
}

fn list(cursor: &mut Cursor) -> JsonResult<Vec<String>> {
    let mut found = Vec::new();
    cursor.expect(b'[')?;
    if cursor.take(b']') {
        return Ok(found);
    }
    loop {
        found.push(text(cursor)?);
        if !cursor.take(b',') {
            cursor.expect(b']')?;
            return Ok(found);
        }
    }
}
