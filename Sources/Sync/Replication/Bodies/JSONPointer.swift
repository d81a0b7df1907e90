import Fleece

/// JSON pointers (RFC 6901), as in the names of attachments that refer to blobs: `/list/0/pic` (Replication 4.9).
enum JSONPointer {
    /// Returns the value that a JSON pointer refers to; `nil` if it does not exist.
    static func value(at pointer: Substring, in root: Value, sharedKeys: SharedKeys) -> Value? {
        steps(of: pointer).flatMap { follow($0[...], from: root, sharedKeys) }
    }

    /// Returns the same in an object.
    static func value(at pointer: Substring, in root: DictionaryValue, sharedKeys: SharedKeys) -> Value? {
        guard let steps = Self.steps(of: pointer), let first = steps.first,
            let value = root.value(for: unescaped(first), sharedKeys: sharedKeys)
        else { return nil }
        return follow(steps.dropFirst(), from: value, sharedKeys)
    }

    /// Returns the steps of a pointer, still escaped; `nil` if it does not begin with a slash.
    private static func steps(of pointer: Substring) -> [Substring]? {
        guard pointer.utf8.first == UInt8(ascii: "/") else { return nil }
        // Split by scalars: a slash followed by a combining accent forms one character, which is not equal to a slash.
        return pointer.unicodeScalars.dropFirst().split(separator: "/", omittingEmptySubsequences: false).map { Substring($0) }
    }

    private static func follow(_ steps: ArraySlice<Substring>, from root: Value, _ sharedKeys: SharedKeys) -> Value? {
        var value = root
        for step in steps {
            let next =
                if let array = value.array {
                    index(step).flatMap { array[$0] }
                } else {
                    value.dictionary?.value(for: unescaped(step), sharedKeys: sharedKeys)
                }
            guard let next else { return nil }
            value = next
        }
        return value
    }

    private static func unescaped(_ step: Substring) -> String {
        guard step.utf8.contains(UInt8(ascii: "~")) else { return String(step) }
        var key = ""
        var isAfterTilde = false
        for character in step.unicodeScalars {
            switch (isAfterTilde, character) {
            case (true, "0"): key += "~"
            case (true, "1"): key += "/"
            case (true, _):
                key += "~"
                key.unicodeScalars.append(character)
            case (false, "~"): break
            case (false, _): key.unicodeScalars.append(character)
            }
            isAfterTilde = !isAfterTilde && character == "~"
        }
        return isAfterTilde ? key + "~" : key
    }

    /// Parses an array index. Leading zeros are not allowed, so that each item has only one name.
    private static func index(_ step: Substring) -> Int? {
        guard let first = step.utf8.first, first != UInt8(ascii: "0") || step.utf8.count == 1,
            step.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
        return Int(step)
    }
}
