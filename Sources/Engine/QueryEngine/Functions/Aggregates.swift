import Fleece
import SQLiteEngine

/// Collects the values of a group for `array_agg`.
private final class ArrayAggregate {
    var encoder = Encoder()

    init() {
        encoder.beginArray()
    }
}

/// The running total of `sum` and `avg`, computed as by SQLite since 3.43: integers exactly; once a double occurs, or an integer does not
/// fit, as doubles with compensation for rounding errors (Kahan, Babuška and Neumaier).
struct Sum {
    private var count: Int64 = 0
    /// The sum as long as it is exact.
    private var integers: Int64 = 0
    private var isApproximate = false
    private var doubles = 0.0
    private var lost = 0.0

    init() {}

    enum Total {
        case missing
        case integer(Int64)
        case double(Double)
    }

    mutating func add(_ value: SQLValue) {
        // Numeric text counts as a number. `isNumeric` converts such text, so the type must be read after it.
        let isNumeric = value.isNumeric
        let type = value.type
        if type == .null { return }
        count += 1
        if type == .blob {
            // DISTINCT passes booleans and large numbers in the form of result columns. Otherwise they would be integers.
            switch QueryValue(value) {
            case .boolean(let flag): return add(flag ? 1 as Int64 : 0)
            case .unsigned(let number): return add(Double(number))
            default: break
            }
        }
        if isNumeric, type == .integer { add(value.int64) } else { add(value.double) }
    }

    /// Adds an integer as one more value.
    mutating func addCounted(_ number: Int64) {
        count += 1
        add(number)
    }

    /// Adds a floating-point number as one more value.
    mutating func addCounted(_ number: Double) {
        count += 1
        add(number)
    }

    private mutating func add(_ number: Int64) {
        if !isApproximate {
            let (sum, overflow) = integers.addingReportingOverflow(number)
            guard overflow else {
                integers = sum
                return
            }
            beginApproximation()
        }
        let (large, small) = Self.parts(number)
        accumulate(large)
        if small != 0 { accumulate(small) }
    }

    private mutating func add(_ number: Double) {
        if !isApproximate { beginApproximation() }
        accumulate(number)
    }

    private mutating func beginApproximation() {
        isApproximate = true
        (doubles, lost) = Self.parts(integers)
    }

    /// Returns two doubles that represent an integer exactly.
    private static func parts(_ number: Int64) -> (Double, Double) {
        guard number.magnitude >= 1 << 52 else { return (Double(number), 0) }
        let small = number % 16384
        return (Double(number - small), Double(small))
    }

    private mutating func accumulate(_ number: Double) {
        let sum = doubles + number
        lost += abs(doubles) > abs(number) ? (doubles - sum) + number : (number - sum) + doubles
        doubles = sum
    }

    private var approximation: Double { lost.isFinite ? doubles + lost : doubles }

    /// The arithmetic mean; `nil` of no values.
    var mean: Double? {
        count == 0 ? nil : (isApproximate ? approximation : Double(integers)) / Double(count)
    }

    /// The sum: a floating-point number also if integers alone exceed the range of `Int64`.
    var total: Total {
        if count == 0 { return .missing }
        return isApproximate ? .double(approximation) : .integer(integers)
    }
}

extension FunctionRegistrar {
    /// Registers `array_agg` (Query 3.10), and `sum` and `avg`, which SQLite computes in another way before 3.43: there `sum` fails if the
    /// integers overflow before the first double (Query 3.14), and rounding errors add up. The other aggregates are SQLite's own.
    func addAggregates() throws {
        try addSum()
        try connection.registerAggregate(
            name: "array_agg",
            argumentCount: 1,
            flags: Self.flags,
            step: { context, count, values in
                guard let aggregate = FunctionContext(context).groupObject({ ArrayAggregate() }) else { return }
                switch QueryValue(FunctionArguments(count, values)[0]) {
                // The original collects booleans as numbers.
                case .boolean(let flag): aggregate.encoder.write(flag ? 1 as Int64 : 0)
                case let value: aggregate.encoder.write(value)
                }
            },
            final: { context in
                let context = FunctionContext(context)
                let aggregate = context.takeGroupObject() ?? ArrayAggregate()
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
        try addSum(named: "sum") { context in
            let context = FunctionContext(context)
            switch context.sum?.total ?? .missing {
            case .missing: context.resultNull()
            case .integer(let number): context.resultInt64(number)
            case .double(let number): context.resultDouble(number)
            }
        }
        try addSum(named: "avg") { context in
            let context = FunctionContext(context)
            context.sum?.mean.map { context.resultDouble($0) } ?? context.resultNull()
        }
    }

    /// Registers a function of the sum of its arguments, which `final` converts to the result.
    private func addSum(named name: String, final: @escaping SQLFinalFunction) throws {
        try connection.registerAggregate(
            name: name,
            argumentCount: 1,
            flags: Self.flags,
            step: { FunctionContext($0).addToSum(FunctionArguments($1, $2)[0]) },
            final: final
        )
    }
}

extension FunctionContext {
    /// The sum of the current group; `nil` if it has no rows.
    fileprivate var sum: Sum? { existingAggregateContext?.assumingMemoryBound(to: Sum.self).pointee }

    fileprivate func addToSum(_ value: SQLValue) {
        // SQLite zero-initializes the memory, and a zeroed `Sum` is the sum of no values.
        guard let memory = aggregateContext(byteCount: MemoryLayout<Sum>.size) else { return resultNoMemory() }
        memory.assumingMemoryBound(to: Sum.self).pointee.add(value)
    }

    /// Returns the object of the current group, which `make` creates at the first row; `nil` if memory is exhausted. SQLite's memory for the
    /// group retains the object until the final function takes it.
    func groupObject<Object: AnyObject>(_ make: () -> Object) -> Object? {
        guard let memory = aggregateContext(byteCount: MemoryLayout<Unmanaged<Object>?>.size) else {
            resultNoMemory()
            return nil
        }
        let place = memory.assumingMemoryBound(to: Unmanaged<Object>?.self)
        if let object = place.pointee { return object.takeUnretainedValue() }
        let object = make()
        place.pointee = .passRetained(object)
        return object
    }

    /// Returns the object of the group, in a final function, and releases it; `nil` if the group had no rows.
    func takeGroupObject<Object: AnyObject>() -> Object? {
        existingAggregateContext?.assumingMemoryBound(to: Unmanaged<Object>?.self).pointee?.takeRetainedValue()
    }
}
