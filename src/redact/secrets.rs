//! Secrets: passwords in addresses, keys and tokens of known shapes, and values behind a name that says what they are. They are
//! taken out of everything before it becomes a fact, so that no output and no snapshot can hold one.

/// What stands in the place of a secret.
pub const MASK: &str = "<secret>";

/// Beginnings by which services mark their keys, and how many characters follow at least.
const SHAPES: &[(&str, usize)] = &[
    // Hugging Face, NVIDIA, OpenAI and Anthropic, Replicate, Groq, Perplexity.
    ("hf_", 20),
    ("api_org_", 20),
    ("nvapi-", 20),
    ("sk-", 20),
    ("r8_", 20),
    ("gsk_", 20),
    ("pplx-", 20),
    // Weights & Biases since 2025; before that, see `hex_of_wandb`.
    ("wandb_v1_", 20),
    // GitHub, GitLab, Docker Hub, npm, PyPI, RubyGems.
    ("ghp_", 20),
    ("gho_", 20),
    ("ghu_", 20),
    ("ghs_", 20),
    ("ghr_", 20),
    ("github_pat_", 20),
    ("glpat-", 16),
    ("gldt-", 16),
    ("glrt-", 16),
    ("dckr_pat_", 16),
    ("npm_", 20),
    ("pypi-", 30),
    ("rubygems_", 20),
    // AWS (key ids), Google, DigitalOcean, Databricks, HashiCorp Vault, Tailscale.
    ("AKIA", 16),
    ("ASIA", 16),
    ("AIza", 30),
    ("ya29.", 20),
    ("GOCSPX-", 20),
    ("dop_v1_", 20),
    ("dapi", 32),
    ("hvs.", 20),
    ("tskey-", 16),
    // Slack, Stripe, SendGrid, Linear, Shopify, age.
    ("xoxb-", 10),
    ("xoxa-", 10),
    ("xoxp-", 10),
    ("xoxr-", 10),
    ("xoxs-", 10),
    ("xoxc-", 10),
    ("xoxd-", 10),
    ("xoxe-", 10),
    ("xoxe.", 10),
    ("xapp-", 10),
    ("sk_live_", 16),
    ("sk_test_", 16),
    ("rk_live_", 16),
    ("pk_live_", 16),
    ("whsec_", 16),
    ("SG.", 30),
    ("lin_api_", 20),
    ("shpat_", 20),
    ("AGE-SECRET-KEY-1", 20),
    // JSON Web Tokens.
    ("eyJ", 20),
];

/// The shortest of these keys.
const SHORTEST: usize = 15;

/// Ends of names whose value is a secret, in lower case and without separators.
#[rustfmt::skip]
const NAMES: &[&str] = &[
    "password", "passwd", "passphrase", "passcode", "pwd", "secret", "token", "apikey", "accesskey", "secretkey", "privatekey",
    "accountkey", "authkey", "credential", "credentials", "authorization", "cookie",
];

/// Names of the same in the query of an address.
const QUERY: &[&str] =
    &["sig", "signature", "xamzsignature", "xamzcredential", "xamzsecuritytoken", "key", "auth", "code"];

/// Values that are no secret, whatever their name.
const TRIVIAL: &[&str] = &["none", "null", "nil", "true", "false", "unset", "yes", "no", MASK];

/// The text with every secret in it masked.
pub fn text(text: String) -> String {
    let mut found: Vec<(usize, usize)> = Vec::new();
    // Every text of every fact comes through here, and most are words and numbers: what has no such sign has no such secret.
    let has = |sign: u8| memchr::memchr(sign, text.as_bytes()).is_some();
    if has(b'/') || has(b'%') {
        addresses(&text, &mut found);
    }
    if has(b'-') {
        keys(&text, &mut found);
    }
    shapes(&text, &mut found);
    named(&text, &mut found);
    hex_of_wandb(&text, &mut found);
    if found.is_empty() {
        return text;
    }
    found.sort_unstable();
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for (start, end) in found {
        if end <= done {
            continue;
        }
        // What overlaps is one secret.
        if start >= done {
            out.push_str(&text[done..start]);
            out.push_str(MASK);
        }
        done = end;
    }
    out.push_str(&text[done..]);
    out
}

