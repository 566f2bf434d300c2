//! The commands of a fix are those of whoever manages the environment, and survive what paths may hold: pasted into a shell
//! they come to each program as they were meant.
#![cfg(unix)]
#![allow(clippy::disallowed_methods)]

use gpu_doctor::causes::example::{self, Form};
use gpu_doctor::causes::{self, page};
use gpu_doctor::facts::{Facts, python};
use gpu_doctor::report::Report;
use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

/// Whoever may manage an environment, as the words that are true of it.
const MANAGERS: [&[&str]; 13] = [
    &["pip"],
    &["pip", "hatch"],
    &["pip", "kernel"],
    &["uv"],
    &["uv", "project"],
    &["poetry"],
    &["poetry", "project"],
    &["pdm", "project"],
    &["pipx"],
    &["conda", "driver_cuda", "cuda_major"],
    &["pixi", "project", "driver_cuda", "cuda_major"],
    &["pixi", "global", "cuda_major"],
    &["system", "apt", "kernel"],
];

/// What a folder may be called: blanks, quotes, what shells fill in, a hyphen at the start, letters outside of ASCII.
const NASTY: &str = "-a  b'c\"d $HOME ${X} `id` $(id) \\ \u{e9}\u{4e2d};&|*?~#!(1){2}[3]<>\n%PATH%";
/// Placeholders that are filled in from the names of files.
const PATHS: [&str; 12] = [
    "python",
    "prefix",
    "project",
    "folder",
    "file",
    "path",
    "shadow",
    "leftover",
    "other_python",
    "other_prefix",
    "app",
    "other_project",
];

/// Records what it was called with.
const RECORDER: &str = "#!/bin/bash\nprintf '%s\\0' \"$0\" \"$@\" >>\"$LOG\"; printf '\\n\\0' >>\"$LOG\"\n";

fn tags(words: &[&str], more: &[&str]) -> Vec<String> {
    words.iter().chain(more).map(|word| word.to_string()).collect()
}

/// Every command of every page for every manager, with placeholders.
fn commands() -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    for cause in causes::all() {
        all.insert(cause.head().verify.to_string());
        for step in page::fixes(cause.page).into_iter().flat_map(|fix| fix.steps) {
            for words in MANAGERS {
                for more in [&["index"][..], &[]] {
                    let steps = step.clone().of_manager(&tags(words, more));
                    all.extend(steps.into_iter().filter_map(|step| step.command));
                }
            }
        }
    }
    all
}

/// Values for the placeholders of a command; those of files lie in `folder`, the others are plain words.
fn values<'a>(command: &'a str, folder: &str) -> BTreeMap<&'a str, String> {
    let value = |name: &str| match PATHS.contains(&name) {
        true => format!("{folder}/{name}"),
        false => name.to_uppercase(),
    };
    page::names(command).into_iter().map(|name| (name, value(name))).collect()
}

/// What programs are called with when a command is pasted into a shell: program and arguments of each call.
fn calls(command: &str, home: &Path, folder: &str) -> String {
    let log = home.join("log");
    let _ = std::fs::remove_file(&log);
    // No program is found, so that each is recorded; and nothing of the shell's own may do harm.
    // What a pipe brings is taken, so that nobody writes into a closed one.
    let record = "command_not_found_handle() { [ -p /dev/stdin ] && mapfile -t _; printf '%s\\0' \"$@\" >>\"$LOG\"; \
                  printf '\\n\\0' >>\"$LOG\"; }; \
                  enable -n kill exec ulimit;\n";
    let output = Command::new("/bin/bash")
        .args(["--norc", "--noprofile", "-c", &format!("{record}{command}\n")])
        .current_dir(home)
        .env_clear()
        .env("PATH", home.join("empty"))
        .env("HOME", home)
        .env("LOG", &log)
        .output()
        .expect("bash");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!said.contains("syntax error") && !said.contains("unexpected EOF"), "{command}\n{said}");
    let checked = Command::new("/bin/sh").args(["-n", "-c", command]).output().expect("sh");
    assert!(checked.status.success(), "{command}\n{}", String::from_utf8_lossy(&checked.stderr));
    // Those of a pipe come in any order.
    let bytes = std::fs::read(&log).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes).replace(folder, "FOLDER");
    let mut calls: Vec<&str> = text.split("\n\0").collect();
    calls.sort_unstable();
    calls.join("\n")
}

#[test]
fn what_a_folder_is_called_changes_no_word_of_a_command() {
    let home = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(home.path().join("empty")).expect("a folder");
    let (plain, nasty) = (home.path().join("plain"), home.path().join(NASTY));
    let stub = |path: &Path| {
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        std::fs::write(path, RECORDER).expect("write");
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).expect("a program");
    };
    for folder in [&plain, &nasty] {
        ["python", "path", "other_python"].iter().for_each(|name| stub(&folder.join(name)));
    }
    for made in ["gpu-env/bin/python", "uv-env/bin/python", "uv-env/bin/uv"] {
        stub(&home.path().join(made));
    }
    let (plain, nasty) = (plain.display().to_string(), nasty.display().to_string());
    let mut tried = 0;
    for command in commands() {
        let named = page::names(&command);
        if !PATHS.iter().any(|name| named.contains(name)) {
            continue;
        }
        let fill = |folder: &str| page::command(&command, &values(&command, folder)).expect("every value is given");
        let [expected, got] = [&plain, &nasty].map(|folder| calls(&fill(folder), home.path(), folder));
        assert_eq!(got, expected, "{command}");
        // What only changes a variable calls nobody.
        tried += usize::from(!expected.is_empty());
    }
    assert!(tried > 200, "{tried}");
}

