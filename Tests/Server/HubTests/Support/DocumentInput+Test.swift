import Replication

@testable import Hub

extension DocumentInput {
    /// Creates the input for a body as a client of sync sends it.
    init(json: [UInt8], isDeleted: Bool = false) throws {
        guard case .body(let content) = try BodyReader(file: nil).content(json: json) else { throw HubError.badRequest("No body") }
        self.init(content, isDeleted: isDeleted)
    }
}
