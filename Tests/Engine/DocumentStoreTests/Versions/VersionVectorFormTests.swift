import TestSupport
import Testing

@testable import DocumentStore

@Suite("Text and binary form of version vectors")
struct VersionVectorFormTests {
    static let s = "000102030405060708090a0b0c0d0e0f"
    static let e = String(repeating: "11", count: 16)
    static let i = String(repeating: "22", count: 16)
    static let m = String(repeating: "33", count: 16)
    static let f = String(repeating: "ff", count: 16)
    static let r = "45EBE2B22A27F93ADE7BE1277287629E"

    @Test(
        "a vector has the text and the bytes of the format",
        arguments: [
            ("18c5f3a2b1000000@*", "00 80c495babeb10c 80"),
            ("18c5f3a2b1000000@S", "00 80c495babeb10c 90 \(s)"),
            ("18c5f3a2b1000001@*", "00 83808090d6e8f9c531 80"),
            ("18c5f3a2b1010000@*; 18c5f3a2b1000000@S", "00 82c495babeb10c 80 02 10 \(s)"),
            ("18c5f3a2b1000000@*; 18c5f3a2b1010000@S", "00 80c495babeb10c 80 feffffffffffffffff01 10 \(s)"),
            ("18c5f3a2b1000000@*; 18c5f3a2b1000001@S", "00 80c495babeb10c 80 ffffffffffffffffff01 10 \(s)"),
            ("18c5f3a2b1000001@*; 18c5f3a2b1000000@S", "00 83808090d6e8f9c531 80 03 10 \(s)"),
            ("18c5f3a2b1020000@*, 18c5f3a2b1010000@*, 18c5f3a2b1000000@S;", "00 84c495babeb10c 80 02 80 02 90 \(s)"),
            ("1ca9ad22802@R", "00 85a091add372 90 \(r)"),
            ("10000000000@R", "00 80808010 90 \(r)"),
            ("18c5f3a2b1000000@S; 18c5f3a2b1000000@F", "00 80c495babeb10c 90 \(s) 00 10 \(f)"),
            ("4000000000000000@S", "00 80808080808020 90 \(s)"),
            (
                "18ea58b6978b0000@*; 18ea500000020000@M, 18ea4f0000000000@E, 18ea4e0000000001@I",
                "00 96deb48bcbba0c 80 92deb48b01 10 \(m) 84808010 10 \(e) ffffffffff3f 10 \(i)"
            ),
            (
                "18ea58b697ac0000@*, 18ea58b697a80000@*, 18ea500000080000@M; 18ea4f0000000000@E",
                "00 d8deb48bcbba0c 80 08 80 c0deb48b01 90 \(m) 90808010 10 \(e)"
            ),
            ("18ea500000070000@M; 18ea58b697a40000@*", "00 8e808080caba0c 90 \(m) c6a1cbf4feffffffff01 00"),
            (
                "18ea5000000b0000@M, 18ea4f0000010000@E, 18ea4f0000000000@I;",
                "00 96808080caba0c 90 \(m) 94808010 90 \(e) 02 90 \(i)"
            ),
        ]
    )
    func forms(_ text: String, _ bytes: String) throws {
        let vector = try VersionVector(withSources(text))
        #expect(vector.description == withSources(text))
        #expect(vector.binary == hex(bytes))
        #expect(try VersionVector.reading(hex(bytes)) == vector)
        #expect(hex(bytes).withUnsafeBytes { VersionVector.current(inBinary: $0) } == vector.current)
    }

    @Test("the parts of a vector are the current version, the merged and the previous ones")
    func parts() throws {
        let merge = try VersionVector(withSources("4@*, 3@*, 2@S; 1@E, 2@I"))
        #expect(merge.current?.description == "4@*")
        #expect(merge.merged.map(\.description) == ["3@*", withSources("2@S")])
        #expect(merge.previous.map(\.description) == [withSources("1@E"), withSources("2@I")])
        #expect(merge[.me] == 4)
        #expect(merge[.treeRevisions] == nil)
        #expect(VersionVector.empty.current == nil)
        #expect(VersionVector.empty.merged.isEmpty && VersionVector.empty.previous.isEmpty)
    }

