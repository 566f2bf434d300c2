//! A tiny computation on one device, step by step: each step is announced, so that a crash or a hang has a name.

use super::driver::Driver;
use crate::probes::child::Channel;
use serde_json::json;
use std::ffi::{CString, c_void};
use std::ptr;

/// data[i] = data[i] * mul + add.
const PTX: &str = include_str!("../axpb.ptx");
const KERNEL: &str = "gpu_doctor_axpb";
const N: u32 = 1024;
const MUL: u32 = 3;
const ADD: u32 = 7;

/// Runs all steps on a device, up to the first that fails, and gives its context back.
pub fn run(channel: &Channel, driver: &Driver, index: i32) {
    let step = |name: &str, call: &mut dyn FnMut() -> i32| {
        channel.line(&json!({ "begin": "compute", "step": name, "index": index }));
        let code = call();
        let last = code != 0;
        channel.stage("compute", json!({ "step": name, "index": index, "code": code, "last": last }));
        code == 0
    };
    let mut context: *mut c_void = ptr::null_mut();
    let (_, device) = driver.handle(index);
    // SAFETY: pointers to live variables; the context belongs to this thread until it is destroyed below.
    if !step("context", &mut || unsafe { (driver.ctx_create)(&mut context, 0, device) }) {
        return;
    }
    if let Some(result) = in_context(driver, &step) {
        let right = result.iter().zip(0u32..).all(|(value, i)| *value == i.wrapping_mul(MUL).wrapping_add(ADD));
        let name = if right { "done" } else { "compare" };
        channel.stage("compute", json!({ "step": name, "index": index, "code": 0, "last": true }));
    }
    channel.begin("cuCtxDestroy");
    // SAFETY: the context was made above. This frees the memory and the module with it.
    let code = unsafe { (driver.ctx_destroy)(context) };
    channel.stage("cuCtxDestroy", json!({ "index": index, "code": code }));
}

/// The steps between making a context and comparing; gives back what the device computed.
fn in_context(driver: &Driver, step: &dyn Fn(&str, &mut dyn FnMut() -> i32) -> bool) -> Option<Vec<u32>> {
    let mut data: Vec<u32> = (0..N).collect();
    let bytes = data.len() * size_of::<u32>();
    let mut memory = 0u64;
    let (mut module, mut function) = (ptr::null_mut(), ptr::null_mut());
    let (ptx, name) = (CString::new(PTX).ok()?, CString::new(KERNEL).ok()?);
    // SAFETY: every pointer leads to a live variable or buffer of the size that is given, and the kernel's parameters are
    // those of axpb.ptx.
    unsafe {
        let steps = step("allocate", &mut || (driver.mem_alloc)(&mut memory, bytes))
            && step("copy_in", &mut || (driver.memcpy_in)(memory, data.as_ptr().cast(), bytes))
            && step("module", &mut || match (driver.module_load)(&mut module, ptx.as_ptr().cast()) {
                0 => (driver.module_get_function)(&mut function, module, name.as_ptr()),
                code => code,
            })
            && step("launch", &mut || {
                let (mut mul, mut add, mut n) = (MUL, ADD, N);
                let mut parameters: [*mut c_void; 4] =
                    [(&raw mut memory).cast(), (&raw mut mul).cast(), (&raw mut add).cast(), (&raw mut n).cast()];
                let (blocks, threads) = (N.div_ceil(256), 256);
                let launched = (driver.launch_kernel)(
                    function,
                    blocks,
                    1,
                    1,
                    threads,
                    1,
                    1,
                    0,
                    ptr::null_mut(),
                    parameters.as_mut_ptr(),
                    ptr::null_mut(),
                );
                if launched == 0 { (driver.ctx_synchronize)() } else { launched }
            });
        data.fill(0);
        (steps && step("copy_back", &mut || (driver.memcpy_out)(data.as_mut_ptr().cast(), memory, bytes)))
            .then_some(data)
    }
}
