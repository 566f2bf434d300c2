//! What does not work, named by kind and code.

use serde::Serialize;
use std::fmt;

/// The kinds of symptom, in the order of the chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// The bus shows no NVIDIA GPU.
    NoNvidiaGpu,
    /// A GPU on the bus reads all ones, or the kernel log says that it fell off.
    GpuNotAnswering,
    /// Fewer GPUs than `--expect-gpus`.
    FewerGpusThanExpected,
    /// The NVIDIA kernel module is not loaded. Code: nothing.
    DriverNotLoaded,
    /// Another driver owns the GPU. Code: its name.
    BoundTo,
    /// The NVIDIA module is loaded and no driver owns the GPU.
    Unclaimed,
    /// A node could not be opened. Code: `nvidiactl, EPERM`.
    NodeOpen,
    /// A node that is needed does not exist. Code: `nvidia-uvm`.
    NodeMissing,
    /// nvidia-smi is nowhere.
    SmiMissing,
    /// nvidia-smi failed. Code: exit status.
    SmiFails,
    /// The loader finds no libnvidia-ml.
    NvmlMissing,
    /// nvmlInit failed. Code: NVML's.
    NvmlInit,
    /// NVML gives no handle for a GPU. Code: NVML's.
    NvmlDevice,
    /// NVML lists fewer GPUs than this context was given.
    NvmlFewer,
    /// A mask hides every GPU. Code: the variable.
    MaskHidesAll,
    /// MIG is on and there is no instance.
    MigEmpty,
    /// The compute mode refuses (more) contexts. Code: the mode.
    ComputeMode,
    /// The loader finds no libcuda.
    LibcudaMissing,
    /// libcuda was found and could not be loaded.
    LibcudaUnloadable,
    /// cuInit failed. Code: CUDA's.
    CuInit,
    /// cuInit succeeded and lists no device, or fewer than NVML.
    CudaFewer,
    /// A runtime of a framework needs a newer driver. Code: the runtime's CUDA version.
    RuntimeTooNew,
    /// The computation through the driver failed on a GPU. Code: `STAGE, CODE`.
    CudaCompute,
    /// No Python that could be asked.
    NoPython,
    /// An interpreter cannot be run.
    PythonBroken,
    /// The framework is not installed in an environment.
    FrameworkMissing,
    /// The import failed. Code: type of the error.
    FrameworkImport,
    /// The build has no code for any GPU of this machine's maker.
    FrameworkCpuBuild,
    /// The framework is a GPU build, was imported, and says that there is no GPU.
    FrameworkSeesNoGpu,
    /// The build has no code for a GPU's architecture. Code: `sm_120`.
    ArchitectureMissing,
    /// A tensor failed. Code: `STEP, CODE`.
    Tensor,
    /// A tensor failed in libtorch. Code: `STEP, CODE`.
    LibtorchTensor,
    /// Memory errors. Code: what was counted.
    MemoryErrors,
    /// The GPU must be reset before it works.
    ResetRequired,
    /// The kernel log holds an Xid. Code: its number.
    Xid,
    /// The driver holds the clocks down. Code: the reason.
    Throttled,
    /// The PCIe link has fewer lanes than it could have.
    NarrowLink,
    /// NVLinks of a GPU are down beside others that are up. Code: `3 of 18`.
    LinksDown,
    /// A program holds a model that is wholly or partly on the processor. Code: the part, `48 %`.
    ProgramOnCpu,
    /// A native program, or the library it is built with, has no part for the GPU. Code: `libtorch`, `not linked`.
    ProgramCpuBuild,
    /// A probe ended badly. Code: how.
    ProbeEnd,
    /// A text holds a message of a fault. Code: the message's id.
    Said,
}

impl Kind {
    /// Every kind, in the order of the chain.
    pub const ALL: [Kind; 42] = [
        Kind::NoNvidiaGpu,
        Kind::GpuNotAnswering,
        Kind::FewerGpusThanExpected,
        Kind::DriverNotLoaded,
        Kind::BoundTo,
        Kind::Unclaimed,
        Kind::NodeOpen,
        Kind::NodeMissing,
        Kind::SmiMissing,
        Kind::SmiFails,
        Kind::NvmlMissing,
        Kind::NvmlInit,
        Kind::NvmlDevice,
        Kind::NvmlFewer,
        Kind::MaskHidesAll,
        Kind::MigEmpty,
        Kind::ComputeMode,
        Kind::LibcudaMissing,
        Kind::LibcudaUnloadable,
        Kind::CuInit,
        Kind::CudaFewer,
        Kind::RuntimeTooNew,
        Kind::CudaCompute,
        Kind::NoPython,
        Kind::PythonBroken,
        Kind::FrameworkMissing,
        Kind::FrameworkImport,
        Kind::FrameworkCpuBuild,
        Kind::FrameworkSeesNoGpu,
        Kind::ArchitectureMissing,
        Kind::Tensor,
        Kind::LibtorchTensor,
        Kind::MemoryErrors,
        Kind::ResetRequired,
        Kind::Xid,
        Kind::Throttled,
        Kind::NarrowLink,
        Kind::LinksDown,
        Kind::ProgramOnCpu,
        Kind::ProgramCpuBuild,
        Kind::ProbeEnd,
        Kind::Said,
    ];

