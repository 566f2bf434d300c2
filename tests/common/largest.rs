//! The largest machine that anybody is likely to have: 16 GPUs, of which four are ill, 20 environments, of which most are, a full
//! kernel log, and messages of many pages. What renders this renders everything.
#![allow(dead_code)]

use gpu_doctor::causes::example;
use gpu_doctor::facts::Facts;
use gpu_doctor::report::Report;
use std::fmt::Write;

/// GPUs of the machine.
pub const GPUS: u32 = 16;
/// Environments of the machine.
pub const ENVIRONMENTS: u32 = 20;
/// Packages in each environment that have to do with GPUs.
const PACKAGES: u32 = 40;
/// Lines of the kernel log, as many as are ever kept.
const LOG: u32 = 500;
/// Lines of each traceback.
const TRACEBACK: usize = 400;

/// The PCI address of a GPU.
pub fn address(gpu: u32) -> String {
    format!("0000:{:02x}:00.0", 0x10 + gpu)
}

/// The prefix of an environment.
pub fn prefix(environment: u32) -> String {
    format!("/home/u/projects/project-{environment:02}/.venv")
}

/// Its report.
pub fn report() -> Report {
    Report::of(facts(), "2026-01-31T12:00:00Z".to_string())
}

/// Its facts.
pub fn facts() -> Facts {
    // The base has one GPU and one environment of its own, which go.
    let mut facts = parsed(
        "from healthy\nkernel.log = 40000\npci.devices = 96\nnvml.count = 15\ncuda.count = 15\n\
         host.product = \"DGX H100\"\npci.nvswitches = 4",
    );
    facts.retain(|fact| !fact.subject.id.contains("0000:01:00.0") && !fact.subject.id.contains("/home/u/venv"));
    for gpu in 0..GPUS {
        facts.extend(self::gpu(gpu));
    }
    for environment in 0..ENVIRONMENTS {
        facts.extend(self::environment(environment));
    }
    facts.extend(log());
    facts
}

fn parsed(text: &str) -> Facts {
    example::facts(text, false).expect("facts")
}

fn gpu(n: u32) -> Facts {
    let at = format!("gpu {}", address(n));
    let mut text = format!(
        "pci.vendor {at} = \"0x10de\"\npci.device {at} = \"0x2330\"\npci.class {at} = \"0x030200\"\n\
         pci.name {at} = \"NVIDIA H100 80GB HBM3\"\npci.architecture {at} = \"hopper\"\npci.driver {at} = \"nvidia\"\n\
         pci.config_all_ones {at} = {}\nnvml.minor {at} = {n}\n\
         node.file file /dev/nvidia{n} = {{\"kind\": \"char\", \"major\": 195, \"minor\": {n}, \"mode\": \"666\", \"uid\": 0, \
         \"gid\": 0}}\nnode.open file /dev/nvidia{n} = \"ok\"\n",
        n == 3
    );
    // The fourth has fallen off the bus.
    let handle = if n == 3 { 15 } else { 0 };
    let _ = writeln!(text, "nvml.handle {at} = {handle}");
    if n != 3 {
        let uuid = format!("GPU-{n:08x}-2222-3333-4444-555555555555");
        let _ = write!(
            text,
            "nvml.name {at} = \"NVIDIA H100 80GB HBM3\"\nnvml.uuid {at} = \"{uuid}\"\nnvml.compute_capability {at} = \"9.0\"\n\
             nvml.memory {at} = {{\"total\": 85520809984, \"free\": {}, \"used\": {}}}\n\
             nvml.compute_mode {at} = \"default\"\nnvml.processes {at} = []\nnvml.clock_reasons {at} = {}\n\
             nvml.temperature {at} = {{\"now\": {}, \"slowdown\": 87, \"shutdown\": 92}}\n\
             nvml.ecc {at} = {{\"enabled\": true, \"uncorrected_volatile\": {}, \"remap_pending\": {}}}\n\
             cuda.device {at} = {{\"index\": {n}, \"name\": \"NVIDIA H100 80GB HBM3\", \"compute_capability\": \"9.0\", \
             \"memory\": 85520809984}}\ncuda.compute {at} = {{\"stage\": \"{}\", \"code\": {}}}\n",
            84_000_000_000u64 - u64::from(n),
            1_520_809_984 + u64::from(n),
            if n == 7 { 64 } else { 1 },
            if n == 7 { 86 } else { 40 + n },
            if n == 5 { 3 } else { 0 },
            n == 5,
            if n == 11 { "launch" } else { "done" },
            if n == 11 { 719 } else { 0 },
        );
    }
    parsed(&text)
}

