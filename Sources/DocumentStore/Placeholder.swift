// The first file of this layer replaces this one.
