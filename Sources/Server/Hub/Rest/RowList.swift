#if Replication
import Fleece

/// The JSON text around rows that are sent one by one: an array, or an object whose first member is the array.
///
/// In an object, each row is a line that ends with the comma, as in CouchDB: some of its clients parse the lines one by one.
struct RowList {
    /// The name of the array in the object; `nil` if the array is all.
    private let name: String?
    /// The number of rows so far.
    private(set) var count = 0

    init(_ name: String? = nil) { self.name = name }

    private var lineEnd: [UInt8] { name == nil ? [] : [0x0D, 0x0A] }

    /// The text before the first row.
    var start: [UInt8] {
        var writer = JSONWriter(capacity: 64)
        if let name {
            writer.beginObject()
            writer.name(name)
        }
        writer.beginArray()
        return writer.byteArray + lineEnd
    }

    /// Returns the next row with the text that separates it from the one before.
    mutating func next(_ row: [UInt8]) -> [UInt8] {
        defer { count += 1 }
        return count == 0 ? row : [UInt8(ascii: ",")] + lineEnd + row
    }

    /// Returns the text after the last row.
    ///
    /// - Parameter members: Appends the members of the object that follow the array.
    func end(_ members: (inout JSONWriter) -> Void = { _ in }) -> [UInt8] {
        var writer = JSONWriter(capacity: 128)
        writer.endArray()
        if name != nil {
            // The brace that begins an object is before the rows.
            let rest = JSONWriter.object(members).byteArray.dropFirst()
            if rest.count > 1 { writer.append(raw: ",\r\n") }
            rest.withUnsafeBytes { writer.append(raw: $0) }
        }
        return (count == 0 ? [] : lineEnd) + writer.byteArray + lineEnd
    }
}
#endif
