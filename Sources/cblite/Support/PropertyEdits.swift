import DocumentStore
import ExactStrings
import Fleece

/// Changes of single properties given on the command line, applied while a document's properties are written.
struct PropertyEdits {
    private indirect enum Edit {
        case set(FleeceData)
        case remove
        case inside([ExactString: Edit])
    }

    private var root: [ExactString: Edit] = [:]

    var isEmpty: Bool { root.isEmpty }

    /// Sets the property at `path`, and creates missing dictionaries on the path.
    mutating func set(_ path: [String], to value: FleeceData) {
        Self.add(.set(value), at: path[...], to: &root)
    }

    /// Removes the property at `path`, if it exists.
    mutating func remove(_ path: [String]) {
        Self.add(.remove, at: path[...], to: &root)
    }

    private static func add(_ edit: Edit, at path: ArraySlice<String>, to edits: inout [ExactString: Edit]) {
        guard let key = path.first else { return }
        guard path.count > 1 else {
            edits[ExactString(key)] = edit
            return
        }
        var inner: [ExactString: Edit] = [:]
        if case .inside(let existing) = edits[ExactString(key)] { inner = existing }
        add(edit, at: path.dropFirst(), to: &inner)
        edits[ExactString(key)] = .inside(inner)
    }

    /// Returns the properties with the changes applied.
    ///
    /// - Parameter original: A dictionary whose keys are encoded with `keys`; `nil` for an empty one.
    func apply(to original: Value?, keys: SharedKeys) throws(FleeceError) -> FleeceData {
        var encoder = Encoder()
        Self.write(original?.dictionary, keys, with: root, to: &encoder)
        return try encoder.finishedData()
    }

    private static func write(
        _ dictionary: DictionaryValue?,
        _ keys: SharedKeys,
        with edits: [ExactString: Edit],
        to encoder: inout Encoder
    ) {
        encoder.beginDictionary()
        var remaining = edits
        for (key, value) in dictionary?.pairs ?? [] {
            let text = key.text(keys)
            if let text, let edit = remaining.removeValue(forKey: ExactString(text)) {
                write(edit, text, over: value, keys, to: &encoder)
            } else {
                encoder.copyKey(key, from: .other(keys))
                encoder.write(value, keys: .other(keys))
            }
        }
        for (key, edit) in remaining.sorted(by: { $0.key < $1.key }) {
            write(edit, key.string, over: nil, keys, to: &encoder)
        }
        encoder.endDictionary()
    }

    private static func write(_ edit: Edit, _ key: String, over value: Value?, _ keys: SharedKeys, to encoder: inout Encoder) {
        switch edit {
        case .remove:
            break
        case .set(let data):
            encoder.writeKey(key)
            if data.withRoot({ encoder.write($0, keys: .other(.empty)) }) == nil { encoder.writeNull() }
        case .inside(let edits):
            encoder.writeKey(key)
            write(value?.dictionary, keys, with: edits, to: &encoder)
        }
    }
}

extension PropertyEdits {
    /// Splits a path such as `geo.alt` at its dots. A dot that is part of a key is written `\.`.
    ///
    /// - Returns: `nil` if a part is empty, or the path ends with a backslash.
    static func path(_ text: String) -> [String]? {
        var parts = [""]
        var isEscaped = false
        for character in text {
            if isEscaped {
                parts[parts.count - 1].append(character)
                isEscaped = false
            } else if character == "\\" {
                isEscaped = true
            } else if character == "." {
                parts.append("")
            } else {
                parts[parts.count - 1].append(character)
            }
        }
        return isEscaped || parts.contains("") ? nil : parts
    }
}
