//! What is told by the place where it stands: home directories, prompts, lines of a journal, values behind a label.

use super::super::{Kind, token, words};
use super::Found;

/// Ends of file names: a host's domain does not end like this.
#[rustfmt::skip]
const FILES: &[&str] = &[
    "json", "txt", "log", "md", "py", "so", "cfg", "conf", "yaml", "yml", "sh", "html", "xml", "csv", "gz", "zip", "whl", "toml", "lock",
    "pid", "sock", "service", "ko", "cpp", "cu", "out", "err",
];

/// Labels before a name, and what it then is. The value follows `=`, or stands in quotation marks.
const LABELS: &[(&str, Kind)] = &[
    ("USER", Kind::User),
    ("LOGNAME", Kind::User),
    ("USERNAME", Kind::User),
    ("SUDO_USER", Kind::User),
    ("SLURM_JOB_USER", Kind::User),
    ("HOSTNAME", Kind::Host),
    ("COMPUTERNAME", Kind::Host),
    ("SLURMD_NODENAME", Kind::Host),
    ("NODE_NAME", Kind::Host),
    ("MASTER_ADDR", Kind::Host),
    ("POD_NAME", Kind::Pod),
    ("pod_name", Kind::Pod),
    ("pod", Kind::Pod),
    ("pods", Kind::Pod),
    ("Pod", Kind::Pod),
    ("CONTAINER_NAME", Kind::Container),
    ("container_name", Kind::Container),
    ("container", Kind::Container),
    ("Container", Kind::Container),
];

/// Words that make what follows a serial number.
const SERIALS: &[&str] = &["serial number", "serial no", "serial_number", "serialnumber", "serial", "s/n"];

/// Bytes of the longest time before a host.
const STAMP: usize = 60;

const MONTHS: &[&str] = &["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '.' | '_' | '-')
}

fn name(text: &str) -> &str {
    let end = text.find(|c| !is_name(c)).unwrap_or(text.len());
    text[..end].trim_end_matches(['.', '-'])
}

/// The name of a home directory: below `/home` and `/Users` at the root or near it, and below `\Users\`.
pub fn home(text: &str, at: usize) -> Option<Found> {
    let here = &text[at..];
    let folder = ["/home/", "/Users/", "\\Users\\", "\\\\Users\\\\"].into_iter().find(|f| here.starts_with(f))?;
    let rest = &here[folder.len()..];
    let windows = folder.starts_with('\\');
    if !windows {
        let start = words::start_of_path(text, at);
        let above: Vec<&str> = text[start..at].split('/').filter(|part| !part.is_empty()).collect();
        if above.len() > 2 || words::in_system_path(text, at) || text[start..at].starts_with("/var/") {
            return None;
        }
    }
    let stop = |c: char| matches!(c, '/' | '\\') || words::ends_path(c) && c != '(' && c != ')';
    let mut end = rest.find(|c: char| stop(c) || c.is_control()).unwrap_or(rest.len());
    // Only Windows has names with blanks, and in a sentence only what a folder follows is sure to be one.
    if !windows || !rest[end..].starts_with('\\') {
        end = rest[..end].find(char::is_whitespace).unwrap_or(end);
    }
    let name = rest[..end].trim_end_matches(['.', ')']);
    let variable = name.contains(['$', '%', '*', '~']) || name == "..." || name.is_empty();
    (!variable && !words::is_nobody(name)).then_some(Found {
        before: folder.len(),
        length: name.len(),
        kind: Kind::User,
    })
}

/// `ann@host.example`.
pub fn email(text: &str, at: usize) -> Option<Found> {
    let here = &text[at..];
    let local = here.find(|c: char| !(is_name(c) || matches!(c, '+' | '%')))?;
    let rest = here[local..].strip_prefix('@')?;
    let host = name(rest);
    let length = domain(&format!(".{host}"));
    let whole = local + 1 + host.len();
    // A service's account for everybody.
    let everybody = matches!(&here[..local], "git" | "hg");
    (local > 0 && host.contains('.') && length == host.len() + 1 && !everybody).then_some(Found {
        before: 0,
        length: whole,
        kind: Kind::Email,
    })
}

/// The user or the host of a prompt, `ann@node17:~$`.
pub fn prompt(text: &str, at: usize) -> Option<Found> {
    let here = &text[at..];
    let user = name(here);
    if let Some(rest) = here[user.len()..].strip_prefix('@') {
        let host = name(rest);
        let prompt = |tail: &str| tail.starts_with(":~") || tail.starts_with(":/") || tail.starts_with(" ~");
        let sure = !user.is_empty() && !host.is_empty() && prompt(&rest[host.len()..]);
        return (sure && !words::is_nobody(user)).then_some(Found { before: 0, length: user.len(), kind: Kind::User });
    }
    let before = text[..at].strip_suffix('@')?;
    let whose = before.chars().next_back().is_some_and(|c| is_name(c) || c == '>');
    let tail = &here[user.len()..];
    let sure =
        whose && !user.is_empty() && (tail.starts_with(":~") || tail.starts_with(":/") || tail.starts_with(" ~"));
    (sure && !words::is_nobody(user)).then_some(Found { before: 0, length: user.len(), kind: Kind::Host })
}

