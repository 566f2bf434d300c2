//! nvidia-smi: every one there is, whether it answers, and what it says. Its failures are on stdout.

use crate::facts::Facts;
use crate::facts::nvidia::{self, SmiRun};
use crate::machine::Machine;
use crate::machine::child::{End, Report, Spec, same_program};
use crate::subject::{Subject, pci_address};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Name of the probe.
pub const NAME: &str = "nvidia-smi";

/// The cells that are asked for.
const QUERY: &str = "index,pci.bus_id,name,uuid,driver_version,memory.total,memory.used,compute_mode,mig.mode.current,\
                     temperature.gpu,pstate";
/// Bytes kept of a message.
const MESSAGE: usize = 2048;

/// Every nvidia-smi on PATH and in the known places, each file once.
pub fn find(machine: &Machine) -> Vec<PathBuf> {
    let mut known: Vec<PathBuf> = match cfg!(windows) {
        // The second is where drivers before 2018 put it.
        true => [r"C:\Windows\System32", r"C:\Program Files\NVIDIA Corporation\NVSMI"]
            .map(|folder| PathBuf::from(folder).join("nvidia-smi.exe"))
            .into(),
        false => ["/usr/bin", "/usr/lib/wsl/lib", "/opt/bin", "/usr/local/nvidia/bin", "/run/current-system/sw/bin"]
            .map(|folder| PathBuf::from(folder).join(NAME))
            .into(),
    };
    // Debian's alternatives: /usr/lib/nvidia/current/nvidia-smi; others: /usr/lib/nvidia-535/bin.
    for folder in machine.list("/usr/lib").unwrap_or_default().iter().filter(|name| name.starts_with("nvidia")) {
        known.push(format!("/usr/lib/{folder}/bin/{NAME}").into());
        known.push(format!("/usr/lib/{folder}/current/{NAME}").into());
    }
    let mut found: Vec<PathBuf> = Vec::new();
    for path in machine.programs(NAME).into_iter().chain(known.into_iter().filter(|path| machine.is_program(path))) {
        if !found.iter().any(|other| same_program(other, &path)) {
            found.push(path);
        }
    }
    found
}

/// The child that prints the cells, from one that prints the table.
pub fn query(table: Spec) -> Spec {
    table.arguments([format!("--query-gpu={QUERY}").as_str(), "--format=csv,noheader,nounits"])
}

/// What was found, and that nothing was.
pub fn found(programs: &[PathBuf], facts: &mut Facts) {
    let machine = Subject::machine();
    match programs {
        [] if cfg!(windows) => facts.absent(&nvidia::SMI_FOUND, &machine, "PATH, System32"),
        [] => facts.absent(&nvidia::SMI_FOUND, &machine, "PATH, /usr/bin, /usr/lib/wsl/lib"),
        _ => {
            let paths: Vec<String> = programs.iter().map(|p| p.display().to_string()).collect();
            facts.seen(&nvidia::SMI_FOUND, &machine, paths, "PATH");
        }
    }
}

/// How the run of one program ended.
pub fn parse_plain(program: &str, report: &Report, facts: &mut Facts) {
    let subject = Subject::file(program);
    let exit = match &report.end {
        // A program of this name that says nothing has not answered.
        End::Exited(0) if !report.stdout.contains("NVIDIA-SMI") => {
            return facts.failed(&nvidia::SMI, &subject, "it exits with 0 and prints no table", program);
        }
        End::Exited(code) => Some(*code),
        End::Signaled(_) => None,
        _ => {
            let why = super::ended(report).unwrap_or_default();
            return facts.failed(&nvidia::SMI, &subject, why, program);
        }
    };
    let said = if report.stdout.trim().is_empty() { &report.stderr } else { &report.stdout };
    let message = match exit {
        Some(0) => remarks(said),
        // It may fail after it printed the table (a lost GPU among others).
        _ if said.lines().any(|line| line.starts_with("| ")) => remarks(said),
        _ => cut(said.trim(), MESSAGE).to_string(),
    };
    let run = SmiRun {
        exit,
        message,
        driver: header(said, &["Driver Version:", "KMD Version:"]),
        cuda: header(said, &["CUDA Version:", "CUDA UMD Version:"]),
    };
    facts.seen(&nvidia::SMI, &subject, run, program);
}

/// The first cell rows. A program that fails says so in its plain run.
pub fn parse_query(command: &str, report: &Report, facts: &mut Facts) {
    let names: Vec<&str> = QUERY.split(',').map(str::trim).collect();
    for line in report.stdout.lines() {
        let cells: Vec<&str> = line.split(", ").map(str::trim).collect();
        // A remark between the rows has no address where the address belongs.
        let Some(address) = cells.get(1).and_then(|cell| pci_address(cell)).filter(|_| cells.len() == names.len())
        else {
            continue;
        };
        let row: BTreeMap<String, String> =
            names.iter().zip(&cells).map(|(name, cell)| (name.to_string(), cell.to_string())).collect();
        facts.seen(&nvidia::SMI_CELLS, &Subject::gpu(&address), row, command);
    }
}

/// The word behind one of these labels in the header of the table.
fn header(text: &str, labels: &[&str]) -> Option<String> {
    let line =
        text.lines().find(|line| line.contains("NVIDIA-SMI") && labels.iter().any(|label| line.contains(label)))?;
    let word = labels.iter().find_map(|label| line.split_once(label)?.1.split_whitespace().next())?;
    (word != "N/A" && word != "|").then(|| word.to_string())
}

