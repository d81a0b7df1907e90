import Testing

@testable import QueryEngine

@Suite("Known readings of numbers by SQLite")
struct NumberReadingsTests {
    @Test("answers about numbers are kept, up to a limit")
    func answers() {
        var readings = NumberReadings()
        readings[0.5] = true
        readings[1.5] = false
        #expect(readings[0.5] == true)
        #expect(readings[1.5] == false)
        #expect(readings[2.5] == nil)
        for number in 0..<NumberReadings.capacity { readings[Double(number)] = true }
        #expect(readings[1.5] == nil)
        #expect(readings[Double(NumberReadings.capacity - 1)] == true)
    }
}