/// The host in a line of a journal: `Jan 31 12:00:00 HOST kernel:`, or with a time as in `2026-01-31T12:00:00`.
pub fn journal(text: &str, at: usize) -> Option<Found> {
    // Nothing but a time stands before it.
    let line = at - text.as_bytes()[..at].iter().rev().take(STAMP + 1).take_while(|b| **b != b'\n').count();
    if !text[..at].ends_with(' ') || at - line > STAMP {
        return None;
    }
    let words: Vec<&str> = text[line..at].split_whitespace().collect();
    let time = |word: &str| word.len() >= 8 && word.as_bytes()[2] == b':' && word.as_bytes()[0].is_ascii_digit();
    let dated = match words[..] {
        [.., month, day, clock] if time(clock) => {
            let month: String = month.to_lowercase().chars().take(3).collect();
            MONTHS.contains(&month.as_str()) && day.parse::<u8>().is_ok()
        }
        _ => false,
    };
    let stamped = words
        .last()
        .is_some_and(|word| word.len() >= 19 && word.is_ascii() && word.as_bytes()[10] == b'T' && time(&word[11..]));
    if !dated && !stamped {
        return None;
    }
    let host = name(&text[at..]);
    let rest = text[at + host.len()..].strip_prefix(' ')?;
    let program = &rest[..rest.find([':', '['])?];
    let named = !program.is_empty() && program.chars().all(|c| is_name(c) || matches!(c, '(' | ')' | '/'));
    let found = Found { before: 0, length: host.len(), kind: Kind::Host };
    (named && !host.is_empty() && !super::super::words::is_nobody(host)).then_some(found)
}

/// A value behind a label: a serial number, or the name of a user, host, pod or container.
pub fn labelled(text: &str, at: usize) -> Option<Found> {
    let here = &text[at..];
    let begins = |word: &&&str| here.get(..word.len()).is_some_and(|part| part.eq_ignore_ascii_case(word));
    if let Some(word) = SERIALS.iter().find(begins) {
        let behind = &here[word.len()..];
        let gap = behind.len() - behind.trim_start_matches([' ', '\t', '.', '#']).len();
        let sign = behind[gap..].strip_prefix([':', '=']);
        let value = sign.unwrap_or(&behind[gap..]);
        let blank = value.len() - value.trim_start_matches([' ', '\t', '"', '\'']).len();
        let value = name(&value[blank..]);
        // Without a sign, as in `serial 1324521034729`, what is no number of that length is a word, a version or a port.
        let least = if sign.is_some() { 4 } else { 7 };
        let plain = value.bytes().all(|b| b.is_ascii_digit() || b.is_ascii_uppercase());
        let digits = value.bytes().filter(u8::is_ascii_digit).count();
        let telling = value.len() >= least && digits > 0 && (sign.is_some() || plain && digits >= 4 && gap > 0);
        return telling.then_some(Found {
            before: word.len() + gap + usize::from(sign.is_some()) + blank,
            length: value.len(),
            kind: Kind::Serial,
        });
    }
    if let Some(found) = other_host(here) {
        return Some(found);
    }
    let (label, kind) = LABELS
        .iter()
        .find(|(label, _)| here.strip_prefix(label).is_some_and(|rest| rest.starts_with(['=', ':', ' ', '/', '"'])))?;
    let rest = &here[label.len()..];
    let opening = ["=\"", "='", "=", ": \"", ": '", " \"", " '", "\": \"", "\":\""];
    let slash = label.starts_with("pod").then_some("/").filter(|_| !text[..at].ends_with(['/', '-', '.', '_']));
    let opening = opening.into_iter().chain(slash).find(|opening| rest.starts_with(opening))?;
    let value = &rest[opening.len()..];
    // `namespace/name` is one name.
    let end = value.find(|c: char| !(is_name(c) || c == '/')).unwrap_or(value.len());
    let value = value[..end].trim_end_matches(['.', '-', '/']);
    let plain = value.is_empty() || words::is_nobody(value) || token::at(value).is_some();
    // An address is told as such.
    let address = value.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    (!plain && !address).then_some(Found { before: label.len() + opening.len(), length: value.len(), kind: *kind })
}

/// Another machine in a sentence, `it works on node gx-17`: a word for a machine, and then a name as machines have them, with
/// letters and digits.
fn other_host(here: &str) -> Option<Found> {
    const WORDS: [&str; 6] = ["host ", "hostname ", "node ", "server ", "machine ", "hosts "];
    /// Names of the field that look like one.
    const TECHNICAL: [&str; 14] = [
        "cuda", "nvidia", "gpu", "mig", "sm-", "compute", "python", "py3", "x86", "amd64", "arm64", "aarch64", "i686",
        "torch",
    ];
    let word = WORDS.iter().find(|word| here.get(..word.len()).is_some_and(|part| part.eq_ignore_ascii_case(word)))?;
    let rest = &here[word.len()..];
    let length = rest.bytes().take_while(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || *b == b'-').count();
    let value = rest[..length].trim_end_matches('-');
    let whole = rest[value.len()..].chars().next().is_none_or(|c| c.is_whitespace() || ",;)!?'\"".contains(c))
        || rest[value.len()..].starts_with(". ")
        || rest[value.len()..] == *"."
        || domain(&rest[value.len()..]) > 0;
    let telling = (4..=63).contains(&value.len())
        && value.starts_with(|c: char| c.is_ascii_lowercase())
        && value.bytes().any(|b| b.is_ascii_digit())
        && !TECHNICAL.iter().any(|start| value.starts_with(start));
    (whole && telling).then_some(Found { before: word.len(), length: value.len(), kind: Kind::Host })
}

/// Length of the domain that follows a host's name, `.cluster.example.org`; 0 where there is none.
pub fn domain(rest: &str) -> usize {
    let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '.' | '-'))).unwrap_or(rest.len());
    let text = rest[..end].trim_end_matches(['.', '-']);
    let Some(labels) = text.strip_prefix('.') else { return 0 };
    let last = labels.rsplit('.').next().unwrap_or_default().to_lowercase();
    let sound = last.len() >= 2
        && last.bytes().all(|b| b.is_ascii_alphabetic())
        && !FILES.contains(&last.as_str())
        && labels.split('.').all(|label| !label.is_empty());
    if sound { text.len() } else { 0 }
}
