//! What an exception, a warning or a log says about a shared library.

/// A library that was not had, as a text tells it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// Its name, without a folder.
    pub name: String,
    /// `missing`, `symbol`, `version` (of a symbol), `wrong_architecture`.
    pub problem: &'static str,
    /// The file that needs it, where the text names one.
    pub needed_by: Option<String>,
    /// The file that was found and is not the right one.
    pub file: Option<String>,
    /// The line.
    pub line: String,
}

/// Libraries by the beginnings of their functions, for a missing one of which no file is named.
const OWNERS: &[(&str, &str)] = &[
    ("__nvJitLink", "libnvJitLink.so"),
    ("nvJitLink", "libnvJitLink.so"),
    ("nccl", "libnccl.so.2"),
    ("cudnn", "libcudnn.so"),
    ("cublasLt", "libcublasLt.so"),
    ("cublas", "libcublas.so"),
    ("cusparse", "libcusparse.so"),
    ("cusolver", "libcusolver.so"),
    ("cufft", "libcufft.so"),
    ("nvrtc", "libnvrtc.so"),
    ("cuda", "libcudart.so"),
];

/// Each library that a text says was not had, in its order and once.
pub fn wanted(text: &str) -> Vec<Wanted> {
    let mut found: Vec<Wanted> = Vec::new();
    for line in text.lines() {
        for wanted in of_line(line) {
            let known = found.iter().any(|other| other.name == wanted.name && other.problem == wanted.problem);
            if is_library(&wanted.name) && !known {
                found.push(wanted);
            }
        }
    }
    found
}

fn of_line(line: &str) -> Vec<Wanted> {
    let new = |name: &str, problem| Wanted {
        name: base(name).to_string(),
        problem,
        line: line.trim().chars().take(600).collect(),
        ..Wanted::default()
    };
    let mut found = Vec::new();
    // `libcudart.so.12: cannot open shared object file`; ONNX Runtime names the file that needs it as well:
    // `Failed to load library /x/libonnxruntime_providers_cuda.so with error: libcublasLt.so.13: cannot open ...`
    if let Some((before, _)) = line.split_once(": cannot open shared object file") {
        let needed_by = between(before, "load library ", " with error").map(str::to_string);
        found.push(Wanted { needed_by, ..new(last_word(before), "missing") });
    }
    // torch: `libcublasLt.so.*[0-9] not found in the system path ['/a']`
    if let Some((before, _)) = line.split_once(" not found in the system path") {
        let stem = last_word(before.rsplit_once(".so").map_or("", |(stem, _)| stem));
        found.push(new(&format!("{stem}.so"), "missing"));
    }
    // CTranslate2: `Library libcublas.so.12 is not found or cannot be loaded`
    if let Some((before, _)) = line.split_once(" is not found or cannot be loaded") {
        found.push(new(last_word(before), "missing"));
    }
    // cuDNN: `Unable to load any of {libcudnn_cnn.so.9.1.0, libcudnn_cnn.so.9.1, libcudnn_cnn.so.9, libcudnn_cnn.so}`
    if let Some(list) = between(line, "Unable to load any of {", "}") {
        // The name with the major version alone is the one that packages have.
        let names: Vec<&str> = list.split(',').map(str::trim).collect();
        let major =
            names.iter().find(|name| name.split_once(".so.").is_some_and(|(_, version)| !version.contains('.')));
        found.extend(major.or(names.first()).map(|name| new(name, "missing")));
    }
    // cuda.pathfinder: `Failure finding "libcudart.so.13 or libcudart.so.12": No such file: ...`
    if let Some(names) = between(line, "Failure finding \"", "\"") {
        found.extend(names.split(" or ").map(|name| new(name, "missing")));
    }
    // `/x/libcusparse.so.12: undefined symbol: __nvJitLinkComplete_12_4, version libnvJitLink.so.12`
    if let Some((before, after)) = line.split_once(": undefined symbol: ") {
        let file = last_word(before);
        let mut words = after.split(|c: char| c.is_whitespace() || c == ',').filter(|word| !word.is_empty());
        let symbol = words.next().unwrap_or_default();
        let named = words.find(|word| is_library(word));
        let owner = OWNERS.iter().find(|(start, _)| symbol.starts_with(start)).map(|(_, library)| *library);
        if let Some(name) = named.or(owner) {
            found.push(Wanted { needed_by: Some(file.to_string()), ..new(name, "symbol") });
        }
    }
    // "/lib64/libm.so.6: version `GLIBC_2.29' not found (required by /x/libtorch_cpu.so)"
    if let Some((before, after)) = line.split_once(": version `") {
        let file = last_word(before);
        let needed_by = between(after, "(required by ", ")").map(str::to_string);
        found.push(Wanted { needed_by, file: Some(file.to_string()), ..new(file, "version") });
    }
    for marker in [": wrong ELF class", ": invalid ELF header", ": file too short"] {
        if let Some((before, _)) = line.split_once(marker) {
            let file = last_word(before);
            found.push(Wanted { file: Some(file.to_string()), ..new(file, "wrong_architecture") });
        }
    }
    // Windows: `Error loading "C:\x\fbgemm.dll" or one of its dependencies.`
    for (start, end) in [("Error loading \"", "\""), ("Error loading '", "'")] {
        found.extend(
            between(line, start, end).map(|file| Wanted { file: Some(file.to_string()), ..new(file, "missing") }),
        );
    }
    found
}

