import Base
package import DocumentStore
package import Fleece

extension ModelShape {
    /// Decodes the body of a document as a value that has the ID and revision of the document. A type that cannot be encoded needs no ID.
    ///
    /// - Throws: ``ModelIDError`` if the type does not take its ID from the document; the errors of ``ModelDecoding`` and ``ModelID``.
    package func decode<Model: Decodable>(
        _ type: Model.Type,
        from body: Value?,
        of source: any ModelSource,
        id: String,
        revision: RevisionID
    ) throws -> Model {
        let identity = ModelIdentity(id: id, revision: revision, key: idKey)
        let model = try ModelDecoding(source, types: types, identity: identity).decode(type, from: body)
        // A value that cannot be saved cannot be saved as the wrong document.
        guard isEncodable || types.wrapper(model) != nil else { return model }
        let modelID = try ModelID(of: model, types)
        if let wrapper = modelID.wrapper(updatedIn: model) {
            wrapper.stands(for: id, revision)
            return model
        }
        var hasRevision = true
        if case .wrapper(let wrapper) = modelID { hasRevision = wrapper.revision == revision }
        guard hasRevision, modelID.string?.isExactly(id) == true else { throw ModelIDError.isNotDecoded("\(type)", id: id) }
        return model
    }

    /// Decodes the body of a revision as a value, also if the type has no ID.
    ///
    /// - Throws: The errors of ``ModelDecoding``.
    package func decode<Model: Decodable>(
        _ type: Model.Type,
        from body: Value?,
        of source: any ModelSource,
        in documentID: String,
        _ revision: RevisionID
    ) throws -> Model {
        let identity = ModelIdentity(id: documentID, revision: revision, key: idKey)
        return try ModelDecoding(source, types: types, identity: identity).decode(type, from: body)
    }

    /// Decodes the body that a model has encoded, so that the model has a wrapper of its own, which can be updated after the save.
    ///
    /// - Parameters:
    ///   - model: The model, which is replaced.
    ///   - source: The encoded body.
    ///   - wrapper: The wrapper of the model.
    ///   - counters: The counters that the model has encoded, which the new model gets.
    /// - Returns: The new wrapper.
    /// - Throws: ``ModelIDError`` if the type does not take its ID from the document; the errors of ``ModelDecoding``.
    package func replace<Model: Decodable>(
        _ model: inout Model,
        from source: any ModelSource,
        _ wrapper: DocumentIdentity,
        _ counters: EncodedCounters
    ) throws -> DocumentIdentity {
        let own = wrapper.separated()
        let decoding = ModelDecoding(source, types: types, identity: ModelIdentity(own), isDefault: false, counters: counters)
        let copy = try decoding.decode(Model.self, from: source.data.root)
        guard types.wrapper(copy)?.sharesState(with: own) == true else { throw ModelIDError.isNotDecoded("\(Model.self)", id: wrapper.id) }
        model = copy
        return own
    }
}
