//! A part of the lab on this machine, which has no GPU, and on one whose GPU and driver work.

use crate::common::stage::{Check, OPEN_NODES, Seen, assert_unchanged, fakes, needs_root, part, trace};
use crate::common::tree::{KERNEL, Module, Tree};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock};

const ADDRESS: &str = "0000:01:00.0";
/// A driver that runs every CUDA there is a part for: 13.0.
const DRIVER: &str = "580.95.05";
/// What the fakes pretend to be there.
pub const WORKING_L4: &str = "driver_version = 580.95.05\ncuda_version = 13000\n\
     [gpu 0]\nname = NVIDIA L4\ncc = 8.9\nmemory_total = 23034\npci = 0000:01:00.0\n";

/// A run that several tests look at is done once.
fn once(key: String, run: impl FnOnce() -> Seen) -> Arc<Seen> {
    static RUNS: Mutex<BTreeMap<String, Arc<OnceLock<Arc<Seen>>>>> = Mutex::new(BTreeMap::new());
    let cell = RUNS.lock().unwrap_or_else(|e| e.into_inner()).entry(key).or_default().clone();
    cell.get_or_init(|| Arc::new(run())).clone()
}

/// A part on this machine; nothing in it changes, and nothing is left in HOME and TMPDIR.
pub fn here(name: &str) -> Arc<Seen> {
    once(format!("{name} here"), || {
        let environment = part(name);
        let before = trace(&environment);
        let seen = Check::new().python(&environment).run();
        assert_unchanged(&environment, &before);
        seen
    })
}

/// A part on a machine whose L4 and driver work; the same holds.
pub fn with_gpu(name: &str) -> Arc<Seen> {
    once(format!("{name} with a GPU"), || in_environment(&part(name), WORKING_L4))
}

/// An environment of the test's on that machine.
pub fn in_environment(environment: &Path, scenario: &str) -> Seen {
    needs_root();
    let tree = Tree::new();
    tree.gpu(ADDRESS, "0x10de", "0x27b8", "0x030200", Some("nvidia"))
        .driver_loaded(DRIVER)
        .gpu_information(ADDRESS, "NVIDIA L4", 0)
        .module_file(KERNEL, "updates/dkms/nvidia.ko", &Module::closed(DRIVER))
        .live_dev();
    let fakes = fakes(scenario);
    let before = trace(environment);
    let check = Check::new().on(tree.path()).dev(OPEN_NODES).loader_finds(fakes.path()).python(environment);
    let seen = check.variable("PATH", format!("{}:/usr/bin:/bin", fakes.path().display())).run();
    assert_unchanged(environment, &before);
    seen
}
