import Foundation

/// Vectors to search in, targets to search for, and the ten nearest vectors of each target.
struct VectorSet {
    let dimensions: Int
    /// The components of the vectors, one after another.
    let vectors: [Float]
    /// Those of the targets.
    let targets: [Float]
    /// For each target the largest squared distance of its ten nearest vectors.
    let bounds: [Float]

    var count: Int { vectors.count / dimensions }
    var targetCount: Int { targets.count / dimensions }

    static let wanted = 10

    /// Generates vectors.
    init(count: Int, dimensions: Int, targets: Int) {
        let generated = GeneratedVectors(dimensions: dimensions)
        self.init(generated.vectors(16, count: count), generated.vectors(32, count: targets), dimensions)
    }

    /// Reads the vectors that a script has exported: `base.f32`, `queries.f32` and `truth.i32`, with little-endian numbers.
    init(directory: String, targets: Int) throws {
        func numbers<T>(_ name: String, _ type: T.Type) throws -> [T] {
            let data = try Data(contentsOf: URL(fileURLWithPath: directory).appendingPathComponent(name))
            return data.withUnsafeBytes { bytes in
                (0..<bytes.count / MemoryLayout<T>.size).map { bytes.loadUnaligned(fromByteOffset: $0 * MemoryLayout<T>.size, as: T.self) }
            }
        }
        let (base, queries) = (try numbers("base.f32", Float.self), try numbers("queries.f32", Float.self))
        let truth = try numbers("truth.i32", Int32.self)
        let number = truth.count / Self.wanted
        guard number > 0, !queries.isEmpty, queries.count % number == 0, base.count % (queries.count / number) == 0 else {
            throw WorkloadError.wrongResult("the files in \(directory) do not belong together")
        }
        let dimensions = queries.count / number
        self.init(base, Array(queries[..<(min(targets, number) * dimensions)]), dimensions)
    }

    private init(_ vectors: [Float], _ targets: [Float], _ dimensions: Int) {
        (self.vectors, self.targets, self.dimensions) = (vectors, targets, dimensions)
        bounds = Self.bounds(vectors, targets, dimensions) { _ in true }
    }

    func vector(_ index: Int) -> ArraySlice<Float> { vectors[index * dimensions..<(index + 1) * dimensions] }
    func target(_ index: Int) -> ArraySlice<Float> { targets[index * dimensions..<(index + 1) * dimensions] }

    /// Returns the bounds if only some vectors are searched.
    func bounds(where isIncluded: (Int) -> Bool) -> [Float] { Self.bounds(vectors, targets, dimensions, where: isIncluded) }

    /// Returns which share of the wanted vectors was found (Vector search 11.2): those that are not farther than the tenth.
    func recall(_ found: [[Int]], _ bounds: [Float]) -> Double {
        var count = 0
        vectors.withUnsafeBufferPointer { vectors in
            targets.withUnsafeBufferPointer { targets in
                for (target, numbers) in found.enumerated() {
                    count += numbers.count { Self.distance(vectors, $0, targets, target, dimensions) <= bounds[target] }
                }
            }
        }
        return Double(count) / Double(Self.wanted * found.count)
    }

    private static func bounds(_ vectors: [Float], _ targets: [Float], _ dimensions: Int, where isIncluded: (Int) -> Bool) -> [Float] {
        let included = (0..<vectors.count / dimensions).filter(isIncluded)
        return vectors.withUnsafeBufferPointer { vectors in
            targets.withUnsafeBufferPointer { targets in
                (0..<targets.count / dimensions).map { target in
                    var nearest = [Float](repeating: .infinity, count: wanted)
                    for index in included {
                        let distance = distance(vectors, index, targets, target, dimensions)
                        guard distance < nearest[wanted - 1] else { continue }
                        let place = nearest.firstIndex { $0 > distance } ?? wanted - 1
                        nearest.insert(distance, at: place)
                        nearest.removeLast()
                    }
                    return nearest[wanted - 1]
                }
            }
        }
    }

    private static func distance(
        _ vectors: UnsafeBufferPointer<Float>,
        _ number: Int,
        _ targets: UnsafeBufferPointer<Float>,
        _ target: Int,
        _ dimensions: Int
    ) -> Float {
        // SIMD, because the compiler does not reorder sums.
        var sums = SIMD8<Float>.zero
        let (left, right) = (number * dimensions, target * dimensions)
        var index = 0
        while index + 8 <= dimensions {
            var difference = SIMD8<Float>.zero
            for lane in 0..<8 { difference[lane] = vectors[left + index + lane] - targets[right + index + lane] }
            sums += difference * difference
            index += 8
        }
        var sum = sums.sum()
        while index < dimensions {
            let difference = vectors[left + index] - targets[right + index]
            sum += difference * difference
            index += 1
        }
        return sum
    }
}
