import DocumentStore
import ExactStrings
import Fleece
import ModelCoding

/// What the ID of a model's document is.
enum ModelID {
    /// It is in the property that is marked with ``DocumentID``, with the revision.
    case wrapper(DocumentID)
    /// It is the `id` of an `Identifiable` type.
    case property(String)

    /// - Throws: `invalidParameter` if the model has no ID; `EncodingError` if its `id` is not encoded as a string.
    init(of model: Any) throws {
        if let wrapper = DocumentID.find(in: model) {
            self = .wrapper(wrapper)
        } else if let model = model as? any Identifiable {
            self = .property(try ModelEncoding.documentID(model.id, types: .ofAPI))
        } else {
            throw NSError.couchbaseLite(
                CBLError.invalidParameter,
                "The type \(type(of: model)) has no property that is marked with @DocumentID, and is not Identifiable"
            )
        }
    }

    /// The ID; `nil` if none has been set yet.
    var string: String? {
        switch self {
        case .wrapper(let wrapper): wrapper.wrappedValue
        case .property(let id): id
        }
    }

    /// The ID of a document that should exist.
    ///
    /// - Throws: `notFound` if the model has no ID.
    var existing: String {
        get throws {
            if let string { return string }
            throw StoreError.notFound(what: "the document of a model without an ID")
        }
    }

    /// Returns the revision on which a change of the document is based.
    ///
    /// - Throws: `invalidParameter` if conflicts are to be detected, but the model has no revision.
    func base(_ concurrencyControl: ConcurrencyControl) throws -> DocumentSave.Base {
        switch self {
        case .wrapper(let wrapper): return wrapper.base(concurrencyControl)
        case .property:
            guard concurrencyControl == .lastWriteWins else {
                throw NSError.couchbaseLite(
                    CBLError.invalidParameter,
                    "Conflicts can only be detected if the type of the model has a property that is marked with @DocumentID"
                )
            }
            return .latest
        }
    }

    /// The wrapper of an object, which a change of the document updates; `nil` for a value, whose copies may share the wrapper.
    func wrapper(updatedIn model: Any) -> DocumentID? {
        guard case .wrapper(let wrapper) = self, type(of: model) is AnyClass else { return nil }
        return wrapper
    }
}

extension ModelShape {
    /// Decodes the body of a document as a value that has the ID and revision of the document.
    ///
    /// - Throws: `decodingError` if the type does not take its ID from the document; the errors of `ModelDecoding` and `ModelID`.
    func decode<Model: Decodable>(
        _ type: Model.Type,
        from body: Value?,
        of source: FleeceSource,
        id: String,
        revision: RevisionID
    ) throws -> Model {
        let identity = ModelIdentity(id: id, revision: revision, key: idKey)
        let model = try ModelDecoding(source, types: .ofAPI, identity: identity).decode(type, from: body)
        let modelID = try ModelID(of: model)
        if let wrapper = modelID.wrapper(updatedIn: model) {
            wrapper.stands(for: id, revision)
            return model
        }
        var hasRevision = true
        if case .wrapper(let wrapper) = modelID { hasRevision = wrapper.revision == revision }
        guard hasRevision, modelID.string?.isExactly(id) == true else { throw Self.otherID(type, id) }
        return model
    }

    /// Decodes the body that `model` has encoded as a value with a wrapper of its own, which can be updated after the save.
    ///
    /// - Throws: `decodingError` if the type does not take its ID from the document; the errors of `ModelDecoding`.
    func copy<Model: Decodable>(
        of model: Model,
        from body: EncodedBody,
        _ wrapper: DocumentID,
        in database: Database
    ) throws -> (model: Model, wrapper: DocumentID) {
        let data = body.data
        let source = FleeceSource(data: data, sharedKeys: body.sharedKeys, database: database)
        let own = wrapper.separated()
        let copy = try ModelDecoding(source, types: .ofAPI, identity: ModelIdentity(own)).decode(Model.self, from: data.root)
        guard DocumentID.find(in: copy)?.sharesState(with: own) == true else { throw Self.otherID(Model.self, wrapper.wrappedValue) }
        return (copy, own)
    }

    private static func otherID(_ type: Any.Type, _ id: String?) -> NSError {
        .couchbaseLite(
            CBLError.decodingError,
            """
            \(id.map { "Document \"\($0)\": " } ?? "")the type \(type) does not take its ID from the document; its init(from:) must decode \
            the property that contains the ID
            """
        )
    }
}
