//! A command line as it can be copied into a shell.

/// The arguments with a blank between them, each quoted where a shell would read it otherwise.
pub fn line(arguments: &[String]) -> String {
    arguments.iter().map(|argument| quoted(argument)).collect::<Vec<_>>().join(" ")
}

fn quoted(argument: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./:=,+@%".contains(c);
    match !argument.is_empty() && argument.chars().all(plain) {
        true => argument.to_string(),
        false => format!("'{}'", argument.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_shell_would_read_otherwise_is_quoted() {
        let all = ["gpu-doctor", "report", "--python", "/opt/my env/bin/python", "it's", "$x", ""].map(str::to_string);
        assert_eq!(line(&all), r"gpu-doctor report --python '/opt/my env/bin/python' 'it'\''s' '$x' ''");
    }
}
