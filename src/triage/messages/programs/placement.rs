//! Where layers of a model were put.

use crate::triage::Found;
use crate::triage::messages::Weight::{Against, Suggests, Supports};
use crate::triage::messages::{Message, circumstance, fault, with};

/// The rows.
pub static ROWS: &[Message] = &[
    // accelerate put modules where no GPU computes.
    // A module that was made on the meta device: mostly accelerate's doing, sometimes the program's own.
    fault(
        "program",
        "meta-tensor-copied",
        &["cannot copy out of meta tensor"],
        &[("accelerate-offloaded-to-cpu", Suggests)],
    ),
    fault(
        "program",
        "accelerate-meta-device",
        &[
            "some parameters are on the meta device",
            "some modules are dispatched on the cpu or the disk",
            "the current `device_map` had weights offloaded to the disk",
            "you are trying to offload the whole model to the disk",
            "you can't move a model that has some modules offloaded to cpu or disk",
            "you can't train a model that has been loaded in 8-bit*with cpu or disk offload",
            "offloaded to the cpu and disk",
            "offloaded to the cpu",
            "offloaded to the disk",
            "offloaded to disk",
            "is on the meta device, we need a `value`",
            "expected device meta",
            "on device meta",
        ],
        &[("accelerate-offloaded-to-cpu", Supports), ("insufficient-vram-cpu-offload", Suggests)],
    ),
    circumstance(
        "accelerate-device-map",
        &[
            "device_map=\"auto\"",
            "device_map='auto'",
            "device_map=auto",
            "device_map = \"auto\"",
            "device_map: auto",
            "device_map=\"balanced",
            "infer_auto_device_map",
            "load_checkpoint_and_dispatch",
            "dispatch_model",
            "offload_folder",
        ],
        &[("accelerate-offloaded-to-cpu", Supports), ("model-or-data-not-moved-to-device", Against)],
    ),
    // The map itself, or the cure: everything on one GPU.
    circumstance(
        "accelerate-map-says-cpu",
        &[
            "hf_device_map*'cpu'",
            "hf_device_map*\"cpu\"",
            "hf_device_map*'disk'",
            "hf_device_map*\"disk\"",
            "hf_device_map",
            "device_map={'': 0}",
            "device_map={\"\": 0}",
            "device_map={'':0}",
            "device_map={\"\":0}",
            "llm_int8_enable_fp32_cpu_offload",
            "load_in_8bit_fp32_cpu_offload",
        ],
        &[("accelerate-offloaded-to-cpu", Supports)],
    ),
    // Ollama and llama.cpp say that nothing, or not all, fits.
    fault(
        "program",
        "vram-no-layers-fit",
        &[
            "insufficient vram to load any model layers",
            "gpu has too little memory to allocate any layers",
            "gpu too small to load",
            "unable to load any layers",
            "not enough vram to load",
            "not enough gpu memory to load",
            "layers.offload=0",
            "insufficient vram",
            "not enough vram",
            "model is too large for",
            "model requires more vram",
            "does not fit in vram",
            "doesn't fit in vram",
            "does not fit into vram",
            "exceeds the vram",
            "exceeds vram",
            "falling back to cpu*not enough",
        ],
        &[("insufficient-vram-cpu-offload", Supports), ("orphan-process-holds-vram", Suggests)],
    ),
    // The numbers decide: see `layers`.
    with(
        layers,
        circumstance(
            "layers-offloaded",
            &["offloaded*layers to gpu", "offloading*layers to gpu", "layers.model=", "msg=offload"],
            &[("llamacpp-built-without-cuda", Against)],
        ),
    ),
    fault("program", "layers-partly-offloaded", &["%/*% cpu/gpu"], &[("insufficient-vram-cpu-offload", Supports)]),
    // No layer at all: a build without CUDA says it as well, and so does one that was told to.
    fault(
        "program",
        "layers-none-offloaded",
        &["offloaded 0/"],
        &[("insufficient-vram-cpu-offload", Suggests), ("llamacpp-built-without-cuda", Suggests)],
    ),
    circumstance("layers-all-offloaded", &["100% gpu"], &[("insufficient-vram-cpu-offload", Against)]),
];

/// `offloaded 12/33 layers to GPU`, `layers.model=33 layers.offload=12`: some of them, none or all.
fn layers(line: &str, found: &mut Found) {
    let lower = line.to_lowercase();
    let number = |text: &str| -> Option<u32> {
        text.trim_start().chars().take_while(char::is_ascii_digit).collect::<String>().parse().ok()
    };
    let pair = match lower.split_once("offloaded ") {
        Some((_, rest)) => rest.split_once('/').and_then(|(some, all)| Some((number(some)?, number(all)?))),
        None => {
            let of = |key: &str| lower.split_once(key).and_then(|(_, rest)| number(rest));
            of("layers.offload=").zip(of("layers.model="))
        }
    };
    match pair {
        Some((0, _)) => {}
        Some((some, all)) if some < all => found.said("layers-partly-offloaded", line, []),
        Some(_) => found.said("layers-all-offloaded", line, []),
        None => {}
    }
}
