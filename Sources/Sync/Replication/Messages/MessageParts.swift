import BLIP
package import Fleece

/// The values of the property `Profile`, which identifies the type of a request (Replication 3.1).
enum Profile {
    static let getCheckpoint = "getCheckpoint"
    static let setCheckpoint = "setCheckpoint"
    static let getCollections = "getCollections"
    static let subChanges = "subChanges"
    static let unsubChanges = "unsubChanges"
    static let ping = "PING"
    static let changes = "changes"
    static let proposeChanges = "proposeChanges"
    static let rev = "rev"
    static let norev = "norev"
    static let getAttachment = "getAttachment"
    static let proveAttachment = "proveAttachment"
}

extension Properties {
    /// The property of `changes` with which a Sync Gateway that replicates as a client allows this message, although there are no conflicting
    /// branches on either side (Replication 3.6).
    static let ignoresNoConflicts = "ignoreNoConflicts"
    /// The property of `rev` with the ID by which clients with trees know a version (Version vectors 7.6).
    static let treeName = "treeName"

    /// Creates the properties of a request. The index of the collection is `nil` on connections without named collections.
    init(_ profile: String, collection: Int?) {
        self = ["Profile": profile]
        self["collection"] = collection.map { String($0) }
    }

    /// Returns the properties of a response to a list of changes: what this side can receive. Vectors are always sent whole (Version
    /// vectors 6.7).
    static func receiving(_ naming: RevisionNaming) -> Properties {
        naming.usesVersions ? ["blobs": "true", "sendReplacementRevs": "1"] : ["maxHistory": "50", "blobs": "true"]
    }

    /// Returns a boolean property, in any of the forms that peers write (Replication 2.4). A missing property is `false`.
    func boolean(_ name: String) -> Bool {
        guard let text = self[name]?.lowercased() else { return false }
        switch text {
        case "true", "yes": return true
        default: return Int64(text).map { $0 != 0 } ?? false
        }
    }

    /// Returns a decimal integer property; `nil` if it is missing or not an integer.
    func integer(_ name: String) -> Int? { self[name].flatMap { Int($0) } }
}

extension ArrayValue {
    /// Returns the items if there are at most `maximum` and all are strings, otherwise `nil`.
    func strings(atMost maximum: Int) -> [String]? {
        guard count <= maximum else { return nil }
        var strings: [String] = []
        for index in 0..<count {
            guard let string = self[index]?.string else { return nil }
            strings.append(string)
        }
        return strings
    }
}

extension FleeceData {
    /// Parses the JSON body of a message. The root may be any value.
    package static func parsing(json: [UInt8]) throws -> FleeceData {
        try json.withUnsafeBytes { try JSON.fleece($0, allowingFragments: true) }
    }
}
