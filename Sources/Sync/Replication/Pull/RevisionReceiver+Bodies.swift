import BLIP
import Base
import DocumentStore
import Fleece
import SyncCore

/// A received revision whose body has been read.
struct ReadRevision {
    let incoming: IncomingRevision
    let body: IncomingBody
    /// The revision in the form in which it is stored.
    private(set) var received: ReceivedRevision

    init(_ incoming: IncomingRevision, _ body: IncomingBody, _ options: RevisionReceiver.Options) {
        let message = incoming.message
        self.incoming = incoming
        self.body = body
        var received = ReceivedRevision(
            documentID: message.documentID,
            revision: message.revision,
            history: message.history,
            mergedCount: message.mergedCount,
            isDeleted: message.isDeleted,
            body: body.body,
            allowsConflict: options.allowsConflicts && !message.refusesConflicts
        )
        received.contents = body.contents
        received.isFromClient = options.remote == nil
        received.treeName = message.treeName
        self.received = received
    }

    /// Notes that the peer has sent blobs for the revision, and that they are stored.
    mutating func noteSent(_ blobs: [BlobReference]) { received.sentBlobs.formUnion(blobs.map(\.digest)) }
}

/// Reads the bodies of revisions and fetches their blobs.
extension RevisionReceiver {
    func process(_ revision: IncomingRevision) {
        let message = revision.message
        do throws(SyncError) {
            guard DocumentIdentifier.isValid(message.documentID) else { throw SyncError(StoreError.invalidDocumentID(message.documentID)) }
            guard let content = try self.content(of: revision) else { return }
            switch content {
            case .accessRemoved where options.access != nil:
                // A client removes nothing from a database that it does not own.
                throw SyncError.missingAccess
            case .accessRemoved:
                // An earlier revision that still waits for blobs would bring the document back.
                if let sequence = message.sequence { expected.overtake(before: sequence) }
                try loseAccess(to: [(message.documentID, message.revision, message.isDeleted)])
                end(revision, .accessRemoved)
            case .body(let body):
                if let maximum = options.maximumDocumentSize, body.body.data.bytes.count > maximum {
                    throw SyncError.documentTooLarge
                }
                guard passes(message.documentID, message.revision, isDeleted: message.isDeleted, body.body) else {
                    throw SyncError.rejectedByPullFilter
                }
                let read = ReadRevision(revision, body, options)
                if body.body.hasBlobs { try checkAccess(read.received) }
                fetchBlobs(of: read)
            }
        } catch {
            if error.concernsDatabase { fail(revision, error) } else { end(revision, .refused(error)) }
        }
    }

    /// Checks that the client may store a revision before its blobs are fetched. It is checked again in the transaction.
    ///
    /// - Throws: {HTTP, 403} if it may not, {HTTP, 400} if the digest of a blob is not valid.
    private func checkAccess(_ revision: ReceivedRevision) throws(SyncError) {
        guard let access = options.access else { return }
        // The current revision may be in the batch.
        if batch.contains(where: { $0.received.documentID.isExactly(revision.documentID) }) { storeBatch() }
        do {
            let current = try collection.currentRevision(of: revision.documentID)
            _ = try Admission(revision, over: current, access.storing(collection.id))
        } catch {
            throw SyncError(error)
        }
    }

    /// Returns the content of a revision; `nil` if it was a delta that could not be applied and the complete body was requested.
    private func content(of revision: IncomingRevision) throws(SyncError) -> ReceivedContent? {
        let message = revision.message
        guard let base = message.deltaBase else { return try wholeContent(of: revision) }
        guard let (old, keys) = try body(of: base, message.documentID) else {
            // Without its base, the revision would be a conflict: the base is not the current revision.
            if message.refusesConflicts || !options.allowsConflicts {
                throw SyncError(webSocket: .conflict, "The base revision of the delta was not found")
            }
            return askForWhole(revision, SyncError(engine: .deltaBaseUnknown, "The base revision of the delta was not found"))
        }
        do throws(SyncError) {
            return try reader.content(delta: revision.request.body, base: old, sharedKeys: keys)
        } catch {
            guard error.isEngine(.corruptDelta) else { throw error }
            return askForWhole(revision, error)
        }
    }

    /// Returns the content of a revision that is not a delta.
    private func wholeContent(of revision: IncomingRevision) throws(SyncError) -> ReceivedContent {
        let json = revision.request.body
        guard options.standsInForSyncGateway, let parsed = try SyncGatewayAnswers.checkReserved(json),
            let inline = try InlineAttachments(
                in: parsed,
                generation: revision.message.revision.generation,
                context.database.blobs,
                maximumSize: options.maximumBlobSize
            )
        else { return try reader.content(json: json) }
        let content = try reader.content(json: inline.json)
        guard case .body(var body) = content else { return content }
        body.contents = inline.contents
        return .body(body)
    }

    private func body(of base: RevisionID, _ documentID: String) throws(SyncError) -> (FleeceData, SharedKeys)? {
        do {
            var body = try collection.body(of: base, documentID: documentID)
            if body == nil, batch.contains(where: { $0.received.documentID.isExactly(documentID) }) {
                // The base may be in the current batch, not stored yet.
                storeBatch()
                body = try collection.body(of: base, documentID: documentID)
            }
            // Otherwise a client could read the base by applying a delta to it.
            if let body, let access = options.access, try !access.mayRead(collection.id, base, of: documentID, body) { return nil }
            return body
        } catch {
            throw SyncError(error)
        }
    }

