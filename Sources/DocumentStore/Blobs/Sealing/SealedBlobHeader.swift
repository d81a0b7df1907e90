/// The first bytes of a sealed blob: what the file is, how it is divided, and the salt of its key.
struct SealedBlobHeader {
    static let byteCount = 48
    static let saltByteCount = 32
    private static let magic = Array("CBLSBlob".utf8)
    private static let version: UInt8 = 1
    /// Larger chunks would make reading a few bytes dear, smaller ones every file longer.
    private static let defaultChunkBits: UInt8 = 16
    /// What readers accept, so that no file can ask for buffers without bound.
    private static let allowedChunkBits: ClosedRange<UInt8> = 12...20

    /// All bytes before the salt. They go into the key, so that none can be changed.
    let parameters: [UInt8]
    let salt: [UInt8]
    /// How many bytes of content a chunk has; the last one may have fewer.
    let chunkSize: Int

    /// The header of a new file.
    init(salt: [UInt8]) {
        precondition(salt.count == Self.saltByteCount)
        self.salt = salt
        parameters = Self.magic + [Self.version, Self.defaultChunkBits, 0, 0, 0, 0, 0, 0]
        chunkSize = 1 << Int(Self.defaultChunkBits)
    }

    /// The header of a new file, with a random salt.
    init() {
        var generator = SystemRandomNumberGenerator()
        self.init(salt: (0..<Self.saltByteCount).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
    }

    /// Reads a header; nil when these bytes are none, or of a later version.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count == Self.byteCount, bytes.starts(with: Self.magic) else { return nil }
        let chunkBits = bytes[Self.magic.count + 1]
        guard bytes[Self.magic.count] == Self.version, Self.allowedChunkBits.contains(chunkBits) else { return nil }
        parameters = Array(bytes.dropLast(Self.saltByteCount))
        salt = Array(bytes.suffix(Self.saltByteCount))
        chunkSize = 1 << Int(chunkBits)
    }

    var bytes: [UInt8] { parameters + salt }
}
