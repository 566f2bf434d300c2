//! TensorFlow finds CUDA or cuDNN in another version than the one it was built for.

use crate::causes::{Case, Cause, Evidence, Finding, Level, advice, packages};
use crate::facts::said;

/// The file that is not found carries one version, and the CUDA on the path another.
pub static CAUSE: Cause = Cause { page: include_str!("tf-cuda-version-mismatch.md"), explains: &[], assess };

/// Messages that say which CUDA is there.
const PRESENT: [&str; 4] = ["tf-path-of-cuda", "tf-template-cuda", "nvcc-release", "cuda-library-file"];

fn assess(case: &Case) -> Vec<Finding> {
    let ids = ["tf-library-not-loaded", "tf-cudart-not-loaded", "tf-cannot-dlopen", "tf-old-library-import"];
    let symptoms = packages::told_symptoms(case, &ids);
    let all = || case.facts.all(&said::MESSAGE);
    let wanted = all().filter(|(s, _)| ids.contains(&s.id.as_str())).find_map(|(s, f)| Some((wanted(&s.text)?, f)));
    let present =
        all().filter(|(s, _)| PRESENT.contains(&s.id.as_str())).find_map(|(s, f)| Some((present(&s.text)?, f)));
    let (Some((wanted, fact)), Some((present, other))) = (wanted, present) else { return Vec::new() };
    // From 11 on, the runtime of one major version has one name.
    let same = wanted.0 == present.0 && (wanted.0 >= 11 || wanted.1.is_none() || wanted.1 == present.1);
    if symptoms.is_empty() || same {
        return Vec::new();
    }
    let finding = Finding::machine(Level::Supported)
        .because(Evidence::of(fact, format!("TensorFlow wants {}", shown(wanted))))
        .because(Evidence::of(other, format!("{} is there", shown(present))))
        .explaining(symptoms);
    vec![advice::with_package(finding, case.facts, "tensorflow")]
}

type Version = (u32, Option<u32>);

fn shown(version: Version) -> String {
    match version.1 {
        Some(minor) => format!("CUDA {}.{minor}", version.0),
        None => format!("CUDA {}", version.0),
    }
}

/// The CUDA whose file is not found. Only files that carry CUDA's own number: libcusolver and libcufft count by themselves.
fn wanted(text: &str) -> Option<Version> {
    behind(text, &["libcudart.so.", "libcublas.so.", "cudart64_", "cublas64_"]).map(|(major, minor)| {
        match (major, minor) {
            // On Windows, 101 is 10.1 and 110 is 11.0.
            (100.., _) => (major / 10, Some(major % 10)),
            _ => (major, minor),
        }
    })
}

/// The CUDA that a line names.
fn present(text: &str) -> Option<Version> {
    behind(
        text,
        &[
            "/cuda-",
            "release ",
            "cuda\\v",
            "cuda/cudnn version: cuda ",
            "cuda/cudnn version: cuda",
            "cuda/cudnn version: ",
            "cuda/cudnn version:** ",
            "libcublas.so.",
        ],
    )
    .filter(|(major, _)| (8..30).contains(major))
}

fn behind(text: &str, marks: &[&str]) -> Option<Version> {
    let text = text.to_lowercase();
    marks.iter().find_map(|mark| {
        let rest = &text[text.find(mark)? + mark.len()..];
        let digits = |text: &str| text.chars().take_while(char::is_ascii_digit).collect::<String>();
        let major = digits(rest);
        let minor = rest[major.len()..].strip_prefix('.').map(digits);
        Some((major.parse().ok()?, minor.and_then(|minor| minor.parse().ok())))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_from_names_and_paths() {
        assert_eq!(wanted("Could not load dynamic library 'libcudart.so.10.1'; dlerror"), Some((10, Some(1))));
        assert_eq!(wanted("Could not load dynamic library 'cudart64_110.dll'"), Some((11, Some(0))));
        assert_eq!(wanted("Could not load dynamic library 'libcusolver.so.10'"), None);
        assert_eq!(present("LD_LIBRARY_PATH: /usr/local/cuda-11.2/lib64"), Some((11, Some(2))));
        assert_eq!(present("CUDA/cuDNN version: CUDA 12.2, cuDNN 8.9"), Some((12, Some(2))));
    }
}
