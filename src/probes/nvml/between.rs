//! What joins the GPUs: each GPU's NVLinks, and whether two GPUs can read from each other.

use super::readings::{At, FUNCTION_NOT_FOUND, NOT_SUPPORTED, Reading, checked};
use crate::facts::links::NvLink;
use crate::probes::child::Channel;
use nvml_wrapper::Device;
use std::collections::BTreeMap;
use std::ffi::c_int;

/// NVML_NVLINK_MAX_LINKS of current drivers.
const MOST_LINKS: u32 = 18;
/// GPUs of which every pair is asked about.
const MOST_GPUS: usize = 16;
/// NVML_P2P_CAPS_INDEX_READ.
const READ: u32 = 0;

/// Takes the readings of all GPUs, each given with its number and address.
pub fn all(channel: &Channel, devices: &[(u32, String, Device)]) {
    for (index, address, device) in devices {
        let at = At { channel, index: *index };
        at.say("nvlinks", || links(device));
        if devices.len() > 1 {
            let others = devices.iter().take(MOST_GPUS).filter(|(_, other, _)| other != address);
            at.say("p2p", || {
                others.map(|(_, other, to)| Ok((other.clone(), peer(device, to)?))).collect::<Reading<BTreeMap<_, _>>>()
            });
        }
    }
}

/// Links are numbered from 0; the first number that the GPU does not have ends the list.
fn links(device: &Device) -> Reading<Vec<NvLink>> {
    let lib = device.nvml().lib();
    let state = lib.nvmlDeviceGetNvLinkState.as_ref().map_err(|_| FUNCTION_NOT_FOUND)?;
    let mut found = Vec::new();
    for link in 0..MOST_LINKS {
        let mut active = 0;
        // SAFETY: the handle is the wrapper's own, and the pointer is to a live number.
        if let Err(code) = checked(unsafe { state(device.handle(), link, &mut active) } as c_int) {
            if link == 0 {
                return Err(code);
            }
            break;
        }
        let mut kind = 0;
        // SAFETY: as above.
        let remote = lib
            .nvmlDeviceGetNvLinkRemoteDeviceType
            .as_ref()
            .ok()
            .and_then(|get| unsafe { checked(get(device.handle(), link, &mut kind) as c_int).ok() });
        // NVML_NVLINK_DEVICE_TYPE_*.
        let remote = remote.and(match kind {
            0 => Some("gpu"),
            1 => Some("npu"),
            2 => Some("switch"),
            _ => None,
        });
        found.push(NvLink { link, active: active != 0, remote: remote.map(str::to_string) });
    }
    if found.is_empty() { Err(NOT_SUPPORTED) } else { Ok(found) }
}

/// NVML_P2P_STATUS_* of reading.
fn peer(device: &Device, other: &Device) -> Reading<String> {
    let get = device.nvml().lib().nvmlDeviceGetP2PStatus.as_ref().map_err(|_| FUNCTION_NOT_FOUND)?;
    let mut status = 0;
    // SAFETY: both handles are the wrapper's own, and the pointer is to a live number.
    checked(unsafe { get(device.handle(), other.handle(), READ, &mut status) } as c_int)?;
    let word = match status {
        0 => "ok",
        1 => "chipset_not_supported",
        2 => "gpu_not_supported",
        3 => "topology_not_supported",
        4 => "disabled",
        5 => "not_supported",
        _ => "unknown",
    };
    Ok(word.to_string())
}
