//! Machines with less usual faults, played by fakes: one GPU of several, computations that fail, parts that are missing,
//! several Pythons.
#![cfg(target_os = "linux")]
#![allow(clippy::disallowed_methods)]

mod common;

use common::fake::{CPU, CU124, Fake};

const DRIVER: &str = "570.124.06";
const FIRST: &str = "0000:01:00.0";
const SECOND: &str = "0000:02:00.0";

/// Two L4 with driver 570; the lines are for the machine, the first and the second GPU.
fn two(machine: &str, first: &str, second: &str) -> Fake {
    let gpu = |n: u32, address: &str, lines: &str| {
        format!(
            "[gpu {n}]\nname = NVIDIA L4\ncc = 8.9\nmemory_total = 23034\nmemory_used = 4\npci = {address}\n{lines}\n"
        )
    };
    let scenario = format!(
        "driver_version = {DRIVER}\ncuda_version = 12080\n{machine}\n{}{}",
        gpu(0, FIRST, first),
        gpu(1, SECOND, second)
    );
    Fake::told(&scenario).driver(DRIVER, 2).tree(|tree| {
        for (minor, address) in [FIRST, SECOND].into_iter().enumerate() {
            tree.gpu(address, "0x10de", "0x27b8", "0x030200", Some("nvidia"));
            tree.gpu_information(address, "NVIDIA L4", minor as u32);
        }
    })
}

#[test]
fn a_kernel_fails_on_one_of_two() {
    let checked = two("", "", "cu_error = cuLaunchKernel:700").torch(CU124).check(&[]);
    checked.verdict("degraded", 0).causes(&["cuda-computation-fails (possible)"]).about(SECOND);
    checked.statuses("cuda-kernel", &["pass", "fail"]).says("CUDA_ERROR_ILLEGAL_ADDRESS");
}

#[test]
fn one_of_two_computes_a_wrong_result() {
    let checked = two("", "", "wrong_result = yes").torch(CU124).check(&[]);
    checked.verdict("degraded", 0).causes(&["cuda-computation-fails (possible)"]).about(SECOND).says("a wrong result");
}

#[test]
fn what_fails_on_all_gpus_is_said_once() {
    let full = "cu_error = cuMemAlloc_v2:2";
    let checked = two("", full, full).torch(CU124).check(&[]);
    checked.verdict("not_ready", 1).causes(&["cuda-computation-fails (possible)"]).about("machine");
    checked.says("See which programs hold the memory");
    assert!(!checked.text.contains("gpu-reset"), "{}", checked.text);
}

#[test]
fn cuinit_fails_although_the_rest_answers() {
    for (code, cause) in [(999, "nvidia-uvm-bad-state (likely)"), (100, "cuda-init-fails (possible)")] {
        let checked = two(&format!("cu_init = {code}"), "", "").torch(CU124).check(&[]);
        checked.verdict("not_ready", 1).causes(&[cause]).says(&format!("cuInit gives {code}"));
    }
}

#[test]
fn the_driver_is_dead_and_the_build_is_for_the_processor() {
    // Two faults, in two groups: mending the one leaves the other.
    let checked = two("cu_init = 999\nnvml_init = 999", "", "").torch(CPU).check(&[]);
    checked.verdict("not_ready", 1).causes(&["torch-cpu-only-wheel (certain)", "driver-not-working (possible)"]);
    let groups: Vec<_> = [0, 1].map(|n| checked.report["root_causes"][n]["group"].clone()).into();
    assert_ne!(groups[0], groups[1]);
}

#[test]
fn libraries_of_another_version() {
    let machine = two("nvml_init = 18\ncu_init = 803\nlibrary_version = 570.133.07", "", "").torch(CU124);
    let checked = machine.check(&[]);
    checked.verdict("not_ready", 1).causes(&["driver-library-version-mismatch (certain)"]);
    checked.says("570.124.06").says("570.133.07");
}

