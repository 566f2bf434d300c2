//! conda, lock files, and versions of Python.

use crate::triage::messages::Weight::{Against, Suggests, Supports};
use crate::triage::messages::{Message, circumstance, fault};

/// The rows.
pub static ROWS: &[Message] = &[
    // conda.
    fault(
        "framework",
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
        "framework",
        "conda-no-cuda-virtual-package",
        &["nothing provides __cuda", "__cuda needed by pytorch", "__cuda * needed by"],
        &[("conda-cpu-build-selected", Supports)],
    ),
    fault(
        "framework",
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
        "framework",
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
];
