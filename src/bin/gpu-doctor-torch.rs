//! What libtorch sees of the GPU, asked through tch: the helper behind the `tensor` check.
//!
//! It is a program of its own because a program that links libtorch does not even start where libtorch is missing or
//! of another version. `gpu-doctor` starts it as a child, only with the libtorch release it was built for
//! ([`BUILT_FOR`]) and with that library's folder on the loader's path; the binary itself names no folder.
//!
//! It speaks the protocol of all probe children: lines of JSON on the stdout it was started with, which is kept aside
//! while descriptor 1 points at stderr.
//!
//! ```text
//! {"begin":"load"}
//! {"stage":"load","libtorch":"/x/torch/lib/libtorch_cpu.so","libtorch_cuda":"/x/torch/lib/libtorch_cuda.so"}
//! {"begin":"libtorch"}
//! {"stage":"libtorch","built_for":"2.13.0","cuda_available":true,"device_count":1,"cudnn_available":true,"errors":{}}
//! {"waiting":"tensor"}
//! {"begin":"tensor","index":0}
//! {"stage":"tensor","index":0,"ok":true,"seconds":0.4}
//! {"done":true}
//! ```
//!
//! `libtorch_cuda` is null, without an `error`, in a libtorch that has none. A value that could not be had is null, and
//! `errors` says why; where libtorch_cuda sees no GPU, `init_error` has its sentence about it. The answer to `waiting`
//! is `go`, `go 0,2`, or anything else to go without (`tensor-skipped`). A tensor that failed says `step` (`place`,
//! `compute`, `copy_back`, `compare`), `operation`, `error` and `sticky`; a sticky error makes every later call of the
//! process fail, so the devices after it are named in `tensor-stopped`.
//!
//! Nothing here panics to the outside: the exit status is 0 whenever the end was reached.
#![allow(clippy::disallowed_methods, reason = "a probe child looks for itself")]

use serde_json::{Map, Value, json};
use std::fs::File;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::Instant;
use tch::{Cuda, Device, Kind, TchError, Tensor};

/// The libtorch release that tch was made for; another one has other symbols.
const BUILT_FOR: &str = "2.13.0";
/// Side of the square matrices in the tensor check.
const SIDE: usize = 16;
/// Bytes of one text.
const TEXT_MAX: usize = 8192;

fn main() {
    let Ok(mut channel) = Channel::open() else { std::process::exit(2) };
    // A closed channel means that nobody listens any more.
    let status = if examine(&mut channel).is_ok() { 0 } else { 1 };
    end(status)
}

fn examine(channel: &mut Channel) -> std::io::Result<()> {
    channel.send(json!({"begin": "load"}))?;
    let loaded = load_cuda();
    let with_cuda = loaded["libtorch_cuda"].is_string();
    channel.send(loaded)?;

    channel.send(json!({"begin": "libtorch"}))?;
    let seen = look(with_cuda);
    let count = if seen["cuda_available"] == json!(true) { seen["device_count"].as_u64().unwrap_or(0) } else { 0 };
    channel.send(seen)?;

    let reason = if std::env::var_os("GPU_DOCTOR_TENSOR").is_some_and(|value| value == "0") {
        "environment"
    } else if count == 0 {
        "no-device"
    } else {
        channel.send(json!({"waiting": "tensor"}))?;
        match granted(&channel.ask(), count) {
            Some(indexes) => {
                tensors(channel, &indexes)?;
                return channel.send(json!({"done": true}));
            }
            None => "not-granted",
        }
    };
    channel.send(json!({"stage": "tensor-skipped", "reason": reason}))?;
    channel.send(json!({"done": true}))
}

/// The stdout that the process was started with, out of the reach of libraries.
struct Channel(File);

impl Channel {
    #[cfg(unix)]
    fn open() -> std::io::Result<Channel> {
        use std::os::fd::AsFd;
        let kept = std::io::stdout().as_fd().try_clone_to_owned()?;
        rustix::stdio::dup2_stdout(std::io::stderr())?;
        Ok(Channel(File::from(kept)))
    }

