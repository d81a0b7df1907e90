import Base
package import DocumentStore
package import Fleece

extension ModelShape {
    /// Decodes the body of a document as a value that has the ID and revision of the document.
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

    /// Decodes the body that a model has encoded, so that the model has a wrapper of its own, which can be updated after the save.
    ///
    /// - Parameters:
    ///   - model: The model, which is replaced.
    ///   - source: The encoded body.
    ///   - wrapper: The wrapper of the model.
    /// - Returns: The new wrapper.
    /// - Throws: ``ModelIDError`` if the type does not take its ID from the document; the errors of ``ModelDecoding``.
    package func replace<Model: Decodable>(
        _ model: inout Model,
        from source: any ModelSource,
        _ wrapper: DocumentIdentity
    ) throws -> DocumentIdentity {
        let own = wrapper.separated()
        let copy = try ModelDecoding(source, types: types, identity: ModelIdentity(own)).decode(Model.self, from: source.data.root)
        guard types.wrapper(copy)?.sharesState(with: own) == true else { throw ModelIDError.isNotDecoded("\(Model.self)", id: wrapper.id) }
        model = copy
        return own
    }
}
