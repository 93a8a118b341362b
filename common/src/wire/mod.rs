//! Placeholder.
pub mod messages {
    //! Placeholder.
}
