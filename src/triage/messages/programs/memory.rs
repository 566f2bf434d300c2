//! Memory of the GPU, and who holds it.

use crate::triage::Found;
use crate::triage::messages::Weight::{Against, Suggests, Supports};
use crate::triage::messages::{Message, circumstance, fault, with};

/// The rows.
pub static ROWS: &[Message] = &[
    // The room for context and work buffers counts as well as the weights.
    circumstance(
        "vram-estimate",
        &[
            "memory.required.full",
            "partial_offload=",
            "memory.required.partial",
            "memory.required.allocations",
            "num_ctx",
            "--ctx-size",
            "n_ctx",
            "context length",
            "kv cache size",
            "num_gpu",
            "n_gpu_layers",
        ],
        &[("insufficient-vram-cpu-offload", Suggests)],
    ),
    // vLLM and its kin count what is free before they begin.
    fault(
        "program",
        "serving-memory-short",
        &[
            "no available memory for the cache blocks",
            "larger than the maximum number of tokens that can be stored in kv cache",
            "larger than the available kv cache memory",
            "kv cache is needed, which is larger",
            "to serve at least one request with the models's max seq len",
            "to serve at least one request with the model's max seq len",
            "not enough memory. please try to increase --mem-fraction-static",
            "available memory is not enough",
            "try increasing `gpu_memory_utilization`",
        ],
        &[("insufficient-vram-cpu-offload", Supports), ("orphan-process-holds-vram", Suggests)],
    ),
    fault(
        "program",
        "serving-memory-taken",
        &[
            "is less than desired gpu memory utilization",
            "error in memory profiling. initial free memory",
            "reduce gpu memory used by other processes",
        ],
        &[("orphan-process-holds-vram", Suggests), ("insufficient-vram-cpu-offload", Suggests)],
    ),
    // A later allocation, not the start of CUDA.
    with(
        memory,
        fault(
            "program",
            "cuda-out-of-memory",
            &[
                "cuda out of memory",
                "torch.outofmemoryerror",
                "torch.cuda.outofmemoryerror",
                "hip out of memory",
                "xpu out of memory",
                "cublas_status_alloc_failed",
                "cudamalloc failed: out of memory",
                "cudaerrormemoryallocation",
                "failed to allocate*cuda0 buffer",
                "unable to allocate cuda0 buffer",
                "unable to allocate cuda",
                "oom when allocating tensor",
                "resource_exhausted: out of memory",
                "resourceexhaustederror",
                "cuda_error_out_of_memory: out of memory",
                "failed to allocate memory on device",
                "cuda runtime error (2) : out of memory",
                "cuda failure 2: out of memory",
                "bfcarena::allocaterawinternal",
                "out_of_memory: out of memory allocating",
            ],
            &[("insufficient-vram-cpu-offload", Suggests), ("orphan-process-holds-vram", Suggests)],
        ),
    ),
    // The numbers of torch's message: its own process holds most of the memory, or asks for more than there is.
    circumstance(
        "memory-held-by-itself",
        &[],
        &[("insufficient-vram-cpu-offload", Supports), ("orphan-process-holds-vram", Against)],
    ),
    // The memory is taken, and not by this process.
    circumstance("memory-held-by-others", &[], &[("orphan-process-holds-vram", Supports)]),
    // Which of the two: a process that is gone and holds memory all the same.
    fault(
        "program",
        "memory-without-owner",
        &[
            "no process listed",
            "used without any process",
            "used but no process",
            "no process is shown",
            "no process is using",
            "no process using",
            "no processes are shown",
            "no processes shown",
            "shows no process",
            "show no process",
            "show any process",
            "showing any process",
            "process list is empty",
            "processes list is empty",
            "no process shown",
            "no processes listed",
            "no process is listed",
            "memory in use, no process",
            "memory used but no process",
            "memory is used but no process",
            "memory usage but no process",
            "memory*but no process",
            "memory*no running process",
            "memory*without any process",
            "memory*not released",
            "memory*not freed",
            "memory*not being released",
            "memory*never released",
            "memory*isn't released",
            "memory*still occupied",
            "still occupies gpu memory",
            "still holding gpu memory",
            "still using gpu memory",
            "gpu memory leak",
            "memory leak*gpu",
            "memory*after killing",
            "gpu memory*after kill",
            "orphan",
            "zombie process",
            "<defunct>",
            "leftover process",
            "left over process",
            "stale process",
            "becomes a zombie",
            "became zombie",
            "holds gpu memory",
            "hold gpu memory",
            "holding gpu memory",
            "holds the gpu memory",
            "keeps occupying*gpu memory",
            "occupying*memory*gpu*kill",
            "does not deallocate memory on the gpu",
            "gpu memory is not deallocated",
            "memory is not deallocated",
            "memory not deallocated",
            "memory not being freed",
            "memory is not freed",
            "memory not released after",
            "can't free*gpu memory",
            "cannot free*gpu memory",
            "cannot free up the gpu memory",
        ],
        &[("orphan-process-holds-vram", Supports)],
    ),
    circumstance(
        "holders-by-fuser",
        &["fuser -v /dev/nvidia", "fuser -k /dev/nvidia", "fuser /dev/nvidia", "lsof /dev/nvidia"],
        &[("orphan-process-holds-vram", Supports)],
    ),
    circumstance(
        "holder-is-gone",
        &["kill*no such process", "[not found]", "pid*does not exist", "kill -9"],
        &[("orphan-process-holds-vram", Suggests)],
    ),
];

/// `Tried to allocate 2.00 GiB (GPU 0; 7.79 GiB total capacity; 5.61 GiB already allocated; 20 MiB free; ...)`, and the newer
/// `GPU 0 has a total capacity of 23.6 GiB of which 12 MiB is free. ... Of the allocated memory 22 GiB is allocated by PyTorch`.
fn memory(line: &str, found: &mut Found) {
    let lower = line.to_lowercase();
    // The amount that stands before, or behind, some words.
    let before = |words: &str| lower.split_once(words).and_then(|(left, _)| amount(left, true));
    let behind = |words: &str| lower.split_once(words).and_then(|(_, right)| amount(right, false));
    let Some(total) = before(" total capacity").or_else(|| behind("total capacity of ")) else { return };
    let asked = behind("tried to allocate ").unwrap_or(0.0);
    let Some(own) = before(" already allocated").or_else(|| before(" is allocated by pytorch")) else { return };
    if total <= 0.0 {
        return;
    }
    if asked > total || own > total / 2.0 {
        found.said("memory-held-by-itself", line, []);
    } else if own < total / 4.0 && before(" free").or_else(|| before(" is free")).is_some_and(|free| free < total / 8.0)
    {
        found.said("memory-held-by-others", line, []);
    }
}

/// `2.00 GiB` at the end or at the beginning of a text, in MiB.
fn amount(text: &str, at_the_end: bool) -> Option<f64> {
    let words: Vec<&str> = if at_the_end {
        let mut last: Vec<&str> = text.split_whitespace().rev().take(2).collect();
        last.reverse();
        last
    } else {
        text.split_whitespace().take(2).collect()
    };
    let [number, unit] = words[..] else { return None };
    let factor = match unit.trim_end_matches(['.', ',', ';', ')']) {
        "gib" | "gb" => 1024.0,
        "mib" | "mb" => 1.0,
        _ => return None,
    };
    let number: f64 = number.trim_start_matches(['(', ';']).parse().ok()?;
    Some(number * factor)
}