    #[cfg(windows)]
    fn open() -> std::io::Result<Channel> {
        use std::os::windows::io::AsHandle;
        Ok(Channel(File::from(std::io::stdout().as_handle().try_clone_to_owned()?)))
    }

    fn send(&mut self, line: Value) -> std::io::Result<()> {
        self.0.write_all(format!("{line}\n").as_bytes())
    }

    /// One line from the parent; empty when it has closed its end.
    fn ask(&self) -> String {
        let mut line = String::new();
        match std::io::stdin().read_line(&mut line) {
            Ok(_) => line,
            Err(_) => String::new(),
        }
    }
}

/// Loads libtorch_cuda beside the libtorch that this process runs with.
///
/// Nothing in this program refers to it, so the linker leaves it out and CUDA would be "not available" on a perfect
/// machine (tch-rs issue 980); and a libtorch without CUDA has no such file, so it must not be linked either.
fn load_cuda() -> Value {
    let libtorch = libtorch_path();
    let beside = libtorch.as_deref().map(|path| path.with_file_name(CUDA_LIBRARY));
    let shown = |path: &Path| path.to_string_lossy().into_owned();
    let mut line = json!({"stage": "load", "libtorch": libtorch.as_deref().map(shown), "libtorch_cuda": null});
    if beside.as_ref().is_none_or(|path| path.exists()) {
        let path = beside.unwrap_or_else(|| CUDA_LIBRARY.into());
        match open(&path) {
            // Never closed: it has registered its kernels.
            Ok(library) => {
                std::mem::forget(library);
                line["libtorch_cuda"] = json!(shown(&path));
            }
            Err(error) => line["error"] = json!(cut(&with_sources(&error))),
        }
    }
    line
}

#[cfg(unix)]
const CUDA_LIBRARY: &str = "libtorch_cuda.so";
#[cfg(windows)]
const CUDA_LIBRARY: &str = "torch_cuda.dll";

#[cfg(unix)]
fn open(path: &Path) -> Result<libloading::os::unix::Library, libloading::Error> {
    use libloading::os::unix::{Library, RTLD_GLOBAL, RTLD_NOW};
    // SAFETY: its initialisers register kernels; they are made to run in a process with libtorch.
    unsafe { Library::open(Some(path), RTLD_NOW | RTLD_GLOBAL) }
}

#[cfg(windows)]
fn open(path: &Path) -> Result<libloading::Library, libloading::Error> {
    // SAFETY: as on Unix.
    unsafe { libloading::Library::new(path) }
}

/// The libtorch_cpu that the loader took, under the name by which it found it: the wheel's libraries look for those of
/// the other wheels relative to that name, not to the file behind its links.
#[cfg(target_os = "linux")]
fn libtorch_path() -> Option<PathBuf> {
    use std::ffi::{CStr, OsStr, c_int, c_void};
    use std::os::unix::ffi::OsStrExt;

    unsafe extern "C" fn visit(info: *mut libc::dl_phdr_info, _: usize, found: *mut c_void) -> c_int {
        // SAFETY: the loader passes a valid entry, and `found` is the variable below.
        let (name, found) = unsafe { ((*info).dlpi_name, &mut *found.cast::<Option<PathBuf>>()) };
        if !name.is_null() {
            // SAFETY: a string of the loader's, which lives as long as the library.
            let path = Path::new(OsStr::from_bytes(unsafe { CStr::from_ptr(name) }.to_bytes()));
            if path.file_name().is_some_and(|name| name == "libtorch_cpu.so") {
                *found = Some(path.to_owned());
            }
        }
        0
    }

    let mut found: Option<PathBuf> = None;
    // SAFETY: `visit` uses its last argument as what it is here.
    unsafe { libc::dl_iterate_phdr(Some(visit), (&raw mut found).cast()) };
    found
}

#[cfg(not(target_os = "linux"))]
fn libtorch_path() -> Option<PathBuf> {
    None
}

