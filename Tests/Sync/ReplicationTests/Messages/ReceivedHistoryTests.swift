import BLIP
import Fleece
import SyncCore
import Testing

@testable import DocumentStore
@testable import Replication

@Suite("Names of revisions in messages of databases with version vectors")
struct ReceivedHistoryTests {
    private static let E = "EREREREREREREREREREREQ"
    private static let I = "IiIiIiIiIiIiIiIiIiIiIg"
    private static let D = "RERERERERERERERERERERA"
    /// The database itself is M.
    private static let own = "MzMzMzMzMzMzMzMzMzMzMw"
    private let naming: RevisionNaming

    init() throws { naming = RevisionNaming(own: SourceID([UInt8](repeating: 0x33, count: 16))) }

    private func message(_ revision: String, _ history: String? = nil, delta: String? = nil) throws(SyncError) -> RevisionMessage {
        var properties: Properties = ["id": "a", "rev": revision]
        properties["history"] = history
        properties["deltaSrc"] = delta
        return try RevisionMessage(properties, naming)
    }

    @Test(
        "a history is read in all forms that peers write",
        arguments: [
            (nil, "", 0),
            ("18@I", "18@I", 0),
            ("18@I, 17@D", "18@I 17@D", 0),
            ("18@I,17@D;", "18@I 17@D", 2),
            ("18@I, 17@D; 16@M", "18@I 17@D 16@*", 2),
            ("18@I,17@D;16@M", "18@I 17@D 16@*", 2),
            ("18@I;", "18@I", 1),
            ("18@I; 17@D", "18@I 17@D", 1),
            ("1-ab", "1-ab", 0),
            ("18@I, 2-cd, 1-ab", "18@I 2-cd 1-ab", 0),
            ("18@I, 17@D; 2-cd, 1-ab", "18@I 17@D 2-cd 1-ab", 2),
            ("1ca9ad22802@Revision+Tree+Encoding,4-fc4b,3-30b1", "1ca9ad22802@Revision+Tree+Encoding 4-fc4b 3-30b1", 0),
            (",", "", 0), ("18@I,,17@D", "18@I 17@D", 0), ("18@I,17@D,", "18@I 17@D", 0),
        ] as [(String?, String, Int)]
    )
    func forms(history: String?, ancestors: String, mergedCount: Int) throws {
        func long(_ text: String) -> String {
            text.replacing("@I", with: "@\(Self.I)").replacing("@D", with: "@\(Self.D)").replacing("@M", with: "@\(Self.own)")
        }
        let message = try message("20@\(Self.E)", history.map(long))
        #expect(message.revision == RevisionID("20@\(Self.E)"))
        #expect(message.history.map(\.description).joined(separator: " ") == long(ancestors))
        #expect(message.mergedCount == mergedCount)
        // What is written is read as the same.
        let revision = OutgoingRevision(message)
        let again = try self.message("20@\(Self.E)", naming.history(of: revision, isKnown: { _ in false }))
        #expect(again.history == message.history && again.mergedCount == mergedCount)
    }

    @Test("a revision of a tree has ancestors in the tree, and a vector is accepted as the name of a revision")
    func names() throws {
        let tree = try message("3-ab", "2-cd,1-ef")
        #expect(tree.revision == RevisionID("3-ab") && tree.history.map(\.description) == ["2-cd", "1-ef"])
        let vector = try message("20@\(Self.own); 18@\(Self.I)")
        #expect(vector.revision == RevisionID("20@*") && vector.history == [RevisionID("18@\(Self.I)")])
        #expect(try message("20@\(Self.E)", delta: "18@\(Self.own)").deltaBase == RevisionID("18@*"))
    }

    @Test(
        "an invalid name is refused as by the original",
        arguments: [
            "*", "20@*", "20@AAAA", "0@EREREREREREREREREREREQ", "zz@EREREREREREREREREREREQ", "20", "", "20@EREREREREREREREREREREQ, 1@*;",
        ]
    )
    func invalidNames(name: String) throws {
        let error = #expect(throws: SyncError.self) { try message(name) }
        #expect(error == SyncError(http: .badRequest, "received invalid version ID"))
        #expect(throws: SyncError.self) { try message("20@\(Self.E)", delta: name.isEmpty ? "x" : name) }
    }

    @Test("the name of a version in trees is read, and an invalid one is refused, except in a database with trees")
    func treeNames() throws {
        var properties: Properties = ["id": "a", "rev": "20@\(Self.E)"]
        #expect(try RevisionMessage(properties, naming).treeName == nil)
        properties["treeName"] = "2-ab"
        #expect(try RevisionMessage(properties, naming).treeName == RevisionID("2-ab")?.tree)
        for name in ["x", "0-aa", "2-ab, 1-cd", "18@\(Self.I)"] {
            properties["treeName"] = name
            let error = #expect(throws: SyncError.self) { try RevisionMessage(properties, naming) }
            #expect(error == SyncError(http: .badRequest, "received invalid version ID"))
        }
        properties["rev"] = "3-cc"
        #expect(try RevisionMessage(properties).treeName == nil)
    }