/// User and password of `scheme://user:password@host`, and the tokens in paths: conda's `host/t/TOKEN/`, Slack's and Discord's
/// webhooks.
fn addresses(text: &str, found: &mut Vec<(usize, usize)>) {
    let ends = |c: char| c.is_whitespace() || matches!(c, '/' | '?' | '#' | '"' | '\'' | '<' | '>' | '\\' | '`');
    // The same within the query of another address.
    let begins = ["://", "%2F%2F", "%2f%2f"].into_iter().flat_map(|begin| text.match_indices(begin));
    for (at, begin) in begins {
        let start = at + begin.len();
        // A user or password that was masked before.
        if text[start..].starts_with(MASK) {
            continue;
        }
        let mut end = start + text[start..].find(ends).unwrap_or(text.len() - start);
        // `https://a@b,https://c@d`: the next address begins behind the comma.
        if text[start..end].ends_with(':') {
            end = start + text[start..end].rfind([',', ';', '|', '=', '&']).unwrap_or(0);
        }
        if let Some(sign) = text[start..end].rfind('@') {
            found.push((start, start + sign));
        }
        let path = &text[end..];
        for prefix in ["/t/", "/services/", "/api/webhooks/"] {
            let hook = prefix == "/t/" || text[start..end].contains("slack") || text[start..end].contains("discord");
            if hook && path.starts_with(prefix) {
                let from = end + prefix.len();
                let stop = |c: char| ends(c) && (prefix == "/t/" || c != '/');
                let to = from + text[from..].find(stop).unwrap_or(text.len() - from);
                found.push((from, to));
            }
        }
    }
}

/// A private key between its marks, or to the end where the second one is missing.
fn keys(text: &str, found: &mut Vec<(usize, usize)>) {
    for (at, mark) in text.match_indices("PRIVATE KEY-----") {
        let start = at + mark.len();
        if text[..at].rfind("-----").is_some_and(|dashes| text[dashes..at].starts_with("-----BEGIN ")) {
            let end = text[start..].find("-----END").map_or(text.len(), |end| start + end);
            if !text[start..end].trim().is_empty() {
                found.push((start, end));
            }
        }
    }
}

/// Keys that are known by how they begin.
fn shapes(text: &str, found: &mut Vec<(usize, usize)>) {
    let bytes = text.as_bytes();
    let inside = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.');
    let mut at = 0;
    // Few words are as long as a key, so that few are looked at closely.
    while at < bytes.len() {
        let run = bytes[at..].iter().take_while(|b| inside(b)).count();
        if run >= SHORTEST {
            for start in at..=at + run - SHORTEST {
                if start == 0 || !bytes[start - 1].is_ascii_alphanumeric() {
                    found.extend(key_at(bytes, start));
                }
            }
        }
        at += run + 1;
    }
    // Telegram's bots: a number, a colon and 35 characters.
    for (at, _) in text.match_indices(':').filter(|(at, _)| text[*at..].starts_with(":AA")) {
        let digits = bytes[..at].iter().rev().take_while(|b| b.is_ascii_digit()).count();
        let inside = |b: &&u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-');
        let length = bytes[at + 1..].iter().take_while(inside).count();
        if (8..=10).contains(&digits) && length >= 33 {
            found.push((at - digits, at + 1 + length));
        }
    }
}

/// Older keys of Weights & Biases are 40 hexadecimal digits, as a commit is: one in a line that speaks of the service, and not of
/// a commit.
fn hex_of_wandb(text: &str, found: &mut Vec<(usize, usize)>) {
    const DIGITS: usize = 40;
    let spelt = [&b"andb"[..], b"andB", b"ANDB"];
    if text.len() < DIGITS || spelt.iter().all(|part| memchr::memmem::find(text.as_bytes(), part).is_none()) {
        return;
    }
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let lower = line.to_ascii_lowercase();
        if lower.contains("wandb") && !lower.contains("commit") && !lower.contains(".git") {
            let mut at = 0;
            for word in line.split(|c: char| !c.is_ascii_alphanumeric()) {
                if word.len() == DIGITS && word.bytes().all(|b| b.is_ascii_hexdigit()) {
                    found.push((start + at, start + at + DIGITS));
                }
                // What separates may have more than one byte.
                at += word.len();
                at += line[at..].chars().next().map_or(0, char::len_utf8);
            }
        }
        start += line.len();
    }
}

/// A key that begins here.
fn key_at(bytes: &[u8], start: usize) -> Option<(usize, usize)> {
    let (prefix, least) = SHAPES.iter().find(|(prefix, _)| bytes[start..].starts_with(prefix.as_bytes()))?;
    // The parts of a JSON Web Token and of some others have dots between them.
    let dotted = *prefix == "eyJ" || prefix.ends_with('.');
    let inside = |b: &&u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-') || dotted && **b == b'.';
    let length = bytes[start + prefix.len()..].iter().take_while(inside).count();
    (length >= *least).then_some((start, start + prefix.len() + length))
}

