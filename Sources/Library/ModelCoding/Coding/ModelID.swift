import DatabaseRuntime
package import DocumentStore
package import Foundation

/// What the ID of a model's document is.
package enum ModelID {
    /// It is in the property of type ``ModelTypes/documentID``, with the revision.
    case wrapper(DocumentIdentity)
    /// It is the `id` of an `Identifiable` type.
    case property(String)

    /// - Throws: ``ModelIDError`` if the model has no ID; `EncodingError` if its `id` is not encoded as a string.
    package init(of model: Any, _ types: ModelTypes) throws {
        if let wrapper = types.wrapper(model) {
            self = .wrapper(wrapper)
        } else if let model = model as? any Identifiable {
            self = .property(try ModelEncoding.documentID(model.id, types: types))
        } else {
            throw ModelIDError.missing("\(type(of: model))")
        }
    }

    /// The ID; `nil` if none has been set yet.
    package var string: String? {
        switch self {
        case .wrapper(let wrapper): wrapper.id
        case .property(let id): id
        }
    }

    /// The ID of a document that should exist.
    ///
    /// - Throws: ``StoreError/notFound(what:)`` if the model has no ID.
    package var existing: String {
        get throws(StoreError) {
            if let string { return string }
            throw .notFound(what: "the document of a model without an ID")
        }
    }

    /// Returns the revision on which a change of the document is based.
    ///
    /// - Parameter failsOnConflict: Whether the document is not changed if it has another revision now.
    /// - Throws: ``ModelIDError`` if conflicts are to be detected, but the model has no revision.
    package func base(failsOnConflict: Bool) throws(ModelIDError) -> DocumentSave.Base {
        switch self {
        case .wrapper(let wrapper): return wrapper.base(failsOnConflict: failsOnConflict)
        case .property:
            guard !failsOnConflict else { throw .hasNoRevision }
            return .latest
        }
    }

    /// The model, if it is an object with a wrapper; `nil` for a value, and for an object without one.
    package func object(updatedIn model: Any) -> AnyObject? { wrapper(updatedIn: model).map { _ in model as AnyObject } }

    /// The wrapper of an object, which a change of the document updates; `nil` for a value, whose copies may share the wrapper.
    package func wrapper(updatedIn model: Any) -> DocumentIdentity? {
        guard case .wrapper(let wrapper) = self, type(of: model) is AnyClass else { return nil }
        return wrapper
    }
}

extension ModelTypes {
    /// Returns the wrapper that the class of `object` itself declares.
    ///
    /// - Throws: ``ModelIDError`` if there is none.
    package func wrapper(of object: AnyObject) throws(ModelIDError) -> DocumentIdentity {
        guard let wrapper = self.wrapper(object as Any) else { throw .hasNoWrapper("\(type(of: object))") }
        return wrapper
    }

    /// Returns the wrapper that `object` has now, which was `earlier`: another one if the app has set the ID in the meantime.
    package func wrapper(of object: AnyObject, after earlier: DocumentIdentity) -> DocumentIdentity {
        earlier.wasReplaced ? wrapper(object as Any) ?? earlier : earlier
    }
}

/// The reason why a model has no document, or not the one that it should have.
package enum ModelIDError: PublicErrorConvertible, CustomStringConvertible {
    /// The type has no property for the ID of its document.
    case missing(_ type: String)
    /// The class has no property that is marked with `@DocumentID`, which the call needs.
    case hasNoWrapper(_ type: String)
    /// A conflict is to be detected, but the model does not contain the revision it was read from.
    case hasNoRevision
    /// The decoded model has another ID than its document.
    case isNotDecoded(_ type: String, id: String?)

    package var description: String {
        switch self {
        case .missing(let type): "The type \(type) has no property that is marked with @DocumentID, and is not Identifiable"
        case .hasNoWrapper(let type): "The class \(type) has no property that is marked with @DocumentID"
        case .hasNoRevision: "Conflicts can only be detected if the type of the model has a property that is marked with @DocumentID"
        case .isNotDecoded(let type, let id):
            """
            \(id.map { "Document \"\($0)\": " } ?? "")the type \(type) does not take its ID from the document; its init(from:) must decode \
            the property that contains the ID
            """
        }
    }

    package var publicError: NSError {
        switch self {
        case .missing, .hasNoWrapper, .hasNoRevision: LibraryError(LibraryError.Code.invalidParameter, description)
        case .isNotDecoded: LibraryError(LibraryError.Code.decodingError, description)
        }
    }
}
