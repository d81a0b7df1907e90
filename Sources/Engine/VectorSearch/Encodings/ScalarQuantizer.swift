import CVectorKernels

/// Stores each component as an integer of 8, 6 or 4 bits: the number of steps above the smallest value of its dimension (Vector search 9.4).
struct ScalarQuantizer: Hashable {
    let bits: Int
    /// The smallest value of each dimension.
    let minima: [Float]
    /// The difference of values whose codes differ by 1; 0 for a dimension in which all vectors are equal.
    let steps: [Float]

    var dimensions: Int { minima.count }
    /// About how many bytes of memory the quantizer takes.
    var memorySize: Int { (minima.count + steps.count) * MemoryLayout<Float>.stride }

    init(bits: Int, minima: [Float], steps: [Float]) {
        (self.bits, self.minima, self.steps) = (bits, minima, steps)
    }

    /// Determines the ranges from a sample: all its values for 8 bits; without the outermost thousandth on each side for 6 and 4 bits, in which
    /// a few far values would make all others coarse.
    init(bits: Int, sample: [Float], dimensions: Int) {
        let number = sample.count / dimensions
        var (minima, steps) = ([Float](), [Float]())
        var values = [Float](repeating: 0, count: number)
        for dimension in 0..<dimensions {
            for index in 0..<number { values[index] = sample[index * dimensions + dimension] }
            let (low, high): (Float, Float)
            if bits == 8 {
                (low, high) = (values.min() ?? 0, values.max() ?? 0)
            } else {
                values.sort()
                let margin = number / 1000
                (low, high) = (values[margin], values[number - 1 - margin])
            }
            minima.append(low)
            // Halved first, because the difference of two finite numbers may be infinite.
            let step = (high / 2 - low / 2) / (Float(1 << bits - 1) / 2)
            steps.append(step.isFinite ? step : 0)
        }
        self.init(bits: bits, minima: minima, steps: steps)
    }

    // MARK: Coding

    /// Appends the code of a vector.
    func encode(_ vector: UnsafePointer<Float>, into code: inout [UInt8]) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: dimensions) { levels in
            guard let base = levels.baseAddress else { return }
            findLevels(of: vector, base)
            if bits == 8 {
                code.append(contentsOf: levels)
                return
            }
            var packer = BitPacker()
            for level in levels { packer.append(UInt32(level), bits: bits, to: &code) }
            packer.finish(&code)
        }
    }

    /// Finds the number of steps of each component above the smallest value, rounded to the nearest whole number, halves upwards.
    private func findLevels(of vector: UnsafePointer<Float>, _ levels: UnsafeMutablePointer<UInt8>) {
        let largest = Float(1 << bits - 1)
        // A float as large has no bits for fractions. So the compiler uses no function for rounding, and several components at once.
        let offset: Float = 0x1p23
        minima.withUnsafeBufferPointer { minima in
            steps.withUnsafeBufferPointer { steps in
                for index in 0..<dimensions {
                    let exact = steps[index] > 0 ? (vector[index] - minima[index]) / steps[index] : 0
                    // Not a number compares as false and becomes 0.
                    let bounded = exact > 0 ? min(exact, largest) : 0
                    // Halves go to the nearest even number.
                    let rounded = bounded + offset - offset
                    let level = bounded - rounded == 0.5 ? rounded + 1 : rounded
                    levels[index] = UInt8(truncatingIfNeeded: (level + offset).bitPattern)
                }
            }
        }
    }

    /// Writes the codes of a vector as one byte for each component.
    func unpack(_ code: UnsafePointer<UInt8>, into bytes: UnsafeMutablePointer<UInt8>) {
        switch bits {
        case 8: bytes.update(from: code, count: dimensions)
        case 6: VectorKernels.functions.unpack_sixths(code, dimensions, bytes)
        default:
            for index in 0..<dimensions / 2 {
                bytes[2 * index] = code[index] & 15
                bytes[2 * index + 1] = code[index] >> 4
            }
            if dimensions % 2 == 1 { bytes[dimensions - 1] = code[dimensions / 2] & 15 }
        }
    }

    /// Returns the vector that a code stands for.
    func decode(_ code: UnsafePointer<UInt8>, into vector: UnsafeMutablePointer<Float>) {
        if bits == 8 { return decode(bytes: code, into: vector) }
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: dimensions) { bytes in
            guard let base = bytes.baseAddress else { return }
            unpack(code, into: base)
            decode(bytes: base, into: vector)
        }
    }

    private func decode(bytes: UnsafePointer<UInt8>, into vector: UnsafeMutablePointer<Float>) {
        for index in 0..<dimensions { vector[index] = minima[index] + steps[index] * Float(bytes[index]) }
    }
}

/// Writes numbers of few bits after each other, the lowest bits first.
struct BitPacker {
    private var buffer: UInt32 = 0
    private var count = 0

    mutating func append(_ number: UInt32, bits: Int, to bytes: inout [UInt8]) {
        buffer |= number << count
        count += bits
        while count >= 8 {
            bytes.append(UInt8(truncatingIfNeeded: buffer))
            buffer >>= 8
            count -= 8
        }
    }

    mutating func finish(_ bytes: inout [UInt8]) {
        if count > 0 { bytes.append(UInt8(truncatingIfNeeded: buffer)) }
    }
}

/// Reads what ``BitPacker`` has written. Reads no byte before it needs a bit of it.
struct BitReader {
    private var pointer: UnsafePointer<UInt8>
    private var buffer: UInt32 = 0
    private var count = 0

    init(_ pointer: UnsafePointer<UInt8>) { self.pointer = pointer }

    @inline(__always)
    mutating func next(bits: Int) -> UInt32 {
        while count < bits {
            buffer |= UInt32(pointer.pointee) << count
            pointer += 1
            count += 8
        }
        let number = buffer & (1 << bits - 1)
        buffer >>= bits
        count -= bits
        return number
    }
}
