//! Every text that a person or a model reads, in one place.