/// What a run that went well says outside of its table: warnings about one GPU. The table itself would name processes.
fn remarks(text: &str) -> String {
    let table = |line: &&str| !line.is_empty() && !line.starts_with(['|', '+', ' ']);
    // The first line is the date.
    let date =
        |line: &str| line.trim_end().rsplit(' ').next().is_some_and(|w| w.len() == 4 && w.parse::<u32>().is_ok());
    let lines: Vec<&str> = text.lines().filter(table).filter(|line| !(date(line) && line.contains(':'))).collect();
    cut(&lines.join("\n"), MESSAGE).to_string()
}

/// At most `most` bytes, cut between characters.
fn cut(text: &str, most: usize) -> &str {
    let mut end = text.len().min(most);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(stdout: &str, end: End) -> Facts {
        let mut facts = Facts::new();
        let report = Report { end, stdout: stdout.to_string(), ..Report::not_started("") };
        parse_plain("/usr/bin/nvidia-smi", &report, &mut facts);
        facts
    }

    fn run(facts: &Facts) -> SmiRun {
        facts.look(&nvidia::SMI, &Subject::file("/usr/bin/nvidia-smi")).seen().unwrap()
    }

    #[test]
    fn the_header_of_every_age_is_read() {
        let old = "Mon Nov 30 20:50:56 2026       \n\
            +-----------------------------------------------------------------------------+\n\
            | NVIDIA-SMI 375.66                 Driver Version: 375.66                    |\n";
        let usual = "Mon Nov 30 20:50:56 2026       \n\
            +---------------------------------------------------------------------------------------+\n\
            | NVIDIA-SMI 535.183.01             Driver Version: 535.183.01   CUDA Version: 12.2     |\n\
            |    0   N/A  N/A      1234      C   /home/somebody/secret/python                 300MiB |\n";
        let new = "| NVIDIA-SMI 610.57.04              KMD Version: 610.57.04     CUDA UMD Version: 13.3     |\n";
        for (text, driver, cuda) in
            [(old, "375.66", None), (usual, "535.183.01", Some("12.2")), (new, "610.57.04", Some("13.3"))]
        {
            let run = run(&said(text, End::Exited(0)));
            assert_eq!((run.driver.as_deref(), run.cuda.as_deref()), (Some(driver), cuda));
            assert_eq!(run.message, "", "the table is not kept");
        }
    }

    #[test]
    fn a_failure_is_kept_in_its_own_words() {
        let text = "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the \
                    latest NVIDIA driver is installed and running.\n\n";
        let run = run(&said(text, End::Exited(9)));
        assert_eq!(run.exit, Some(9));
        assert_eq!(run.message, text.trim());
        assert_eq!(run.driver, None);
    }

    #[test]
    fn a_table_is_not_kept_either_when_the_program_fails() {
        let text = "Unable to determine the device handle for GPU1: GPU is lost\n| NVIDIA-SMI 535.54  Driver Version: 535.54 |\n\
                    |    0   N/A  N/A   7   C   python --token=secret   1MiB |\n";
        let run = run(&said(text, End::Exited(15)));
        assert_eq!(run.message, "Unable to determine the device handle for GPU1: GPU is lost");
    }

    #[test]
    fn a_warning_beside_a_table_is_kept() {
        let text = "WARNING: infoROM is corrupted at gpu 0000:01:00.0\n| NVIDIA-SMI 535.54  Driver Version: 535.54 |\n";
        assert_eq!(run(&said(text, End::Exited(0))).message, "WARNING: infoROM is corrupted at gpu 0000:01:00.0");
    }

    #[test]
    fn silence_is_not_an_answer() {
        let facts = said("hello\n", End::Exited(0));
        let program = Subject::file("/usr/bin/nvidia-smi");
        assert_eq!(facts.look(&nvidia::SMI, &program).why_failed(), Some("it exits with 0 and prints no table"));
    }

    #[test]
    fn a_hang_is_not_an_answer() {
        let facts = said("", End::TimedOut { abandoned: true });
        let program = Subject::file("/usr/bin/nvidia-smi");
        assert!(facts.look(&nvidia::SMI, &program).why_failed().unwrap().starts_with("still running"));
    }

    #[test]
    fn cells_belong_to_their_gpu_and_keep_their_words() {
        let stdout = "0, 00000000:01:00.0, NVIDIA L4, GPU-1, 535.183.01, 23034, 1, Default, [N/A], 35, P8\n\
                      Unable to determine the device handle for GPU\n\
                      1, 00000000:0B:00.0, [GPU is lost], [GPU is lost], 535.183.01, [GPU is lost], [GPU is lost], \
                      [GPU is lost], [GPU is lost], [GPU is lost], [GPU is lost]\n";
        let mut facts = Facts::new();
        parse_query("nvidia-smi", &Report { stdout: stdout.to_string(), ..Report::not_started("") }, &mut facts);
        let cells = |address: &str| facts.look(&nvidia::SMI_CELLS, &Subject::gpu(address)).seen().unwrap();
        assert_eq!(cells("0000:01:00.0")["memory.total"], "23034");
        assert_eq!(cells("0000:0b:00.0")["name"], "[GPU is lost]");
    }
}
