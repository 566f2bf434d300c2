//! Python environments and the frameworks in them; libtorch.

use super::{AnyKey, Key};
use serde::{Deserialize, Serialize};

/// A Python that was probed; subject: the environment.
pub const INTERPRETER: Key<Interpreter> = Key::new("python.interpreter");
/// Why an interpreter could not be asked; subject: the environment (by the path that was tried).
pub const BROKEN: Key<String> = Key::new("python.broken");
/// Whether no Python was found at all (machine): the places that were looked at.
pub const NONE_FOUND: Key<Vec<String>> = Key::new("python.none_found");
/// A place that could not be looked through for environments, and why, a fact each (machine).
pub const UNSEARCHED: Key<String> = Key::new("python.unsearched");
/// An environment that was found, from files alone; subject: the environment. Which interpreter really answers there is
/// [`INTERPRETER`].
pub const ENVIRONMENT: Key<Environment> = Key::new("python.environment");
/// What an interrupted installer left behind (`~orch`), a fact each; subject: the environment.
pub const LEFTOVER: Key<String> = Key::new("python.leftover");
/// Something about the interpreter itself, a fact each; subject: the environment, or the path of an interpreter that cannot
/// be asked.
pub const TROUBLE: Key<Trouble> = Key::new("python.trouble");
/// Two packages that own the same files, a fact each; subject: the environment.
pub const OVERLAP: Key<Overlap> = Key::new("python.overlap");
/// A package whose files and what is written about them do not belong together, a fact each; subject: the environment.
pub const DAMAGE: Key<Damage> = Key::new("python.damage");
/// A local file or folder `torch.py`, `torch/` in the current directory or on PYTHONPATH that hides the package; subject: the
/// environment.
pub const SHADOWED_BY: Key<String> = Key::new("python.shadowed_by");

/// The framework as installed, read without importing; subject: the framework. Absent: not installed.
pub const DISTRIBUTION: Key<Distribution> = Key::new("framework.distribution");
/// Another copy of the framework that lies where an import looks and is not taken, a fact each; subject: the framework.
pub const HIDDEN: Key<Hidden> = Key::new("framework.hidden");
/// Where the installed framework came from, by what its installer wrote down; subject: the framework.
pub const ORIGIN: Key<Origin> = Key::new("framework.origin");
/// One installed package that has to do with GPUs, a fact each (onnxruntime-gpu, jaxlib, cupy-cuda12x, torchvision, nvidia-*);
/// subject: the environment, or the machine where a text does not say which.
pub const PACKAGE: Key<Package> = Key::new("python.package");
/// What the build was made for, from `torch/version.py`, without importing; subject: the framework.
pub const BUILD: Key<Build> = Key::new("framework.build");
/// What importing gave; subject: the framework.
pub const IMPORT: Key<Import> = Key::new("framework.import");
/// Architectures in the build, `sm_90`, `compute_120`; subject: the framework.
pub const ARCHITECTURES: Key<Vec<String>> = Key::new("framework.architectures");
/// `torch.cuda.is_available()`; subject: the framework.
pub const AVAILABLE: Key<bool> = Key::new("framework.available");
/// `torch.cuda.device_count()`; subject: the framework.
pub const DEVICE_COUNT: Key<u32> = Key::new("framework.device_count");
/// A warning or an exception while asking for the GPU, in full; subject: the framework.
pub const MESSAGE: Key<String> = Key::new("framework.message");
/// A tiny tensor on one device; subject: the framework. One fact per device.
pub const TENSOR: Key<Tensor> = Key::new("framework.tensor");
/// Why no tensor was tried (`busy`, `passive`, `asked`); subject: the framework.
pub const NO_TENSOR: Key<String> = Key::new("framework.no_tensor");
/// A driver library that the framework's process really mapped (libcuda, libcudart, libcudnn); subject: the framework.
pub const MAPPED: Key<Vec<String>> = Key::new("framework.mapped");
/// What the framework itself names as able to run work, in its own words (`CUDAExecutionProvider`, `gpu`, `cpu`); subject:
/// the framework.
pub const BACKENDS: Key<Vec<String>> = Key::new("framework.backends");
/// A shared library that the framework wanted and did not get, or not the right one, a fact each; subject: the framework.
pub const LIBRARY: Key<Library> = Key::new("framework.library");

/// The libtorch helper: version it was built for, or absent/failed with the reason why it was not run (machine).
pub const LIBTORCH: Key<Libtorch> = Key::new("libtorch.helper");
/// A tiny tensor on one device through libtorch (machine).
pub const LIBTORCH_TENSOR: Key<Tensor> = Key::new("libtorch.tensor");

