//! What the user asked for, as facts.

use crate::checks::{CHAIN, by_id};
use crate::cli::LookArgs;
use crate::facts::{Facts, Key, asked};
use crate::machine::outputs;
use crate::subject::Subject;
use serde::Serialize;

/// Adds what was asked for. With a snapshot, what is asked now takes the place of what was asked then; what was not asked
/// now stays.
pub fn record(args: &LookArgs, facts: &mut Facts) -> anyhow::Result<()> {
    if let Some(count) = args.expect_gpus {
        put(facts, &asked::EXPECT_GPUS, count, "--expect-gpus");
    }
    if let Some(name) = &args.framework {
        put(facts, &asked::FRAMEWORK, name.clone(), "--framework");
    }
    let deselected = deselected(args)?;
    if !deselected.is_empty() {
        put(facts, &asked::DESELECTED, deselected, "--only, --skip");
    }
    if args.from.is_some() {
        return Ok(());
    }
    put(facts, &asked::COMMAND, outputs::command_line(), "the command line");
    put(facts, &asked::TIMEOUT, args.timeout, "--timeout");
    if args.passive {
        put(facts, &asked::PASSIVE, true, "--passive");
    }
    if args.quick {
        put(facts, &asked::QUICK, true, "--quick");
    }
    if args.busy {
        put(facts, &asked::BUSY, true, "--busy");
    }
    if let (Some(root), false) = (&args.root, args.root_live) {
        put(facts, &asked::IMAGE, root.display().to_string(), "--root");
    }
    Ok(())
}

fn put<T: Serialize>(facts: &mut Facts, key: &Key<T>, value: T, flag: &str) {
    facts.retain(|fact| fact.key != key.name);
    facts.seen(key, &Subject::machine(), value, flag);
}

/// The checks that are left out, in the order of the chain.
pub fn deselected(args: &LookArgs) -> anyhow::Result<Vec<String>> {
    if let Some(both) = args.only.iter().find(|id| args.skip.contains(id)) {
        anyhow::bail!("--only {both} and --skip {both} contradict each other");
    }
    let mut wanted: Vec<&str> = Vec::new();
    let mut open: Vec<&str> = args.only.iter().map(String::as_str).collect();
    while let Some(id) = open.pop() {
        if !wanted.contains(&id) {
            wanted.push(id);
            open.extend(by_id(id).map(|check| check.needs).unwrap_or_default());
        }
    }
    let is_out = |id: &str| (!wanted.is_empty() && !wanted.contains(&id)) || args.skip.iter().any(|skip| skip == id);
    Ok(CHAIN.iter().map(|check| check.id).filter(|id| is_out(id)).map(str::to_string).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::Cli;
    use clap::Parser;

    fn args(line: &[&str]) -> LookArgs {
        Cli::parse_from([&["gpu-doctor"], line].concat()).check.look
    }

    #[test]
    fn only_takes_what_it_needs_with_it() {
        let out = deselected(&args(&["--only", "kernel-driver"])).unwrap();
        assert!(!out.contains(&"kernel-driver".to_string()) && !out.contains(&"gpu-present".to_string()), "{out:?}");
        assert_eq!(out.len(), CHAIN.len() - 2);
        assert_eq!(deselected(&args(&["--skip", "tensor", "--skip", "framework"])).unwrap(), ["framework", "tensor"]);
        assert!(deselected(&args(&[])).unwrap().is_empty());
        assert!(deselected(&args(&["--only", "nvml", "--skip", "nvml"])).is_err());
    }

    #[test]
    fn what_is_asked_now_replaces_what_was_asked_then() {
        let mut facts = Facts::new();
        record(&args(&["--expect-gpus", "8", "--passive"]), &mut facts).unwrap();
        record(&args(&["--from", "x", "--expect-gpus", "4"]), &mut facts).unwrap();
        assert_eq!(facts.value(&asked::EXPECT_GPUS), Some(4));
        assert_eq!(facts.value(&asked::PASSIVE), Some(true));
        assert_eq!(facts.value(&asked::TIMEOUT), Some(60));
    }
}
