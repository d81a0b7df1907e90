#if Replication
import Foundation
import SyncCore
import TestSupport
import Testing
import Transport

@Suite("Certificates and keys in files")
struct IdentityFilesTests {
    private let directory: TemporaryDirectory
    private let identity: TLSIdentityData

    init() throws {
        directory = try TemporaryDirectory()
        identity = try TLSIdentityData.selfSigned(attributes: ["CN": "server"], isServer: true)
    }

    private func pem(_ type: String, _ bytes: [UInt8]) -> String {
        "-----BEGIN \(type)-----\n\(Data(bytes).base64EncodedString(options: .lineLength64Characters))\n-----END \(type)-----\n"
    }

    private var certificate: String { pem("CERTIFICATE", identity.certificates[0].der) }

    private func key(_ identity: TLSIdentityData) -> String { pem("PRIVATE KEY", identity.privateKey) }

    private func write(_ name: String, _ text: String) throws -> String {
        let file = directory.url.appendingPathComponent(name)
        try Data(text.utf8).write(to: file)
        return file.path
    }

    private func failure(_ certificate: String, _ key: String?) -> SyncError? {
        #expect(throws: SyncError.self) { try TLSIdentityData(certificateFile: certificate, keyFile: key) }
    }

    @Test("an identity is read from one file or from two, and the key of the second file is used")
    func reading() throws {
        let other = try TLSIdentityData.selfSigned(attributes: ["CN": "other"], isServer: true)
        let both = try write("both.pem", certificate + key(identity))
        #expect(try TLSIdentityData(certificateFile: both, keyFile: nil).certificates == identity.certificates)
        let mixed = try write("mixed.pem", key(other) + certificate)
        let own = try write("key.pem", key(identity))
        // The key in the file of the certificate is not that of the certificate.
        #expect(try TLSIdentityData(certificateFile: mixed, keyFile: own).certificates == identity.certificates)
        #expect(failure(mixed, nil)?.message.contains("is not that of the certificate") == true)
    }

    @Test("files that are missing, or contain no certificate or key, or the key of another certificate, are refused with their names")
    func failures() throws {
        let good = try write("good.pem", certificate)
        let own = try write("key.pem", key(identity))
        let text = try write("text.pem", "hello")
        let foreign = try write("foreign.pem", key(TLSIdentityData.selfSigned(attributes: ["CN": "x"], isServer: true)))
        let missing = directory.url.appendingPathComponent("missing.pem").path
        for (certificate, key, code, part) in [
            (missing, nil, Int(ENOENT), "cannot read \(missing)"), (good, missing, Int(ENOENT), "cannot read \(missing)"),
            (directory.url.path, nil, Int(EISDIR), "cannot read"), (text, own, 22, "\(text) does not contain a certificate"),
            (good, nil, 22, "\(good) does not contain a private key"), (good, text, 22, "\(text) does not contain a private key"),
            (good, foreign, 22, "the private key in \(foreign) is not that of the certificate in \(good)"),
        ] as [(String, String?, Int, String)] {
            let error = failure(certificate, key)
            #expect(error?.code == code)
            #expect(error?.message.contains(part) == true, "\(error?.message ?? "")")
        }
        let large = try write("large.pem", certificate + String(repeating: "\n", count: 1 << 20) + key(identity))
        #expect(failure(large, nil)?.message.contains("too large") == true)
    }
}
#endif
