import ArgumentParser
import CouchbaseLiteSwift
import Foundation

/// The options for opening an encrypted database. The secret itself is never given on the command line, because other users of
/// the machine can read it there.
struct KeyOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("The key of an encrypted database: a file of 32 bytes, or of 64 hexadecimal digits.", valueName: "file"),
        completion: .file()
    )
    var keyFile: String?

    @Option(help: ArgumentHelp("The password of an encrypted database: the first line of a file.", valueName: "file"), completion: .file())
    var passwordFile: String?

    @Flag(help: "Ask for the password of an encrypted database on the terminal. It can also be set in CBLITE_PASSWORD.")
    var password = false

    func validate() throws {
        guard [keyFile != nil, passwordFile != nil, password].count(where: \.self) <= 1 else {
            throw ValidationError("Give one of --key-file, --password-file and --password.")
        }
    }

    /// Whether one of the options is given.
    var isGiven: Bool { keyFile != nil || passwordFile != nil || password }

    /// Returns the key from the options or the environment, `nil` if there is none.
    ///
    /// - Throws: ``Failure`` if a file cannot be read or has no valid key or password, or if there is no terminal.
    func secret() throws -> EncryptionKey? {
        if let key = try Self.key(keyFile: keyFile, passwordFile: passwordFile) { return key }
        if password { return .password(try Terminal.promptForSecret("Password: ")) }
        return ProcessInfo.processInfo.environment["CBLITE_PASSWORD"].map { .password($0) }
    }

    /// Returns the key in one of the files; `nil` if neither is given.
    static func key(keyFile: String?, passwordFile: String?) throws -> EncryptionKey? {
        guard let keyFile else { return try passwordFile.map { .password(try SecretFile.password($0)) } }
        let content = try SecretFile.content(keyFile)
        let key = decodeHexadecimal(content) ?? content
        guard key.count == 32 else {
            throw Failure(.badData, "\(keyFile) does not contain a key of 32 bytes or 64 hexadecimal digits")
        }
        return .key(key)
    }

    /// Decodes 64 hexadecimal digits, ignoring white space around them. Returns `nil` for any other text.
    private static func decodeHexadecimal(_ text: Data) -> Data? {
        let digits = String(decoding: text, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        guard digits.utf8.count == 64 else { return nil }
        let values = digits.compactMap(\.hexDigitValue)
        guard values.count == 64 else { return nil }
        return Data(stride(from: 0, to: 64, by: 2).map { UInt8(values[$0] << 4 | values[$0 + 1]) })
    }
}

/// A file that contains a key or password. It can be a pipe, such as `<(…)` of a shell.
enum SecretFile {
    /// The most that a key, a password or a certificate takes, in bytes.
    private static let maximumSize = 1 << 20

    static func content(_ path: String) throws -> Data {
        let file = try InputFile(path)
        var content = Data()
        while let piece = try file.nextPiece() {
            content.append(contentsOf: piece)
            guard content.count <= maximumSize else { throw Failure(.badData, "\(path) is too large for a key, password or certificate") }
        }
        return content
    }

    /// Returns the first line.
    static func password(_ path: String) throws -> String {
        let line = try content(path).prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
        guard !line.isEmpty else { throw Failure(.badData, "\(path) has no password in its first line") }
        return String(decoding: line, as: UTF8.self)
    }
}

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
