//! The chain on machines that are described by facts alone: what each check says, and what depends on what.

use gpu_doctor::causes::example;
use gpu_doctor::checks::{CHAIN, Row, Status, judge};
use gpu_doctor::report::{Report, Verdict};
use std::collections::HashSet;

fn rows(text: &str) -> Vec<Row> {
    judge(&example::facts(text, false).expect("the facts are readable"))
}

fn report(text: &str) -> Report {
    Report::of(example::facts(text, false).expect("the facts are readable"), "2026-11-30T00:00:00Z".to_string())
}

fn statuses(rows: &[Row], id: &str) -> Vec<Status> {
    rows.iter().filter(|r| r.id == id).map(|r| r.status).collect()
}

#[test]
fn ids_are_unique_and_needs_come_earlier() {
    let mut seen = HashSet::new();
    for check in CHAIN {
        assert!(check.needs.iter().all(|need| seen.contains(need)), "{} needs what comes later", check.id);
        assert!(seen.insert(check.id), "{} stands twice in the chain", check.id);
        assert!(!check.title.is_empty());
    }
}

#[test]
fn a_healthy_machine_is_green_all_the_way() {
    let rows = rows("from healthy");
    for row in &rows {
        assert_eq!(row.status, Status::Pass, "{}: {}", row.id, row.summary);
    }
    let report = report("from healthy");
    assert_eq!(report.verdict, Verdict::Ready);
    assert!(report.root_causes.is_empty(), "{:?}", report.root_causes);
}

#[test]
fn nothing_is_measured_behind_a_driver_that_is_not_loaded() {
    let rows = rows("from no-driver");
    assert_eq!(statuses(&rows, "gpu-present"), [Status::Pass]);
    assert_eq!(statuses(&rows, "kernel-driver"), [Status::Fail]);
    for id in ["device-access", "nvidia-smi", "nvml", "cuda-driver", "cuda-kernel"] {
        assert_eq!(statuses(&rows, id), [Status::Skip], "{id}");
    }
    // What the framework says is seen all the same.
    assert_eq!(statuses(&rows, "framework"), [Status::Fail]);
}

#[test]
fn silence_is_no_failure() {
    let rows = rows("host.os = \"linux\"");
    for row in &rows {
        assert!(!matches!(row.status, Status::Fail | Status::Pass), "{}: {}", row.id, row.summary);
    }
    assert_eq!(report("host.os = \"linux\"").verdict, Verdict::Inconclusive);
}

#[test]
fn one_gpu_of_eight_in_a_container_is_all_that_was_granted() {
    let mut text = String::from(
        "from healthy\nhost.container = {\"engine\": \"docker\", \"signals\": [\"/.dockerenv\", \"cgroup\"]}\n",
    );
    for bus in 2..=8 {
        text.push_str(&format!(
            "pci.vendor gpu 0000:{bus:02x}:00.0 = \"0x10de\"\npci.driver gpu 0000:{bus:02x}:00.0 = \"nvidia\"\n"
        ));
    }
    let report = report(&text);
    assert_eq!(report.verdict, Verdict::Ready, "{:?}", report.root_causes);
}

#[test]
fn one_lost_gpu_of_two_is_degraded() {
    let report = report(
        "from healthy\npci.vendor gpu 0000:02:00.0 = \"0x10de\"\npci.driver gpu 0000:02:00.0 = \"nvidia\"\nnvml.handle gpu 0000:02:00.0 = 15\nnvml.count = 2\n",
    );
    assert_eq!(report.verdict, Verdict::Degraded);
}

#[test]
fn a_deselected_check_says_nothing_and_fails_nothing() {
    let rows = rows("from no-driver\nasked.deselected = [\"framework\", \"tensor\"]");
    assert_eq!(statuses(&rows, "framework"), [Status::Deselected]);
    assert_eq!(statuses(&rows, "tensor"), [Status::Deselected]);
}

#[test]
fn a_gpu_given_to_a_virtual_machine_is_no_fault_of_the_others() {
    let second = "pci.vendor gpu 0000:02:00.0 = \"0x10de\"\npci.driver gpu 0000:02:00.0 = \"vfio-pci\"\n";
    let report = report(&format!("from healthy\n{second}"));
    assert_eq!(report.verdict, Verdict::Ready);
    assert_eq!(report.root_causes[0].slug, "gpu-bound-to-vfio-pci");
    let expected = self::report(&format!("from healthy\n{second}asked.expect_gpus = 2"));
    assert_eq!(expected.verdict, Verdict::Degraded);
}

#[test]
fn what_was_left_out_does_not_keep_the_rest_from_being_ready() {
    let only = |kept: &[&str]| {
        let left: Vec<&str> = CHAIN.iter().map(|c| c.id).filter(|id| !kept.contains(id)).collect();
        report(&format!("from healthy\nasked.deselected = {left:?}")).verdict
    };
    assert_eq!(only(&["gpu-present"]), Verdict::Ready);
    assert_eq!(only(&["gpu-present", "kernel-driver", "nvml"]), Verdict::Ready);
    assert_eq!(report("from no-driver\nasked.deselected = [\"tensor\", \"framework\"]").verdict, Verdict::NotReady);
}

#[test]
fn root_is_told_no_sudo() {
    let module = "kernel.nvidia.file = \"/lib/modules/6.8.0-45-generic/updates/dkms/nvidia.ko\"\n";
    let commands = |user: &str| {
        let report = report(&format!("from no-driver\n{module}{user}"));
        assert_eq!(report.root_causes[0].slug, "kernel-module-not-loaded");
        let steps = report.root_causes[0].remedy.steps.clone();
        steps.into_iter().filter_map(|s| s.command).collect::<Vec<_>>().join("\n")
    };
    assert!(commands("").contains("sudo modprobe nvidia"));
    let root = commands("host.user = {\"uid\": 0, \"gid\": 0, \"groups\": []}");
    assert!(root.contains("modprobe nvidia") && !root.contains("sudo"), "{root}");
}
