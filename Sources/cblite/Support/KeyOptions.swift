import ArgumentParser
import Foundation
import SQLiteEngine

/// The options that say how to open an encrypted database. The secret itself never stands on the command line, which other users of
/// the machine can read.
struct KeyOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("The key of an encrypted database: a file of 32 bytes, or of 64 hexadecimal digits.", valueName: "file"),
        completion: .file()
    )
    var keyFile: String?

    @Option(help: ArgumentHelp("The password of an encrypted database: the first line of a file.", valueName: "file"), completion: .file())
    var passwordFile: String?

    @Flag(help: "Ask for the password of an encrypted database on the terminal. It may also be in CBLITE_PASSWORD.")
    var password = false

    func validate() throws {
        guard [keyFile != nil, passwordFile != nil, password].count(where: \.self) <= 1 else {
            throw ValidationError("Give one of --key-file, --password-file and --password.")
        }
    }

    /// The secret that was given; nil when there is none.
    func secret() throws -> EncryptionSecret? {
        if let secret = try KeySource(keyFile: keyFile, passwordFile: passwordFile, asks: password)?.secret("Password: ") {
            return secret
        }
        return ProcessInfo.processInfo.environment["CBLITE_PASSWORD"].map { EncryptionSecret(password: $0) }
    }
}

/// Where a key or password comes from.
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
                throw Failure(.badData, "\(path) has neither 32 bytes nor 64 hexadecimal digits")
            }
            return secret
        case .passwordFile(let path):
            let line = try Self.read(path).prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
            guard !line.isEmpty else { throw Failure(.badData, "\(path) has no password in its first line") }
            return EncryptionSecret(password: String(decoding: line, as: UTF8.self))
        case .terminal:
            return EncryptionSecret(password: try Terminal.askSecretly(question))
        }
    }

    private static func read(_ path: String) throws -> [UInt8] {
        guard let content = FileManager.default.contents(atPath: path) else { throw Failure.system("read", path) }
        return Array(content)
    }

    /// The bytes that 64 hexadecimal digits stand for, white space around them aside; nil for anything else.
    private static func decodeHexadecimal(_ text: [UInt8]) -> [UInt8]? {
        let digits = String(decoding: text, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        guard digits.utf8.count == 64 else { return nil }
        let values = digits.compactMap(\.hexDigitValue)
        guard values.count == 64 else { return nil }
        return stride(from: 0, to: 64, by: 2).map { UInt8(values[$0] << 4 | values[$0 + 1]) }
    }
}
