#if Replication
import NIOSSL
import SwiftASN1
package import SyncCore
import X509

extension TLSIdentityData {
    /// Reads an identity from a PKCS#12 file (`.p12`, `.pfx`).
    ///
    /// - Parameters:
    ///   - pkcs12: The content of the file.
    ///   - password: The password that protects the file. `nil` means an empty password.
    /// - Throws: ``SyncError``, LiteCore 22 (crypto), if the content is not a PKCS#12 file, the password is wrong, or it contains no key or
    ///   no certificate for the key.
    package init(pkcs12: [UInt8], password: String?) throws(SyncError) {
        guard let content = try? PKCS12Content(pkcs12), content.mayHoldIdentity else { throw Self.noIdentity }
        let (certificates, key): ([CertificateInfo], [UInt8])
        do {
            guard try PKCS12Probe.holdsIdentity(content, password: password ?? "") else { throw Self.noIdentity }
            let bundle = try NIOSSLPKCS12Bundle(buffer: pkcs12, passphrase: (password ?? "").utf8)
            certificates = try bundle.certificateChain.compactMap { CertificateInfo(der: try $0.toDERBytes()) }
            key = try bundle.privateKey.derBytes
        } catch let error as SyncError {
            throw error
        } catch {
            throw SyncError(engine: .crypto, "the PKCS#12 file cannot be parsed, or the password is wrong")
        }
        try self.init(certificates: Self.ordered(certificates), privateKey: key)
    }

    private static var noIdentity: SyncError {
        SyncError(engine: .crypto, "the data is not a PKCS#12 file with a private key and its certificate")
    }

    /// Returns the certificates in the order of a chain. The first is the key's; the file may contain the others in any order.
    private static func ordered(_ certificates: [CertificateInfo]) -> [CertificateInfo] {
        var rest = certificates
        guard !rest.isEmpty else { return [] }
        var chain = [rest.removeFirst()]
        while let index = rest.firstIndex(where: { $0.certificate.subject == chain[chain.count - 1].certificate.issuer }) {
            chain.append(rest.remove(at: index))
        }
        return chain + rest
    }
}

/// The part of a PKCS#12 file that is readable without the password (RFC 7292, 4).
///
/// All common programs write the key bag into an unencrypted part; the bag itself encrypts the key.
struct PKCS12Content {
    /// A private key as stored in its bag: PKCS#8, encrypted or not.
    struct Key {
        let bytes: [UInt8]
        let isEncrypted: Bool
    }

    private static let data: ASN1ObjectIdentifier = [1, 2, 840, 113_549, 1, 7, 1]
    private static let encryptedData: ASN1ObjectIdentifier = [1, 2, 840, 113_549, 1, 7, 6]
    private static let keyBag: ASN1ObjectIdentifier = [1, 2, 840, 113_549, 1, 12, 10, 1, 1]
    private static let encryptedKeyBag: ASN1ObjectIdentifier = [1, 2, 840, 113_549, 1, 12, 10, 1, 2]
    private static let certificateBag: ASN1ObjectIdentifier = [1, 2, 840, 113_549, 1, 12, 10, 1, 3]

    private(set) var parts: [[UInt8]] = []
    private(set) var key: Key?
    private var mayHaveCertificate = false

    var mayHoldIdentity: Bool { key != nil && mayHaveCertificate }

    init(_ bytes: [UInt8]) throws {
        let safes = try BER.sequence(try BER.parse(bytes), identifier: .sequence) { nodes in
            _ = nodes.next()
            guard let authenticatedSafe = nodes.next() else { throw Self.malformed }
            while nodes.next() != nil {}
            return try Self.contentInfo(authenticatedSafe)
        }
        guard safes.type == Self.data, let content = safes.content else { throw Self.malformed }
        for node in try Self.children(try BER.parse(content)) {
            parts.append(Array(node.encodedBytes))
            let part = try Self.contentInfo(node)
            if part.type == Self.encryptedData { mayHaveCertificate = true }
            guard part.type == Self.data, let content = part.content else { continue }
            for bag in try Self.children(try BER.parse(content)) { try add(Self.children(bag)) }
        }
    }

    private mutating func add(_ bag: [ASN1Node]) throws {
        guard bag.count > 1 else { return }
        let type = try ASN1ObjectIdentifier(berEncoded: bag[0])
        if type == Self.certificateBag { mayHaveCertificate = true }
        guard type == Self.keyBag || type == Self.encryptedKeyBag, let value = try Self.children(bag[1]).first
        else { return }
        key = Key(bytes: Array(value.encodedBytes), isEncrypted: type == Self.encryptedKeyBag)
    }

    private static var malformed: ASN1Error { .invalidASN1Object(reason: "not a PKCS#12 file") }

    private static func children(_ node: ASN1Node) throws -> [ASN1Node] {
        guard case .constructed(let nodes) = node.content else { throw malformed }
        return Array(nodes)
    }

    /// Returns the type of a part and, if it is plain data, its bytes.
    private static func contentInfo(_ node: ASN1Node) throws -> (type: ASN1ObjectIdentifier, content: ArraySlice<UInt8>?) {
        let nodes = try children(node)
        guard let first = nodes.first else { throw malformed }
        let type = try ASN1ObjectIdentifier(berEncoded: first)
        guard type == data, nodes.count > 1, let inner = try children(nodes[1]).first else { return (type, nil) }
        return (type, try ASN1OctetString(berEncoded: inner).bytes)
    }
}
#endif
