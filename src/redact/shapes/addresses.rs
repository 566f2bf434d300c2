//! What is told by its shape alone: UUIDs, hardware addresses, addresses in a network, ids of containers.

use super::super::Kind;
use super::Found;

/// Words before a number with dots that make it a version.
#[rustfmt::skip]
const VERSIONS: &[&str] = &[
    "version", "versions", "release", "driver", "drivers", "kernel", "linux", "cuda", "cudnn", "nccl", "cublas", "tensorrt", "rev",
    "revision", "build", "firmware", "vbios", "file", "runtime", "toolkit", "module", "api", "package", "wheel",
];

fn found(length: usize, kind: Kind) -> Option<Found> {
    Some(Found { before: 0, length, kind })
}

fn run(text: &str, inside: impl Fn(u8) -> bool) -> usize {
    text.bytes().take_while(|b| inside(*b)).count()
}

fn hex(text: &str) -> usize {
    run(text, |b| b.is_ascii_hexdigit())
}

/// Whether a word goes on here.
fn goes_on(rest: &str) -> bool {
    rest.chars().next().is_some_and(char::is_alphanumeric)
}

/// A UUID, with hyphens or, in the names of control groups, with underscores; also what is left of one after `GPU-` or `MIG-`.
pub fn uuid(text: &str, at: usize) -> Option<Found> {
    let here = &text[at..];
    // `kubepods-pod1234...slice`.
    let pod = if here.starts_with("pod") && whole_uuid(&here[3..]).is_some() { 3 } else { 0 };
    if let Some(length) = whole_uuid(&here[pod..]) {
        return Some(Found { before: pod, length, kind: if pod > 0 { Kind::Pod } else { Kind::Uuid } });
    }
    let behind = &text[..at];
    if behind.ends_with("GPU-") || behind.ends_with("MIG-") {
        let length = run(here, |b| b.is_ascii_hexdigit() || b == b'-');
        let part = here[..length].trim_end_matches('-');
        if part.len() >= 4 && !goes_on(&here[length..]) {
            return found(part.len(), Kind::Uuid);
        }
    }
    None
}

fn whole_uuid(text: &str) -> Option<usize> {
    let separator = *text.as_bytes().get(8)?;
    if !matches!(separator, b'-' | b'_') {
        return None;
    }
    let mut at = 0;
    for (n, length) in [8, 4, 4, 4, 12].into_iter().enumerate() {
        if n > 0 {
            if text.as_bytes().get(at) != Some(&separator) {
                return None;
            }
            at += 1;
        }
        if hex(text.get(at..)?) < length {
            return None;
        }
        at += length;
    }
    (!goes_on(&text[at..])).then_some(at)
}

/// `00:1b:21:3c:4d:5e`, with colons or hyphens.
pub fn mac(text: &str, at: usize) -> Option<Found> {
    let here = &text.as_bytes()[at..];
    let separator = *here.get(2)?;
    if !matches!(separator, b':' | b'-') || here.len() < 17 {
        return None;
    }
    let fits =
        here[..17].iter().enumerate().all(|(n, b)| if n % 3 == 2 { *b == separator } else { b.is_ascii_hexdigit() });
    let more = here.get(17).is_some_and(|b| b.is_ascii_alphanumeric() || *b == separator);
    let before = text[..at].ends_with(char::from(separator));
    (fits && !more && !before).then_some(Found { before: 0, length: 17, kind: Kind::Mac })
}

/// An address of IPv4 or IPv6 that is neither this machine itself nor a version.
pub fn ip(text: &str, at: usize) -> Option<Found> {
    four(text, at).or_else(|| six(text, at)).and_then(|length| found(length, Kind::Ip))
}

fn four(text: &str, at: usize) -> Option<usize> {
    let here = &text[at..];
    let length = run(here, |b| b.is_ascii_digit() || b == b'.');
    let number = here[..length].trim_end_matches('.');
    let parts: Vec<&str> = number.split('.').collect();
    let fits = |part: &&str| part.parse::<u8>().is_ok() && (part.len() == 1 || !part.starts_with('0'));
    if parts.len() != 4 || !parts.iter().all(fits) {
        return None;
    }
    if number.starts_with("127.") || matches!(number, "0.0.0.0" | "255.255.255.255" | "169.254.169.254") {
        return None;
    }
    let rest = &here[number.len()..];
    let mut next = rest.chars();
    let version_goes_on = match next.next() {
        Some('-') => next.next().is_some_and(char::is_alphabetic),
        Some(c) => c.is_alphanumeric() || matches!(c, '_' | '+'),
        None => false,
    };
    (!version_goes_on && !is_version(&text[..at])).then_some(number.len())
}

/// Whether what comes before a number makes it a version.
fn is_version(before: &str) -> bool {
    let ends = |tails: &[&str]| tails.iter().any(|tail| before.ends_with(tail));
    if ends(&["==", ">=", "<=", "~=", "!=", ".", "-", "_", "+", "~", "^"]) {
        return true;
    }
    // A folder of a path, but not the host of an address.
    if before.ends_with('/') && !before.ends_with("//") {
        return true;
    }
    let word = before.trim_end_matches([' ', ':', '=', '(', '"', '\'', '\t']);
    let word =
        word.rsplit(|c: char| c.is_whitespace() || matches!(c, '(' | '"' | '\'' | ',')).next().unwrap_or_default();
    let word = word.to_lowercase();
    VERSIONS.iter().any(|version| word.ends_with(version)) || word.starts_with("nvidia-") || word.starts_with("lib")
}

fn six(text: &str, at: usize) -> Option<usize> {
    let here = &text[at..];
    let length = run(here, |b| b.is_ascii_hexdigit() || b == b':');
    let address = here[..length].trim_end_matches(':');
    let groups: Vec<&str> = address.split(':').collect();
    let short = groups.iter().all(|group| group.len() <= 4);
    let full = groups.iter().filter(|group| !group.is_empty()).count();
    let fits = match address.matches("::").count() {
        0 => groups.len() == 8,
        1 => full >= 2 && groups.len() <= 8,
        _ => false,
    };
    (short && fits && !goes_on(&here[length..]) && !text[..at].ends_with(':')).then_some(address.len())
}

/// The id of a container (64 hexadecimal digits), or of a machine (32); not the digest of an image or of a package.
pub fn long_hex(text: &str, at: usize) -> Option<Found> {
    let length = hex(&text[at..]);
    let digest =
        ["sha256:", "sha256=", "sha256-", "sha512:", "md5:", "md5=", "@"].iter().any(|m| text[..at].ends_with(m));
    if digest || goes_on(&text[at + length..]) {
        return None;
    }
    match length {
        64 => found(64, Kind::Container),
        32 => found(32, Kind::Uuid),
        _ => None,
    }
}
