//! What the lines say besides: the codes of cuInit, numbers of devices, masks.

use crate::facts::cuda;
use crate::subject::Subject;
use crate::triage::Found;

/// `found version 11040`: what the libcuda offers that was loaded.
pub fn found_version(line: &str, found: &mut Found) {
    let lower = line.to_lowercase();
    let Some((_, rest)) = lower.split_once("found version") else { return };
    let digits: String = rest.trim_start().chars().take_while(char::is_ascii_digit).collect();
    if let Ok(version @ 1000..100_000) = digits.parse::<i32>() {
        found.seen(&cuda::DRIVER_VERSION, &Subject::machine(), version);
    }
}

/// PyTorch asked CUDA and got zero.
pub fn counts_none(_: &str, found: &mut Found) {
    found.seen(&cuda::COUNT, &Subject::machine(), 0);
}

/// `CUDA_VISIBLE_DEVICES=2,3`, with a number or a UUID behind the sign.
pub fn mask(line: &str, found: &mut Found) {
    let lower = line.to_lowercase();
    let Some((_, rest)) = lower.split_once("cuda_visible_devices") else { return };
    let rest = rest.trim_start_matches([' ', '"', '\'', ']', ')']);
    let Some(value) = rest.strip_prefix(['=', ':']) else { return };
    let value = value.trim_start_matches([' ', '"', '\'', '=']);
    if value.starts_with(|c: char| c.is_ascii_digit()) || value.starts_with("gpu-") || value.starts_with("mig-") {
        found.said("mask-names-gpus", line, []);
    }
}

/// Whether a line speaks of the start of CUDA, and not of a later call.
pub fn of_start(line: &str) -> bool {
    const STARTS: &[&str] =
        &["cuinit", "cudagetdevicecount", "cuda initialization", "init failure", "device count", "unknown error -"];
    let lower = line.to_lowercase();
    STARTS.iter().any(|word| lower.contains(word))
}

pub fn code_34(_: &str, found: &mut Found) {
    found.seen(&cuda::INIT, &Subject::machine(), 34);
}

pub fn code_3(line: &str, found: &mut Found) {
    if of_start(line) {
        found.seen(&cuda::INIT, &Subject::machine(), 3);
    }
}

pub fn code_999(line: &str, found: &mut Found) {
    if of_start(line) {
        found.seen(&cuda::INIT, &Subject::machine(), 999);
    }
}

pub fn code_100(_: &str, found: &mut Found) {
    found.seen(&cuda::INIT, &Subject::machine(), 100);
}

pub fn code_2(line: &str, found: &mut Found) {
    if of_start(line) {
        found.seen(&cuda::INIT, &Subject::machine(), 2);
    }
}

pub fn code_805(_: &str, found: &mut Found) {
    found.seen(&cuda::INIT, &Subject::machine(), 805);
}

pub fn code_802(_: &str, found: &mut Found) {
    found.seen(&cuda::INIT, &Subject::machine(), 802);
}

pub fn code_803(_: &str, found: &mut Found) {
    found.seen(&cuda::INIT, &Subject::machine(), 803);
}

pub fn code_804(_: &str, found: &mut Found) {
    found.seen(&cuda::INIT, &Subject::machine(), 804);
}