    @Test("a version alone is stored as a vector without the mark of current versions, and read as a vector of one")
    func single() throws {
        let version = try #require(Version(withSources("18c5f3a2b1000000@S")))
        #expect(version.binary == hex("00 80c495babeb10c 10 \(Self.s)"))
        #expect(try VersionVector.reading(version.binary) == VersionVector(version))
    }

    @Test(
        "other spellings of a text are read",
        arguments: [
            ("18C5F3A2B1000000@*", "18c5f3a2b1000000@*"), ("018c5f3a2b100000@*", "18c5f3a2b100000@*"), ("a@S;", "a@S"), ("a@S,", "a@S"),
            ("a@S;b@E", "a@S; b@E"), ("a@S;   b@E,c@I", "a@S; b@E, c@I"), ("a@S,b@E", "a@S, b@E;"),
            ("ffffffffffffffff@*", "ffffffffffffffff@*"),
        ]
    )
    func lenient(_ text: String, _ written: String) throws {
        #expect(try VersionVector(withSources(text)).description == withSources(written))
    }

    @Test(
        "a text that is no version is refused with the text",
        arguments: [
            "", "18c5f3a2b1000000", "@*", "0@*", "0000@*", "18c5f3a2b10000000@*", " a@*", "a@* ", "a@AAECAwQFBgcICQoLDA0OD", "g@*", "-1@*",
            "a@AAECAwQFBgcICQoLDA0ODwA", "a@AAECAwQFBgcICQoLDA0ODx", "a@AAAAAAAAAAAAAAAAAAAAAA", "1-abcd", "a@S@", ",a@*", "a@*,,b@E",
            "a@*; ;",
        ]
    )
    func badText(_ text: String) {
        #expect(throws: VersionError.self) { try VersionVector(text) }
        #expect(Version(text) == nil)
        let error = #expect(throws: VersionError.self) { try VersionVector(String(repeating: "x", count: 1000)) }
        #expect(error?.description == "Invalid version string '\(String(repeating: "x", count: 60))…'")
    }

    @Test("two marks after the current versions are refused")
    func severalMarks() {
        let error = #expect(throws: VersionError.self) { try VersionVector(withSources("a@*; b@E; c@I")) }
        #expect(error == .severalMarks)
        #expect(error?.description == "multiple ';'s in version vector")
    }

    @Test(
        "a vector with a database twice is refused",
        arguments: ["3@E; 2@E", "3@*; 2@E, 1@E", "3@*, 2@E; 1@E", "3@*, 2@*, 1@*;", "3@*, 2@E; 1@*", "3@*, 2@E, 1@E;"]
    )
    func duplicates(_ text: String) throws {
        let error = #expect(throws: VersionError.self) { try VersionVector(withSources(text)) }
        guard case .duplicateSource = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        let description = try #require(error?.description)
        #expect(description.hasPrefix("Duplicate ID in version vector: "))
    }

    @Test("a merged version of the merging database must be older than the merge")
    func mergeOrder() throws {
        #expect(try VersionVector(withSources("3@*, 2@*, 1@E;")).merged.count == 2)
        for text in ["2@*, 2@*, 1@E;", "2@*, 3@*;"] {
            let error = #expect(throws: VersionError.self) { try VersionVector(withSources(text)) }
            #expect(error?.description.hasPrefix("Cur version not newer than merge version: ") == true)
        }
    }

    @Test("other spellings of the binary form are read")
    func lenientBinary() throws {
        #expect(try VersionVector.reading([0]) == .empty)
        #expect(VersionVector.empty.binary == [0])
        let me = try VersionVector("18c5f3a2b1000000@*")
        #expect(try VersionVector.reading(hex("00 80c495babeb10c 00")) == me)
        #expect(try VersionVector.reading(hex("00 80c495babeb10c 90 00000000000000000000000000000000")) == me)
    }

