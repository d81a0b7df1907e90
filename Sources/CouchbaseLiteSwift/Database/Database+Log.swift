extension Database {
    /// The logging API from before ``LogSinks``.
    public static var log: Log { Log.shared }
}
