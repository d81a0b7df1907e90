/// Says in the log what does not stop the work but should be known. To be called outside of locks.
func warn(_ message: @autoclosure () -> String) {
    LogRouter.shared.deliver(.warning, .database, message)
}
