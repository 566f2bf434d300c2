//! What PyTorch and the programs on top of it print.

use super::About::{Circumstance, Fault};
use super::Message;
use super::Weight::{Refutes, Suggests, Supports};

/// The rows.
pub static ROWS: &[Message] = &[
    Message {
        // symptoms.md, 1: the build has no CUDA; which build, and why, is told by the tag, the system and the installer.
        id: "torch-not-compiled-with-cuda",
        words: &["torch not compiled with cuda enabled"],
        about: Fault("framework"),
        causes: &[
            ("torch-cpu-only-wheel", Supports),
            ("macos-no-cuda", Suggests),
            ("amd-gpu-with-cuda-torch", Suggests),
        ],
        facts: None,
    },
    Message {
        // A model on the GPU and its input on the CPU: CUDA works, the program forgot a move.
        id: "torch-tensors-on-two-devices",
        words: &["input type (torch.floattensor) and weight type (torch.cuda.floattensor)"],
        about: Circumstance,
        causes: &[("torch-cpu-only-wheel", Refutes)],
        facts: None,
    },
];
