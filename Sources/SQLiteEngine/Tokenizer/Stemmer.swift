#if canImport(CStemmer)
    internal import CStemmer
#endif

/// Takes the endings off words, by the Snowball algorithm of a language (Query 6.1).
///
/// For one thread at a time, as libstemmer's objects are.
final class Stemmer {
    #if canImport(CStemmer)
        private let pointer: OpaquePointer

        /// A stemmer for a language by its code or English name; nil for one that has none.
        init?(language: String) {
            guard let algorithm = FullTextLanguage.stemmer(for: language),
                let pointer = sb_stemmer_new(algorithm, nil)
            else { return nil }
            self.pointer = pointer
        }

        deinit {
            sb_stemmer_delete(pointer)
        }

        /// The stem of a folded word, valid until the next call; the word itself when memory has run out.
        func stem(_ word: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
            guard let stem = sb_stemmer_stem(pointer, word.baseAddress, Int32(clamping: word.count)) else {
                return word
            }
            return UnsafeBufferPointer(start: stem, count: Int(sb_stemmer_length(pointer)))
        }
    #else
        /// There is no stemmer on this system.
        init?(language: String) {
            return nil
        }

        func stem(_ word: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> { word }
    #endif
}
