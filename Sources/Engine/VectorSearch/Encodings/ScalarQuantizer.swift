/// Stores each component as an integer of 8, 6 or 4 bits: the number of steps above the smallest value of its dimension (Vector search 9.4).
struct ScalarQuantizer: Hashable {
    let bits: Int
    /// The smallest value of each dimension.
    let minima: [Float]
    /// The difference of values whose codes differ by 1; 0 for a dimension in which all vectors are equal.
    let steps: [Float]

    var dimensions: Int { minima.count }

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
        let largest = Float(1 << bits - 1)
        func level(_ index: Int) -> UInt8 {
            guard steps[index] > 0 else { return 0 }
            let steps = ((vector[index] - minima[index]) / steps[index]).rounded()
            // Not a number compares as false and becomes 0.
            return steps > 0 ? UInt8(min(steps, largest)) : 0
        }
        if bits == 8 {
            for index in 0..<dimensions { code.append(level(index)) }
            return
        }
        var packer = BitPacker()
        for index in 0..<dimensions { packer.append(UInt32(level(index)), bits: bits, to: &code) }
        packer.finish(&code)
    }

    /// Writes the codes of a vector as one byte for each component.
    @inline(__always)
    func unpack(_ code: UnsafePointer<UInt8>, into bytes: UnsafeMutablePointer<UInt8>) {
        if bits == 4 {
            var index = 0
            while index + 1 < dimensions {
                let byte = code[index / 2]
                bytes[index] = byte & 15
                bytes[index + 1] = byte >> 4
                index += 2
            }
            if index < dimensions { bytes[index] = code[index / 2] & 15 }
        } else {
            unpackSix(code, bytes)
        }
    }

    @inline(__always)
    private func unpackSix(_ code: UnsafePointer<UInt8>, _ bytes: UnsafeMutablePointer<UInt8>) {
        var (index, position) = (0, 0)
        while index + 4 <= dimensions {
            let word = UInt32(code[position]) | UInt32(code[position + 1]) << 8 | UInt32(code[position + 2]) << 16
            bytes[index] = UInt8(truncatingIfNeeded: word & 63)
            bytes[index + 1] = UInt8(truncatingIfNeeded: word >> 6 & 63)
            bytes[index + 2] = UInt8(truncatingIfNeeded: word >> 12 & 63)
            bytes[index + 3] = UInt8(truncatingIfNeeded: word >> 18)
            index += 4
            position += 3
        }
        var reader = BitReader(code + position)
        while index < dimensions {
            bytes[index] = UInt8(truncatingIfNeeded: reader.next(bits: 6))
            index += 1
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
