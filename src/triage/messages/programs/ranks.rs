//! More processes than GPUs.

use crate::triage::Found;
use crate::triage::messages::Weight::{Against, Suggests, Supports};
use crate::triage::messages::{Message, circumstance, fault, with};

/// The rows.
pub static ROWS: &[Message] = &[
    // Launchers; how many of how many is counted where the line says both.
    with(
        ranks,
        circumstance(
            "ranks-are-started",
            &[
                "nproc_per_node",
                "nproc-per-node",
                "local_rank",
                "local-rank",
                "local_world_size",
                "torchrun",
                "torch.distributed.launch",
                "mpirun",
                "tensor_parallel_size",
                "tensor-parallel-size",
                "--num_processes",
                "--num-processes",
                "--num_gpus",
                "--num-gpus",
                "accelerate launch",
                "deepspeed --",
                "horovodrun",
            ],
            &[("more-ranks-than-visible-gpus", Suggests)],
        ),
    ),
    // The line asks for more processes than its own mask leaves.
    circumstance(
        "ranks-beyond-mask",
        &[],
        &[
            ("more-ranks-than-visible-gpus", Supports),
            ("cuda-visible-devices-out-of-range", Against),
            ("cvd-not-renumbered-in-container", Against),
        ],
    ),
    // Frameworks that count by themselves.
    fault(
        "program",
        "more-gpus-asked-than-there",
        &[
            "is larger than the number of available gpus",
            "is greater than the number of available gpus",
            "cannot be larger than the number of available gpus",
            "you requested gpu*but your machine only has",
            "but only*gpus are available",
            "but only*gpu is available",
            "duplicate gpu detected",
            "both on cuda device",
            "number of processes*greater than the number of gpus",
            "more processes than gpus",
            "more ranks than gpus",
            "not enough gpus",
            "num_gpus*exceeds",
            "requested*gpus, but only",
            "no slot*specified on host",
            "using ranks*by this process is currently unknown",
        ],
        &[("more-ranks-than-visible-gpus", Supports), ("cuda-visible-devices-out-of-range", Suggests)],
    ),
];

/// `CUDA_VISIBLE_DEVICES=1,2 ... --nproc_per_node=4`: more processes than devices in one line.
fn ranks(line: &str, found: &mut Found) {
    let lower = line.to_lowercase();
    let value = |key: &str| lower.split_once(key).map(|(_, rest)| rest.trim_start_matches(['=', ' ', '"', '\'']));
    let Some(mask) = value("cuda_visible_devices") else { return };
    let mask: String = mask.chars().take_while(|c| c.is_ascii_digit() || *c == ',').collect();
    let visible = mask.split(',').filter(|part| !part.is_empty()).count();
    let keys = ["nproc_per_node", "nproc-per-node", "num_processes", "num-processes", "tensor-parallel-size", " -np"];
    let asked = keys
        .iter()
        .filter_map(|key| value(key))
        .find_map(|rest| rest.chars().take_while(char::is_ascii_digit).collect::<String>().parse::<usize>().ok());
    if asked.is_some_and(|asked| visible > 0 && asked > visible) {
        found.said("ranks-beyond-mask", line, []);
    }
}
