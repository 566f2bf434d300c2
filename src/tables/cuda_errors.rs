//! Result codes of the CUDA driver API and runtime: name, and what it means in one sentence.
//!
//! Names and numbers: `cuda.h` and `driver_types.h` of CUDA 13 (2026-11). The sentences hold what was measured with real
//! driver libraries (470, 535, 550) and confirmed in public reports, not the header's wording.

/// A result code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CudaError {
    /// The number.
    pub code: i32,
    /// `CUDA_ERROR_NO_DEVICE`, or the runtime's name where only the runtime has the code.
    pub name: &'static str,
    /// What it means; one sentence.
    pub meaning: &'static str,
}

const fn e(code: i32, name: &'static str, meaning: &'static str) -> CudaError {
    CudaError { code, name, meaning }
}

#[rustfmt::skip]
static ERRORS: &[CudaError] = &[
    e(0, "CUDA_SUCCESS", "It worked."),
    e(1, "CUDA_ERROR_INVALID_VALUE", "The call got an argument that it does not accept."),
    e(2, "CUDA_ERROR_OUT_OF_MEMORY", "There was not enough memory; while CUDA starts, that is WSL2 with several GPUs or a GPU that is full."),
    e(3, "CUDA_ERROR_NOT_INITIALIZED", "The driver could not be initialised, or a call came after an initialisation that failed."),
    e(4, "CUDA_ERROR_DEINITIALIZED", "The driver is shutting down in this process."),
    e(34, "CUDA_ERROR_STUB_LIBRARY", "The toolkit's stub libcuda was loaded instead of the driver's."),
    e(35, "cudaErrorInsufficientDriver", "The CUDA runtime found no libcuda, or one that is older than it needs."),
    e(36, "cudaErrorCallRequiresNewerDriver", "This call exists only in a newer driver."),
    e(46, "CUDA_ERROR_DEVICE_UNAVAILABLE", "The GPU refused a context: another process holds it in exclusive mode, or its compute mode prohibits contexts."),
    e(100, "CUDA_ERROR_NO_DEVICE", "CUDA found no GPU that this process may use; the code does not tell missing, forbidden and hidden apart."),
    e(101, "CUDA_ERROR_INVALID_DEVICE", "The GPU number does not exist for this process."),
    e(102, "CUDA_ERROR_DEVICE_NOT_LICENSED", "The virtual GPU has no licence."),
    e(200, "CUDA_ERROR_INVALID_IMAGE", "The driver cannot read this device code; code compressed with zstd needs driver 550 or later."),
    e(201, "CUDA_ERROR_INVALID_CONTEXT", "The context is not valid any more."),
    e(205, "CUDA_ERROR_MAP_FAILED", "Mapping memory failed."),
    e(209, "CUDA_ERROR_NO_BINARY_FOR_GPU", "The program has no code for the architecture of this GPU."),
    e(214, "CUDA_ERROR_ECC_UNCORRECTABLE", "The GPU's memory had an error that ECC could not correct."),
    e(216, "CUDA_ERROR_CONTEXT_ALREADY_IN_USE", "The context is in use by another thread."),
    e(217, "CUDA_ERROR_PEER_ACCESS_UNSUPPORTED", "These two GPUs cannot reach each other's memory."),
    e(218, "CUDA_ERROR_INVALID_PTX", "The driver's compiler rejected the PTX."),
    e(220, "CUDA_ERROR_NVLINK_UNCORRECTABLE", "An NVLink had an error that could not be corrected."),
    e(221, "CUDA_ERROR_JIT_COMPILER_NOT_FOUND", "The driver's PTX compiler, libnvidia-ptxjitcompiler, was not found."),
    e(222, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION", "The PTX was made by a newer CUDA than this driver has."),
    e(223, "CUDA_ERROR_JIT_COMPILATION_DISABLED", "Compiling PTX is switched off by CUDA_DISABLE_PTX_JIT."),
    e(226, "CUDA_ERROR_CONTAINED", "A memory error was contained; this process has to start again."),
    e(302, "CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND", "A symbol in a shared library was not found."),
    e(303, "CUDA_ERROR_SHARED_OBJECT_INIT_FAILED", "A shared library could not be initialised; TensorFlow prints this number when libcuda does not load."),
    e(304, "CUDA_ERROR_OPERATING_SYSTEM", "A call to the operating system failed."),
    e(400, "CUDA_ERROR_INVALID_HANDLE", "A handle is not valid."),
    e(500, "CUDA_ERROR_NOT_FOUND", "The named symbol was not found."),
    e(600, "CUDA_ERROR_NOT_READY", "The work is not finished yet."),
    e(700, "CUDA_ERROR_ILLEGAL_ADDRESS", "A kernel of the program used an address that is not its own."),
    e(701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", "The kernel needs more registers or threads than the GPU has."),
    e(702, "CUDA_ERROR_LAUNCH_TIMEOUT", "The kernel ran longer than the display watchdog allows."),
    e(710, "CUDA_ERROR_ASSERT", "An assertion in device code failed; often an index out of range."),
    e(714, "CUDA_ERROR_HARDWARE_STACK_ERROR", "The device's call stack is corrupt or overflowed."),
    e(715, "CUDA_ERROR_ILLEGAL_INSTRUCTION", "The device met an instruction that it does not have."),
    e(716, "CUDA_ERROR_MISALIGNED_ADDRESS", "A kernel of the program used an address that is not aligned."),
    e(717, "CUDA_ERROR_INVALID_ADDRESS_SPACE", "A kernel of the program used memory of the wrong kind."),
    e(718, "CUDA_ERROR_INVALID_PC", "The device's program counter left the code."),
    e(719, "CUDA_ERROR_LAUNCH_FAILED", "A kernel died; the kernel log may hold an Xid that says more."),
    e(720, "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE", "The cooperative launch has more blocks than fit."),
    e(800, "CUDA_ERROR_NOT_PERMITTED", "The operation is not permitted; a running process that lost its device access gets this."),
    e(801, "CUDA_ERROR_NOT_SUPPORTED", "The operation is not supported here; on a Jetson, also when the user may not open the GPU."),
    e(802, "CUDA_ERROR_SYSTEM_NOT_READY", "The machine's fabric, or its confidential-computing mode, is not ready for CUDA yet."),
    e(803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH", "libcuda and the loaded kernel module belong to different driver versions."),
    e(804, "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE", "A libcuda newer than the kernel driver was loaded, and this GPU does not allow that."),
    e(805, "CUDA_ERROR_MPS_CONNECTION_FAILED", "The MPS control daemon does not answer."),
    e(806, "CUDA_ERROR_MPS_RPC_FAILURE", "Talking to the MPS server failed."),
    e(807, "CUDA_ERROR_MPS_SERVER_NOT_READY", "The MPS server does not take clients yet."),
    e(808, "CUDA_ERROR_MPS_MAX_CLIENTS_REACHED", "The MPS server has as many clients as it allows."),
    e(809, "CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED", "The GPU has as many MPS connections as it allows."),
    e(810, "CUDA_ERROR_MPS_CLIENT_TERMINATED", "The MPS server ended this client."),
    e(900, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED", "This call is not allowed while a graph is captured."),
    e(999, "CUDA_ERROR_UNKNOWN", "The driver failed without saying why; most often /dev/nvidia-uvm is missing, closed to this process, or in a bad state after suspend."),
];

/// What is known of a code.
pub fn lookup(code: i32) -> Option<&'static CudaError> {
    ERRORS.iter().find(|error| error.code == code)
}

/// The name of a code, or `CUDA error N`.
pub fn name(code: i32) -> String {
    lookup(code).map_or_else(|| format!("CUDA error {code}"), |error| error.name.to_string())
}

/// Today's number for one of the runtime before CUDA 10.1 (2019), as torch up to 1.5 prints them. Other numbers stay.
pub fn from_old_runtime(code: i32) -> i32 {
    match code {
        10 => 101,
        30 => 999,
        38 => 100,
        48 => 209,
        71 => 801,
        77 => 700,
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_in_order_and_every_sentence_ends() {
        assert!(ERRORS.windows(2).all(|pair| pair[0].code < pair[1].code));
        assert!(ERRORS.iter().all(|error| error.meaning.ends_with('.')));
    }

    #[test]
    fn the_codes_that_start_a_diagnosis_have_their_names() {
        let names = [(34, "STUB"), (100, "NO_DEVICE"), (209, "NO_BINARY"), (802, "NOT_READY"), (803, "MISMATCH")];
        for (code, part) in names {
            assert!(name(code).contains(part), "{code}");
        }
        assert_eq!(name(12345), "CUDA error 12345");
        assert_eq!(from_old_runtime(48), 209);
        assert_eq!(from_old_runtime(802), 802);
    }
}
