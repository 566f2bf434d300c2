//! The toolkit refuses an image that wants a newer driver than the host's.

use crate::causes::{Cause, only_words};
use crate::symptom::AFTER_CUINIT;

/// The cause; only text shows it.
pub static CAUSE: Cause = Cause {
    page: include_str!("container-image-needs-newer-driver.md"),
    explains: &[AFTER_CUINIT],
    assess: only_words,
};
