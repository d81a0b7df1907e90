import Base
import DatabaseRuntime
import DocumentStore
import Fleece
import QueryEngine

/// The values of a query's parameters, by name.
///
/// ```swift
/// query.parameters = Parameters().setString("airport", forName: "type")
/// ```
///
/// Not thread-safe until a query has taken its copy. The object returned by ``Query/parameters`` is read-only and thread-safe: calling a
/// setter on it is a programming error and ends the process, and the arrays and dictionaries that it returns are copies.
public class Parameters: @unchecked Sendable {
    // Unchecked: a mutable object needs external synchronization, like the other mutable objects of the API. The copy that a query takes is
    // frozen: this class never changes it, and mutable arrays and dictionaries in it are not shared with anything else.
    /// Sorted by their names. An array, because most queries have a few parameters, and a dictionary takes longer to make than to search.
    private(set) var values: [(name: ExactString, value: PropertyValue)]
    private let isFrozen: Bool

    /// Creates an object without values.
    public init() {
        values = []
        isFrozen = false
    }

    /// Creates an object with values, by the names of the parameters.
    ///
    /// ```swift
    /// let parameters = Parameters(["tz": "Europe/Paris", "least": 8000])
    /// ```
    ///
    /// - Parameter values: Values of any type that a document can store; any other type is a programming error. `NSNull` means null.
    public convenience init(_ values: [String: Any]) {
        self.init()
        // In the order of the names, in which each is added in constant time.
        for (name, value) in values.map({ (ExactString($0), $1) }).sorted(by: { $0.0 < $1.0 }) {
            setStored(PropertyValue(value), forName: name)
        }
    }

    /// Creates a mutable copy of `parameters`; `nil` gives an object without values.
    ///
    /// Mutable arrays and dictionaries are shared, not copied, unless `parameters` is read-only.
    ///
    /// - Complexity: O(1); the values are copied when the copy is first changed. O(*n*) in their size if `parameters` is read-only.
    public init(parameters: Parameters?) {
        values = (parameters?.isFrozen == true ? parameters?.unsharedValues : parameters?.values) ?? []
        isFrozen = false
    }

    /// Creates a read-only copy.
    init(frozen parameters: Parameters) {
        values = parameters.unsharedValues
        isFrozen = true
    }

    private var unsharedValues: [(name: ExactString, value: PropertyValue)] { values.map { ($0.name, $0.value.unshared) } }

    /// Returns the position of the first value whose name is not before `name`, and whether it has this name.
    private func place(of name: ExactString) -> (index: Int, isSet: Bool) {
        QueryParameters.place(of: name.string, in: values.count) { values[$0].name.string }
    }

    /// Returns the value set for `name`, a `Date` for a date; `nil` if there is none. A value set to `nil` is returned as `NSNull`.
    public func value(forName name: String) -> Any? {
        let place = self.place(of: ExactString(name))
        guard place.isSet else { return nil }
        let value = values[place.index].value
        if case .scalar(.date(let seconds)) = value { return Date(timeIntervalSince1970: seconds) }
        return isFrozen ? value.unshared.any : value.any
    }

    /// Sets a value of any type that a document can store; any other type is a programming error, see ``setValue(validating:forName:)``.
    ///
    /// Like all setters of this class, it returns the same object, so that calls can be chained. In the query, a parameter set to `nil` is
    /// missing, as one that is not set.
    @discardableResult public func setValue(_ value: Any?, forName name: String) -> Parameters { set(PropertyValue(value), forName: name) }

    /// Sets a value that may be of a type that a document cannot store; see ``setValue(_:forName:)``.
    ///
    /// - Throws: ``CBLError/encodingError`` if the value, or one inside of it, is of a type that cannot be stored;
    ///   ``CBLError/invalidParameter`` if a dictionary describes a blob whose digest is malformed. Nothing is changed then.
    @discardableResult
    public func setValue(validating value: Any?, forName name: String) throws -> Parameters {
        try throwingPublicErrors {
            let value = try PropertyValue(validating: value)
            try value.object?.forEachObject { object in
                if let digest = object.blob?.digest, BlobDigest(digest) == nil { throw Self.malformedDigest }
            }
            return set(value, forName: name)
        }
    }

