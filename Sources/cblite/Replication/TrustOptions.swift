#if Replication
import ArgumentParser
import CouchbaseLiteSwift
import Foundation

/// Who the server must be, and who we are to it in TLS.
struct TrustOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Accept this certificate of the server only: a file, PEM or DER.", valueName: "file"), completion: .file())
    var pinned: String?

    @Flag(help: "Accept certificates that the server has signed itself, and only those.")
    var selfSigned = false

    @Option(
        help: ArgumentHelp("Our own certificate and its private key, for servers that ask for one: a file, PEM.", valueName: "file"),
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
        let content = try read(path)
        if let certificate = SecCertificate.all(inPEM: String(decoding: content, as: UTF8.self)).first {
            return certificate
        }
        guard let certificate = SecCertificateCreateWithData(nil, content) else {
            throw Failure(.badData, "\(path) holds no certificate", hint: "It must be PEM or DER.")
        }
        return certificate
    }

    static func identity(_ path: String) throws -> TLSIdentity {
        do {
            return try TLSIdentity(pem: String(decoding: try read(path), as: UTF8.self))
        } catch let error as NSError where error.domain == CBLError.domain {
            throw Failure(.badData, "\(path): \(error.localizedDescription)")
        }
    }

    private static func read(_ path: String) throws -> Data {
        guard let content = FileManager.default.contents(atPath: path) else { throw Failure.system("read", path) }
        return content
    }
}
#endif
