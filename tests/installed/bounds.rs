//! Trees that are too large, broken or made to hang: what is read of them is bounded, and what was not read is no absence.

use super::{CUDA, Home, VENV};
use crate::common::program::run;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

#[test]
fn a_folder_that_cannot_be_looked_through_is_no_absence() {
    let home = Home::venv();
    // More names than are read: none of them is known.
    for n in 0..=1 << 16 {
        std::fs::File::create(home.at(VENV).join(n.to_string())).expect("create a file");
    }
    let found = home.check(&["--framework", "torch"]);
    let facts = found.report["facts"].as_array().expect("facts").iter();
    let state: Vec<&str> =
        facts.filter(|f| f["key"] == "framework.distribution").filter_map(|f| f["state"].as_str()).collect();
    assert_eq!(state, ["failed"]);
    assert!(!found.has("torch-not-installed"));
}

#[test]
fn what_no_installer_leaves_is_bounded() {
    let home = Home::venv();
    home.torch_in(VENV, "2.6.0", CUDA);
    let plain = fastest(&home, &[]);
    for n in 0..2_000 {
        std::fs::create_dir(home.at(&format!("{VENV}/torch-1.0.{n}.dist-info"))).expect("create a folder");
        std::fs::create_dir(home.at(&format!("{VENV}/~orch{n}"))).expect("create a folder");
    }
    let found = home.check(&[]);
    assert_eq!(found.values("framework.distribution")[0]["version"], "2.6.0+cu124");
    assert!(found.values("python.leftover").len() <= 50 && found.values("python.package").len() <= 400);
    let took = fastest(&home, &[]);
    assert!(took < plain + Duration::from_secs(3), "{took:?} against {plain:?}");
}

/// The time of the fastest of three runs.
fn fastest(home: &Home, arguments: &[&str]) -> Duration {
    let once = |_| {
        let begun = Instant::now();
        run(&mut home.command(arguments));
        begun.elapsed()
    };
    (0..3).map(once).min().expect("a time")
}

#[test]
fn odd_trees_neither_hang_nor_slow_it_down() {
    let home = Home::venv();
    home.torch_in(VENV, "2.6.0", CUDA);
    let plain = fastest(&home, &["--all-envs"]);
    // A pipe nobody writes to, wherever a file is read.
    for path in [
        format!("{VENV}/torch-2.5.0.dist-info/METADATA"),
        format!("{VENV}/torch-2.5.0.dist-info/RECORD"),
        format!("{VENV}/torch-2.5.0.dist-info/INSTALLER"),
        format!("{VENV}/torch-2.5.0.dist-info/direct_url.json"),
        format!("{VENV}/waits.pth"),
        format!("{VENV}/jax/version.py"),
        ".local/share/jupyter/kernels/k/kernel.json".to_string(),
        ".virtualenvs/w/pyvenv.cfg".to_string(),
        "work/pyproject.toml".to_string(),
        "work/uv.lock".to_string(),
    ] {
        std::fs::create_dir_all(home.at(&path).parent().expect("a folder")).expect("create folders");
        assert!(Command::new("mkfifo").arg(home.at(&path)).status().expect("mkfifo").success());
    }
    home.program(".virtualenvs/w/bin/python", "").file(&format!("{VENV}/jax/__init__.py"), "");
    // Links in a circle, links to nothing, a folder where a file belongs and the other way round.
    symlink(home.at(VENV), home.at(&format!("{VENV}/loop"))).expect("make a link");
    symlink("turn", home.at(&format!("{VENV}/turn"))).expect("make a link");
    symlink("nowhere", home.at(&format!("{VENV}/vllm-1.0.dist-info"))).expect("make a link");
    home.file(&format!("{VENV}/round.pth"), "loop\nloop/loop\nturn\nloop/loop/loop\n");
    std::fs::create_dir_all(home.at(&format!("{VENV}/folder.pth"))).expect("create a folder");
    home.file(&format!("{VENV}/cupy-1.0.dist-info"), "");
    symlink(home.at(".virtualenvs"), home.at(".virtualenvs/again")).expect("make a link");
    // Two packages of one framework with lists of 16 MB each, of which half is read.
    let long = "onnxruntime/some/long/name/of/a/file.py,sha256=0123456789,1234\n".repeat(260_000);
    for name in ["onnxruntime-1.0", "onnxruntime_gpu-1.0"] {
        home.file(&format!("{VENV}/{name}.dist-info/RECORD"), &long)
            .file(&format!("{VENV}/{name}.dist-info/METADATA"), "");
    }
    // A folder that cannot be read, and 10,000 packages.
    std::fs::create_dir_all(home.at(&format!("{VENV}/numba-1.0.dist-info"))).expect("create a folder");
    std::fs::set_permissions(home.at(&format!("{VENV}/numba-1.0.dist-info")), std::fs::Permissions::from_mode(0o000))
        .expect("set");
    for n in 0..10_000 {
        std::fs::create_dir(home.at(&format!("{VENV}/other_{n}-1.0.dist-info"))).expect("create a folder");
    }
    let odd = fastest(&home, &["--all-envs"]);
    let found = home.check(&["--all-envs"]);
    assert_eq!(found.values("framework.distribution")[0]["version"], "2.6.0+cu124");
    // Of a build for speed it is a tenth of this.
    assert!(odd < plain + Duration::from_secs(5), "{odd:?} against {plain:?}");
    std::fs::set_permissions(home.at(&format!("{VENV}/numba-1.0.dist-info")), std::fs::Permissions::from_mode(0o755))
        .expect("set");
    assert!(Path::new(&home.at(VENV)).is_dir());
}
