#if Replication
import DocumentStore

/// What each database has of a user: local documents, and the checkpoints of the user's clients. Both are in the store of checkpoints, with keys that
/// begin with a word and the name of the user. Names of users contain no colon, and no other keys begin with these words.
enum UserEntries {
    /// What the keys of all local documents of a user begin with.
    static func localDocuments(of userName: String?) -> String { "local:\(userName ?? ""):" }

    /// What the keys of the checkpoints of all clients of a user begin with.
    static func checkpoints(of userName: String?) -> String { "sync:\(userName ?? ""):" }

    /// Removes all of a user.
    static func removeAll(of userName: String, in database: HubDatabase) throws {
        try database.file.transaction { writer in
            for prefix in [localDocuments(of: userName), checkpoints(of: userName)] {
                try RawStore.peerCheckpoints.removeAll(keysFrom: prefix, in: writer)
            }
        }
    }
}
#endif
