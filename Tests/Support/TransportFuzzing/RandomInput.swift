#if Replication
package import TestSupport

/// Modifies and splits valid inputs at random.
package struct RandomInput {
    package var generator: SeededGenerator

    package init(generator: SeededGenerator) { self.generator = generator }

    /// Texts with a meaning in one of the formats, or at one of its limits.
    private static let words: [[UInt8]] =
        [
            "\r\n", "\n", "\r\n\r\n", ":", ",", ";", "=", " ", "\t", "\"", "/", "//", "?", "#", "@", "[", "]", "%",
            "%2f", "%00", "\u{0}", "é", "\u{301}", "HTTP/1.0", "HTTP/2", "101", "200", "301", "305", "401",
            "Content-Length: 99999999999999999999\r\n", "Content-Length: -1\r\n",
            "Transfer-Encoding: chunked\r\n\r\nffffffff\r\n",
            "Transfer-Encoding: chunked\r\n\r\n3;x\r\nabc\r\n0\r\n",
            "HTTP/1.1 103 Early Hints\r\n\r\n", "Location: https://[::1]:65536/db/_blipsync\r\n",
            "Location: //elsewhere\r\n", "; Max-Age=-1", "; Domain=.", "; Domain=com", "; Path=", "; Expires=1 1 1",
        ].map { Array($0.utf8) } + [
            Array(("; Max-Age=" + String(repeating: "9", count: 400)).utf8), [0xFF], [0x7F],
            [0x7F, 0, 0, 0, 0, 0, 0, 0],
            [UInt8](repeating: 0xFF, count: 9), [UInt8](repeating: UInt8(ascii: "x"), count: 5000),
        ]

    /// Returns the bytes, in half of the cases with a few bytes changed, removed, duplicated or inserted.
    package mutating func altered(_ bytes: [UInt8]) -> [UInt8] {
        guard Bool.random(using: &generator) else { return bytes }
        var bytes = bytes
        for _ in 0..<number(1...3) where !bytes.isEmpty {
            let place = number(0...bytes.count - 1)
            switch number(0...5) {
            case 0: bytes[place] = UInt8(number(0...255))
            case 1: bytes[place] ^= 1 << UInt8(number(0...7))
            case 2: bytes.removeSubrange(place..<min(bytes.count, place + number(1...8)))
            case 3: bytes.insert(contentsOf: bytes[place...].prefix(number(1...60)), at: number(0...place))
            case 4: bytes.insert(contentsOf: pick(Self.words), at: place)
            default: if number(0...3) == 0 { bytes.removeSubrange(place...) }
            }
        }
        return bytes
    }

    /// Splits the bytes into pieces as received from a connection.
    package mutating func pieces(of bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        let size = pick([1, 3, 20, 200, 70_000])
        var pieces: [ArraySlice<UInt8>] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = rest.prefix(number(1...size))
            pieces.append(piece)
            rest = rest.dropFirst(piece.count)
        }
        return pieces
    }

    package mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }

    package mutating func pick<Element>(_ choices: [Element]) -> Element { choices[number(0...choices.count - 1)] }
}
#endif
