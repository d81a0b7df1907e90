/// For floating-point numbers, whether the SQLite in use reads them exactly from their decimal text. All databases have the same SQLite, and a
/// list of numbers in a query is compiled often, so the answers are kept.
struct NumberReadings {
    /// The maximum number of answers, so that queries with ever other numbers take no memory.
    static let capacity = 16_384

    private var answers: [Double: Bool] = [:]

    /// The answer for a number; `nil` if it is not known.
    subscript(number: Double) -> Bool? {
        get { answers[number] }
        set {
            if answers.count >= Self.capacity { answers.removeAll(keepingCapacity: true) }
            answers[number] = newValue
        }
    }
}
