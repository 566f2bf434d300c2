//! Which torchvision and torchaudio belong to which torch: they are released together and call functions of that one release.
//!
//! Sources, as of 2026-11: PyTorch's list of versions (github.com/pytorch/pytorch/wiki/PyTorch-Versions, to 2.7), the
//! requirement `torch==` in the metadata of the torchvision wheels 0.24, 0.26, 0.28 and 0.29, and torchaudio's page on its
//! installation (docs.pytorch.org/audio), by which 2.11 works with every later torch. A pair that these leave open is not judged.

/// A release by its first two numbers.
pub type Minor = (u32, u32);

/// The newest torch of which the pairs are known.
const NEWEST: u32 = 14;
/// The first torchaudio that does not depend on one release of torch, and the torch that it wants at least.
const STABLE_AUDIO: Minor = (2, 11);

/// The release of a companion that belongs to a torch; nothing where that is not known, or where none of one release does.
pub fn belongs(companion: &str, torch: Minor) -> Option<Minor> {
    match (companion, torch) {
        ("torchvision", (2, n)) if n <= NEWEST => Some((0, n + 15)),
        ("torchvision", (1, n @ 4..=13)) => Some((0, n + 1)),
        ("torchaudio", (2, _)) if torch < STABLE_AUDIO => Some(torch),
        ("torchaudio", (1, n @ 8..=13)) => Some((0, n)),
        _ => None,
    }
}

/// Whether two versions are known not to belong together. A nightly or a build of one's own may fit anything.
pub fn apart(companion: &str, version: &str, torch: &str) -> bool {
    let pair = minor(version).zip(minor(torch));
    let Some((theirs, torch)) = pair else { return false };
    match companion {
        "torchaudio" if torch >= STABLE_AUDIO => theirs < STABLE_AUDIO,
        _ => belongs(companion, torch).is_some_and(|wanted| wanted != theirs),
    }
}

/// The first two numbers of a release; nothing for a version before one.
pub fn minor(version: &str) -> Option<Minor> {
    let release = version.trim().split('+').next()?;
    let plain = release.bytes().all(|b| b.is_ascii_digit() || b == b'.') || release.contains(".post");
    let mut parts = release.split('.').map(|part| part.parse().ok());
    plain.then_some(())?;
    Some((parts.next()??, parts.next()??))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pairs_are_those_of_the_lists() {
        for (torch, vision, audio) in [
            ("1.8.1", "0.9.1", "0.8.1"),
            ("1.13.1", "0.14.1", "0.13.1"),
            ("2.0.1", "0.15.2", "2.0.2"),
            ("2.1.2", "0.16.2", "2.1.2"),
            ("2.6.0+cu124", "0.21.0+cu124", "2.6.0+cu124"),
            ("2.9.1", "0.24.1", "2.9.1"),
            ("2.13.0", "0.28.0", "2.11.0"),
            ("2.14.1", "0.29.0", "2.11.0"),
        ] {
            assert!(!apart("torchvision", vision, torch) && !apart("torchaudio", audio, torch), "{torch}");
        }
        assert!(apart("torchvision", "0.21.0", "2.9.1") && apart("torchaudio", "2.10.0", "2.13.0"));
        assert!(apart("torchaudio", "2.11.0", "2.10.0") && apart("torchvision", "0.15.2", "1.13.1"));
        assert_eq!(belongs("torchvision", (2, 6)), Some((0, 21)));
        assert_eq!(belongs("torchaudio", (2, 13)), None);
    }

    #[test]
    fn what_is_no_release_is_not_judged() {
        for (vision, torch) in [
            ("0.20.0a0+afc54f7", "2.9.1"),
            ("0.24.0.dev20250801", "2.6.0"),
            ("0.21.0", "2.10.0a0+git1"),
            ("0.40.0", "2.25.0"),
            ("", "2.9.1"),
        ] {
            assert!(!apart("torchvision", vision, torch), "{vision} {torch}");
        }
    }
}
