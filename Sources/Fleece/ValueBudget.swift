/// How much work a traversal may take before the data must be hostile: shared values make a small graph expand without
/// bound, while honest data holds at most one value for every two bytes, and shares only strings of up to fifteen.
package struct ValueBudget {
    private var left: Int

    /// The budget for a walk through `root` and all it contains.
    package init(for root: Value, times: Int = 1) {
        self.init(forBytes: Int(root.end), times: times)
    }

    /// The budget for walks through data of that size.
    package init(forBytes count: Int, times: Int = 1) {
        left = (1024 + count * 4) * times
    }

    /// Takes one value off; false when none is left.
    @inline(__always)
    package mutating func take() -> Bool {
        left &-= 1
        return left >= 0
    }

    /// Takes off what `count` values cost; false when none are left.
    @inline(__always)
    package mutating func take(_ count: Int) -> Bool {
        left -= min(count, Int.max / 2)
        return left >= 0
    }

    /// Takes off what the bytes of a string or data value cost.
    @inline(__always)
    package mutating func take(bytes count: Int) -> Bool {
        take(count &>> 4)
    }
}
