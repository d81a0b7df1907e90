import Synchronization

@testable import DocumentStore

/// Records the changes of one collection of which an observer of a file is notified, an entry for each commit.
final class ChangeLog: Sendable {
    private let entries = Mutex<[[String]]>([])
    private let token = Mutex<ChangeFeed.Token?>(nil)

    init(_ file: DatabaseFile, _ collection: CollectionID = .default) {
        let token = file.changes.addObserver { [weak self] changes in
            guard let ids = changes.documents[collection] else { return }
            self?.entries.withLock { $0.append(ids) }
        }
        self.token.withLock { $0 = token }
    }

    var all: [[String]] { entries.withLock { $0 } }

    func stop(_ file: DatabaseFile) {
        token.withLock { $0.map(file.changes.removeObserver) }
    }
}
