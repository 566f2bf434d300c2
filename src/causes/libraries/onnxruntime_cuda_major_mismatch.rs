//! ONNX Runtime's CUDA provider wants one CUDA major version, and the machine has another.

use crate::causes::{Case, Cause, Evidence, Finding, Level, packages};
use crate::facts::said;

/// The missing file carries one number, and what is there another.
pub static CAUSE: Cause = Cause { page: include_str!("onnxruntime-cuda-major-mismatch.md"), explains: &[], assess };

/// The message that names the missing file.
const MISSING: [&str; 1] = ["ort-provider-library-fails"];
/// Messages that name a CUDA that is there.
const PRESENT: [&str; 2] = ["cuda-library-file", "nvcc-release"];

fn assess(case: &Case) -> Vec<Finding> {
    let symptoms = packages::told_symptoms(case, &["ort-provider-library-fails", "ort-failed-to-create-provider"]);
    let Some((missing, fact)) = packages::told(case.facts, &MISSING) else { return Vec::new() };
    let Some(wanted) = major(&missing.text) else { return Vec::new() };
    let present = case.facts.all(&said::MESSAGE).filter(|(said, _)| PRESENT.contains(&said.id.as_str()));
    let mut other = None;
    for (said, fact) in present {
        match major(&said.text) {
            Some(found) if found == wanted => return Vec::new(),
            Some(found) => other = Some((found, fact)),
            None => {}
        }
    }
    let Some((found, there)) = other else { return Vec::new() };
    let finding = Finding::machine(Level::Supported)
        .because(Evidence::of(fact, format!("a library of CUDA {wanted} is wanted")))
        .because(Evidence::of(there, format!("CUDA {found} is there")))
        .explaining(symptoms);
    vec![finding]
}

/// The CUDA major version that a line names: behind `libcublas*.so.`, `libcudart.so.`, `cuda-` or `release `.
fn major(text: &str) -> Option<u32> {
    let text = text.to_lowercase();
    let behind = |mark: &str| {
        let rest = &text[text.find(mark)? + mark.len()..];
        let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
        digits.parse().ok().filter(|n| (9..30).contains(n))
    };
    ["libcublaslt.so.", "libcublas.so.", "libcudart.so.", "release ", "/cuda-", "cublaslt64_", "cublas64_"]
        .iter()
        .find_map(|m| behind(m))
}

#[cfg(test)]
mod tests {
    use super::major;

    #[test]
    fn the_major_version_is_read_from_file_names() {
        assert_eq!(major("libcublasLt.so.12: cannot open shared object file"), Some(12));
        assert_eq!(major("/usr/local/cuda-13.1/targets/x86_64-linux/lib/libcublasLt.so"), Some(13));
        assert_eq!(major("Cuda compilation tools, release 11.8, V11.8.89"), Some(11));
        assert_eq!(major("libcudnn.so.9: cannot open"), None);
    }
}
