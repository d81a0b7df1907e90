/// Converts JSON text to Fleece and back (Storage format 9).
public enum JSON {
    /// Parses a text that contains one value, and writes the value into `encoder`.
    ///
    /// The parser accepts strict RFC 8259 with unique keys. A byte order mark at the start is ignored, as the RFC allows.
    ///
    /// - Parameters:
    ///   - allowingFragments: Whether to accept a root that is neither an object nor an array.
    ///   - maximumDepth: The maximum nesting depth of containers. Values deeper than ``Limits/maximumDepth`` cannot be stored.
    ///   - allowingInfinity: Whether a number that exceeds the range of doubles is infinite instead of an error.
    /// - Throws: ``JSONError``, if the text is invalid. The encoder then contains an incomplete value: `reset` it.
    public static func parse(
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

    /// Returns a UTF-8 JSON text as Fleece.
    public static func fleece(
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

    /// Returns a JSON text as Fleece.
    public static func fleece(
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

    /// Returns the JSON text of a value as UTF-8.
    ///
    /// - Throws: ``FleeceError``, if the value is damaged, nested too deeply, or uses unknown keys.
    public static func bytes(_ value: Value, sharedKeys: SharedKeys = .empty, form: JSONForm = .stored) throws(FleeceError) -> [UInt8] {
        var writer = JSONWriter()
        try writer.append(value, sharedKeys: sharedKeys, form: form)
        return writer.byteArray
    }

    /// Returns the JSON text of a value.
    ///
    /// - Throws: ``FleeceError``, if the value is damaged, nested too deeply, or uses unknown keys.
    public static func string(_ value: Value, sharedKeys: SharedKeys = .empty, form: JSONForm = .stored) throws(FleeceError) -> String {
        var writer = JSONWriter()
        try writer.append(value, sharedKeys: sharedKeys, form: form)
        return writer.string
    }
}

/// Determines the order in which the keys of a dictionary are written as JSON.
public enum JSONForm: Sendable {
    /// The stored order: shared keys by number, then the others by their bytes.
    case stored
    /// By their UTF-8 bytes, independent of their numbers (Storage format 9.3).
    case canonical
}
