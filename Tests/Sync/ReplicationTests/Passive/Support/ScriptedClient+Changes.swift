import BLIP
import DocumentStore
import ReplicationSimulation
import Testing

extension ScriptedClient {
    /// Saves documents `doc0`, `doc1` and so on in the database.
    func saveDocuments(_ count: Int) throws {
        for number in 0..<count { try database.save("doc\(number)", #"{"n":\#(number)}"#) }
    }

    /// Answers every list: requests all rows, or answers each row with `answer`.
    func answerLists(_ properties: Properties = ["blobs": "true"], _ answer: (String) -> String = { _ in "[]" }) {
        while true {
            let lists = dequeue("changes").filter { !$0.isNoReply }
            if lists.isEmpty { return }
            for list in lists { respond(to: list, properties, "[" + list.rows.map(answer).joined(separator: ",") + "]") }
        }
    }

    /// Subscribes to the changes, answers every list, and returns the revisions that are sent.
    ///
    /// - Parameters:
    ///   - subscription: The properties of the subscription.
    ///   - properties: Those of the answers.
    ///   - answer: Returns the answer to a row; without it, every row is requested.
    func pull(
        _ subscription: Properties = [:],
        answering properties: Properties = ["blobs": "true"],
        _ answer: (String) -> String = { _ in "[]" }
    ) -> [IncomingRequest] {
        ask("subChanges", subscription)
        answerLists(properties, answer)
        return dequeue("rev")
    }

    /// Returns the ID of the current revision of a document in the database.
    func revision(_ id: String) throws -> String {
        try #require(try database.collection().document(id, includingDeleted: true)).revision.description
    }
}
