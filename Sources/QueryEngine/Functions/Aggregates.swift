import Fleece
import SQLiteEngine

/// Collects the values of a group for `array_agg`.
private final class ArrayAggregate {
    var encoder = Encoder()

    init() {
        encoder.beginArray()
    }
}

/// Adds up the values of a group, as SQLite does it since 3.43: integers exactly, with a double among them as doubles, of which what is
/// lost by rounding is kept apart (Kahan, Babuška and Neumaier).
private struct Sum {
    private var count: Int64
    private var integers: Int64
    private var hasOverflowed: Bool
    private var hasDoubles: Bool
    private var doubles: Double
    private var lost: Double

    enum Total {
        case missing
        case integer(Int64)
        case double(Double)
        case overflow
    }

    mutating func add(_ value: SQLValue) {
        // Texts that are numbers count as these; the type is to be asked for afterwards.
        let isNumeric = value.isNumeric
        let type = value.type
        if type == .null { return }
        count += 1
        guard isNumeric, type == .integer else {
            hasDoubles = true
            return add(value.double)
        }
        let number = value.int64
        let (sum, overflow) = integers.addingReportingOverflow(number)
        if overflow { hasOverflowed = true } else { integers = sum }
        // In two parts, each of which a double holds exactly.
        let small = number % 16384
        add(Double(number - small))
        add(Double(small))
    }

    private mutating func add(_ number: Double) {
        let sum = doubles + number
        lost += abs(doubles) > abs(number) ? (doubles - sum) + number : (number - sum) + doubles
        doubles = sum
    }

    var total: Total {
        if count == 0 { return .missing }
        if hasDoubles { return .double(lost.isNaN ? doubles : doubles + lost) }
        return hasOverflowed ? .overflow : .integer(integers)
    }
}

extension FunctionRegistrar {
    /// `array_agg` (Query 3.10), and `sum`, because SQLite's own fails in older versions when the integers are too large before a double
    /// comes (Query 3.14). The other aggregates are SQLite's.
    func addAggregates() throws {
        try addSum()
        try connection.registerAggregate(
            name: "array_agg",
            argumentCount: 1,
            flags: Self.flags,
            step: { context, count, values in
                guard let aggregate = FunctionContext(context).arrayAggregate else { return }
                let argument = FunctionArguments(count, values)[0]
                switch QueryValue(argument) {
                // The original collects booleans as numbers.
                case .boolean(let flag): aggregate.encoder.write(flag ? 1 as Int64 : 0)
                case .integer(let bits) where argument.subtype == ValueTag.unsigned:
                    aggregate.encoder.write(unsigned: UInt64(bitPattern: bits))
                case let value: aggregate.encoder.write(value)
                }
            },
            final: { context in
                let context = FunctionContext(context)
                let place = context.existingAggregateContext?.assumingMemoryBound(to: Unmanaged<ArrayAggregate>?.self)
                let aggregate = place?.pointee?.takeRetainedValue() ?? ArrayAggregate()
                aggregate.encoder.endArray()
                do throws(FleeceError) {
                    context.resultBlob(try aggregate.encoder.finish())
                } catch {
                    context.resultNull()
                }
            }
        )
    }
}

extension FunctionRegistrar {
    private func addSum() throws {
        try connection.registerAggregate(
            name: "sum",
            argumentCount: 1,
            flags: Self.flags,
            step: { context, count, values in
                let context = FunctionContext(context)
                // Zero bytes, as SQLite gives them, are a sum of nothing.
                guard let memory = context.aggregateContext(byteCount: MemoryLayout<Sum>.size) else { return context.resultNoMemory() }
                memory.assumingMemoryBound(to: Sum.self).pointee.add(FunctionArguments(count, values)[0])
            },
            final: { context in
                let context = FunctionContext(context)
                switch context.existingAggregateContext?.assumingMemoryBound(to: Sum.self).pointee.total ?? .missing {
                case .missing: context.resultNull()
                case .integer(let number): context.resultInt64(number)
                case .double(let number): context.resultDouble(number)
                case .overflow: context.resultError("integer overflow")
                }
            }
        )
    }
}

extension FunctionContext {
    /// The aggregate of the group, made at its first row. The group's memory owns it until the final function.
    fileprivate var arrayAggregate: ArrayAggregate? {
        let size = MemoryLayout<Unmanaged<ArrayAggregate>?>.size
        guard let memory = aggregateContext(byteCount: size) else {
            resultNoMemory()
            return nil
        }
        let place = memory.assumingMemoryBound(to: Unmanaged<ArrayAggregate>?.self)
        if let aggregate = place.pointee { return aggregate.takeUnretainedValue() }
        let made = ArrayAggregate()
        place.pointee = .passRetained(made)
        return made
    }
}
