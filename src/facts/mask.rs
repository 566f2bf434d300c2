//! Passwords in addresses: `https://user:password@host` may stand in a search path, in the channel of a conda package or in
//! the message of an exception. They are taken out before they become a fact.

use serde_json::Value;

/// What stands in their place.
const MASK: &str = "***";

/// The value with every address in every string masked.
pub fn value(value: &mut Value) {
    match value {
        Value::String(text) => *text = self::text(std::mem::take(text)),
        Value::Array(list) => list.iter_mut().for_each(self::value),
        Value::Object(map) => map.values_mut().for_each(self::value),
        _ => {}
    }
}

/// The text with every address in it masked: its user and password, and the token of conda's `host/t/TOKEN/channel`.
pub fn text(text: String) -> String {
    if !text.contains("://") {
        return text;
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some(at) = rest.find("://") {
        let (before, address) = rest.split_at(at + 3);
        out.push_str(before);
        let ends = |c: char| c.is_whitespace() || matches!(c, '/' | '?' | '#' | '"' | '\'' | '<' | '>' | '\\');
        let (authority, path) = address.split_at(address.find(ends).unwrap_or(address.len()));
        match authority.rsplit_once('@') {
            Some((_, host)) => out.extend([MASK, "@", host]),
            None => out.push_str(authority),
        }
        rest = path;
        if let Some(token) = path.strip_prefix("/t/") {
            out.extend(["/t/", MASK]);
            rest = &token[token.find(ends).unwrap_or(token.len())..];
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn users_passwords_and_tokens_go_and_the_rest_stays() {
        let masked = |text: &str| self::text(text.to_string());
        assert_eq!(masked("https://ann:s3cret@pypi.example/simple"), "https://***@pypi.example/simple");
        assert_eq!(masked("/a:ftp://t0ken@host:21/x:/b"), "/a:ftp://***@host:21/x:/b");
        assert_eq!(masked("see http://a:b@c and http://d:e@f"), "see http://***@c and http://***@f");
        assert_eq!(masked("https://conda.example/t/tk-123/main"), "https://conda.example/t/***/main");
        for text in ["https://download.pytorch.org/whl/cu126", "/opt/cuda/lib64:/a@b", "user@host", "://", "x://@"] {
            let plain = text.replace("x://@", "x://***@");
            assert_eq!(masked(text), plain);
        }
        let mut all = json!({ "channel": ["https://u:p@h/t/x", 1], "n": null });
        value(&mut all);
        assert_eq!(all, json!({ "channel": ["https://***@h/t/***", 1], "n": null }));
    }
}