/// A Python environment as its files tell of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Environment {
    /// The interpreter that stands for it.
    pub path: String,
    /// `3.11.7`, where a file says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// How people call it: `conda environment ml`, `kernel foo`, `.venv of /home/u/project`; the first is the best.
    #[serde(default)]
    pub names: Vec<String>,
    /// Whether a program started here and now would run in it, or the user named it.
    pub in_use: bool,
    /// Who manages packages there: `pip`, `uv`, `conda`, `poetry`, `pdm`, `pixi`, `hatch`, `pipx`, `system`.
    pub manager: String,
    /// 32 or 64, by the header of the program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bits: Option<u32>,
    /// What sets it apart from the usual CPython, where wheels depend on it: `free-threaded`, `musl` (made for that C library),
    /// `pypy`, `graalpy`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// The folder of the project that declares its packages (uv.lock, pyproject.toml, pixi.toml), if one does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
}

/// A Python.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Interpreter {
    /// The program that was started.
    pub path: String,
    /// `3.11.7`.
    pub version: String,
    /// `sys.prefix`.
    pub prefix: String,
    /// `sys.base_prefix`.
    #[serde(default)]
    pub base_prefix: String,
    /// 32 or 64.
    pub bits: u32,
    /// What sets it apart from the usual CPython, where wheels depend on it: `free-threaded`, `musl` (made for that C library),
    /// `pypy`, `graalpy`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// How it was chosen: `--python`, `VIRTUAL_ENV`, `CONDA_PREFIX`, `.venv`, `PATH`.
    pub chosen_by: String,
    /// Who manages packages there: `pip`, `uv`, `conda`, `poetry`, `pixi`, `system`.
    pub manager: String,
}

/// An installed distribution.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Distribution {
    /// Version with its local tag, `2.13.0+cpu`.
    pub version: String,
    /// Folder it is in.
    pub location: String,
    /// Who installed it: `pip`, `uv`, `conda`, or what INSTALLER says.
    #[serde(default)]
    pub installer: Option<String>,
    /// conda's build string, `cpu_mkl_py311...`.
    #[serde(default)]
    pub conda_build: Option<String>,
    /// conda's channel.
    #[serde(default)]
    pub channel: Option<String>,
    /// How an import gets to the folder, where that is known: `environment`, `system` (the Python under a virtual
    /// environment), `user site`, `PYTHONPATH`, `editable`, or the `.pth` file that names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub through: Option<String>,
}

/// A copy of a framework that an import does not take, because another folder comes first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Hidden {
    /// Version with its local tag; empty where no file says it.
    pub version: String,
    /// Folder it is in.
    pub location: String,
    /// As of the installed one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub through: Option<String>,
    /// What it is built for, where a file says it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub build: Option<Build>,
}

/// Where an installed framework came from: `direct_url.json` and REQUESTED of pip and uv, conda's record.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Origin {
    /// `name` (by its name from an index, which nobody writes down), `git` (or another such system), `url`, `file`, `folder`,
    /// `editable`, `conda`.
    pub kind: String,
    /// The address without what may be secret in it, or the path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The commit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// What the user asked conda for, `pytorch=*=cpu*`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spec: Option<String>,
    /// Whether the user asked for it by itself; otherwise another package needed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requested: Option<bool>,
}

impl Origin {
    /// The same in words, where it tells more than a name: `from https://...`.
    pub fn said(&self) -> Option<String> {
        let from = self.from.as_deref();
        let commit = self.commit.as_ref().map(|commit| format!(", commit {commit}")).unwrap_or_default();
        match self.kind.as_str() {
            "name" => None,
            "conda" => self.spec.as_ref().map(|spec| format!("because conda was asked for {spec}")),
            "editable" => Some(format!("editable, from {}", from?)),
            _ => Some(format!("from {}{commit}", from?)),
        }
    }
}

/// A package whose files and metadata do not belong together.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Damage {
    /// In lower case with hyphens.
    pub package: String,
    /// As its metadata has it.
    #[serde(default)]
    pub version: String,
    /// `no_metadata` (the folder of metadata has no METADATA), `no_record` (pip or uv put it there, and its list of files is
    /// gone), `no_files` (the metadata is there and the module is not).
    pub kind: String,
    /// The folder of the metadata.
    pub path: String,
}

/// An installed package.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Package {
    /// Name in lower case with hyphens, `onnxruntime-gpu`.
    pub name: String,
    /// Version with its local tag, `0.20.1+cpu`; empty where only the name is known.
    #[serde(default)]
    pub version: String,
    /// Folder it is in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<String>,
    /// conda's build string, `py3.9_cpu_0`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub build: Option<String>,
    /// conda's channel; `pypi` for a package that pip put there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub channel: Option<String>,
}

