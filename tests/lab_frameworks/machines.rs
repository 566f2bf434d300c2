//! A part of the lab on this machine, which has no GPU, and on one whose GPU and driver work.

use crate::common::stage::{Check, OPEN_NODES, Seen, assert_unchanged, fakes, needs_root, part, public_folder, trace};
use crate::common::tree::{KERNEL, Module, Tree};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};

const ADDRESS: &str = "0000:01:00.0";
/// A driver that runs every CUDA there is a part for: 13.0.
const DRIVER: &str = "580.95.05";
/// What the fakes pretend to be there.
pub const WORKING_L4: &str = "driver_version = 580.95.05\ncuda_version = 13000\n\
     [gpu 0]\nname = NVIDIA L4\ncc = 8.9\nmemory_total = 23034\npci = 0000:01:00.0\n";

/// What a run gave, and which calls it made to the network and to write files.
pub struct Run {
    seen: Seen,
    /// Lines of strace.
    pub calls: Vec<String>,
    /// Where it may write: its own TMPDIR, and the folder of the snapshot.
    pub own: [PathBuf; 2],
}

impl Deref for Run {
    type Target = Seen;

    fn deref(&self) -> &Seen {
        &self.seen
    }
}

/// Calls that speak to others, or make, change or remove a file. Whatever is started is there too, as a sign that all were seen.
const WATCHED: &str = "trace=connect,bind,sendto,sendmsg,sendmmsg,execve,open,openat,openat2,creat,mkdir,mkdirat,mknod,mknodat,\
     rename,renameat,renameat2,link,linkat,symlink,symlinkat,unlink,unlinkat,rmdir,truncate,chmod,fchmodat,utimensat";

/// A run with all its children watched; nothing in the environment changes, and nothing is left in HOME and TMPDIR.
fn watched(check: Check, environment: &Path) -> Run {
    let before = trace(environment);
    let folder = public_folder();
    let file = folder.path().join("calls");
    let own = ["tmp", "out"].map(|name| check.scratch().join(name));
    let watch: Vec<OsString> =
        ["strace", "-f", "-qq", "-y", "--seccomp-bpf", "-s", "256", "-e", WATCHED, "-o"].map(OsString::from).into();
    let seen = check.python(environment).through(watch).through([file.clone()]).run();
    assert_unchanged(environment, &before);
    // Reading is most of it, and no matter.
    let kept =
        |line: &&str| !line.contains("open") || ["O_WRONLY", "O_RDWR", "O_CREAT"].iter().any(|way| line.contains(way));
    let calls = std::fs::read(&file).expect("the calls");
    let calls = String::from_utf8_lossy(&calls).lines().filter(kept).map(str::to_string).collect();
    Run { seen, calls, own }
}

/// A run that several tests look at is done once.
fn once(key: String, run: impl FnOnce() -> Run) -> Arc<Run> {
    static RUNS: Mutex<BTreeMap<String, Arc<OnceLock<Arc<Run>>>>> = Mutex::new(BTreeMap::new());
    let cell = RUNS.lock().unwrap_or_else(|e| e.into_inner()).entry(key).or_default().clone();
    cell.get_or_init(|| Arc::new(run())).clone()
}

/// A part on this machine.
pub fn here(name: &str) -> Arc<Run> {
    once(format!("{name} here"), || watched(Check::new(), &part(name)))
}

/// A part on a machine whose L4 and driver work.
pub fn with_gpu(name: &str) -> Arc<Run> {
    once(format!("{name} with a GPU"), || in_environment(&part(name), WORKING_L4))
}

/// The same, by somebody who wants this framework on the GPU.
pub fn asked_for(name: &str, framework: &str) -> Arc<Run> {
    let asked = |check: Check| check.argument("--framework").argument(framework);
    once(format!("{name}, {framework} asked for"), || staged(&part(name), WORKING_L4, asked))
}

/// An environment of the test's on that machine.
pub fn in_environment(environment: &Path, scenario: &str) -> Run {
    staged(environment, scenario, |check| check)
}

fn staged(environment: &Path, scenario: &str, more: impl FnOnce(Check) -> Check) -> Run {
    needs_root();
    let tree = Tree::new();
    tree.gpu(ADDRESS, "0x10de", "0x27b8", "0x030200", Some("nvidia"))
        .driver_loaded(DRIVER)
        .gpu_information(ADDRESS, "NVIDIA L4", 0)
        .module_file(KERNEL, "updates/dkms/nvidia.ko", &Module::closed(DRIVER))
        .live_dev();
    let fakes = fakes(scenario);
    let check = Check::new().on(tree.path()).dev(OPEN_NODES).loader_finds(fakes.path());
    watched(more(check.variable("PATH", format!("{}:/usr/bin:/bin", fakes.path().display()))), environment)
}
