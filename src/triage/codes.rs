//! Result codes and sentences of CUDA and NVML, of nvidia-smi too, as facts: only where they speak of starting.

use super::finder::Finder;
use super::parts::{self, after, has};
use super::{Found, Line, Reader};
use crate::facts::nvidia::{self, SmiRun};
use crate::facts::{cuda, kernel, python};
use crate::subject::{Subject, pci_address};
use crate::tables::cuda_errors;
use std::sync::LazyLock;

/// Reads them.
#[derive(Default)]
pub struct Codes;

/// Sentences that only the start of CUDA says, in lower case.
const ALWAYS: &[(&str, i32)] = &[
    ("cuda unknown error - this may be due to an incorrectly set up environment", 999),
    ("cuda driver initialization failed, you might not have a cuda gpu", 3),
    ("system not yet initialized", 802),
    ("cuda_error_system_not_ready", 802),
    ("cudaerrorsystemnotready", 802),
    ("system has unsupported display driver / cuda driver combination", 803),
    ("cuda_error_system_driver_mismatch", 803),
    ("cudaerrorsystemdrivermismatch", 803),
    ("forward compatibility was attempted on non supported hw", 804),
    ("cuda_error_compat_not_supported_on_device", 804),
    ("cudaerrorcompatnotsupportedondevice", 804),
    ("mps client failed to connect to the mps control daemon", 805),
    ("cuda driver is a stub library", 34),
    ("cuda_error_stub_library", 34),
    ("no cuda-capable device is detected", 100),
    ("cuda_error_no_device", 100),
];

/// Sentences that others say as well; they count beside a word of starting.
const BESIDE_START: &[(&str, i32)] = &[
    ("cuda_error_unknown", 999),
    ("unknown error", 999),
    ("cuda_error_not_initialized", 3),
    ("initialization error", 3),
    ("cuda_error_out_of_memory", 2),
    ("out of memory", 2),
    ("cuda_error_operating_system", 304),
    ("os call failed or operation not supported on this os", 304),
    ("operation not supported", 801),
    ("cuda_error_invalid_device", 101),
];

/// Words of starting, in lower case.
const START: &[&str] = &[
    "cuinit",
    "cudagetdevicecount",
    "cuda initialization",
    "ggml_cuda_init",
    "error at driver init",
    "init failure",
    "numcudadevices",
    "thcgeneral",
    "_cuda_init",
    "failed to initialize cuda",
    "cuda init",
];

/// NVML's sentences, in lower case.
const NVML: &[(&str, i32)] = &[
    ("driver/library version mismatch", 18),
    ("nvml/rm version mismatch", 18),
    ("librmversionmismatch", 18),
    ("lib_rm_version_mismatch", 18),
    ("failed to initialize nvml: unknown error", 999),
    ("nvml_error_unknown", 999),
    ("nvmlerror_unknown", 999),
    ("failed to initialize nvml: insufficient permissions", 4),
    ("nvmlerror_nopermission", 4),
    ("failed to initialize nvml: gpu access blocked by the operating system", 17),
    ("failed to initialize nvml: driver not loaded", 9),
    ("nvmlerror_drivernotloaded", 9),
    ("nvml_error_driver_not_loaded", 9),
];

/// Sentences that say that the loader finds no libcuda, in lower case.
const NO_LIBCUDA: &[&str] = &[
    "libcuda.so.1: cannot open shared object file",
    "libcuda.so: cannot open shared object file",
    "libcuda.so.1 => not found",
    "found no nvidia driver on your system",
    "unknown error (303)",
    "cuda driver library cannot be found",
    "could not load dynamic library 'libcuda.so.1'",
    "could not load dynamic library 'nvcuda.dll'",
];

/// Other words without which there is nothing to read here, in lower case.
const OTHERS: &[&str] = &[
    "no cuda gpus are available",
    "libnvidia-ml",
    "nvml shared library not found",
    "nvml library version:",
    "/proc/driver/nvidia/version",
    "nvidia-smi",
    "no devices were found",
    "device handle for ",
    "cuda runtime error (",
    "thcudacheck",
];

/// Places in [`WORDS`] where its parts begin.
const BESIDE: usize = ALWAYS.len();
const OF_NVML: usize = BESIDE + BESIDE_START.len();
const OF_LOADER: usize = OF_NVML + NVML.len();
const OF_START: usize = OF_LOADER + NO_LIBCUDA.len();
const OF_OTHERS: usize = OF_START + START.len();

const _: () = assert!(OF_OTHERS + OTHERS.len() <= 128, "a bit for each");

/// One pass over a line finds all words; most lines hold none.
static WORDS: LazyLock<Finder> = LazyLock::new(|| {
    let coded = [ALWAYS, BESIDE_START, NVML].concat().into_iter().map(|(words, _)| words);
    let plain = [NO_LIBCUDA, START, OTHERS].concat();
    Finder::new(coded.chain(plain))
});

/// Words of a line, a bit for each.
#[derive(Clone, Copy)]
struct Held(u128);

