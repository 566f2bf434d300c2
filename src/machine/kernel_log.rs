//! The kernel log: /dev/kmsg gives one record a read, and never ends with an end of file.

use super::Machine;
use std::io::{self, Read};

/// Records that are read at most; the log's buffer rarely holds more.
const MOST_RECORDS: u64 = 50_000;
/// A record is at most about 8 KiB long; a shorter buffer is refused.
const RECORD: usize = 16 << 10;

impl Machine {
    /// Hands every line of the kernel log to `line`, as `dmesg` prints it (`[   12.345678] text`), and returns how many
    /// there were.
    ///
    /// It is read from /dev/kmsg without waiting, or with syslog(2) where that node is missing (containers). Under
    /// another root it is the file `dev/kmsg` there, either records or lines of text.
    pub fn kernel_log(&self, mut line: impl FnMut(&str)) -> io::Result<u64> {
        const NODE: &str = "/dev/kmsg";
        let mut file = match self.open(NODE.as_ref()) {
            Ok(file) => file,
            Err(e) if e.kind() == io::ErrorKind::NotFound && !self.is_moved() => return system_log(line),
            // In an image no device is opened.
            Err(_) if self.image().is_some() => return Err(io::Error::from(io::ErrorKind::NotFound)),
            Err(e) => return Err(e),
        };
        if file.metadata()?.is_file() {
            return Ok(each_line(&self.text(NODE)?, &mut line));
        }
        // A node under another root would still be the log of this machine.
        if self.is_moved() {
            return Err(io::Error::from(io::ErrorKind::NotFound));
        }
        let mut buffer = vec![0; RECORD];
        let mut count = 0;
        while count < MOST_RECORDS {
            match file.read(&mut buffer) {
                Ok(0) => break,
                Ok(length) => {
                    count += 1;
                    line(&in_words(&String::from_utf8_lossy(&buffer[..length])));
                }
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => break,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                // EPIPE: records were overwritten before they were read; the next read goes on behind them.
                Err(e) if e.kind() == io::ErrorKind::BrokenPipe => count += 1,
                Err(e) => return Err(e),
            }
        }
        Ok(count)
    }
}

fn each_line(text: &str, line: &mut impl FnMut(&str)) -> u64 {
    let mut count = 0;
    for one in text.lines() {
        count += 1;
        line(&in_words(one));
    }
    count
}

/// A record, `6,1234,98765432,-;text` with lines of properties after it, as one line of dmesg. Other text stays.
fn in_words(record: &str) -> String {
    let first = record.lines().next().unwrap_or_default();
    let Some((head, text)) = first.split_once(';') else { return first.to_string() };
    let fields: Vec<&str> = head.split(',').collect();
    match fields[..] {
        [priority, _, time, ..] if priority.bytes().all(|b| b.is_ascii_digit()) && !priority.is_empty() => {
            match time.parse::<u64>() {
                Ok(micros) => format!("[{:5}.{:06}] {text}", micros / 1_000_000, micros % 1_000_000),
                Err(_) => first.to_string(),
            }
        }
        _ => first.to_string(),
    }
}

#[cfg(target_os = "linux")]
fn system_log(mut line: impl FnMut(&str)) -> io::Result<u64> {
    const READ_ALL: libc::c_int = 3;
    let mut buffer = vec![0u8; 1 << 20];
    // SAFETY: the kernel writes at most the length that it is given into the buffer.
    let length = unsafe { libc::klogctl(READ_ALL, buffer.as_mut_ptr().cast(), buffer.len() as libc::c_int) };
    let length = usize::try_from(length).map_err(|_| io::Error::last_os_error())?;
    let text = String::from_utf8_lossy(&buffer[..length.min(buffer.len())]).into_owned();
    let mut count = 0;
    for one in text.lines() {
        count += 1;
        // syslog(2) puts the priority before the time: `<6>[   12.345678] text`.
        line(one.strip_prefix('<').and_then(|rest| Some(rest.split_once('>')?.1)).unwrap_or(one));
    }
    Ok(count)
}

#[cfg(not(target_os = "linux"))]
fn system_log(_line: impl FnMut(&str)) -> io::Result<u64> {
    Err(io::Error::from(io::ErrorKind::Unsupported))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_become_lines_of_dmesg() {
        let record =
            "4,1289,14328198504,-;NVRM: Xid (PCI:0000:01:00): 79, GPU has fallen off the bus.\n SUBSYSTEM=pci\n";
        let line = "[14328.198504] NVRM: Xid (PCI:0000:01:00): 79, GPU has fallen off the bus.";
        assert_eq!(in_words(record), line);
        assert_eq!(in_words("6,1,5,-;x"), "[    0.000005] x");
        assert_eq!(in_words(line), line);
        assert_eq!(in_words("a; b"), "a; b");
        assert_eq!(in_words(""), "");
    }
}
