//! `ollama ps`: the models that the server holds, and where.
//!
//! The table is drawn by cmd/cmd.go (ListRunningHandler) of ollama: NAME, ID, SIZE, PROCESSOR, CONTEXT (since 0.11), UNTIL.
//! Older releases put a tab between the columns, newer ones four blanks.

use crate::facts::programs::Model;

/// The models of a table; nothing where the text is no such table.
pub fn read(text: &str) -> Option<Vec<Model>> {
    let mut lines = text.lines().skip_while(|line| !(line.starts_with("NAME") && line.contains("PROCESSOR")));
    let header = cells(lines.next()?);
    let column = header.iter().position(|cell| *cell == "PROCESSOR")?;
    let model = |line: &str| {
        let row = cells(line);
        let (name, processor) = (row.first()?.to_string(), row.get(column)?.to_string());
        Some(Model { gpu_percent: on_gpu(&processor), name, processor })
    };
    Some(lines.filter_map(model).collect())
}

fn cells(line: &str) -> Vec<&str> {
    line.split('\t').flat_map(|part| part.split("  ")).map(str::trim).filter(|cell| !cell.is_empty()).collect()
}

/// `100% GPU`, `100% CPU`, `48%/52% CPU/GPU`.
fn on_gpu(processor: &str) -> Option<u32> {
    match processor.split_once(' ')? {
        ("100%", "GPU") => Some(100),
        ("100%", "CPU") => Some(0),
        (parts, "CPU/GPU") => {
            parts.split_once('/')?.1.strip_suffix('%')?.parse().ok().filter(|percent| *percent <= 100)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_of_old_and_new_releases_are_read() {
        // docs/faq.md of 0.1.33, with tabs.
        let old = "NAME      \tID          \tSIZE \tPROCESSOR\tUNTIL\nllama3:70b\tbcfb190ca3a7\t42 GB\t100% GPU \t4 minutes from now\n";
        let model = &read(old).unwrap()[0];
        assert_eq!(
            (model.name.as_str(), model.processor.as_str(), model.gpu_percent),
            ("llama3:70b", "100% GPU", Some(100))
        );
        let new = "NAME           ID              SIZE      PROCESSOR          CONTEXT    UNTIL              \n\
                   gpt-oss:20b    05afbac4bad6    16 GB     48%/52% CPU/GPU    8192       4 minutes from now    \n\
                   llama3.2:3b    a80c4f17acd5    4.0 GB    100% CPU           4096       Stopping...           \n\
                   odd            000000000000    0 B       Unknown            0          Never                 \n";
        let percents: Vec<_> = read(new).unwrap().iter().map(|model| model.gpu_percent).collect();
        assert_eq!(percents, [Some(52), Some(0), None]);
    }

    #[test]
    fn no_model_and_no_table_are_told_apart() {
        assert_eq!(read("NAME    ID    SIZE    PROCESSOR    CONTEXT    UNTIL \n"), Some(vec![]));
        assert_eq!(read("Error: could not connect to ollama server, run 'ollama serve' to start it\n"), None);
        assert_eq!(read("NAME PROCESSOR\nx"), None);
    }
}