/// The lines of a child's stderr in which a library speaks of the GPU or of other libraries, without time stamps and colours.
pub fn telling(stderr: &str) -> Vec<String> {
    const WORDS: &[&str] = &[
        "cannot open shared object file",
        "undefined symbol",
        "wrong ELF class",
        "not found (required by",
        "Cannot dlopen",
        "Could not load",
        "Failed to load library",
        "Failed to create CUDAExecutionProvider",
        "Unable to load",
        "failed call to cuInit",
        "Could not find cuda drivers",
        "CUDA_ERROR",
        "CUDA error",
        "no CUDA-capable device",
        "driver version is insufficient",
        "Not creating XLA devices",
    ];
    const MOST: usize = 16;
    let mut found: Vec<String> = Vec::new();
    for line in stderr.lines().filter(|line| WORDS.iter().any(|word| line.contains(word))) {
        let text: String = without_stamp(&without_colours(line)).trim().chars().take(600).collect();
        if !found.contains(&text) {
            found.push(text);
        }
        if found.len() == MOST {
            break;
        }
    }
    found
}

/// `I0000 00:00:1796083279.143449    4631 cudart_stub.cc:31] Could not ...`, and the older `2025-01-02 10:11:12.345: W x.cc:1] ...`
fn without_stamp(line: &str) -> &str {
    let stamped = line.split_once("] ").filter(|(head, _)| head.contains(".cc:") && head.len() < 240);
    stamped.map_or(line, |(_, rest)| rest)
}

fn without_colours(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut parts = line.split('\u{1b}');
    out.extend(parts.next());
    for part in parts {
        let end = part.find(|c: char| c.is_ascii_alphabetic()).map_or(part.len(), |at| at + 1);
        out.push_str(&part[end..]);
    }
    out
}

fn between<'a>(text: &'a str, start: &str, end: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(start)?;
    rest.split_once(end).map(|(inside, _)| inside)
}

fn last_word(text: &str) -> &str {
    let stops = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '(' | '[' | '=' | ',');
    text.rsplit(stops).next().unwrap_or_default()
}

