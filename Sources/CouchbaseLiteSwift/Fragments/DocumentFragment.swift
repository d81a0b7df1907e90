/// A document that may or may not exist, as in `collection["airline_10"]["name"].string`.
public final class DocumentFragment: DictionaryFragment, Sendable {
    /// The document; `nil` if it does not exist.
    public let document: Document?

    init(_ document: Document?) {
        self.document = document
    }

    /// Whether the document exists.
    public var exists: Bool { document != nil }

    /// Returns the value for `key` as a ``Fragment``, which does not exist if the document or the value is missing.
    public subscript(key: String) -> Fragment {
        document.map { $0[key] } ?? Fragment()
    }
}
