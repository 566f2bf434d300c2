//! What the installed frameworks are built for, from the small files that they bring.

use super::listing::Listing;
use crate::facts::python::Build;
use crate::machine::Machine;
use crate::tables::wheels;
use std::path::Path;

/// The version in a package's own `version.py`, with the tag that the metadata may lack.
pub fn version(machine: &Machine, files: &Path) -> Option<String> {
    let text = machine.text(files.join("version.py")).ok()?;
    constant(&text, "__version__").flatten().filter(|version| version.starts_with(|c: char| c.is_ascii_digit()))
}

/// What a framework is built for, and the file that says so. Nothing where no file says it; a build for the processor alone is
/// an empty one.
pub fn build(
    machine: &Machine,
    framework: &str,
    files: &Path,
    version: &str,
    listing: &Listing,
) -> Option<(Build, String)> {
    let read = |file: &str| {
        let path = files.join(file);
        Some((machine.text(&path).ok()?, path.display().to_string()))
    };
    match framework {
        "torch" => {
            let (text, source) = read("version.py")?;
            Some((torch(&text)?, source))
        }
        "tensorflow" => {
            let (text, source) = read("python/platform/build_info.py")?;
            Some((tensorflow(&text)?, source))
        }
        "onnxruntime" => {
            let (text, source) = read("capi/build_and_package_info.py")?;
            Some((onnxruntime(&text)?, source))
        }
        "paddle" | "paddlepaddle" => {
            let (text, source) = read("version/__init__.py")?;
            Some((paddle(&text)?, source))
        }
        "xformers" => {
            let (text, source) = read("cpp_lib.json")?;
            Some((xformers(&text)?, source))
        }
        "jax" => jax(listing),
        "cupy" => cupy(listing),
        "llama-cpp-python" => llama(machine, files),
        _ => Some((tagged(version)?, format!("version {version}"))),
    }
}

/// The architectures that TensorFlow's own file lists.
pub fn architectures(machine: &Machine, framework: &str, files: &Path) -> Option<(Vec<String>, String)> {
    if framework != "tensorflow" {
        return None;
    }
    let path = files.join("python/platform/build_info.py");
    let list = capabilities(&machine.text(&path).ok()?);
    (!list.is_empty()).then(|| (list, path.display().to_string()))
}

/// `NAME = 'value'`, `NAME: Optional[str] = None` at the beginning of a line. The outer nothing: no such line.
fn constant(text: &str, name: &str) -> Option<Option<String>> {
    text.lines().find_map(|line| {
        let rest = line.strip_prefix(name)?.trim_start();
        let value = match rest.strip_prefix(':') {
            Some(annotated) => annotated.split_once('=')?.1,
            None => rest.strip_prefix('=')?,
        };
        Some(quoted(value.trim()))
    })
}

fn quoted(text: &str) -> Option<String> {
    let quote = text.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    text[1..].split(quote).next().map(str::to_string)
}

/// A version that says something: neither empty nor a word for nothing.
fn real(version: Option<String>) -> Option<String> {
    version.filter(|v| v.starts_with(|c: char| c.is_ascii_digit()) && v != "0")
}

fn torch(text: &str) -> Option<Build> {
    // Every release since 0.4 has the line, also a build without CUDA.
    let cuda = constant(text, "cuda")?;
    let hip = constant(text, "hip").flatten().or(constant(text, "rocm").flatten());
    Some(Build { cuda: real(cuda), hip: real(hip), xpu: real(constant(text, "xpu").flatten()) })
}

/// One line: `build_info = collections.OrderedDict([('cuda_version', '12.5.1'), ('is_cuda_build', True), ...])`.
fn tensorflow(text: &str) -> Option<Build> {
    let line = text.lines().find(|line| line.starts_with("build_info"))?;
    let value = |name: &str| {
        let rest = line.split_once(&format!("'{name}'"))?.1.trim_start_matches([',', ':', ' ']);
        Some(quoted(rest).unwrap_or_else(|| rest.split([')', ',', '}']).next().unwrap_or_default().trim().to_string()))
    };
    let is = |name: &str| value(name).is_some_and(|value| value == "True");
    value("is_cuda_build")?;
    let version = |name: &str| real(value(name)).map(|v| v.split('.').take(2).collect::<Vec<_>>().join("."));
    Some(Build {
        cuda: if is("is_cuda_build") { version("cuda_version") } else { None },
        hip: if is("is_rocm_build") { version("rocm_version").or_else(|| Some("unknown".to_string())) } else { None },
        xpu: None,
    })
}

