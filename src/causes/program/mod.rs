//! Causes of the layer program: CUDA works, and the program does not use it, or has not enough of it.

use super::Cause;

mod accelerate_offloaded_to_cpu;
mod application_illegal_memory_access;
mod benign_message_gpu_is_used;
mod cuda_initialized_before_fork;
mod input_pipeline_bottleneck;
mod insufficient_vram_cpu_offload;
mod model_or_data_not_moved_to_device;
mod more_ranks_than_visible_gpus;
mod ollama_finds_no_gpu;
mod ollama_without_gpu_libraries;
mod orphan_process_holds_vram;

/// The causes of this layer.
pub static ALL: &[&Cause] = &[
    &cuda_initialized_before_fork::CAUSE,
    &more_ranks_than_visible_gpus::CAUSE,
    &accelerate_offloaded_to_cpu::CAUSE,
    &model_or_data_not_moved_to_device::CAUSE,
    &ollama_without_gpu_libraries::CAUSE,
    &insufficient_vram_cpu_offload::CAUSE,
    &orphan_process_holds_vram::CAUSE,
    &ollama_finds_no_gpu::CAUSE,
    &input_pipeline_bottleneck::CAUSE,
    &application_illegal_memory_access::CAUSE,
    &benign_message_gpu_is_used::CAUSE,
];
