import CVectorKernels
import Dispatch

/// Centroids in an order in which the nearest ones of many vectors are found as a product of matrices: sixteen centroids beside each other,
/// component by component.
///
/// A loop of distances reads each centroid from memory for each vector. Here several vectors share what is read, and no sums across the lanes are
/// needed.
struct CentroidPanels {
    let count: Int
    let dimensions: Int
    /// For each panel of sixteen centroids: the first components of all, the second ones, and so on. Lanes without centroid are 0.
    private let components: [Float]
    /// Half of Σcᵢ² of each centroid; infinite for lanes without centroid, so that these are never the nearest.
    private let halfNorms: [Float]

    private static let lanes = 16

    /// About how many bytes of memory the centroids take.
    var memorySize: Int { (components.count + halfNorms.count) * MemoryLayout<Float>.stride }

    init(_ centroids: [Float], dimensions: Int) {
        self.dimensions = dimensions
        let count = centroids.count / dimensions
        self.count = count
        let panels = (count + Self.lanes - 1) / Self.lanes
        var components = [Float](repeating: 0, count: panels * Self.lanes * dimensions)
        var halfNorms = [Float](repeating: .infinity, count: panels * Self.lanes)
        centroids.withUnsafeBufferPointer { source in
            guard let base = source.baseAddress else { return }
            for centroid in 0..<count {
                halfNorms[centroid] = Float(VectorKernels.norm(base + centroid * dimensions, dimensions) / 2)
                let start = centroid / Self.lanes * Self.lanes * dimensions + centroid % Self.lanes
                for index in 0..<dimensions { components[start + index * Self.lanes] = source[centroid * dimensions + index] }
            }
        }
        (self.components, self.halfNorms) = (components, halfNorms)
    }

    /// Finds the nearest centroid of each vector. Uses all processors; the result does not depend on their number.
    ///
    /// - Parameters:
    ///   - vectors: The components of the vectors, one after another.
    ///   - nearest: The numbers of the centroids.
    ///   - distances: The squared distances to them.
    func assign(
        _ vectors: UnsafeBufferPointer<Float>,
        nearest: UnsafeMutableBufferPointer<Int32>,
        distances: UnsafeMutableBufferPointer<Float>
    ) {
        let number = nearest.count
        let block = 256
        let blocks = (number + block - 1) / block
        // Safe: each block writes to its own part of the results.
        nonisolated(unsafe) let (vectors, nearest, distances) = (vectors, nearest, distances)
        // Starting threads is not worth it for little work.
        guard blocks > 1, number * count * dimensions > 1 << 22 else {
            return assignBlock(vectors, 0..<number, nearest, distances)
        }
        DispatchQueue.concurrentPerform(iterations: blocks) { index in
            let range = index * block..<min(number, (index + 1) * block)
            assignBlock(vectors, range, nearest, distances)
        }
    }

    private func assignBlock(
        _ vectors: UnsafeBufferPointer<Float>,
        _ range: Range<Int>,
        _ nearest: UnsafeMutableBufferPointer<Int32>,
        _ distances: UnsafeMutableBufferPointer<Float>
    ) {
        guard let base = vectors.baseAddress, let numbers = nearest.baseAddress, let values = distances.baseAddress else { return }
        precondition(range.upperBound * dimensions <= vectors.count && range.upperBound <= min(nearest.count, distances.count))
        let first = base + range.lowerBound * dimensions
        withPanels { panels, halfNorms, count in
            VectorKernels.functions.nearest(
                first,
                range.count,
                panels,
                halfNorms,
                dimensions,
                count,
                numbers + range.lowerBound,
                values + range.lowerBound
            )
        }
        // The squared distance is |x|² + 2 (|c|²/2 − x·c), where the value is what is in brackets.
        for index in range {
            let vector = base + index * dimensions
            values[index] = max(0, VectorKernels.dot(vector, vector, dimensions) + 2 * values[index])
        }
    }

    /// Returns |c|² − 2 x·c for each centroid, which orders the centroids by their distance from a vector.
    func order(of vector: UnsafeBufferPointer<Float>) -> [Float] {
        var result = [Float](repeating: 0, count: halfNorms.count)
        guard let base = vector.baseAddress, vector.count == dimensions else { return [] }
        result.withUnsafeMutableBufferPointer { result in
            guard let values = result.baseAddress else { return }
            withPanels { VectorKernels.functions.values(base, $0, $1, dimensions, $2, values) }
            for index in result.indices { result[index] *= 2 }
        }
        result.removeLast(result.count - count)
        return result
    }

    private func withPanels(_ body: (UnsafePointer<Float>, _ halfNorms: UnsafePointer<Float>, _ count: Int) -> Void) {
        components.withUnsafeBufferPointer { components in
            halfNorms.withUnsafeBufferPointer { halfNorms in
                guard let first = components.baseAddress, let norms = halfNorms.baseAddress else { return }
                body(first, norms, halfNorms.count / Self.lanes)
            }
        }
    }
}
