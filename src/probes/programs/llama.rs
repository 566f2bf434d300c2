//! `llama-server --list-devices`.

/// The devices under "Available devices:", without the processor; nothing where the text has no such list.
pub fn devices(text: &str) -> Option<Vec<String>> {
    let mut lines = text.lines().skip_while(|line| line.trim() != "Available devices:");
    lines.next()?;
    let indented = lines.take_while(|line| line.starts_with(char::is_whitespace) && !line.trim().is_empty());
    let names = indented.map(str::trim).filter(|line| line.contains(": ") && !line.starts_with("CPU"));
    Some(names.map(str::to_string).collect())
}

#[cfg(test)]
mod tests {
    use super::devices;

    #[test]
    fn the_list_is_read_with_and_without_devices() {
        // As printed by common/arg.cpp of llama.cpp: printf("  %s: %s (%zu MiB, %zu MiB free)\n")
        let two = "ggml_cuda_init: found 1 CUDA devices:\nAvailable devices:\n  CUDA0: NVIDIA L4 (22563 MiB, 22000 MiB free)\n\
                   \x20 Vulkan0: NVIDIA L4 (22563 MiB, 22000 MiB free)\n";
        assert_eq!(devices(two).unwrap().len(), 2);
        assert_eq!(devices("Available devices:\n"), Some(vec![]));
        assert_eq!(devices("error: invalid argument: --list-devices\n"), None);
    }
}
