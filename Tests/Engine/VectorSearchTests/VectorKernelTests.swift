import CVectorKernels
import Testing
import VectorSearch

/// The functions in C, for each instruction set that this processor has, compared bit for bit with plain Swift (Vector search EN-22, T-22).
@Suite("Vector kernels")
struct VectorKernelTests {
    /// All variants that can run here.
    private static var variants: [CVectorKernels] {
        var variants: [CVectorKernels] = []
        while let next = cvector_kernels_at(variants.count) { variants.append(next.pointee) }
        return variants
    }

    private static let lengths = Array(0...70) + [95, 96, 97, 127, 128, 129, 300, 783, 784, 785, 1536, 4095, 4096]

    private func floats(_ count: Int, _ random: inout SeededNumbers) -> [Float] {
        (0..<count).map { _ in Float.random(in: -300..<300, using: &random) }
    }

    private func bytes(_ count: Int, _ random: inout SeededNumbers) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
    }

    /// Calls `body` with a copy of the elements at an address that is `offset` bytes behind an aligned one, and at the end of what was allocated.
    private func withStored<T, R>(_ elements: [T], offset: Int, _ body: (UnsafeRawPointer) -> R) -> R {
        let size = elements.count * MemoryLayout<T>.stride
        let memory = UnsafeMutableRawPointer.allocate(byteCount: offset + size, alignment: 64)
        defer { memory.deallocate() }
        elements.withUnsafeBytes { source in
            if let base = source.baseAddress { (memory + offset).copyMemory(from: base, byteCount: size) }
        }
        return body(memory + offset)
    }

    /// The same for bytes, whose pointers have any alignment.
    private func withCopy<R>(of bytes: [UInt8], offset: Int, _ body: (UnsafePointer<UInt8>) -> R) -> R {
        withStored(bytes, offset: offset) { body($0.assumingMemoryBound(to: UInt8.self)) }
    }

    @Test("the fastest variant is the last one that the processor has")
    func theFastestVariantIsTheLastOneThatTheProcessorHas() throws {
        let last = try #require(Self.variants.last)
        #expect(String(cString: cvector_kernels().pointee.name) == String(cString: last.name))
        #expect(cvector_kernels_at(Self.variants.count + 1) == nil)
        #expect(cvector_kernels_at(.max) == nil)
    }

    @Test("sums of floats have the same bits in all variants, for all lengths and for every alignment of bytes and of stored floats")
    func sumsOfFloatsHaveTheSameBits() {
        var random = SeededNumbers(seed: 21)
        for length in Self.lengths {
            let (a, b, codes) = (floats(length, &random), floats(length, &random), bytes(length, &random))
            let wanted = [
                KernelReference.distance(a, b), KernelReference.product(a, b),
                KernelReference.distance(offsets: a, steps: b, bytes: codes), KernelReference.product(a, bytes: codes),
            ]
            for kernels in Self.variants {
                for offset in [0, 1, 2, 4, 12, 33] {
                    let found = withStored(b, offset: offset) { stored in
                        withStored(a, offset: offset + 3) { other in
                            withCopy(of: codes, offset: offset) { codes in
                                [
                                    kernels.distance(a, stored, length), kernels.product(other, stored, length),
                                    kernels.distance_to_bytes(a, b, codes, length), kernels.product_with_bytes(a, codes, length),
                                ]
                            }
                        }
                    }
                    #expect(found.map(\.bitPattern) == wanted.map(\.bitPattern), "\(String(cString: kernels.name)) \(length) \(offset)")
                }
            }
        }
    }

    @Test("sums of infinite numbers and of none are the same in all variants")
    func sumsOfInfiniteNumbersAreTheSame() {
        let special: [Float] = [.infinity, -.infinity, .greatestFiniteMagnitude, -.greatestFiniteMagnitude, .leastNonzeroMagnitude, -0, 0]
        for number in special {
            for place in [0, 17, 40] {
                var a = [Float](repeating: 1, count: 50)
                a[place] = number
                let b = a.reversed() as [Float]
                for kernels in Self.variants {
                    let (distance, wanted) = (kernels.distance(a, b, 50), KernelReference.distance(a, b))
                    #expect(distance == wanted || distance.isNaN && wanted.isNaN)
                    let (product, wantedProduct) = (kernels.product(a, b, 50), KernelReference.product(a, b))
                    #expect(product == wantedProduct || product.isNaN && wantedProduct.isNaN)
                }
            }
        }
    }

    @Test("sums of whole numbers are exact in all variants, for all lengths and alignments")
    func sumsOfWholeNumbersAreExact() {
        var random = SeededNumbers(seed: 22)
        for length in Self.lengths {
            // As large as the sums permit.
            let largest = Int16(clamping: min(32767, Int(Int32.max) / 255 / max(1, 2 * length)))
            func weights() -> [Int16] { (0..<length).map { _ in Int16.random(in: -largest...largest, using: &random) } }
            let (lower, upper) = (weights(), weights())
            for count in [0, 1, 3] {
                let codes = bytes(count * length, &random)
                let parts = (0..<count).map { Array(codes[$0 * length..<($0 + 1) * length]) }
                let wanted = parts.map { KernelReference.product(lower, $0) }
                let wantedHalves = parts.map {
                    KernelReference.product(lower, $0.map { $0 & 15 }) + KernelReference.product(upper, $0.map { $0 >> 4 })
                }
                for kernels in Self.variants {
                    for offset in [0, 1, 5, 33] {
                        var (found, foundHalves) = ([Int32](repeating: 7, count: count + 1), [Int32](repeating: 7, count: count + 1))
                        withCopy(of: codes, offset: offset) { codes in
                            kernels.products_of_bytes(lower, codes, length, count, &found)
                            kernels.products_of_halves(lower, upper, codes, length, count, &foundHalves)
                        }
                        // Nothing is written behind the results.
                        #expect(found == wanted + [7], "\(String(cString: kernels.name)) \(length) \(offset)")
                        #expect(foundHalves == wantedHalves + [7], "\(String(cString: kernels.name)) \(length) \(offset)")
                    }
                }
            }
        }
    }

    @Test("the largest permitted sums do not overflow")
    func theLargestSumsDoNotOverflow() {
        for length in [1, 2, 16, 257, 784, 4096] {
            let weight = Int16(min(32767, Int(Int32.max) / 255 / length))
            for sign: Int16 in [1, -1] {
                let weights = [Int16](repeating: sign * weight, count: length)
                let codes = [UInt8](repeating: 255, count: length)
                for kernels in Self.variants {
                    var found: Int32 = 0
                    kernels.products_of_bytes(weights, codes, length, 1, &found)
                    #expect(Int(found) == Int(sign) * Int(weight) * 255 * length)
                }
            }
        }
    }

    @Test("numbers of six bits are unpacked the same in all variants")
    func numbersOfSixBitsAreUnpackedTheSame() {
        var random = SeededNumbers(seed: 23)
        for length in Self.lengths {
            let code = bytes((length * 6 + 7) / 8, &random)
            let wanted = KernelReference.sixths(code, length)
            for kernels in Self.variants {
                for offset in [0, 1, 7] {
                    var found = [UInt8](repeating: 99, count: length + 1)
                    withCopy(of: code, offset: offset) { kernels.unpack_sixths($0, length, &found) }
                    #expect(found == wanted + [99], "\(String(cString: kernels.name)) \(length)")
                }
            }
        }
    }

    @Test("the nearest centroids and all distances from them have the same bits in all variants")
    func theNearestCentroidsAreTheSame() {
        var random = SeededNumbers(seed: 24)
        for dimensions in [1, 2, 3, 16, 33, 128] {
            for panelCount in [1, 2, 3, 4, 7, 8, 9, 17] {
                let panels = floats(panelCount * 16 * dimensions, &random)
                var halfNorms = floats(panelCount * 16, &random).map { abs($0) * 100 }
                // Lanes without centroid, and two equal ones.
                halfNorms[panelCount * 16 - 1] = .infinity
                for count in [0, 1, 2, 3, 4, 5, 9] {
                    let vectors = floats(count * dimensions, &random)
                    let all = (0..<count).map {
                        KernelReference.values(
                            Array(vectors[$0 * dimensions..<($0 + 1) * dimensions]),
                            panels: panels,
                            halfNorms: halfNorms
                        )
                    }
                    for kernels in Self.variants {
                        var (nearest, values) = ([Int32](repeating: -1, count: count + 1), [Float](repeating: -1, count: count + 1))
                        kernels.nearest(vectors, count, panels, halfNorms, dimensions, panelCount, &nearest, &values)
                        for index in 0..<count {
                            let least = all[index].min() ?? 0
                            #expect(values[index].bitPattern == least.bitPattern)
                            #expect(Int(nearest[index]) == all[index].firstIndex(of: least))
                            var row = [Float](repeating: -1, count: panelCount * 16 + 1)
                            vectors.withUnsafeBufferPointer { vectors in
                                guard let base = vectors.baseAddress else { return }
                                kernels.values(base + index * dimensions, panels, halfNorms, dimensions, panelCount, &row)
                            }
                            #expect(row.map(\.bitPattern) == (all[index] + [-1]).map(\.bitPattern))
                        }
                        #expect(nearest[count] == -1 && values[count] == -1)
                    }
                }
            }
        }
    }

    @Test("of equally near centroids the first is the nearest")
    func ofEquallyNearCentroidsTheFirstIsTheNearest() {
        for equal in [[0, 1], [3, 19], [17, 33], [40, 47], [5, 21, 37]] {
            var halfNorms = [Float](repeating: 9, count: 48)
            for centroid in equal { halfNorms[centroid] = 2 }
            let panels = [Float](repeating: 0, count: 48 * 2)
            for kernels in Self.variants {
                var (nearest, values) = ([Int32](repeating: -1, count: 5), [Float](repeating: -1, count: 5))
                kernels.nearest([Float](repeating: 1, count: 10), 5, panels, halfNorms, 2, 3, &nearest, &values)
                #expect(nearest == [Int32](repeating: Int32(equal[0]), count: 5))
                #expect(values == [2, 2, 2, 2, 2])
            }
        }
    }

    @Test("no variant reads or writes behind what the lengths say")
    func noVariantReadsOrWritesBehindTheLengths() throws {
        var random = SeededNumbers(seed: 25)
        for length in Array(1...34) + [63, 64, 65, 783] {
            let (a, b) = (try #require(GuardedMemory(floats(length, &random))), try #require(GuardedMemory(floats(length, &random))))
            let weights = try #require(GuardedMemory([Int16](repeating: 3, count: length)))
            let codes = try #require(GuardedMemory(bytes(2 * length, &random)))
            let single = try #require(GuardedMemory(bytes(length, &random)))
            let sixths = try #require(GuardedMemory(bytes((length * 6 + 7) / 8, &random)))
            let products = try #require(GuardedMemory<Int32>([0, 0]))
            for kernels in Self.variants {
                #expect(kernels.distance(a.base, b.base, length).isFinite)
                #expect(kernels.product(a.base, b.base, length).isFinite)
                #expect(kernels.distance_to_bytes(a.base, b.base, single.base, length).isFinite)
                #expect(kernels.product_with_bytes(a.base, single.base, length).isFinite)
                kernels.products_of_bytes(weights.base, codes.base, length, 2, products.base)
                #expect(products.elements[1] == KernelReference.product(Array(weights.elements), Array(codes.elements[length...])))
                kernels.products_of_halves(weights.base, weights.base, codes.base, length, 2, products.base)
                kernels.unpack_sixths(sixths.base, length, single.base)
                #expect(single.elements.allSatisfy { $0 < 64 })
            }
        }
    }

    @Test("no variant reads or writes behind vectors, panels and results")
    func noVariantReadsOrWritesBehindPanels() throws {
        var random = SeededNumbers(seed: 26)
        for (count, dimensions, panelCount) in [(1, 1, 1), (4, 3, 2), (5, 17, 3), (9, 16, 9)] {
            let vectors = try #require(GuardedMemory(floats(count * dimensions, &random)))
            let panels = try #require(GuardedMemory(floats(panelCount * 16 * dimensions, &random)))
            let halfNorms = try #require(GuardedMemory(floats(panelCount * 16, &random)))
            let nearest = try #require(GuardedMemory([Int32](repeating: -1, count: count)))
            let smallest = try #require(GuardedMemory([Float](repeating: 0, count: count)))
            let values = try #require(GuardedMemory([Float](repeating: 0, count: panelCount * 16)))
            for kernels in Self.variants {
                kernels.nearest(
                    vectors.base,
                    count,
                    panels.base,
                    halfNorms.base,
                    dimensions,
                    panelCount,
                    nearest.base,
                    smallest.base
                )
                kernels.values(vectors.base, panels.base, halfNorms.base, dimensions, panelCount, values.base)
                #expect(nearest.elements.allSatisfy { (0..<panelCount * 16).contains(Int($0)) })
                #expect(values.elements.min() == smallest.elements[0])
            }
        }
    }
}
