import ArgumentParser
import CouchbaseLiteSwift

/// The name of a collection as given on the command line: `NAME`, which is in the default scope, or `SCOPE.NAME`.
struct CollectionName {
    let scope: String
    let name: String

    init(_ typed: String) throws(ValidationError) {
        let parts = typed.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count <= 2 else {
            throw ValidationError("'\(typed)': a collection is named NAME or SCOPE.NAME.")
        }
        (scope, name) = parts.count == 2 ? (parts[0], parts[1]) : (Database.defaultScopeName, parts[0])
    }

    var fullName: String { "\(scope).\(name)" }

    /// Returns the names of the collections of databases, each once.
    static func all(in databases: Database...) throws -> [CollectionName] {
        var names: [CollectionName] = []
        for collection in try databases.flatMap({ try $0.scopes() }).flatMap({ try $0.collections() }) {
            let name = CollectionName(scope: collection.scope.name, name: collection.name)
            if !names.contains(where: { $0.fullName == name.fullName }) { names.append(name) }
        }
        return names
    }

    private init(scope: String, name: String) { (self.scope, self.name) = (scope, name) }

    /// Returns the failure for a collection that does not exist, with the names of those that do.
    func missing(in database: Database) throws -> Failure {
        let names = try database.scopes().flatMap { try $0.collections() }.map(\.fullName)
        // The scope may have been omitted by mistake.
        let question =
            Suggestion.question(fullName, among: names)
            ?? names.first { $0.hasSuffix(".\(name)") }.map { "Did you mean '\($0)'?" }
        let list = "Collections of the database: \(names.joined(separator: ", "))"
        return Failure(.notFound, "there is no collection \(fullName)", hint: question.map { "\($0) \(list)" } ?? list)
    }

    /// Returns the collection.
    ///
    /// - Parameter creating: Whether to create the collection if it does not exist.
    /// - Throws: ``Failure`` if it does not exist and `creating` is false.
    func open(in database: Database, creating: Bool = false) throws -> DocumentCollection {
        guard let collection = try find(in: database, creating: creating) else { throw try missing(in: database) }
        return collection
    }

    func find(in database: Database, creating: Bool) throws -> DocumentCollection? {
        try creating ? database.createCollection(name: name, scope: scope) : database.collection(name: name, scope: scope)
    }
}
