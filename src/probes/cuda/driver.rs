//! The calls of the driver API that are needed here, by their exported names.

use libloading::Library;
use serde_json::{Value, json};
use std::ffi::{c_char, c_int, c_uint, c_void};

type Code = c_int;
/// CUdevice_attribute.
const COMPUTE_CAPABILITY_MAJOR: c_int = 75;
const COMPUTE_CAPABILITY_MINOR: c_int = 76;
const INTEGRATED: c_int = 18;

/// The driver API. Functions of cuda.h, with the layout of a 64-bit platform.
#[derive(Debug)]
#[allow(missing_docs)]
pub struct Driver {
    init: unsafe extern "C" fn(c_uint) -> Code,
    driver_get_version: unsafe extern "C" fn(*mut c_int) -> Code,
    device_get_count: unsafe extern "C" fn(*mut c_int) -> Code,
    device_get: unsafe extern "C" fn(*mut c_int, c_int) -> Code,
    device_get_name: unsafe extern "C" fn(*mut c_char, c_int, c_int) -> Code,
    device_get_attribute: unsafe extern "C" fn(*mut c_int, c_int, c_int) -> Code,
    device_total_mem: unsafe extern "C" fn(*mut usize, c_int) -> Code,
    device_get_pci: unsafe extern "C" fn(*mut c_char, c_int, c_int) -> Code,
    pub ctx_create: unsafe extern "C" fn(*mut *mut c_void, c_uint, c_int) -> Code,
    pub ctx_destroy: unsafe extern "C" fn(*mut c_void) -> Code,
    pub ctx_synchronize: unsafe extern "C" fn() -> Code,
    pub mem_alloc: unsafe extern "C" fn(*mut u64, usize) -> Code,
    pub memcpy_in: unsafe extern "C" fn(u64, *const c_void, usize) -> Code,
    pub memcpy_out: unsafe extern "C" fn(*mut c_void, u64, usize) -> Code,
    pub module_load: unsafe extern "C" fn(*mut *mut c_void, *const c_void) -> Code,
    pub module_get_function: unsafe extern "C" fn(*mut *mut c_void, *mut c_void, *const c_char) -> Code,
    #[allow(clippy::type_complexity)]
    pub launch_kernel: unsafe extern "C" fn(
        *mut c_void,
        c_uint,
        c_uint,
        c_uint,
        c_uint,
        c_uint,
        c_uint,
        c_uint,
        *mut c_void,
        *mut *mut c_void,
        *mut *mut c_void,
    ) -> Code,
}

impl Driver {
    /// The functions of a loaded library; the error is the name of the first that is missing.
    pub fn of(library: &Library) -> Result<Driver, String> {
        /// Gets a function by name. The caller names the right type.
        unsafe fn get<T: Copy>(library: &Library, name: &str) -> Result<T, String> {
            // SAFETY: as promised by the caller.
            unsafe { library.get::<T>(name.as_bytes()) }.map(|symbol| *symbol).map_err(|_| name.to_string())
        }
        // SAFETY: the types are those of cuda.h, and the library is never unloaded.
        unsafe {
            Ok(Driver {
                init: get(library, "cuInit")?,
                driver_get_version: get(library, "cuDriverGetVersion")?,
                device_get_count: get(library, "cuDeviceGetCount")?,
                device_get: get(library, "cuDeviceGet")?,
                device_get_name: get(library, "cuDeviceGetName")?,
                device_get_attribute: get(library, "cuDeviceGetAttribute")?,
                device_total_mem: get(library, "cuDeviceTotalMem_v2")?,
                device_get_pci: get(library, "cuDeviceGetPCIBusId")?,
                ctx_create: get(library, "cuCtxCreate_v2")?,
                ctx_destroy: get(library, "cuCtxDestroy_v2")?,
                ctx_synchronize: get(library, "cuCtxSynchronize")?,
                mem_alloc: get(library, "cuMemAlloc_v2")?,
                memcpy_in: get(library, "cuMemcpyHtoD_v2")?,
                memcpy_out: get(library, "cuMemcpyDtoH_v2")?,
                module_load: get(library, "cuModuleLoadData")?,
                module_get_function: get(library, "cuModuleGetFunction")?,
                launch_kernel: get(library, "cuLaunchKernel")?,
            })
        }
    }

    /// cuDriverGetVersion.
    pub fn version(&self) -> (i32, i32) {
        let mut version = 0;
        // SAFETY: a pointer to a live integer, as in every call below.
        (unsafe { (self.driver_get_version)(&mut version) }, version)
    }

    /// cuInit.
    pub fn init(&self) -> i32 {
        // SAFETY: no arguments but flags.
        unsafe { (self.init)(0) }
    }

    /// cuDeviceGetCount.
    pub fn count(&self) -> (i32, i32) {
        let mut count = 0;
        // SAFETY: see above.
        (unsafe { (self.device_get_count)(&mut count) }, count)
    }

    /// The handle of a device.
    pub fn handle(&self, index: i32) -> (i32, c_int) {
        let mut device = 0;
        // SAFETY: see above.
        (unsafe { (self.device_get)(&mut device, index) }, device)
    }

    /// What the driver says of a device: what could be read, and the code of every reading that failed.
    pub fn device(&self, index: i32) -> Value {
        let mut codes = serde_json::Map::new();
        let mut note = |name: &str, code: i32| {
            if code != 0 {
                codes.insert(name.to_string(), code.into());
            }
            code == 0
        };
        let mut fields = json!({ "index": index });
        let (code, device) = self.handle(index);
        if note("handle", code) {
            let (mut name, mut pci) = ([0u8; 256], [0u8; 32]);
            let (mut memory, mut major, mut minor, mut integrated) = (0usize, 0, 0, 0);
            // SAFETY: every pointer leads to a live buffer of the size that is given.
            unsafe {
                if note("name", (self.device_get_name)(name.as_mut_ptr().cast(), 256, device)) {
                    fields["name"] = text(&name).into();
                }
                if note("pci", (self.device_get_pci)(pci.as_mut_ptr().cast(), 32, device)) {
                    fields["pci"] = text(&pci).into();
                }
                if note("memory", (self.device_total_mem)(&mut memory, device)) {
                    fields["memory"] = (memory as u64).into();
                }
                let attribute = self.device_get_attribute;
                let first = attribute(&mut major, COMPUTE_CAPABILITY_MAJOR, device);
                let second = attribute(&mut minor, COMPUTE_CAPABILITY_MINOR, device);
                if note("compute_capability", first.max(second)) {
                    fields["compute_capability"] = format!("{major}.{minor}").into();
                }
                if note("integrated", attribute(&mut integrated, INTEGRATED, device)) {
                    fields["integrated"] = (integrated != 0).into();
                }
            }
        }
        fields["codes"] = codes.into();
        fields
    }
}

fn text(buffer: &[u8]) -> String {
    let end = buffer.iter().position(|b| *b == 0).unwrap_or(buffer.len());
    String::from_utf8_lossy(&buffer[..end]).into_owned()
}
