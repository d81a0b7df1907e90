/// The random sequence all workloads use, so that every run and every program draws the same numbers.
struct RandomSequence {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    /// Steps the sequence and gives a number below `limit`.
    mutating func next(below limit: UInt64) -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return (state >> 33) % limit
    }
}
