import Crypto
import Foundation
import TestSupport
import Testing

@testable import SQLiteEngine

/// Another program computed the numbers from the description of the format.
@Suite("Encryption format")
struct EncryptionFormatTests {
    private static let salt = Array<UInt8>(0..<16)
    private static let fileSalt = Array<UInt8>(16..<32)
    private static let nonces = NonceSequence(random: Array(0xA0..<0xAA), count: 0x0102)
    /// The content of a page: the multiples of 7.
    private static let content = (0..<SealedPage.contentSize).map { UInt8(truncatingIfNeeded: $0 * 7) }

    private func passwordKey() throws -> (KeyDerivation, SymmetricKey) {
        let derivation = KeyDerivation.password(.init(iterations: 10, salt: Self.salt))
        let key = try #require(EncryptionSecret(password: "secret").key(for: derivation))
        return (derivation, key)
    }

    private func hex(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    private func hex(_ key: SymmetricKey) -> String {
        key.withUnsafeBytes { hex($0) }
    }

    @Test("encryption keys are derived as specified")
    func keys() throws {
        let (_, key) = try passwordKey()
        #expect(hex(key) == "f8332ea7a39557af003df934f09c9a92e648b4fe4cd432aeea7b4d017c35ab3f")
        let keys = FileKeys(key, fileSalt: Self.fileSalt)
        #expect(hex(keys.pages) == "2246925658e79473a85c0da7ded6e5aca1b897b488d41718a80699120ed9f281")
        #expect(hex(keys.log) == "259f6407342255ab121fe706e4adb6232c822eedc6f0fc673cbc5689c7803cf0")
        #expect(hex(keys.blobs) == "d79404903460b258d7977297041e47f850846ca4e5f46404ec76e892c0d18682")
    }

    @Test("the header of a password-encrypted file has the specified bytes, and can be read")
    func passwordHeader() throws {
        let (derivation, key) = try passwordKey()
        let encoded = EncryptionHeader(derivation: derivation, fileSalt: Self.fileSalt, key: key).encoded
        #expect(
            hex(encoded.prefix(96)) == """
                43424c697465537769667420414553000000000100001000000000010000000a000102030405060708090a0b0c0d0e0f\
                101112131415161718191a1b1c1d1e1f677f0fb778a873eecf1b7db82e5758f9198dbccc215fdf500b66b8c9be5ad66c
                """
        )
        #expect(encoded.count == 4096)
        #expect(encoded.dropFirst(96).allSatisfy { $0 == 0 })
        let read = try EncryptionHeader(encoded)
        #expect(read.derivation == derivation)
        #expect(read.isAuthentic(for: key))
        #expect(!read.isAuthentic(for: SymmetricKey(size: .bits256)))
    }

