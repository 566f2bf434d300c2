//! Cards that seem to be withheld, lost, taken or closed, and their nodes.

use super::{NO_CUDA, SECOND, causes, report, slugs};
use gpu_doctor::report::{Confidence, Verdict};

/// A batch system hands out one of two GPUs by the device cgroup: every node is in sight, and one of them is refused.
#[test]
fn a_gpu_that_the_cgroup_withholds_beside_one_that_it_grants_is_no_fault() {
    let withheld = "node.open file /dev/nvidia1 = \"EPERM\"";
    let job =
        "host.job = {\"scheduler\": \"slurm\", \"gpus\": \"0\"}\nhost.variable variable CUDA_VISIBLE_DEVICES = \"0\"";
    for context in [job, "", "host.job = {\"scheduler\": \"slurm\"}"] {
        let report = report(&format!("from healthy{SECOND}{withheld}\n{context}"));
        assert_eq!((report.verdict, slugs(&report)), (Verdict::Ready, vec![]), "{context}");
    }
    // Nobody says whose node it is.
    let unnumbered = report(&format!("from healthy{SECOND}- kernel.nvidia.gpu\n{withheld}"));
    assert_eq!((unnumbered.verdict, slugs(&unnumbered)), (Verdict::Ready, vec![]));
    // Refused alone, or by the permission bits, it is one.
    let alone = report("from healthy\nnode.open file /dev/nvidia0 = \"EPERM\"");
    assert_ne!(alone.verdict, Verdict::Ready);
    let bits = report(&format!("from healthy{SECOND}node.open file /dev/nvidia1 = \"EACCES\""));
    assert_eq!(slugs(&bits)[0], "device-node-permission");
}

/// What the kernel log tells of is past; what NVML and a computation say is now.
#[test]
fn a_gpu_that_answers_did_not_fall_off_the_bus() {
    let log = "kernel.log = 9\nkernel.log.line = \"NVRM: Xid (PCI:0000:01:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.\"";
    let again = report(&format!("from healthy\n{log}"));
    assert_eq!(causes(&again), [("xid-in-kernel-log", Confidence::Possible)]);
    // A sleeping card reads all ones until it is woken.
    let woken = report(
        "from healthy\npci.config_all_ones gpu 0000:01:00.0 = true\npci.power gpu 0000:01:00.0 = {\"control\": \"auto\", \"status\": \"suspended\", \"state\": \"D3cold\"}",
    );
    assert_eq!((woken.verdict, slugs(&woken)), (Verdict::Ready, vec![]));
}

/// One GPU of two is lost: its node, nvidia-smi and the counts follow from that, and even cuInit for all.
#[test]
fn what_one_lost_gpu_does_is_one_fault() {
    let lost = "nvml.count = 2\nnvml.handle gpu 0000:02:00.0 = 15\nnode.open file /dev/nvidia1 = \"EIO\"\nsmi.run file /usr/bin/nvidia-smi = {\"exit\": 15, \"message\": \"Unable to determine the device handle for GPU0000:02:00.0: GPU is lost.  Reboot the system to recover this GPU\"}";
    for unnumbered in ["", "- kernel.nvidia.gpu"] {
        let one = report(&format!("from healthy{SECOND}{lost}\n{unnumbered}"));
        assert_eq!((one.verdict, causes(&one)), (Verdict::Degraded, vec![("gpu-fell-off-bus", Confidence::Certain)]));
    }
    let all = report(&format!("from healthy{SECOND}{lost}\ncuda.init = 999{NO_CUDA}"));
    assert_eq!((all.verdict, causes(&all)), (Verdict::NotReady, vec![("gpu-fell-off-bus", Confidence::Certain)]));
    // A code that has a reason of its own is another fault.
    let two = report(&format!("from healthy{SECOND}{lost}\ncuda.init = 803{NO_CUDA}"));
    assert_eq!(two.root_causes.iter().map(|c| c.group).max(), Some(2), "{:?}", slugs(&two));
}

