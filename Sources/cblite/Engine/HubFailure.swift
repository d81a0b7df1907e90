#if Replication
import Foundation
import Hub
import SyncCore

/// Errors of a hub, which is below the public API.
enum HubFailure {
    /// Runs `body`, and converts its errors.
    ///
    /// - Parameters:
    ///   - port: The port that `body` uses; `nil` if it uses none.
    ///   - hint: What to do about an error of the configuration; `nil` if the message says it.
    /// - Throws: ``Failure`` for errors of the hub.
    static func converting<Result>(port: Int? = nil, hint: String? = nil, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as ChannelMappingError {
            throw Failure(.badData, "the mapping of channels is not valid: \(error)")
        } catch let error as SyncError {
            if let port, error.domain == .posix, error.code == Int(EADDRINUSE) {
                throw Failure(.unreachable, "port \(port) is in use", hint: "Choose another with --port, or 0 for any free port.")
            }
            switch error.domain {
            case .posix where error.code == Int(ENOENT): throw Failure(.notFound, error.message)
            case .posix where error.code == Int(EACCES): throw Failure(.noPermission, error.message)
            case .posix: throw Failure(.inputOutput, error.message)
            case _ where error.isEngine(.crypto): throw Failure(.badData, error.message)
            default: throw Failure(.usage, error.message, hint: hint)
            }
        }
    }
}
#endif