    private func askForWhole(_ revision: IncomingRevision, _ error: SyncError) -> ReceivedContent? {
        context.respond(to: revision.request, error: error)
        end(revision, .awaitsFullRevision)
        return nil
    }

    /// Returns whether the filter accepts a revision; `body` is `nil` if the user has lost access to the document.
    private func passes(_ documentID: String, _ revision: RevisionID, isDeleted: Bool, _ body: OwnedBody?) -> Bool {
        guard let filter = options.filter else { return true }
        let revision = FilteredRevision(
            documentID: documentID,
            revision: revision,
            isDeleted: isDeleted,
            isAccessRemoved: body == nil,
            body: body?.data ?? .emptyDictionary,
            sharedKeys: body?.keys ?? .empty
        )
        return filter(revision)
    }

    /// Purges documents that the user lost access to, if this is enabled and the filter accepts it.
    func loseAccess(to documents: [(documentID: String, revision: RevisionID, isDeleted: Bool)]) throws(SyncError) {
        guard options.purgesOnLostAccess, !documents.isEmpty else { return }
        let purged = documents.filter { passes($0.documentID, $0.revision, isDeleted: $0.isDeleted, nil) }
        // Stores earlier revisions first. Otherwise they would restore the purged documents.
        storeBatch()
        do {
            try collection.purge(purged.map(\.documentID))
        } catch {
            throw SyncError(error)
        }
    }

    // MARK: Blobs

    /// Fetches the missing blobs of a revision, and then stores the revision.
    func fetchBlobs(of revision: ReadRevision) {
        if let maximum = options.maximumBlobSize, revision.body.blobs.contains(where: { $0.length.map { $0 > maximum } ?? false }) {
            return end(revision.incoming, .refused(.blobTooLarge))
        }
        var missing: [BlobReference] = []
        do {
            var current: Set<BlobDigest>?
            func isUsed(_ digest: BlobDigest) throws -> Bool {
                let known = try current ?? collection.currentBlobs(of: revision.received.documentID)
                current = known
                return known.contains(digest)
            }
            for blob in revision.body.blobs where !revision.received.contents.digests.contains(blob.digest) {
                // The content may have come with a revision that is not stored yet.
                if batch.contains(where: { $0.received.contents.digests.contains(blob.digest) }) { storeBatch() }
                // The rule of ``Admission``.
                let isSent = revision.received.sentBlobs.contains(blob.digest)
                let mustBeSent = try options.access != nil && !isSent && !isUsed(blob.digest)
                if try mustBeSent || !fetcher.isStored(blob, isUsed: { try isUsed(blob.digest) }) { missing.append(blob) }
            }
        } catch {
            return fail(revision.incoming, SyncError(error))
        }
        guard !missing.isEmpty else { return add(revision) }
        if let listed = revision.body.listedDigests, let blob = missing.first(where: { !listed.contains($0.digest) }) {
            let error = SyncError(engine: .notFound, "The blob \(blob.digest.string) is not listed in the document's attachments")
            return end(revision.incoming, .refused(error))
        }
        let wait = BlobWait(count: missing.count, MemoryReservation(context.connection.memory))
        guard context.reserve(missing.count * Self.costOfBlob, in: wait.memory) else { return }
        waitingForBlobsCount += 1
        var complete = revision
        complete.noteSent(missing)
        for blob in missing {
            fetcher.fetch(blob, of: revision.received.documentID) { [weak self, complete] outcome in
                guard wait.end(with: outcome) else { return }
                self?.blobsEnded(complete, failure: wait.failure)
            }
        }
    }

    /// The memory that a revision uses for each blob that it waits for, in bytes.
    private static let costOfBlob = 512

    /// Ends a revision that could not be stored because of a local error. It is not the document's, so the revision must come again.
    private func fail(_ revision: IncomingRevision, _ error: SyncError) {
        context.taskFailed(error)
        end(revision, .failed(error))
    }

    private func blobsEnded(_ revision: ReadRevision, failure: BlobFetcher.Outcome?) {
        waitingForBlobsCount -= 1
        switch failure {
        case .refused(let error):
            let shown = options.standsInForSyncGateway ? SyncGatewayAnswers.blobError(error) : error
            end(revision.incoming, error.isTransient ? .failed(shown) : .refused(shown))
        case .failed(let error): fail(revision.incoming, error)
        case .stored, nil: add(revision)
        }
        processWaiting()
    }
}

/// Counts the blobs that a revision is waiting for.
private final class BlobWait {
    private var count: Int
    private(set) var failure: BlobFetcher.Outcome?
    /// The memory of the requests for the blobs.
    let memory: MemoryReservation

    init(count: Int, _ memory: MemoryReservation) { (self.count, self.memory) = (count, memory) }

    /// Counts a fetched or failed blob. Returns `true` for the last one.
    func end(with outcome: BlobFetcher.Outcome) -> Bool {
        if case .stored = outcome {} else if failure == nil { failure = outcome }
        count -= 1
        return count == 0
    }
}
