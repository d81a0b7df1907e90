internal import CSQLiteSystem

// The methods that SQLite calls for a table-valued function (https://sqlite.org/vtab.html).

/// Holds a cursor in a class, as required by `Unmanaged`.
private final class CursorBox {
    let cursor: any TableFunctionCursor

    init(_ cursor: any TableFunctionCursor) { self.cursor = cursor }
}

private typealias Table = ModuleRecord<sqlite3_vtab, TableFunction>
private typealias Cursor = ModuleRecord<sqlite3_vtab_cursor, CursorBox>

enum TableFunctionModule {
    /// The table of methods. All functions share it; the client data identifies the function.
    // `nonisolated(unsafe)` is safe because it is initialized once and only read afterwards.
    nonisolated(unsafe) static let methods: UnsafePointer<sqlite3_module> = {
        var module = sqlite3_module()
        // `xCreate` is not set: the function exists without CREATE VIRTUAL TABLE, and no such table can be created.
        module.xConnect = { database, data, _, _, table, _ in TableFunctionModule.connect(database, data, table) }
        module.xBestIndex = { TableFunctionModule.chooseArguments($0, $1) }
        module.xDisconnect = { table in
            Table.destroy(table)
            return SQLITE_OK
        }
        module.xOpen = { table, result in
            let cursor = Table.object(of: table)._withUnsafeGuaranteedRef { $0.makeCursor() }
            result.unsafelyUnwrapped.pointee = Cursor.make(sqlite3_vtab_cursor(), CursorBox(cursor))
            return SQLITE_OK
        }
        module.xClose = { pointer in
            Cursor.destroy(pointer)
            return SQLITE_OK
        }
        module.xFilter = { pointer, _, _, count, values in TableFunctionModule.begin(pointer, count, values) }
        module.xNext = { pointer in
            Cursor.object(of: pointer)._withUnsafeGuaranteedRef { $0.cursor.advance() }
            return SQLITE_OK
        }
        module.xEof = { Cursor.object(of: $0)._withUnsafeGuaranteedRef { $0.cursor.isAtEnd } ? 1 : 0 }
        module.xColumn = { pointer, context, index in
            Cursor.object(of: pointer)._withUnsafeGuaranteedRef { $0.cursor.column(Int(index), FunctionContext(context)) }
            return SQLITE_OK
        }
        module.xRowid = { pointer, result in
            result.unsafelyUnwrapped.pointee = Cursor.object(of: pointer)._withUnsafeGuaranteedRef { $0.cursor.rowID }
            return SQLITE_OK
        }
        return .permanent(module)
    }()

    private static func connect(
        _ database: OpaquePointer?,
        _ clientData: UnsafeMutableRawPointer?,
        _ result: UnsafeMutablePointer<UnsafeMutablePointer<sqlite3_vtab>?>?
    ) -> Int32 {
        let function = Unmanaged<TableFunction>.fromOpaque(clientData.unsafelyUnwrapped)
        let declared = function._withUnsafeGuaranteedRef { sqlite3_declare_vtab(database, $0.declaration) }
        guard declared == SQLITE_OK else { return declared }
        if function._withUnsafeGuaranteedRef({ $0.isInnocuous }) {
            // The file's own schema may use the function.
            let marked = csqlite_mark_innocuous(database)
            guard marked == SQLITE_OK else { return marked }
        }
        result.unsafelyUnwrapped.pointee = function._withUnsafeGuaranteedRef { Table.make(sqlite3_vtab(), $0) }
        return SQLITE_OK
    }

