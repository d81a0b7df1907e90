package import BLIP
import NIOSSL
import SwiftASN1
import X509

extension TLSIdentityData {
    /// Reads an identity from a file of PKCS#12 (`.p12`, `.pfx`).
    ///
    /// - Parameters:
    ///   - pkcs12: The content of the file.
    ///   - password: What it is protected with.
    /// - Throws: ``SyncError``, LiteCore 22 (crypto): no such file, a wrong password, no key or no certificate in it.
    package init(pkcs12: [UInt8], password: String?) throws(SyncError) {
        guard let content = try? PKCS12Content(pkcs12), content.mayHoldIdentity else {
            throw SyncError(.liteCore, 22, "this is no PKCS#12 file with a private key and its certificate")
        }
        let (certificates, key): ([CertificateInfo], [UInt8])
        do {
            let bundle = try Self.bundle(pkcs12, password)
            certificates = try bundle.certificateChain.compactMap { CertificateInfo(der: try $0.toDERBytes()) }
            key = try bundle.privateKey.derBytes
        } catch {
            throw SyncError(.liteCore, 22, "the PKCS#12 file cannot be read, or the password is wrong")
        }
        try self.init(certificates: Self.ordered(certificates), privateKey: key)
    }

    /// A file without a password has an empty one for some programs, and none at all for others.
    private static func bundle(_ pkcs12: [UInt8], _ password: String?) throws -> NIOSSLPKCS12Bundle {
        if let bundle = try? NIOSSLPKCS12Bundle(buffer: pkcs12, passphrase: (password ?? "").utf8) { return bundle }
        return try NIOSSLPKCS12Bundle(buffer: pkcs12, passphrase: password?.utf8)
    }

    /// The certificates in the order of a chain. The first is the key's; the others may stand in a file in any order.
    private static func ordered(_ certificates: [CertificateInfo]) -> [CertificateInfo] {
        var rest = certificates
        guard !rest.isEmpty else { return [] }
        var chain = [rest.removeFirst()]
        while let index = rest.firstIndex(where: { $0.certificate.subject == chain[chain.count - 1].certificate.issuer }
        ) {
            chain.append(rest.remove(at: index))
        }
        return chain + rest
    }
}

/// What can be seen of a PKCS#12 file without its password (RFC 7292, 4).
///
/// The library that decrypts it ends the process when there is no key in it or no certificate: so files of which that can be seen never
/// get there. Every common program writes the key's bag, itself encrypted, into a part that is not.
private struct PKCS12Content {
    private static let data: ASN1ObjectIdentifier = [1, 2, 840, 113_549, 1, 7, 1]
    private static let encryptedData: ASN1ObjectIdentifier = [1, 2, 840, 113_549, 1, 7, 6]
    private static let keyBags: [ASN1ObjectIdentifier] = [
        [1, 2, 840, 113_549, 1, 12, 10, 1, 1], [1, 2, 840, 113_549, 1, 12, 10, 1, 2],
    ]
    private static let certificateBag: ASN1ObjectIdentifier = [1, 2, 840, 113_549, 1, 12, 10, 1, 3]

    private var hasKey = false
    private var mayHaveCertificate = false

    var mayHoldIdentity: Bool { hasKey && mayHaveCertificate }

    init(_ bytes: [UInt8]) throws {
        let safes = try BER.sequence(try BER.parse(bytes), identifier: .sequence) { nodes in
            _ = nodes.next()
            guard let authenticatedSafe = nodes.next() else { throw Self.malformed }
            while nodes.next() != nil {}
            return try Self.contentInfo(authenticatedSafe)
        }
        guard safes.type == Self.data, let content = safes.content else { throw Self.malformed }
        for node in try Self.children(try BER.parse(content)) {
            let part = try Self.contentInfo(node)
            if part.type == Self.encryptedData { mayHaveCertificate = true }
            guard part.type == Self.data, let content = part.content else { continue }
            for bag in try Self.children(try BER.parse(content)) {
                guard let first = try Self.children(bag).first else { continue }
                let type = try ASN1ObjectIdentifier(berEncoded: first)
                if Self.keyBags.contains(type) { hasKey = true }
                if type == Self.certificateBag { mayHaveCertificate = true }
            }
        }
    }

    private static var malformed: ASN1Error { .invalidASN1Object(reason: "no PKCS#12") }

    private static func children(_ node: ASN1Node) throws -> [ASN1Node] {
        guard case .constructed(let nodes) = node.content else { throw malformed }
        return Array(nodes)
    }

    /// The type of a part and, where it is plain data, its bytes.
    private static func contentInfo(_ node: ASN1Node) throws -> (
        type: ASN1ObjectIdentifier, content: ArraySlice<UInt8>?
    ) {
        let nodes = try children(node)
        guard let first = nodes.first else { throw malformed }
        let type = try ASN1ObjectIdentifier(berEncoded: first)
        guard type == data, nodes.count > 1, let inner = try children(nodes[1]).first else { return (type, nil) }
        return (type, try ASN1OctetString(berEncoded: inner).bytes)
    }
}
