package import DocumentStore

/// The users and roles of the databases of an inspector, as their owner passes them. The page shows them, and cannot change them.
package struct InspectedUsers: Sendable {
    /// A user without the password.
    package struct User: Sendable {
        let name: String
        let channels: [String]
        let roles: [String]
        let isDisabled: Bool

        /// Creates what is shown of a user.
        package init(name: String, channels: [String], roles: [String], isDisabled: Bool) {
            (self.name, self.channels, self.roles, self.isDisabled) = (name, channels, roles, isDisabled)
        }
    }

    /// A set of channels with a name.
    package struct Role: Sendable {
        let name: String
        let channels: [String]

        /// Creates what is shown of a role.
        package init(name: String, channels: [String]) { (self.name, self.channels) = (name, channels) }
    }

    /// Returns the database in which the users and roles are stored, whose commits are observed. Throws if it is closed.
    let openFile: @Sendable () throws -> DatabaseFile
    /// Returns the first users and roles, at most a number of each, and how many there are.
    let read: @Sendable (_ limit: Int) throws -> Lists

    /// The first users and roles.
    package struct Lists: Sendable {
        let users: [User]
        let roles: [Role]
        let userCount: Int
        let roleCount: Int

        /// - Parameters:
        ///   - userCount: The number of all users.
        ///   - roleCount: The number of all roles.
        package init(users: [User], userCount: Int, roles: [Role], roleCount: Int) {
            (self.users, self.userCount, self.roles, self.roleCount) = (users, userCount, roles, roleCount)
        }
    }

    /// The most users, and the most roles, that are sent to the page.
    static let maximumCount = 1_000

    /// - Parameters:
    ///   - openFile: Returns the database in which they are stored. Throws if it is closed.
    ///   - read: Returns the first users and roles, at most a number of each, and how many there are.
    package init(openFile: @escaping @Sendable () throws -> DatabaseFile, read: @escaping @Sendable (_ limit: Int) throws -> Lists) {
        (self.openFile, self.read) = (openFile, read)
    }

    /// What the page shows.
    func value() throws -> AnswerObject {
        let lists = try read(Self.maximumCount)
        let users = lists.users.map { user -> AnswerObject in
            [
                "name": user.name, "channels": user.channels, "roles": user.roles,
                "disabled": user.isDisabled,
            ]
        }
        let roles: [AnswerObject] = lists.roles.map { ["name": $0.name, "channels": $0.channels] }
        return [
            "users": users, "userCount": lists.userCount,
            "roles": roles, "roleCount": lists.roleCount,
        ]
    }
}
