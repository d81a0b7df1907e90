// Placeholder of the target until its first file stands.
