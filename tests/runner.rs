//! No child can delay a check beyond its limit, fill memory, or take the check with it.
#![cfg(unix)]
#![allow(clippy::disallowed_methods)]

use gpu_doctor::machine::child::{End, Pause, Report, Spec};
use std::time::{Duration, Instant};

const LIMIT: Duration = Duration::from_millis(700);

fn shell(script: &str) -> Spec {
    Spec::stages("/bin/sh", LIMIT).arguments(["-c", script])
}

/// Runs it, and sees that it takes no more than its limit and a second.
fn within(spec: Spec) -> Report {
    let started = Instant::now();
    let report = spec.run();
    assert!(started.elapsed() < LIMIT + Duration::from_secs(1), "{:?} {report:?}", started.elapsed());
    report
}

#[test]
fn a_hang_is_ended_at_the_limit_and_its_stage_is_known() {
    let report = within(shell(r#"echo '{"begin":"cuInit"}'; echo words >&2; sleep 1000"#));
    assert_eq!(report.end, End::TimedOut { abandoned: false });
    assert_eq!(report.unfinished(), ["cuInit"]);
    assert_eq!(report.stderr, "words\n");
    assert!(!report.done);
}

#[test]
fn ignoring_sigterm_does_not_help() {
    let report = within(shell("trap '' TERM; while :; do sleep 1; done"));
    assert_eq!(report.end, End::TimedOut { abandoned: false });
}

#[test]
fn a_grandchild_that_holds_the_pipe_is_not_waited_for_and_does_not_stay() {
    let started = Instant::now();
    let report = within(shell(r#"sleep 1000 & echo "{\"stage\":\"pid\",\"value\":$!}"; echo '{"done":true}'"#));
    assert!(started.elapsed() < LIMIT, "the limit was waited for");
    assert_eq!(report.end, End::Exited(0));
    assert!(report.done);
    let pid = report.result("pid").unwrap()["value"].as_i64().unwrap();
    std::thread::sleep(Duration::from_millis(100));
    let state = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    assert!(state.is_empty() || state.contains(") Z"), "{state}");
}

/// On a busy machine what a child said may be read long after its end.
#[test]
fn last_words_that_come_late_are_heard() {
    let late = r#"(sleep 0.4; echo '{"stage":"late"}'; echo '{"done":true}') & exit 0"#;
    let report = within(shell(late));
    assert_eq!(report.end, End::Exited(0));
    assert!(report.done && report.result("late").is_some(), "{report:?}");
    // Of one that never says them no more than the limit is waited for, and of one that failed nothing.
    let started = Instant::now();
    assert!(!within(shell("sleep 1000 & exit 3")).done);
    assert!(started.elapsed() < LIMIT, "{:?}", started.elapsed());
    assert!(!within(shell("sleep 1000 & exit 0")).done);
}

#[test]
fn a_flood_neither_fills_memory_nor_outlasts_the_limit() {
    for flood in ["head -c 1000000000 /dev/zero", "yes", "head -c 1000000000 /dev/zero >&2"] {
        for spec in [shell(flood), Spec::text("/bin/sh", LIMIT).arguments(["-c", flood])] {
            let report = within(spec);
            assert!(matches!(report.end, End::Flooded | End::TimedOut { .. }), "{flood}: {:?}", report.end);
            assert!(report.stdout.len() < 1 << 20 && report.stderr.len() < 1 << 20);
        }
    }
    if let Ok(status) = std::fs::read_to_string("/proc/self/status") {
        let peak = status.lines().find_map(|l| l.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB"));
        assert!(peak.is_none_or(|kib| kib.parse::<u64>().unwrap() < 100 * 1024), "{peak:?} kB");
    }
}

#[test]
fn a_crash_is_told_by_its_signal() {
    let report = within(shell(r#"echo '{"begin":"launch"}'; kill -SEGV $$"#));
    assert_eq!(report.end, End::Signaled(11));
    assert_eq!(report.unfinished(), ["launch"]);
}

#[test]
fn half_a_line_and_bytes_that_are_no_text_lose_only_themselves() {
    let report = within(shell(
        r#"echo '{"stage":"one","code":0}'; printf '\377\376 noise\n[1]\n{"stage":"t\377wo"}\n{"stage":"thr'; printf 'a\377b' >&2"#,
    ));
    assert_eq!(report.end, End::Exited(0));
    assert_eq!(report.stages.len(), 1, "{:?}", report.stages);
    assert_eq!(report.stages[0]["stage"], "one");
    assert_eq!(report.stderr, "a\u{fffd}b");
}

#[test]
fn a_last_line_without_an_end_counts() {
    assert!(within(shell(r#"printf '{"done":true}'"#)).done);
}

#[test]
fn an_open_that_blocks_is_ended() {
    let folder = tempfile::tempdir().unwrap();
    let fifo = folder.path().join("nvidia0");
    assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    let report = within(shell(&format!(r#"echo '{{"begin":"open"}}'; cat < {}"#, fifo.display())));
    assert_eq!(report.end, End::TimedOut { abandoned: false });
    assert_eq!(report.unfinished(), ["open"]);
}

#[test]
fn what_cannot_be_started_says_why() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &[u8], mode: u32| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        path
    };
    for (path, why) in [
        (folder.path().to_path_buf(), "it is a directory"),
        (folder.path().join("none"), "no such file"),
        (file("plain", b"#!/bin/sh\n", 0o644), "permission denied"),
        (file("empty", b"", 0o755), "it is an empty file"),
        (file("lost", b"#!/no/such/interpreter\n", 0o755), "no such file"),
    ] {
        let report = within(Spec::text(&path, LIMIT));
        assert_eq!(report.end, End::NotStarted(why.to_string()), "{}", path.display());
    }
}

#[test]
fn a_question_is_answered_and_the_limit_begins_anew() {
    let mut session = shell(
        r#"sleep 0.4; echo '{"waiting":"tensor"}'; read line; sleep 0.4; echo "{\"stage\":\"got\",\"line\":\"$line\"}""#,
    )
    .start();
    assert_eq!(session.pause(), Pause::Waiting("tensor".to_string()));
    // A child that waits is not late, however long it is made to wait.
    std::thread::sleep(LIMIT);
    session.answer("go 0,2");
    let report = session.finish();
    assert_eq!(report.end, End::Exited(0));
    assert_eq!(report.result("got").unwrap()["line"], "go 0,2");
}

#[test]
fn a_question_asked_before_the_limit_counts_when_it_is_heard_after_it() {
    let mut session = shell(r#"echo '{"waiting":"tensor"}'; read line; echo '{"done":true}'"#).start();
    std::thread::sleep(LIMIT + Duration::from_millis(200));
    assert_eq!(session.pause(), Pause::Waiting("tensor".to_string()));
    session.answer("go");
    assert!(session.finish().done);
}

#[test]
fn a_question_that_nobody_answers_ends_with_the_pipe() {
    let report = within(shell(r#"echo '{"waiting":"tensor"}'; read line || echo '{"done":true}'"#));
    assert!(report.done);
}

#[cfg(target_os = "linux")]
#[test]
fn powers_to_make_nodes_and_load_modules_are_taken() {
    let report = Spec::text("/bin/cat", LIMIT).arguments(["/proc/self/status"]).powers(false).run();
    let field = |name: &str| report.stdout.lines().find_map(|l| l.strip_prefix(name)).unwrap().trim().to_string();
    assert_eq!(field("NoNewPrivs:"), "1");
    for set in ["CapInh:", "CapPrm:", "CapEff:", "CapBnd:"] {
        let bits = u64::from_str_radix(&field(set), 16).unwrap();
        assert_eq!(bits & (1 << 16 | 1 << 27), 0, "{set}");
    }
    let node = tempfile::tempdir().unwrap();
    let path = node.path().join("nvidiactl").display().to_string();
    let report = Spec::text("/bin/mknod", LIMIT).arguments([&path, "c", "195", "255"]).powers(false).run();
    assert_ne!(report.end, End::Exited(0), "a node was made");
}

/// What sleeps in the driver cannot be killed. A frozen control group (version 1) shows that for real, where it can be made.
#[cfg(target_os = "linux")]
#[test]
fn what_cannot_be_killed_is_given_up() {
    let group = format!("/sys/fs/cgroup/freezer/gpu-doctor-{}", std::process::id());
    if std::fs::create_dir(&group).is_err() {
        eprintln!("no freezer here: not tested");
        return;
    }
    let script =
        format!(r#"echo '{{"begin":"open"}}'; echo $$ > {group}/cgroup.procs; echo FROZEN > {group}/freezer.state"#);
    let started = Instant::now();
    let report = shell(&script).run();
    let took = started.elapsed();
    std::fs::write(format!("{group}/freezer.state"), "THAWED").unwrap();
    std::thread::sleep(Duration::from_millis(100));
    let _ = std::fs::remove_dir(&group);
    assert_eq!(report.end, End::TimedOut { abandoned: true });
    assert_eq!(report.unfinished(), ["open"]);
    assert!(took < LIMIT + Duration::from_secs(1), "{took:?}");
}
