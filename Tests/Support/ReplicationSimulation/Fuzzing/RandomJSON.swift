import TestSupport

/// Generates JSON texts, most of them valid, with keys and values that are significant to replication.
struct RandomJSON {
    var generator: SeededGenerator

    private static let keys = [
        "a", "b", "list", "@type", "digest", "length", "_id", "_attachments", "_removed", "0", "1-", "2", "ключ", "",
    ]
    private static let words = [
        #""""#, #""x""#, #""blob""#, #""sha1-ArH2IhJgRp/90GRqSAdAfa750BE=""#, #""sha1-x""#, #""été 😀""#, #""\u0000""#,
        #""3=2+ab|1-""#, #""9=""#, #""5=99999999999999999999-""#, #""\ud83d\ude00""#,
    ]

    mutating func value(depth: Int) -> String {
        switch generator.pick(depth > 0 ? Array(0...9) : Array(0...5)) {
        case 0: "null"
        case 1: Bool.random(using: &generator) ? "true" : "false"
        case 2: "\(Int64.random(in: .min ... .max, using: &generator) >> Int64.random(in: 0...63, using: &generator))"
        case 3: "\(Double.random(in: -1e6...1e6, using: &generator))"
        case 4: generator.pick(Self.words)
        case 5:
            "\""
                + String(repeating: generator.pick(["x", "é", "ab"]), count: Int.random(in: 0...90, using: &generator))
                + "\""
        case 6, 7: array(depth: depth)
        default: object(depth: depth)
        }
    }

    mutating func array(depth: Int) -> String {
        "[" + (0..<Int.random(in: 0...4, using: &generator)).map { _ in value(depth: depth - 1) }.joined(separator: ",")
            + "]"
    }

    /// - Parameter isPlain: Whether to omit reserved keys.
    mutating func object(depth: Int, isPlain: Bool = false) -> String {
        let keys = Self.keys.filter { !isPlain || $0.first != "_" }.shuffled(using: &generator).prefix(
            Int.random(in: 0...5, using: &generator)
        )
        return "{" + keys.map { #""\#($0)":\#(value(depth: depth - 1))"# }.joined(separator: ",") + "}"
    }

    /// Returns the bytes with a few random changes: bytes replaced, removed, inserted or duplicated.
    mutating func mutated(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...4, using: &generator) where !bytes.isEmpty {
            let index = Int.random(in: bytes.indices, using: &generator)
            switch Int.random(in: 0...4, using: &generator) {
            case 0: bytes[index] = UInt8.random(in: .min ... .max, using: &generator)
            case 1: bytes.remove(at: index)
            case 2: bytes.insert(generator.pick(Array(#"[]{},:"0-=+|"#.utf8)), at: index)
            case 3: bytes.insert(contentsOf: bytes[index...].prefix(20), at: index)
            default: bytes.removeSubrange(index...)
            }
        }
        return bytes
    }
}
