import Fleece
import Testing

@testable import DocumentStore

@Suite("Damaged names of versions for clients with revision trees")
struct DamagedTreeNamesTests {
    private static let version = "00 80c495babeb10c 80"
    private static let id = "02 ab"

    /// What an item of the current revision has as names or as the last revision of the tree.
    private enum Content {
        case text
        case data(String)
        case list([String])
    }

    /// Encodes the column `extra` with an item of the current revision.
    private func extra(_ key: String, _ content: Content) throws -> String {
        var encoder = Encoder()
        func write(_ digits: String) { hex(digits).withUnsafeBytes { encoder.write(data: $0) } }
        encoder.beginArray()
        encoder.beginDictionary()
        encoder.writeKey(key)
        switch content {
        case .text: encoder.write("text")
        case .data(let digits): write(digits)
        case .list(let list):
            encoder.beginArray()
            for digits in list { write(digits) }
            encoder.endArray()
        }
        encoder.endDictionary()
        encoder.endArray()
        return (KnownRevisions.mark + (try encoder.finishedBytes())).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// Checks that a document is damaged wherever its names are read, and that other documents are not affected.
    private func check(_ key: String, _ content: Content, _ reason: String, _ sourceLocation: SourceLocation = #_sourceLocation) throws {
        let database = try TestDatabase.withVersions()
        let own = try #require(try database.file.serveTreeClients())
        let column = try extra(key, content)
        try database.addRecord("a", sequence: 1, version: Self.version, body: "7001 416e 0001 8003", extra: column)
        try database.save("b", #"{"n":1}"#)
        let collection = try database.collection()
        func expectError(_ read: () throws -> Void) {
            let error = #expect(throws: StoreError.self, sourceLocation: sourceLocation) { try read() }
            guard case .corruptDocument("a", let message) = error else {
                Issue.record("\(String(describing: error))", sourceLocation: sourceLocation)
                return
            }
            #expect(message.contains(reason), sourceLocation: sourceLocation)
        }
        expectError { _ = try collection.treeIDs(of: "a", own) }
        expectError { _ = try collection.change(of: "a", remote: nil, as: .trees(own)) }
        expectError { _ = try collection.changes(after: 0, limit: 9, remote: nil, as: .trees(own)) }
        expectError { _ = try database.knownRevisions(of: "a") }
        expectError { _ = try database.save("a", "{}") }
        expectError { _ = try database.receive("a", [.of("9-aa")], remote: nil) }
        var skipped: [String] = []
        let changes = try collection.changes(after: 0, limit: 9, remote: nil, as: .trees(own)) { skipped.append($0.documentID) }
        #expect(changes.map(\.documentID) == ["b"] && skipped == ["a"], sourceLocation: sourceLocation)
        let proposal = ProposedRevision(documentID: "a", revision: .of("9-aa"))
        #expect(try collection.evaluate([proposal], as: .trees(own)) == [.unreadable], sourceLocation: sourceLocation)
        // It is requested, so that storing it reports the error.
        let options = OfferOptions(remote: nil, needsBodies: false, refusesConflicts: true)
        let offer = OfferedRevision(documentID: "a", revision: .of("9-aa"))
        #expect(try collection.compare([offer], options, as: .trees(own)) == [.want(ancestors: [])], sourceLocation: sourceLocation)
        #expect(try BundleChecker(database.file).findings().count { $0.severity == .error } == 1, sourceLocation: sourceLocation)
    }

    @Test("names that are no list of a version and IDs with decreasing generations are an error of their document")
    func names() throws {
        let reason = "the names for clients with trees are invalid"
        let contents: [Content] = [
            .text, .data(Self.id), .list([]), .list([Self.version]), .list([Self.id, Self.id]), .list([Self.version, Self.version]),
            .list([Self.version, "ab"]), .list([Self.version, "02 ab", "02 aa"]), .list([Self.version, "02 ab", "03 aa"]),
        ]
        for content in contents { try check("^", content, reason) }
    }

    @Test("a last revision of the tree that is no ID is an error of its document")
    func lastRevision() throws {
        let reason = "the last revision of the tree is invalid"
        for content in [Content.text, .data("02"), .data(Self.version), .list([Self.id])] { try check("~", content, reason) }
    }
}