/// Pages with a command of pip for one kind of environment alone, which their condition names, or of no environment that is
/// looked at.
const ONLY_PIP: [&str; 9] = [
    // An environment of pip, made anew.
    "python-base-missing",
    // Beside conda's own command.
    "conda-cpu-build-selected",
    // A file of requirements is pip's.
    "lockfile-selects-cpu-wheel",
    // What pip laid over conda's.
    "package-of-conda-and-pip",
    "package-metadata-damaged",
    "packages-overwrite-each-other",
    // For a project of Rust, beside whatever Python there is.
    "libtorch-cpu-build",
    // Where Poetry has no word for it.
    "cudnn-too-new-for-gpu",
    // From its source.
    "bitsandbytes-no-binary-for-cuda",
];

#[test]
fn packages_are_installed_by_whoever_manages_the_environment() {
    let mut wrong = Vec::new();
    for cause in causes::all() {
        let slug = cause.head().slug;
        let fix = page::section(cause.page, "How to fix");
        // What is made for it is nobody's.
        let made = |line: &str| line.contains(" -m venv ~/") || line.contains(r"-gpu\Scripts\python");
        let plain = |line: &&str| {
            line.contains("pip install ") && line.starts_with("   ") && !line.contains('`') && !made(line)
        };
        for line in fix.lines().filter(plain) {
            if !ONLY_PIP.contains(&slug) {
                wrong.push(format!("{slug}: {}", line.trim()));
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// The facts with whoever manages the environments.
fn managed(facts: &Facts, manager: &str) -> Facts {
    let mut all = facts.clone();
    for (mut interpreter, fact) in facts.all(&python::INTERPRETER) {
        interpreter.manager = manager.to_string();
        all.retain(|other| other.key != fact.key || other.subject != fact.subject);
        all.seen(&python::INTERPRETER, &fact.subject, interpreter, fact.source.clone());
    }
    for (mut environment, fact) in facts.all(&python::ENVIRONMENT) {
        environment.manager = manager.to_string();
        all.retain(|other| other.key != fact.key || other.subject != fact.subject);
        all.seen(&python::ENVIRONMENT, &fact.subject, environment, fact.source.clone());
    }
    all
}

/// Every example of facts that fires, judged with another manager.
fn judged(manager: &str) -> Vec<(&'static str, Report)> {
    let mut all = Vec::new();
    for cause in causes::all() {
        let slug = cause.head().slug;
        for one in example::examples(cause.page, slug).iter().filter(|e| !e.near_miss && e.form == Form::Facts) {
            let facts = managed(&one.facts(false).expect("facts"), manager);
            all.push((slug, Report::of(facts, "2026-01-01T00:00:00Z".to_string())));
        }
    }
    all
}

#[test]
fn where_an_environment_is_made_the_check_afterwards_asks_it() {
    let mut seen = 0;
    for (slug, report) in judged("system") {
        for cause in report.root_causes.iter().filter(|cause| cause.slug == slug) {
            let makes =
                |command: &str| ["-m venv ~/gpu-env", "-m venv gpu-env"].iter().any(|new| command.contains(new));
            let mut commands = cause.remedy.steps.iter().filter_map(|step| step.command.as_deref());
            if !commands.any(makes) {
                continue;
            }
            seen += 1;
            let old = "/home/u/venv/bin/python";
            assert!(!cause.remedy.verify.contains(old), "{slug}: {}", cause.remedy.verify);
            // Nothing is asked of the old one any more, except to make environments.
            for command in commands.filter(|command| !makes(command)) {
                assert!(!command.contains(old), "{slug}: {command}");
            }
        }
    }
    assert!(seen > 15, "{seen}");
}

#[test]
fn conda_and_pixi_are_told_no_cuda_that_the_driver_has_not() {
    // Driver 470 is of CUDA 11.4.
    let old =
        "kernel.nvidia.version = \"470.256.02\"\nnvml.driver_version = \"470.256.02\"\ncuda.driver_version = 11040";
    for manager in ["conda", "pixi"] {
        let mut seen = 0;
        for cause in causes::all() {
            let slug = cause.head().slug;
            for one in example::examples(cause.page, slug).iter().filter(|e| !e.near_miss && e.form == Form::Facts) {
                let more = example::facts(old, false).expect("facts");
                let mut facts = managed(&one.facts(false).expect("facts"), manager);
                facts.retain(|fact| !more.iter().any(|other| other.key == fact.key && other.subject == fact.subject));
                facts.extend(more);
                let report = Report::of(facts, "2026-01-01T00:00:00Z".to_string());
                let steps = report.root_causes.iter().flat_map(|cause| &cause.remedy.steps);
                for command in steps.filter_map(|step| step.command.as_deref()) {
                    if command.contains("cuda-version") || command.contains("CONDA_OVERRIDE") {
                        seen += 1;
                    }
                    for word in ["cuda 12", "cuda 13", "cuda-version=12", "cuda-version=13", "OVERRIDE_CUDA=12"] {
                        assert!(!command.contains(word) || slug.starts_with("ctranslate2"), "{slug}: {command}");
                    }
                }
            }
        }
        assert!(seen > 5, "{manager}: {seen}");
    }
}
