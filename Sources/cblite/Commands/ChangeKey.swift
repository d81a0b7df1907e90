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
    @Option(help: ArgumentHelp("The new key: a file of 32 bytes, or of 64 hexadecimal digits.", valueName: "file"), completion: .file())
    var newKeyFile: String?
    @Option(help: ArgumentHelp("The new password: the first line of a file.", valueName: "file"), completion: .file())
    var newPasswordFile: String?
    @Flag(help: "Ask for the new password on the terminal.") var newPassword = false
    @Flag(help: "Remove the encryption.") var decrypt = false
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard [newKeyFile != nil, newPasswordFile != nil, newPassword, decrypt].count(where: \.self) == 1 else {
            throw ValidationError("Give one of --new-key-file, --new-password-file, --new-password and --decrypt.")
        }
    }

    func run() throws {
        let path = database.path
        try database.writing { try $0.changeEncryptionKey(newKey()) }
        try output.print(decrypt ? "Decrypted \(path)." : "Encrypted \(path) with the new key.") { printer in
            printer.member("path", path)
            printer.member("encrypted", !decrypt)
        }
    }

    private func newKey() throws -> EncryptionKey? {
        guard newPassword else { return try KeyOptions.key(keyFile: newKeyFile, passwordFile: newPasswordFile) }
        let password = try Terminal.promptForSecret("New password: ")
        guard try Terminal.promptForSecret("Repeat the password: ") == password else { throw Failure(.usage, "the two passwords differ") }
        return .password(password)
    }
}
