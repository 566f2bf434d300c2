//! Packages that are damaged, doubled, mixed or do not belong together, and where they came from.

use super::{CONDA, CPU, CUDA, Home, VENV};
use crate::common::program::run;

#[test]
fn a_package_of_which_one_half_is_gone_is_named() {
    // The files are gone, or a folder of them without __init__.py is left.
    let home = Home::venv();
    home.package("torch", "2.6.0+cu124", &[]).file(&format!("{VENV}/torch/lib/libtorch.so"), "");
    let found = home.check(&["--framework", "torch"]);
    assert_eq!(found.values("python.damage")[0]["kind"], "no_files");
    assert_eq!(found.cause("package-metadata-damaged")["confidence"], "certain");
    assert!(!found.has("torch-not-installed"));
    let steps = found.cause("package-metadata-damaged")["remedy"]["steps"].to_string();
    let metadata = home.at(VENV).join("torch-2.6.0+cu124.dist-info");
    assert!(steps.contains(&format!("rm -r {}", metadata.display())), "{steps}");
    assert!(steps.contains("torch==2.6.0 --index-url https://download.pytorch.org/whl/cu124"), "{steps}");

    // METADATA is gone; the list of files is gone, which of conda's and the system's packages is no fault.
    let home = Home::venv();
    home.torch_in(VENV, "2.6.0", CUDA).package("triton", "3.2.0", &[("triton/__init__.py", "")]);
    home.package("numba", "0.61.0", &[("numba/__init__.py", "")]);
    for gone in ["torch-2.6.0.dist-info/METADATA", "triton-3.2.0.dist-info/RECORD", "numba-0.61.0.dist-info/RECORD"] {
        std::fs::remove_file(home.at(VENV).join(gone)).expect("remove a file");
    }
    home.file(&format!("{VENV}/numba-0.61.0.dist-info/INSTALLER"), "debian\n");
    let found = home.check(&[]);
    let kinds: Vec<String> =
        found.values("python.damage").iter().map(|v| format!("{} {}", v["package"], v["kind"])).collect();
    assert_eq!(kinds, ["\"torch\" \"no_metadata\"", "\"triton\" \"no_record\""]);
    assert_eq!(found.cause("package-metadata-damaged")["severity"], "note");

    // What is whole is not named.
    let home = Home::venv();
    home.torch_in(VENV, "2.6.0", CUDA);
    assert!(home.check(&[]).values("python.damage").is_empty());
}

#[test]
fn leftovers_and_two_versions_of_one_package_are_named() {
    let home = Home::venv();
    home.torch_in(VENV, "2.6.0", CUDA).package("torch", "2.5.1", &[]).file(&format!("{VENV}/~orch/__init__.py"), "");
    home.file(&format!("{VENV}/~vidia_cudnn_cu12-9.1.0.70.dist-info/RECORD"), "");
    let found = home.check(&[]);
    assert_eq!(found.values("python.leftover").len(), 2);
    assert!(found.has("interrupted-install-leftovers"));
    assert_eq!(found.cause("package-installed-twice")["severity"], "note");
    assert!(found.evidence("package-installed-twice").contains("installed as well: torch 2.6.0"));
}

#[test]
fn packages_that_own_the_same_files_are_named_by_pair() {
    let share = |text: &'static str| [("onnxruntime/__init__.py", ""), ("onnxruntime/capi/state.so", text)];
    let home = Home::venv();
    home.package("onnxruntime", "1.20.0", &share("cpu")).package("onnxruntime-gpu", "1.20.1", &share("cuda, larger"));
    home.package("onnxruntime-directml", "1.20.2", &share("directml"));
    let found = home.check(&[]);
    assert_eq!(found.values("python.overlap").len(), 3);
    assert!(found.evidence("onnxruntime-cpu-and-gpu-both-installed").contains("they share 2 files"));
    let message = found.cause("packages-overwrite-each-other")["message"].to_string();
    assert!(message.contains("onnxruntime-directml 1.20.2"), "{message}");
    assert!(message.contains("those of onnxruntime-directml 1.20.2 lie there"), "{message}");

    let home = Home::venv();
    let files = |text: &'static str| [("cupy/__init__.py", ""), ("cupy/core.so", text)];
    home.package("cupy-cuda11x", "13.0.0", &files("eleven")).package(
        "cupy-cuda12x",
        "13.0.0",
        &files("twelve, larger"),
    );
    let found = home.check(&[]);
    assert!(
        found.evidence("cupy-multiple-packages").contains("they share 2 files; those of cupy-cuda12x 13.0.0 lie there")
    );
    assert!(!found.has("packages-overwrite-each-other"));

    for other in ["tensorflow-cpu", "intel-tensorflow"] {
        let home = Home::venv();
        let info = "tensorflow/python/platform/build_info.py";
        let files = |info_text: &'static str| [("tensorflow/__init__.py", ""), (info, info_text)];
        home.package(
            "tensorflow",
            "2.18.0",
            &files("build_info = collections.OrderedDict([('is_cuda_build', True)])\n"),
        );
        home.package(other, "2.18.0", &files("build_info = collections.OrderedDict([('is_cuda_build', False)])\n"));
        let found = home.check(&[]);
        assert_eq!(found.values("python.overlap").len(), 1, "{other}");
        let message = found.cause("packages-overwrite-each-other")["message"].to_string();
        assert!(message.contains(&format!("those of {other} 2.18.0 lie there")), "{message}");
    }
}

