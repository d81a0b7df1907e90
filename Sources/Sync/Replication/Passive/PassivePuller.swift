import BLIP
import Base
import DocumentStore
import SyncCore

/// Receives the revisions that a client pushes to a collection (Replication 6.3).
///
/// It does not wait for revisions: the client sends those it was told are wanted, and each is acknowledged after it was stored.
final class PassivePuller {
    private let context: SessionContext
    private let collection: ReplicaCollection
    private let options: PassiveOptions
    private let receiver: RevisionReceiver
    /// The number of received revisions that are not stored yet, and the size of their bodies in bytes.
    private var unanswered = (count: 0, size: 0)

    init(_ context: SessionContext, _ collection: ReplicaCollection, index: Int?, _ options: PassiveOptions) {
        self.context = context
        self.collection = collection
        self.options = options
        let receiving = RevisionReceiver.Options(
            remote: nil,
            allowsConflicts: options.allowsConflicts,
            maximumDocumentSize: options.maximumDocumentSize,
            maximumBlobSize: options.maximumBlobSize,
            access: options.access,
            standsInForSyncGateway: options.standsInForSyncGateway
        )
        receiver = RevisionReceiver(context, collection, collectionIndex: index, options: receiving)
        receiver.owner = self
    }

    var isBusy: Bool { receiver.isBusy }

    func disconnected() { receiver.disconnected() }

    /// - Throws: The error to respond with.
    func handle(_ request: IncomingRequest) throws {
        switch request.profile {
        case Profile.changes: try handleChanges(request)
        case Profile.proposeChanges: try handleProposals(request)
        case Profile.rev: try handleRevision(request)
        default:
            // `norev`: the client cannot send a revision that is wanted.
            receiver.expectedCount = max(0, receiver.expectedCount - 1)
            context.respond(to: request)
        }
    }

    private func handleRevision(_ request: IncomingRequest) throws {
        receiver.expectedCount = max(0, receiver.expectedCount - 1)
        // The client could not read the revision (Replication 3.8).
        if request.properties["error"] != nil { return context.respond(to: request) }
        let message = try RevisionMessage(request.properties, context.naming)
        guard !request.isTooLarge else {
            context.count { $0.refused += 1 }
            context.later { [context] in
                context.log(.info, "\"\(message.documentID)\" was refused: it exceeds the maximum document size")
            }
            throw SyncError.documentTooLarge
        }
        guard unanswered.count < options.maximumUnanswered.count, unanswered.size < options.maximumUnanswered.size else {
            context.count { $0.refused += 1 }
            throw SyncError(http: .unavailable, "too many revisions are waiting to be stored")
        }
        context.updateStatus { $0.totalDocuments += 1 }
        unanswered.count += 1
        unanswered.size += request.body.count
        receiver.receive(request, message)
    }

    /// Handles `changes`, from a client that did not check its revisions for conflicts (Replication 3.6, 4.6).
    private func handleChanges(_ request: IncomingRequest) throws {
        let rows = try ChangeRow.rows(request.body, context.naming)
        guard !rows.isEmpty else { return context.respond(to: request) }
        // A Sync Gateway learns of a conflict from the response to the revision, and takes any other answer here than a list for "known".
        let isFromGateway = options.standsInForSyncGateway && request.properties.boolean(Properties.ignoresNoConflicts)
        guard options.allowsConflicts || isFromGateway || context.naming.usesVersions else {
            throw SyncError(blip: .conflict, "Use 'proposeChanges' instead")
        }
        let offers = rows.map(\.offer)
        let valid = offers.compactMap(\.self)
        var answers = try collection.compare(
            valid,
            OfferOptions(remote: nil, needsBodies: options.usesDeltas, refusesConflicts: !isFromGateway)
        ).makeIterator()
        let reply = offers.map { offer -> ChangeAnswer in
            guard offer != nil, let answer = answers.next() else { return isFromGateway ? .notWanted : .refused(400) }
            switch answer {
            case .have: return .notWanted
            case .want(let ancestors):
                receiver.expectedCount += 1
                return .wanted(ancestors)
            case .conflict: return .refused(409)
            }
        }
        context.respond(
            to: request,
            with: answer(body: ChangeAnswer.body(try hidden(offers.map { $0?.documentID }, reply), context.naming))
        )
    }

    /// Replaces the answers for documents that the client may not read, so that they do not show what is stored. The revisions are refused
    /// when they come.
    private func hidden(_ documentIDs: [String?], _ answers: [ChangeAnswer]) throws -> [ChangeAnswer] {
        guard options.access != nil else { return answers }
        return try zip(documentIDs, answers).map { documentID, answer in
            guard let documentID, try isHidden(documentID) else { return answer }
            if case .wanted = answer {} else { receiver.expectedCount += 1 }
            return .wanted([])
        }
    }

    /// Returns whether the client may not know what is stored of a document. Of a damaged one it is not known who may read it: the revision is
    /// requested, so that storing it reports the error of the document.
    private func isHidden(_ documentID: String) throws -> Bool {
        do {
            return try !collection.isReadable(documentID, by: options.access)
        } catch StoreError.corruptDocument {
            return true
        }
    }

    /// Handles `proposeChanges` (Replication 3.7).
    private func handleProposals(_ request: IncomingRequest) throws {
        let proposals = try Proposals(body: request.body, context.naming)
        guard !proposals.rows.isEmpty || !options.standsInForSyncGateway else { return context.respond(to: request) }
        guard !proposals.rows.isEmpty else { return context.respond(to: request, with: answer(body: Array("[]".utf8))) }
        var answers = try proposals.answers {
            try collection.evaluate($0, comparingVectors: options.standsInForSyncGateway)
        }
        if options.access != nil {
            // What is stored is not shown to a client that may not read it. The revision is refused when it comes.
            for (index, row) in proposals.rows.enumerated() {
                guard let row, try isHidden(row.documentID) else { continue }
                answers[index] = .send
            }
        }
        receiver.expectedCount += answers.count { $0 == .send }
        let namesRevisions = request.properties.boolean("conflictIncludesRev")
        context.respond(to: request, with: answer(body: Proposals.reply(answers, namesRevisions: namesRevisions, context.naming)))
    }

    /// Returns the response to a list of changes, with the capabilities of this side.
    private func answer(body: [UInt8]) -> OutgoingMessage {
        var properties = Properties.receiving(context.naming)
        if options.usesDeltas { properties["deltas"] = "true" }
        return OutgoingMessage(properties, body: body, isCompressed: true)
    }
}

extension PassivePuller: RevisionReceiverOwner {
    func ended(_ revision: IncomingRevision, _ outcome: RevisionOutcome) {
        context.updateStatus { $0.completedDocuments += 1 }
        unanswered.count -= 1
        unanswered.size -= revision.request.body.count
        switch outcome {
        case .awaitsFullRevision:
            context.updateStatus { $0.totalDocuments += 1 }
            receiver.expectedCount += 1
        case .refused(let error), .failed(let error):
            context.count { $0.refused += 1 }
            context.log(.info, "\"\(revision.message.documentID)\" was not stored: \(error)")
        case .stored: context.count { $0.addPulled(isRemoved: revision.message.isDeleted) }
        case .accessRemoved: break
        }
    }
}
