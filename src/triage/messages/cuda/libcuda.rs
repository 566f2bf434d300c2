//! The library of the driver, and where it is looked for.

use crate::triage::messages::Weight::{Against, Suggests, Supports};
use crate::triage::messages::{Message, circumstance, fault};

/// The rows.
pub static ROWS: &[Message] = &[
    // libcuda cannot be found: no driver here, or not in this place.
    fault(
        "cuda-driver",
        "no-driver-found",
        &[
            "found no nvidia driver on your system",
            "libcuda.so.1: cannot open shared object file",
            "libcuda.so: cannot open shared object file",
            "could not load dynamic library 'libcuda.so",
            "unknown error (303)",
            "cuda driver library cannot be found",
            "libcuda.so.1 not found",
            "libcuda.so.1 => not found",
            "unable to find libcuda.so",
            "cannot find libcuda",
            "failed to dlopen libcuda",
            "could not find cuda drivers on your machine",
            "failed to load libcuda",
        ],
        &[
            ("driver-not-installed", Suggests),
            ("container-without-gpu-access", Suggests),
            ("driver-not-working", Suggests),
            ("libcuda-not-on-loader-path", Suggests),
            ("wsl-libcuda-not-on-path", Suggests),
            ("container-driver-capabilities-missing", Suggests),
            ("k8s-runtimeclass-missing", Suggests),
            ("scheduler-no-gpu-allocated", Suggests),
        ],
    ),
    // bitsandbytes before 0.42 searches folders of its own.
    fault(
        "cuda-driver",
        "bitsandbytes-no-libcuda",
        &["libcuda.so not found"],
        &[
            ("wsl-libcuda-not-on-path", Suggests),
            ("libcuda-not-on-loader-path", Suggests),
            ("driver-not-installed", Suggests),
            ("container-without-gpu-access", Suggests),
        ],
    ),
    // The loader's list holds a libcuda, or the file was seen.
    circumstance(
        "libcuda-exists",
        &["libcuda.so.1 (libc6*=>", "libcuda.so.1 => /"],
        &[
            ("libcuda-not-on-loader-path", Supports),
            ("wsl-libcuda-not-on-path", Suggests),
            ("driver-not-installed", Against),
            ("container-without-gpu-access", Against),
        ],
    ),
    // A loader of its own does not read the system's list.
    circumstance(
        "nix-is-used",
        &["nix-shell", "/nix/store", "nix develop", "nixgl", "nixos", "guix shell"],
        &[("libcuda-not-on-loader-path", Supports)],
    ),
    // Several copies of libcuda, or of another architecture.
    fault(
        "cuda-driver",
        "libcuda-wrong-class",
        &["libcuda.so*wrong elf class", "libcuda.so*file too short", "libcuda.so*invalid elf header"],
        &[("wrong-libcuda-loaded", Supports)],
    ),
    // Copies of libcuda in more than one folder.
    circumstance(
        "libcuda-copies",
        &[
            "found duplicate ['libcuda.so",
            "found multiple libcuda",
            "multiple libcuda",
            "two libcuda",
            "another libcuda",
            "old libcuda",
            "stale libcuda",
            "wrong libcuda",
            "leftover libcuda",
        ],
        &[("wrong-libcuda-loaded", Supports), ("libcuda-kernel-module-mismatch", Suggests)],
    ),
];
