/// JSON text to Fleece and back (Storage format 9).
package enum JSON {
    /// Parses a text that holds one value, and writes the value into `encoder`.
    ///
    /// Strict RFC 8259, with unique keys. A byte order mark at the start is passed over, as the RFC allows.
    ///
    /// - Parameters:
    ///   - allowingFragments: Accepts a root that is neither object nor array.
    ///   - maximumDepth: How deep containers may be nested. What is deeper than ``Limits/maximumDepth`` cannot be stored.
    ///   - allowingInfinity: Takes a number larger than every double for an infinite one.
    /// - Throws: ``JSONError``. The encoder then holds part of the value: `reset` it.
    package static func parse(
        _ text: UnsafeRawBufferPointer,
        into encoder: inout Encoder,
        allowingFragments: Bool = false,
        maximumDepth: Int = Limits.maximumDepth,
        allowingInfinity: Bool = false
    ) throws(JSONError) {
        var parser = JSONParser(text, maximumDepth: maximumDepth, allowsInfinity: allowingInfinity)
        do throws(JSONFailure) {
            parser.skipByteOrderMark()
            try parser.parseRoot(into: &encoder, allowingFragments: allowingFragments)
            try parser.expectEnd()
        } catch {
            throw JSONError(error, in: text)
        }
    }

    /// Fleece of a JSON text given as UTF-8.
    package static func fleece(
        _ text: UnsafeRawBufferPointer,
        sharedKeys: MutableSharedKeys? = nil,
        allowingFragments: Bool = false
    ) throws(JSONError) -> FleeceData {
        var encoder = Encoder(sharedKeys: sharedKeys, capacity: text.count)
        try parse(text, into: &encoder, allowingFragments: allowingFragments)
        do throws(FleeceError) {
            return try encoder.finishedData()
        } catch {
            throw JSONError(JSONFailure(reason: .notStorable, offset: 0), in: text, cause: error)
        }
    }

    /// Fleece of a JSON text.
    package static func fleece(
        _ text: String,
        sharedKeys: MutableSharedKeys? = nil,
        allowingFragments: Bool = false
    ) throws(JSONError) -> FleeceData {
        var text = text
        let result: Result<FleeceData, JSONError> = text.withUTF8 { bytes in
            Result { () throws(JSONError) in
                try fleece(UnsafeRawBufferPointer(bytes), sharedKeys: sharedKeys, allowingFragments: allowingFragments)
            }
        }
        return try result.get()
    }

    /// The JSON text of a value, as UTF-8.
    ///
    /// - Throws: ``FleeceError`` when the value is damaged, nested too deep, or uses unknown keys.
    package static func bytes(_ value: Value, sharedKeys: SharedKeys = .empty, form: JSONForm = .stored) throws(FleeceError) -> [UInt8] {
        var writer = JSONWriter()
        try writer.append(value, sharedKeys: sharedKeys, form: form)
        return writer.byteArray
    }

    /// The JSON text of a value.
    ///
    /// - Throws: ``FleeceError`` when the value is damaged, nested too deep, or uses unknown keys.
    package static func string(_ value: Value, sharedKeys: SharedKeys = .empty, form: JSONForm = .stored) throws(FleeceError) -> String {
        var writer = JSONWriter()
        try writer.append(value, sharedKeys: sharedKeys, form: form)
        return writer.string
    }
}

/// In which order the keys of a dictionary are written as JSON.
package enum JSONForm: Sendable {
    /// As they are stored: shared keys by number, then the others by their bytes.
    case stored
    /// By the bytes of their UTF-8, whatever their numbers (Storage format 9.3).
    case canonical
}
