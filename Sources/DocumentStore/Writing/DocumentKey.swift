/// A document ID that is equal to another only if their bytes are: strings are also equal when they merely look the same.
package struct DocumentKey: Hashable, Sendable {
    let id: String

    package init(_ id: String) {
        self.id = id
    }

    package static func == (left: DocumentKey, right: DocumentKey) -> Bool {
        left.id.utf8.elementsEqual(right.id.utf8)
    }

    package func hash(into hasher: inout Hasher) {
        var id = id
        id.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
