//! Who and where this is: so that a report can leave it out wherever it stands.

use crate::facts::{Facts, Key, host};
use crate::machine::Machine;
use crate::subject::Subject;

const ACCOUNTS: &str = "/etc/passwd";

/// Adds the names of the machine and of the user, and the user's home directory.
pub fn look(machine: &Machine, facts: &mut Facts) {
    let text = machine.text(ACCOUNTS).unwrap_or_default();
    let account = machine.user().and_then(|uid| account(&text, uid));
    let variable =
        |names: &[&str]| names.iter().find_map(|name| machine.variable(name)).filter(|value| !value.is_empty());
    let (name, home) = account.unzip();
    add(facts, &host::NAME, machine.host_name(), "uname");
    add(
        facts,
        &host::USER_NAME,
        name.or_else(|| variable(&["USER", "LOGNAME", "USERNAME"])),
        "/etc/passwd, environment",
    );
    add(facts, &host::HOME, variable(&["HOME", "USERPROFILE"]).or(home), "environment, /etc/passwd");
}

fn add(facts: &mut Facts, key: &Key<String>, value: Option<String>, source: &str) {
    match value {
        Some(value) => facts.seen(key, &Subject::machine(), value, source),
        None => facts.absent(key, &Subject::machine(), source),
    }
}

/// Name and home directory of a user in the text of `/etc/passwd`.
fn account(file: &str, uid: u32) -> Option<(String, String)> {
    file.lines().find_map(|line| {
        let fields: Vec<&str> = line.split(':').collect();
        match fields[..] {
            [name, _, number, _, _, home, ..] if number.parse() == Ok(uid) => {
                Some((name.to_string(), home.to_string()))
            }
            _ => None,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_account_is_found_by_its_number() {
        let file = "root:x:0:0:root:/root:/bin/bash\nbroken\nann:x:1000:1000:Ann,,,:/srv/people/ann:/bin/sh\n";
        assert_eq!(account(file, 1000), Some(("ann".to_string(), "/srv/people/ann".to_string())));
        assert_eq!(account(file, 7), None);
    }
}
