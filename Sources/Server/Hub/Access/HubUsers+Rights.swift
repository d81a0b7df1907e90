#if Replication
import DocumentStore
import Foundation

extension HubUsers {
    /// Returns what a user may do, or `nil` if there is no enabled user of that name.
    func access(of name: String) throws -> HubAccess? {
        guard let user = try self.user(name), !user.isDisabled else { return nil }
        return try access(of: name, user)
    }

    private func access(of name: String, _ user: User) throws -> HubAccess {
        var channels = user.channels
        for role in user.roles { channels += try self.role(role)?.channels ?? [] }
        return HubAccess(userName: name, channels: channels, password: user.password)
    }

    /// Returns what a user may do, with the history of the user's channels; `nil` if there is no enabled user of that name. Begins the history if
    /// there is none.
    func rights(of name: String) throws -> FeedRights? {
        guard let access = try self.access(of: name) else { return nil }
        if let history = try self.history(of: name), history.isCurrent(access.channels) {
            return FeedRights(access: access, history: history)
        }
        return try database.file.transaction { writer in
            guard let access = try self.access(of: name) else { return nil }
            return FeedRights(access: access, history: try noteChannels(access, in: writer))
        }
    }

    /// Begins an epoch of the history of a user if the user's channels have changed. Called in the transaction that changes them: documents that come
    /// into a lost channel afterwards are not for the user. A user without a history has not been served yet.
    func noteChannels(of name: String, _ user: User, in writer: Writer) throws {
        guard try history(of: name) != nil else { return }
        _ = try noteChannels(access(of: name, user), in: writer)
    }

    private func noteChannels(_ access: HubAccess, in writer: Writer) throws -> AccessHistory {
        let name = access.userName ?? ""
        let stored = try history(of: name)
        var history = stored ?? AccessHistory(access.channels)
        if !history.isCurrent(access.channels) { history.begin(access.channels, at: try AccessClock.advance(in: database.file, writer)) }
        if history != stored { try write(history, of: name, in: writer) }
        return history
    }

    /// Forgets the channels of a user that is removed.
    func forgetChannels(of name: String, in writer: Writer) throws {
        guard var history = try self.history(of: name) else { return }
        history.forget(at: try AccessClock.advance(in: database.file, writer))
        try write(history, of: name, in: writer)
    }

    private func write(_ history: AccessHistory, of name: String, in writer: Writer) throws {
        try RawStore.channels.set("user/" + name, to: .init(body: Array(JSONEncoder().encode(history))), in: writer)
    }

    private func history(of name: String) throws -> AccessHistory? {
        try database.file.read { try RawStore.channels.document("user/" + name, on: $0) }
            .map { try JSONDecoder().decode(AccessHistory.self, from: Data($0.body)) }
    }
}
#endif
