//! Filling in placeholders: `{name}` in a sentence, or as a word of a command.

use std::collections::BTreeMap;

/// The names of the placeholders of a text.
pub fn names(text: &str) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for (at, _) in text.match_indices('{') {
        let name = text[at + 1..].split('}').next().unwrap_or_default();
        let is_name = !name.is_empty()
            && text.len() > at + name.len() + 1
            && name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_')
            && !text[..at].ends_with(['$', '{']);
        if is_name && !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// Fills the placeholders `{name}`; nothing where one is not known. Other braces stay as they are: `${VAR}`, `{{.Name}}`.
pub fn fill(text: &str, values: &BTreeMap<&str, String>) -> Option<String> {
    fill_with(text, values, |_, _, value| value.to_string())
}

/// Values that are several words of a command; every other one is a single word.
const PARTS: &[&str] = &["arguments", "apart_arguments", "specs", "variables", "packages"];

/// Stands for the running kernel where a text does not name it: the shell fills it in.
pub const RUNNING_KERNEL: &str = "$(uname -r)";

/// The same for a command of a shell. A value is quoted where it needs it: a path may hold a space, and what came out of a
/// snapshot must not run when the command is pasted.
pub fn command(text: &str, values: &BTreeMap<&str, String>) -> Option<String> {
    // A placeholder that stands alone is filled in by a whole command.
    let alone = text.trim().strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
    if let Some(value) = alone.and_then(|name| values.get(name)) {
        return Some(value.clone());
    }
    fill_with(text, values, |before, name, value| {
        if PARTS.contains(&name) || value == RUNNING_KERNEL {
            value.to_string()
        } else {
            let escaped = |special: &str| {
                value.chars().flat_map(|c| special.contains(c).then_some('\\').into_iter().chain([c])).collect()
            };
            match within(before) {
                Within::Double => escaped("\\\"$`"),
                Within::Single => value.replace('\'', r"'\''"),
                Within::Nothing => word(value),
            }
        }
    })
}

/// Where in a command a text ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Within {
    Nothing,
    Double,
    Single,
}

/// Within what kind of quotes a command goes on after this part of it. A `$(` begins anew, up to its `)`.
fn within(before: &str) -> Within {
    let mut levels = vec![Within::Nothing];
    let mut characters = before.chars().peekable();
    while let Some(c) = characters.next() {
        let now = levels.last().copied().unwrap_or(Within::Nothing);
        let next = match (now, c) {
            (Within::Single, '\'') => Within::Nothing,
            (Within::Single, _) => continue,
            (_, '\\') => {
                characters.next();
                continue;
            }
            (_, '$') if characters.peek() == Some(&'(') => {
                characters.next();
                levels.push(Within::Nothing);
                continue;
            }
            (Within::Nothing, ')') if levels.len() > 1 => {
                levels.pop();
                continue;
            }
            (Within::Nothing, '"') => Within::Double,
            (Within::Nothing, '\'') => Within::Single,
            (Within::Double, '"') => Within::Nothing,
            _ => continue,
        };
        levels.pop();
        levels.push(next);
    }
    levels.last().copied().unwrap_or(Within::Nothing)
}

/// A value as one word of a shell's command, in quotes where it needs them.
pub fn word(value: &str) -> String {
    if is_windows(value) {
        return word_of_windows(value);
    }
    // A path in the home folder, as a report without names has it: the shell finds the folder only outside of quotes.
    if let Some(rest) = value.strip_prefix("~/").filter(|rest| !rest.is_empty()) {
        return format!("~/{}", word(rest));
    }
    let plain = |c: char| c.is_ascii_alphanumeric() || "@%+=:,./_-".contains(c);
    match !value.is_empty() && value.chars().all(plain) {
        true => value.to_string(),
        false => format!("'{}'", value.replace('\'', r"'\''")),
    }
}

