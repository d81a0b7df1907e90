import ArgumentParser
import CouchbaseLiteSwift

/// The options that tell how a database will be encrypted.
struct NewKeyOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The new key: a file of 32 bytes, or of 64 hexadecimal digits.", valueName: "file"), completion: .file())
    var newKeyFile: String?
    @Option(help: ArgumentHelp("The new password: the first line of a file.", valueName: "file"), completion: .file())
    var newPasswordFile: String?
    @Flag(help: "Ask for the new password on the terminal.") var newPassword = false
    @Flag(help: "Remove the encryption.") var decrypt = false

    /// The number of these options that are given, of which at most one is allowed.
    var count: Int { [newKeyFile != nil, newPasswordFile != nil, newPassword, decrypt].count(where: \.self) }

    /// Returns the new key; `nil` removes the encryption. Asks for a password if that was requested.
    func key() throws -> EncryptionKey? {
        guard newPassword else { return try KeyOptions.key(keyFile: newKeyFile, passwordFile: newPasswordFile) }
        let password = try Terminal.promptForSecret("New password: ")
        guard try Terminal.promptForSecret("Repeat the password: ") == password else { throw Failure(.usage, "the two passwords differ") }
        return .password(password)
    }
}
