import Fleece

/// The bytes of a hex dump; spaces and line ends are ignored.
func bytes(_ hex: String) -> [UInt8] {
    let digits = hex.filter { $0.isHexDigit }.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}

extension FleeceData {
    /// The root as JSON text; empty if the bytes have no root.
    func json(_ sharedKeys: SharedKeys = .empty, form: JSONForm = .stored) throws -> String {
        try withRoot { root throws(FleeceError) in
            try JSON.string(root, sharedKeys: sharedKeys, form: form)
        } ?? ""
    }

    /// The root as a double, if it is a number.
    var double: Double? {
        withRoot { $0.double } ?? nil
    }

    /// The bytes that `writes` produces in an encoder.
    static func encoded(sharedKeys: MutableSharedKeys? = nil, _ write: (inout Encoder) -> Void) throws -> FleeceData {
        var encoder = Encoder(sharedKeys: sharedKeys)
        write(&encoder)
        return try encoder.finishedData()
    }

    /// The bytes in an array. Reading `bytes` during the last use of an object could access released memory.
    var copiedBytes: [UInt8] { withExtendedLifetime(self) { [UInt8](bytes) } }
}