    @Test(
        "binary data that is no vector is refused with the reason",
        arguments: [
            ("", .notAVector), ("01 80c495babeb10c 80", .notAVector), ("00 00 80", .badTime), ("00 80", .badTime),
            ("00 ffffffffffffffffffff 80", .badTime), ("00 80c495babeb10c", .badSource), ("00 80c495babeb10c 81", .badSource),
            ("00 80c495babeb10c 20", .badSource), ("00 80c495babeb10c ff", .badSource), ("00 80c495babeb10c 90 0011", .badSource),
            ("00 80c495babeb10c 80 02", .badSource), ("00 80c495babeb10c 00 02 90 \(s)", .currentAfterPrevious),
            // Times that are zero, negative, or too late to be stored.
            ("00 80c495babeb10c 80 80c495babeb10c 10 \(s)", .badTime), ("00 80c495babeb10c 80 82c495babeb10c 10 \(s)", .badTime),
            ("00 83808080808080808001 90 \(s)", .badTime), ("00 80808080808080808001 90 \(s)", .badTime),
        ] as [(String, VersionError.BinaryFault)]
    )
    func badBinary(_ bytes: String, _ fault: VersionError.BinaryFault) {
        let error = #expect(throws: VersionError.self) { try VersionVector.reading(hex(bytes)) }
        guard case .invalidBinary(fault, _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test("the first version can be read even if a later one is invalid")
    func currentOfDamaged() {
        func current(_ bytes: String) -> String? { hex(bytes).withUnsafeBytes { VersionVector.current(inBinary: $0)?.description } }
        #expect(current("00 80c495babeb10c 80 ff") == "18c5f3a2b1000000@*")
        #expect(current("00") == nil)
        #expect(current("00 80c495babeb10c 05") == nil)
        #expect(current("01 80c495babeb10c 80") == nil)
    }

    @Test("more versions than the maximum are refused, in both forms")
    func limit() throws {
        func source(_ number: Int) -> SourceID {
            SourceID([1] + withUnsafeBytes(of: number.bigEndian) { Array($0) } + [UInt8](repeating: 0, count: 7)) ?? .me
        }
        let most = (0..<VersionVector.maximumCount).map { Version(existing: UInt64($0 + 1), source($0)) }
        let largest = try VersionVector(checking: most, currentCount: 1)
        #expect(try VersionVector.reading(largest.binary) == largest)
        #expect(try VersionVector(largest.description) == largest)
        let tooLarge = VersionVector(existing: most + [Version(existing: 1, .me)], currentCount: 1)
        #expect(throws: VersionError.tooMany(VersionVector.maximumCount)) { try VersionVector.reading(tooLarge.binary) }
        #expect(throws: VersionError.tooMany(VersionVector.maximumCount)) { try VersionVector(tooLarge.description) }
    }

    @Test("a vector is sent with the ID of its database, and stored by another one with that in place of its own ID")
    func relativity() throws {
        let (own, other) = (exampleSources["E"]!, exampleSources["I"]!)
        let sent = try VersionVector(withSources("3@*; 2@I")).absolute(own)
        #expect(sent.description == withSources("3@E; 2@I"))
        #expect(try sent.relative(to: other).description == withSources("3@E; 2@*"))
        #expect(try sent.relative(to: own).description == withSources("3@*; 2@I"))
        #expect(throws: VersionError.relative(Version(existing: 2, .me))) { try VersionVector(withSources("3@E; 2@*")).relative(to: own) }
    }

    @Test("random bytes after the mark never lead to a vector that is written with other versions")
    func randomBinary() throws {
        let seed = TestSeed.forThisTest()
        print("seed \(seed)")
        var generator = SeededGenerator(seed: seed)
        let examples = [
            hex("0096deb48bcbba0c8092deb48b0110\(Self.m)8480801010\(Self.e)ffffffffff3f10\(Self.i)"), hex("00 d8deb48bcbba0c 80 08 80"),
        ]
        var accepted = 0
        for _ in 0..<20_000 {
            var bytes = examples.randomElement(using: &generator) ?? []
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let position = Int.random(in: 1..<bytes.count, using: &generator)
                bytes[position] = UInt8.random(in: 0...255, using: &generator)
                if Bool.random(using: &generator) { bytes.removeLast() }
                if bytes.count < 2 { break }
            }
            guard let vector = try? VersionVector.reading(bytes) else { continue }
            accepted += 1
            let (again, text) = (try VersionVector.reading(vector.binary), try VersionVector(vector.isEmpty ? "1@*" : vector.description))
            if again != vector || !vector.isEmpty && text != vector { Issue.record("\(bytes)") }
        }
        #expect(accepted > 1000)
    }
}
