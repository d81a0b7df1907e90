#if Replication
import Base
import Crypto
package import Foundation
import SwiftASN1
package import SyncCore
import Synchronization

/// Stores identities by label in a directory that only its owner can read. Each identity is a file with the certificates and the key in PEM
/// form.
package struct IdentityStore: Sendable {
    private static let suffix = ".identity"

    private let directory: URL

    /// - Parameter directory: The directory of the identities. It is created, with mode 0700, when the first identity is added.
    package init(directory: URL) { self.directory = directory }

    /// Stores an identity.
    ///
    /// - Throws: ``SyncError``: LiteCore 22 (crypto) if the label is already in use; POSIX if the file cannot be written.
    package func add(_ identity: TLSIdentityData, label: String) throws(SyncError) {
        do {
            let attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o700]
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true, attributes: attributes)
        } catch {
            throw SyncError(.posix, Int(EIO), "the directory of identities cannot be created: \(error.localizedDescription)")
        }
        let temporary = directory.appendingPathComponent(".\(UUID().uuidString)").path
        try write(Array(Self.encode(identity).utf8), to: temporary)
        defer { unlink(temporary) }
        // Unlike renaming, linking fails if a file of that name exists.
        guard link(temporary, path(of: label)) == 0 else {
            if errno == EEXIST { throw SyncError(engine: .crypto, "an identity with the label “\(label)” already exists") }
            throw Self.systemError("the identity “\(label)” cannot be stored")
        }
    }

    /// Returns the identity with the label, or `nil` if there is none.
    ///
    /// - Throws: ``SyncError``: LiteCore 22 (crypto) if its file is damaged; POSIX if the file cannot be read.
    package func identity(label: String) throws(SyncError) -> TLSIdentityData? { try read(path(of: label)) }

    /// Returns the identity whose leaf certificate is the given one, or `nil` if there is none.
    ///
    /// - Throws: The same errors as ``identity(label:)``.
    package func identity(of certificate: CertificateInfo) throws(SyncError) -> TLSIdentityData? {
        for path in files(withPrefix: "") {
            let identity = try read(path)
            if let identity, identity.certificates[0] == certificate { return identity }
        }
        return nil
    }

    /// Removes the identity with the label, if it exists.
    ///
    /// - Throws: ``SyncError``, POSIX, if its file cannot be removed.
    package func remove(label: String) throws(SyncError) { try removeFile(path(of: label)) }

    /// Removes an identity under all its labels.
    ///
    /// - Throws: ``SyncError``, POSIX, if a file cannot be removed.
    package func remove(_ identity: TLSIdentityData) throws(SyncError) {
        for path in files(withPrefix: "") where (try? read(path)) == identity { try removeFile(path) }
    }

    /// Removes all identities whose labels start with the prefix. Labels too long for a file name (more than about 60 characters) are
    /// stored as a hash and not removed.
    ///
    /// - Throws: ``SyncError``, POSIX, if a file cannot be removed.
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

    /// Returns the path of a label's file. Only lower-case letters, digits and `-` are not escaped, so that different labels have different
    /// files on case-insensitive file systems too.
    private func path(of label: String) -> String {
        var name = Self.escaped(label)
        if name.utf8.count > 200 { name = "_" + SHA256.hash(data: Data(label.utf8)).hexadecimal }
        return directory.appendingPathComponent(name + Self.suffix).path
    }

    private static func escaped(_ label: String) -> String {
        var name = ""
        for byte in label.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
                name.unicodeScalars.append(Unicode.Scalar(byte))
            default: name += "%" + [byte].hexadecimal
            }
        }
        return name
    }

    private func write(_ bytes: [UInt8], to path: String) throws(SyncError) {
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL, 0o600)
        guard file >= 0 else { throw Self.systemError("an identity cannot be written") }
        defer { close(file) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Base.write(file, $0.baseAddress, $0.count) }
            guard count > 0 else {
                let error = Self.systemError("an identity cannot be written")
                unlink(path)
                throw error
            }
            rest = rest.dropFirst(count)
        }
        fsync(file)
    }

    private func read(_ path: String) throws(SyncError) -> TLSIdentityData? {
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        guard let data = FileManager.default.contents(atPath: path) else { throw Self.systemError("an identity cannot be read") }
        do {
            return try Self.decode(String(decoding: data, as: UTF8.self))
        } catch {
            throw SyncError(engine: .crypto, "the identity file \(path) is damaged: restore it, or delete it and create the identity again")
        }
    }

    private static func systemError(_ what: String) -> SyncError {
        SyncError(.posix, Int(errno), "\(what): \(String(cString: strerror(errno)))")
    }

    private static func encode(_ identity: TLSIdentityData) -> String {
        let certificates = identity.certificates.map { PEMDocument(type: "CERTIFICATE", derBytes: $0.der) }
        return (certificates + [identity.keyDocument]).map { $0.pemString + "\n" }.joined()
    }

    private static func decode(_ text: String) throws -> TLSIdentityData {
        let documents = try PEMDocument.parseMultiple(pemString: text)
        let key = documents.first { $0.discriminator.hasSuffix("PRIVATE KEY") }
        return try TLSIdentityData(certificates: try CertificateInfo.all(inPEM: text), privateKey: key.map { Array($0.derBytes) } ?? [])
    }
}

extension IdentityStore {
    /// Held while an expired identity is replaced, so that two listeners do not replace it one after the other.
    private static let lock = Mutex(())

    /// Returns the self-signed identity of a server that is stored under a label. Creates one if there is none, or if it has expired.
    ///
    /// - Throws: LiteCore 22 (crypto) if the file of the stored identity is damaged. It is not replaced, because clients may have pinned its
    ///   certificate.
    package func selfSigned(label: String, commonName: String) throws -> TLSIdentityData {
        try Self.lock.withLock { _ in
            if let stored = try identity(label: label) {
                if let expiration = stored.certificates.first?.notAfter, expiration > Date() { return stored }
                try remove(label: label)
            }
            let made = try TLSIdentityData.selfSigned(attributes: ["CN": commonName], isServer: true)
            do throws(SyncError) {
                try add(made, label: label)
                return made
            } catch {
                // Another process may have stored an identity since.
                guard error.isEngine(.crypto), let stored = try identity(label: label) else { throw error }
                return stored
            }
        }
    }
}
#endif