/// `('cuda_compute_capabilities', ['sm_60', ..., 'compute_90'])`.
fn capabilities(text: &str) -> Vec<String> {
    let list = text.split_once("'cuda_compute_capabilities'").and_then(|(_, rest)| rest.split_once('['));
    let list = list.and_then(|(_, rest)| rest.split_once(']')).map(|(list, _)| list).unwrap_or_default();
    let words = list.split(',').filter_map(|word| quoted(word.trim()));
    words.filter(|word| word.starts_with("sm_") || word.starts_with("compute_")).take(64).collect()
}

fn onnxruntime(text: &str) -> Option<Build> {
    let package = constant(text, "package_name").flatten()?;
    let cuda = real(constant(text, "cuda_version").flatten());
    let hip = real(constant(text, "rocm_version").flatten());
    // Other packages use other providers (DirectML, OpenVINO, CoreML), of which a version of CUDA says nothing.
    let told = cuda.is_some() || hip.is_some() || package == "onnxruntime";
    told.then_some(Build { cuda, hip, xpu: None })
}

/// `cuda_version = '12.6'`; of a build without it `'False'`.
fn paddle(text: &str) -> Option<Build> {
    let value = |name: &str| {
        let line = text.lines().map(str::trim).find(|line| line.starts_with(name))?;
        quoted(line.split_once('=')?.1.trim())
    };
    let cuda = value("cuda_version")?;
    Some(Build { cuda: real(Some(cuda)), hip: real(value("rocm_version")), xpu: None })
}

/// `{"version": {"cuda": 1204, "hip": null, ...}}`.
fn xformers(text: &str) -> Option<Build> {
    let value: serde_json::Value = serde_json::from_str(text).ok()?;
    let version = value.get("version")?.as_object()?;
    let number = |name: &str| version.get(name)?.as_u64();
    let cuda = number("cuda").map(|n| format!("{}.{}", n / 100, n % 100));
    Some(Build { cuda, hip: number("hip").map(|n| n.to_string()), xpu: None })
}

/// jaxlib itself has no GPU code since 0.4.17 or so: a plugin has. Before that, and of conda's builds, its own version tells.
fn jax(listing: &Listing) -> Option<(Build, String)> {
    let major = |name: &str, stem: &str| {
        let digits: String = name.strip_prefix(stem)?.chars().take_while(char::is_ascii_digit).collect();
        (!digits.is_empty()).then_some(digits)
    };
    for row in &listing.pip {
        let cuda = major(&row.name, "jax-cuda");
        let hip = major(&row.name, "jax-rocm");
        if cuda.is_some() || hip.is_some() {
            return Some((Build { cuda, hip, xpu: None }, row.metadata()));
        }
    }
    if let Some(row) = listing.conda.iter().find(|row| row.name == "jaxlib") {
        let cuda = cuda_in(&row.build);
        return Some((Build { cuda, ..Build::default() }, row.file.clone()));
    }
    let row = listing.pip.iter().find(|row| row.name == "jaxlib")?;
    let cuda = wheels::tag(&row.version).and_then(cuda_in);
    Some((Build { cuda, ..Build::default() }, row.metadata()))
}

/// `12` of `cuda12.cudnn89`, `12.6` of `cuda126py311`, as tags and conda's build strings write it.
fn cuda_in(text: &str) -> Option<String> {
    let rest = text.split_once("cuda")?.1;
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    match digits.len() {
        2 => Some(digits),
        3.. => Some(format!("{}.{}", &digits[..2], &digits[2..3])),
        _ => None,
    }
}

/// The wheels name their CUDA: `cupy-cuda12x`, `cupy-rocm-5-0`, `cupy-cuda117`.
fn cupy(listing: &Listing) -> Option<(Build, String)> {
    let row = listing.pip.iter().find(|row| row.name.starts_with("cupy-"))?;
    let build = match row.name.strip_prefix("cupy-")? {
        name if name.starts_with("cuda") => Build { cuda: cuda_in(name), ..Build::default() },
        name => Build { hip: Some(name.strip_prefix("rocm-")?.replace('-', ".")), ..Build::default() },
    };
    Some((build, row.metadata()))
}

