//! What a report does not give away, in any form of it; and that its answer stays the same.
#![allow(clippy::disallowed_methods)]

mod common;

use common::largest;
use common::program::{HEALTHY, doctor, file, run};
use gpu_doctor::causes::{self, example};
use gpu_doctor::facts::cuda::ProbeEnd;
use gpu_doctor::facts::host::User;
use gpu_doctor::facts::python::{Environment, Import, Package};
use gpu_doctor::facts::said::Said;
use gpu_doctor::facts::{Facts, asked, cuda, host, kernel, nvidia, python, said};
use gpu_doctor::redact::{self, Redactor};
use gpu_doctor::render::{FORMATS, json};
use gpu_doctor::report::Report;
use gpu_doctor::subject::Subject;
use std::collections::BTreeMap;
use std::io::Read;
use std::time::{Duration, Instant};

/// Secrets as they stand in texts, and what must not be seen of each.
fn secrets() -> Vec<(String, String)> {
    let long = |n: usize, seed: usize| -> String {
        let letters = b"abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789";
        (0..n).map(|i| char::from(letters[(i * 7 + seed * 13 + i * seed) % letters.len()])).collect()
    };
    let mut all: Vec<(String, String)> = Vec::new();
    // Known by how they begin.
    for (n, prefix) in [
        "hf_",
        "ghp_",
        "gho_",
        "ghu_",
        "ghs_",
        "ghr_",
        "github_pat_",
        "glpat-",
        "sk-",
        "sk-proj-",
        "sk-ant-api03-",
        "nvapi-",
        "npm_",
        "dckr_pat_",
        "xoxb-",
        "xoxp-",
        "AIza",
        "ya29.",
        "GOCSPX-",
        "hvs.",
        "gsk_",
        "r8_",
        "sk_live_",
        "rk_live_",
        "SG.",
        "dop_v1_",
    ]
    .into_iter()
    .enumerate()
    {
        let secret = format!("{prefix}{}", long(40, n));
        all.push((format!("it used {secret} for that"), secret));
    }
    for prefix in ["AKIA", "ASIA"] {
        let secret = format!("{prefix}IOSFODNN7EXAMPL{}", &prefix[..1]);
        all.push((format!("key {secret}."), secret));
    }
    let jwt = format!("eyJhbGciOiJIUzI1NiJ9.{}.{}", long(60, 3), long(43, 4));
    all.push((format!("cookie jar {jwt} end"), jwt));
    // Known by their name, or by their place.
    for (n, (before, after)) in [
        ("password=", ""),
        ("PGPASSWORD='", "'"),
        ("{\"api_key\": \"", "\"}"),
        ("WANDB_API_KEY=", " python train.py"),
        ("export HF_TOKEN=", ""),
        ("aws_secret_access_key = ", ""),
        ("client_secret: ", ""),
        ("train --auth-token ", " --lr 1"),
        ("train --password=", ""),
        ("Authorization: Bearer ", ""),
        ("authorization: Basic ", "=="),
        ("curl -H 'X-Api-Key: ", "'"),
        ("Set-Cookie: session=", "; path=/"),
        ("https://ann:", "@pypi.example/simple"),
        ("postgres://u:", "@db.example/x"),
        ("https://", "@huggingface.co/x"),
        ("https://conda.example/t/", "/main/linux-64"),
        ("https://x.example/a?token=", "&v=2"),
        ("https://x.blob.example/a?sv=1&sig=", "&se=2"),
        ("https://hooks.slack.com/services/T0/B0/", ""),
        ("machine x.example login ann password ", ""),
        ("curl -u ann:", " https://x.example"),
        ("AccountKey=", ";EndpointSuffix=core"),
        ("-----BEGIN RSA PRIVATE KEY-----\n", "\n-----END RSA PRIVATE KEY-----"),
    ]
    .into_iter()
    .enumerate()
    {
        let secret = format!("Zq{}9", long(24, n + 31));
        all.push((format!("{before}{secret}{after}"), secret));
    }
    all
}