impl Held {
    fn of(text: &str) -> Held {
        let mut held = 0;
        WORDS.any(text, |number| {
            held |= 1 << number;
            false
        });
        Held(held)
    }

    /// The first of `count` words from `start` on that is there.
    fn first(self, start: usize, count: usize) -> Option<usize> {
        let part = (self.0 >> start) & ((1 << count) - 1);
        (part != 0).then(|| part.trailing_zeros() as usize)
    }

    /// Whether one of [`OTHERS`] is there.
    fn other(self, words: &str) -> bool {
        let number = OTHERS.iter().position(|other| *other == words);
        number.is_some_and(|number| self.first(OF_OTHERS + number, 1).is_some())
    }
}

impl Reader for Codes {
    fn waits(&self) -> bool {
        true
    }

    fn line(&mut self, line: Line, found: &mut Found) {
        let text = line.text;
        if text.len() < 8 || text.len() > 8000 {
            return;
        }
        let held = Held::of(text);
        if held.0 == 0 {
            return;
        }
        let machine = Subject::machine();
        if held.first(OF_LOADER, NO_LIBCUDA.len()).is_some() {
            found.absent(&cuda::LIBRARY, &machine);
        } else if let Some(code) = started_with(text, held) {
            found.seen(&cuda::INIT, &machine, code);
        }
        if held.other("no cuda gpus are available") {
            found.seen(&python::DEVICE_COUNT, &parts::torch(), 0);
        }
        if let Some(at) = held.first(OF_NVML, NVML.len()) {
            found.seen(&nvidia::NVML_INIT, &machine, NVML[at].1);
        }
        if held.other("nvml library version:")
            && let Some(version) = after(text, "NVML library version:").and_then(parts::version)
        {
            found.library(version);
        }
        if held.other("libnvidia-ml") && has(text, "couldn't find libnvidia-ml")
            || held.other("nvml shared library not found")
        {
            found.absent(&nvidia::NVML_LIBRARY, &machine);
        }
        if held.other("/proc/driver/nvidia/version")
            && (has(text, "/proc/driver/nvidia/version does not exist")
                || has(text, "/proc/driver/nvidia/version: no such file")
                || has(text, "'/proc/driver/nvidia/version': no such file"))
        {
            found.absent(&kernel::MODULE_VERSION, &machine);
        }
        if held.other("nvidia-smi") || held.other("no devices were found") || held.other("device handle for ") {
            smi(text, &text.to_ascii_lowercase(), found);
        }
    }
}

/// The code with which CUDA's start ended, where the line speaks of that.
fn started_with(text: &str, held: Held) -> Option<i32> {
    if let Some(at) = held.first(0, ALWAYS.len()) {
        return Some(ALWAYS[at].1);
    }
    // torch up to 1.5: `THCudaCheck FAIL file=... error=30 : unknown error`, `cuda runtime error (30) : unknown error at ...`.
    let old = match (held.other("cuda runtime error ("), held.other("thcudacheck")) {
        (true, _) => after(text, "cuda runtime error ("),
        (false, true) => after(text, "thcudacheck").and_then(|rest| after(rest, "error=")),
        (false, false) => None,
    };
    if let Some(code) = old.and_then(parts::number).and_then(|n| i32::try_from(n).ok()) {
        let code = cuda_errors::from_old_runtime(code);
        return matches!(code, 34 | 100 | 802 | 803 | 804 | 805 | 999).then_some(code);
    }
    held.first(OF_START, START.len())?;
    if let Some(at) = held.first(BESIDE, BESIDE_START.len()) {
        return Some(BESIDE_START[at].1);
    }
    // `init failure: 3`, `Error 802: ...`, `[999] Call to cuInit`, and the answer of the call itself.
    let number = ["init failure: ", "error "]
        .iter()
        .find_map(|words| parts::number(after(text, words)?))
        .or_else(|| has(text, "call to cuinit").then(|| parts::number(after(text, "[")?)).flatten())
        .or_else(|| ["cuinit", "cudagetdevicecount"].iter().find_map(|call| answer(after(text, call)?)))?;
    let code = i32::try_from(number).ok()?;
    // 35 is the runtime's own: cuInit was not even called.
    (code != 0 && code != 35 && cuda_errors::lookup(code).is_some()).then_some(code)
}

/// The number in what follows the name of a call: `(0) = 3`, ` returned 802`, ` err: 999`, `() failed with error code 100`.
fn answer(rest: &str) -> Option<u64> {
    let rest = rest.strip_prefix('(').and_then(|r| r.split_once(')')).map_or(rest, |(_, behind)| behind);
    let mut joined = false;
    for word in rest.split([' ', '\t']).take(6) {
        let bare = word.trim_matches(|c: char| c.is_ascii_punctuation());
        if BETWEEN.iter().any(|between| between.eq_ignore_ascii_case(bare)) {
            joined |= !word.is_empty();
        } else {
            return bare.parse().ok().filter(|_| joined || !word.starts_with(bare));
        }
    }
    None
}

