/// A position in the input.
struct SourcePosition: CustomStringConvertible {
    var file: String
    /// The line number, from 1.
    var line: Int
    /// The column in Unicode scalars, from 1.
    var column: Int

    var description: String { "\(file):\(line):\(column)" }
}

/// An invalid document in the input, and its position.
struct ImportProblem: Error {
    let position: SourcePosition
    let message: String
    /// Whether the beginning of the next document is known, so that the import can continue.
    var isRecoverable = true
}

/// The JSON text of one document.
struct SourceDocument {
    let text: UnsafeRawBufferPointer
    /// The ID of the document if its properties do not contain one.
    var fallbackID: String?
}

/// Input that contains the JSON texts of documents, one after the other.
protocol DocumentSource: AnyObject {
    /// The beginning of the current document.
    var position: SourcePosition { get }
    /// The number of bytes consumed.
    var bytesConsumed: Int { get }

    /// Calls `body` with the next document, which is valid only during the call. Returns `nil` at the end of the input.
    ///
    /// - Throws: ``ImportProblem`` if the input is not a sequence of documents; errors of `body`.
    func withNext<Result>(_ body: (SourceDocument) throws -> Result) throws -> Result?
}
