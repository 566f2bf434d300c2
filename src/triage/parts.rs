//! Small parts that several readers take lines apart with.

use crate::subject::Subject;

/// What the environment of a text is called: its folder is not known, or not worth telling apart.
pub const ENVIRONMENT: &str = "your environment";

/// The torch of the text.
pub fn torch() -> Subject {
    Subject::framework("torch", ENVIRONMENT)
}

/// The environment of the text.
pub fn environment() -> Subject {
    Subject::environment(ENVIRONMENT)
}

/// A GPU of which only the number is shown.
pub fn gpu_number(index: u32) -> Subject {
    Subject::gpu(&index.to_string())
}

/// `Key: value`, `Key        : value`, `- Key: value`; the key in lower case, nothing where it is longer than a label.
pub fn label(text: &str) -> Option<(String, &str)> {
    const LONGEST: usize = 48;
    let text = text.trim_start_matches([' ', '-', '*', '`', '|', '#', '[', ']']);
    let at = text.as_bytes().iter().take(LONGEST + 1).position(|b| *b == b':')?;
    let (key, value) = (&text[..at], &text[at + 1..]);
    let key = key.trim_matches([' ', '*', '`']);
    if key.is_empty() {
        return None;
    }
    Some((key.to_ascii_lowercase(), value.trim_matches([' ', '*', '`'])))
}

/// Whether a value says that there is none, or that it was not to be had.
pub fn is_nothing(value: &str) -> bool {
    let value = value.to_ascii_lowercase();
    matches!(value.as_str(), "" | "n/a" | "no cuda" | "could not collect" | "none" | "unknown" | "not found")
}

/// What stands behind a word in a line, in any case of letters.
pub fn after<'a>(line: &'a str, word: &str) -> Option<&'a str> {
    let at = find(line, word)?;
    line.get(at + word.len()..)
}

/// Where a word stands in a line, in any case of letters (of ASCII).
pub fn find(line: &str, word: &str) -> Option<usize> {
    let (line, word) = (line.as_bytes(), word.as_bytes());
    let last = line.len().checked_sub(word.len())?;
    // The rarest byte of the word is looked for first.
    let (place, rarest) = word.iter().enumerate().min_by_key(|(_, byte)| FREQUENCY[usize::from(**byte)])?;
    let within = &line[place..=last + place];
    memchr::memchr2_iter(rarest.to_ascii_lowercase(), rarest.to_ascii_uppercase(), within)
        .find(|at| line[*at..*at + word.len()].eq_ignore_ascii_case(word))
}

/// How frequent each byte is in logs, roughly.
static FREQUENCY: [u8; 256] = {
    const FREQUENT: &[u8] = b" e0atirnos1dc2lup3_/.:m45fgh-6";
    let mut table = [0; 256];
    let mut at = 0;
    while at < FREQUENT.len() {
        let rank = (FREQUENT.len() - at) as u8;
        table[FREQUENT[at] as usize] = rank;
        table[FREQUENT[at].to_ascii_uppercase() as usize] = rank;
        at += 1;
    }
    table
};

/// Whether a word stands in a line, in any case of letters.
pub fn has(line: &str, word: &str) -> bool {
    find(line, word).is_some()
}

/// The number at the beginning, behind blanks.
pub fn number(text: &str) -> Option<u64> {
    let text = text.trim_start();
    let end = text.bytes().position(|b| !b.is_ascii_digit()).unwrap_or(text.len());
    text[..end].parse().ok()
}

/// The version at the beginning, behind blanks and a `v`: digits and points (`535.183.01`, `12.4`).
pub fn version(text: &str) -> Option<&str> {
    let text = text.trim_start();
    let text = text.strip_prefix(['v', 'V']).unwrap_or(text);
    let end = text.bytes().position(|b| !(b.is_ascii_digit() || b == b'.')).unwrap_or(text.len());
    let found = text[..end].trim_end_matches('.');
    found.starts_with(|c: char| c.is_ascii_digit()).then_some(found)
}

/// A CUDA version `12.4` as CUDA numbers it, 12040.
pub fn cuda_code(text: &str) -> Option<i32> {
    let (major, minor) = text.split_once('.')?;
    let (major, minor): (i32, i32) = (major.parse().ok()?, minor.split('.').next()?.parse().ok()?);
    (major < 100 && minor < 100).then_some(major * 1000 + minor * 10)
}

/// The first word, without a comma or a quote around it.
pub fn word(text: &str) -> &str {
    text.split_whitespace().next().unwrap_or_default().trim_matches([',', ';', '\'', '"', '`', '(', ')'])
}

/// A line without the prompt of a shell: `$ `, `# `, `user@host:~$ `, `(env) C:\>`.
pub fn without_prompt(text: &str) -> &str {
    const LONGEST: usize = 60;
    let text = text.trim_start();
    let near = &text.as_bytes()[..text.len().min(LONGEST + 1)];
    for mark in *b"$#>%" {
        let is_mark = |at: &usize| near.get(*at + 1) == Some(&b' ');
        let Some(at) = memchr::memchr_iter(mark, near).find(is_mark) else { continue };
        let before = &text[..at];
        if !before.contains(' ') || before.starts_with(['(', '[']) {
            return &text[at + 2..];
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_of_all_spellings_are_found() {
        let of = |text| label(text).map(|(key, value)| (key, value.to_string()));
        assert_eq!(of("PyTorch version: 2.7.0"), Some(("pytorch version".into(), "2.7.0".into())));
        assert_eq!(of("PyTorch version              : 2.7.0"), Some(("pytorch version".into(), "2.7.0".into())));
        assert_eq!(of("- `transformers` version: 4.4"), Some(("transformers` version".into(), "4.4".into())));
        assert_eq!(of("no label"), None);
    }

    #[test]
    fn versions_and_numbers_are_read() {
        assert_eq!(version(" 535.183.01  Release"), Some("535.183.01"));
        assert_eq!(version("V10.2.89."), Some("10.2.89"));
        assert_eq!(version("none"), None);
        assert_eq!(cuda_code("12.4"), Some(12040));
        assert_eq!(cuda_code("9.1.85"), Some(9010));
        assert_eq!(number(" 12 x"), Some(12));
    }

    #[test]
    fn words_are_found_in_any_case() {
        assert_eq!(find("The NVIDIA Driver", "nvidia driver"), Some(4));
        assert_eq!(find("  [x] a:B", "A:b"), Some(6));
        assert_eq!(find("abab", "ab"), Some(0));
        assert_eq!(find("ab", "abc"), None);
        assert_eq!(find("ab", ""), None);
        assert_eq!(find("\u{e9}v\u{e9}v", "\u{e9}v"), Some(0));
        // The rarest byte stands before a word that does not fit.
        assert_eq!(find("v driver", "driver"), Some(2));
        assert_eq!(find("drivedriver", "driver"), Some(5));
    }

    #[test]
    fn prompts_are_taken_away() {
        assert_eq!(without_prompt("user@host:~$ nvidia-smi"), "nvidia-smi");
        assert_eq!(without_prompt("(venv) C:\\x> pip list"), "pip list");
        assert_eq!(without_prompt("a sentence that costs 5$ more"), "a sentence that costs 5$ more");
    }
}
