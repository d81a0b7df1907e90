#if Replication
import Foundation
import TestSupport

/// Clients of CouchDB from PyPI, in a virtual environment below `.build`.
enum CouchClients: String, CaseIterable {
    case couchdb, pycouchdb, cloudant, aiocouch

    private static let packages = ["CouchDB==1.2", "pycouchdb==1.17.1", "cloudant==2.15.0", "aiocouch==4.0.1"]
    /// The environment. Its name contains the versions, so that others are installed anew.
    private static let environment = Fixtures.packageRoot.appendingPathComponent(
        ".build/python-" + packages.joined(separator: "-").replacing("==", with: "-")
    )
    private static let shell = ProcessRunner(executable: URL(fileURLWithPath: "/usr/bin/env"))

    /// Why the clients are not installed; `nil` if they are. Installs them if PyPI is reached.
    static let obstacle: String? = {
        let manager = FileManager.default
        if manager.fileExists(atPath: environment.path) { return nil }
        // Complete before it has its name: another process may install at the same time, or this one may be interrupted.
        let made = environment.path + "-\(UUID().uuidString)"
        defer { try? manager.removeItem(atPath: made) }
        let pip = ["\(made)/bin/python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--retries", "1"]
        for command in [["python3", "-m", "venv", made], pip + packages] {
            do {
                let result = try shell.run(command)
                guard result.exitCode == 0 else { return "PyPI is not reached: \(result.errorOutput.suffix(200))" }
            } catch {
                return "\(error)"
            }
        }
        try? manager.moveItem(atPath: made, toPath: environment.path)
        return manager.fileExists(atPath: environment.path) ? nil : "\(environment.path) cannot be written"
    }()

    /// Uses a hub with the client, as `Tests/Tools/couch_clients.py` describes.
    func run(port: Int) async throws -> ProcessResult {
        let program = Fixtures.packageRoot.appendingPathComponent("Tests/Tools/couch_clients.py").path
        let python = Self.environment.appendingPathComponent("bin/python").path
        return try await Self.shell.run([python, program, rawValue, "http://localhost:\(port)"])
    }
}
#endif
