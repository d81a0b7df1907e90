import Base
import DocumentStore
import Fleece
import SQLiteEngine

/// Returns the Fleece root of a column `body` in either layout. An absent body is an empty dictionary (Storage format 5.3).
@inline(__always)
func bodyRoot(_ column: SQLValue) -> Value? {
    let bytes = column.blobBytes
    if let first = bytes.first, first != 0 { return Value(root: bytes) }
    return Value(root: RecordLayout.currentBody(in: bytes))
}

/// Calls `use` with the value at the path in an argument. The path is parsed at the first call in a statement's run.
///
/// - Parameter isOfDocument: Whether the value's keys use the numbers of the connection's shared keys.
@inline(__always)
func withValue(
    in root: Value?,
    atPathIn argument: Int,
    _ arguments: FunctionArguments,
    _ context: FunctionContext,
    isOfDocument: Bool = true,
    _ use: (Value?) -> Void
) {
    if let cached = context.auxiliaryData(at: argument) {
        return use(root.flatMap { CompiledPath(cached).value(in: $0) })
    }
    let keys = isOfDocument ? context.userData(as: FunctionEnvironment.self)?.sharedKeys : nil
    guard let path = CompiledPath(parsing: arguments[argument].textBytes, keys: keys) else {
        return context.resultError("invalid property path '\(arguments[argument].text)'")
    }
    use(root.flatMap { path.value(in: $0) })
    context.setAuxiliaryData(path.memory, at: argument) { free($0) }
}

extension FunctionRegistrar {
    /// Registers the functions that read document bodies (Query 5.2). They run for every row, so each is a plain C function.
    func addDocumentFunctions() throws {
        try addDirectly("fl_document", 1...1) { context, count, values in
            let context = FunctionContext(context)
            let body = FunctionArguments(count, values)[0]
            // NULL comes from a left join without a match: the document is MISSING, not empty (Query 4.2).
            if body.type == .null { return context.resultNull() }
            context.result(bodyRoot(body))
        }
        try addDirectly("fl_tagged_document", 1...1) { context, count, values in
            let context = FunctionContext(context)
            let body = FunctionArguments(count, values)[0]
            if body.type == .null { return context.resultNull() }
            context.resultTagged(bodyRoot(body), context.userData(as: FunctionEnvironment.self))
        }
        // Used in indexes: the bytes as stored, including the numbers of shared keys (Storage format 5.7).
        try addDirectly("fl_root", 1...1) { context, count, values in
            let context = FunctionContext(context)
            let body = FunctionArguments(count, values)[0]
            guard !body.blobBytes.isEmpty else { return context.resultNull() }
            guard let environment = context.userData(as: FunctionEnvironment.self) else { return context.resultNull() }
            if environment.isAnsweringQuery { return context.result(bodyRoot(body), environment) }
            environment.noteDifferingKey()
            context.resultBlob(RecordLayout.currentBody(in: body.blobBytes))
        }
        // The second name is for expressions that no index contains.
        for name in ["fl_value", "fl_read_value"] {
            try addDirectly(name, 2...2) { context, count, values in
                let context = FunctionContext(context)
                let arguments = FunctionArguments(count, values)
                withValue(in: bodyRoot(arguments[0]), atPathIn: 1, arguments, context) {
                    context.result($0)
                }
            }
        }
        try addDirectly("fl_tagged_value", 2...2) { context, count, values in
            let context = FunctionContext(context)
            let arguments = FunctionArguments(count, values)
            withValue(in: bodyRoot(arguments[0]), atPathIn: 1, arguments, context) {
                context.resultTagged($0, context.userData(as: FunctionEnvironment.self))
            }
        }
        try addDirectly("fl_nested_value", 2...2) { context, count, values in
            FunctionContext(context).resultNestedValue(FunctionArguments(count, values))
        }
        try addDirectly("fl_tagged_nested_value", 2...2) { context, count, values in
            let context = FunctionContext(context)
            let arguments = FunctionArguments(count, values)
            let root = arguments[0].type == .blob ? Value(root: arguments[0].blobBytes) : nil
            withValue(in: root, atPathIn: 1, arguments, context, isOfDocument: false) {
                context.resultTagged($0, context.userData(as: FunctionEnvironment.self))
            }
        }
        // For finding keys of indexes that differ from the value of the property.
        try addDirectly("fl_is_unsigned", 1...2) { context, count, values in
            let context = FunctionContext(context)
            let arguments = FunctionArguments(count, values)
            guard count == 2 else { return context.resultBool(arguments[0].subtype == ValueTag.unsigned) }
            guard arguments[0].type == .blob, let environment = context.userData(as: FunctionEnvironment.self),
                let path = CompiledPath(parsing: arguments[1].textBytes, keys: environment.sharedKeys)
            else { return context.resultBool(false) }
            defer { free(path.memory) }
            let value = bodyRoot(arguments[0]).flatMap { path.valueWithAnyKeys(in: $0) }
            context.resultBool(value.map { $0.isUnsigned && ($0.integerBits ?? 0) < 0 } ?? false)
        }
        try addDirectly("fl_unnested_value", 1...2) { context, count, values in
            let context = FunctionContext(context)
            let arguments = FunctionArguments(count, values)
            count == 2 ? context.resultNestedValue(arguments) : context.resultElement(arguments[0])
        }
        try addDirectly("fl_indexed_element", 4...4) { context, count, values in
            let context = FunctionContext(context)
            let arguments = FunctionArguments(count, values)
            // The integer may come from a boolean, or from a number above the range of Int64. Only the array itself has the original value.
            guard arguments[0].type == .integer, arguments[0].int64 <= 1,
                let environment = context.userData(as: FunctionEnvironment.self),
                let path = CompiledPath(parsing: arguments[3].textBytes, keys: environment.sharedKeys)
            else { return context.resultElement(arguments[0]) }
            defer { free(path.memory) }
            let array = bodyRoot(arguments[2]).flatMap { path.valueWithAnyKeys(in: $0) }
            context.resultTagged(array?.element(at: Int(arguments[1].int64)), environment)
        }
        try addDirectly("fl_exists", 2...2) { context, count, values in
            let context = FunctionContext(context)
            let arguments = FunctionArguments(count, values)
            withValue(in: bodyRoot(arguments[0]), atPathIn: 1, arguments, context) { context.resultBoolean($0 != nil) }
        }
        try addDirectly("fl_count", 2...2) { context, count, values in
            let context = FunctionContext(context)
            let arguments = FunctionArguments(count, values)
            withValue(in: bodyRoot(arguments[0]), atPathIn: 1, arguments, context) { value in
                guard let count = value.flatMap({ QueryValue($0).countOfValues }) else { return context.resultNull() }
                context.resultInt64(Int64(count))
            }
        }
        try addDirectly("fl_version", 1...1) { context, count, values in
            let context = FunctionContext(context)
            let version = FunctionArguments(count, values)[0]
            guard let id = RevisionID(binary: version.blobBytes) else { return context.resultNull() }
            context.resultText(id.description)
        }
        try addDirectly("fl_fts_value", 2...2) { context, count, values in
            let context = FunctionContext(context)
            if let environment = context.userData(as: FunctionEnvironment.self), environment.defersTexts { return context.resultNull() }
            let arguments = FunctionArguments(count, values)
            withValue(in: bodyRoot(arguments[0]), atPathIn: 1, arguments, context) { value in
                // Fast path for the most common case, a single string.
                if let text = value?.stringBytes, IndexedText.isUnchanged(text) { return context.resultText(text) }
                var text = IndexedText()
                guard let value, text.append(value) else { return context.resultNull() }
                text.bytes.withUnsafeBytes { context.resultText($0) }
            }
        }
        try addBlobFunction()
    }

