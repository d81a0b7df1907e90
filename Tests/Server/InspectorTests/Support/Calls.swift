import CouchbaseLiteSwift
import Foundation
import Testing

@testable import Inspector

/// Calls of the API without HTTP.
struct Calls {
    let inspected: InspectedDatabase

    init(_ database: Database) { self.init(InspectedSource(database)) }

    init(_ source: InspectedSource, queries: RunningQueries = RunningQueries()) {
        inspected = InspectedDatabase(source, log: LogBuffer(), queries: queries)
    }

    /// Performs a call, and returns the status and the answer.
    func call(_ method: String, _ name: String, _ parameters: [String: String] = [:], body: String = "") -> (
        status: Int, answer: [String: Any]
    ) {
        let request = APIRequest(
            method: method,
            name: name,
            parameters: parameters.map { ($0.key, $0.value) },
            body: Array(body.utf8)
        )
        let response = inspected.answer(request)
        let value = try? JSONSerialization.jsonObject(with: Data(response.body), options: .fragmentsAllowed)
        return (response.status, value as? [String: Any] ?? ["": value as Any])
    }

    /// Performs a call of the default collection that must succeed, and returns the answer.
    func succeed(
        _ method: String,
        _ name: String,
        _ parameters: [String: String] = [:],
        body: String = "",
        sourceLocation: SourceLocation = #_sourceLocation
    ) -> [String: Any] {
        var all = ["collection": "_default._default"]
        all.merge(parameters) { $1 }
        let (status, answer) = call(method, name, all, body: body)
        #expect(status == 200, "\(name): \(answer)", sourceLocation: sourceLocation)
        return answer
    }

    /// Performs a call of the default collection that must fail with a status.
    func fail(
        _ status: Int,
        _ method: String,
        _ name: String,
        _ parameters: [String: String] = [:],
        body: String = "",
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        var all = ["collection": "_default._default"]
        all.merge(parameters) { $1 }
        let (found, answer) = call(method, name, all, body: body)
        #expect(found == status, "\(name): \(answer)", sourceLocation: sourceLocation)
        #expect((answer["error"] as? String)?.isEmpty == false, sourceLocation: sourceLocation)
    }
}
