import DocumentStore
import Fleece
import SQLiteEngine

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The Fleece root of a column `body`, in whichever layout; an absent body is an empty dictionary (Storage format 5.3).
@inline(__always)
func bodyRoot(_ column: SQLValue) -> Value? {
    let bytes = column.blobBytes
    if let first = bytes.first, first != 0 { return Value(root: bytes) }
    return Value(root: RecordLayout.currentBody(in: bytes))
}

/// Applies the path in an argument to a value, parsing it at the first call of a statement's run.
///
/// - Parameter isOfDocument: Whether the value's keys have the numbers of the connection's shared keys.
@inline(__always)
func withValue(
    in root: Value?,
    atPathIn argument: Int,
    _ arguments: FunctionArguments,
    _ context: FunctionContext,
    isOfDocument: Bool = true,
    _ use: (Value?) -> Void
) {
    if let kept = context.auxiliaryData(at: argument) {
        return use(root.flatMap { CompiledPath(kept).value(in: $0) })
    }
    let keys = isOfDocument ? context.userData(as: FunctionEnvironment.self)?.sharedKeys : nil
    guard let path = CompiledPath(parsing: arguments[argument].textBytes, keys: keys) else {
        return context.resultError("invalid property path '\(arguments[argument].text)'")
    }
    use(root.flatMap { path.value(in: $0) })
    context.setAuxiliaryData(path.memory, at: argument) { free($0) }
}

extension FunctionRegistrar {
    /// The functions that read bodies (Query 5.2). They run for every row, so each is a bare C function.
    func addDocumentFunctions() throws {
        try addDirectly("fl_document", 1...1) { context, count, values in
            let context = FunctionContext(context)
            let body = FunctionArguments(count, values)[0]
            // Where a left join has found nothing there is no document, not an empty one (Query 4.2).
            if body.type == .null { return context.resultNull() }
            context.result(bodyRoot(body))
        }
        // In an index, the bytes as they are stored, numbers of keys included (Storage format 5.7).
        try addDirectly("fl_root", 1...1) { context, count, values in
            let context = FunctionContext(context)
            let bytes = FunctionArguments(count, values)[0].blobBytes
            guard !bytes.isEmpty else { return context.resultNull() }
            context.resultBlob(RecordLayout.currentBody(in: bytes))
        }
        try addDirectly("fl_value", 2...2) { context, count, values in
            let context = FunctionContext(context)
            let arguments = FunctionArguments(count, values)
            withValue(in: bodyRoot(arguments[0]), atPathIn: 1, arguments, context) {
                context.result($0)
            }
        }
        try addDirectly("fl_nested_value", 2...2) { context, count, values in
            let context = FunctionContext(context)
            let arguments = FunctionArguments(count, values)
            let root = arguments[0].type == .blob ? Value(root: arguments[0].blobBytes) : nil
            withValue(in: root, atPathIn: 1, arguments, context, isOfDocument: false) {
                context.result($0)
            }
        }
        try addDirectly("fl_unnested_value", 1...2) { context, count, values in
            let context = FunctionContext(context)
            let arguments = FunctionArguments(count, values)
            if count == 2 {
                let root = arguments[0].type == .blob ? Value(root: arguments[0].blobBytes) : nil
                withValue(in: root, atPathIn: 1, arguments, context, isOfDocument: false) {
                    context.result($0)
                }
            } else {
                context.resultElement(arguments[0])
            }
        }
        try addDirectly("fl_indexed_element", 4...4) { context, count, values in
            let context = FunctionContext(context)
            let arguments = FunctionArguments(count, values)
            // An integer may have been a boolean, or above the range of Int64: the array itself knows.
            guard arguments[0].type == .integer, arguments[0].int64 <= 1,
                let environment = context.userData(as: FunctionEnvironment.self),
                let path = CompiledPath(parsing: arguments[3].textBytes, keys: environment.sharedKeys)
            else { return context.resultElement(arguments[0]) }
            defer { free(path.memory) }
            let array = bodyRoot(arguments[2]).flatMap { path.valueWithAnyKeys(in: $0) }
            context.result(array?.element(at: Int(arguments[1].int64)), environment)
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
            let arguments = FunctionArguments(count, values)
            withValue(in: bodyRoot(arguments[0]), atPathIn: 1, arguments, context) { value in
                // Most often it is a text that need not be put together.
                if let text = value?.stringBytes { return context.resultText(text) }
                var text = IndexedText()
                guard let value, text.append(value) else { return context.resultNull() }
                text.bytes.withUnsafeBytes { context.resultText($0) }
            }
        }
        try addBlobFunction()
    }

    /// It reads other files, but none that is not the database's own, and gives away no more than the document: so the schema of a
    /// file may call it, as an index of the original's does (Query 5.11).
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
    /// The result is an element as the table of an array index holds it (Storage format 5.5). Null is MISSING there (5.8).
    fileprivate func resultElement(_ element: SQLValue) {
        if element.type == .blob, element.blobBytes.isEmpty {
            resultNull()
        } else {
            resultValue(element)
        }
    }
}

extension Value {
    /// What `fl_each` gives as the row of that number.
    fileprivate func element(at index: Int) -> Value? {
        if let array { return index < array.count ? array[index] : nil }
        guard let pairs = dictionary?.pairs else { return self }
        return index < pairs.count ? pairs[index].value : nil
    }
}

extension QueryValue {
    /// How many values other than null an array has, or how many entries a dictionary; nil for anything else (Query 3.10,
    /// `array_count`).
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
    /// The content of a blob; nil when it is none, or cannot be read.
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
