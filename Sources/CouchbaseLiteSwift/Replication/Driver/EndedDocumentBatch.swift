#if Replication
    import DocumentStore
    import Replication

    /// Documents that have been replicated and are to be told together: after 200 ms, or when there are a hundred (Replication 4.12).
    final class EndedDocumentBatch: @unchecked Sendable {
        // Unchecked: it is touched on the queue of its replicator only.
        private static let interval: Int64 = 200
        private static let largest = 100

        private var replicator: Replicator?
        private var pushed: [ReplicatedDocument] = []
        private var pulled: [ReplicatedDocument] = []
        private var wakeUp: WakeUp?

        init(_ replicator: Replicator) {
            self.replicator = replicator
        }

        func add(_ document: ReplicatedDocument, isPush: Bool) {
            if isPush { pushed.append(document) } else { pulled.append(document) }
        }

        /// Tells the documents when it is time for it.
        func flushSoon(
            _ listeners: ListenerList<DocumentReplication>,
            _ clock: any SteadyClock,
            _ queue: DispatchQueue
        ) {
            let count = pushed.count + pulled.count
            if count >= Self.largest { return flush(listeners) }
            guard count > 0, wakeUp == nil else { return }
            wakeUp = clock.wake(at: clock.now + Self.interval, on: queue) { [weak self] in self?.flush(listeners) }
        }

        /// Tells what there is: the pushed documents and the pulled ones apart.
        func flush(_ listeners: ListenerList<DocumentReplication>) {
            wakeUp?.cancel()
            wakeUp = nil
            guard let replicator else { return }
            let groups = [(true, pushed), (false, pulled)]
            (pushed, pulled) = ([], [])
            for (isPush, documents) in groups where !documents.isEmpty {
                listeners.tell(DocumentReplication(replicator: replicator, isPush: isPush, documents: documents))
            }
        }

        func forget() {
            wakeUp?.cancel()
            wakeUp = nil
            (pushed, pulled) = ([], [])
            replicator = nil
        }
    }

    extension ReplicatedDocument {
        init(_ ended: EndedDocument) {
            var flags: DocumentFlags = []
            if ended.isDeleted { flags.insert(.deleted) }
            if ended.isAccessRemoved { flags.insert(.accessRemoved) }
            self.init(ended.documentID, in: ended.collection, flags, ended.error?.publicError)
        }

        init(_ documentID: String, in collection: CollectionID, _ flags: DocumentFlags, _ error: NSError?) {
            id = documentID
            self.flags = flags
            self.error = error
            scope = collection.scope
            self.collection = collection.name
        }
    }
#endif
