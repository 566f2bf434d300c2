//! What the child says, and the facts that it gives.

use super::*;
use crate::machine::child::End;
use crate::probes::child::test::report;
use std::time::Duration;

const LOADED: &str = r#"{"begin":"dlopen libcuda.so.1"}
    {"stage":"dlopen libcuda.so.1","path":"/usr/lib/libcuda.so.535.183.01","target":"/usr/lib/libcuda.so.535.183.01"}
    {"stage":"cuDriverGetVersion","code":0,"version":12020}
    {"begin":"cuInit"}"#;
const DEVICE: &str = r#"{"stage":"cuInit","code":0}
    {"stage":"cuDeviceGetCount","code":0,"count":1}
    {"begin":"device"}
    {"stage":"device","index":0,"name":"NVIDIA L4","pci":"0000:0B:00.0","memory":23000000000,"compute_capability":"8.9",
     "integrated":false,"codes":{}}"#;

fn facts(lines: &[&str], end: End) -> Facts {
    let text = lines.join("\n").replace(",\n     ", ",").replace("dlopen libcuda.so.1", &format!("dlopen {LIBRARY}"));
    let mut said = report(&text);
    said.end = end;
    said.limit = Duration::from_secs(60);
    let mut facts = Facts::new();
    parse(&said, &mut facts);
    facts
}

#[test]
fn a_failed_init_is_its_code() {
    let facts = facts(&[LOADED, r#"{"stage":"cuInit","code":999}"#, r#"{"done":true}"#], End::Exited(0));
    assert_eq!(facts.value(&cuda::INIT), Some(999));
    assert_eq!(facts.value(&cuda::LIBRARY).unwrap().version.as_deref(), Some("535.183.01"));
    assert_eq!(facts.value(&cuda::DRIVER_VERSION), Some(12020));
}

#[test]
fn a_hang_in_init_is_not_a_code() {
    let facts = facts(&[LOADED], End::TimedOut { abandoned: true });
    assert_eq!(facts.machine(&cuda::INIT).why_failed(), Some("still running after 60 s, in cuInit"));
}

#[test]
fn a_right_result_is_done_and_a_wrong_one_is_compare() {
    let gpu = Subject::gpu("0000:0b:00.0");
    for step in ["done", "compare"] {
        let line = format!(r#"{{"stage":"compute","step":"{step}","index":0,"code":0,"last":true}}"#);
        let facts = facts(&[LOADED, DEVICE, &line], End::Exited(0));
        let expected = Compute { stage: step.to_string(), code: 0 };
        assert_eq!(facts.look(&cuda::COMPUTE, &gpu).seen(), Some(expected));
        assert_eq!(facts.look(&cuda::DEVICE, &gpu).seen().unwrap().compute_capability, "8.9");
    }
}

#[test]
fn a_crash_in_the_launch_names_the_launch() {
    let steps = r#"{"stage":"compute","step":"module","index":0,"code":0,"last":false}
        {"begin":"compute","step":"launch","index":0}"#;
    let facts = facts(&[LOADED, DEVICE, steps], End::Signaled(11));
    let gpu = Subject::gpu("0000:0b:00.0");
    let look = facts.look(&cuda::COMPUTE, &gpu);
    assert_eq!(look.why_failed(), Some("the probe was ended by signal 11, SIGSEGV, in launch"));
}

#[test]
fn a_device_without_an_address_is_named_by_its_ordinal() {
    let line =
        r#"{"stage":"device","index":0,"name":"Orin","pci":"0000:00:00.0","memory":1,"compute_capability":"8.7"}"#;
    let facts = facts(&[LOADED, line], End::Exited(0));
    assert_eq!(facts.look(&cuda::DEVICE, &Subject::gpu("cuda:0")).seen().unwrap().name, "Orin");
}
