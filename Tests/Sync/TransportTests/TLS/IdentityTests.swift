#if Replication
import SyncCore
import Foundation
import NIOSSL
import TestSupport
import TestTraits
import Testing

@testable import Transport

@Suite("TLS identities", .ownThreads)
struct IdentityTests {
    private let attributes = [
        "CN": "Jörg's device", "O": "Org", "OU": "Unit", "C": "DE", "ST": "Bavaria", "locality": "Ulm",
        "postalCode": "1",
        "postalAddress": "Street 1", "SN": "Last", "GN": "First", "pseudonym": "p", "rfc822Name": "a@b.c",
        "dNSName": "x.example", "uniformResourceIdentifier": "https://x/y", "iPAddress": "10.0.0.1",
        "registeredID": "1.2.3.4",
    ]

    @Test("a self-signed certificate contains all of its attributes")
    func make() throws {
        let now = Date(timeIntervalSince1970: 1_800_000_000)
        let identity = try TLSIdentityData.selfSigned(attributes: attributes, isServer: true, now: now)
        let certificate = identity.certificates[0]
        #expect(certificate.commonName == "Jörg's device")
        #expect(certificate.isSelfSigned)
        #expect(certificate.notAfter == now.addingTimeInterval(20 * 365.25 * 86_400))
        #expect(CertificateInfo(der: certificate.der) == certificate)
        let text = String(decoding: certificate.der, as: UTF8.self)
        for value in [
            "Org", "Unit", "Bavaria", "Ulm", "Street 1", "Last", "First", "a@b.c", "x.example", "https://x/y",
        ] {
            #expect(text.contains(value), "\(value)")
        }
        #expect(certificate.der.firstRange(of: [0x87, 4, 10, 0, 0, 1]) != nil)
        #expect(certificate.der.firstRange(of: [0x88, 3, 0x2A, 3, 4]) != nil)
    }

