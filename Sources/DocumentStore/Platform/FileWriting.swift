import CLibrary

/// Writes all of `bytes`, also if the system takes only a part at a time or is interrupted by a signal. Returns `false` on failure, with the
/// reason in `errno`.
func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Bool {
    var rest = bytes
    while let start = rest.baseAddress, rest.count > 0 {
        let written = write(descriptor, start, rest.count)
        if written < 0 {
            if errno == EINTR { continue }
            return false
        }
        rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(written))
    }
    return true
}
