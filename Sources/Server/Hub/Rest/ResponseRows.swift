#if Replication
import Fleece
import WebServer

/// Sends the JSON text of an array of rows, or of an object whose first member is the array.
///
/// In an object, each row is a line that ends with the comma, as in CouchDB: some of its clients parse the lines one by one. Small rows are sent
/// together, because a part of a response costs as much as some rows.
struct ResponseRows {
    /// The size of rows that are sent together, in bytes. Larger rows are sent alone.
    static let partSize = 16 << 10

    /// The name of the array in the object; `nil` if the array is all.
    private let name: String?
    private let writer: WebResponseWriter
    /// What has not been sent.
    private var pending: [UInt8]
    /// The number of rows so far.
    private(set) var count = 0

    init(_ name: String? = nil, to writer: WebResponseWriter) {
        (self.name, self.writer) = (name, writer)
        var start = JSONWriter(capacity: 64)
        if let name {
            start.beginObject()
            start.name(name)
        }
        start.beginArray()
        pending = start.byteArray
        pending += lineEnd
    }

    private var lineEnd: [UInt8] { name == nil ? [] : [0x0D, 0x0A] }

    /// Adds a row.
    ///
    /// - Parameter isCounted: Whether the memory of the row is counted until it is sent: it is sent at once then.
    mutating func write(_ row: [UInt8], isCounted: Bool = false) async throws {
        if isCounted || pending.count + row.count > Self.partSize { try await flush() }
        if count > 0 { pending += [UInt8(ascii: ",")] + lineEnd }
        pending += row
        count += 1
        if isCounted || pending.count >= Self.partSize { try await flush(isCounted: isCounted) }
    }

    /// Sends the rows that have been added.
    ///
    /// - Parameter isCounted: Whether their memory is counted.
    mutating func flush(isCounted: Bool = false) async throws {
        let part = pending
        pending = []
        try await writer.write(part, isCounted: isCounted)
    }

    /// Adds what follows the rows, and sends it.
    ///
    /// - Parameter members: Appends the members of the object that follow the array.
    mutating func end(_ members: (inout JSONWriter) -> Void = { _ in }) async throws {
        if count > 0 { pending += lineEnd }
        var end = JSONWriter(capacity: 128)
        end.endArray()
        if name != nil {
            // The brace that begins an object is before the rows.
            let rest = JSONWriter.object(members).byteArray.dropFirst()
            if rest.count > 1 { end.append(raw: ",\r\n") }
            rest.withUnsafeBytes { end.append(raw: $0) }
        }
        pending += end.byteArray
        pending += lineEnd
        try await flush()
    }
}
#endif