fn base(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

fn is_library(name: &str) -> bool {
    name.contains(".so") || name.ends_with(".dll") || name.ends_with(".dylib")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<(String, &'static str)> {
        wanted(text).into_iter().map(|w| (w.name, w.problem)).collect()
    }

    #[test]
    fn what_the_loader_and_the_frameworks_say_names_the_library() {
        let missing = |name: &str| vec![(name.to_string(), "missing")];
        let open = "libcudart.so.12: cannot open shared object file: No such file or directory";
        assert_eq!(names(open), missing("libcudart.so.12"));
        let torch = "libcublasLt.so.*[0-9] not found in the system path ['/home/u', '/usr/lib/python3.11']";
        assert_eq!(names(torch), missing("libcublasLt.so"));
        let old = format!("Could not load dynamic library 'libcudart.so.12'; dlerror: {open}; LD_LIBRARY_PATH: /x");
        assert_eq!(names(&old), missing("libcudart.so.12"));
        assert_eq!(names("Library libcublas.so.12 is not found or cannot be loaded"), missing("libcublas.so.12"));
        let any =
            "Unable to load any of {libcudnn_cnn.so.9.1.0, libcudnn_cnn.so.9.1, libcudnn_cnn.so.9, libcudnn_cnn.so}";
        assert_eq!(names(any), missing("libcudnn_cnn.so.9"));
        let two = names("Failure finding \"libcudart.so.13 or libcudart.so.12\": No such file: libcudart.so.13");
        assert_eq!(two, [missing("libcudart.so.13"), missing("libcudart.so.12")].concat());
        let windows =
            r#"[WinError 126] The specified module could not be found. Error loading "C:\torch\lib\fbgemm.dll" or one"#;
        assert_eq!(names(windows), missing("fbgemm.dll"));
        assert_eq!(names("No module named 'torch'"), []);
    }

    #[test]
    fn the_file_that_needs_it_is_kept() {
        let ort = "FAIL : Failed to load library /v/capi/libonnxruntime_providers_cuda.so with error: \
                   libcublasLt.so.13: cannot open shared object file: No such file or directory";
        let found = wanted(ort);
        assert_eq!(found[0].name, "libcublasLt.so.13");
        assert_eq!(found[0].needed_by.as_deref(), Some("/v/capi/libonnxruntime_providers_cuda.so"));
        let symbol = "/v/nvidia/cusparse/lib/libcusparse.so.12: undefined symbol: __nvJitLinkComplete_12_4, version \
                      libnvJitLink.so.12";
        let found = wanted(symbol);
        assert_eq!((found[0].name.as_str(), found[0].problem), ("libnvJitLink.so.12", "symbol"));
        assert_eq!(found[0].needed_by.as_deref(), Some("/v/nvidia/cusparse/lib/libcusparse.so.12"));
        let found = wanted("ImportError: /v/torch/lib/libtorch_cuda.so: undefined symbol: ncclCommRegister");
        assert_eq!((found[0].name.as_str(), found[0].problem), ("libnccl.so.2", "symbol"));
        assert_eq!(wanted("/v/torch/lib/libtorch.so: undefined symbol: _ZN5torch3jit"), []);
        let glibc = "/lib64/libm.so.6: version `GLIBC_2.29' not found (required by /v/torch/lib/libtorch_cpu.so)";
        let found = wanted(glibc);
        assert_eq!((found[0].name.as_str(), found[0].problem), ("libm.so.6", "version"));
        assert_eq!(found[0].file.as_deref(), Some("/lib64/libm.so.6"));
    }

    #[test]
    fn a_log_is_reduced_to_what_tells_something() {
        let stderr = "I0000 00:00:1796083279.143016    4631 port.cc:153] oneDNN custom operations are on.\n\
                      I0000 00:00:1796083279.143449    4631 cudart_stub.cc:31] Could not find cuda drivers on your machine\n\
                      I0000 00:00:1796083285.125840    4631 cudart_stub.cc:31] Could not find cuda drivers on your machine\n\
                      \u{1b}[0;93m2026-12-01 [W:onnxruntime] Failed to create CUDAExecutionProvider. Require cuDNN\u{1b}[m\n";
        assert_eq!(
            telling(stderr),
            [
                "Could not find cuda drivers on your machine",
                "2026-12-01 [W:onnxruntime] Failed to create CUDAExecutionProvider. Require cuDNN",
            ]
        );
    }
}
