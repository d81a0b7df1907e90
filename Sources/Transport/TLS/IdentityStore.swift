#if Replication
package import SyncCore
import Crypto
package import Foundation
import SwiftASN1
import X509

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Keeps identities by their labels, in a directory that only its owner can read: a file each, the certificates and the key in PEM.
package struct IdentityStore: Sendable {
    private static let suffix = ".identity"

    private let directory: URL

    /// - Parameter directory: Where they are kept. It is made, with mode 0700, when the first one is.
    package init(directory: URL) {
        self.directory = directory
    }

    /// Keeps an identity.
    ///
    /// - Throws: ``SyncError``: LiteCore 22 (crypto) when there is one of that label; POSIX when it cannot be written.
    package func add(_ identity: TLSIdentityData, label: String) throws(SyncError) {
        try makeDirectory()
        let temporary = directory.appendingPathComponent(".\(UUID().uuidString)").path
        try write(Array(Self.encode(identity).utf8), to: temporary)
        defer { unlink(temporary) }
        // Unlike a renaming, this fails when there is a file of that name.
        guard link(temporary, path(of: label)) == 0 else {
            if errno == EEXIST { throw SyncError(.liteCore, 22, "there is an identity with the label “\(label)”") }
            throw Self.systemError("the identity “\(label)” cannot be kept")
        }
    }

    /// The identity of that label; nil when there is none.
    ///
    /// - Throws: ``SyncError``: LiteCore 22 (crypto) when its file is damaged; POSIX when it cannot be read.
    package func identity(label: String) throws(SyncError) -> TLSIdentityData? {
        try read(path(of: label))
    }

    /// The identity whose own certificate is this one; nil when there is none.
    ///
    /// - Throws: As ``identity(label:)``.
    package func identity(of certificate: CertificateInfo) throws(SyncError) -> TLSIdentityData? {
        for path in files(withPrefix: "") {
            let identity = try read(path)
            if let identity, identity.certificates[0] == certificate { return identity }
        }
        return nil
    }

    /// Removes the identity of that label, if there is one.
    ///
    /// - Throws: ``SyncError``, POSIX.
    package func remove(label: String) throws(SyncError) {
        try removeFile(path(of: label))
    }

    /// Removes an identity, whatever its label.
    ///
    /// - Throws: ``SyncError``, POSIX.
    package func remove(_ identity: TLSIdentityData) throws(SyncError) {
        for path in files(withPrefix: "") where (try? read(path)) == identity { try removeFile(path) }
    }

    /// Removes all identities whose labels begin so, unless they are too long to be kept as they are (some 60 characters).
    ///
    /// - Throws: ``SyncError``, POSIX.
    package func removeAll(labelPrefix: String) throws(SyncError) {
        for path in files(withPrefix: Self.escaped(labelPrefix)) { try removeFile(path) }
    }

    private func files(withPrefix prefix: String) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
        return names.sorted().filter { $0.hasPrefix(prefix) && $0.hasSuffix(Self.suffix) }
            .map { directory.appendingPathComponent($0).path }
    }

    private func removeFile(_ path: String) throws(SyncError) {
        guard unlink(path) != 0, errno != ENOENT, errno != ENOTDIR else { return }
        throw Self.systemError("an identity cannot be removed")
    }

    /// The file of a label: lower-case letters and digits stand for themselves, so that labels stay apart where names of files are compared
    /// without regard to case.
    private func path(of label: String) -> String {
        var name = Self.escaped(label)
        if name.utf8.count > 200 {
            name =
                "_"
                + SHA256.hash(data: Data(label.utf8)).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        }
        return directory.appendingPathComponent(name + Self.suffix).path
    }

    private static func escaped(_ label: String) -> String {
        var name = ""
        for byte in label.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
                name.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                name += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }
        }
        return name
    }

    private func makeDirectory() throws(SyncError) {
        do {
            try FileManager.default.createDirectory(
                at: directory,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
        } catch {
            throw SyncError(.posix, Int(EIO), "the directory of identities cannot be made: \(error.localizedDescription)")
        }
    }

    private func write(_ bytes: [UInt8], to path: String) throws(SyncError) {
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL, 0o600)
        guard file >= 0 else { throw Self.systemError("an identity cannot be written") }
        defer { close(file) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Self.write(file, $0) }
            guard count > 0 else {
                let error = Self.systemError("an identity cannot be written")
                unlink(path)
                throw error
            }
            rest = rest.dropFirst(count)
        }
        fsync(file)
    }

    private static func write(_ file: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
        #if canImport(Glibc)
        Glibc.write(file, bytes.baseAddress, bytes.count)
        #elseif canImport(Musl)
        Musl.write(file, bytes.baseAddress, bytes.count)
        #else
        Darwin.write(file, bytes.baseAddress, bytes.count)
        #endif
    }

    private func read(_ path: String) throws(SyncError) -> TLSIdentityData? {
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        guard let data = FileManager.default.contents(atPath: path) else { throw Self.systemError("an identity cannot be read") }
        do {
            return try Self.decode(String(decoding: data, as: UTF8.self))
        } catch {
            throw SyncError(.liteCore, 22, "the file of an identity is damaged: \(path)")
        }
    }

    private static func systemError(_ what: String) -> SyncError {
        SyncError(.posix, Int(errno), "\(what): \(String(cString: strerror(errno)))")
    }
}

extension IdentityStore {
    private static func encode(_ identity: TLSIdentityData) -> String {
        let certificates = identity.certificates.map { PEMDocument(type: "CERTIFICATE", derBytes: $0.der) }
        let key = PEMDocument(type: keyType(identity.privateKey), derBytes: identity.privateKey)
        return (certificates + [key]).map { $0.pemString + "\n" }.joined()
    }

    private static func decode(_ text: String) throws -> TLSIdentityData {
        let documents = try PEMDocument.parseMultiple(pemString: text)
        let key = documents.first { $0.discriminator.hasSuffix("PRIVATE KEY") }
        return try TLSIdentityData(certificates: try CertificateInfo.all(inPEM: text), privateKey: key.map { Array($0.derBytes) } ?? [])
    }

    /// The name that PEM has for the form of a key, told by what follows its version.
    private static func keyType(_ der: [UInt8]) -> String {
        guard let root = try? DER.parse(der), case .constructed(let nodes) = root.content else { return "PRIVATE KEY" }
        return switch Array(nodes.prefix(2)).last?.identifier {
        case .octetString: "EC PRIVATE KEY"
        case .integer: "RSA PRIVATE KEY"
        default: "PRIVATE KEY"
        }
    }
}
#endif
