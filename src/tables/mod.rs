//! Version and architecture tables. Each row cites its source; all are as of November 2026.
