//! Many words in one pass over a text, in any case of letters (of ASCII).
//!
//! An automaton over thousands of words takes longer to build than a ticket takes to read, so this looks at the last few bytes
//! of each word only: a table of bits tells where such an end may stand, and what stands there is compared.

/// Lengths of the ends that are looked up, in bytes; a word belongs to the longest that it has room for. Long ends are rare in
/// a text, and a few short words must not make all ends short.
const ENDS: [usize; 3] = [8, 5, 1];

/// Words to look for.
pub struct Finder {
    words: Vec<&'static [u8]>,
    /// The ends of all words, as long as the shortest word has room for: what is none of these is no end of any kind.
    ends: Ends,
    kinds: Vec<Kind>,
}

/// Ends of one length.
struct Ends {
    /// The bytes that count.
    mask: u64,
    /// Bits by a hash of the end.
    bits: Box<[u64; 1024]>,
}

impl Ends {
    /// No ends yet, of as many bytes as the shortest word has, at most 8.
    fn new(shortest: usize) -> Ends {
        Ends { mask: u64::MAX >> (64 - 8 * shortest.clamp(1, 8)), bits: Box::new([0; 1024]) }
    }

    fn add(&mut self, word: &[u8]) -> u64 {
        let end = &word[word.len().saturating_sub(8)..];
        let window = end.iter().fold(0, |window, b| (window << 8) | u64::from(b.to_ascii_lowercase())) & self.mask;
        let hash = hash(window);
        self.bits[hash >> 6] |= 1 << (hash & 63);
        window
    }

    /// The end of what was read last, where it may be one of these.
    fn end(&self, last: u64) -> Option<u64> {
        let window = last & self.mask;
        let hash = hash(window);
        (self.bits[hash >> 6] & (1 << (hash & 63)) != 0).then_some(window)
    }
}

/// The words of one length of ends.
struct Kind {
    ends: Ends,
    /// Ends by the first bits of their hash, each with its word.
    list: Vec<(u64, u32)>,
    /// Where in the list each of these begins.
    starts: Vec<u32>,
}

/// Bits of a hash by which lists are divided.
const BUCKETS: u32 = 11;

fn bucket(window: u64) -> usize {
    hash(window) >> (16 - BUCKETS)
}

impl Kind {
    fn new(ends: Ends, words: Vec<(u64, u32)>) -> Kind {
        // Sorting by counting: these tables are made anew with every start.
        let mut starts = vec![0u32; (1 << BUCKETS) + 1];
        for (end, _) in &words {
            starts[bucket(*end) + 1] += 1;
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut next = starts.clone();
        let mut list = vec![(0, 0); words.len()];
        for (end, number) in words {
            let place = &mut next[bucket(end)];
            list[*place as usize] = (end, number);
            *place += 1;
        }
        Kind { ends, list, starts }
    }

    /// Numbers of the words with this end.
    fn words(&self, window: u64) -> impl Iterator<Item = usize> {
        let at = bucket(window);
        let part = &self.list[self.starts[at] as usize..self.starts[at + 1] as usize];
        part.iter().filter(move |(end, _)| *end == window).map(|(_, number)| *number as usize)
    }
}

impl Finder {
    /// Looks for these; an empty word is never found.
    pub fn new(words: impl IntoIterator<Item = &'static str>) -> Finder {
        let words: Vec<&[u8]> = words.into_iter().map(str::as_bytes).collect();
        let mut kinds = Vec::new();
        let mut longest = usize::MAX;
        for room in ENDS {
            let of_kind = |word: &[u8]| word.len() >= room && word.len() < longest;
            // The shortest word of the kind tells how much of each end can be looked up.
            let Some(shortest) = words.iter().map(|word| word.len()).filter(|n| *n >= room && *n < longest).min()
            else {
                continue;
            };
            let mut ends = Ends::new(shortest);
            let of_kind = words.iter().enumerate().filter(|(_, word)| of_kind(word));
            let list = of_kind.map(|(number, word)| (ends.add(word), number as u32)).collect();
            kinds.push(Kind::new(ends, list));
            longest = room;
        }
        let there = || words.iter().filter(|word| !word.is_empty());
        let mut ends = Ends::new(there().map(|word| word.len()).min().unwrap_or(8));
        for word in there() {
            ends.add(word);
        }
        Finder { words, ends, kinds }
    }

    /// Calls `each` with the number of every word that stands in the text, as often as it does, until that answers true.
    pub fn any(&self, text: &str, mut each: impl FnMut(usize) -> bool) -> bool {
        let bytes = text.as_bytes();
        let mut last = 0u64;
        for (at, byte) in bytes.iter().enumerate() {
            last = (last << 8) | u64::from(byte.to_ascii_lowercase());
            if self.ends.end(last).is_none() {
                continue;
            }
            for kind in &self.kinds {
                let Some(window) = kind.ends.end(last) else { continue };
                for number in kind.words(window) {
                    let word = &self.words[number];
                    let begins = (at + 1).checked_sub(word.len());
                    if begins.is_some_and(|from| bytes[from..=at].eq_ignore_ascii_case(word)) && each(number) {
                        return true;
                    }
                }
            }
        }
        false
    }

    /// Whether any word stands in the text.
    pub fn is_in(&self, text: &str) -> bool {
        self.any(text, |_| true)
    }
}

/// A place in the table of bits.
fn hash(window: u64) -> usize {
    (window.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 48) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_wherever_they_stand() {
        let finder = Finder::new(["gpu", "NVRM:", "cuda error", "", "a long sentence"]);
        let all = |text: &str| {
            let mut found = Vec::new();
            finder.any(text, |number| {
                found.push(number);
                false
            });
            found
        };
        assert_eq!(all("GPU"), [0]);
        assert_eq!(all("x nvrm: a CUDA ERROR of the Gpu"), [1, 2, 0]);
        assert_eq!(all("this is A Long Sentence."), [4]);
        assert_eq!(all("gp u nvrm cuda  error"), [0usize; 0]);
        assert_eq!(all(""), [0usize; 0]);
        assert!(finder.is_in("\u{e9}gpu\u{e9}"));
        assert!(!Finder::new([""]).is_in("text"));
    }
}
