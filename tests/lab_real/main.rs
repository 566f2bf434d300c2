//! The whole program with real parts: NVIDIA's user space of three branches, the toolkit's stubs, real PyTorch builds.
//!
//! Only what no real part can show here is staged: a GPU on the bus, a module in the kernel, device nodes. Every run also
//! checks that its snapshot gives the same report, and that nothing is left in HOME and TMPDIR (see `common/stage.rs`).
//! These tests need root, Debian 12 and a machine without an NVIDIA GPU, and say so where that is not given.
#![cfg(target_os = "linux")]
#![allow(clippy::disallowed_methods)]

#[path = "../common/mod.rs"]
mod common;
mod control_groups;
mod here;
mod libraries;
mod torch;

use common::tree::{KERNEL, Module, Tree};

/// The branches of the real user space, with their whole versions.
const BRANCHES: [(&str, &str); 3] = [("470", "470.256.02"), ("535", "535.261.03"), ("550", "550.163.01")];
const ADDRESS: &str = "0000:01:00.0";

/// A machine with an L4 (Ada, 8.9) and nothing of a driver in the kernel.
fn with_gpu() -> Tree {
    let tree = Tree::new();
    tree.gpu(ADDRESS, "0x10de", "0x27b8", "0x030200", None).live_dev();
    tree
}

/// The same with the module of a version loaded, and driving the GPU.
fn with_driver(version: &'static str) -> Tree {
    let tree = Tree::new();
    tree.gpu(ADDRESS, "0x10de", "0x27b8", "0x030200", Some("nvidia"))
        .driver_loaded(version)
        .gpu_information(ADDRESS, "NVIDIA L4", 0)
        .file("etc/group", "root:x:0:\nvideo:x:44:\nnogroup:x:65534:\n")
        .module_file(KERNEL, "updates/dkms/nvidia.ko", &Module::closed(version))
        .live_dev();
    tree
}

/// What the fakes pretend to be: the GPU of the tree, which works.
const WORKING_L4: &str = "driver_version = 535.261.03\ncuda_version = 12020\n\
     [gpu 0]\nname = NVIDIA L4\ncc = 8.9\nmemory_total = 23034\npci = 0000:01:00.0\n";
