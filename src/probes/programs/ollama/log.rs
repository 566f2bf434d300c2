//! What the log of ollama's server says since it was started last.

/// What the log of a server says.
#[derive(Debug, Default, PartialEq)]
pub struct Log {
    /// The devices that it can use, without the processor; nothing where it did not say.
    pub devices: Option<Vec<String>>,
    /// Of the model that was loaded last.
    pub offload: Option<(u32, u32)>,
    /// Lines that say why a GPU is not used.
    pub reasons: Vec<String>,
}

/// Reads the part of a log that begins with the last start of the server.
pub fn read(text: &str) -> Log {
    const MOST: usize = 8;
    let start = text.rfind("Listening on ").unwrap_or(0);
    let mut log = Log::default();
    for line in text[start..].lines() {
        // time=... level=INFO source=types.go:130 msg="inference compute" id=GPU-... library=cuda ... name="NVIDIA L4" ...
        if line.contains("msg=\"inference compute\"") {
            let devices = log.devices.get_or_insert_default();
            let library = value(line, "library").unwrap_or_default();
            if !library.eq_ignore_ascii_case("cpu") {
                let name = value(line, "description").or_else(|| value(line, "name")).unwrap_or_default();
                devices.push(format!("{library}: {name}"));
            }
        }
        if line.contains("no compatible GPUs were discovered") {
            log.devices.get_or_insert_default();
        }
        // load_tensors: offloaded 33/33 layers to GPU
        if let Some((_, rest)) = line.split_once("offloaded ")
            && let Some((count, _)) = rest.split_once(" layers to GPU")
            && let Some((layers, of)) = count.split_once('/')
            && let (Ok(layers), Ok(of)) = (layers.parse(), of.parse())
        {
            log.offload = Some((layers, of));
        }
        if REASONS.iter().any(|reason| line.contains(reason)) && log.reasons.len() < MOST {
            log.reasons.push(line.trim().chars().take(400).collect());
        }
    }
    log
}

/// What ollama logs where a GPU is there and not used.
const REASONS: &[&str] = &[
    "no compatible GPUs were discovered",
    "unable to load cuda driver library",
    "cuda driver library failed to get device context",
    "cuda driver library init failure",
    "cudart init failure",
    "nvidia driver too old",
    "insufficient VRAM to load any model layers",
    "gpu has too little memory to allocate any layers",
    "amdgpu is not supported",
    "unknown error initializing cuda driver library",
];

/// `key=value` or `key="a value"` of a line.
fn value(line: &str, key: &str) -> Option<String> {
    let (_, rest) = line.split_once(&format!(" {key}="))?;
    match rest.strip_prefix('"') {
        Some(quoted) => quoted.split('"').next().map(str::to_string),
        None => rest.split_whitespace().next().map(str::to_string),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_start_counts() {
        let text = r#"
time=2025-01-10T10:00:00Z level=INFO source=routes.go:1238 msg="Listening on 127.0.0.1:11434 (version 0.5.4)"
time=2025-01-10T10:00:01Z level=INFO source=gpu.go:392 msg="no compatible GPUs were discovered"
time=2025-01-10T10:00:01Z level=INFO source=types.go:131 msg="inference compute" id=0 library=cpu variant=avx2 driver=0.0 name="" total="15 GiB"
time=2025-01-11T10:00:00Z level=INFO source=routes.go:1238 msg="Listening on 127.0.0.1:11434 (version 0.5.4)"
time=2025-01-11T10:00:01Z level=INFO source=types.go:131 msg="inference compute" id=GPU-1 library=cuda variant=v12 compute=8.9 driver=12.4 name="NVIDIA L4" total="22.0 GiB"
llm_load_tensors: offloaded 10/33 layers to GPU
"#;
        let log = read(text);
        assert_eq!(log.devices, Some(vec!["cuda: NVIDIA L4".to_string()]));
        assert_eq!(log.offload, Some((10, 33)));
        assert_eq!(log.reasons, [""; 0]);
        let first = read(text.split("time=2025-01-11").next().unwrap());
        assert_eq!(first.devices, Some(vec![]));
        assert_eq!(first.reasons.len(), 1);
        assert_eq!(read("nothing of it"), Log::default());
    }
}
