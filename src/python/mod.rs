//! The Python face: the only module that names `pyo3`. It converts and calls; it decides nothing.
