// Declares nothing: what is in this target takes effect by being linked.
