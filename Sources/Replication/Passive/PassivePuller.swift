import BLIP
import DocumentStore
import LogCore
import SyncCore

/// Takes the revisions that a client pushes to a collection (Replication 6.3).
///
/// It expects nothing: a client sends what it has been told is wanted, and gets its answer when that is stored.
final class PassivePuller {
    private let context: SessionContext
    private let collection: ReplicaCollection
    private let options: PassiveOptions
    private var receiver: RevisionReceiver?
    /// How many revisions the client has been told are wanted, and has not sent.
    private var expectedCount = 0

    /// The revisions that wait to be stored.
    private var unanswered = (count: 0, size: 0)

    init(_ context: SessionContext, _ collection: ReplicaCollection, index: Int?, _ options: PassiveOptions) {
        self.context = context
        self.collection = collection
        self.options = options
        let receiving = RevisionReceiver.Options(
            remote: nil,
            allowsConflicts: options.allowsConflicts,
            maximumDocumentSize: options.maximumDocumentSize
        )
        receiver = RevisionReceiver(context, collection, collectionIndex: index, options: receiving, owner: self)
    }

    var isBusy: Bool { receiver?.isBusy == true }

    func disconnected() {
        receiver?.disconnected()
    }

    /// Answers a request.
    ///
    /// - Throws: What is to be answered instead.
    func handle(_ request: IncomingRequest) throws {
        switch request.profile {
        case Profile.changes: try takeChanges(request)
        case Profile.proposeChanges: try takeProposals(request)
        case Profile.rev: try takeRevision(request)
        default:
            // The client cannot send what it was told is wanted.
            expectedCount = max(0, expectedCount - 1)
            context.respond(to: request)
        }
    }

    private func takeRevision(_ request: IncomingRequest) throws {
        expectedCount = max(0, expectedCount - 1)
        // Sent by a client that could not read it (Replication 3.8).
        if request.properties["error"] != nil { return context.respond(to: request) }
        let message = try RevisionMessage(request.properties)
        guard !request.isTooLarge else {
            context.later { [context] in
                context.log(.info, "\"\(message.documentID)\" is refused: it has more bytes than a document may have")
            }
            throw SyncError.documentTooLarge
        }
        guard unanswered.count < options.maximumUnanswered.count, unanswered.size < options.maximumUnanswered.size
        else { throw SyncError(.http, 503, "too many revisions await their answers") }
        context.updateStatus { $0.totalDocuments += 1 }
        unanswered.count += 1
        unanswered.size += request.body.count
        receiver?.receive(IncomingRevision(request: request, message: message))
    }

    /// A client that does not know whether its revisions would be conflicts (Replication 3.6, 4.6).
    private func takeChanges(_ request: IncomingRequest) throws {
        let rows = try ChangeRow.rows(request.body)
        guard !rows.isEmpty else { return context.respond(to: request) }
        guard options.allowsConflicts else { throw SyncError(.blip, 409, "Use 'proposeChanges' instead") }
        let offers = rows.map { row in row.revision.map { OfferedRevision(documentID: row.documentID, revision: $0) } }
        var answers = try collection.compare(
            offers.compactMap(\.self),
            remote: nil,
            needsBodies: options.usesDeltas,
            refusesConflicts: true
        ).makeIterator()
        let reply = offers.map { offer -> ChangeAnswer in
            guard offer != nil, let answer = answers.next() else { return .refused(400) }
            switch answer {
            case .have: return .notWanted
            case .want(let ancestors):
                expectedCount += 1
                return .wanted(ancestors)
            case .conflict: return .refused(409)
            }
        }
        context.respond(to: request, with: answer(body: ChangeAnswer.body(reply)))
    }

    /// A client that asks first (Replication 3.7).
    private func takeProposals(_ request: IncomingRequest) throws {
        let proposals = try Proposals(body: request.body)
        guard !proposals.rows.isEmpty else { return context.respond(to: request, with: answer(body: Array("[]".utf8))) }
        let answers = try proposals.answers { try collection.judge($0) }
        expectedCount += answers.count { $0 == .send }
        let namesRevisions = request.properties.boolean("conflictIncludesRev")
        context.respond(to: request, with: answer(body: Proposals.reply(answers, namesRevisions: namesRevisions)))
    }

    /// An answer to a list, with what this side can do.
    private func answer(body: [UInt8]) -> OutgoingMessage {
        var properties: Properties = ["maxHistory": "50", "blobs": "true"]
        if options.usesDeltas { properties["deltas"] = "true" }
        return OutgoingMessage(properties, body: body, isCompressed: true)
    }
}

extension PassivePuller: RevisionReceiverOwner {
    var expectsMoreRevisions: Bool { expectedCount > 0 }

    // Clients push in any order, and a revision that comes late is refused as a conflict.
    func willStore(_ revision: IncomingRevision) {}

    func isOvertaken(_ revision: IncomingRevision) -> Bool { false }

    func ended(_ revision: IncomingRevision, _ outcome: RevisionOutcome) {
        context.updateStatus { $0.completedDocuments += 1 }
        unanswered.count -= 1
        unanswered.size -= revision.request.body.count
        switch outcome {
        case .comesAgain:
            context.updateStatus { $0.totalDocuments += 1 }
            expectedCount += 1
        case .refused(let error), .failed(let error):
            context.count { $0.refused += 1 }
            context.log(.info, "\"\(revision.message.documentID)\" is not stored: \(error)")
        case .stored: context.count { $0.addPulled(isRemoved: revision.message.isDeleted) }
        case .accessRemoved: break
        }
    }
}
