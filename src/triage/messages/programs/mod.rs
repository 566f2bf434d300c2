//! Messages of programs: where the GPU works and the program does not use it, or has not enough of it. Ollama, llama.cpp,
//! vLLM, accelerate and transformers, DeepSpeed, Ultralytics, whisper, training loops.

mod crashes;
mod forks;
mod idle;
mod memory;
mod placement;
mod ranks;
mod working;

use super::Message;

/// The rows, by theme.
pub static THEMES: &[&[Message]] =
    &[forks::ROWS, placement::ROWS, memory::ROWS, idle::ROWS, ranks::ROWS, crashes::ROWS, working::ROWS];

#[cfg(test)]
mod tests {
    use crate::facts::said;

    fn ids(text: &str) -> Vec<String> {
        crate::triage::read_str(text).all(&said::MESSAGE).map(|(said, _)| said.id).collect()
    }

    #[test]
    fn layers_are_counted() {
        let has = |text: &str, id: &str| ids(text).iter().any(|one| one == id);
        assert!(has("llm_load_tensors: offloaded 12/33 layers to GPU", "layers-partly-offloaded"));
        assert!(has("load_tensors: offloaded 33/33 layers to GPU", "layers-all-offloaded"));
        assert!(has("msg=offload layers.requested=-1 layers.model=41 layers.offload=20", "layers-partly-offloaded"));
        assert!(!has("load_tensors: offloaded 33/33 layers to GPU", "layers-partly-offloaded"));
    }

    #[test]
    fn who_holds_the_memory_is_read_from_the_message() {
        let has = |text: &str, id: &str| ids(text).iter().any(|one| one == id);
        let old = "RuntimeError: CUDA out of memory. Tried to allocate 1.50 GiB (GPU 0; 7.79 GiB total capacity; 5.61 GiB already allocated; 20.00 MiB free; 5.9 GiB reserved)";
        assert!(has(old, "memory-held-by-itself"));
        let new = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 MiB. GPU 0 has a total capacity of 23.65 GiB of which 12.00 MiB is free. Of the allocated memory 300.00 MiB is allocated by PyTorch, and 2 MiB is reserved";
        assert!(has(new, "memory-held-by-others") && !has(new, "memory-held-by-itself"));
    }

    #[test]
    fn ranks_are_counted_against_the_mask() {
        let beyond = |text: &str| ids(text).iter().any(|one| one == "ranks-beyond-mask");
        assert!(beyond("CUDA_VISIBLE_DEVICES=1,2 torchrun --nproc_per_node=4 train.py"));
        assert!(!beyond("CUDA_VISIBLE_DEVICES=0,1,2,3 torchrun --nproc_per_node 4 train.py"));
    }
}
