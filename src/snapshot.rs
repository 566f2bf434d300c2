//! A report as a file that is judged again: reading it, and saying clearly what is wrong with it.

use crate::facts::{Fact, Facts, State, catalogue};
use crate::report::SCHEMA_VERSION;
use crate::subject::{Kind, Subject};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;
use serde_json::error::Category;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::HashSet;

/// The longest snapshot that is read, in bytes. That of a machine with eight GPUs has about 200 KiB.
pub const LONGEST: u64 = 64 << 20;

/// Facts of a snapshot, and GPUs in it: as many as any machine can have. The time that judging takes grows with the product
/// of the two.
const MOST_FACTS: usize = 30_000;
const MOST_GPUS: usize = 1024;

/// Environments in a snapshot; `--all-envs` finds at most 100.
const MOST_ENVIRONMENTS: usize = 400;

/// What judging needs of a report; the rest of it follows from the facts.
#[derive(Debug)]
pub struct Snapshot {
    /// When the facts were gathered, RFC 3339.
    pub created_at: String,
    /// What was seen.
    pub facts: Facts,
}

/// What tells a report from other JSON.
#[derive(Deserialize)]
struct Head {
    #[serde(default)]
    schema_version: Option<Value>,
    #[serde(default)]
    facts: Option<IgnoredAny>,
}

/// The parts that are read. The facts come one by one, so that the place of a wrong one can be named.
#[derive(Deserialize)]
struct Body<'a> {
    created_at: String,
    #[serde(borrow)]
    facts: Vec<&'a RawValue>,
}

/// Reads a snapshot. The error is a sentence that goes on after the name of the file.
pub fn parse(bytes: &[u8]) -> Result<Snapshot, String> {
    let text = text(bytes)?;
    let head: Head = serde_json::from_str(&text).map_err(|e| match e.classify() {
        Category::Eof if text.trim().is_empty() => {
            "is empty; save a snapshot with: gpu-doctor check --save FILE".to_string()
        }
        Category::Eof => format!(
            "ends in the middle, at line {}, column {}: it was cut off; copy it again, or save it anew with: \
             gpu-doctor check --save FILE",
            e.line(),
            e.column()
        ),
        Category::Data if text.trim_start().starts_with('{') => foreign(&at(&e)),
        Category::Data => foreign("its outermost value is not an object"),
        _ => format!("is not JSON: {}", at(&e)),
    })?;
    // serde takes a list for a struct as well.
    if !text.trim_start().starts_with('{') {
        return Err(foreign("its outermost value is not an object"));
    }
    let version = match &head.schema_version {
        None => return Err(foreign("it has no schema_version")),
        Some(version) => version.as_u64().ok_or_else(|| foreign("its schema_version is not a number"))?,
    };
    if version != u64::from(SCHEMA_VERSION) {
        return Err(format!(
            "has schema_version {version}, and this program reads {SCHEMA_VERSION}; judge it with the gpu-doctor that \
             made it (see \"tool\" in the file), or save it anew with: gpu-doctor check --save FILE"
        ));
    }
    if head.facts.is_none() {
        return Err(foreign("it has no facts"));
    }
    body(&text).map_err(|why| {
        format!("does not fit the schema of a snapshot: {why}; save it anew with: gpu-doctor check --save FILE")
    })
}

fn body(text: &str) -> Result<Snapshot, String> {
    let Body { created_at, facts } = serde_json::from_str(text).map_err(|e| at(&e))?;
    if humantime::parse_rfc3339(&created_at).is_err() {
        return Err(format!("created_at is not a time in UTC as 2026-01-31T12:00:00Z: {created_at:?}"));
    }
    if facts.len() > MOST_FACTS {
        return Err(format!("it has {} facts, and no machine has more than {MOST_FACTS}", facts.len()));
    }
    let facts = facts.into_iter().map(|raw| fact(text, raw)).collect::<Result<Facts, String>>()?;
    let gpus: HashSet<&Subject> = facts.iter().map(|f| &f.subject).filter(|s| s.kind == Kind::Gpu).collect();
    if gpus.len() > MOST_GPUS {
        return Err(format!("it speaks of {} GPUs, and no machine has more than {MOST_GPUS}", gpus.len()));
    }
    let environments: HashSet<&Subject> =
        facts.iter().map(|f| &f.subject).filter(|s| s.kind == Kind::Environment).collect();
    if environments.len() > MOST_ENVIRONMENTS {
        return Err(format!(
            "it speaks of {} Python environments; more than {MOST_ENVIRONMENTS} are not read",
            environments.len()
        ));
    }
    Ok(Snapshot { created_at, facts })
}

/// A fact whose value has the type of its key. Keys that this version does not know are kept as they are.
fn fact(text: &str, raw: &RawValue) -> Result<Fact, String> {
    let place = || {
        // The raw value is a part of the text.
        let start = raw.get().as_ptr().addr() - text.as_ptr().addr();
        let before = text.get(..start).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        let column = start - before.rfind('\n').map(|at| at + 1).unwrap_or_default() + 1;
        format!("line {line}, column {column}")
    };
    let fact: Fact = serde_json::from_str(raw.get()).map_err(|e| format!("{}: {}", place(), what(&e)))?;
    if let State::Seen { value } | State::Reported { value } = &fact.state
        && let Some(key) = catalogue().find(|key| key.name() == fact.key)
    {
        key.accepts(value).map_err(|e| format!("{}: the value of {}: {e}", place(), fact.key))?;
    }
    Ok(fact)
}

