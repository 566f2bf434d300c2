//! The short digest by which poetry and hatch tell projects of one name apart: the first eight characters of the SHA-256 of
//! the path in URL-safe base64.

/// The eight characters.
pub fn short(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let digest = sha256(bytes);
    // Six bytes are eight characters of six bits.
    let number = digest[..6].iter().fold(0u64, |number, byte| number << 8 | u64::from(*byte));
    (0..8).rev().map(|n| char::from(LETTERS[(number >> (6 * n) & 63) as usize])).collect()
}

/// SHA-256, after FIPS 180-4.
fn sha256(bytes: &[u8]) -> [u8; 32] {
    let primes: Vec<u64> = (2u64..312).filter(|n| (2..*n).all(|d| n % d != 0)).collect();
    let constants: Vec<u32> = primes.iter().map(|p| root_fraction(*p, 3)).collect();
    let mut state: Vec<u32> = primes[..8].iter().map(|p| root_fraction(*p, 2)).collect();

    let mut message = bytes.to_vec();
    message.push(0x80);
    while message.len() % 64 != 56 {
        message.push(0);
    }
    message.extend_from_slice(&(8 * bytes.len() as u64).to_be_bytes());
    for block in message.chunks_exact(64) {
        let mut words: Vec<u32> = block.chunks_exact(4).map(|w| u32::from_be_bytes([w[0], w[1], w[2], w[3]])).collect();
        for i in 16..64 {
            let (a, b) = (words[i - 15], words[i - 2]);
            let small0 = a.rotate_right(7) ^ a.rotate_right(18) ^ (a >> 3);
            let small1 = b.rotate_right(17) ^ b.rotate_right(19) ^ (b >> 10);
            words.push(words[i - 16].wrapping_add(small0).wrapping_add(words[i - 7]).wrapping_add(small1));
        }
        let mut v = state.clone();
        for i in 0..64 {
            let big1 = v[4].rotate_right(6) ^ v[4].rotate_right(11) ^ v[4].rotate_right(25);
            let choice = (v[4] & v[5]) ^ (!v[4] & v[6]);
            let sums = [big1, choice, constants[i], words[i]];
            let one = sums.iter().fold(v[7], |sum, term| sum.wrapping_add(*term));
            let big0 = v[0].rotate_right(2) ^ v[0].rotate_right(13) ^ v[0].rotate_right(22);
            let majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
            v.rotate_right(1);
            v[4] = v[4].wrapping_add(one);
            v[0] = one.wrapping_add(big0).wrapping_add(majority);
        }
        for (sum, term) in state.iter_mut().zip(v) {
            *sum = sum.wrapping_add(term);
        }
    }
    let mut digest = [0; 32];
    for (out, word) in digest.chunks_exact_mut(4).zip(state) {
        out.copy_from_slice(&word.to_be_bytes());
    }
    digest
}

/// The first 32 bits behind the point of the square or cube root of a prime.
fn root_fraction(prime: u64, degree: u32) -> u32 {
    // The largest number whose power is not above prime * 2^(32 * degree).
    let target = u128::from(prime) << (32 * degree);
    let (mut low, mut high) = (0u128, 1u128 << 40);
    while high - low > 1 {
        let middle = (low + high) / 2;
        if middle.pow(degree) <= target { low = middle } else { high = middle }
    }
    low as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hex(bytes: &[u8]) -> String {
        sha256(bytes).iter().map(|b| format!("{b:02x}")).collect()
    }

    #[test]
    fn digests_are_those_of_the_standard() {
        // FIPS 180-4's own examples.
        assert_eq!(hex(b"abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        let two_blocks = b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
        assert_eq!(hex(two_blocks), "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
        assert_eq!(hex(b""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        assert_eq!(short(b"abc"), "ungWv48B");
    }
}
