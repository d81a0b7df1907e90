import Base
import DocumentStore
import Fleece
import Synchronization

/// What a type of models declares about documents that its earlier versions have stored: the default values of properties that such a document
/// lacks, and the keys under which properties were stored before.
final class ModelEvolution: Sendable {
    /// The default value of the type as it would be stored; `nil` if it has none, or none that is stored under keys.
    let defaults: (any ModelSource)?
    /// For each key, the former ones, the newest first.
    let formerKeys: [ExactString: [String]]

    private struct Key: Hashable {
        let type: ObjectIdentifier
        let types: ObjectIdentifier
    }
    /// The types that were used so far; `nil` for those that declare nothing.
    private static let known = Mutex<[Key: ModelEvolution?]>([:])

    /// Returns what a type declares; `nil` if that is nothing. The default value is read once for each type.
    static func of(_ type: Any.Type, _ types: ModelTypes) -> ModelEvolution? {
        let key = Key(type: ObjectIdentifier(type), types: ObjectIdentifier(types))
        if let known = known.withLock({ $0[key] }) { return known }
        // This runs code of the app, so the lock is not held meanwhile.
        let evolution = ModelEvolution(type, types)
        known.withLock { $0[key] = .some(evolution) }
        return evolution
    }

    private init?(_ type: Any.Type, _ types: ModelTypes) {
        let (value, former) = (types.defaultValue(type), types.formerKeys(type))
        guard value != nil || !former.isEmpty else { return nil }
        var keys: [ExactString: [String]] = [:]
        for (key, names) in former { keys[ExactString(key)] = names }
        formerKeys = keys
        do {
            defaults = try value.flatMap { $0 is any RawRepresentable ? nil : try DefaultSource($0, types) }
        } catch {
            EngineLog.log(.error, .database, "The default value of \(type) cannot be stored, so it is not used: \(error)")
            defaults = nil
        }
    }
}

/// The stored form of a default value that is stored under keys.
private struct DefaultSource: ModelSource {
    let data: FleeceData
    let sharedKeys: SharedKeys

    init(_ value: any Encodable, _ types: ModelTypes) throws {
        let body = BodyEncoder()
        // The encoded value lies in the memory of the encoder.
        defer { withExtendedLifetime(body) {} }
        let encoded = try ModelEncoding.encode(value, with: body, types: types, blobs: types.constantBlobs)
        (data, sharedKeys) = (encoded.data, encoded.sharedKeys)
    }

    /// Default values have no blobs, whose content could not be stored without a database.
    func isBlob(_ value: Value) -> Bool { false }

    func makeBlob(for value: Value) -> any ModelBlob { preconditionFailure("a default value has no blobs") }
}
