import Base

extension Encoder {
    /// Writes null of JSON.
    public mutating func writeNull() { addInline(0x3000) }

    /// Writes the marker that deletes a key in an overlay (Storage format 1.6).
    public mutating func writeUndefined() { addInline(0x3C00) }

    /// Writes a boolean, which remains distinct from the numbers 0 and 1.
    public mutating func write(_ boolean: Bool) { addInline(boolean ? 0x3800 : 0x3400) }

    /// Writes a signed integer, in the fewest bytes possible (Storage format 1.2).
    public mutating func write(_ number: Int64) {
        if number >= -2048, number < 2048 {
            addInline(UInt16(truncatingIfNeeded: number) & 0x0FFF)
            return
        }
        let magnitude = number < 0 ? ~number : number
        let size = (64 &- magnitude.leadingZeroBitCount &+ 8) &>> 3
        writeInteger(UInt64(bitPattern: number), size: size, header: 0x10)
    }

    /// Writes an integer as unsigned, which the format records (Storage format 1.2).
    public mutating func write(unsigned number: UInt64) {
        if number < 2048 {
            addInline(UInt16(truncatingIfNeeded: number))
            return
        }
        writeInteger(number, size: (64 &- number.leadingZeroBitCount &+ 7) &>> 3, header: 0x18)
    }

    private mutating func writeInteger(_ bits: UInt64, size: Int, header: UInt8) {
        addOutOfLine()
        append(header | UInt8(truncatingIfNeeded: size &- 1))
        reserve(8)
        out.storeBytes(of: bits.littleEndian, toByteOffset: count, as: UInt64.self)
        count &+= size
    }

    /// Writes a double, in four bytes if no precision is lost (Storage format 1.3). If the number is NaN, `finish` throws.
    public mutating func write(_ number: Double) {
        guard !number.isNaN else { return fail(.notANumber) }
        addOutOfLine()
        if abs(number) <= Double(Float.greatestFiniteMagnitude), Double(Float(number)) == number {
            append(UInt16(0x2400).bigEndian)
            append(Float(number).bitPattern.littleEndian)
        } else {
            append(UInt16(0x2800).bigEndian)
            append(number.bitPattern.littleEndian)
        }
    }

    /// Writes a number of type `Float`. If the number is NaN, `finish` throws.
    public mutating func write(_ number: Float) {
        guard !number.isNaN else { return fail(.notANumber) }
        addOutOfLine()
        append(UInt16(0x2000).bigEndian)
        append(number.bitPattern.littleEndian)
    }

    /// Writes a string.
    public mutating func write(_ string: String) { string.withUTF8Bytes { write(utf8: $0) } }

    /// Writes a string in UTF-8, which is not validated.
    @inline(__always)
    public mutating func write(utf8 string: UnsafeRawBufferPointer) {
        let length = string.count
        guard length >= 2, length <= StringTable.maximumLength, let bytes = string.baseAddress else { return writeBytes(string, tag: 0x40) }
        let position = alignedPosition()
        reserve(length &+ 1)
        let key = KeyWords(bytes, count: length)
        let found = strings.position(of: key, length: length, else: position)
        if found != position, position &- found <= StringTable.reach || isInWideContainer {
            add(Item(bits: UInt32(truncatingIfNeeded: found), isPointer: true))
            return
        }
        if found != position { strings.replace(position) }
        add(Item(bits: UInt32(truncatingIfNeeded: position), isPointer: true))
        let header: UInt8 = length < 15 ? 0x40 | UInt8(truncatingIfNeeded: length) : 0x4F
        append(header)
        if length >= 15 { append(UInt8(truncatingIfNeeded: length)) }
        reserve(16)
        out.storeBytes(of: key.low, toByteOffset: count, as: UInt64.self)
        out.storeBytes(of: key.high, toByteOffset: count &+ 8, as: UInt64.self)
        count &+= length
    }

    /// Writes binary data, a type that JSON does not have (Storage format 1.4).
    public mutating func write(data: UnsafeRawBufferPointer) { writeBytes(data, tag: 0x50) }

    private mutating func writeBytes(_ bytes: UnsafeRawBufferPointer, tag: UInt8) {
        let length = bytes.count
        if length < 2 {
            let byte = length == 1 ? UInt16(bytes[0]) : 0
            return addInline(UInt16(tag | UInt8(length)) << 8 | byte)
        }
        addOutOfLine()
        if length < 15 {
            append(tag | UInt8(truncatingIfNeeded: length))
        } else {
            append(tag | 0x0F)
            reserve(10)
            count &+= Varint.write(UInt64(length), to: out + count)
        }
        reserve(length)
        guard error == nil else { return }
        (out + count).copyMemory(from: bytes.baseAddress!, byteCount: length)
        count &+= length
    }
}
