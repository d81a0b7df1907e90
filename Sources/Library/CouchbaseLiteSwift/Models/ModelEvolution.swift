/// A model, or a type of its properties, with a default value. Its properties are the defaults of properties that a stored document lacks.
///
/// A document of an earlier version of the app lacks the properties that the type has got since. Without a default, decoding such a document
/// fails, unless the property is an optional.
///
/// ```swift
/// struct Note: Codable, DefaultProviding {
///     @DocumentID var id: String?
///     var title: String
///     var isDone = false
///
///     static var defaultValue: Note { Note(title: "Untitled") }
/// }
/// ```
///
/// - A property that a document lacks has the value that it has in the default value. So has a property that is stored as null, unless it
///   is an optional: `nil` is stored as null.
/// - A property of a nested structure has the default of the structure's own type, if that has one, and otherwise that of the property in the
///   default value of the type around it. Elements of arrays and dictionaries only have the defaults of their own type.
/// - An enumeration with raw values whose stored value is none of its cases, such as one that a newer version has added, has the default of
///   the property. If there is none, or it is an element, it has the default value of its own type.
/// - `#Predicate` and sort descriptors use the same values, so that a property that is missing is found by its default. Only a case that
///   is not known is compared as it is stored.
///
/// The default value is read once for each type and process, and must not have blobs. The `id` of the document is not a part of it.
public protocol DefaultProviding: Codable {
    /// The value whose properties are the defaults.
    static var defaultValue: Self { get }
}

/// A model, or a type of its properties, whose properties had other keys in earlier versions of the app.
///
/// ```swift
/// struct Note: Codable, FormerKeyProviding {
///     @DocumentID var id: String?
///     var title: String
///
///     static let formerKeys = ["title": ["heading", "name"]]
/// }
/// ```
///
/// If a document has no value for the present key, the value of the first former key that it has is decoded. Saving the model stores the
/// present key, and removes the former ones. `#Predicate` and sort descriptors find both; an index on the present key is not used for
/// such a property, because documents that have a former key are not in it.
public protocol FormerKeyProviding {
    /// For each coding key, the former keys, the newest first. Read once for each type and process.
    static var formerKeys: [String: [String]] { get }
}