fn environment(n: u32) -> Facts {
    let prefix = prefix(n);
    let site = format!("{prefix}/lib/python3.12/site-packages");
    let framework = format!("framework torch@{prefix}");
    let mut text = format!(
        "python.interpreter environment {prefix} = {{\"path\": \"{prefix}/bin/python\", \"version\": \"3.12.3\", \"prefix\": \
         \"{prefix}\", \"base_prefix\": \"/usr\", \"bits\": 64, \"chosen_by\": \"--python\", \"manager\": \"pip\"}}\n",
    );
    // Five kinds in turn: sound, built for the processor, dead on import, too old for the GPUs, and failing on a device.
    let (version, cuda) = [("2.13.0", "\"13.0\""), ("2.13.0+cpu", "null")][usize::from(n % 5 == 1)];
    let _ = write!(
        text,
        "framework.distribution {framework} = {{\"version\": \"{version}\", \"location\": \"{site}\", \"installer\": \"pip\"}}\n\
         framework.build {framework} = {{\"cuda\": {cuda}}}\n",
    );
    if n % 5 == 2 {
        let frame = |i| {
            format!("  File \\\"{site}/torch/{i}.py\\\", line {i}, in f{i}\\n    return <g> | `{i}` @someone #{i}\\n")
        };
        let message: String = (0..TRACEBACK).map(frame).collect();
        let last = "OSError: libcudnn.so.9: cannot open shared object file: No such file or directory";
        let _ = writeln!(
            text,
            "framework.import {framework} = {{\"ok\": false, \"error\": \"OSError\", \"message\": \"{message}{last}\"}}"
        );
    } else {
        let archs = if n % 5 == 3 { "\"sm_50\", \"sm_60\", \"sm_70\"" } else { "\"sm_75\", \"sm_80\", \"sm_90\"" };
        let _ = write!(
            text,
            "framework.import {framework} = {{\"ok\": true, \"file\": \"{site}/torch/__init__.py\"}}\n\
             framework.architectures {framework} = [{archs}]\nframework.available {framework} = {}\n\
             framework.device_count {framework} = {}\n",
            n % 5 != 1,
            if n % 5 == 1 { 0 } else { 15 },
        );
        for gpu in (0..GPUS - 1).filter(|_| n % 5 != 1) {
            let tensor = match n % 5 == 4 && gpu == 10 {
                true => "\"ok\": false, \"step\": \"compute\", \"message\": \"CUDA error: unspecified launch failure\"",
                false => "\"ok\": true",
            };
            let _ = writeln!(text, "framework.tensor {framework} = {{\"index\": {gpu}, {tensor}}}");
        }
    }
    for package in 0..PACKAGES {
        let _ = writeln!(
            text,
            "python.package environment {prefix} = {{\"name\": \"nvidia-part-{package}-cu13\", \"version\": \"13.0.{package}.7\", \
             \"location\": \"{site}\"}}",
        );
    }
    parsed(&text)
}

fn log() -> Facts {
    let mut text = String::new();
    for n in 0..LOG {
        let at = address(n % GPUS);
        let at = &at[..at.len() - 2];
        let _ = writeln!(
            text,
            "kernel.log.line = \"[{n:5}.000001] NVRM: Xid (PCI:{at}): {}, pid=4711, name=python, {}\"",
            if n == 77 { 79 } else { 31 },
            "Ch 00000013, intr 00000000. MMU Fault: ENGINE GRAPHICS GPCCLIENT_T1_2 faulted @ 0x7f3c_00000000 "
                .repeat(3),
        );
    }
    parsed(&text)
}