/// Its libraries lie in `lib`: without one for a GPU it is a build for the processor. Which CUDA another is for, no file says.
fn llama(machine: &Machine, files: &Path) -> Option<(Build, String)> {
    let folder = files.join("lib");
    let names = machine.list(&folder).ok()?;
    let for_gpu = ["cuda", "hip", "rocm", "vulkan", "sycl", "metal", "cublas", "musa", "cann", "opencl"];
    let base = names.iter().any(|name| name.contains("ggml-base") || name.contains("ggml-cpu"));
    let any = names.iter().any(|name| for_gpu.iter().any(|word| name.contains(word)));
    (base && !any).then(|| (Build::default(), folder.display().to_string()))
}

/// What the tag of a version says: `0.6.3+cu118`, `0.6.3+cpu`, `1.0+rocm6.2`.
fn tagged(version: &str) -> Option<Build> {
    let tag = wheels::tag(version)?;
    let digits = |start: &str| {
        let rest = tag.strip_prefix(start)?;
        let digits: String = rest.chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
        (!digits.is_empty()).then_some(digits)
    };
    if let Some(cuda) = digits("cu") {
        let (major, minor) = cuda.split_at(cuda.len().min(2));
        let cuda = if minor.is_empty() { major.to_string() } else { format!("{major}.{minor}") };
        return Some(Build { cuda: Some(cuda), ..Build::default() });
    }
    if let Some(hip) = digits("rocm") {
        return Some(Build { hip: Some(hip), ..Build::default() });
    }
    (tag == "cpu" || tag.starts_with("cpu.")).then(Build::default)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cuda(version: &str) -> Build {
        Build { cuda: Some(version.to_string()), ..Build::default() }
    }

    #[test]
    fn each_frameworks_own_file_is_read() {
        let new = "__all__ = ['cuda', 'hip']\n__version__ = '2.13.0+cu130'\ncuda: Optional[str] = '13.0'\nhip: Optional[str] = None\n";
        assert_eq!(torch(new), Some(cuda("13.0")));
        assert_eq!(constant(new, "__version__").flatten().as_deref(), Some("2.13.0+cu130"));
        assert_eq!(torch("cuda = None\nhip = None\n"), Some(Build::default()));
        assert_eq!(torch("hip = '6.2.1'\ncuda = None\n").and_then(|b| b.hip).as_deref(), Some("6.2.1"));
        assert_eq!(torch("nothing"), None);

        let tf = "build_info = collections.OrderedDict([('cuda_compute_capabilities', ['sm_60', 'compute_90']), \
                  ('cuda_version', '12.5.1'), ('is_cuda_build', True), ('is_rocm_build', False)])\n";
        assert_eq!(tensorflow(tf), Some(cuda("12.5")));
        assert_eq!(capabilities(tf), ["sm_60", "compute_90"]);
        assert_eq!(
            tensorflow("build_info = collections.OrderedDict([('is_cuda_build', False)])"),
            Some(Build::default())
        );
        assert_eq!(tensorflow("build_info = {}"), None);

        let ort = "package_name = 'onnxruntime-gpu'\n__version__ = '1.31.1'\ncuda_version = '13.0'\n";
        assert_eq!(onnxruntime(ort), Some(cuda("13.0")));
        assert_eq!(onnxruntime("package_name = 'onnxruntime'\n__version__ = '1.32.0'\n"), Some(Build::default()));
        assert_eq!(onnxruntime("package_name = 'onnxruntime-directml'\n"), None);

        assert_eq!(paddle("full_version = '3.0'\ncuda_version = '12.6'\n"), Some(cuda("12.6")));
        assert_eq!(paddle("cuda_version    = 'False'\n"), Some(Build::default()));
        assert_eq!(xformers(r#"{"version": {"cuda": 1204, "hip": null, "torch": "2.5.1"}}"#), Some(cuda("12.4")));
        assert_eq!(tagged("0.6.3+cu118"), Some(cuda("11.8")));
        assert_eq!(tagged("0.6.3+cpu"), Some(Build::default()));
        assert_eq!(tagged("0.6.3"), None);
        assert_eq!(cuda_in("cuda126py311h0"), Some("12.6".to_string()));
        assert_eq!(cuda_in("cuda12x"), Some("12".to_string()));
        assert_eq!(cuda_in("cpu_py311"), None);
    }
}
