import ModelCoding
import QueryLanguage

// The other ways to the documents of a collection as values, from before `ModelCollection.query`.

extension ModelCollection {
    /// As ``query(where:orderBy:limit:offset:)-(Predicate<Model>?,_,_,_)``, but throws ``CBLError/invalidQuery`` at once.
    @available(*, deprecated, renamed: "query(where:orderBy:limit:offset:)")
    public func `where`(
        _ predicate: Predicate<Model>,
        orderBy sortDescriptors: [SortDescriptor<Model>] = [],
        limit: Int? = nil,
        offset: Int = 0
    ) throws -> ModelQuery<Model> {
        try query(where: predicate, orderBy: sortDescriptors, limit: limit, offset: offset).checked()
    }

    @available(*, deprecated, message: "Use query(orderBy:limit:offset:).all()")
    public func all(orderBy sortDescriptors: [SortDescriptor<Model>] = [], limit: Int? = nil, offset: Int = 0) throws -> [Model] {
        try query(orderBy: sortDescriptors, limit: limit, offset: offset).all()
    }

    @available(*, deprecated, message: "Use query(where:).count()")
    public func count(where predicate: Predicate<Model>? = nil) throws -> Int { try query(where: predicate).count() }
}

extension ModelCollection where Model: Encodable {
    @available(*, deprecated, message: "Use query(where:).update(_:)") @discardableResult
    public func update(where predicate: Predicate<Model>? = nil, _ change: (inout Model) throws -> Void) throws -> Int {
        try query(where: predicate).update(change)
    }

    @available(*, deprecated, message: "Use query(where:).delete()") @discardableResult
    public func delete(where predicate: Predicate<Model>) throws -> Int { try query(where: predicate).delete() }
}

extension ModelCollection where Model: Sendable {
    @available(*, deprecated, message: "Use query(where:orderBy:limit:offset:).live()")
    public func live(
        where predicate: Predicate<Model>? = nil,
        orderBy sortDescriptors: [SortDescriptor<Model>] = [],
        limit: Int? = nil,
        offset: Int = 0
    ) -> LiveModels<Model> {
        query(where: predicate, orderBy: sortDescriptors, limit: limit, offset: offset).live()
    }
}

extension ModelQuery {
    @available(*, deprecated, renamed: "all()")
    public func execute() throws -> [Model] { try all() }

    /// Returns the query; throws `invalidQuery` if it is invalid.
    fileprivate func checked() throws -> Self {
        _ = try throwingPublicErrors { try query.draft.tree.get() }
        return self
    }
}

extension Collection {
    /// As ``ModelCollection/query(where:orderBy:limit:offset:)-(Predicate<Model>?,_,_,_)``, also for `Codable` types without an ID; throws ``CBLError/invalidQuery`` at once.
    @available(*, deprecated, message: "Use models(_:).query(where:orderBy:limit:offset:)")
    public func query<Model: Decodable>(
        of model: Model.Type = Model.self,
        where predicate: Predicate<Model>? = nil,
        orderBy sortDescriptors: [SortDescriptor<Model>] = [],
        limit: Int? = nil,
        offset: Int = 0
    ) throws -> ModelQuery<Model> {
        try ModelQuery(ModelSelection(predicate.map { .predicate($0) }, sortDescriptors, limit, offset), in: self, .keep, nil).checked()
    }

    @available(*, deprecated, message: "Use models(_:).query(where:orderBy:limit:offset:).all()")
    public func documents<Model: Decodable>(
        as model: Model.Type = Model.self,
        where predicate: Predicate<Model>? = nil,
        orderBy sortDescriptors: [SortDescriptor<Model>] = [],
        limit: Int? = nil,
        offset: Int = 0
    ) throws -> [Model] {
        try query(of: model, where: predicate, orderBy: sortDescriptors, limit: limit, offset: offset).all()
    }

    @available(*, deprecated, message: "Use models(_:).query(where:orderBy:limit:offset:).live()")
    public func live<Model: Codable & Sendable>(
        _ type: Model.Type = Model.self,
        where predicate: Predicate<Model>? = nil,
        orderBy sortDescriptors: [SortDescriptor<Model>] = [],
        limit: Int? = nil,
        offset: Int = 0
    ) -> LiveModels<Model> {
        models(type).query(where: predicate, orderBy: sortDescriptors, limit: limit, offset: offset).live()
    }
}
