// Declares nothing: this target takes effect when it is linked.
