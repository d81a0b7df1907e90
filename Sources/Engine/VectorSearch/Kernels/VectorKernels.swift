/// Sums over the components of two vectors.
///
/// They use SIMD types with two accumulators: sums of floats are not associative, so the compiler does not vectorize plain loops. Fused
/// multiply-add is one instruction on arm64, but a library call for each component on x86-64 without special flags (Vector search D11).
enum VectorKernels {
    @inline(__always)
    static func multiplyAdd<V: SIMD>(_ sum: V, _ a: V, _ b: V) -> V where V.Scalar == Float {
        #if arch(arm64)
        sum.addingProduct(a, b)
        #else
        sum + a * b
        #endif
    }

    @inline(__always)
    static func load(_ pointer: UnsafePointer<Float>, _ index: Int) -> SIMD8<Float> {
        UnsafeRawPointer(pointer + index).loadUnaligned(as: SIMD8<Float>.self)
    }

    @inline(__always)
    static func loadDouble(_ pointer: UnsafePointer<Float>, _ index: Int) -> SIMD16<Float> {
        UnsafeRawPointer(pointer + index).loadUnaligned(as: SIMD16<Float>.self)
    }

    /// Returns Σ(aᵢ−bᵢ)².
    static func squaredDistance(_ a: UnsafePointer<Float>, _ b: UnsafePointer<Float>, _ count: Int) -> Float {
        var (first, second) = (SIMD8<Float>.zero, SIMD8<Float>.zero)
        var index = 0
        while index + 16 <= count {
            let d = load(a, index) - load(b, index)
            let e = load(a, index + 8) - load(b, index + 8)
            first = multiplyAdd(first, d, d)
            second = multiplyAdd(second, e, e)
            index += 16
        }
        var sum = (first + second).sum()
        while index < count {
            let d = a[index] - b[index]
            sum += d * d
            index += 1
        }
        return sum
    }

    /// Returns Σaᵢbᵢ.
    static func dot(_ a: UnsafePointer<Float>, _ b: UnsafePointer<Float>, _ count: Int) -> Float {
        var (first, second) = (SIMD8<Float>.zero, SIMD8<Float>.zero)
        var index = 0
        while index + 16 <= count {
            first = multiplyAdd(first, load(a, index), load(b, index))
            second = multiplyAdd(second, load(a, index + 8), load(b, index + 8))
            index += 16
        }
        var sum = (first + second).sum()
        while index < count {
            sum += a[index] * b[index]
            index += 1
        }
        return sum
    }

    /// Returns Σaᵢbᵢ and Σbᵢ².
    static func dotAndNorm(_ a: UnsafePointer<Float>, _ b: UnsafePointer<Float>, _ count: Int) -> (dot: Float, norm: Float) {
        var (first, second) = (SIMD8<Float>.zero, SIMD8<Float>.zero)
        var index = 0
        while index + 8 <= count {
            let other = load(b, index)
            first = multiplyAdd(first, load(a, index), other)
            second = multiplyAdd(second, other, other)
            index += 8
        }
        var (dot, norm) = (first.sum(), second.sum())
        while index < count {
            dot += a[index] * b[index]
            norm += b[index] * b[index]
            index += 1
        }
        return (dot, norm)
    }

    /// Returns Σaᵢcᵢ, where c are bytes from 0 to 255.
    static func dot(_ a: UnsafePointer<Float>, bytes c: UnsafePointer<UInt8>, _ count: Int) -> Float {
        var sums = SIMD16<Float>.zero
        var index = 0
        while index + 16 <= count {
            let codes = UnsafeRawPointer(c + index).loadUnaligned(as: SIMD16<UInt8>.self)
            // A float with this pattern is 2²³ plus the number in its lowest bits: cheaper than a conversion.
            let patterns = SIMD16<UInt32>(truncatingIfNeeded: codes) | 0x4B00_0000
            let values = unsafeBitCast(patterns, to: SIMD16<Float>.self) - 8_388_608
            sums = multiplyAdd(sums, loadDouble(a, index), values)
            index += 16
        }
        var sum = sums.sum()
        while index < count {
            sum += a[index] * Float(c[index])
            index += 1
        }
        return sum
    }

    /// Returns Σaᵢ² in double precision.
    static func norm(_ a: UnsafePointer<Float>, _ count: Int) -> Double {
        var sum = 0.0
        for index in 0..<count { sum += Double(a[index]) * Double(a[index]) }
        return sum
    }
}