/// Whether this is a path of Windows: `C:\x`, `\\server\x`.
fn is_windows(value: &str) -> bool {
    value.as_bytes().get(1..3) == Some(br":\") || value.starts_with(r"\\")
}

/// The same for the two shells of Windows, which take backslashes as they are. Each part of the path is in quotes by itself,
/// because PowerShell takes a line that begins with a quote for a text and not for a program; only double quotes mean the same
/// to both. What would still mean something within them is left out: no program of that name is started then.
fn word_of_windows(value: &str) -> String {
    let special = |c: char| c.is_whitespace() || "();,'&^@#{}[]=!+~\u{2018}\u{2019}\u{201a}\u{201b}".contains(c);
    let kept = value.replace(['"', '%', '`', '$', '|', '<', '>', '\n', '\r', '\u{201c}', '\u{201d}', '\u{201e}'], "");
    let part = |part: &str| if part.contains(special) { format!("\"{part}\"") } else { part.to_string() };
    kept.split('\\').map(part).collect::<Vec<_>>().join("\\")
}

/// Fills the placeholders with what `write` makes of the text before, the name and the value.
fn fill_with(
    text: &str,
    values: &BTreeMap<&str, String>,
    write: impl Fn(&str, &str, &str) -> String,
) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('{') {
        let (before, tail) = rest.split_at(at);
        out.push_str(before);
        let name = tail[1..].split('}').next().unwrap_or_default();
        let is_name = !name.is_empty()
            && tail.len() > name.len() + 1
            && name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_')
            && !before.ends_with('$')
            && !before.ends_with('{');
        if is_name {
            let so_far = &text[..text.len() - tail.len()];
            out.push_str(&write(so_far, name, values.get(name)?));
            rest = &tail[name.len() + 2..];
        } else {
            out.push('{');
            rest = &tail[1..];
        }
    }
    out.push_str(rest);
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_in_another_shell_or_in_a_substitution_is_a_word_too() {
        let of = |text: &str, value: &str| command(text, &BTreeMap::from([("x", value.to_string())])).unwrap();
        assert_eq!(of("run \"$(stat {x})\"", "/dev/a; id"), "run \"$(stat '/dev/a; id')\"");
        assert_eq!(
            of("cd \"$(mktemp -d)\" && {x} -m pip", "/a b/python"),
            "cd \"$(mktemp -d)\" && '/a b/python' -m pip"
        );
        assert_eq!(of("grep '{x}' \"it's\" {x}", "a'b c"), r#"grep 'a'\''b c' "it's" 'a'\''b c'"#);
        assert_eq!(of("{x} -m pip", r"C:\Users\ann\python.exe"), r"C:\Users\ann\python.exe -m pip");
        assert_eq!(of("{x} -m pip", r"C:\Program Files\python.exe"), r#"C:\"Program Files"\python.exe -m pip"#);
        assert_eq!(of("{x} -m pip", "C:\\a\" & del /q *\n"), "C:\\\"a & del /q *\" -m pip");
        assert_eq!(of("{x} -m pip", r"\\nas\R&D\python.exe"), r#"\\nas\"R&D"\python.exe -m pip"#);
        assert_eq!(of("{x} -m pip", r"C:\Users\O'Brien\python.exe"), r#"C:\Users\"O'Brien"\python.exe -m pip"#);
        assert_eq!(of("{x} -m pip", "~/my env/bin/python"), "~/'my env/bin/python' -m pip");
        assert_eq!(of("{x} -m pip", "~"), "'~' -m pip");
    }

    #[test]
    fn a_value_cannot_become_a_command() {
        let of = |text: &str, value: &str| command(text, &BTreeMap::from([("python", value.to_string())])).unwrap();
        assert_eq!(of("{python} -m pip", "/usr/bin/python3.11"), "/usr/bin/python3.11 -m pip");
        assert_eq!(of("{python} -m pip", "/home/a b/python"), "'/home/a b/python' -m pip");
        assert_eq!(of("{python} -m pip", "/x/$(reboot)/it's"), r"'/x/$(reboot)/it'\''s' -m pip");
        assert_eq!(of("run \"torch=={python}\"", "1`id`$(x)\"2"), "run \"torch==1\\`id\\`\\$(x)\\\"2\"");
        assert_eq!(of("run \"x\" {python}", "a;b"), "run \"x\" 'a;b'");
        assert_eq!(of("{python}", "lspci -d 10de: -nn"), "lspci -d 10de: -nn");
        assert_eq!(of("{python} -m pip", r"C:\venv\Scripts\python.exe"), r"C:\venv\Scripts\python.exe -m pip");
        assert_eq!(of("{python} -m pip", r"C:\my venv;x\python.exe"), "C:\\\"my venv;x\"\\python.exe -m pip");
        let values = BTreeMap::from([("arguments", "\"torch<2.15\" --index-url https://x".to_string())]);
        assert_eq!(
            command("pip install {arguments}", &values).unwrap(),
            "pip install \"torch<2.15\" --index-url https://x"
        );
    }
}
