//! What differs between systems: groups of processes, and powers.

#[cfg(unix)]
pub use unix::{Group, prepare};
#[cfg(not(unix))]
pub use windows::{Group, prepare};

#[cfg(unix)]
mod unix {
    use crate::machine::child::End;
    use crate::machine::signals;
    use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, kill_process_group, waitid};
    use std::os::unix::process::{CommandExt, ExitStatusExt};
    use std::process::{Child, Command};

    /// A child with all that it started.
    #[derive(Debug)]
    pub struct Group {
        child: Child,
        pid: Option<Pid>,
        ended: bool,
        well: bool,
    }

    impl Group {
        /// The group that a child leads.
        pub fn of(child: Child) -> Group {
            let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
            Group { child, pid, ended: false, well: false }
        }

        /// The child's number.
        pub fn id(&self) -> u32 {
            self.child.id()
        }

        /// Whether the child has ended. It stays a zombie, so that its number stays its own, until it is reaped.
        pub fn has_ended(&mut self) -> bool {
            if let (false, Some(pid)) = (self.ended, self.pid) {
                let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
                let got = waitid(WaitId::Pid(pid), options);
                // An error means that there is no such child: somebody ignores SIGCHLD for us.
                self.ended = !matches!(got, Ok(None));
                self.well = matches!(got, Ok(Some(status)) if status.exit_status() == Some(0));
            }
            self.ended
        }

        /// Whether it has ended of itself with status 0, once it is known that it has ended.
        pub fn ended_well(&self) -> bool {
            self.well
        }

        /// Asks the child to end: a Python prints its stack.
        pub fn ask_to_end(&self) {
            if let Some(pid) = self.pid {
                let _ = kill_process(pid, Signal::TERM);
            }
        }

        /// Kills the child and all that stayed in its group.
        pub fn kill(&self) {
            if let Some(pid) = self.pid {
                let _ = kill_process_group(pid, Signal::KILL);
            }
        }

        /// How the child ended; nothing when it has not.
        pub fn reap(mut self) -> Option<End> {
            if !self.has_ended() {
                return None;
            }
            if let Some(pid) = self.pid {
                signals::leave(pid.as_raw_nonzero().get());
            }
            let status = self.child.wait().ok()?;
            Some(match (status.code(), status.signal()) {
                (Some(code), _) => End::Exited(code),
                (None, signal) => End::Signaled(signal.unwrap_or_default()),
            })
        }
    }

    /// Gives the child a group of its own and, on Linux, takes its powers and ties it to this process.
    pub fn prepare(command: &mut Command, keeps_powers: bool) {
        command.process_group(0);
        #[cfg(target_os = "linux")]
        {
            let parent = std::process::id();
            // SAFETY: the closure makes system calls only; it allocates nothing and takes no lock.
            unsafe {
                command.pre_exec(move || crate::machine::child::powers::in_child(parent, keeps_powers));
            }
        }
        #[cfg(not(target_os = "linux"))]
        let _ = keeps_powers;
    }
}

#[cfg(not(unix))]
mod windows {
    use crate::machine::child::End;
    use std::cell::RefCell;
    use std::process::{Child, Command};

    /// A child. What it started is not reached: there are no process groups here.
    #[derive(Debug)]
    pub struct Group {
        child: RefCell<Child>,
        status: Option<End>,
    }

    impl Group {
        /// The child.
        pub fn of(child: Child) -> Group {
            Group { child: RefCell::new(child), status: None }
        }

        /// The child's number.
        pub fn id(&self) -> u32 {
            self.child.borrow().id()
        }

        /// Whether the child has ended.
        pub fn has_ended(&mut self) -> bool {
            if self.status.is_none()
                && let Ok(Some(status)) = self.child.get_mut().try_wait()
            {
                self.status = Some(End::Exited(status.code().unwrap_or_default()));
            }
            self.status.is_some()
        }

        /// Whether it has ended of itself with status 0, once it is known that it has ended.
        pub fn ended_well(&self) -> bool {
            self.status == Some(End::Exited(0))
        }

        /// There is no way to ask.
        pub fn ask_to_end(&self) {}

        /// Kills the child.
        pub fn kill(&self) {
            let _ = self.child.borrow_mut().kill();
        }

        /// How the child ended; nothing when it has not.
        pub fn reap(mut self) -> Option<End> {
            self.has_ended();
            self.status
        }
    }

    /// Nothing to prepare.
    pub fn prepare(_command: &mut Command, _keeps_powers: bool) {}
}