/// Facts of all kinds with a text in each: values, reasons, subjects, sources, views, paths, names of processes, lines of logs.
fn planted(texts: &[String]) -> Facts {
    let mut facts = example::facts(HEALTHY, false).unwrap();
    let here = Subject::machine();
    for (n, text) in texts.iter().enumerate() {
        let path = format!("/opt/{text}/venv");
        facts.seen(&host::VARIABLE, &Subject::variable(&format!("VAR_{n}")), text.clone(), "environment");
        facts.seen(
            &kernel::LOG_LINE,
            &here,
            format!("[    1.0] NVRM: Xid (PCI:0000:01:00): 31, name={text}"),
            "kernel log",
        );
        facts.seen(&asked::COMMAND, &here, vec!["gpu-doctor".to_string(), text.clone()], text.clone());
        facts.failed(&python::BROKEN, &Subject::environment(path.clone()), format!("it said: {text}"), path.clone());
        let end =
            ProbeEnd { how: "crashed".into(), stage: "cuInit".into(), detail: format!("it crashed; it said: {text}") };
        facts.seen(&cuda::PROBE_END, &Subject::probe(&format!("probe{n}")), end, "probe");
        let framework = Subject::framework("torch", &path);
        let import = Import {
            ok: false,
            file: Some(path.clone()),
            error: Some("OSError".into()),
            message: Some(format!("x\n{text}")),
        };
        facts.seen(&python::IMPORT, &framework, import, text.clone());
        facts.seen(&python::MESSAGE, &framework, text.clone(), "torch");
        let package = Package {
            name: "torch".into(),
            location: Some(text.clone()),
            channel: Some(text.clone()),
            ..Package::default()
        };
        facts.seen(&python::PACKAGE, &here, package, "conda");
        let environment = Environment { path: path.clone(), names: vec![text.clone()], ..Environment::default() };
        facts.seen(&python::ENVIRONMENT, &Subject::environment(path), environment, "files");
        let cells = BTreeMap::from([("name".to_string(), text.clone())]);
        facts.seen(&nvidia::SMI_CELLS, &Subject::gpu(&format!("cuda:{n}")), cells, "nvidia-smi");
        let values = BTreeMap::from([("path".to_string(), text.clone())]);
        let message = Said { id: "torch-not-compiled-with-cuda".into(), text: text.clone(), values };
        facts.seen(&said::MESSAGE, &here, message, format!("{text}:3"));
    }
    facts
}

/// What every way out gives for a snapshot.
fn outputs(snapshot: &std::path::Path) -> Vec<(String, String)> {
    let mut all = Vec::new();
    for format in FORMATS.iter().map(|format| format.name) {
        for redact in [None, Some("--redact")] {
            let got = run(doctor().args(["check", "--format", format]).args(redact).arg("--from").arg(snapshot));
            all.push((format!("check --format {format} {redact:?}"), got.stdout + &got.stderr));
        }
    }
    for line in [&["check", "--verbose"][..], &["report"], &["report", "--no-redact"]] {
        let got = run(doctor().args(line).arg("--from").arg(snapshot));
        all.push((line.join(" "), got.stdout + &got.stderr));
    }
    for more in [None, Some("--no-redact")] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("report.tar.gz");
        let got = run(doctor().arg("report").args(more).arg("--from").arg(snapshot).arg("--bundle").arg(&path));
        assert_eq!(got.stderr, "");
        let mut text = String::new();
        let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(std::fs::File::open(&path).unwrap()));
        for entry in archive.entries().unwrap() {
            entry.unwrap().read_to_string(&mut text).unwrap();
        }
        let way = if more.is_some() { "report --no-redact --bundle" } else { "report" };
        all.push((way.to_string(), text));
    }
    all
}

