/// Some vectors of one bucket, which are stored and read together (Vector search FL-6): the row numbers of their documents, then the norms, if
/// there are any, then the vectors or codes.
package enum VectorCell {
    /// The number of vectors in a full cell (Vector search EN-5).
    ///
    /// - Parameter size: The number of bytes of a code.
    package static func capacity(codeSize size: Int) -> Int { min(64, max(8, (32 << 10) / max(1, size))) }

    /// How the vectors of a cell are stored.
    package struct Layout: Hashable, Sendable {
        /// The number of bytes of a code.
        package let codeSize: Int
        /// Whether each code has a norm.
        package let hasNorms: Bool
        /// Whether the vectors are stored as they are.
        package let isRaw: Bool

        /// The layout of vectors as they are, before training.
        package init(untrained options: VectorIndexOptions) {
            self.init(codeSize: options.dimensions * 4, hasNorms: false, isRaw: true)
        }

        /// The layout of the vectors of a trained index.
        package init(trained options: VectorIndexOptions) {
            self.init(
                codeSize: options.encoding.codeSize(dimensions: options.dimensions),
                hasNorms: VectorTarget.storesNorms(options),
                isRaw: options.encoding == .none
            )
        }

        /// The layout of the vectors of an index.
        ///
        /// - Parameter model: What training has found; `nil` if the index is not trained.
        package init(_ model: VectorModel?, _ options: VectorIndexOptions) {
            self = model == nil ? Self(untrained: options) : Self(trained: options)
        }

        private init(codeSize: Int, hasNorms: Bool, isRaw: Bool) {
            (self.codeSize, self.hasNorms, self.isRaw) = (codeSize, hasNorms, isRaw)
        }

        /// The number of bytes of each vector without its row number: its norm and its code.
        package var entrySize: Int { codeSize + (hasNorms ? 4 : 0) }

        /// Checks the number of bytes of a cell.
        ///
        /// - Throws: ``VectorIndexDamage`` if it is not that of so many vectors.
        package func check(size: Int, count: Int64) throws(VectorIndexDamage) {
            guard count > 0, count <= 1 << 16, size == self.size(count: Int(count)) else {
                throw VectorIndexDamage("a cell has \(size) bytes for \(count) vectors")
            }
        }

        func size(count: Int) -> Int { count * (8 + entrySize) }
    }

    /// Returns the bytes of a cell.
    ///
    /// - Parameters:
    ///   - rows: The row numbers.
    ///   - entries: For each of them its norm, if the layout has norms, and its code.
    package static func encode(rows: [Int64], entries: [[UInt8]], _ layout: Layout) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(layout.size(count: rows.count))
        for row in rows { withUnsafeBytes(of: row.littleEndian) { bytes.append(contentsOf: $0) } }
        if layout.hasNorms { for entry in entries { bytes += entry[..<4] } }
        for entry in entries { bytes += layout.hasNorms ? entry[4...] : entry[...] }
        return bytes
    }

    /// A cell in memory that belongs to somebody else.
    package struct View {
        /// The number of vectors.
        package let count: Int
        private let base: UnsafeRawPointer
        private let layout: Layout

        /// - Throws: ``VectorIndexDamage`` if the number of bytes is not that of so many vectors.
        package init(_ bytes: UnsafeRawBufferPointer, count: Int64, _ layout: Layout) throws(VectorIndexDamage) {
            try layout.check(size: bytes.count, count: count)
            guard let base = bytes.baseAddress else { throw VectorIndexDamage("a cell is empty") }
            (self.base, self.count, self.layout) = (base, Int(count), layout)
        }

        private var norms: UnsafeRawPointer { base + count * 8 }
        private var codes: UnsafeRawPointer { norms + (layout.hasNorms ? count * 4 : 0) }

        /// Returns the row number of a vector.
        package func row(at slot: Int) -> Int64 { Int64(littleEndian: base.loadUnaligned(fromByteOffset: slot * 8, as: Int64.self)) }

        /// Returns the norm and the code of a vector.
        package func entry(at slot: Int) -> [UInt8] {
            var entry: [UInt8] = []
            entry.reserveCapacity(layout.entrySize)
            if layout.hasNorms { entry += UnsafeRawBufferPointer(start: norms + slot * 4, count: 4) }
            return entry + UnsafeRawBufferPointer(start: codes + slot * layout.codeSize, count: layout.codeSize)
        }

        /// Adds the distances of the vectors from a target.
        ///
        /// - Parameter isIncluded: Returns whether the vector at a position counts. Only asked about vectors that are near enough.
        package func scan(_ target: VectorTarget, into heap: inout NearestHeap, isIncluded: (Int) -> Bool) {
            if layout.isRaw {
                target.scan(vectors: codes, rows: base, count: count, into: &heap, isIncluded: isIncluded)
            } else {
                target.scan(codes: codes, norms: norms, rows: base, count: count, into: &heap, isIncluded: isIncluded)
            }
        }
    }
}

extension VectorModel {
    /// Returns the norms, if there are any, and the codes of vectors, as cells and rows contain them.
    package func entries(of vectors: [Float]) -> [[UInt8]] {
        let layout = VectorCell.Layout(trained: options)
        let codes = self.codes(of: vectors)
        return stride(from: 0, to: codes.count, by: max(1, layout.codeSize)).map { start in
            let code = codes[start..<start + layout.codeSize]
            guard layout.hasNorms else { return Array(code) }
            let norm = code.withUnsafeBufferPointer { $0.baseAddress.map { self.norm(ofCode: $0) } ?? 0 }
            return withUnsafeBytes(of: norm.bitPattern.littleEndian) { Array($0) } + code
        }
    }
}
