import CVectorKernels

/// Sums over the components of vectors.
///
/// They are functions in C, of which this processor's are chosen when the program runs: Swift's SIMD types use only the instructions that the whole
/// package is compiled for, which on x86-64 are a quarter as fast (Vector search EN-22). All variants give the same bits.
enum VectorKernels {
    // Safe: a constant of the program, which nobody changes.
    nonisolated(unsafe) static let functions: CVectorKernels = cvector_kernels().pointee

    /// Returns Σ(aᵢ−bᵢ)².
    ///
    /// - Parameter b: The components, of any alignment.
    @inline(__always)
    static func squaredDistance(_ a: UnsafePointer<Float>, _ b: UnsafeRawPointer, _ count: Int) -> Float {
        functions.distance(a, b, count)
    }

    /// Returns Σaᵢbᵢ.
    ///
    /// - Parameter b: The components, of any alignment.
    @inline(__always)
    static func dot(_ a: UnsafePointer<Float>, _ b: UnsafeRawPointer, _ count: Int) -> Float { functions.product(a, b, count) }

    /// Returns Σaᵢ² of components of any alignment.
    @inline(__always)
    static func squaredNorm(_ a: UnsafeRawPointer, _ count: Int) -> Float { functions.product(a, a, count) }

    /// Returns Σaᵢ² in double precision.
    static func norm(_ a: UnsafePointer<Float>, _ count: Int) -> Double {
        var sum = 0.0
        for index in 0..<count { sum += Double(a[index]) * Double(a[index]) }
        return sum
    }
}