#[test]
fn no_secret_is_in_any_output() {
    let secrets = secrets();
    assert!(secrets.len() > 50, "{}", secrets.len());
    let texts: Vec<String> = secrets.iter().map(|(text, _)| text.clone()).collect();
    // A snapshot that somebody else made can have them.
    let honest =
        String::from_utf8(json::document(&Report::of(planted(&[]), "2026-01-31T12:00:00Z".into())).unwrap()).unwrap();
    let mut value: serde_json::Value = serde_json::from_str(&honest).unwrap();
    for (n, text) in texts.iter().enumerate() {
        let fact = serde_json::json!({ "key": "kernel.log.line", "subject": { "kind": "file", "id": format!("{n} {text}") },
            "state": "seen", "value": text, "source": text, "context": { "view": text } });
        value["facts"].as_array_mut().unwrap().push(fact);
    }
    let made = file(value.to_string().as_bytes());
    let own = file(&json::document(&Report::of(planted(&texts), "2026-01-31T12:00:00Z".into())).unwrap());
    for snapshot in [made.path(), own.path()] {
        for (way, output) in outputs(snapshot) {
            assert!(!output.is_empty(), "{way}");
            for (text, secret) in &secrets {
                assert!(!output.contains(secret.as_str()), "{way} gives away {secret} of {text:?}");
            }
        }
    }
    let saved = std::fs::read_to_string(own.path()).unwrap();
    for (text, secret) in &secrets {
        assert!(!saved.contains(secret.as_str()), "the snapshot gives away {secret} of {text:?}");
    }
    assert!(saved.matches("<secret>").count() > 400);
    // A pasted text.
    let ticket = texts
        .iter()
        .map(|text| format!("RuntimeError: CUDA error: no kernel image is available {text}\n"))
        .collect::<String>();
    for flags in [&["triage"][..], &["triage", "--json"], &["triage", "--each"]] {
        let pasted = file(ticket.as_bytes());
        let got = run(doctor().args(flags).arg(pasted.path()));
        for (text, secret) in secrets.iter().filter(|(text, _)| !text.contains('\n')) {
            assert!(!got.stdout.contains(secret.as_str()), "{flags:?} gives away {secret} of {text:?}");
        }
    }
}

/// A machine whose user, host and all the rest have names; and the names.
fn named(user: &str, host_name: &str) -> (Facts, Vec<String>) {
    let here = Subject::machine();
    let mut facts = example::facts(HEALTHY, false).unwrap();
    let uuid = "3f2b8c1d-1111-2222-3333-444455556666";
    let gpu = Subject::gpu("0000:01:00.0");
    facts.retain(|fact| fact.key != nvidia::NVML_UUID.name && fact.key != host::USER.name);
    facts.retain(|fact| fact.subject.id != "CUDA_VISIBLE_DEVICES");
    facts.seen(&host::USER_NAME, &here, user.to_string(), "/etc/passwd");
    facts.seen(&host::NAME, &here, format!("{host_name}.cluster.example"), "uname");
    facts.seen(&host::HOME, &here, format!("/srv/people/{user}-s"), "environment");
    let groups = vec![
        (1000, Some(user.to_string())),
        (44, Some("video".to_string())),
        (2000, Some("moonshot-team".to_string())),
    ];
    facts.seen(&host::USER, &here, User { uid: 1000, gid: 1000, groups }, "geteuid");
    facts.seen(&nvidia::NVML_UUID, &gpu, format!("GPU-{uuid}"), "nvml");
    facts.seen(&host::VARIABLE, &Subject::variable("CUDA_VISIBLE_DEVICES"), "GPU-3f2b8c1d".to_string(), "environment");
    for line in [
        format!("Jan 31 12:00:00 {host_name} kernel: NVRM: loaded"),
        format!("log in as {user}@{host_name}.cluster.example or {user}@mail.example.org"),
        format!("{user}@{host_name}:~$ nvidia-smi"),
        format!("home is /home/{user}/x, /srv/people/{user}-s/y and C:\\Users\\{user}\\z"),
        format!("USER={user} HOSTNAME={host_name}"),
        "peer 10.20.30.40:29500 and [fe80::1ff:fe23:4567:890a], mac 00:1b:21:3c:4d:5e".to_string(),
        "Serial Number : 1323021012345, pod \"ml/trainer-7f9c\" and container=\"busy_curie\"".to_string(),
        "docker-0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef.scope".to_string(),
        "versions 32.0.15.6094, 5.15.90.1-microsoft, nvidia-cublas-cu12==12.1.3.1, cuDNN version 8.9.7.29".to_string(),
        "file /usr/lib/x86_64-linux-gnu/libcuda.so.1 of 0000:01:00.0 on 127.0.0.1".to_string(),
    ] {
        facts.seen(&kernel::LOG_LINE, &here, line, "kernel log");
    }
    let names = [
        uuid,
        "3f2b8c1d",
        "10.20.30.40",
        "fe80::1ff:fe23:4567:890a",
        "00:1b:21:3c:4d:5e",
        "1323021012345",
        "trainer-7f9c",
        "busy_curie",
        "0123456789abcdef0123456789abcdef",
        "moonshot-team",
        "mail.example.org",
        "cluster.example",
    ];
    (facts, names.map(str::to_string).to_vec())
}

