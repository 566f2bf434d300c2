//! Text inside HTML.

use crate::render::escape;

/// Text on one line, as the content of an element or of an attribute in double quotation marks.
pub fn line(text: &str) -> String {
    entities(&escape::line(text))
}

/// Text that keeps its line breaks, for `pre`.
pub fn lines(text: &str) -> String {
    entities(&escape::lines(text))
}

/// Prose with `code` in backticks.
pub fn prose(text: &str) -> String {
    let text = line(text);
    let parts: Vec<&str> = text.split('`').collect();
    // An odd mark at the end opens nothing.
    if parts.len().is_multiple_of(2) {
        return text;
    }
    let code =
        |(n, part): (usize, &&str)| if n % 2 == 1 { format!("<code>{part}</code>") } else { (*part).to_string() };
    parts.iter().enumerate().map(code).collect()
}

fn entities(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_was_seen_becomes_an_element() {
        assert_eq!(
            line("<script>alert(\"1\" & '2')</script>\u{202e}"),
            "&lt;script&gt;alert(&quot;1&quot; &amp; &#39;2&#39;)&lt;/script&gt;\\u{202e}"
        );
        assert_eq!(prose("use `a<b` here"), "use <code>a&lt;b</code> here");
        assert_eq!(prose("one ` alone"), "one ` alone");
    }
}
