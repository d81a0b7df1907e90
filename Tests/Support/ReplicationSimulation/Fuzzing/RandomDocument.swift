import TestSupport

/// A simple model of a JSON value.
indirect enum PlainValue: Equatable {
    case text(String)
    /// The JSON text of a number, a boolean or null.
    case literal(String)
    case array([PlainValue])
    case object([String: PlainValue])

    var json: String {
        switch self {
        case .text(let text): "\"\(text)\""
        case .literal(let literal): literal
        case .array(let items): "[" + items.map(\.json).joined(separator: ",") + "]"
        case .object(let members):
            "{" + members.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value.json)" }.joined(separator: ",")
                + "}"
        }
    }

    static func blob(_ digest: String) -> PlainValue {
        .object([
            "@type": .text("blob"), "digest": .text(digest), "length": .literal("5"),
            "content_type": .text("text/plain"),
        ])
    }

    /// Returns the stub of a blob in `_attachments` (Replication 4.9).
    static func standIn(_ digest: String) -> PlainValue {
        .object([
            "digest": .text(digest), "length": .literal("5"), "content_type": .text("text/plain"),
            "stub": .literal("true"),
            "revpos": .literal("1"),
        ])
    }

    /// Returns the blobs in the value with their paths.
    func blobs(at path: String = "") -> [(path: String, digest: String)] {
        switch self {
        case .text, .literal: return []
        case .array(let items): return items.enumerated().flatMap { $1.blobs(at: path + "/\($0)") }
        case .object(let members):
            if members["@type"] == .text("blob"), case .text(let digest)? = members["digest"] {
                return [(path, digest)]
            }
            return members.sorted { $0.key < $1.key }.flatMap { $1.blobs(at: path + "/" + $0) }
        }
    }

    /// The valid digests of all blobs in the value, including blobs within blobs.
    var digests: Set<String> {
        switch self {
        case .text, .literal: return []
        case .array(let items): return items.reduce(into: []) { $0.formUnion($1.digests) }
        case .object(let members):
            var digests = members.values.reduce(into: Set<String>()) { $0.formUnion($1.digests) }
            if members["@type"] == .text("blob"), case .text(let digest)? = members["digest"],
                RandomDocument.digests.contains(digest)
            {
                digests.insert(digest)
            }
            return digests
        }
    }

    /// This document as sent to peers that only support attachments.
    var withAttachments: PlainValue {
        guard case .object(var members) = self else { return self }
        let blobs = blobs()
        guard !blobs.isEmpty else { return self }
        members["_attachments"] = .object(Dictionary(uniqueKeysWithValues: blobs.map { ("blob_" + $0.path, .standIn($0.digest)) }))
        return .object(members)
    }
}

/// Generates random documents, some with blobs.
struct RandomDocument {
    var generator: SeededGenerator
    static let digests = (0..<5).map { "sha1-AAAAAAAAAAAAAAAAAAAAAAAAAA\(["A", "E", "I", "M", "Q"][$0])=" }
    private static let keys = [
        "a", "b", "name", "list", "a key of more than sixteen bytes", "@type", "digest", "length", "é", "0",
    ]

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
    }

    mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }

    mutating func document() -> PlainValue {
        .object(members(depth: 4))
    }

    /// Returns a copy with random changes.
    mutating func changed(_ value: PlainValue) -> PlainValue {
        switch value {
        case .object(var members):
            for key in members.keys.sorted() where number(0...3) == 0 {
                members[key] = number(0...3) == 0 ? nil : members[key].map { changed($0) }
            }
            if number(0...3) == 0, members["@type"] == nil { members["new"] = self.value(depth: 2) }
            return .object(members)
        case .array(var items):
            if !items.isEmpty, number(0...1) == 0 { items.removeLast() }
            items = items.map { number(0...3) == 0 ? changed($0) : $0 }
            if number(0...1) == 0 { items.append(self.value(depth: 1)) }
            return .array(items)
        case .text, .literal: return self.value(depth: 1)
        }
    }

    private mutating func members(depth: Int) -> [String: PlainValue] {
        var members: [String: PlainValue] = [:]
        for _ in 0..<number(0...5) { members[Self.keys[number(0...(Self.keys.count - 1))]] = value(depth: depth - 1) }
        return members
    }

    private mutating func value(depth: Int) -> PlainValue {
        switch number(0...(depth > 0 ? 9 : 4)) {
        case 0: return .literal(["null", "true", "false"][number(0...2)])
        case 1, 2: return .literal("\(number(-70_000...70_000))")
        case 3: return .literal("\(number(-9...9)).5")
        case 4: return .text(String(repeating: ["x", "été", "😀"][number(0...2)], count: number(0...30)))
        case 5: return .blob(Self.digests[number(0...4)])
        case 6, 7: return .array((0..<number(0...4)).map { _ in value(depth: depth - 1) })
        default: return .object(members(depth: depth))
        }
    }
}
