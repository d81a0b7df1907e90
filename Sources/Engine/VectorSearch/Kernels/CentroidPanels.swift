import Dispatch

/// Centroids in an order in which the nearest ones of many vectors are found as a product of matrices: eight centroids beside each other,
/// component by component.
///
/// A loop of distances reads each centroid from memory for each vector. Here four vectors share what is read, and no sums across the lanes are
/// needed.
struct CentroidPanels {
    let count: Int
    let dimensions: Int
    /// For each panel of eight centroids: the first components of all, the second ones, and so on. Lanes without centroid are 0.
    private let components: [Float]
    /// Half of Σcᵢ² of each centroid; infinite for lanes without centroid, so that these are never the nearest.
    private let halfNorms: [Float]

    private static let lanes = 8

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
        guard let base = vectors.baseAddress else { return }
        components.withUnsafeBufferPointer { components in
            guard let panels = components.baseAddress else { return }
            var position = range.lowerBound
            while position < range.upperBound {
                let rows = min(4, range.upperBound - position)
                // The last vectors are repeated if there are less than four.
                let first = base + position * dimensions
                let second = base + (position + min(1, rows - 1)) * dimensions
                let third = base + (position + min(2, rows - 1)) * dimensions
                let fourth = base + (position + min(3, rows - 1)) * dimensions
                assignFour((first, second, third, fourth), rows, panels, nearest, distances, position)
                position += rows
            }
        }
    }

    private typealias Four = (UnsafePointer<Float>, UnsafePointer<Float>, UnsafePointer<Float>, UnsafePointer<Float>)

    @inline(__always)
    private func assignFour(
        _ vectors: Four,
        _ rows: Int,
        _ panels: UnsafePointer<Float>,
        _ nearest: UnsafeMutableBufferPointer<Int32>,
        _ distances: UnsafeMutableBufferPointer<Float>,
        _ position: Int
    ) {
        // The squared distance is |x|² + 2 (|c|²/2 − x·c): the smallest number in brackets is that of the nearest centroid.
        var best = (SIMD8<Float>(repeating: .infinity), SIMD8<Float>(repeating: .infinity))
        var other = best
        var bestPanel = (SIMD8<Int32>.zero, SIMD8<Int32>.zero)
        var otherPanel = bestPanel
        halfNorms.withUnsafeBufferPointer { halfNorms in
            guard let norms = halfNorms.baseAddress else { return }
            for panel in 0..<halfNorms.count / Self.lanes {
                let number = SIMD8<Int32>(repeating: Int32(truncatingIfNeeded: panel))
                let columns = panels + panel * Self.lanes * dimensions
                var (s0, s1) = (SIMD8<Float>.zero, SIMD8<Float>.zero)
                var (s2, s3) = (s0, s1)
                for index in 0..<dimensions {
                    let column = VectorKernels.load(columns, index * Self.lanes)
                    s0 = VectorKernels.multiplyAdd(s0, column, SIMD8(repeating: vectors.0[index]))
                    s1 = VectorKernels.multiplyAdd(s1, column, SIMD8(repeating: vectors.1[index]))
                    s2 = VectorKernels.multiplyAdd(s2, column, SIMD8(repeating: vectors.2[index]))
                    s3 = VectorKernels.multiplyAdd(s3, column, SIMD8(repeating: vectors.3[index]))
                }
                let half = VectorKernels.load(norms, panel * Self.lanes)
                Self.keepSmaller(half - s0, number, &best.0, &bestPanel.0)
                Self.keepSmaller(half - s1, number, &best.1, &bestPanel.1)
                Self.keepSmaller(half - s2, number, &other.0, &otherPanel.0)
                Self.keepSmaller(half - s3, number, &other.1, &otherPanel.1)
            }
        }
        let found = [
            (vectors.0, best.0, bestPanel.0), (vectors.1, best.1, bestPanel.1), (vectors.2, other.0, otherPanel.0),
            (vectors.3, other.1, otherPanel.1),
        ]
        for row in 0..<rows {
            let (vector, values, panels) = found[row]
            let (value, number) = Self.smallest(values, panels)
            nearest[position + row] = number
            distances[position + row] = max(0, Float(VectorKernels.dot(vector, vector, dimensions)) + 2 * value)
        }
    }

    @inline(__always)
    private static func keepSmaller(
        _ values: SIMD8<Float>,
        _ panel: SIMD8<Int32>,
        _ best: inout SIMD8<Float>,
        _ bestPanel: inout SIMD8<Int32>
    ) {
        let isSmaller = values .< best
        best.replace(with: values, where: isSmaller)
        bestPanel.replace(with: panel, where: isSmaller)
    }

    /// Returns the smallest value and the number of its centroid, of equal ones the smaller number.
    private static func smallest(_ values: SIMD8<Float>, _ panels: SIMD8<Int32>) -> (Float, Int32) {
        var result = (values[0], panels[0] * 8)
        for lane in 1..<8 {
            let number = panels[lane] * 8 + Int32(lane)
            if values[lane] < result.0 || values[lane] == result.0 && number < result.1 { result = (values[lane], number) }
        }
        return result
    }

    /// Returns |c|² − 2 x·c for each centroid, which orders the centroids by their distance from a vector.
    func order(of vector: UnsafePointer<Float>) -> [Float] {
        var result = [Float](repeating: 0, count: halfNorms.count)
        components.withUnsafeBufferPointer { components in
            guard let base = components.baseAddress else { return }
            for panel in 0..<halfNorms.count / Self.lanes {
                let columns = base + panel * Self.lanes * dimensions
                var sums = SIMD8<Float>.zero
                for index in 0..<dimensions {
                    sums = VectorKernels.multiplyAdd(
                        sums,
                        VectorKernels.load(columns, index * Self.lanes),
                        SIMD8(repeating: vector[index])
                    )
                }
                for lane in 0..<Self.lanes { result[panel * Self.lanes + lane] = 2 * (halfNorms[panel * Self.lanes + lane] - sums[lane]) }
            }
        }
        result.removeLast(result.count - count)
        return result
    }
}