#[test]
fn mig_without_instances_on_one_of_two() {
    let checked = two("", "mig = yes", "").torch(CU124).check(&[]);
    checked.verdict("degraded", 0).causes(&["mig-enabled-unintentionally (certain)"]).about(FIRST);
}

#[test]
fn one_of_two_is_busy() {
    let machine = two("calls = calls", "processes = 41234:300:python", "").torch(CU124);
    machine.check(&[]).verdict("ready", 0).causes(&[]).statuses("cuda-kernel", &["unknown", "pass"]);
}

#[test]
fn one_of_two_is_held_in_exclusive_mode() {
    let checked = two("", "compute_mode = exclusive_process\nprocesses = 41234:300:python", "").torch(CU124).check(&[]);
    checked.verdict("degraded", 0).causes(&["exclusive-compute-mode (likely)"]).about(FIRST).says("--busy");
}

#[test]
fn prohibited_on_all() {
    let mode = "compute_mode = prohibited";
    let checked = two("", mode, mode).torch(CU124).check(&[]);
    checked.verdict("not_ready", 1).causes(&["exclusive-compute-mode (certain)"]);
    checked.says("nvidia-smi -i 0000:01:00.0,0000:02:00.0 -c DEFAULT");
}

#[test]
fn a_container_that_only_computes() {
    // NVIDIA_DRIVER_CAPABILITIES=compute brings libcuda, and neither nvidia-smi nor NVML.
    let machine = two("", "", "").torch(CU124).tree(|tree| {
        tree.docker();
    });
    std::fs::remove_file(machine.at("lib/libnvidia-ml.so.1")).expect("remove");
    std::fs::remove_file(machine.at("bin/nvidia-smi")).expect("remove");
    let checked = machine.check(&[]);
    checked.verdict("ready", 0).causes(&["nvidia-smi-missing (certain)"]).says("note[").says("utility");
}

#[test]
fn nvidia_smi_is_missing_and_all_works() {
    let machine = two("", "", "").torch(CU124);
    std::fs::remove_file(machine.at("bin/nvidia-smi")).expect("remove");
    machine.check(&[]).verdict("ready", 0).causes(&["nvidia-smi-missing (certain)"]).says("note[");
}

#[test]
fn an_xid_and_a_lost_gpu_are_one_fault() {
    let line =
        "4,1,1000,-;NVRM: Xid (PCI:0000:02:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.";
    let machine = two("", "", "nvml_error = *:15\ncuda_hidden = yes").torch(CU124).tree(|tree| {
        tree.kmsg(&[line]);
    });
    machine.check(&[]).verdict("degraded", 0).causes(&["gpu-fell-off-bus (certain)"]).about(SECOND);
}

#[test]
fn a_program_s_own_xid_is_no_fault() {
    let machine = two("", "", "").torch(CU124).tree(|tree| {
        tree.kmsg(&["4,1,1000,-;NVRM: Xid (PCI:0000:02:00): 13, pid=4711, name=python, Graphics Exception"]);
    });
    machine.check(&[]).verdict("ready", 0).causes(&[]);
}

#[test]
fn a_job_without_a_gpu() {
    let machine = two("", "", "").torch(CU124);
    let machine = machine.variable("SLURM_JOB_ID", "77").variable("CUDA_VISIBLE_DEVICES", "NoDevFiles");
    machine.check(&[]).verdict("not_ready", 1).causes(&["scheduler-no-gpu-allocated (certain)"]).says("--gres=gpu:1");
}

#[test]
fn one_of_two_pythons_works() {
    let works = two("", "", "").torch(CU124);
    let without = two("", "", "").torch(CPU);
    let second = without.at("venv/bin/python").display().to_string();
    let first = works.at("venv/bin/python").display().to_string();
    let both = ["--python", first.as_str(), "--python", second.as_str()];
    works.check(&both).verdict("ready", 0).causes(&["torch-cpu-only-wheel"]).says("note[");
    works.check(&["--python", &second]).verdict("not_ready", 1).causes(&["torch-cpu-only-wheel (certain)"]);
}
