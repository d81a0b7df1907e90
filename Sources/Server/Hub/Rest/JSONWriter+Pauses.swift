#if Replication
import Fleece

// There may be many elements: during the pauses, other requests get the thread.
extension JSONWriter {
    /// Returns the text of an array with the value that `body` appends for each element.
    ///
    /// - Parameter count: The number of elements between two pauses.
    /// - Throws: `CancellationError` if the client has gone, and what `body` throws.
    static func array<Element>(
        _ elements: some Collection<Element>,
        pausingAfterEach count: Int,
        _ body: (inout JSONWriter, Element) throws -> Void
    ) async throws -> JSONWriter {
        var writer = JSONWriter()
        writer.beginArray()
        try await writer.append(elements, pausingAfterEach: count, body)
        writer.endArray()
        return writer
    }

    /// Returns the text of an object with the members that `body` appends for each element.
    static func object<Element>(
        _ elements: some Collection<Element>,
        pausingAfterEach count: Int,
        _ body: (inout JSONWriter, Element) throws -> Void
    ) async throws -> JSONWriter {
        var writer = JSONWriter()
        writer.beginObject()
        try await writer.append(elements, pausingAfterEach: count, body)
        writer.endObject()
        return writer
    }

    private mutating func append<Element>(
        _ elements: some Collection<Element>,
        pausingAfterEach count: Int,
        _ body: (inout JSONWriter, Element) throws -> Void
    ) async throws {
        for (index, element) in elements.enumerated() {
            if index > 0, index % count == 0 {
                await Task.yield()
                try Task.checkCancellation()
            }
            try body(&self, element)
        }
    }
}
#endif
