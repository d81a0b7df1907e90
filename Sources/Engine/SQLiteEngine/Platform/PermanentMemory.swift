extension UnsafePointer {
    /// Returns a pointer to a copy of `value` that is never freed, for a table of methods, whose address SQLite uses as long as any connection
    /// exists.
    static func permanent(_ value: Pointee) -> UnsafePointer<Pointee> {
        let memory = UnsafeMutablePointer<Pointee>.allocate(capacity: 1)
        memory.initialize(to: value)
        return UnsafePointer(memory)
    }
}
