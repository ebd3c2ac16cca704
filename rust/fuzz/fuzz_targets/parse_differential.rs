//! What parses here parses with serde_json too, and to the same columns.
#![no_main]

use libfuzzer_sys::fuzz_target;
use serde_json::Value;
use stillframe_core::columns::NONE;
use stillframe_core::parse::parse;
use stillframe_core::testpage::bytes;

fn numbers(value: &Value) -> Option<Vec<u32>> {
    let number = |value: &Value| value.as_i64().map(|number| if number == -1 { NONE } else { number as u32 });
    value.as_array()?.iter().map(number).collect()
}

fuzz_target!(|data: &[u8]| {
    let Ok(part) = parse(bytes(data.to_vec())) else { return };
    // Skipped values are not checked as strictly as serde_json does, so its refusal says nothing.
    let Ok(value) = serde_json::from_slice::<Value>(data) else { return };
    let result = value.get("documents").map_or_else(|| value.get("result"), |_| Some(&value));
    let Some(documents) = result.and_then(|result| result.get("documents")).and_then(Value::as_array) else { return };
    assert_eq!(documents.len(), part.documents.len());
    for (expected, found) in documents.iter().zip(&part.documents) {
        let nodes = &expected["nodes"];
        assert_eq!(numbers(&nodes["parentIndex"]).as_ref(), Some(&found.parent));
        assert_eq!(numbers(&nodes["nodeName"]).as_ref(), Some(&found.name));
        assert_eq!(numbers(&nodes["nodeValue"]).as_ref(), Some(&found.value));
        assert_eq!(numbers(&nodes["backendNodeId"]).as_ref(), Some(&found.bid));
    }
});
