import ArgumentParser
import Foundation
import SQLiteEngine

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

    /// Returns the secret from the options or the environment, `nil` if there is none.
    ///
    /// - Throws: ``Failure`` if a file cannot be read or has no valid key or password, or if there is no terminal.
    func secret() throws -> EncryptionSecret? {
        if let secret = try KeySource(keyFile: keyFile, passwordFile: passwordFile, asks: password)?.secret("Password: ") {
            return secret
        }
        return ProcessInfo.processInfo.environment["CBLITE_PASSWORD"].map { EncryptionSecret(password: $0) }
    }
}

/// The source of a key or password.
enum KeySource {
    case keyFile(String)
    case passwordFile(String)
    case terminal

    init?(keyFile: String?, passwordFile: String?, asks: Bool) {
        if let keyFile {
            self = .keyFile(keyFile)
        } else if let passwordFile {
            self = .passwordFile(passwordFile)
        } else if asks {
            self = .terminal
        } else {
            return nil
        }
    }

    func secret(_ question: String) throws -> EncryptionSecret {
        switch self {
        case .keyFile(let path):
            let content = try Self.read(path)
            guard let secret = EncryptionSecret(key: Self.decodeHexadecimal(content) ?? content) else {
                throw Failure(.badData, "\(path) does not contain a key of 32 bytes or 64 hexadecimal digits")
            }
            return secret
        case .passwordFile(let path):
            let line = try Self.read(path).prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
            guard !line.isEmpty else { throw Failure(.badData, "\(path) has no password in its first line") }
            return EncryptionSecret(password: String(decoding: line, as: UTF8.self))
        case .terminal:
            return EncryptionSecret(password: try Terminal.promptForSecret(question))
        }
    }

    private static func read(_ path: String) throws -> [UInt8] {
        guard let content = FileManager.default.contents(atPath: path) else { throw Failure.system("read", path) }
        return Array(content)
    }

    /// Decodes 64 hexadecimal digits, ignoring white space around them. Returns `nil` for any other text.
    private static func decodeHexadecimal(_ text: [UInt8]) -> [UInt8]? {
        let digits = String(decoding: text, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        guard digits.utf8.count == 64 else { return nil }
        let values = digits.compactMap(\.hexDigitValue)
        guard values.count == 64 else { return nil }
        return stride(from: 0, to: 64, by: 2).map { UInt8(values[$0] << 4 | values[$0 + 1]) }
    }
}
