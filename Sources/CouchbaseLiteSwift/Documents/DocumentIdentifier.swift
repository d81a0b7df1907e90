/// Makes IDs for documents that were given none (API 2).
enum DocumentIdentifier {
    /// `-` and 22 characters of URL-safe base64 that stand for a random number of 128 bits.
    static func generate() -> String {
        let alphabet: StaticString = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
        var low = UInt64.random(in: .min ... .max)
        var high = UInt64.random(in: .min ... .max)
        return String(unsafeUninitializedCapacity: 23) { buffer in
            buffer[0] = UInt8(ascii: "-")
            // Eleven characters of six bits each take more than the 64 there are: the last has two bits less.
            for index in 1...11 {
                buffer[index] = alphabet.utf8Start[Int(low & 63)]
                buffer[index + 11] = alphabet.utf8Start[Int(high & 63)]
                low >>= 6
                high >>= 6
            }
            return 23
        }
    }
}
