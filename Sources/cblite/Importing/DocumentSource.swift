/// Where in the input something is.
struct SourcePosition: CustomStringConvertible {
    var file: String
    /// From 1.
    var line: Int
    /// In characters (Unicode scalars), from 1.
    var column: Int

    var description: String { "\(file):\(line):\(column)" }
}

/// Something in the input that is not a document, and where.
struct ImportProblem: Error {
    let position: SourcePosition
    let message: String
    /// Whether what follows can still be told apart, so that it makes sense to go on.
    var isRecoverable = true
}

/// The JSON text of one document.
struct SourceDocument {
    let text: UnsafeRawBufferPointer
    /// The ID of a document that does not say its own.
    var fallbackID: String?
}

/// Input that holds the JSON texts of documents, one after the other.
protocol DocumentSource: AnyObject {
    /// Where the current document begins.
    var position: SourcePosition { get }
    /// How many bytes have been consumed.
    var bytesConsumed: Int { get }

    /// Calls `body` with the next document, which is valid during the call; nil at the end.
    ///
    /// - Throws: ``ImportProblem`` when the input is not made of documents; what `body` throws.
    func withNext<Result>(_ body: (SourceDocument) throws -> Result) throws -> Result?
}