    fileprivate static var malformedDigest: Misuse { .invalidArgument("A parameter holds a blob whose digest is malformed.") }

    /// Sets a string; with `nil` the parameter is missing in the query.
    @discardableResult public func setString(_ value: String?, forName name: String) -> Parameters {
        set(PropertyValue(value), forName: name)
    }

    /// Sets an integer.
    @discardableResult public func setInt(_ value: Int, forName name: String) -> Parameters { set(.integer(Int64(value)), forName: name) }
    /// Sets an integer.
    @discardableResult public func setInt64(_ value: Int64, forName name: String) -> Parameters { set(.integer(value), forName: name) }
    /// Sets a floating-point number.
    @discardableResult public func setFloat(_ value: Float, forName name: String) -> Parameters { set(.float(value), forName: name) }
    /// Sets a floating-point number.
    @discardableResult public func setDouble(_ value: Double, forName name: String) -> Parameters { set(.double(value), forName: name) }
    /// Sets a boolean.
    @discardableResult public func setBoolean(_ value: Bool, forName name: String) -> Parameters { set(.boolean(value), forName: name) }
    /// Sets a date, as the ISO-8601 string in which documents store dates; with `nil` the parameter is missing in the query.
    @discardableResult public func setDate(_ value: Date?, forName name: String) -> Parameters { set(PropertyValue(value), forName: name) }

    /// Sets a blob; with `nil` the parameter is missing in the query. A blob that was never saved is not stored in the database: its
    /// content becomes part of the parameter and is held in memory.
    @discardableResult public func setBlob(_ value: Blob?, forName name: String) -> Parameters { set(PropertyValue(value), forName: name) }

    /// Sets an array; with `nil` the parameter is missing in the query. Its content is copied when the query takes the parameters.
    @discardableResult public func setArray(_ value: ArrayObject?, forName name: String) -> Parameters {
        set(PropertyValue(value), forName: name)
    }

    /// Sets a dictionary; with `nil` the parameter is missing in the query. Its content is copied when the query takes the parameters.
    @discardableResult public func setDictionary(_ value: DictionaryObject?, forName name: String) -> Parameters {
        set(PropertyValue(value), forName: name)
    }

    func contains(_ name: ExactString) -> Bool { place(of: name).isSet }

    /// Sets the value of another object.
    func setStored(_ value: PropertyValue, forName name: ExactString) {
        let place = self.place(of: name)
        if place.isSet {
            values[place.index].value = value
        } else if place.index == values.count {
            values.append((name, value))
        } else {
            values.insert((name, value), at: place.index)
        }
    }

    private func set(_ value: PropertyValue, forName name: String) -> Parameters {
        guard !isFrozen else { _CBLMisuse.inconsistency("The parameters of a query cannot be changed; set new ones.") }
        setStored(value, forName: ExactString(name))
        return self
    }
}

extension Parameters {
    /// Returns the values in the form in which the engine binds them.
    ///
    /// - Parameter database: Where a blob that was never saved is stored; `nil` to encode its content inline.
    /// - Throws: The encoding error of a value that cannot be encoded; an error of storing a blob.
    func queryParameters(storingBlobsIn database: Database? = nil) throws -> QueryParameters {
        var encoded = QueryParameters()
        // In the order of the names, in which the engine adds them in constant time.
        for (name, value) in values {
            if case .scalar(.string(let string)) = value, let data = FleeceData(shortString: string) {
                encoded[name.string] = data
                continue
            }
            var encoder = Encoder()
            var context = EncodingContext(inliningNewBlobs: database == nil)
            try value.encode(of: nil, into: &encoder, &context) { blob in
                try database?.saveBlob(blob: blob)
                guard let digest = blob.digest.flatMap({ BlobDigest($0) }) else { _CBLMisuse.fail(Self.malformedDigest) }
                return digest
            }
            encoded[name.string] = try context.checked(encoder.finishedData(), as: name.string)
        }
        return encoded
    }
}
