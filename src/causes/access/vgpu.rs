//! What the name of a virtual GPU says: `GRID A100D-4C` is a slice of 4 GB of the series C.

/// The series of a virtual GPU's profile: `A` (applications), `B` (desktops), `C` (computing), `Q` (workstations); nothing for a
/// physical GPU, such as `A100-SXM4-40GB`.
pub fn series(name: &str) -> Option<char> {
    let (_, profile) = name.trim().rsplit_once('-')?;
    let letters = profile.trim_start_matches(|c: char| c.is_ascii_digit());
    // `5CME` is a profile with one more letter pair, `8A4` one with a number behind.
    let series = letters.chars().next()?;
    let rest = &letters[series.len_utf8()..];
    let known = letters.len() < profile.len()
        && "ABCQ".contains(series)
        && (rest.is_empty() || rest == "ME" || rest.chars().all(|c| c.is_ascii_digit()));
    known.then_some(series)
}

#[cfg(test)]
mod tests {
    use super::series;

    #[test]
    fn profiles_are_told_from_boards() {
        for (name, expected) in [
            ("GRID A100D-4C", Some('C')),
            ("NVIDIA RTXA6000-48A", Some('A')),
            ("NVIDIA A40-8Q", Some('Q')),
            ("GRID T4-1B", Some('B')),
            ("GRID V100-4A4", Some('A')),
            ("NVIDIA A100-1-5CME", Some('C')),
            ("NVIDIA A100-SXM4-40GB", None),
            ("Tesla V100-PCIE-16GB", None),
            ("NVIDIA GeForce RTX 4090", None),
            ("GPU-", None),
        ] {
            assert_eq!(series(name), expected, "{name}");
        }
    }
}
