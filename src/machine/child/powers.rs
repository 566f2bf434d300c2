//! What a child may do on Linux: tied to this process always, and without the power to change `/dev` where it is to
//! leave the machine as it was.
//!
//! As root, NVIDIA's libraries repair what they find: they make a missing `/dev/nvidiactl`, set the mode of one that lies
//! there to 0666, and remove a plain file of that name (measured with 470, 535 and 550). A capability stops only the first:
//! root owns the nodes. So such a child sees a `/dev` that is read-only, in a mount namespace of its own; nodes on it can be
//! opened for writing as ever. Where that is not permitted (most containers), taking the capabilities has to do.
//!
//! All of this runs between fork and exec: system calls only, no allocation, no lock.

use std::ffi::CStr;
use std::io;

const CAP_SYS_MODULE: u32 = 16;
const CAP_MKNOD: u32 = 27;

const DEV: &CStr = c"/dev";
/// Programs may need to write here; it is often a mount of its own.
const SHARED_MEMORY: &CStr = c"/dev/shm";

/// Runs between fork and exec.
pub fn in_child(parent: u32, keeps_powers: bool) -> io::Result<()> {
    // SAFETY: prctl, getppid and setrlimit with plain numbers.
    unsafe {
        // An interrupted check must not leave a child behind that hangs in the driver: a group of its own is out of
        // the reach of the terminal's Ctrl-C.
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL as libc::c_ulong);
        if libc::getppid() as u32 != parent {
            return Err(io::Error::from_raw_os_error(libc::ESRCH));
        }
        // A core file in the user's folder would be a trace left behind.
        let none = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        libc::setrlimit(libc::RLIMIT_CORE, &none);
        if !keeps_powers {
            freeze_dev();
            // Without new privileges, the setuid nvidia-modprobe cannot make nodes or load modules either.
            libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1 as libc::c_ulong, 0 as libc::c_ulong, 0, 0);
            for power in [CAP_SYS_MODULE, CAP_MKNOD] {
                libc::prctl(libc::PR_CAPBSET_DROP, power as libc::c_ulong, 0, 0, 0);
            }
            drop_held();
        }
    }
    Ok(())
}

/// Makes `/dev` read-only, for this process and its children alone. Does what is permitted.
fn freeze_dev() {
    // SAFETY: the strings end in zero and live for ever; null is what these calls take for "not given".
    unsafe {
        let none = std::ptr::null::<libc::c_char>();
        if libc::unshare(libc::CLONE_NEWNS) != 0
            || libc::mount(none, c"/".as_ptr(), none, libc::MS_REC | libc::MS_PRIVATE, std::ptr::null()) != 0
        {
            return;
        }
        // Nodes that a container runtime put there are mounts themselves, hence all below it.
        if !set_read_only(DEV, true) {
            // It is a folder of the root file system, or the kernel is older than 5.12.
            libc::mount(DEV.as_ptr(), DEV.as_ptr(), none, libc::MS_BIND | libc::MS_REC, std::ptr::null());
            if !set_read_only(DEV, true) {
                let again = libc::MS_REMOUNT | libc::MS_BIND | libc::MS_RDONLY;
                libc::mount(none, DEV.as_ptr(), none, again, std::ptr::null());
            }
        }
        set_read_only(SHARED_MEMORY, false);
    }
}

/// Makes a mount and, with `on`, all that is mounted below it read-only, or makes this one writable.
fn set_read_only(mount: &CStr, on: bool) -> bool {
    let flag = libc::MOUNT_ATTR_RDONLY;
    let (attr_set, attr_clr) = if on { (flag, 0) } else { (0, flag) };
    let attributes = libc::mount_attr { attr_set, attr_clr, propagation: 0, userns_fd: 0 };
    let depth = if on { libc::AT_RECURSIVE } else { 0 };
    // SAFETY: the structure has the layout and the size that the call is told.
    unsafe {
        let size = std::mem::size_of::<libc::mount_attr>();
        libc::syscall(libc::SYS_mount_setattr, libc::AT_FDCWD, mount.as_ptr(), depth, &attributes, size) == 0
    }
}

#[repr(C)]
struct Header {
    version: u32,
    pid: i32,
}

#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Sets {
    effective: u32,
    permitted: u32,
    inheritable: u32,
}

/// The bounding set alone is not enough: what is inheritable passes through it when root executes a program.
fn drop_held() {
    // _LINUX_CAPABILITY_VERSION_3: two words of each set.
    let mut header = Header { version: 0x2008_0522, pid: 0 };
    let mut sets = [Sets::default(); 2];
    let gone = !(1 << CAP_SYS_MODULE | 1 << CAP_MKNOD);
    // SAFETY: both structures have the layout that version 3 of the call demands.
    unsafe {
        if libc::syscall(libc::SYS_capget, &mut header, sets.as_mut_ptr()) == 0 {
            sets[0].effective &= gone;
            sets[0].permitted &= gone;
            sets[0].inheritable &= gone;
            libc::syscall(libc::SYS_capset, &mut header, sets.as_ptr());
        }
    }
}