fn with_sources(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        text = format!("{text}: {error}");
        source = error.source();
    }
    text
}

/// What libtorch says without making a context.
fn look(with_cuda: bool) -> Value {
    let mut line = json!({"stage": "libtorch", "built_for": BUILT_FOR});
    let mut errors = Map::new();
    let mut read = |name: &str, value: Result<Value, String>| {
        line[name] = match value {
            Ok(value) => value,
            Err(error) => {
                errors.insert(name.to_owned(), json!(error));
                Value::Null
            }
        }
    };
    read("cuda_available", guarded(Cuda::is_available).map(Value::from));
    read("device_count", guarded(Cuda::device_count).map(Value::from));
    read("cudnn_available", guarded(Cuda::cudnn_is_available).map(Value::from));
    line["errors"] = Value::Object(errors);
    if with_cuda && line["cuda_available"] == json!(false) {
        // The answer "no" has no reason; asking for a device all the same has one, and no context comes of it.
        let asked = said(Tensor::f_zeros([1], (Kind::Float, Device::Cuda(0))));
        line["init_error"] = asked.err().map_or(Value::Null, |message| json!({"message": message}));
    }
    line
}

/// Calls one of tch's functions that panic when libtorch throws, and gives libtorch's words instead.
fn guarded<T>(function: impl FnOnce() -> T) -> Result<T, String> {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let result = catch_unwind(AssertUnwindSafe(function));
    std::panic::set_hook(hook);
    result.map_err(|panic| {
        let text = panic.downcast_ref::<String>().cloned().unwrap_or_else(|| "a panic in tch".to_owned());
        // `Result::unwrap()` shows the error in its debug form: Torch("...\n...")
        let words = text.split_once("Torch(\"").and_then(|(_, rest)| rest.strip_suffix("\")"));
        words_of(&words.map_or(text.clone(), |words| words.replace("\\n", "\n").replace("\\\"", "\"")))
    })
}

/// libtorch's message without the C++ stack that follows it.
fn words_of(text: &str) -> String {
    let text = text.trim_start_matches("Internal torch error: ");
    let end = text.find("\nException raised from").unwrap_or(text.len());
    cut(text[..end].trim_end())
}

