import Base
import DocumentStore
import Fleece
import SQLiteEngine
import VectorSearch

extension FunctionRegistrar {
    /// Registers `fl_vector(value, dimensions)` and `fl_vector(body, path, dimensions)`, which return a vector as 32-bit floats, NULL for MISSING
    /// and null, and the number of a ``VectorProblem`` for any other value (Vector search 2).
    func addVectorFunctions() throws {
        try addDirectly("fl_vector", 2...2) { context, count, values in
            let context = FunctionContext(context)
            let arguments = FunctionArguments(count, values)
            context.resultVector(of: QueryValue(arguments[0]), dimensions: arguments[1])
        }
        try addDirectly("fl_vector", 3...3) { context, count, values in
            let context = FunctionContext(context)
            let arguments = FunctionArguments(count, values)
            withValue(in: bodyRoot(arguments[0]), atPathIn: 1, arguments, context) { value in
                context.resultVector(of: value.map { QueryValue($0) } ?? .missing, dimensions: arguments[2])
            }
        }
        let environment = environment
        let known = KnownVectorIndex()
        try connection.registerTableFunction(
            name: "fl_vector_search",
            TableFunction(
                columns: ["docid", "distance"],
                parameters: ["index_name", "target", "probes", "row_limit", "row_offset"],
                lookupColumn: 0,
                isInnocuous: false
            ) { VectorSearchCursor(environment.context, known) }
        )
    }
}

extension FunctionContext {
    fileprivate func resultVector(of value: QueryValue, dimensions: SQLValue) {
        do throws(VectorProblem) {
            guard let vector = try value.vector(dimensions: Int(clamping: dimensions.int64)) else { return resultNull() }
            vector.withUnsafeBytes { resultBlob($0) }
        } catch {
            resultInt64(error.number)
        }
    }
}

extension VectorProblem {
    private static let all: [VectorProblem] = [.wrongLength, .wrongDimensions, .notNumeric, .notFinite, .wrongType]

    /// The number that stands for the problem as the result of an SQL function.
    fileprivate var number: Int64 { Int64(Self.all.firstIndex(of: self) ?? 0) }

    /// Creates the problem with that number.
    init(number: Int64) { self = Self.all.indices.contains(Int(clamping: number)) ? Self.all[Int(number)] : .wrongType }
}

extension QueryValue {
    /// Returns the vector that the value contains; `nil` if it is MISSING or null (Vector search VV-1…7).
    ///
    /// - Parameter dimensions: The number of components that it must have; `nil` if any number from 2 is permitted.
    func vector(dimensions: Int?) throws(VectorProblem) -> [Float]? {
        switch self {
        case .missing, .null: return nil
        case .string(let text): return try VectorReader.vector(base64: text, dimensions: dimensions)
        case .data(let bytes): return try VectorReader.vector(bytes: bytes, dimensions: dimensions)
        case .array(let array):
            // Checked first: an array of any length may be in a document.
            let isCounted = array.count >= 2 && array.count == dimensions ?? array.count
            var vector: [Float] = []
            vector.reserveCapacity(isCounted ? array.count : 0)
            for index in 0..<array.count {
                guard let item = array[index], let number = item.vectorComponent else { throw .notNumeric }
                if isCounted { vector.append(number) }
            }
            try VectorReader.check(array.count, dimensions)
            return try VectorReader.checked(vector)
        case .boolean, .integer, .unsigned, .double, .dictionary: throw .wrongType
        }
    }
}

extension Value {
    /// The number as a component of a vector; `nil` if this is no number.
    @inline(__always)
    fileprivate var vectorComponent: Float? {
        guard type == .number else { return nil }
        if let bits = integerBits { return isUnsigned ? Float(UInt64(bitPattern: bits)) : Float(bits) }
        return floatingPoint.map { Float($0) }
    }
}
