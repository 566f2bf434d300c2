//! The doctor's own kernel compiles for the GPUs of today: judged by NVIDIA's assembler, which comes with torch's triton.

#![allow(clippy::disallowed_methods)]

use std::path::{Path, PathBuf};
use std::process::Command;

/// The assembler of the lab's torch: the ordinary one, and the newer one that serves Blackwell.
fn assemblers() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let fetched = Command::new(root.join("tests/lab/fetch")).arg("torch-cuda").output().expect("tests/lab/fetch runs");
    assert!(fetched.status.success(), "{}", String::from_utf8_lossy(&fetched.stderr));
    let folder = String::from_utf8(fetched.stdout).expect("a path");
    let lib = Path::new(folder.trim()).join("lib");
    let python = std::fs::read_dir(lib).expect("lib").filter_map(Result::ok).map(|e| e.path());
    let bin = python
        .map(|p| p.join("site-packages/triton/backends/nvidia/bin"))
        .find(|p| p.is_dir())
        .expect("triton beside torch");
    ["ptxas", "ptxas-blackwell"].map(|name| bin.join(name)).into_iter().filter(|p| p.exists()).collect()
}

#[test]
fn the_kernel_compiles_for_turing_to_blackwell() {
    let ptx = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/probes/axpb.ptx");
    let assemblers = assemblers();
    assert!(!assemblers.is_empty(), "no ptxas beside triton");
    for assembler in assemblers {
        for architecture in ["sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120"] {
            let run = Command::new(&assembler)
                .arg(format!("-arch={architecture}"))
                .arg(&ptx)
                .args(["-o", "/dev/null"])
                .output()
                .expect("ptxas runs");
            let said = String::from_utf8_lossy(&run.stderr);
            assert!(run.status.success(), "{} for {architecture}: {said}", assembler.display());
        }
    }
}
