//! Whose GPUs a text speaks of.

use crate::triage::Found;
use crate::triage::messages::Weight::{Against, Refutes, Suggests, Supports};
use crate::triage::messages::{Message, circumstance, fault, with};

/// The rows.
pub static ROWS: &[Message] = &[
    // A GPU by AMD and CUDA's own words: the build is for another maker's GPU.
    with(
        amd_named,
        circumstance(
            "amd-gpu-named",
            &[
                "radeon rx",
                "radeon pro",
                "radeon vii",
                "radeon r9",
                "radeon r7",
                "radeon graphics",
                "radeon 6",
                "radeon 7",
                "radeon 8",
                "rx 5700",
                "rx 580",
                "rx 6600",
                "rx 6700",
                "rx 6800",
                "rx 6900",
                "rx 7600",
                "rx 7700",
                "rx 7800",
                "rx 7900",
                "rx 9060",
                "rx 9070",
                "instinct mi",
                "amd gpu",
                "amd graphics",
                "amd radeon",
                "amd card",
                "ryzen ai max",
            ],
            &[("amd-gpu-with-cuda-torch", Supports), ("driver-not-installed", Against)],
        ),
    ),
    // Beside an NVIDIA GPU, one by AMD is the processor's own graphics.
    circumstance(
        "nvidia-gpu-named",
        &[
            "geforce",
            "rtx 20",
            "rtx 30",
            "rtx 40",
            "rtx 50",
            "rtx a",
            "gtx 9",
            "gtx 10",
            "gtx 16",
            "quadro",
            "tesla",
            "titan",
            "nvidia a100",
            "nvidia a10",
            "nvidia a30",
            "nvidia a40",
            "nvidia h100",
            "nvidia h200",
            "nvidia l4",
            "nvidia b200",
        ],
        &[("amd-gpu-with-cuda-torch", Refutes), ("no-nvidia-gpu-present", Against)],
    ),
    // CUDA's words, which a CUDA build says beside any GPU that is not NVIDIA's.
    with(
        cuda_words,
        circumstance(
            "cuda-build-finds-nothing",
            &[
                "found no nvidia driver on your system",
                "no cuda gpus are available",
                "no cuda-capable device is detected",
                "torch not compiled with cuda enabled",
                "torch.cuda.is_available()*false",
            ],
            &[],
        ),
    ),
    // Both in one text.
    fault(
        "framework",
        "cuda-build-beside-amd-gpu",
        &[],
        &[("amd-gpu-with-cuda-torch", Supports), ("torch-cpu-only-wheel", Suggests)],
    ),
    // Apple: no CUDA for it.
    circumstance(
        "macos-is-used",
        &[
            "macos",
            "mac os x",
            "mac osx",
            "osx-arm64",
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
        &[
            ("macos-no-cuda", Supports),
            ("torch-cpu-only-wheel", Against),
            ("driver-not-installed", Against),
            ("aarch64-pypi-wheel-is-cpu", Refutes),
        ],
    ),
];

/// A GPU by AMD, in a text in which a CUDA build found nothing.
fn amd_named(line: &str, found: &mut Found) {
    if was_said(found, "cuda-build-finds-nothing") && !was_said(found, "rocm-is-used") {
        found.said("cuda-build-beside-amd-gpu", line, []);
    }
}

/// The same the other way round.
fn cuda_words(line: &str, found: &mut Found) {
    if was_said(found, "amd-gpu-named") && !was_said(found, "rocm-is-used") {
        found.said("cuda-build-beside-amd-gpu", line, []);
    }
}

/// Whether a message was recognised in the text so far.
fn was_said(found: &Found, id: &str) -> bool {
    found.counts.was_said(id)
}