#[test]
fn identity_is_in_no_redacted_output_and_technical_values_stay() {
    let (facts, mut names) = named("annabel", "node17");
    names.extend(["annabel".to_string(), "node17".to_string()]);
    let snapshot = file(&json::document(&Report::of(facts, "2026-01-31T12:00:00Z".into())).unwrap());
    for (way, output) in outputs(snapshot.path()) {
        if !way.contains("--redact") && way != "report" {
            continue;
        }
        for name in &names {
            assert!(!output.to_lowercase().contains(name.as_str()), "{way} gives away {name}\n{output}");
        }
    }
    let report = run(doctor().args(["report", "--from"]).arg(snapshot.path())).stdout;
    for value in [
        "32.0.15.6094",
        "5.15.90.1-microsoft",
        "nvidia-cublas-cu12==12.1.3.1",
        "8.9.7.29",
        "/usr/lib/x86_64-linux-gnu/libcuda.so.1",
        "0000:01:00.0",
        "127.0.0.1",
        "580.95.05",
        "video",
        "/home/<user-1>/x",
        "GPU-<uuid-1>",
        "/srv/people/<home-1>/y",
        "C:\\Users\\<user-1>\\z",
        "<user-1>@<host-1>:~$",
        "Jan 31 12:00:00 <host-1> kernel:",
        "<pod-1>",
        "<serial-1>",
        "<mac-1>",
    ] {
        assert!(report.contains(value), "{value} is not in\n{report}");
    }
    assert!(report.contains("Replaced in it, one token for one value: user names ("), "{report}");
    for kind in [
        "host names (1)",
        "UUIDs (1)",
        "serial numbers (1)",
        "MAC addresses (1)",
        "IP addresses (2)",
        "group names (1)",
    ] {
        assert!(report.contains(kind), "{kind}\n{report}");
    }
    // Without redaction it is all there, and that is said.
    let open = run(doctor().args(["report", "--no-redact", "--from"]).arg(snapshot.path())).stdout;
    assert!(open.contains("annabel") && open.contains(&names[0]) && open.contains("stand in it as they were seen"));
}

#[test]
fn other_machines_and_serial_numbers_in_sentences_go() {
    let mut facts = Facts::new();
    let machine = Subject::machine();
    facts.seen(&host::NAME, &machine, "ml-node-07".to_string(), "uname");
    let texts = [
        "works on ml-node-12 and ML-NODE-3, fails here",
        "the same image runs on host kessel17. It has driver 550.54.15",
        "card with serial 1324521034729 was swapped",
        "see server fs-02.lab.example for the files",
    ];
    let technical = [
        "serial port 4, serial console ttyS0, serial 16550A",
        "on node nvidia0 of machine x86-64, host python3",
        "version 1324521034729 of ml-nodes, a host driver 550",
    ];
    let said = |text: &str| Said { id: "x".to_string(), text: text.to_string(), values: BTreeMap::new() };
    let mut redactor = {
        for text in texts.iter().chain(&technical) {
            facts.seen(&said::MESSAGE, &machine, said(text), "text");
        }
        Redactor::of(&facts)
    };
    let gone = texts.map(|text| redactor.text(text));
    for (text, name) in gone.iter().zip(["ml-node-12", "kessel17", "1324521034729", "fs-02"]) {
        assert!(!text.contains(name), "{text}");
    }
    assert!(!gone[0].to_lowercase().contains("node-3"), "{}", gone[0]);
    assert!(gone[1].contains("driver 550.54.15"));
    for text in technical {
        assert_eq!(redactor.text(text), text);
    }
}

