//! For which GPUs a build has code, and what runs on them.

use crate::triage::messages::Weight::{Against, Decides, Refutes, Suggests, Supports};
use crate::triage::messages::{Message, circumstance, fault, harmless};

/// The rows.
pub static ROWS: &[Message] = &[
    // Architectures. No code for the chip: which side of the list it lies on, other lines tell.
    fault(
        "framework",
        "no-kernel-image",
        &[
            "no kernel image is available",
            "cudaerrornokernelimagefordevice",
            "cuda_error_no_binary_for_gpu",
            "cuda error: invalid device function",
            "cuda runtime error (8)",
            "cuda runtime error (48)",
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
        "framework",
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
        "framework",
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
        "framework",
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
        "framework",
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
    harmless("torch-optimal-performance", &["which requires cuda_version >=*for optimal performance"], &[]),
    // torchvision.
    fault(
        "framework",
        "torchvision-operator-without-cuda",
        &[
            "could not run 'torchvision::*from the 'cuda' backend",
            "'torchvision::*is only available for these backends: [cpu",
        ],
        &[("torchvision-cpu-mismatch", Decides), ("torch-cpu-only-wheel", Refutes)],
    ),
    fault(
        "framework",
        "torchvision-operator-missing",
        &["operator torchvision::nms does not exist", "no such operator torchvision::", "couldn't load custom c++ ops"],
        &[("torchvision-cpu-mismatch", Suggests)],
    ),
    // MIG.
    fault(
        "framework",
        "torch-counts-no-mig-device",
        &[
            "device_count*0*but *works",
            "device_count*returns*0",
            "device_count() == 0",
            "device_count()==0",
            "device_count() -> 0",
            "device_count() = 0",
            "device_count(): 0",
            "device_count() gives 0",
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
