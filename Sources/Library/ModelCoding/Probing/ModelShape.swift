import Base
import Synchronization

/// What the library knows about a type of models: how it is identified, and under which keys it stores its properties.
///
/// Found by decoding sample values, as by ``ModelProbe``, once for each type.
package final class ModelShape: Sendable {
    /// The key of the property `id` that represents the ID of the document; `nil` if the model is identified in another way.
    package let idKey: String?
    let fields: ModelFields
    let types: ModelTypes
    /// Whether values of the type can be encoded, and so saved under their IDs.
    let isEncodable: Bool

    private struct Key: Hashable {
        let model: ObjectIdentifier
        let types: ObjectIdentifier
    }
    /// The types of models that were used so far.
    private static let known = Mutex<[Key: ModelShape]>([:])

    /// Returns what is known about a type of models.
    package static func of(_ model: any Decodable.Type, _ types: ModelTypes) -> ModelShape {
        let key = Key(model: ObjectIdentifier(model), types: ObjectIdentifier(types))
        if let shape = known.withLock({ $0[key] }) { return shape }
        // Decoding runs code of the app, so the lock is not held meanwhile.
        let shape = ModelShape(model, types)
        known.withLock { $0[key] = shape }
        return shape
    }

    private init(_ model: any Decodable.Type, _ types: ModelTypes) {
        // Types are described once, so it suffices to decode a type that contains itself once.
        let record = ProbeRecord(types, recursion: 1, leafLimit: ProbeRecord.maximumLeafCount, samples: CaseSamples(of: model, types))
        record.fields = ModelFields(of: model, types)
        _ = try? model.init(from: ProbeDecoder(record))
        var fields = record.fields ?? ModelFields(of: model, types)
        let wrappers = record.values.filter { $0.value.contains { $0 is any ModelDocumentID } }.keys.filter(Self.isOfObject)
        for path in wrappers where path.count == 1 { fields.identify(by: path[0]) }
        if wrappers.isEmpty, let model = model as? any (Decodable & Identifiable).Type {
            idKey = Self.idKey(of: model, types)
            if let idKey { fields.identify(by: idKey) }
        } else {
            idKey = nil
        }
        self.fields = fields
        self.types = types
        isEncodable = model is any Encodable.Type
    }

    /// Whether the value at a path is a property of the model itself or of its superclass.
    private static func isOfObject(_ path: [String]) -> Bool { path.dropLast().allSatisfy { $0.isExactly(SuperKey.super.stringValue) } }

    private static func idKey<Model: Decodable & Identifiable>(of model: Model.Type, _ types: ModelTypes) -> String? {
        let probe = ModelProbe(model, types)
        // Usually the name of the property is also its key, which takes one decoding to confirm.
        if probe.isStored(\Model.id, at: ["id"]) { return "id" }
        switch probe.place(of: \Model.id) {
        case .found(let path): return path.count == 1 ? path[0] : nil
        case .unknown, .tooLarge: return probe.accepts(key: "id") ? "id" : nil
        case .id, .computed: return nil
        }
    }
}
