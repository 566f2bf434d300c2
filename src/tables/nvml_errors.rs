//! Result codes of NVML: name, and what it means in one sentence.
//!
//! Names and numbers: `nvml.h` of CUDA 13 (2026-11). What causes 4, 9, 17 and 999 was measured with NVIDIA's real libraries
//! (470, 535, 550) against staged device nodes.

/// A result code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NvmlError {
    /// The number.
    pub code: i32,
    /// `NVML_ERROR_DRIVER_NOT_LOADED`.
    pub name: &'static str,
    /// What it means; one sentence.
    pub meaning: &'static str,
}

const fn e(code: i32, name: &'static str, meaning: &'static str) -> NvmlError {
    NvmlError { code, name, meaning }
}

#[rustfmt::skip]
static ERRORS: &[NvmlError] = &[
    e(0, "NVML_SUCCESS", "It worked."),
    e(1, "NVML_ERROR_UNINITIALIZED", "NVML was not initialised."),
    e(2, "NVML_ERROR_INVALID_ARGUMENT", "The call got an argument that it does not accept."),
    e(3, "NVML_ERROR_NOT_SUPPORTED", "This GPU has no such reading."),
    e(4, "NVML_ERROR_NO_PERMISSION", "This user may not open /dev/nvidiactl."),
    e(5, "NVML_ERROR_ALREADY_INITIALIZED", "NVML was initialised before."),
    e(6, "NVML_ERROR_NOT_FOUND", "There is no such device."),
    e(7, "NVML_ERROR_INSUFFICIENT_SIZE", "The buffer of the call is too small."),
    e(8, "NVML_ERROR_INSUFFICIENT_POWER", "The GPU's power cable is not connected."),
    e(9, "NVML_ERROR_DRIVER_NOT_LOADED", "The kernel module is not loaded, or /dev/nvidiactl is missing."),
    e(10, "NVML_ERROR_TIMEOUT", "The call took too long."),
    e(11, "NVML_ERROR_IRQ_ISSUE", "The kernel has a problem with the GPU's interrupts."),
    e(12, "NVML_ERROR_LIBRARY_NOT_FOUND", "libnvidia-ml was not found."),
    e(13, "NVML_ERROR_FUNCTION_NOT_FOUND", "This libnvidia-ml is too old for the call."),
    e(14, "NVML_ERROR_CORRUPTED_INFOROM", "The GPU's InfoROM is corrupt."),
    e(15, "NVML_ERROR_GPU_IS_LOST", "The GPU no longer answers on the bus."),
    e(16, "NVML_ERROR_RESET_REQUIRED", "The GPU has to be reset before it works again."),
    e(17, "NVML_ERROR_OPERATING_SYSTEM", "The operating system refused the device: an I/O error, busy, or too many open files."),
    e(18, "NVML_ERROR_LIB_RM_VERSION_MISMATCH", "The driver's libraries and the loaded kernel module are of different versions."),
    e(19, "NVML_ERROR_IN_USE", "The GPU is in use."),
    e(20, "NVML_ERROR_MEMORY", "There was not enough memory."),
    e(21, "NVML_ERROR_NO_DATA", "There is no data."),
    e(22, "NVML_ERROR_VGPU_ECC_NOT_SUPPORTED", "The virtual GPU does not work while ECC is on."),
    e(23, "NVML_ERROR_INSUFFICIENT_RESOURCES", "The GPU ran out of something other than memory."),
    e(24, "NVML_ERROR_FREQ_NOT_SUPPORTED", "The GPU does not have this clock rate."),
    e(25, "NVML_ERROR_ARGUMENT_VERSION_MISMATCH", "This libnvidia-ml is older than the caller."),
    e(26, "NVML_ERROR_DEPRECATED", "The call is no longer served."),
    e(27, "NVML_ERROR_NOT_READY", "The system is not ready yet."),
    e(28, "NVML_ERROR_GPU_NOT_FOUND", "There are no GPUs."),
    e(29, "NVML_ERROR_INVALID_STATE", "The GPU is not in a state for this call."),
    e(30, "NVML_ERROR_RESET_TYPE_NOT_SUPPORTED", "The GPU does not support this kind of reset."),
    e(999, "NVML_ERROR_UNKNOWN", "The driver failed without saying why; opening the node gives EPERM (a container's device cgroup) or ENODEV."),
];

/// What is known of a code.
pub fn lookup(code: i32) -> Option<&'static NvmlError> {
    ERRORS.iter().find(|error| error.code == code)
}

/// The name of a code, or `NVML error N`.
pub fn name(code: i32) -> String {
    lookup(code).map_or_else(|| format!("NVML error {code}"), |error| error.name.to_string())
}

/// The NVML code behind an exit status of nvidia-smi; nothing for 0, 1 and 2 (usage) and for numbers that are none of its
/// own. Its manual: 3 to 15 are NVML's except 10, which is NVML's 11; 18 was seen; 255 is 999.
pub fn of_smi_exit(status: i32) -> Option<i32> {
    match status {
        10 => Some(11),
        3 | 4 | 6 | 8 | 9 | 12..=16 | 18 => Some(status),
        255 => Some(999),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_in_order_and_every_sentence_ends() {
        assert!(ERRORS.windows(2).all(|pair| pair[0].code < pair[1].code));
        assert!(ERRORS.iter().all(|error| error.meaning.ends_with('.')));
        assert_eq!(name(18), "NVML_ERROR_LIB_RM_VERSION_MISMATCH");
        assert_eq!(name(77), "NVML error 77");
    }

    #[test]
    fn exit_statuses_of_nvidia_smi_lead_to_nvml() {
        assert_eq!(of_smi_exit(9), Some(9));
        assert_eq!(of_smi_exit(10), Some(11));
        assert_eq!(of_smi_exit(255), Some(999));
        assert_eq!(of_smi_exit(0), None);
        assert_eq!(of_smi_exit(127), None);
    }
}
