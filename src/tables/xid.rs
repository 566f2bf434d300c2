//! Xid numbers: what the driver wants done about them.
//!
//! For Ampere and later; older chips use another list. Source: NVIDIA's Xid catalogue (2025-10 edition) through gpud's
//! table, and public reports for 79, 119, 154; as of 2026-11.

/// What to do about an Xid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Nothing: information, or a follow-up of another Xid.
    Ignore,
    /// Start the program again; the fault is its own as long as it does not follow the GPU.
    RestartProgram,
    /// Reset the GPU.
    ResetGpu,
    /// Reboot the machine.
    Reboot,
    /// Restart the virtual machine.
    RestartVm,
    /// Check the power cable.
    PowerCable,
    /// Update the driver.
    UpdateSoftware,
    /// Look up the sub-code, or the other Xid that it points to.
    Workflow,
    /// Check that nvidia-uvm is loaded and sound.
    CheckUvm,
}

impl Action {
    /// The action as an instruction.
    pub fn describe(self) -> &'static str {
        match self {
            Action::Ignore => "nothing needs doing",
            Action::RestartProgram => "restart the program",
            Action::ResetGpu => "reset the GPU",
            Action::Reboot => "reboot the machine",
            Action::RestartVm => "restart the virtual machine",
            Action::PowerCable => "check the GPU's power cable",
            Action::UpdateSoftware => "update the driver",
            Action::Workflow => "look at the details of the line: its sub-code decides",
            Action::CheckUvm => "check the nvidia_uvm module",
        }
    }
}

/// What to do about an Xid; nothing where the number is not known.
pub fn action(xid: u32) -> Option<Action> {
    Some(match xid {
        37 | 38 | 43 | 44 | 63 | 66 | 67 | 92 | 93 | 121 | 137 | 141 | 152 | 153 | 157 | 160 | 161 => Action::Ignore,
        46 | 62 | 64 | 95 | 109 | 110 | 119 | 120 | 136 | 140 | 143 | 155 | 156 | 158 => Action::ResetGpu,
        45 | 48 | 74 | 144..=150 | 154 | 171 | 172 => Action::Workflow,
        79 => Action::Reboot,
        151 => Action::RestartVm,
        54 => Action::PowerCable,
        78 => Action::UpdateSoftware,
        159 => Action::CheckUvm,
        8 | 11 | 13 | 25 | 31 | 32 | 39..=41 | 60 | 68..=72 | 75..=77 | 80 | 82..=86 | 88 | 89 | 94 => {
            Action::RestartProgram
        }
        96..=105 | 126..=135 | 139 => Action::RestartProgram,
        _ => return None,
    })
}

/// What an Xid says, for the numbers that people meet.
pub fn meaning(xid: u32) -> Option<&'static str> {
    Some(match xid {
        8 => "a program kept the GPU busy for too long",
        13 => "a kernel of the program raised an exception",
        31 => "a kernel of the program used memory that is not its own",
        32 => "the program's command stream is corrupt",
        43 => "a program's channel was stopped; the GPU is well",
        44 => "a fault while switching programs",
        45 => "work was removed because of another error before it",
        46 => "the GPU stopped processing",
        48 => "an uncorrectable error in the GPU's memory",
        54 => "the power cable is not connected",
        62 => "the GPU's internal controller halted",
        63 => "a bad memory row was recorded for remapping; a reset activates it",
        64 => "remapping a bad memory row failed",
        74 => "an NVLink error",
        78 => "the virtual GPU could not start",
        79 => "the GPU has fallen off the bus",
        92 => "many corrected memory errors",
        94 => "a contained memory error: one program was hit",
        95 => "an uncontained memory error: every program on the GPU was hit",
        119 => "the GPU System Processor did not answer a call",
        120 => "the GPU System Processor failed",
        144..=150 => "an NVLink 5 error",
        154 => "the driver's advice on how the GPU is to be recovered",
        _ => return None,
    })
}

/// Reads the number of a kernel-log line: `NVRM: Xid (PCI:0000:01:00): 79, ...` or, without an address, `NVRM: Xid: 154, ...`.
/// The second value is the address as written.
pub fn parse(line: &str) -> Option<(u32, Option<&str>)> {
    let rest = line.split_once("NVRM: Xid")?.1;
    let (address, rest) = match rest.trim_start().strip_prefix("(PCI:") {
        Some(rest) => {
            let (address, rest) = rest.split_once(')')?;
            (Some(address), rest)
        }
        None => (None, rest),
    };
    let rest = rest.trim_start().strip_prefix(':')?.trim_start();
    let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    Some((rest[..digits].parse().ok()?, address))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn real_lines_give_number_and_address() {
        let cases = [
            ("[14328.198504] NVRM: Xid (PCI:0000:01:00): 79, pid=1234, GPU has fallen off the bus.", 79, "0000:01:00"),
            ("NVRM: Xid (PCI:0000:01:00): 31, Ch 00000013, engmask 00000101", 31, "0000:01:00"),
            (
                "NVRM: Xid (PCI:0000:b3:00): 45, pid='<unknown>', name=<unknown>, caused by previous Xid 149",
                45,
                "0000:b3:00",
            ),
        ];
        for (line, number, address) in cases {
            assert_eq!(parse(line), Some((number, Some(address))), "{line}");
        }
        let advice = "NVRM: Xid: 154, GPU recovery action changed to 0x2 (Node Reboot Required)";
        assert_eq!(parse(advice), Some((154, None)));
        assert_eq!(parse("NVRM: Xid (PCI:0000:01:00)"), None);
        assert_eq!(parse("NVRM: No NVIDIA GPU found."), None);
    }

    #[test]
    fn the_vendor_decides_what_to_do() {
        assert_eq!(action(79), Some(Action::Reboot));
        assert_eq!(action(119), Some(Action::ResetGpu));
        assert_eq!(action(13), Some(Action::RestartProgram));
        assert_eq!(action(63), Some(Action::Ignore));
        assert_eq!(action(45), Some(Action::Workflow));
        assert_eq!(action(999), None);
    }
}
