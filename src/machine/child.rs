//! The one runner that starts every child.
