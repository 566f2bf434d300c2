//! What goes before the package of the environment, and Pythons that no package is made for.

use super::{CONDA, CPU, CUDA, Home, USER, VENV};
use crate::common::program::run;
use serde_json::Value;

#[test]
fn a_copy_outside_the_environment_is_decided_from_files() {
    // PYTHONPATH goes before a virtual environment.
    let mut home = Home::venv();
    home.torch_in(VENV, "2.6.0+cu124", CUDA).torch_in("path", "2.6.0+cpu", CPU);
    home.set("PYTHONPATH", "path");
    let found = home.check(&[]).beside_a_gpu();
    assert!(!found.has("torch-cpu-only-wheel"));
    assert_eq!(found.cause("user-site-shadows-venv")["severity"], "error");
    assert_eq!(found.cause("user-site-shadows-venv")["confidence"], "certain");
    let evidence = found.evidence("user-site-shadows-venv");
    assert!(evidence.contains("by way of PYTHONPATH") && evidence.contains("built for CUDA 12.4"), "{evidence}");
    // Nothing behind it: what is installed into the environment would stay hidden.
    std::fs::remove_dir_all(home.at(&format!("{VENV}/torch"))).expect("remove a folder");
    std::fs::remove_dir_all(home.at(&format!("{VENV}/torch-2.6.0+cu124.dist-info"))).expect("remove a folder");
    let steps = home.check(&[]).beside_a_gpu().cause("user-site-shadows-venv")["remedy"]["steps"].to_string();
    assert!(steps.contains("env -u PYTHONPATH PYTHONNOUSERSITE=1"), "{steps}");

    // The user's own packages go before a conda environment, and not before a virtual one.
    let home = Home::conda();
    home.torch_in(CONDA, "2.6.0+cu124", CUDA).torch_in(USER, "2.6.0+cpu", CPU);
    assert!(home.check(&[]).beside_a_gpu().evidence("user-site-shadows-venv").contains("by way of user site"));
    let home = Home::venv();
    home.torch_in(VENV, "2.6.0+cu124", CUDA).torch_in(USER, "2.6.0+cpu", CPU);
    let found = home.check(&[]).beside_a_gpu();
    assert!(!found.has("user-site-shadows-venv") && !found.has("torch-cpu-only-wheel"));
    assert_eq!(found.values("framework.distribution")[0]["version"], "2.6.0+cu124");

    // Two builds for the GPU: a note that the other one is taken.
    let mut home = Home::conda();
    home.torch_in(CONDA, "2.6.0+cu124", CUDA).torch_in(USER, "2.5.1", "__version__ = '2.5.1+cu121'\ncuda = '12.1'\n");
    assert_eq!(home.check(&[]).cause("user-site-shadows-venv")["severity"], "note");
    home.variables.push(("PYTHONNOUSERSITE", "1".to_string()));
    assert!(!home.check(&[]).has("user-site-shadows-venv"));
}

#[test]
fn a_file_of_the_users_hides_a_framework_only_where_python_takes_it() {
    let home = Home::venv();
    home.torch_in(VENV, "2.6.0", CUDA);
    // A folder of data is a namespace, which gives way to the package.
    home.file("work/torch/weights.bin", "");
    assert!(!home.check(&[]).has("local-file-hides-framework"));
    home.file("work/torch.py", "");
    let found = home.check(&[]);
    assert_eq!(found.values("python.shadowed_by"), [&Value::from(home.at("work/torch.py").display().to_string())]);
    assert_eq!(found.cause("local-file-hides-framework")["severity"], "note");
    // Python itself leaves the folder out.
    let mut command = home.command(&[]);
    command.env("PYTHONSAFEPATH", "1");
    assert!(!run(&mut command).stdout.contains("local-file-hides-framework"));

    // In a checkout that the environment uses, the file is the package; in one that it does not, it is in the way.
    let home = Home::venv();
    home.file("work/torch/__init__.py", "").file("work/torch/version.py", CUDA).file("work/setup.py", "");
    home.file(&format!("{VENV}/easy-install.pth"), &format!("{}\n", home.at("work").display()));
    let found = home.check(&[]);
    assert_eq!(found.values("framework.origin")[0]["kind"], "editable");
    assert!(!found.has("local-file-hides-framework"));
    std::fs::remove_file(home.at(&format!("{VENV}/easy-install.pth"))).expect("remove a file");
    home.torch_in(VENV, "2.6.0", CUDA);
    let message = home.check(&[]).cause("local-file-hides-framework")["message"].to_string();
    assert!(message.contains("source"), "{message}");

    // In a folder of PYTHONPATH it is taken by every program.
    let mut home = Home::venv();
    home.torch_in(VENV, "2.6.0", CUDA).file("path/torch.py", "");
    home.set("PYTHONPATH", "path");
    let message = home.check(&[]).cause("local-file-hides-framework")["message"].to_string();
    assert!(message.contains("PYTHONPATH"), "{message}");
}

#[test]
fn a_python_of_32_bits_or_too_new_is_named_without_starting_it() {
    // The header of a program of 32-bit x86.
    let mut header = b"\x7fELF\x01\x01\x01".to_vec();
    header.extend([0; 9]);
    header.extend([2, 0, 3, 0]);
    header.extend([0; 64]);
    let home = Home::venv();
    std::fs::write(home.at("venv/bin/python"), &header).expect("write a file");
    assert_eq!(home.check(&[]).cause("python-32bit")["confidence"], "certain");

    let home = Home::venv();
    let settings = "home = /usr/bin\ninclude-system-site-packages = false\nversion = 3.17.0\n";
    home.file("venv/pyvenv.cfg", settings);
    assert!(home.check(&["--framework", "torch"]).has("unsupported-python-version"));
}