fn cut(text: &str) -> String {
    let end = (0..=TEXT_MAX.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
    if end == text.len() { text.to_owned() } else { format!("{} [{} more bytes]", &text[..end], text.len() - end) }
}

/// The device indexes that the parent's answer allows; nothing for none at all.
fn granted(answer: &str, count: u64) -> Option<Vec<u64>> {
    match answer.split_whitespace().collect::<Vec<_>>()[..] {
        ["go"] => Some((0..count).collect()),
        ["go", list] => list.split(',').map(|index| index.parse().ok()).collect(),
        _ => None,
    }
}

fn tensors(channel: &mut Channel, indexes: &[u64]) -> std::io::Result<()> {
    for (position, &index) in indexes.iter().enumerate() {
        channel.send(json!({"begin": "tensor", "index": index}))?;
        let line = tensor(index);
        let sticky = line["sticky"] == json!(true);
        channel.send(line)?;
        let rest = &indexes[position + 1..];
        if sticky && !rest.is_empty() {
            return channel.send(json!({"stage": "tensor-stopped", "after": index, "not_run": rest}));
        }
    }
    Ok(())
}

/// Where in the arithmetic an error came.
struct Failure {
    step: &'static str,
    operation: Option<&'static str>,
    message: String,
}

fn tensor(index: u64) -> Value {
    let start = Instant::now();
    let result = arithmetic(index);
    let mut line = json!({"stage": "tensor", "index": index, "ok": result.is_ok()});
    if let Err(failure) = result {
        // After an illegal address, an assertion or an uncorrectable error every later call fails as well.
        let sticky = matches!(failure.step, "compute" | "copy_back") && wait(index).is_err();
        line["step"] = json!(failure.step);
        line["operation"] = json!(failure.operation);
        line["error"] = json!({"message": failure.message});
        line["sticky"] = json!(sticky);
    }
    line["seconds"] = json!((start.elapsed().as_secs_f64() * 1000.0).round() / 1000.0);
    line
}

/// Arithmetic on one device, its result compared with plain Rust's. Each step waits for the device, since CUDA reports
/// a failed kernel only at a later call. Small whole numbers are exact in every float format that a GPU multiplies in.
fn arithmetic(index: u64) -> Result<(), Failure> {
    let left = square(|row, column| (3 * row + 5 * column) % 7, 3.0);
    let right = square(|row, column| (2 * row + 3 * column) % 5, 2.0);
    let sum: Vec<f32> = left.iter().zip(&right).map(|(x, y)| 2.0 * x + y).collect();
    let product: Vec<f32> = (0..SIDE * SIDE)
        .map(|at| (0..SIDE).map(|k| left[at / SIDE * SIDE + k] * right[k * SIDE + at % SIDE]).sum())
        .collect();

    let failed = |step, operation| move |message| Failure { step, operation, message };
    let (a, b) = place(&left, index)
        .and_then(|a| Ok((a, place(&right, index)?)))
        .and_then(|pair| wait(index).map(|()| pair))
        .map_err(failed("place", None))?;
    // Elementwise first: libtorch's own kernel, built for the architectures of the build; matmul is cuBLAS's.
    for (operation, expected) in [("elementwise", sum), ("matmul", product)] {
        let compute = || match operation {
            "elementwise" => a.f_mul_scalar(2.0)?.f_add(&b),
            _ => a.f_matmul(&b),
        };
        let result = said(compute()).and_then(|result| wait(index).map(|()| result));
        let result = result.map_err(failed("compute", Some(operation)))?;
        let back = copy_back(&result).map_err(failed("copy_back", Some(operation)))?;
        // `!=` is also true of a NaN.
        let wrong: Vec<usize> = (0..expected.len()).filter(|&at| back[at] != expected[at]).collect();
        if let Some(&at) = wrong.first() {
            let (row, column) = (at / SIDE, at % SIDE);
            return Err(failed("compare", Some(operation))(format!(
                "{} of {} elements differ; [{row}][{column}] should be {} and is {}",
                wrong.len(),
                expected.len(),
                expected[at],
                back[at]
            )));
        }
    }
    Ok(())
}

fn square(value: impl Fn(usize, usize) -> usize, less: f32) -> Vec<f32> {
    (0..SIDE * SIDE).map(|at| value(at / SIDE, at % SIDE) as f32 - less).collect()
}

fn place(values: &[f32], index: u64) -> Result<Tensor, String> {
    let side = SIDE as i64;
    let device = Device::Cuda(usize::try_from(index).map_err(|error| error.to_string())?);
    said(Tensor::f_from_slice(values).and_then(|t| t.f_reshape([side, side])?.f_to_device(device)))
}

fn copy_back(tensor: &Tensor) -> Result<Vec<f32>, String> {
    let mut values = vec![f32::NAN; SIDE * SIDE];
    let copied = tensor.f_to_device(Device::Cpu).and_then(|t| t.f_to_kind(Kind::Float)?.f_contiguous());
    said(copied.and_then(|t| t.f_copy_data(&mut values, SIDE * SIDE)))?;
    Ok(values)
}

/// Waits for everything that was started on the device, and gives the error that came of it.
fn wait(index: u64) -> Result<(), String> {
    let index = i64::try_from(index).map_err(|error| error.to_string())?;
    guarded(|| Cuda::synchronize(index))
}

fn said<T>(result: Result<T, TchError>) -> Result<T, String> {
    result.map_err(|error| words_of(&error.to_string()))
}

/// Ends without the libraries' exit handlers, which can hang or crash and say nothing more.
fn end(status: i32) -> ! {
    #[cfg(unix)]
    // SAFETY: takes an integer and does not return; everything was written unbuffered.
    unsafe {
        libc::_exit(status)
    }
    #[cfg(not(unix))]
    std::process::exit(status)
}
