//! One file with everything that somebody who helps may want to see: the report, its snapshot, and the texts behind it, as a
//! compressed archive. The same contents give the same bytes.

use super::{json, markdown};
use crate::report::Report;
use flate2::{Compression, GzBuilder};
use std::io::Write;

/// The folder that the archive unpacks to.
const FOLDER: &str = "gpu-doctor-report";

/// The archive. `texts` are names and contents of the files below `raw/`.
pub fn archive(report: &Report, texts: &[(String, String)]) -> anyhow::Result<Vec<u8>> {
    // The time of the facts, so that the archive is the same whenever it is made of them.
    let time = humantime::parse_rfc3339(&report.created_at).unwrap_or(std::time::UNIX_EPOCH);
    let seconds = time.duration_since(std::time::UNIX_EPOCH).map_or(0, |age| age.as_secs());
    // The comment tells the file from others that must not be overwritten.
    let packed = GzBuilder::new().mtime(0).comment("gpu-doctor report").write(Vec::new(), Compression::default());
    let mut builder = tar::Builder::new(packed);
    let mut add = |name: &str, bytes: &[u8]| -> std::io::Result<()> {
        let mut header = tar::Header::new_gnu();
        header.set_entry_type(tar::EntryType::Regular);
        header.set_mode(0o600);
        header.set_uid(0);
        header.set_gid(0);
        header.set_mtime(seconds);
        header.set_size(bytes.len() as u64);
        builder.append_data(&mut header, format!("{FOLDER}/{name}"), bytes)
    };
    add("README.txt", readme(report, texts).as_bytes())?;
    add("report.md", markdown::document(report).as_bytes())?;
    add("report.json", &json::document(report)?)?;
    for (name, text) in texts {
        add(&format!("raw/{name}"), text.as_bytes())?;
    }
    let mut packed = builder.into_inner()?;
    packed.flush()?;
    Ok(packed.finish()?)
}

/// What is in the archive.
fn readme(report: &Report, texts: &[(String, String)]) -> String {
    let mut out = format!(
        "A report of gpu-doctor {}, of facts seen at {}.\n\n\
         report.md    for people\n\
         report.json  for programs; judge it anew with: gpu-doctor check --from report.json\n",
        report.tool.version, report.created_at
    );
    for (name, _) in texts {
        out += &format!("raw/{name}\n");
    }
    out += &format!("\n{}\n", super::words::redacted(report));
    out
}
