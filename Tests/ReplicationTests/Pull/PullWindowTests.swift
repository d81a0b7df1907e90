import Testing

@testable import Replication

@Suite("The window of pulls")
struct PullWindowTests {
    private let window = PullWindow()

    private func receive(_ count: Int, size: Int) {
        window.asked(for: count)
        for _ in 0..<count { window.arrived(size: size) }
    }

    @Test("as long as nothing has come there is room for 200 revisions")
    func beginning() {
        #expect(window.limit == 200)
    }

    @Test("there is room for as many revisions as make four mebibytes, within bounds")
    func sizes() {
        receive(500, size: 2048)
        #expect((2000...2100).contains(window.limit))
        receive(500, size: 100)
        #expect(window.limit == PullWindow.maximumCount)
        receive(500, size: 1 << 20)
        #expect(window.limit == PullWindow.minimumCount)
    }

    @Test("who asks for more has to wait for its turn")
    func waiting() {
        var done: [Int] = []
        for list in 0..<3 {
            window.whenRoom { [window] in
                done.append(list)
                window.asked(for: 200)
            }
        }
        #expect(done == [0] && window.waitingCount == 2)
        window.arrived(size: nil)
        #expect(done == [0, 1])
        for _ in 0..<200 { window.arrived(size: 1 << 20) }
        #expect(done == [0, 1, 2])
    }
}
