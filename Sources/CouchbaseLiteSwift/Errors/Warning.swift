import Fleece

/// Writes a line about something that does not stop the work but should be known, to standard error.
func warn(_ message: @autoclosure () -> String) {
    let time = ISO8601.string(milliseconds: Date().milliseconds)
    FileHandle.standardError.write(Data("\(time) [Database] warning: \(message())\n".utf8))
}
