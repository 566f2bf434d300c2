//! CTranslate2 opens cuBLAS and cuDNN of one major version by name, and does not find them.

use crate::causes::{Cause, only_words};

/// Only its own messages show it.
pub static CAUSE: Cause =
    Cause { page: include_str!("ctranslate2-cuda-lib-missing.md"), explains: &[], assess: only_words };