#[test]
fn versions_that_do_not_belong_together_are_named() {
    let home = Home::venv();
    home.torch_in(VENV, "2.6.0", CUDA).package("torchvision", "0.24.1", &[("torchvision/__init__.py", "")]);
    home.package("torchaudio", "2.6.0", &[("torchaudio/__init__.py", "")]);
    home.package("jaxlib", "0.5.0", &[]).package("jax-cuda12-plugin", "0.4.30", &[]);
    home.package("jax", "0.5.0", &[("jax/__init__.py", "")]);
    let found = home.check(&[]);
    let steps = found.cause("torchvision-version-mismatch")["remedy"]["steps"].to_string();
    assert!(steps.contains("torchvision==0.21.*"), "{steps}");
    assert!(steps.contains("https://download.pytorch.org/whl/cu124"), "{steps}");
    assert!(!found.evidence("torchvision-version-mismatch").contains("torchaudio"));
    assert!(found.evidence("jax-plugin-version-mismatch").contains("jax-cuda12-plugin 0.4.30"));
}

#[test]
fn one_framework_of_conda_and_of_pip_is_named() {
    let record = |requested: &str| {
        format!(
            "{{\"channel\": \"https://u:p@conda.anaconda.org/t/secret/conda-forge/linux-64\", \"requested_spec\": \"{requested}\"}}"
        )
    };
    let home = Home::conda();
    home.torch_in(CONDA, "2.6.0", CUDA);
    home.file("conda/conda-meta/pytorch-2.5.1-cpu_mkl_py311h1_0.json", &record("None"));
    let found = home.check(&[]);
    assert!(
        found.evidence("package-of-conda-and-pip").contains("conda's list: pytorch 2.5.1, build cpu_mkl_py311h1_0")
    );
    // conda's own metadata for pip is no second installation.
    let home = Home::conda();
    home.torch_in(CONDA, "2.5.1", CPU).file(&format!("{CONDA}/torch-2.5.1.dist-info/INSTALLER"), "conda\n");
    home.file("conda/conda-meta/pytorch-2.5.1-cpu_mkl_py311h1_0.json", &record("pytorch=*=cpu*"));
    let found = home.check(&[]);
    assert!(!found.has("package-of-conda-and-pip"));
    assert_eq!(found.values("framework.origin")[0]["spec"], "pytorch=*=cpu*");
    assert!(!found.report.to_string().contains("secret"));
}

#[test]
fn where_a_build_came_from_is_told_without_secrets() {
    let home = Home::venv();
    home.torch_in(VENV, "2.6.0+cpu", CPU);
    let metadata = format!("{VENV}/torch-2.6.0+cpu.dist-info");
    let url = "https://me:hunter2@download.pytorch.org/whl/cpu/torch-2.6.0%2Bcpu-cp311.whl";
    home.file(
        &format!("{metadata}/direct_url.json"),
        &format!("{{\"archive_info\": {{}}, \"url\": \"{url}?sig=hunter3#sha256=1\"}}"),
    );
    home.file(&format!("{metadata}/REQUESTED"), "");
    let found = home.check(&[]);
    let origin = found.values("framework.origin")[0];
    assert_eq!(origin["from"], "https://download.pytorch.org/whl/cpu/torch-2.6.0%2Bcpu-cp311.whl");
    assert_eq!(origin["requested"], true);
    assert!(!found.report.to_string().contains("hunter"));
    let found = found.beside_a_gpu();
    assert!(
        found.evidence("torch-cpu-only-wheel").contains("it was installed from https://download.pytorch.org/whl/cpu/")
    );
    // A path of the user's home is identity.
    home.file(
        &format!("{metadata}/direct_url.json"),
        &format!("{{\"dir_info\": {{}}, \"url\": \"file://{}\"}}", home.at("src/torch").display()),
    );
    let mut command = home.command(&["--redact"]);
    command.env("USER", "zaphod");
    let redacted = run(&mut command).stdout;
    assert!(
        redacted.contains("\"framework.origin\"") && !redacted.contains(&*home.at("src").display().to_string()),
        "{redacted}"
    );
    // uv's own mark, where no installer is written down.
    std::fs::remove_file(home.at(&format!("{metadata}/INSTALLER"))).expect("remove a file");
    home.file(&format!("{metadata}/uv_cache.json"), "{}");
    assert_eq!(home.check(&[]).values("framework.distribution")[0]["installer"], "uv");
}
