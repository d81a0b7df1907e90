import ArgumentParser
import CouchbaseLiteSwift

/// `cblite rekey`
struct ChangeKey: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rekey",
        abstract: "Encrypts a database, changes its key or password, or decrypts it.",
        discussion: """
            Copies the whole database, which temporarily needs twice the disk space. If it is interrupted, the database is \
            unchanged. Fails if another process has the database open.

            EXAMPLES:
              $ cblite rekey travel.cblite2 --new-password
              $ cblite rekey travel.cblite2 --password --new-key-file travel.key
              $ cblite rekey travel.cblite2 --key-file travel.key --decrypt

            With --json, one object: path, encrypted.
            """
    )

    @OptionGroup var database: DatabaseArgument
    @OptionGroup var newKey: NewKeyOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard newKey.count == 1 else {
            throw ValidationError("Give one of --new-key-file, --new-password-file, --new-password and --decrypt.")
        }
    }

    func run() throws {
        let path = database.path
        let key = try newKey.key()
        try database.writing { database in
            let done: @Sendable () -> Int = { DatabaseFiles.sizeOfReplacement(at: path) }
            try ProgressBar.watching("Changing the key", total: DatabaseFiles.size(at: path), unit: .bytes, done: done) {
                try database.changeEncryptionKey(key)
            }
        }
        try output.print(
            newKey.decrypt ? "Decrypted \(path)." : "Encrypted \(path) with the new key.",
            [
                "path": path, "encrypted": !newKey.decrypt,
            ]
        )
    }
}