    @Test(
        "an invalid history is refused with its reason",
        arguments: [
            ("zz", "Invalid version string 'zz'"), ("18@I;;", "multiple ';'s in version vector"),
            ("18@I; 17@D; 16@S", "multiple ';'s in version vector"), ("18@I, 17@I", "Duplicate ID in version vector: 17@I"),
            ("19@E", "Duplicate ID in version vector: 19@E"), ("21@E, 18@I;", "Cur version not newer than merge version: 21@E"),
            ("1-ab, 18@I", "bad revision ID"), ("18@*", "Version 18@* does not name its source"),
        ]
    )
    func invalidHistories(history: String, reason: String) throws {
        func long(_ text: String) -> String {
            text.replacing("@I", with: "@\(Self.I)").replacing("@D", with: "@\(Self.D)").replacing("@E", with: "@\(Self.E)")
                .replacing("@S", with: "@AAECAwQFBgcICQoLDA0ODw")
        }
        let error = #expect(throws: SyncError.self) { try message("20@\(Self.E)", long(history)) }
        #expect(error?.domain == .liteCore && error?.code == 4)
        #expect(error?.message == long(reason))
    }

    @Test("a history of more versions than are accepted is refused")
    func tooLong() throws {
        let versions = (1...10_001).map { number in
            let bytes = (0..<16).map { UInt8(truncatingIfNeeded: (number + 1) >> ($0 % 2 * 8)) }
            return "18@\(SourceID(bytes)?.description ?? "")"
        }
        let error = #expect(throws: SyncError.self) { try message("20@\(Self.E)", versions.joined(separator: ",")) }
        #expect(error?.code == 4)
        #expect(throws: SyncError.self) { try message("3-ab", "18@\(Self.I)") }
    }

    @Test("rows of changes and proposals contain versions, vectors or IDs in trees, and other rows are found to be invalid")
    func rows() throws {
        let json = #"[[1,"a","20@E"],[2,"b","20@E; 18@M",1],[3,"c","2-ab"],[4,"d","20@*"],[5,"e","xx@E"]]"#
            .replacing("@E", with: "@\(Self.E)").replacing("@M", with: "@\(Self.own)")
        let rows = try ChangeRow.rows(Array(json.utf8), naming)
        let versions = [RevisionID("20@\(Self.E)"), RevisionID("20@\(Self.E)"), RevisionID("2-ab"), nil, nil]
        #expect(rows.map(\.revision) == versions)
        #expect(rows[1].offer?.vector.versions.last == RevisionID("18@*")?.version && rows[1].isDeleted)
        #expect(throws: SyncError.self) { try ChangeRow.rows(Array(#"[[1,"a","20"]]"#.utf8), naming) }
        #expect(throws: SyncError.self) { try ChangeRow.rows(Array(json.utf8)) }
        let proposals = try Proposals(
            body: Array(
                #"[["a","20@E; 18@M","18@M"],["b","2-ab",""],["c","20@*"]]"#
                    .replacing("@E", with: "@\(Self.E)").replacing("@M", with: "@\(Self.own)").utf8
            ),
            naming
        )
        #expect(proposals.rows.map { $0?.revision } == [versions[0], versions[2], nil])
        #expect(proposals.rows[0]?.serverRevision == RevisionID("18@*"))
    }

    @Test("the database itself has its ID in what is written, never an asterisk")
    func writing() throws {
        let mine = try #require(RevisionID("20@*"))
        #expect(naming.text(mine) == "20@\(Self.own)")
        #expect(RevisionNaming.trees.text(mine).contains("*") == false)
        let row = ProposalRow(
            documentID: "a",
            revision: mine,
            versions: try VersionVector("20@*; 18@\(Self.I)"),
            serverRevision: RevisionID("18@\(Self.I)"),
            bodySize: 7
        )
        let json = String(decoding: ProposalRow.json([row], naming), as: UTF8.self)
        #expect(json == #"[["a","20@\#(Self.own); 18@\#(Self.I)","18@\#(Self.I)",7]]"#)
        let answers = ChangeAnswer.body([.wanted([mine])], naming)
        #expect(String(decoding: answers, as: UTF8.self) == #"[["20@\#(Self.own)"]]"#)
        #expect(try ChangeAnswer.parse(answers, count: 1, naming) == [.wanted([mine])])
        let conflict = Proposals.reply([.conflictWithVector(try VersionVector("20@*; 18@\(Self.I)"))], namesRevisions: true, naming)
        #expect(try ProposalReply.parse(conflict, count: 1, naming) == [.conflict(current: mine)])
        #expect(CollectionsMessage.uuid(try #require(naming.own)) == "33333333-3333-3333-3333-333333333333")
    }
}

extension OutgoingRevision {
    fileprivate init(_ message: RevisionMessage) {
        self.init(
            documentID: message.documentID,
            revision: message.revision,
            isDeleted: false,
            hasAttachments: false,
            body: .emptyDictionary,
            sharedKeys: .empty,
            history: message.history,
            mergedCount: message.mergedCount,
            isCurrent: true
        )
    }
}
