#if Replication
import ArgumentParser
import CouchbaseLiteSwift
import Foundation

/// The TLS options of a replication: the trusted server certificates and the client certificate.
struct TrustOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Accept only this server certificate: a PEM or DER file.", valueName: "file"), completion: .file())
    var pinned: String?

    @Flag(help: "Accept only self-signed server certificates.")
    var selfSigned = false

    @Option(
        help: ArgumentHelp("The client certificate and its private key, for servers that require one: a PEM file.", valueName: "file"),
        completion: .file()
    )
    var cert: String?

    func validate() throws {
        guard pinned == nil || !selfSigned else { throw ValidationError("Give one of --pinned and --self-signed.") }
    }

    func apply(to configuration: ReplicatorConfiguration) throws {
        configuration.acceptOnlySelfSignedServerCertificate = selfSigned
        if let pinned { configuration.pinnedServerCertificate = try CertificateFile.certificate(pinned) }
        if let cert {
            configuration.authenticator = ClientCertificateAuthenticator(identity: try CertificateFile.identity(cert))
        }
    }
}

/// Certificates and keys in files.
enum CertificateFile {
    static func certificate(_ path: String) throws -> SecCertificate {
        let content = try SecretFile.content(path)
        if let certificate = SecCertificate.all(inPEM: String(decoding: content, as: UTF8.self)).first {
            return certificate
        }
        guard let certificate = SecCertificate.read(der: [UInt8](content)) else {
            throw Failure(.badData, "\(path) does not contain a certificate", hint: "It must be a PEM or DER file.")
        }
        return certificate
    }

    /// - Parameter keyFile: The file with the private key; `nil` if the key is in the same file.
    static func identity(_ path: String, keyFile: String? = nil) throws -> TLSIdentity {
        let certificates = String(decoding: try SecretFile.content(path), as: UTF8.self)
        // The first key of the text is used.
        let key = try keyFile.map { String(decoding: try SecretFile.content($0), as: UTF8.self) + "\n" } ?? ""
        do {
            return try TLSIdentity(pem: key + certificates)
        } catch let error as NSError where error.domain == CBLError.domain {
            throw Failure(.badData, "\(path): \(error.localizedDescription)")
        }
    }
}
#endif
