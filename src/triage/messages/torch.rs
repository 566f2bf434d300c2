//! What PyTorch and the programs on top of it print, what installers say about it, and signs of which Python runs.
//!
//! Texts from symptoms.md, sections 1 and 5, formats.md, and PyTorch's own sources.

use super::About::{Fault, Harmless};
use super::Weight::{Against, Decides, Refutes, Suggests, Supports};
use super::{Message, Weight, circumstance};

/// A row about something broken in a framework.
const fn fault(id: &'static str, words: &'static [&'static str], causes: &'static [(&'static str, Weight)]) -> Message {
    Message { id, words, about: Fault("framework"), causes, facts: None }
}

/// The rows.
pub static ROWS: &[Message] = &[
    // The build has no CUDA; which build, and why, is told by the tag, the system and the installer.
    fault(
        "torch-not-compiled-with-cuda",
        &["torch not compiled with cuda enabled"],
        &[("torch-cpu-only-wheel", Supports), ("macos-no-cuda", Suggests), ("amd-gpu-with-cuda-torch", Suggests)],
    ),
    fault(
        "torch-cpu-tag",
        &[
            "torch-*+cpu",
            "torch==*+cpu",
            "torch 1*+cpu",
            "torch 2*+cpu",
            "torch @ *+cpu",
            "pytorch version*+cpu",
            "torch.__version__*+cpu",
            "torch version*+cpu",
            "torch: *+cpu",
        ],
        &[("torch-cpu-only-wheel", Supports)],
    ),
    fault(
        "collect-env-without-cuda",
        &[
            "cuda used to build pytorch: none",
            "cuda used to build pytorch: could not collect",
            "torch.version.cuda*none",
        ],
        &[("torch-cpu-only-wheel", Supports)],
    ),
    fault(
        "torch-cpu-version-came",
        &[
            "cpu version instead",
            "installs cpu version",
            "installed the cpu version",
            "installs the cpu version",
            "installed cpu version",
            "cpu-only version of pytorch",
            "cpu-only version of torch",
            "cpu only version of pytorch",
            "cpu-only torch",
            "cpu-only pytorch",
            "cpu version of pytorch",
            "cpu version of torch",
            "(cpu version)",
            "\"cpu\" build",
            "cpu build of pytorch",
            "pytorch cpu build",
        ],
        &[("torch-cpu-only-wheel", Supports), ("conda-cpu-build-selected", Suggests)],
    ),
    // What an XPU build answers with True.
    fault(
        "torch-xpu-not-compiled",
        &["xpu._is_compiled*false", "torch not compiled with xpu enabled"],
        &[("torch-cpu-only-wheel", Supports)],
    ),
    fault(
        "ultralytics-invalid-device",
        &[
            "invalid cuda 'device=",
            "invalid device id*torch.cuda",
            "invalid device '*' requested. valid devices are 'cpu'",
        ],
        &[("torch-cpu-only-wheel", Suggests), ("cuda-visible-devices-out-of-range", Suggests)],
    ),
    circumstance("torch-xpu-tag", &["torch*+xpu"], &[("torch-cpu-only-wheel", Refutes)]),
    circumstance(
        "torch-rocm-tag",
        &["torch*+rocm"],
        &[("torch-cpu-only-wheel", Refutes), ("amd-gpu-with-cuda-torch", Refutes)],
    ),
    circumstance(
        "torch-cpu-index",
        &["pytorch.org/whl/cpu", "pytorch.org/whl/nightly/cpu"],
        &[("torch-cpu-only-wheel", Supports), ("lockfile-selects-cpu-wheel", Suggests)],
    ),
    circumstance(
        "torch-windows-plain-install",
        &["win_amd64.whl", "windows*pip install torch"],
        &[("torch-cpu-only-wheel", Suggests)],
    ),
    // A CUDA build comes with NVIDIA's packages; a list without them is a list of a build without CUDA.
    fault(
        "torch-without-nvidia-packages",
        &[
            "no nvidia-* packages",
            "no nvidia packages",
            "no nvidia_* packages",
            "without nvidia-* packages",
            "no cudnn / cublas",
            "no nvidia-cublas",
            "no nvidia-cudnn",
            "no cuda packages",
        ],
        &[("torch-cpu-only-wheel", Supports)],
    ),
    // Which machine.
    circumstance(
        "arm-server",
        &["aarch64", "gh200", "gb200", "grace hopper", "grace-hopper", "grace blackwell", "dgx spark", "nvidia gb10"],
        &[("aarch64-pypi-wheel-is-cpu", Supports)],
    ),
    circumstance(
        "jetson-machine",
        &[
            "jetson",
            "-tegra",
            "nv_tegra_release",
            "jetpack",
            "orin (nvgpu)",
            "agx xavier",
            "xavier nx",
            "l4t r",
            "l4t 3",
            "(nvgpu)",
        ],
        &[
            ("jetson-generic-aarch64-wheel", Supports),
            ("gpu-arch-missing-in-build", Suggests),
            ("aarch64-pypi-wheel-is-cpu", Refutes),
        ],
    ),
    circumstance(
        "windows-itself",
        &[
            "windows 10",
            "windows 11",
            "microsoft windows",
            "windows-10-",
            "windows-11-",
            "windows server",
            "on win32",
            "win_amd64",
        ],
        &[("aarch64-pypi-wheel-is-cpu", Refutes), ("jetson-generic-aarch64-wheel", Refutes)],
    ),
    // Other makers: builds for them are other builds.
    circumstance(
        "mac",
        &[
            "macos",
            "mac os x",
            "darwin-",
            "darwin kernel",
            "macbook",
            "apple m1",
            "apple m2",
            "apple m3",
            "apple m4",
            "apple silicon",
            "mac mini",
            "mac studio",
        ],
        &[("macos-no-cuda", Supports), ("torch-cpu-only-wheel", Against), ("aarch64-pypi-wheel-is-cpu", Refutes)],
    ),
    circumstance(
        "amd-card",
        &[
            "radeon rx",
            "radeon pro",
            "radeon vii",
            "instinct mi",
            "amd gpu",
            "rx 580",
            "rx 570",
            "rx 5700",
            "rx 6600",
            "rx 6650",
            "rx 6700",
            "rx 6750",
            "rx 7600",
            "rx 7700",
            "rx 7800",
            "vega 56",
            "vega 64",
            "rx 6800",
            "rx 6900",
            "rx 7900",
            "rx 9070",
            "gpu: amd",
        ],
        &[("amd-gpu-with-cuda-torch", Supports)],
    ),
    circumstance(
        "nvidia-card",
        &[
            "geforce",
            "rtx 2",
            "rtx 3",
            "rtx 4",
            "rtx 5",
            "rtx a",
            "gtx 1",
            "gtx 9",
            "tesla ",
            "quadro",
            "nvidia a100",
            "nvidia h100",
        ],
        &[("amd-gpu-with-cuda-torch", Against)],
    ),
    // A build without CUDA never says that.
    circumstance(
        "torch-sees-gpu",
        &[
            "torch.cuda.is_available()*true",
            "is cuda available: true",
            "is cuda available: yes",
            "cuda available: true",
        ],
        &[("jetson-generic-aarch64-wheel", Refutes), ("aarch64-pypi-wheel-is-cpu", Refutes)],
    ),
    // conda.
    fault(
        "conda-cpu-build-string",
        &[
            "pytorch *_cpu_0",
            "pytorch *cpu_mkl",
            "pytorch *cpu_generic",
            "pytorch *cpu_py3",
            "pytorch-mutex *cpu",
            "libtorch *cpu_mkl",
            "libtorch *cpu_generic",
            "pytorch-*_cpu_0",
            "pytorch-*cpu_mkl",
            "pytorch-*cpu_generic",
        ],
        &[("conda-cpu-build-selected", Supports), ("torch-cpu-only-wheel", Suggests)],
    ),
    fault(
        "conda-no-cuda-virtual-package",
        &["nothing provides __cuda", "__cuda needed by pytorch", "__cuda * needed by"],
        &[("conda-cpu-build-selected", Supports)],
    ),
    fault(
        "conda-torch-from-forge-cpu",
        &["pytorch*conda-forge*cpu", "conda-forge*pytorch*cpu", "channel conda-forge*cpu"],
        &[("conda-cpu-build-selected", Supports), ("torch-cpu-only-wheel", Suggests)],
    ),
    circumstance(
        "conda-install-torch",
        &[
            "conda install *torch",
            "mamba install *torch",
            "micromamba install *torch",
            "conda create *torch",
            "environment.yml",
            "environment.yaml",
        ],
        &[("conda-cpu-build-selected", Supports)],
    ),
    circumstance("conda-cpuonly", &["cpuonly"], &[("conda-cpu-build-selected", Supports)]),
    // Lock files and sources.
    circumstance(
        "lock-entry-of-torch",
        &[
            "name = \"torch\"*marker",
            "name = \"torch\"*source",
            "torch*sys_platform",
            "torch = [",
            "torch = {",
            "[tool.uv.sources]",
            "tool.uv.sources",
        ],
        &[("lockfile-selects-cpu-wheel", Supports)],
    ),
    circumstance(
        "lock-file",
        &["uv.lock", "poetry.lock", "pdm.lock", "pipfile.lock", "pylock.toml", "uv sync", "poetry install"],
        &[("lockfile-selects-cpu-wheel", Suggests)],
    ),
    // No wheel for this Python.
    fault(
        "no-matching-torch",
        &[
            "no matching distribution found for torch",
            "could not find a version that satisfies the requirement torch",
            "(from versions: 0.1.2, 0.1.2.post1",
            "torch*is not a supported wheel on this platform",
            "torch*has no wheels with a matching python",
            "torch*has no wheels are available with a matching",
            "torch*no wheels are available",
            "torch*doesn't have a source distribution or wheel for the current platform",
            "no matching distribution found for tensorflow",
            "could not find a version that satisfies the requirement tensorflow",
        ],
        &[("unsupported-python-version", Supports), ("python-32bit", Suggests)],
    ),
    circumstance(
        "python-is-new",
        &[
            "python 3.13",
            "python 3.14",
            "python 3.15",
            "python: 3.13",
            "python: 3.14",
            "python: 3.15",
            "python version: 3.14",
            "python version: 3.15",
            "cp314",
            "cp315",
            "python3.14",
            "python=3.14",
        ],
        &[("unsupported-python-version", Suggests), ("python-32bit", Against)],
    ),
    circumstance(
        "python-is-32-bit",
        &[
            "32 bit (intel)",
            "python*32-bit",
            "(32-bit runtime)",
            "32-bit python",
            "32 bit python",
            "32-bit version of python",
            "python (32-bit)",
            "is 32 bit",
            "is 32-bit",
            "32bit python",
            "-win32.whl",
            "calcsize*32",
            "maxsize*2147483647",
            "armv7l",
            "linux_i686",
        ],
        &[("python-32bit", Supports), ("unsupported-python-version", Against)],
    ),
    // Which Python runs.
    circumstance(
        "user-site-torch",
        &[
            ".local/lib/python*/torch",
            "appdata\\roaming\\python*torch",
            "location: *.local/lib/python",
            "location: *appdata\\roaming\\python",
        ],
        &[("user-site-shadows-venv", Suggests)],
    ),
    circumstance(
        "inside-environment",
        &[
            "(venv)",
            "(.venv)",
            "(base)",
            "conda env",
            "conda activate",
            "conda_prefix",
            "virtualenv",
            "virtual_env",
            "virtual environment",
            "bin/activate",
            "scripts\\activate",
        ],
        &[],
    ),
    circumstance(
        "user-site-off-helps",
        &["pythonnousersite", "python -s ", "unset pythonpath", "user site-packages", "user-site"],
        &[("user-site-shadows-venv", Supports)],
    ),
    circumstance(
        "other-python",
        &[
            "(venv) pip",
            "system python",
            "wrong python",
            "different python",
            "another python",
            "not the venv",
            "wrong interpreter",
            "different interpreter",
            "python interpreter in",
            "wrong environment",
            "wrong kernel",
        ],
        &[("wrong-interpreter-used", Supports)],
    ),
    circumstance(
        "system-python-runs",
        &[
            "sys.executable*/usr/bin/python",
            "sys.executable*/usr/local/bin/python",
            "sys.executable*c:\\python",
            "sys.executable*\\programs\\python",
        ],
        &[("wrong-interpreter-used", Supports)],
    ),
    fault(
        "no-module-torch",
        &["no module named 'torch'", "no module named torch"],
        &[("torch-not-installed", Supports), ("wrong-interpreter-used", Suggests)],
    ),
    // The import.
    fault(
        "torch-import-library-missing",
        &[
            "not found in the system path",
            "libtorch_cuda.so: cannot open",
            "libc10_cuda.so: cannot open",
            "libtorch_python.so: undefined symbol",
            "undefined symbol: ijit_notifyevent",
        ],
        &[("torch-import-fails", Supports)],
    ),
    fault(
        "torch-import-windows-dll",
        &[
            "winerror 126*torch",
            "winerror 127*torch",
            "winerror 182*torch",
            "winerror 1114*torch",
            "winerror 193*torch",
            "error loading *torch\\lib",
            "dll load failed while importing _c",
            "dll load failed*torch",
        ],
        &[("torch-import-fails", Supports)],
    ),
    fault(
        "torch-partially-initialized",
        &["partially initialized module 'torch'", "module 'torch' has no attribute"],
        &[("torch-import-fails", Suggests)],
    ),
    // Architectures. No code for the chip: which side of the list it lies on, other lines tell.
    fault(
        "no-kernel-image",
        &[
            "no kernel image is available",
            "cudaerrornokernelimagefordevice",
            "cuda_error_no_binary_for_gpu",
            "cuda error: invalid device function",
            "no binary for gpu",
        ],
        &[
            ("gpu-arch-missing-in-build", Supports),
            ("gpu-arch-too-new-for-build", Suggests),
            ("gpu-arch-too-old-for-build", Suggests),
            ("benign-arch-warning", Refutes),
            ("torch-cpu-only-wheel", Refutes),
        ],
    ),
    // (a): the number of the card.
    fault(
        "torch-new-gpu-not-compatible",
        &[
            "cuda capability sm_12*is not compatible",
            "cuda capability sm_11*is not compatible",
            "cuda capability sm_10*is not compatible",
            "cuda capability sm_9*is not compatible",
            "cuda capability sm_8*is not compatible",
        ],
        &[("gpu-arch-too-new-for-build", Supports)],
    ),
    fault(
        "torch-old-gpu-not-compatible",
        &[
            "cuda capability sm_2*is not compatible",
            "cuda capability sm_3*is not compatible",
            "cuda capability sm_5*is not compatible",
            "cuda capability sm_6*is not compatible",
            "cuda capability sm_70*is not compatible",
        ],
        &[("gpu-arch-too-old-for-build", Supports)],
    ),
    circumstance("torch-capability-not-compatible", &["is not compatible with the current pytorch installation"], &[]),
    fault(
        "torch-list-ends-early",
        &[
            "supports cuda capabilities *sm_70.",
            "supports cuda capabilities *sm_75.",
            "supports cuda capabilities *sm_61.",
            "supports cuda capabilities *sm_60.",
        ],
        &[("gpu-arch-too-new-for-build", Supports)],
    ),
    // (b) and (f).
    fault(
        "torch-too-old-gpu",
        &[
            "no longer supports this gpu because it is too old",
            "minimum cuda capability supported by this library is",
            "support for maxwell and pascal architectures is removed",
            "support for maxwell, pascal, and volta",
        ],
        &[("gpu-arch-too-old-for-build", Supports)],
    ),
    // (c) and (e): often wrong, so that a failing kernel has to be seen.
    circumstance("torch-found-gpu", &["which is of cuda capability", "which is of compute capability"], &[]),
    circumstance("torch-span-of-build", &[".0) - (", ".5) - (", ".7) - (", ".9) - ("], &[]),
    circumstance("torch-capability-span", &["minimum and maximum cuda capability supported by this version"], &[]),
    circumstance(
        "torch-no-kernels-included",
        &["does not include kernels for this gpu", "the following list shows the ccs"],
        &[],
    ),
    circumstance(
        "tensor-on-gpu",
        &["tensor([*device='cuda:", "tensor(*device='cuda:"],
        &[("torch-cpu-only-wheel", Against)],
    ),
    // (g).
    Message {
        id: "torch-optimal-performance",
        words: &["which requires cuda_version >=*for optimal performance"],
        about: Harmless,
        causes: &[],
        facts: None,
    },
    // torchvision.
    fault(
        "torchvision-operator-without-cuda",
        &[
            "could not run 'torchvision::*from the 'cuda' backend",
            "'torchvision::*is only available for these backends: [cpu",
        ],
        &[("torchvision-cpu-mismatch", Decides), ("torch-cpu-only-wheel", Refutes)],
    ),
    fault(
        "torchvision-operator-missing",
        &["operator torchvision::nms does not exist", "no such operator torchvision::", "couldn't load custom c++ ops"],
        &[("torchvision-cpu-mismatch", Suggests)],
    ),
    // MIG.
    fault(
        "torch-counts-no-mig-device",
        &[
            "device_count*0*but *works",
            "device_count*returns*0",
            "device_count() == 0",
            "device_count()==0",
            "device_count() is 0",
            "torch.cuda.device_count()*mig-",
        ],
        &[("mig-uuid-torch-nvml-count-bug", Supports)],
    ),
    circumstance(
        "mask-has-mig-uuid",
        &["cuda_visible_devices*mig-", "mig-gpu-"],
        &[("mig-uuid-torch-nvml-count-bug", Suggests), ("mig-single-instance-limit", Suggests)],
    ),
    // A model on the GPU and its input on the CPU, or the reverse: CUDA works, the program forgot a move.
    circumstance(
        "torch-tensors-on-two-devices",
        &[
            "input type (torch.floattensor) and weight type (torch.cuda.floattensor)",
            "input type (torch.cuda.",
            "expected all tensors to be on the same device",
            "weight type (torch.cuda.",
        ],
        &[("torch-cpu-only-wheel", Refutes)],
    ),
];