    /// The name in reports; an API.
    pub fn name(self) -> &'static str {
        match self {
            Kind::NoNvidiaGpu => "no-nvidia-gpu",
            Kind::GpuNotAnswering => "gpu-not-answering",
            Kind::FewerGpusThanExpected => "fewer-gpus-than-expected",
            Kind::DriverNotLoaded => "driver-not-loaded",
            Kind::BoundTo => "bound-to",
            Kind::Unclaimed => "unclaimed",
            Kind::NodeOpen => "node-open",
            Kind::NodeMissing => "node-missing",
            Kind::SmiMissing => "nvidia-smi-missing",
            Kind::SmiFails => "nvidia-smi",
            Kind::NvmlMissing => "nvml-missing",
            Kind::NvmlInit => "nvml-init",
            Kind::NvmlDevice => "nvml-device",
            Kind::NvmlFewer => "nvml-fewer-gpus",
            Kind::MaskHidesAll => "mask-hides-all",
            Kind::MigEmpty => "mig-without-instances",
            Kind::ComputeMode => "compute-mode",
            Kind::LibcudaMissing => "libcuda-missing",
            Kind::LibcudaUnloadable => "libcuda-unloadable",
            Kind::CuInit => "cuinit",
            Kind::CudaFewer => "cuda-fewer-gpus",
            Kind::RuntimeTooNew => "runtime-too-new",
            Kind::CudaCompute => "cuda-compute",
            Kind::NoPython => "no-python",
            Kind::PythonBroken => "python-broken",
            Kind::FrameworkMissing => "framework-missing",
            Kind::FrameworkImport => "framework-import",
            Kind::FrameworkCpuBuild => "framework-cpu-build",
            Kind::FrameworkSeesNoGpu => "framework-sees-no-gpu",
            Kind::ArchitectureMissing => "architecture-missing",
            Kind::Tensor => "tensor",
            Kind::LibtorchTensor => "libtorch-tensor",
            Kind::MemoryErrors => "memory-errors",
            Kind::ResetRequired => "reset-required",
            Kind::Xid => "xid",
            Kind::Throttled => "throttled",
            Kind::NarrowLink => "narrow-link",
            Kind::LinksDown => "nvlinks-down",
            Kind::ProgramOnCpu => "program-on-cpu",
            Kind::ProgramCpuBuild => "program-cpu-build",
            Kind::ProbeEnd => "probe",
            Kind::Said => "said",
        }
    }
}

/// What no longer works once libcuda cannot initialise.
pub const AFTER_CUINIT: &[Kind] = &[
    Kind::CuInit,
    Kind::CudaFewer,
    Kind::CudaCompute,
    Kind::FrameworkSeesNoGpu,
    Kind::Tensor,
    Kind::LibtorchTensor,
    Kind::ProgramOnCpu,
];
/// What no longer works once the device nodes cannot be opened.
pub const AFTER_ACCESS: &[Kind] = &[
    Kind::NodeOpen,
    Kind::NodeMissing,
    Kind::SmiFails,
    Kind::NvmlInit,
    Kind::NvmlFewer,
    Kind::CuInit,
    Kind::CudaFewer,
    Kind::CudaCompute,
    Kind::FrameworkSeesNoGpu,
    Kind::Tensor,
    Kind::LibtorchTensor,
    Kind::ProgramOnCpu,
];
/// What no longer works once the kernel driver is not there. The libraries may be missing too: they come with the driver.
pub const AFTER_KERNEL_DRIVER: &[Kind] = &[
    Kind::DriverNotLoaded,
    Kind::BoundTo,
    Kind::Unclaimed,
    Kind::NodeOpen,
    Kind::NodeMissing,
    Kind::SmiFails,
    Kind::SmiMissing,
    Kind::NvmlMissing,
    Kind::NvmlInit,
    Kind::NvmlFewer,
    Kind::LibcudaMissing,
    Kind::CuInit,
    Kind::CudaFewer,
    Kind::CudaCompute,
    Kind::FrameworkSeesNoGpu,
    Kind::Tensor,
    Kind::LibtorchTensor,
    Kind::ProgramOnCpu,
];

/// One symptom.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Symptom {
    /// What kind.
    pub kind: Kind,
    /// Code or further words, as the kind says.
    pub code: Option<String>,
}

impl Symptom {
    /// A symptom without a code.
    pub fn new(kind: Kind) -> Symptom {
        Symptom { kind, code: None }
    }

    /// A symptom with a code.
    pub fn coded(kind: Kind, code: impl fmt::Display) -> Symptom {
        Symptom { kind, code: Some(code.to_string()) }
    }

    /// The code, or an empty text.
    pub fn code(&self) -> &str {
        self.code.as_deref().unwrap_or("")
    }
}

impl fmt::Display for Symptom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.code {
            None => f.write_str(self.kind.name()),
            Some(code) => write!(f, "{}({code})", self.kind.name()),
        }
    }
}

impl Serialize for Symptom {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