    @Test("invalid certificate attributes throw a crypto error")
    func malformed() {
        let wrong = [
            [:], ["O": "x"], ["CN": ""], ["CN": "x", "nonsense": "y"], ["CN": "x", "C": "DEU"],
            ["CN": "x", "C": "ä"],
            ["CN": "x", "iPAddress": "1.2.3"], ["CN": "x", "dNSName": "ä"], ["CN": "x", "registeredID": "abc"],
        ]
        for attributes in wrong {
            let error = #expect(throws: SyncError.self) {
                try TLSIdentityData.selfSigned(attributes: attributes, isServer: false)
            }
            #expect(error?.domain == .liteCore && error?.code == 22, "\(attributes)")
        }
    }

    @Test("identities are stored by label, in files that only their owner can access")
    func store() throws {
        let temporary = try TemporaryDirectory()
        do {
            let directory = temporary.url
            let folder = directory.appendingPathComponent("identities")
            let store = IdentityStore(directory: folder)
            #expect(try store.identity(label: "a") == nil)
            let long = String(repeating: "ä", count: 300)
            let labels = ["a", "A", "../a", "", "a b/c", long, long + "x"]
            var identities: [TLSIdentityData] = []
            for label in labels {
                let identity = try TLSIdentityData.selfSigned(attributes: ["CN": "x\(label.count)"], isServer: false)
                try store.add(identity, label: label)
                identities.append(identity)
            }
            for (label, identity) in zip(labels, identities) {
                #expect(try store.identity(label: label) == identity)
                #expect(try store.identity(of: identity.certificates[0]) == identity)
            }
            let error = #expect(throws: SyncError.self) { try store.add(identities[0], label: "a") }
            #expect(error?.code == 22)
            let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(files.count == labels.count)
            for file in files {
                let path = folder.appendingPathComponent(file).path
                let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber
                #expect(mode?.intValue == 0o600)
            }
            let mode = try FileManager.default.attributesOfItem(atPath: folder.path)[.posixPermissions] as? NSNumber
            #expect(mode?.intValue == 0o700)
            try store.remove(label: "a")
            try store.remove(label: "a")
            #expect(try store.identity(label: "a") == nil)
            #expect(try store.identity(label: "A") == identities[1])
            #expect(try store.identity(of: identities[0].certificates[0]) == nil)
        }
    }

    @Test("a damaged identity file throws an error that names the file and says what to do")
    func damaged() throws {
        let temporary = try TemporaryDirectory()
        do {
            let directory = temporary.url
            let store = IdentityStore(directory: directory)
            let identity = try TLSIdentityData.selfSigned(attributes: ["CN": "x"], isServer: false)
            try store.add(identity, label: "a")
            let path = directory.appendingPathComponent("a.identity").path
            for content in ["", "hello", "-----BEGIN CERTIFICATE-----\nMII=\n-----END CERTIFICATE-----\n"] {
                try Data(content.utf8).write(to: URL(fileURLWithPath: path))
                let error = #expect(throws: SyncError.self) { try store.identity(label: "a") }
                #expect(error?.code == 22)
                #expect(error?.message.contains("\(path) is damaged: restore it, or delete it") == true)
            }
        }
    }

    private func pkcs12(_ identity: TLSIdentityData, password: String) throws -> [UInt8] {
        let bundle = NIOSSLPKCS12Bundle(
            certificateChain: try identity.certificates.map { try NIOSSLCertificate(bytes: $0.der, format: .der) },
            privateKey: try NIOSSLPrivateKey(bytes: identity.privateKey, format: .der)
        )
        return try bundle.serialize(passphrase: password.utf8)
    }

    @Test("a PKCS#12 file is imported with its whole chain, and can be stored and used")
    func importing() async throws {
        let root = try TestAuthority()
        let middle = try TestAuthority(name: "Middle", issuer: root)
        let identity = try middle.issue(including: [root.certificate, middle.certificate])
        let file = try pkcs12(identity, password: "geheim")
        let imported = try TLSIdentityData(pkcs12: file, password: "geheim")
        #expect(imported.certificates.map(\.commonName) == ["localhost", "Middle", "Test Authority"])
        let temporary = try TemporaryDirectory()
        do {
            let directory = temporary.url
            let store = IdentityStore(directory: directory)
            try store.add(imported, label: "x")
            #expect(try store.identity(label: "x") == imported)
        }
        let listener = try Loopback.startListener {
            $0.tls = ListenerTLS(identity: imported)
        } accept: { _ in
        }
        let configuration = try Loopback.configuration("wss://localhost:\(listener.port ?? 0)/db") {
            $0.tls.trust = .roots([root.certificate])
        }
        let client = ChannelRecorder(WebSocketClientChannel(configuration))
        _ = try await client.opened()
        client.channel.cancel()
        await listener.stop()
    }

    @Test("PKCS#12 files of another program are imported, with various keys and encryptions, and can be stored and used")
    func foreign() async throws {
        let temporary = try TemporaryDirectory()
        let store = IdentityStore(directory: temporary.url)
        let files: [(bytes: [UInt8], password: String?, name: String)] = [
            (PKCS12Files.rsa, "geheim", "rsa.example"), (PKCS12Files.legacy, "geheim", "ec.example"),
            (PKCS12Files.withoutPassword, nil, "ec.example"), (PKCS12Files.withoutPassword, "", "ec.example"),
            (PKCS12Files.plain, "geheim", "ec.example"),
        ]
        for (index, file) in files.enumerated() {
            let identity = try TLSIdentityData(pkcs12: file.bytes, password: file.password)
            #expect(identity.certificates.map(\.commonName) == [file.name])
            try store.add(identity, label: "\(index)")
            let kept = try #require(try store.identity(label: "\(index)"))
            #expect(kept == identity)
            let listener = try Loopback.startListener {
                $0.tls = ListenerTLS(identity: kept)
            } accept: { _ in
            }
            let configuration = try Loopback.configuration("wss://127.0.0.1:\(listener.port ?? 0)/db") {
                $0.tls.trust = .pinned(kept.certificates[0])
            }
            let client = ChannelRecorder(WebSocketClientChannel(configuration))
            _ = try await client.opened()
            client.channel.cancel()
            await listener.stop()
        }
        for bytes in [PKCS12Files.withoutKey, PKCS12Files.withoutCertificate] {
            let error = #expect(throws: SyncError.self) { try TLSIdentityData(pkcs12: bytes, password: "geheim") }
            #expect(error?.code == 22)
        }
    }

    @Test("a PKCS#12 file whose certificate does not belong to its key throws a crypto error")
    func mismatched() throws {
        for (one, other) in [(PKCS12Files.rsa, PKCS12Files.legacy), (PKCS12Files.legacy, PKCS12Files.rsa)] {
            let certificates = try PKCS12Content(one).parts[0]
            let key = try PKCS12Content(other).parts[1]
            let file = PKCS12Probe.file(parts: [certificates, key], password: "geheim")
            let error = #expect(throws: SyncError.self) { try TLSIdentityData(pkcs12: file, password: "geheim") }
            #expect(error?.code == 22)
            #expect(error?.message.contains("its certificate") == true)
        }
        let parts = try PKCS12Content(PKCS12Files.rsa).parts
        let whole = try TLSIdentityData(pkcs12: PKCS12Probe.file(parts: parts, password: "geheim"), password: "geheim")
        #expect(whole == (try TLSIdentityData(pkcs12: PKCS12Files.rsa, password: "geheim")))
    }

    @Test("a wrong password and an invalid PKCS#12 file throw a crypto error")
    func notImported() throws {
        let identity = try TestAuthority().issue()
        let file = try pkcs12(identity, password: "geheim")
        var generator = SeededGenerator(seed: TestSeed.forThisTest())
        var inputs = [(file, "falsch"), ([], ""), (Array("hello".utf8), ""), (identity.certificates[0].der, "")]
        for _ in 0..<200 {
            var broken = file
            broken[Int.random(in: 0..<file.count, using: &generator)] ^= UInt8.random(in: 1...255, using: &generator)
            inputs.append((broken, "falsch"))
            inputs.append((Array(file.prefix(Int.random(in: 0..<file.count, using: &generator))), "geheim"))
        }
        for (bytes, password) in inputs {
            let error = #expect(throws: SyncError.self) { try TLSIdentityData(pkcs12: bytes, password: password) }
            #expect(error?.code == 22)
        }
    }

    @Test("certificates are read from PEM, and invalid certificates are rejected")
    func pem() throws {
        let authority = try TestAuthority()
        let texts = try [authority.certificate, authority.issue().certificates[0]].map {
            "-----BEGIN CERTIFICATE-----\n\(Data($0.der).base64EncodedString(options: .lineLength76Characters))\n-----END CERTIFICATE-----\n"
        }
        let read = try CertificateInfo.all(inPEM: texts.joined(separator: "words between\n"))
        #expect(read.map(\.commonName) == ["Test Authority", "localhost"])
        #expect(read.map(\.isSelfSigned) == [true, false])
        #expect(CertificateInfo(der: []) == nil && CertificateInfo(der: Array("text".utf8)) == nil)
        #expect(throws: (any Error).self) { try CertificateInfo.all(inPEM: "-----BEGIN CERTIFICATE-----\nxx") }
    }
}
#endif
