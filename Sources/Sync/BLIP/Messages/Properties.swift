import Base

/// The properties of a message: strings by name, in the order in which they were set (Replication 2.4).
package struct Properties: Sendable, Equatable, ExpressibleByDictionaryLiteral {
    /// The names and values, in order. No name occurs twice.
    package private(set) var pairs: [(name: String, value: String)]

    package init(dictionaryLiteral elements: (String, String)...) { pairs = elements.map { (name: $0.0, value: $0.1) } }

    /// Creates properties from pairs, in this order. Names must be unique.
    package init(pairs: [(name: String, value: String)] = []) { self.pairs = pairs }

    /// The value of a property. Names are unique: setting an existing one replaces its value.
    package subscript(_ name: String) -> String? {
        get { pairs.first { $0.name.isExactly(name) }?.value }
        set {
            let index = pairs.firstIndex { $0.name.isExactly(name) }
            switch (index, newValue) {
            case (let index?, let value?): pairs[index].value = value
            case (let index?, nil): pairs.remove(at: index)
            case (nil, let value?): pairs.append((name, value))
            case (nil, nil): break
            }
        }
    }

    package static func == (left: Properties, right: Properties) -> Bool {
        left.pairs.elementsEqual(right.pairs) { $0.name.isExactly($1.name) && $0.value.isExactly($1.value) }
    }

    /// Appends the length of the property block and the block itself, which start a message (Replication 2.4).
    ///
    /// NUL terminates strings in the block and cannot occur in them; any NUL that a caller has set is left out.
    func encode(to bytes: inout [UInt8]) {
        var size = 2 * pairs.count
        for pair in pairs { size += pair.name.utf8.count + pair.value.utf8.count }
        bytes.reserveCapacity(bytes.count + size + Varint.size(of: UInt64(size)))
        let start = bytes.count
        Varint.append(UInt64(size), to: &bytes)
        let blockStart = bytes.count
        for pair in pairs {
            bytes.append(contentsOf: pair.name.utf8)
            bytes.append(0)
            bytes.append(contentsOf: pair.value.utf8)
            bytes.append(0)
        }
        let zeros = bytes[blockStart...].reduce(0) { $1 == 0 ? $0 + 1 : $0 }
        if zeros != 2 * pairs.count {
            bytes.removeSubrange(start...)
            withoutNUL.encode(to: &bytes)
        }
    }

    private var withoutNUL: Properties {
        func clean(_ text: String) -> String { String(text.unicodeScalars.filter { $0 != "\0" }) }
        return Properties(pairs: pairs.map { (name: clean($0.name), value: clean($0.value)) })
    }

    enum DecodingFailure: String, Error {
        case noFinalNUL = "they do not end with NUL"
        case nameWithoutValue = "a name has no value"
        case notUTF8 = "they are not UTF-8"
    }

    /// Decodes a block of properties, without its length.
    init(decoding block: ArraySlice<UInt8>) throws(DecodingFailure) {
        guard !block.isEmpty else {
            self.init()
            return
        }
        guard block.last == 0 else { throw .noFinalNUL }
        self.init(
            pairs: try block.withUnsafeBufferPointer { (bytes) throws(DecodingFailure) in
                // Validated once for the whole block, which is usually ASCII; the single strings then need no validation.
                let isASCII = bytes.reduce(0) { $0 | $1 } < 0x80
                guard isASCII || String(validating: bytes, as: UTF8.self) != nil else { throw .notUTF8 }
                var pairs: [(name: String, value: String)] = []
                pairs.reserveCapacity(8)
                var name: String?
                var start = 0
                // Each string ends with a NUL; the last string ends with the last byte.
                for index in 0..<bytes.count where bytes[index] == 0 {
                    let string = String(decoding: UnsafeBufferPointer(rebasing: bytes[start..<index]), as: UTF8.self)
                    start = index + 1
                    if let key = name {
                        pairs.append((key, string))
                        name = nil
                    } else {
                        name = string
                    }
                }
                guard name == nil else { throw .nameWithoutValue }
                return pairs
            }
        )
    }
}
