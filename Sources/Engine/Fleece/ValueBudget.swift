/// Limits the work of a traversal, to detect hostile data: shared values can make a small graph expand without bound, while valid data
/// contains at most one value per two bytes, and shares only strings of up to fifteen bytes.
public struct ValueBudget {
    private var left: Int

    /// Creates the budget for traversing `root` and everything it contains.
    public init(for root: Value, times: Int = 1) { self.init(forBytes: Int(root.end), times: times) }

    /// Creates the budget for traversing data of `count` bytes.
    public init(forBytes count: Int, times: Int = 1) { left = (1024 + count * 4) * times }

    /// Consumes one value. Returns `false` if the budget is exhausted.
    @inline(__always)
    public mutating func consume() -> Bool {
        left &-= 1
        return left >= 0
    }

    /// Consumes `count` values. Returns `false` if the budget is exhausted.
    @inline(__always)
    public mutating func consume(_ count: Int) -> Bool {
        left -= min(count, Int.max / 2)
        return left >= 0
    }

    /// Consumes the cost of the bytes of a string or data value. Returns `false` if the budget is exhausted.
    @inline(__always)
    public mutating func consume(bytes count: Int) -> Bool { consume(count &>> 4) }
}
