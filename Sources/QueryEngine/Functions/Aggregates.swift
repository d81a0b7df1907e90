import Fleece
import SQLiteEngine

/// Collects the values of a group for `array_agg`.
private final class ArrayAggregate {
    var encoder = Encoder()

    init() {
        encoder.beginArray()
    }
}

extension FunctionRegistrar {
    /// `array_agg` (Query 3.10); the other aggregates are SQLite's own (Query 3.14).
    func addAggregates() throws {
        try connection.registerAggregate(
            name: "array_agg",
            argumentCount: 1,
            flags: Self.flags,
            step: { context, count, values in
                guard let aggregate = FunctionContext(context).arrayAggregate else { return }
                switch QueryValue(FunctionArguments(count, values)[0]) {
                // The original collects booleans as numbers.
                case .boolean(let flag): aggregate.encoder.write(flag ? 1 as Int64 : 0)
                case let value: aggregate.encoder.writeCanonical(value)
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