    @Test("the header of a key-encrypted file has the specified bytes")
    func keyHeader() throws {
        let key = SymmetricKey(data: Array<UInt8>(0..<32))
        let encoded = EncryptionHeader(derivation: .none, fileSalt: Self.fileSalt, key: key).encoded
        #expect(
            hex(encoded.prefix(96)) == """
                43424c69746553776966742041455300000000010000100000000000000000000000000000000000000000000000000\
                0101112131415161718191a1b1c1d1e1fe8ff3c0168bd6eb1346aaea9d028b74af6be3993ec8c3d8e9f51a792044ae571
                """
        )
    }

    @Test("a page is encrypted as specified, and can be decrypted")
    func page() throws {
        let keys = FileKeys(try passwordKey().1, fileSalt: Self.fileSalt)
        let sealed = try seal(Self.content, number: [0, 0, 0, 3], key: keys.pages)
        #expect(hex(sealed.prefix(16)) == "f18b9c66043455430c7fe381f8f22a46")
        #expect(hex(sealed.suffix(32)) == "0ad7023a730bff93ec41e9f34da81898a0a1a2a3a4a5a6a7a8a9010200000000")
        #expect(hex(SHA256.hash(data: sealed)) == "abd98109836b260d7935fe902852d9d06bde20365cdb29d465c9b545949d62c1")
        #expect(open(sealed, number: [0, 0, 0, 3], key: keys.pages) == Self.content)
        #expect(open(sealed, number: [0, 0, 0, 4], key: keys.pages) == nil)
        #expect(open(sealed, number: [0, 0, 0, 3], key: keys.log) == nil)
    }

    @Test("a frame of the write-ahead log is encrypted as specified")
    func frame() throws {
        let keys = FileKeys(try passwordKey().1, fileSalt: Self.fileSalt)
        let header: [UInt8] = [0, 0, 0, 3, 0, 0, 0, 7, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88]
        let checksum: [UInt8] = [0x99, 0xAA, 0xBB, 0xCC, 0xDD, 0xEE, 0xFF, 0x00]
        let frame = try header + seal(checksum + Self.content, number: [0, 0, 0, 2] + header, key: keys.log)
        #expect(frame.count == 24 + 4096)
        #expect(hex(frame.prefix(32)) == "0000000300000007112233445566778854d1a2bfb4b1260990019a24d9cb4a34")
        #expect(hex(SHA256.hash(data: frame)) == "f705fa5d58a792f1468b23523e4c9374c12beb2fef575276b5197a7f167c8736")
    }

    @Test("all pages and frames that SQLite writes are encrypted as specified")
    func files() throws {
        let file = try EncryptedTestFile()
        let connection = try file.make()
        try file.fill(connection, 50)
        _ = try connection.scalar("PRAGMA wal_checkpoint(FULL)")
        try file.fill(connection, 30)
        let keys = file.system.keys
        let pages = try file.bytes()
        #expect(pages.count % 4096 == 0 && pages.count > 4 * 4096)
        for number in 1..<pages.count / 4096 {
            let sealed = Array(pages[number * 4096..<(number + 1) * 4096])
            #expect(open(sealed, number: [0, 0, 0, UInt8(number)], key: keys.pages) != nil, "page \(number)")
        }
        let log = try file.bytes(LogName.suffix)
        let frames = (log.count - 32) / 4120
        #expect(frames > 2)
        for number in 0..<frames {
            let frame = Array(log[32 + number * 4120..<32 + (number + 1) * 4120])
            let content = open(Array(frame[16...]), number: [0, 0, 0, UInt8(number)] + frame[..<16], key: keys.log)
            #expect(content?.count == 8 + 4064, "frame \(number)")
        }
    }

    @Test("a nonce is never repeated, and new random bytes are generated when the counter overflows")
    func nonceSequence() {
        var nonces = NonceSequence(random: Array(repeating: 1, count: 10), count: 0xFFFE)
        var seen: Set<[UInt8]> = []
        for _ in 0..<70_000 {
            seen.insert(
                [UInt8](unsafeUninitializedCapacity: 12) { buffer, count in
                    count = 12
                    if let address = UnsafeMutableRawPointer(buffer.baseAddress) { nonces.writeNext(to: address) }
                }
            )
        }
        #expect(seen.count == 70_000)
        #expect(seen.count { $0.starts(with: Array(repeating: 1, count: 10)) } == 2)
        #expect(Set(seen.map { Array($0.prefix(10)) }).count == 3)
    }

    // MARK: Helpers

    private func seal(_ content: [UInt8], number: [UInt8], key: SymmetricKey) throws -> [UInt8] {
        var page = content + Array(repeating: 0xEE, count: SealedPage.overhead)
        var nonces = Self.nonces
        try page.withUnsafeMutableBytes { page in
            try number.withUnsafeBytes { number in
                let start = try #require(page.baseAddress)
                try SealedPage.seal(start, count: content.count, authenticating: number, with: key, nonces: &nonces)
            }
        }
        return page
    }

    private func open(_ sealed: [UInt8], number: [UInt8], key: SymmetricKey) -> [UInt8]? {
        var room = Array(repeating: 0, count: NonceSequence.nonceSize) + sealed
        let count = sealed.count - SealedPage.overhead
        let isOpen = room.withUnsafeMutableBytes { room in
            number.withUnsafeBytes { number in
                guard let start = room.baseAddress else { return false }
                let message = start + NonceSequence.nonceSize
                return SealedPage.open(message, count: count, authenticating: number, with: key)
            }
        }
        return isOpen ? Array(room[NonceSequence.nonceSize..<NonceSequence.nonceSize + count]) : nil
    }
}