    /// Makes SQLite pass the arguments in the order of the parameters and without a gap.
    private static func chooseArguments(
        _ table: UnsafeMutablePointer<sqlite3_vtab>?,
        _ info: UnsafeMutablePointer<sqlite3_index_info>?
    ) -> Int32 {
        let plan = info.unsafelyUnwrapped
        let (columnCount, parameterCount, lookupColumn) = Table.object(of: table)._withUnsafeGuaranteedRef {
            ($0.columns.count, $0.parameters.count, $0.lookupColumn)
        }
        var lookup: Int?
        var places: [Int?] = Array(repeating: nil, count: parameterCount)
        for index in 0..<Int(plan.pointee.nConstraint) {
            let constraint = plan.pointee.aConstraint[index]
            let parameter = Int(constraint.iColumn) - columnCount
            if Int(constraint.iColumn) == lookupColumn, Int32(constraint.op) == SQLITE_INDEX_CONSTRAINT_EQ, constraint.usable != 0 {
                lookup = index
            }
            guard parameter >= 0, parameter < parameterCount, Int32(constraint.op) == SQLITE_INDEX_CONSTRAINT_EQ else { continue }
            // The argument comes from a table that is not read yet, so this order of the tables is not possible.
            guard constraint.usable != 0 else { return SQLITE_CONSTRAINT }
            if places[parameter] == nil { places[parameter] = index }
        }
        var passed: Int32 = 0
        for case let place? in places.prefix(while: { $0 != nil }) {
            passed += 1
            plan.pointee.aConstraintUsage[place].argvIndex = passed
            plan.pointee.aConstraintUsage[place].omit = 1
        }
        plan.pointee.estimatedCost = passed == 0 ? 1e9 : 10
        plan.pointee.estimatedRows = passed == 0 ? 1_000_000 : 10
        if let lookup, Int(passed) == parameterCount {
            plan.pointee.aConstraintUsage[lookup].argvIndex = passed + 1
            plan.pointee.aConstraintUsage[lookup].omit = 1
            plan.pointee.estimatedCost = 1
            plan.pointee.estimatedRows = 1
        }
        return SQLITE_OK
    }

    private static func begin(
        _ pointer: UnsafeMutablePointer<sqlite3_vtab_cursor>?,
        _ count: Int32,
        _ values: UnsafeMutablePointer<OpaquePointer?>?
    ) -> Int32 {
        var none: OpaquePointer?
        let message = withUnsafeMutablePointer(to: &none) { nothing in
            Cursor.object(of: pointer)._withUnsafeGuaranteedRef { $0.cursor.begin(FunctionArguments(count, values ?? nothing)) }
        }
        guard let message else { return SQLITE_OK }
        let table: UnsafeMutablePointer<sqlite3_vtab> = pointer.unsafelyUnwrapped.pointee.pVtab
        sqlite3_free(table.pointee.zErrMsg)
        table.pointee.zErrMsg = copy(message)
        return SQLITE_ERROR
    }

    /// Returns a copy of the text in memory that SQLite can free.
    private static func copy(_ text: String) -> UnsafeMutablePointer<CChar>? {
        let bytes = Array(text.utf8)
        guard let memory = sqlite3_malloc64(UInt64(bytes.count + 1)) else { return nil }
        memory.copyMemory(from: bytes, byteCount: bytes.count)
        memory.storeBytes(of: 0, toByteOffset: bytes.count, as: UInt8.self)
        return memory.assumingMemoryBound(to: CChar.self)
    }
}

/// A structure that SQLite owns between the calls of a module that create and destroy it. It starts with the part that SQLite defines, as
/// its C interface requires, followed by the object that implements it.
struct ModuleRecord<Base, Object: AnyObject> {
    private var base: Base
    private let object: Unmanaged<Object>

    static func make(_ base: Base, _ object: Object) -> UnsafeMutablePointer<Base> {
        let memory = UnsafeMutablePointer<Self>.allocate(capacity: 1)
        memory.initialize(to: Self(base: base, object: .passRetained(object)))
        return UnsafeMutableRawPointer(memory).assumingMemoryBound(to: Base.self)
    }

    @inline(__always)
    static func object(of pointer: UnsafeMutablePointer<Base>?) -> Unmanaged<Object> {
        UnsafeMutableRawPointer(pointer.unsafelyUnwrapped).assumingMemoryBound(to: Self.self).pointee.object
    }

    static func destroy(_ pointer: UnsafeMutablePointer<Base>?) {
        object(of: pointer).release()
        UnsafeMutableRawPointer(pointer.unsafelyUnwrapped).assumingMemoryBound(to: Self.self).deallocate()
    }
}
