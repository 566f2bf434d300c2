//! What signals do to this program: a check that is interrupted leaves no child and no half-drawn line behind, and a file
//! that may not grow is an error like any other.

#[cfg(unix)]
pub use unix::{leave, line_is_drawn, prepare, remove_when_interrupted, started, starting, sweep_when_interrupted};
#[cfg(not(unix))]
pub use windows::{line_is_drawn, prepare, remove_when_interrupted, started, starting, sweep_when_interrupted};

#[cfg(unix)]
mod unix {
    use std::ffi::CString;
    use std::os::unix::ffi::OsStrExt;
    use std::path::Path;
    use std::ptr::null_mut;
    use std::sync::atomic::{AtomicBool, AtomicI32, AtomicPtr, Ordering};

    /// Children that run at once; there are fewer than a dozen.
    const MOST: usize = 64;
    /// Signals by which people, terminals and schedulers of jobs end a program: Slurm sends SIGUSR1 or SIGXCPU before its time
    /// is over, and `ulimit -t` SIGXCPU.
    const SIGNALS: [libc::c_int; 9] = [
        libc::SIGINT,
        libc::SIGTERM,
        libc::SIGHUP,
        libc::SIGQUIT,
        libc::SIGALRM,
        libc::SIGUSR1,
        libc::SIGUSR2,
        libc::SIGXCPU,
        // Also where this program itself has no memory left.
        libc::SIGABRT,
    ];
    /// The leaders of the groups that run; 0 is a free place.
    static GROUPS: [AtomicI32; MOST] = [const { AtomicI32::new(0) }; MOST];
    /// Children that are being started, and the signal that came meanwhile.
    static STARTING: AtomicI32 = AtomicI32::new(0);
    static PENDING: AtomicI32 = AtomicI32::new(0);
    /// Whether a line of progress stands on stderr.
    static LINE: AtomicBool = AtomicBool::new(false);
    /// The path of the folder that goes when the check is interrupted.
    static SCRATCH: AtomicPtr<libc::c_char> = AtomicPtr::new(null_mut());
    /// The run whose descendants in other sessions are swept away then.
    static RUN: AtomicPtr<libc::c_char> = AtomicPtr::new(null_mut());

    /// Sets it all up. Signals that the caller had ignored (nohup) stay ignored.
    pub fn prepare() {
        // SAFETY: the handler makes calls only that a handler may make, and the structure is filled as sigaction(2) says.
        unsafe {
            // Without this, `ulimit -f` kills the program in the middle of a file.
            libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
            for signal in SIGNALS {
                let mut now: libc::sigaction = std::mem::zeroed();
                if libc::sigaction(signal, std::ptr::null(), &mut now) != 0 || now.sa_sigaction == libc::SIG_IGN {
                    continue;
                }
                let mut then: libc::sigaction = std::mem::zeroed();
                then.sa_sigaction = interrupted as extern "C" fn(libc::c_int) as libc::sighandler_t;
                then.sa_flags = libc::SA_RESETHAND;
                libc::sigaction(signal, &then, std::ptr::null_mut());
            }
        }
    }

    /// A child that is being started has a number soon, and is then killed with the others.
    extern "C" fn interrupted(signal: libc::c_int) {
        PENDING.store(signal, Ordering::SeqCst);
        if STARTING.load(Ordering::SeqCst) == 0 {
            end(signal);
        }
    }

    /// Kills what runs, wipes the line, and lets the signal do what it does. The children themselves are tied to this
    /// process; what they started in their groups is not.
    fn end(signal: libc::c_int) {
        const WIPED: &[u8] = b"\r\x1b[2K";
        // SAFETY: kill, write, fork, execv, _exit and raise may be called in a handler.
        unsafe {
            for group in &GROUPS {
                let leader = group.load(Ordering::SeqCst);
                if leader > 1 {
                    libc::kill(-leader, libc::SIGKILL);
                }
            }
            if LINE.load(Ordering::SeqCst) {
                libc::write(libc::STDERR_FILENO, WIPED.as_ptr().cast(), WIPED.len());
            }
            let scratch = SCRATCH.load(Ordering::SeqCst);
            if !scratch.is_null() && libc::fork() == 0 {
                let arguments =
                    [c"rm".as_ptr(), c"-rf".as_ptr(), c"--".as_ptr(), scratch.cast_const(), std::ptr::null()];
                libc::execv(c"/bin/rm".as_ptr(), arguments.as_ptr());
                libc::_exit(1);
            }
            let run = RUN.load(Ordering::SeqCst);
            if !run.is_null() && libc::fork() == 0 {
                let arguments = [
                    c"gpu-doctor".as_ptr(),
                    c"__probe".as_ptr(),
                    c"sweep".as_ptr(),
                    run.cast_const(),
                    std::ptr::null(),
                ];
                libc::execv(c"/proc/self/exe".as_ptr(), arguments.as_ptr());
                libc::_exit(1);
            }
            // The handler is gone already; this comes through, at the latest when it returns.
            libc::raise(signal);
        }
    }

    /// A child is about to be started.
    pub fn starting() {
        STARTING.fetch_add(1, Ordering::SeqCst);
    }

    /// It was started, and leads a group of this number; or it could not be.
    pub fn started(leader: Option<u32>) {
        if let Some(leader) = leader.and_then(|number| i32::try_from(number).ok()) {
            let free =
                |place: &&AtomicI32| place.compare_exchange(0, leader, Ordering::SeqCst, Ordering::SeqCst).is_ok();
            // Without a free place the child is still tied to this process.
            let _ = GROUPS.iter().find(free);
        }
        STARTING.fetch_sub(1, Ordering::SeqCst);
        match PENDING.load(Ordering::SeqCst) {
            0 => {}
            signal => end(signal),
        }
    }

    /// A group is over. To be called before its leader is reaped, while its number cannot be somebody else's.
    pub fn leave(leader: i32) {
        for place in &GROUPS {
            let _ = place.compare_exchange(leader, 0, Ordering::SeqCst, Ordering::SeqCst);
        }
    }

    /// A folder that is to be removed when the check is interrupted; the last one that was named.
    pub fn remove_when_interrupted(folder: &Path) {
        if let Ok(path) = CString::new(folder.as_os_str().as_bytes()) {
            // Never freed: the handler may be reading it.
            SCRATCH.store(path.into_raw(), Ordering::SeqCst);
        }
    }

    /// A run whose descendants are to be ended when it is interrupted, also those in other sessions.
    pub fn sweep_when_interrupted(run: &str) {
        if let Ok(run) = CString::new(run) {
            // Never freed, as above.
            RUN.store(run.into_raw(), Ordering::SeqCst);
        }
    }

    /// Whether a line of progress stands on stderr, from now on.
    pub fn line_is_drawn(drawn: bool) {
        LINE.store(drawn, Ordering::SeqCst);
    }
}

#[cfg(not(unix))]
mod windows {
    /// Nothing to set up.
    pub fn prepare() {}

    /// Nobody needs to know.
    pub fn starting() {}

    /// Nobody needs to know.
    pub fn started(_leader: Option<u32>) {}

    /// Nothing interrupts in an orderly way here.
    pub fn remove_when_interrupted(_folder: &std::path::Path) {}

    /// There are no sessions here.
    pub fn sweep_when_interrupted(_run: &str) {}

    /// Nobody needs to know.
    pub fn line_is_drawn(_drawn: bool) {}
}