#[test]
fn words_survive_a_user_or_a_host_of_their_name() {
    for (user, host_name) in
        [("root", "gpu"), ("nvidia", "cuda"), ("cuda", "kernel"), ("driver", "torch"), ("u", "a"), ("not", "is")]
    {
        let (facts, _) = named(user, host_name);
        let mut facts = facts;
        let here = Subject::machine();
        let text = "NVRM: the nvidia kernel driver is not loaded: cuda root cause, torch gpu";
        facts.seen(&kernel::LOG_LINE, &here, text.to_string(), "kernel log");
        let plain = Report::of(facts.clone(), "2026-01-31T12:00:00Z".into());
        let redacted = Report::redacted(facts, "2026-01-31T12:00:00Z".into());
        let lines: Vec<String> = redacted.facts.all(&kernel::LOG_LINE).map(|(line, _)| line).collect();
        assert!(lines.contains(&text.to_string()), "{user} on {host_name}: {lines:#?}");
        // Where names stand they are replaced all the same, unless everybody has them.
        assert_eq!(lines.iter().any(|line| line.contains(&format!("/home/{user}/"))), user == "root", "{lines:#?}");
        assert!(!lines.iter().any(|line| line.contains(&format!("{host_name} kernel: NVRM"))), "{lines:#?}");
        assert_eq!(answer(&plain), answer(&redacted));
    }
}

/// What of a report does not depend on names.
fn answer(report: &Report) -> Vec<String> {
    let causes = report
        .root_causes
        .iter()
        .map(|c| format!("{} {:?} {:?} {}", c.code, c.severity, c.confidence, c.evidence.len()));
    let rows = report.checks.iter().map(|row| format!("{} {:?} {:?}", row.id, row.status, row.symptoms.len()));
    let steps = report.root_causes.iter().map(|c| format!("{} {}", c.remedy.steps.len(), c.remedy.summary.len() > 10));
    [format!("{:?} {}", report.verdict, report.unknowns.len())]
        .into_iter()
        .chain(causes)
        .chain(rows)
        .chain(steps)
        .collect()
}

#[test]
fn the_answer_is_the_same_with_and_without_identity() {
    let mut count = 0;
    for cause in causes::all() {
        for example in example::examples(cause.page, cause.head().slug) {
            let facts = example.facts(false).unwrap();
            let plain = Report::of(facts.clone(), "2026-01-31T12:00:00Z".into());
            let redacted = Report::redacted(facts, "2026-01-31T12:00:00Z".into());
            assert_eq!(answer(&plain), answer(&redacted), "{}: {}", cause.head().slug, example.text);
            // Redacting what was redacted changes nothing, and counts the same.
            let again = Report::redacted(redacted.facts.clone(), "2026-01-31T12:00:00Z".into());
            assert_eq!(json::document(&again).unwrap(), json::document(&redacted).unwrap(), "{}", cause.head().slug);
            count += 1;
        }
    }
    assert!(count > 80, "{count}");
}

#[test]
fn the_report_of_a_redacted_snapshot_is_that_of_the_run() {
    let (facts, _) = named("annabel", "node17");
    let folder = tempfile::tempdir().unwrap();
    let open = file(&json::document(&Report::of(facts, "2026-01-31T12:00:00Z".into())).unwrap());
    let closed = folder.path().join("redacted.json");
    let saved = run(doctor().args(["check", "--redact", "--from"]).arg(open.path()).arg("--save").arg(&closed));
    assert_eq!((saved.code, saved.stderr.as_str()), (0, ""));
    let report = |path: &std::path::Path| run(doctor().args(["report", "--from"]).arg(path)).stdout;
    assert_eq!(report(open.path()), report(&closed));
}

#[test]
fn the_largest_machine_is_redacted_in_no_time() {
    let facts = largest::facts();
    let started = Instant::now();
    let redacted = Redactor::of(&facts).facts(facts);
    let replaced = redact::count(&redacted);
    let took = started.elapsed();
    // As a debug build on a busy machine; a release takes some hundredths of a second.
    assert!(took < Duration::from_secs(60), "{took:?}");
    assert!(redacted.len() > 1000);
    let counts: Vec<(&str, usize)> = replaced.iter().map(|part| (part.kind, part.count)).collect();
    // The user of the paths, and the GPUs but the lost one.
    assert_eq!(counts, [("user names", 1), ("UUIDs", 15)]);
}
