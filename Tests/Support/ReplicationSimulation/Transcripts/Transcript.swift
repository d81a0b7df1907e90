package import BLIP
import Foundation
import TestSupport

/// A recorded conversation between a Sync Gateway and a scripted client.
package struct Transcript {
    package struct Message: Sendable {
        package var profile = ""
        package var properties: Properties = [:]
        package var body: [UInt8] = []
        package var isNoReply = false
        package var isError = false
        /// Whether only the beginning of the body was recorded.
        package var isCutShort = false

        package var text: String { String(decoding: body, as: UTF8.self) }

        package init() {}
    }

    package enum Line: Sendable {
        case section(String)
        /// The client has opened a new connection.
        case connection
        case client(Message)
        case server(Message)
        /// The server's reply to a request of the client.
        case reply(Message)
        case other(String)
    }

    package let lines: [Line]

    package init(_ text: String) {
        lines = text.split(separator: "\n").map { Self.line(String($0)) }
    }

    /// Returns a recorded transcript of a release 4.x.
    package static func ofVersions(_ name: String) throws -> Transcript {
        let folder = Fixtures.directory.appendingPathComponent("transcripts-4.x")
        return Transcript(try String(contentsOf: folder.appendingPathComponent("\(name).txt"), encoding: .utf8))
    }

    /// Returns all recorded transcripts of protocols 2 and 3, sorted by name.
    package static func all() throws -> [(name: String, transcript: Transcript)] {
        let folder = Fixtures.directory.appendingPathComponent("transcripts")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".txt") }
        return try names.sorted().map { name in
            (name, Transcript(try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)))
        }
    }

    private static func line(_ line: String) -> Line {
        let text = line.drop { $0 == " " }
        if text.hasPrefix("== ") { return .section(String(text.dropFirst(3))) }
        if text.hasPrefix("dial ") { return .connection }
        if text.hasPrefix("-> ") { return message(text.dropFirst(3)).map { .client($0) } ?? .other(line) }
        if text.hasPrefix("<- ") { return message(text.dropFirst(3)).map { .server($0) } ?? .other(line) }
        if text.hasPrefix("reply ") { return message(text).map { .reply($0) } ?? .other(line) }
        return .other(line)
    }

    /// Parses `rev noreply compressed Profile="rev" … body="{}"`.
    private static func message(_ line: Substring) -> Message? {
        var message = Message()
        var bytes = Array(line.utf8)[...]
        while true {
            bytes = bytes.drop { $0 == UInt8(ascii: " ") }
            let word = bytes.prefix { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "=") }
            guard !word.isEmpty else { break }
            bytes = bytes.dropFirst(word.count)
            let name = String(decoding: word, as: UTF8.self)
            guard bytes.first == UInt8(ascii: "=") else {
                if name == "noreply" { message.isNoReply = true }
                if name == "ERROR" { message.isError = true }
                continue
            }
            guard let value = quoted(&bytes) else { return nil }
            switch name {
            case "body": message.body = value
            case "Profile": message.profile = String(decoding: value, as: UTF8.self)
            default: message.properties[name] = String(decoding: value, as: UTF8.self)
            }
        }
        message.isCutShort = message.text.hasSuffix(" bytes)") && message.text.contains("...(")
        return message
    }

    /// Parses `="…"` with the escapes of Go.
    private static func quoted(_ bytes: inout ArraySlice<UInt8>) -> [UInt8]? {
        guard bytes.starts(with: Array("=\"".utf8)) else { return nil }
        bytes = bytes.dropFirst(2)
        var value: [UInt8] = []
        while let byte = bytes.popFirst() {
            if byte == UInt8(ascii: "\"") { return value }
            guard byte == UInt8(ascii: "\\") else {
                value.append(byte)
                continue
            }
            guard let escape = bytes.popFirst() else { return nil }
            switch escape {
            case UInt8(ascii: "x"), UInt8(ascii: "u"):
                let digits = bytes.prefix(escape == UInt8(ascii: "x") ? 2 : 4)
                guard let number = UInt32(String(decoding: digits, as: UTF8.self), radix: 16) else { return nil }
                bytes = bytes.dropFirst(digits.count)
                if digits.count == 2 {
                    value.append(UInt8(number))
                } else {
                    value += Array(Unicode.Scalar(number).map { String($0) }?.utf8 ?? "?".utf8)
                }
            default:
                let simple: [UInt8: UInt8] = [
                    UInt8(ascii: "n"): 10, UInt8(ascii: "r"): 13, UInt8(ascii: "t"): 9, UInt8(ascii: "a"): 7,
                    UInt8(ascii: "b"): 8, UInt8(ascii: "f"): 12, UInt8(ascii: "v"): 11,
                ]
                value.append(simple[escape] ?? escape)
            }
        }
        return nil
    }
}