/// What holds an exclusive GPU and lets others in (the multi-process service), or only draws on it, keeps nobody out.
#[test]
fn an_exclusive_gpu_that_computes_is_ready() {
    for kind in ["compute", "graphics"] {
        let held = format!(
            "from healthy\nnvml.compute_mode gpu 0000:01:00.0 = \"exclusive_process\"\nnvml.processes gpu 0000:01:00.0 = [{{\"pid\": 900, \"kind\": \"{kind}\"}}]"
        );
        let report = report(&held);
        assert_eq!((report.verdict, slugs(&report)), (Verdict::Ready, vec![]), "{kind}");
    }
}

/// One computation that fails explains a framework that sees nothing.
#[test]
fn a_gpu_that_cannot_compute_is_one_fault() {
    let report = report(
        "from healthy\nnvml.name gpu 0000:01:00.0 = \"GRID T4-8C\"\ncuda.compute gpu 0000:01:00.0 = {\"stage\": \"context\", \"code\": 102}\nframework.available framework torch@/home/u/venv = false\n- framework.tensor",
    );
    assert_eq!(causes(&report), [("cuda-computation-fails", Confidence::Possible)]);
}

/// What was missing when it was looked at, and what CUDA then opened, is not missing.
#[test]
fn a_node_that_cuda_did_without_is_no_fault() {
    let report = report(
        "from healthy\nkernel.nvidia_modprobe absent\nnode.file file /dev/nvidia-uvm absent\nnode.open file /dev/nvidia-uvm absent",
    );
    assert_eq!((report.verdict, slugs(&report)), (Verdict::Ready, vec![]));
}

/// Nodes that a user may not open and does not need: the capabilities to make and to watch MIG instances (every machine with a
/// recent driver has them), those of other people's instances, and what is for graphics.
#[test]
fn nodes_that_nobody_needs_accuse_nobody() {
    let caps = "node.file file /dev/nvidia-caps/nvidia-cap1 = {\"kind\": \"char\", \"major\": 236, \"minor\": 1, \"mode\": \"400\", \"uid\": 0, \"gid\": 0}\nnode.open file /dev/nvidia-caps/nvidia-cap1 = \"EACCES\"\nnode.open file /dev/nvidia-caps/nvidia-cap2 = \"ok\"";
    let modeset = "node.open file /dev/nvidia-modeset = \"EACCES\"";
    let shared = "nvml.mig gpu 0000:01:00.0 = {\"enabled\": true, \"pending\": true, \"instances\": [\"MIG-a\", \"MIG-b\"]}\nnode.open file /dev/nvidia-caps/nvidia-cap21 = \"ok\"\nnode.open file /dev/nvidia-caps/nvidia-cap30 = \"EACCES\"";
    for machine in [caps, modeset, shared] {
        let report = report(&format!("from healthy\n{machine}"));
        assert_eq!((report.verdict, slugs(&report)), (Verdict::Ready, vec![]), "{machine}");
    }
    // The only instance of this machine may not be opened.
    let closed = report(&format!(
        "from healthy\nnvml.mig gpu 0000:01:00.0 = {{\"enabled\": true, \"pending\": true, \"instances\": [\"MIG-a\"]}}\n{caps}\nnode.file file /dev/nvidia-caps/nvidia-cap21 = {{\"kind\": \"char\", \"major\": 236, \"minor\": 21, \"mode\": \"400\", \"uid\": 0, \"gid\": 0}}\nnode.open file /dev/nvidia-caps/nvidia-cap21 = \"EACCES\"\ncuda.init = 100{NO_CUDA}"
    ));
    assert_eq!(causes(&closed), [("device-node-permission", Confidence::Certain)]);
    assert!(closed.root_causes[0].message.contains("nvidia-cap21"), "{}", closed.root_causes[0].message);
}
