import Base
import DocumentStore
import Fleece
import SQLiteEngine

extension FunctionRegistrar {
    /// Registers the table-valued function `fl_each` (Query 5.2): one row for each item of an array or each value of a dictionary, or one
    /// row for any other value.
    func addEach() throws {
        let environment = environment
        // The registration retains the environment until SQLite releases it when it closes the connection.
        try connection.registerTableFunction(
            name: "fl_each",
            TableFunction(
                columns: ["key", "value", "type", "data", "body", "tagged"],
                parameters: ["root_data", "root_path"]
            ) { EachCursor(environment) }
        )
    }
}

/// Iterates over the items of a copy of the argument, so that nothing depends on the body staying in memory.
///
/// Its properties need no exclusivity checks, because it is used only by the statement that opened it, on one thread at a time.
private final class EachCursor: TableFunctionCursor {
    private enum Items {
        case none
        case array(ArrayValue)
        case dictionary([(key: DictionaryKey, value: Value)])
        /// A value that is not a collection.
        case single(Value)
    }

    private let environment: FunctionEnvironment
    /// A copy of the argument, which SQLite may free before the last row is read.
    @exclusivity(unchecked) private var storage: FleeceData?
    @exclusivity(unchecked) private var items = Items.none
    @exclusivity(unchecked) private var count = 0
    @exclusivity(unchecked) private var position = 0

    init(_ environment: FunctionEnvironment) { self.environment = environment }

    func begin(_ arguments: FunctionArguments) -> String? {
        items = .none
        count = 0
        position = 0
        guard arguments.count > 0, let root = self.root(of: arguments[0]) else { return nil }
        var found: Value? = root
        if arguments.count > 1, !arguments[1].isNull {
            guard let path = CompiledPath(parsing: arguments[1].textBytes, keys: environment.sharedKeys) else {
                return "invalid property path '\(arguments[1].text)'"
            }
            found = path.valueWithAnyKeys(in: root)
            free(path.memory)
        }
        guard let found else { return nil }
        if let array = found.array {
            items = .array(array)
            count = array.count
        } else if let dictionary = found.dictionary {
            let pairs = dictionary.pairs
            items = .dictionary(pairs)
            count = pairs.count
        } else {
            items = .single(found)
            count = 1
        }
        return nil
    }

    /// Returns the value to iterate over, copied into memory of this cursor.
    private func root(of argument: SQLValue) -> Value? {
        if argument.isNull { return nil }
        if argument.type == .blob, !argument.blobBytes.isEmpty {
            let bytes = argument.blobBytes
            let data = FleeceData(copying: argument.subtype == ValueTag.raw ? bytes : RecordLayout.currentBody(in: bytes))
            storage = data
            return data.root
        }
        environment.encoder.reset()
        environment.encoder.write(QueryValue(argument))
        storage = try? environment.encoder.finishedData()
        return storage?.root
    }

    private var item: Value? {
        switch items {
        case .none: nil
        case .array(let array): array[position]
        case .dictionary(let pairs): pairs[position].value
        case .single(let value): value
        }
    }

    var isAtEnd: Bool { position >= count }

    func advance() { position += 1 }

    var rowID: Int64 { Int64(position) }

    func column(_ index: Int, _ result: FunctionContext) {
        guard position < count else { return result.resultNull() }
        switch index {
        case 0:
            guard case .dictionary(let pairs) = items else { return result.resultNull() }
            environment.sharedKeys.withText(of: pairs[position].key) { result.resultText($0) }
        case 1: result.result(item, environment)
        case 5: result.resultTagged(item, environment)
        case 2: result.resultInt64(item.map { Int64($0.type.rawValue) } ?? 0)
        case 3, 4:
            guard let item else { return result.resultNull() }
            let keys = environment.sharedKeys
            result.resultContainer(environment) { $0.writeCopy(of: item, keys: keys) }
        default: result.resultNull()
        }
    }
}