/// What may stand between a call and its number.
const BETWEEN: &[&str] = &[
    "",
    "err",
    "error",
    "code",
    "failed",
    "fails",
    "with",
    "returned",
    "returns",
    "return",
    "returning",
    "result",
    "status",
    "rc",
    "is",
    "was",
    "gave",
    "gives",
];

/// nvidia-smi's failures, by the exit status that goes with each.
fn smi(text: &str, lower: &str, found: &mut Found) {
    let exit = if lower.contains("nvidia-smi has failed because it couldn't communicate with the nvidia driver")
        || lower.contains("nvidia-smi has failed because it could not communicate")
    {
        Some(9)
    } else if text.trim() == "No devices were found"
        || lower.contains("nvidia-smi: no devices were found")
        || lower.contains("no devices were found") && lower.len() < 60
    {
        Some(6)
    } else if lower.contains("nvidia-smi couldn't find libnvidia-ml") {
        Some(12)
    } else {
        None
    };
    let program = Subject::file("nvidia-smi");
    if let Some(exit) = exit {
        let run =
            SmiRun { exit: Some(exit), message: text.trim().chars().take(300).collect(), driver: None, cuda: None };
        found.seen(&nvidia::SMI, &program, run);
    }
    if lower.contains("nvidia-smi: command not found") || lower.contains("nvidia-smi: not found") {
        found.absent(&nvidia::SMI_FOUND, &Subject::machine());
    }
    // `Unable to determine the device handle for GPU 0000:0B:00.0: Unknown Error`; newer: `GPU0: 0000:C1:00.0: ...`.
    if let Some(rest) = after(text, "device handle for ") {
        let address = rest
            .split([' ', '\t'])
            .map(|w| w.trim_start_matches("GPU").trim_matches([':', '.', ',']))
            .find_map(|word| {
                let word = word.strip_suffix(": Unknown").unwrap_or(word);
                pci_address(word).filter(|_| word.contains('.'))
            });
        let gpu = address.map_or_else(|| parts::gpu_number(0), |a| Subject::gpu(&a));
        let code = if has(rest, "GPU is lost") { 15 } else { 999 };
        found.seen(&nvidia::NVML_HANDLE, &gpu, code);
    }
}

#[cfg(test)]
mod tests {
    use super::super::read_str;
    use super::*;

    #[test]
    fn only_what_speaks_of_starting_is_a_code_of_starting() {
        let of = |text: &str| read_str(text).value(&cuda::INIT);
        assert_eq!(
            of("RuntimeError: Unexpected error from cudaGetDeviceCount(). Error 802: system not yet initialized"),
            Some(802)
        );
        assert_eq!(
            of("THCudaCheck FAIL file=torch/csrc/cuda/Module.cpp line=109 error=38 : no CUDA-capable device"),
            Some(100)
        );
        assert_eq!(of("THCudaCheck FAIL file=x line=1 error=48 : no kernel image is available"), None);
        assert_eq!(of("failed call to cuInit: CUDA_ERROR_UNKNOWN: unknown error"), Some(999));
        assert_eq!(of("cuda driver library init failure: 3"), Some(3));
        for (text, code) in [
            ("cuInit returns 3 in this container", Some(3)),
            ("cuInit(0) = 999", Some(999)),
            ("cuInit(0) -> 802", Some(802)),
            ("cuInit err: 100", Some(100)),
            ("cudaGetDeviceCount() failed with error code 804", Some(804)),
            ("cudaGetDeviceCount returned 35", None),
            ("cuInit(0) returned 0, all is well", None),
            ("cuInit 12 times in a row works", None),
            ("cuInit takes 3 seconds", None),
        ] {
            assert_eq!(of(text), code, "{text}");
        }
        assert_eq!(of("numba.cuda: [999] Call to cuInit results in CUDA_ERROR_UNKNOWN"), Some(999));
        assert_eq!(of("torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2 GiB"), None);
        assert_eq!(of("RuntimeError: CUDA error: unknown error"), None);
    }

    #[test]
    fn nvml_and_nvidia_smi_say_why() {
        let facts =
            read_str("Failed to initialize NVML: Driver/library version mismatch\nNVML library version: 570.124\n");
        assert_eq!(facts.value(&nvidia::NVML_INIT), Some(18));
        assert_eq!(facts.all(&nvidia::LIBRARY).next().and_then(|(l, _)| l.version).as_deref(), Some("570.124"));
        for (text, address) in [
            ("Unable to determine the device handle for GPU 0000:0B:00.0: Unknown Error.", "0000:0b:00.0"),
            ("Unable to determine the device handle for GPU0: 0000:C1:00.0: Unknown Error", "0000:c1:00.0"),
            ("Unable to determine the device handle for GPU0000:07:00.0: Unknown Error", "0000:07:00.0"),
        ] {
            let facts = read_str(text);
            assert_eq!(facts.look(&nvidia::NVML_HANDLE, &Subject::gpu(address)).seen(), Some(999), "{text}");
        }
    }
}
