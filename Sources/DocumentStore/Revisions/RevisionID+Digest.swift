import Crypto

extension RevisionID {
    /// Returns the ID of the revision with `body` that is a child of `parent`. It contains a digest of both (Storage format 3.6).
    ///
    /// Identical changes result in identical IDs.
    static func generate(parent: RevisionID?, isDeleted: Bool, body: UnsafeRawBufferPointer) -> RevisionID {
        var hasher = Insecure.SHA1()
        if let parent {
            var text = parent.description
            text.withUTF8 { utf8 in
                let count = min(255, utf8.count)
                withUnsafeBytes(of: UInt8(count)) { hasher.update(bufferPointer: $0) }
                hasher.update(bufferPointer: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(utf8)[..<count]))
            }
            withUnsafeBytes(of: UInt8(isDeleted ? 1 : 0)) { hasher.update(bufferPointer: $0) }
        } else {
            withUnsafeBytes(of: (UInt8(0), UInt8(isDeleted ? 1 : 0))) { hasher.update(bufferPointer: $0) }
        }
        hasher.update(bufferPointer: body)
        let generation = min((parent?.generation ?? 0) + 1, maximumGeneration)
        // A SHA-1 digest has twenty bytes, which is within the limits of the initializer.
        return hasher.finalize().withUnsafeBytes { RevisionID(generation: generation, digest: $0)! }
    }
}
