//! A machine whose names and messages try to break out of whatever they are put into.
#![allow(dead_code)]

use gpu_doctor::causes::example;
use gpu_doctor::facts::{Facts, State};
use gpu_doctor::report::Report;
use gpu_doctor::subject::Kind;
use serde_json::Value;

/// Ends lines, strings, tags, labels and commands; begins commands of GitHub, both the new and the old kind; holds control
/// characters, what XML cannot hold, signs that change the direction of text, and what stands for bytes that are no text.
pub const TEXT: &str = "x\n::error title=pwned::pwned\r\n##[error]pwned\n\u{1b}[31m\u{0}\u{7}\u{202e} \u{fffe}\u{ffff}\u{fffd} \
                        %0A %25 100% \"quoted\" 'quoted' </failure>]]><!-- &amp; <script>alert(1)</script> | a=1;2;3 {b=\"c\"} 7\n\
                        # HELP pwned\n\\ \\n \\\" `reboot` $(reboot) ,: é 日本語 😀 \u{85}\u{2028}";

/// Its report.
pub fn report() -> Report {
    Report::of(facts(), "2026-01-31T12:00:00Z".to_string())
}

/// Its facts: no framework can be imported, and every text in them is hostile.
pub fn facts() -> Facts {
    let failed = "from healthy\n- framework.available\n- framework.device_count\n- framework.tensor\n\
                  framework.import framework torch@/home/u/venv = {\"ok\": false, \"error\": \"OSError\", \"message\": \"m\"}\n\
                  kernel.log.line = \"NVRM: Xid (PCI:0000:01:00): 79, pid=1, m\"";
    let facts = example::facts(failed, false).expect("facts");
    facts.iter().cloned().map(hostile).collect()
}

fn hostile(mut fact: gpu_doctor::facts::Fact) -> gpu_doctor::facts::Fact {
    if matches!(fact.subject.kind, Kind::Environment | Kind::Framework | Kind::Gpu) {
        fact.subject.id.push_str(TEXT);
    }
    fact.source.push_str(TEXT);
    if let State::Seen { value } = &mut fact.state {
        spoil(&fact.key, value);
    }
    fact
}

/// Names, messages and lines; not the words that are compared.
fn spoil(key: &str, value: &mut Value) {
    match value {
        Value::String(text) if key.ends_with("name") || key.ends_with("line") => text.push_str(TEXT),
        Value::Object(fields) => {
            for (name, field) in fields {
                if let (Value::String(text), "message" | "name" | "path" | "prefix" | "file") = (field, name.as_str()) {
                    text.push_str(TEXT);
                }
            }
        }
        _ => {}
    }
}