/// What is wrong with an interpreter.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Trouble {
    /// `base_missing` (the Python under a virtual environment is gone), `architecture` (made for another processor),
    /// `no_library` (its standard library is not found), `startup_output` and `startup_failure` (code that runs at start-up
    /// prints, or keeps it from starting), `startup_variable` (that code sets a variable that keeps frameworks off the GPU), `slow` (it takes seconds to start), `not_activated` (conda's scripts would set a
    /// search path for libraries, and did not run), `another_on_path` (`python` on PATH is that of another environment),
    /// `another_of_uv` (uv runs the programs of this folder's project in another one).
    pub kind: String,
    /// The same for this one: what is missing, what was printed, how long it took, which variable.
    pub detail: String,
    /// The file that says so, or that does it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
}

/// Two packages that own the same files: the one that was installed last has overwritten the other.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Overlap {
    /// Both, with their versions: `onnxruntime 1.32.0`, `onnxruntime-gpu 1.31.1`.
    pub packages: Vec<String>,
    /// How many files both own.
    pub files: u32,
    /// One of them, within the folder with packages.
    pub example: String,
    /// Whose files lie there, where their sizes tell it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept: Option<String>,
}

/// What a build was made for.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Build {
    /// CUDA version, `13.0`; nothing in a build without CUDA.
    #[serde(default)]
    pub cuda: Option<String>,
    /// HIP version; nothing in a build without ROCm.
    #[serde(default)]
    pub hip: Option<String>,
    /// XPU (SYCL) version; nothing in a build without it.
    #[serde(default)]
    pub xpu: Option<String>,
}

/// What importing gave.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Import {
    /// Whether it went well.
    pub ok: bool,
    /// The file it came from.
    #[serde(default)]
    pub file: Option<String>,
    /// `ValueError`, `OSError`, `SystemExit`.
    #[serde(default)]
    pub error: Option<String>,
    /// The message in full.
    #[serde(default)]
    pub message: Option<String>,
}

impl Import {
    /// What went wrong, in a line: `ValueError: ...`, or how the process ended.
    pub fn said(&self) -> String {
        let error = self.error.as_deref().unwrap_or("an error");
        let message = self.message.as_deref().unwrap_or_default();
        let last = message.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default().trim();
        match (last.is_empty(), error) {
            (true, error) => error.to_string(),
            // An end of the process is no exception, and its message says all.
            (false, "crashed" | "exited" | "flooded" | "not_started") => last.to_string(),
            (false, error) => format!("{error}: {last}"),
        }
    }
}

/// A tiny tensor on one device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tensor {
    /// Ordinal within the process.
    pub index: u32,
    /// The device where it is none of CUDA's or ROCm's: `xpu:0`, `mps:0`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<String>,
    /// Whether the result came back right.
    pub ok: bool,
    /// The step that failed: `place`, `compute`, `copy_back`, `compare`.
    #[serde(default)]
    pub step: Option<String>,
    /// Message of the failure.
    #[serde(default)]
    pub message: Option<String>,
    /// CUDA error number, where it is known.
    #[serde(default)]
    pub code: Option<i32>,
}

/// A shared library that a framework needs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Library {
    /// The name that was asked for, `libcudnn.so.9`.
    pub name: String,
    /// Where files of that name lie that the process could have found, each with the way there: `nvidia wheel`,
    /// `LD_LIBRARY_PATH`, `RPATH`, `ldconfig`.
    #[serde(default)]
    pub found: Vec<Place>,
    /// What is wrong: `missing`, `symbol`, `version`, `wrong_architecture`.
    pub problem: String,
    /// The loader's own words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// Where a shared library lies, and how a process gets there.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Place {
    /// The file.
    pub path: String,
    /// `nvidia wheel`, `LD_LIBRARY_PATH`, `RPATH`, `ldconfig`, `system`.
    pub through: String,
}

/// libtorch through tch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Libtorch {
    /// Folder of libtorch.
    pub folder: String,
    /// `Cuda::is_available()`.
    pub cuda_available: bool,
    /// `Cuda::device_count()`.
    pub device_count: i64,
    /// `Cuda::cudnn_is_available()`.
    pub cudnn_available: bool,
}

/// All keys of this file.
pub const ALL: &[&dyn AnyKey] = &[
    &INTERPRETER,
    &BROKEN,
    &NONE_FOUND,
    &UNSEARCHED,
    &ENVIRONMENT,
    &LEFTOVER,
    &OVERLAP,
    &DAMAGE,
    &TROUBLE,
    &SHADOWED_BY,
    &DISTRIBUTION,
    &HIDDEN,
    &ORIGIN,
    &PACKAGE,
    &BUILD,
    &IMPORT,
    &ARCHITECTURES,
    &AVAILABLE,
    &DEVICE_COUNT,
    &MESSAGE,
    &TENSOR,
    &NO_TENSOR,
    &MAPPED,
    &BACKENDS,
    &LIBRARY,
    &LIBTORCH,
    &LIBTORCH_TENSOR,
];
