/// A document that may or may not be there, as in `collection["airline_10"]["name"].string`.
public final class DocumentFragment: DictionaryFragment, Sendable {
    /// The document; nil when there is none.
    public let document: Document?

    init(_ document: Document?) {
        self.document = document
    }

    /// Whether there is a document.
    public var exists: Bool { document != nil }

    /// The value under `key`, which need not exist.
    public subscript(key: String) -> Fragment {
        document.map { $0[key] } ?? Fragment()
    }
}