/// Whether a file that starts like this may be replaced by a snapshot, because it is one.
pub fn is_ours(head: &[u8]) -> bool {
    let head = String::from_utf8_lossy(head);
    head.trim_start().starts_with('{') && head.contains("\"schema_version\"")
}

/// UTF-8, or what PowerShell's `>` makes of it: a byte order mark, or UTF-16.
fn text(bytes: &[u8]) -> Result<Cow<'_, str>, String> {
    let utf16 = |from: fn([u8; 2]) -> u16| {
        let units: Vec<u16> = bytes[2..].chunks_exact(2).map(|pair| from([pair[0], pair[1]])).collect();
        Cow::Owned(String::from_utf16_lossy(&units))
    };
    match bytes {
        [0xff, 0xfe, ..] => Ok(utf16(u16::from_le_bytes)),
        [0xfe, 0xff, ..] => Ok(utf16(u16::from_be_bytes)),
        _ => {
            let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
            std::str::from_utf8(bytes)
                .map(Cow::Borrowed)
                .map_err(|e| format!("is not text: byte {} is not UTF-8", e.valid_up_to() + 1))
        }
    }
}

fn foreign(why: &str) -> String {
    format!("is not a snapshot of gpu-doctor: {why}; save one with: gpu-doctor check --save FILE")
}

/// The place first, then what is wrong there.
fn at(error: &serde_json::Error) -> String {
    format!("line {}, column {}: {}", error.line(), error.column(), what(error))
}

/// What is wrong, without the place that serde_json puts at the end.
fn what(error: &serde_json::Error) -> String {
    let whole = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    whole.strip_suffix(&place).unwrap_or(&whole).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::host;

    const GOOD: &str = r#"{"schema_version": 1, "tool": {"name": "gpu-doctor", "version": "9"},
"created_at": "2026-01-31T12:00:00Z", "verdict": "ready",
"facts": [{"key": "host.os", "subject": {"kind": "machine", "id": "machine"}, "state": "seen", "value": "linux", "source": "uname"},
{"key": "of.the.future", "subject": {"kind": "machine", "id": "machine"}, "state": "seen", "value": [1], "source": "x"}]}"#;

    #[test]
    fn a_snapshot_is_read_and_unknown_keys_stay() {
        let snapshot = parse(GOOD.as_bytes()).unwrap();
        assert_eq!(snapshot.created_at, "2026-01-31T12:00:00Z");
        assert_eq!(snapshot.facts.value(&host::OS).as_deref(), Some("linux"));
        assert_eq!(snapshot.facts.iter().count(), 2);
    }

    #[test]
    fn what_powershell_writes_is_read() {
        let marked = [b"\xef\xbb\xbf", GOOD.as_bytes()].concat();
        assert_eq!(parse(&marked).unwrap().facts.iter().count(), 2);
        let wide: Vec<u8> = "\u{feff}".encode_utf16().chain(GOOD.encode_utf16()).flat_map(u16::to_le_bytes).collect();
        assert_eq!(parse(&wide).unwrap().facts.iter().count(), 2);
    }

    #[test]
    fn every_fault_has_its_sentence() {
        let wrong_type = GOOD.replace("\"value\": \"linux\"", "\"value\": 3");
        let other_version = GOOD.replace("\"schema_version\": 1", "\"schema_version\": 7");
        let no_time = GOOD.replace("2026-01-31T12:00:00Z", "yesterday");
        let cases: &[(&[u8], &str)] = &[
            (b"", "is empty"),
            (&GOOD.as_bytes()[..100], "ends in the middle, at line 2, column 30"),
            (b"hello", "is not JSON: line 1, column 1"),
            (b"[1, 2]", "outermost value is not an object"),
            (b"{\"a\": 1}", "it has no schema_version"),
            (b"{\"schema_version\": \"one\"}", "its schema_version is not a number"),
            (b"{\"schema_version\": 1}", "it has no facts"),
            (b"{\"schema_version\": 1, \"facts\": []}", "missing field `created_at`"),
            (b"\x89PNG\r\n", "is not text: byte 1"),
            (b"{\"schema_version\": 1, \"schema_version\": 1}", "line 1, column 38: duplicate field `schema_version`"),
            (wrong_type.as_bytes(), "line 3, column 11: the value of host.os: invalid type: integer"),
            (other_version.as_bytes(), "has schema_version 7, and this program reads 1"),
            (no_time.as_bytes(), "created_at is not a time"),
        ];
        for (bytes, sentence) in cases {
            let error = parse(bytes).unwrap_err();
            assert!(error.contains(sentence), "{error}");
        }
        let fact = |id: usize| {
            format!(
                "{{\"key\":\"x\",\"subject\":{{\"kind\":\"gpu\",\"id\":\"{id}\"}},\"state\":\"absent\",\"source\":\"x\"}}"
            )
        };
        let many = |facts: &[String]| {
            let text = facts.join(",");
            parse(
                format!("{{\"schema_version\":1,\"created_at\":\"2026-01-31T12:00:00Z\",\"facts\":[{text}]}}")
                    .as_bytes(),
            )
        };
        assert!(many(&vec![fact(0); 30_001]).unwrap_err().contains("it has 30001 facts"));
        assert!(many(&(0..1025).map(fact).collect::<Vec<_>>()).unwrap_err().contains("it speaks of 1025 GPUs"));
        assert!(many(&(0..1024).map(fact).collect::<Vec<_>>()).is_ok());
        let deep = "[".repeat(100_000);
        assert!(parse(deep.as_bytes()).unwrap_err().contains("recursion limit"));
    }
}
