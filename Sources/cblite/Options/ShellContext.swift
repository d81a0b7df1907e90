import CouchbaseLiteSwift

/// The database of the shell, for the commands that run in it: they need not name it, nor ask for its key again.
struct ShellContext: Sendable {
    /// `nil` outside of the shell.
    @TaskLocal static var current: ShellContext?

    let path: String
    let key: EncryptionKey?
    /// The collection that commands use if they name none; `nil` for the default collection.
    var collection: String?
}
