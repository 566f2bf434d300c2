//! The few values that are needed of the settings of other tools, read line by line: TOML, YAML and INI as these tools write
//! them. What is written in another way is not found, which is no worse than a tool that is not known.

/// `key = value` of every line, keys in lower case, quotes taken off.
pub fn pairs(text: &str) -> Vec<(String, String)> {
    text.lines()
        .filter_map(|line| {
            let (key, value) = line.split_once('=')?;
            Some((key.trim().to_ascii_lowercase(), unquoted(value).to_string()))
        })
        .collect()
}

/// The value of a key in a table of TOML: `name` in `[project]`.
pub fn in_table<'a>(text: &'a str, table: &str, key: &str) -> Option<&'a str> {
    let mut inside = table.is_empty();
    for line in text.lines().map(str::trim) {
        if let Some(rest) = line.strip_prefix('[') {
            inside = rest.trim_start_matches('[').split(']').next().is_some_and(|name| name.trim() == table);
        } else if inside
            && let Some((name, value)) = line.split_once('=')
            && name.trim() == key
        {
            return Some(unquoted(value));
        }
    }
    None
}

/// Whether a table of this name, or one inside it, is in a TOML text.
pub fn has_table(text: &str, table: &str) -> bool {
    text.lines().map(str::trim).filter_map(|line| line.strip_prefix('[')).any(|rest| {
        let name = rest.trim_start_matches('[').split(']').next().unwrap_or_default().trim();
        name.strip_prefix(table).is_some_and(|more| more.is_empty() || more.starts_with('.'))
    })
}

/// The items of a list of YAML: `key: [a, b]`, or lines with a hyphen below `key:`.
pub fn yaml_list(text: &str, key: &str) -> Vec<String> {
    let mut items = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        let trimmed = line.trim();
        if let Some(item) = trimmed.strip_prefix("- ").filter(|_| inside) {
            items.push(unquoted(item).to_string());
            continue;
        }
        if trimmed.is_empty() || trimmed.starts_with('#') {
            continue;
        }
        inside = false;
        if let Some(rest) = line.strip_prefix(key).and_then(|rest| rest.trim_start().strip_prefix(':')) {
            let rest = rest.trim();
            inside = rest.is_empty();
            let flow = rest.strip_prefix('[').and_then(|list| list.strip_suffix(']')).unwrap_or_default();
            items.extend(flow.split(',').map(unquoted).filter(|item| !item.is_empty()).map(str::to_string));
        }
    }
    items
}

/// Whether a script of a shell sets and exports a variable.
pub fn exports(script: &str, variable: &str) -> bool {
    script.lines().map(str::trim).any(|line| {
        let words = line.strip_prefix("export ").or(line.strip_prefix("conda env config vars set ")).unwrap_or(line);
        words.trim_start().strip_prefix(variable).is_some_and(|rest| rest.starts_with('='))
    })
}

fn unquoted(text: &str) -> &str {
    let text = text.trim();
    for quote in ['"', '\''] {
        if let Some(rest) = text.strip_prefix(quote) {
            return rest.split(quote).next().unwrap_or_default();
        }
    }
    text.split(" #").next().unwrap_or_default().trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_from_the_texts_that_tools_write() {
        let uv = "home = /usr/bin\nimplementation = CPython\nuv = 0.11.1\nversion_info = 3.11.7\n";
        assert_eq!(pairs(uv)[2], ("uv".to_string(), "0.11.1".to_string()));
        let toml = "[project]\nname = \"My.App\" # mine\n[tool.poetry]\nname = 'other'\n[tool.hatch.envs.default]\n";
        assert_eq!(in_table(toml, "project", "name"), Some("My.App"));
        assert_eq!(in_table(toml, "tool.poetry", "name"), Some("other"));
        assert_eq!(in_table(toml, "project", "version"), None);
        assert!(has_table(toml, "tool.hatch.envs") && has_table(toml, "tool.poetry"));
        assert!(!has_table(toml, "tool.hat"));
        let condarc = "channels:\n  - conda-forge\nenvs_dirs:\n  - ~/envs\n  # more\n  - \"/data/envs\"\nauto: true\n";
        assert_eq!(yaml_list(condarc, "envs_dirs"), ["~/envs", "/data/envs"]);
        assert_eq!(yaml_list("envs_dirs: [/a, '/b']\n", "envs_dirs"), ["/a", "/b"]);
        assert_eq!(yaml_list("envs_dirs:\n", "envs_dirs"), [] as [&str; 0]);
        let script = "#!/bin/sh\n  export LD_LIBRARY_PATH=$CONDA_PREFIX/lib:$LD_LIBRARY_PATH\n# LD_PRELOAD=x\n";
        assert!(exports(script, "LD_LIBRARY_PATH") && !exports(script, "LD_PRELOAD"));
    }
}
