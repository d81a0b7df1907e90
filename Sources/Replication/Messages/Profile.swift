/// The values of the property `Profile`, which identifies the type of a request (Replication 3.1).
package enum Profile {
    package static let getCheckpoint = "getCheckpoint"
    package static let setCheckpoint = "setCheckpoint"
    package static let getCollections = "getCollections"
    package static let subChanges = "subChanges"
    package static let changes = "changes"
    package static let proposeChanges = "proposeChanges"
    package static let rev = "rev"
    package static let norev = "norev"
    package static let getAttachment = "getAttachment"
    package static let proveAttachment = "proveAttachment"
}
