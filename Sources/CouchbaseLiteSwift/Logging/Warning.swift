/// Logs a warning about a problem that does not stop the work. Call it outside locks.
func warn(_ message: @autoclosure () -> String) {
    LogRouter.shared.deliver(.warning, .database, message)
}