    /// Registers `fl_blob`. It reads only blob files of this database, and only those that the document refers to. Therefore the schema of
    /// a database file may call it, as an index of the original does (Query 5.11).
    private func addBlobFunction() throws {
        try addDirectly("fl_blob", 2...2) { context, count, values in
            let context = FunctionContext(context)
            let arguments = FunctionArguments(count, values)
            guard let environment = context.userData(as: FunctionEnvironment.self) else { return }
            withValue(in: bodyRoot(arguments[0]), atPathIn: 1, arguments, context) { value in
                guard let dictionary = value?.dictionary, let content = environment.content(ofBlob: dictionary) else {
                    return context.resultNull()
                }
                content.withUnsafeBytes { context.resultData($0) }
            }
        }
    }
}

extension FunctionContext {
    /// Sets the result to the value at the path in the second argument, inside the value that is the first argument.
    @inline(__always)
    fileprivate func resultNestedValue(_ arguments: FunctionArguments) {
        let root = arguments[0].type == .blob ? Value(root: arguments[0].blobBytes) : nil
        withValue(in: root, atPathIn: 1, arguments, self, isOfDocument: false) { result($0) }
    }

    /// Sets the result to an element as stored in the table of an array index. The key of null is NULL (Storage format 5.8).
    fileprivate func resultElement(_ element: SQLValue) {
        guard element.type == .blob, element.blobBytes.isEmpty else { return resultValue(element) }
        guard let environment = userData(as: FunctionEnvironment.self) else { return resultNull() }
        if environment.isAnsweringQuery { return resultJSONNull() }
        environment.noteDifferingKey()
        resultNull()
    }
}

extension Value {
    /// The value of the row of `fl_each` with that index; `nil` if there is none.
    fileprivate func element(at index: Int) -> Value? {
        if let array { return array[index] }
        guard let pairs = dictionary?.pairs else { return self }
        return pairs.indices.contains(index) ? pairs[index].value : nil
    }
}

extension QueryValue {
    /// The number of non-null items of an array, or of entries of a dictionary; `nil` for other values (Query 3.10, `array_count`).
    var countOfValues: Int? {
        switch self {
        case .array(let array):
            return (0..<array.count).count { array[$0]?.isNull == false }
        case .dictionary(let dictionary):
            return dictionary.count
        default:
            return nil
        }
    }
}

extension FunctionEnvironment {
    /// Returns the content of a blob; `nil` if `dictionary` is not a blob or its content cannot be read.
    fileprivate func content(ofBlob dictionary: DictionaryValue) -> [UInt8]? {
        let keys = sharedKeys
        guard BlobDictionary.isBlob(dictionary, sharedKeys: keys) else { return nil }
        if let text = dictionary.value(for: BlobDictionary.digestKey, sharedKeys: keys)?.string {
            guard let digest = BlobDigest(text) else { return nil }
            return try? context.blobs?.contents(of: digest)
        }
        return dictionary.value(for: BlobDictionary.dataKey, sharedKeys: keys)?.dataBytes.map { [UInt8]($0) }
    }
}