/// Values behind a name: `NAME=value`, `"name": "value"`, `--name value`, `Bearer value`, `login x password value`.
fn named(text: &str, found: &mut Vec<(usize, usize)>) {
    for (at, sign) in text.match_indices([':', '=']) {
        let next = text[at + 1..].chars().next();
        // `a::b`, `a == b`, `scheme://`.
        if next.is_none() || matches!(next, Some(':' | '=')) || text[..at].ends_with([':', '=', '!', '<', '>']) {
            continue;
        }
        let before = text[..at].trim_end_matches([' ', '"', '\'', '\\']);
        let start = before
            .rfind(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.')))
            .map_or(0, |i| i + before[i..].chars().next().map_or(1, char::len_utf8));
        let name = &before[start..];
        let in_query = text[..start].ends_with(['?', '&']) && sign == "=";
        if !(is_secret(name) || in_query && QUERY.contains(&squeezed(name).as_str())) {
            continue;
        }
        let whole_line = ["authorization", "cookie"].iter().any(|end| squeezed(name).ends_with(end));
        let from = at + 1;
        found.extend(value_at(text, from + blanks(&text[from..]), whole_line));
    }
    if memchr::memchr(b'-', text.as_bytes()).is_some() {
        options(text, found);
    }
    if memchr::memchr(b' ', text.as_bytes()).is_some() {
        words(text, found);
    }
}

/// What follows an option of a command.
fn options(text: &str, found: &mut Vec<(usize, usize)>) {
    for (at, _) in text.match_indices("--") {
        let name = &text[at + 2..];
        let length = name.find(|c: char| !(c.is_ascii_alphanumeric() || c == '-' || c == '_')).unwrap_or(name.len());
        if name[length..].starts_with(' ') && is_secret(&name[..length]) && !name[length + 1..].starts_with('-') {
            found.extend(value_at(text, at + 2 + length + blanks(&name[length..]), false));
        }
    }
    for flag in [" -u ", " --user "] {
        for (at, _) in text.match_indices(flag) {
            found
                .extend(value_at(text, at + flag.len(), false).filter(|(start, end)| text[*start..*end].contains(':')));
        }
    }
}

/// What follows a word: `Bearer`, `Basic`, and the `password` behind a `login`.
fn words(text: &str, found: &mut Vec<(usize, usize)>) {
    if !["earer ", "EARER ", "asic ", "ASIC ", "assword "].iter().any(|part| text.contains(part)) {
        return;
    }
    let lower = text.to_ascii_lowercase();
    for word in ["bearer ", "basic ", " password "] {
        for (at, _) in lower.match_indices(word) {
            let start = at + word.len();
            let Some((start, end)) = value_at(text, start + blanks(&text[start..]), false) else { continue };
            let value = &text[start..end];
            let coded = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || "=._+/".contains(c);
            let telling = match word {
                " password " => lower[..at].contains("login "),
                _ => value.len() >= 8 && value.contains(coded) && !value.ends_with('.'),
            };
            if telling {
                found.push((start, end));
            }
        }
    }
}

fn blanks(text: &str) -> usize {
    text.len() - text.trim_start_matches([' ', '\t']).len()
}

/// The value that begins here: up to its closing quotation mark, or to what ends a word.
fn value_at(text: &str, start: usize, whole_line: bool) -> Option<(usize, usize)> {
    let rest = &text[start..];
    let quote = rest.trim_start_matches('\\').chars().next().filter(|c| matches!(c, '"' | '\'' | '`'));
    let (from, length) = match quote {
        Some(quote) => {
            let skip = rest.find(quote)? + 1;
            (skip, rest[skip..].find([quote, '\n']).unwrap_or(rest.len() - skip))
        }
        None if whole_line => (0, rest.find(['\n', '"', '\'']).unwrap_or(rest.len())),
        None => {
            let ends = |c: char| c.is_whitespace() || matches!(c, ',' | ';' | '&' | '"' | '\'' | ')' | '}' | ']' | '`');
            (0, rest.find(ends).unwrap_or(rest.len()))
        }
    };
    let value = rest[from..from + length].trim_end();
    let trivial = value.is_empty() || TRIVIAL.contains(&value.to_ascii_lowercase().as_str());
    (!trivial).then_some((start + from, start + from + value.len()))
}

/// Whether a name says that its value is a secret.
fn is_secret(name: &str) -> bool {
    // The working directory.
    if matches!(name, "PWD" | "OLDPWD" | "pwd") {
        return false;
    }
    let name = squeezed(name);
    NAMES.iter().any(|end| name.ends_with(end))
}

fn squeezed(name: &str) -> String {
    name.chars().filter(|c| c.is_ascii_alphanumeric()).map(|c| c.to_ascii_lowercase()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn masked(text: &str) -> String {
        self::text(text.to_string())
    }

    #[test]
    fn users_passwords_and_tokens_of_addresses_go_and_the_rest_stays() {
        assert_eq!(masked("https://ann:s3cret@pypi.example/simple"), "https://<secret>@pypi.example/simple");
        assert_eq!(masked("/a:ftp://t0ken@host:21/x:/b"), "/a:ftp://<secret>@host:21/x:/b");
        assert_eq!(masked("see http://a:b@c and http://d:e@f"), "see http://<secret>@c and http://<secret>@f");
        assert_eq!(masked("http://a:b@c,https://d:e@f/x"), "http://<secret>@c,https://<secret>@f/x");
        assert_eq!(masked("https://conda.example/t/tk-123/main"), "https://conda.example/t/<secret>/main");
        for text in ["https://download.pytorch.org/whl/cu126", "/opt/cuda/lib64:/a@b", "user@host", "://"] {
            assert_eq!(masked(text), text);
        }
    }

    #[test]
    fn values_behind_a_telling_name_go() {
        assert_eq!(masked("MY_PASSWORD=hunter2 x"), "MY_PASSWORD=<secret> x");
        assert_eq!(masked("{\"apiKey\": \"a b\", \"n\": 1}"), "{\"apiKey\": \"<secret>\", \"n\": 1}");
        assert_eq!(masked("run --auth-token abc --next"), "run --auth-token <secret> --next");
        assert_eq!(masked("Authorization: Token a b c\nnext"), "Authorization: <secret>\nnext");
        assert_eq!(masked("curl -u ann:pw https://x"), "curl -u <secret> https://x");
        assert_eq!(masked("machine x login ann password pw"), "machine x login ann password <secret>");
        assert_eq!(masked("https://x/y?sig=abc&v=1"), "https://x/y?sig=<secret>&v=1");
        assert_eq!(masked("-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----"), {
            "-----BEGIN PRIVATE KEY-----<secret>-----END PRIVATE KEY-----"
        });
    }

    #[test]
    fn keys_of_wandb_and_slack_go() {
        let old = "0123456789abcdef0123456789abcdef01234567";
        assert_eq!(masked(&format!("wandb login {old}")), "wandb login <secret>");
        assert_eq!(
            masked(&format!("torch at {old}\nWandB key: {old} ü")),
            format!("torch at {old}\nWandB key: <secret> ü")
        );
        for key in ["wandb_v1_aB3dE5gH7jK9mN1pQ3sT5_vW7yZ", "xoxe.xoxp-1-Mi0yLTEyMzQ1Njc4OTA", "xoxd-aBcDeFgHiJkLmNoP"]
        {
            assert_eq!(masked(&format!("key {key} end")), "key <secret> end", "{key}");
        }
    }

    #[test]
    fn technical_text_stays() {
        for text in [
            "[    9.0] Loading of module with unavailable key is rejected",
            "signer: DKMS module signing key",
            "PWD=/home/u/project",
            "token: None",
            "RuntimeError: CUDA error: an illegal memory access was encountered",
            "tokenizers==0.15.0",
            "torch::Tensor token::x, a == b, risk-averse-algorithms-and-data, task-123456789012345678901234",
            "wandb: run 0123456789abcdef0123456789abcdef01234567 of git commit",
            "basic training, bearer authentication failed",
            "CUDA_VISIBLE_DEVICES=GPU-11111111-2222-3333-4444-555555555555",
            "libcudnn.so.9: cannot open shared object file: No such file or directory",
        ] {
            assert_eq!(masked(text), text);
        }
    }

    #[test]
    fn what_was_masked_stays_as_it_is() {
        for text in
            ["a://u:p@h", "password=x", "Bearer abcDEF123456", "login a password b", "hf_abcdefghijklmnopqrstuv"]
        {
            let once = masked(text);
            assert!(once.contains(MASK), "{once}");
            assert_eq!(masked(&once), once);
        }
    }
}
