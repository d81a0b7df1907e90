/// Converts what a file contains to a text in UTF-8: decompresses it if it begins as gzip does, and converts its encoding.
final class ContentDecoder {
    private let name: String
    private var text: TextDecoder
    /// The first bytes, until it is known whether they are the signature of gzip.
    private var beginning: [UInt8]? = []
    private var gzip: GzipContent?

    /// - Parameter name: That of the file, for messages.
    init(_ name: String, _ encoding: TextEncoding) {
        self.name = name
        text = TextDecoder(encoding)
    }

    /// Returns the text of the next bytes, which may be empty.
    ///
    /// - Throws: ``Failure`` if the compressed content is damaged.
    func decode(_ bytes: [UInt8]) throws -> [UInt8] {
        var bytes = bytes
        if let earlier = beginning {
            bytes = earlier + bytes
            guard bytes.count >= GzipContent.signature.count else {
                beginning = bytes
                return []
            }
            beginning = nil
            if bytes.starts(with: GzipContent.signature) { gzip = try GzipContent() }
        }
        if let gzip {
            guard let content = gzip.decode(bytes) else { throw damaged }
            bytes = content
        }
        return text.decode(bytes)
    }

    /// Returns what remains at the end of the file.
    ///
    /// - Throws: ``Failure`` if the compressed content is not complete.
    func finish() throws -> [UInt8] {
        guard gzip?.finish() != false else { throw damaged }
        return text.decode(beginning ?? []) + text.finish()
    }

    private var damaged: Failure { Failure(.badData, "\(name): the compressed content is damaged, or ends too early") }
}
