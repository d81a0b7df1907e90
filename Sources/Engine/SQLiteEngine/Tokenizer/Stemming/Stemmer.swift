#if canImport(CStemmer)
internal import CStemmer
#endif

/// Reduces words to stems with the Snowball algorithm of a language (Query 6.1). The stems are those of the releases before 2.0, which the
/// files of Couchbase Lite contain (Query 6.10).
///
/// Used by one thread at a time, as libstemmer's objects require.
final class Stemmer {
    private enum Algorithm {
        /// An implementation of this library.
        case own((UnsafeBufferPointer<UInt8>) -> [UInt8])
        #if canImport(CStemmer)
        /// An algorithm of libstemmer whose stems have not changed.
        case library(Library)
        /// An algorithm of libstemmer, with an adaptation that restores the older stems.
        case adapted(Library, Adaptation)
        #endif
    }

    private typealias Adaptation = (UnsafeBufferPointer<UInt8>, (UnsafeBufferPointer<UInt8>) -> [UInt8]) -> [UInt8]

    private let algorithm: Algorithm
    private let cache = StemCache()
    /// A buffer for the last stem, if the algorithm does not hold it itself.
    // SQLite ensures exclusive access, because it makes one call at a time.
    @exclusivity(unchecked) private var memory = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 64)

    /// Creates a stemmer for a language code or English name. `nil` if the language has none, or none on this system.
    init?(language: String) {
        guard let name = FullTextLanguage.stemmer(for: language), let algorithm = Self.algorithm(named: name) else {
            memory.deallocate()
            return nil
        }
        self.algorithm = algorithm
    }

    deinit { memory.deallocate() }

    private static func algorithm(named name: String) -> Algorithm? {
        switch name {
        case "finnish": return .own(FinnishStemmer.stem)
        case "french": return .own(FrenchStemmer.stem)
        case "portuguese": return .own(PortugueseStemmer.stem)
        default: break
        }
        #if canImport(CStemmer)
        guard let library = Library(name) else { return nil }
        switch name {
        case "danish": return .adapted(library, LegacyStemRules.danish)
        case "hungarian": return .adapted(library, LegacyStemRules.hungarian)
        case "russian": return .adapted(library, LegacyStemRules.russian)
        default: return .library(library)
        }
        #else
        return nil
        #endif
    }

    /// Returns the stem of a folded word, which is valid until the next call. Returns the word itself if memory is exhausted.
    ///
    /// - Parameter hash: A hash of the word, always computed in the same way.
    func stem(_ word: UnsafeBufferPointer<UInt8>, hash: UInt32) -> UnsafeBufferPointer<UInt8> {
        if let known = cache.stem(of: word, hash: hash) { return known }
        let stem = computedStem(of: word)
        cache.keep(stem, of: word, hash: hash)
        return stem
    }

    private func computedStem(of word: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
        switch algorithm {
        case .own(let stem): return keep(stem(word))
        #if canImport(CStemmer)
        case .library(let library): return library.stem(word)
        case .adapted(let library, let adapt): return keep(adapt(word) { Array(library.stem($0)) })
        #endif
        }
    }

    private func keep(_ stem: [UInt8]) -> UnsafeBufferPointer<UInt8> {
        if stem.count > memory.count {
            memory.deallocate()
            memory = .allocate(capacity: stem.count * 2)
        }
        _ = memory.update(fromContentsOf: stem)
        return UnsafeBufferPointer(rebasing: memory[..<stem.count])
    }
}

#if canImport(CStemmer)
extension Stemmer {
    private final class Library {
        private let pointer: OpaquePointer

        init?(_ name: String) {
            guard let pointer = sb_stemmer_new(name, nil) else { return nil }
            self.pointer = pointer
        }

        deinit { sb_stemmer_delete(pointer) }

        func stem(_ word: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
            guard let stem = sb_stemmer_stem(pointer, word.baseAddress, Int32(clamping: word.count)) else { return word }
            return UnsafeBufferPointer(start: stem, count: Int(sb_stemmer_length(pointer)))
        }
    }
}
#endif
