import Testing

@testable import Replication

@Suite("Pull window")
struct PullWindowTests {
    private let window = PullWindow()

    private func receive(_ count: Int, size: Int) {
        window.asked(for: count)
        for _ in 0..<count { window.arrived(size: size) }
    }

    @Test("the limit is 200 revisions before any revision has arrived")
    func beginning() {
        #expect(window.limit == 200)
    }

    @Test("the limit corresponds to four mebibytes of revisions, within a minimum and a maximum")
    func sizes() {
        receive(500, size: 2048)
        #expect((2000...2100).contains(window.limit))
        receive(500, size: 100)
        #expect(window.limit == PullWindow.maximumCount)
        receive(500, size: 1 << 20)
        #expect(window.limit == PullWindow.minimumCount)
    }

    @Test("requests beyond the window are queued and run in order")
    func waiting() {
        var done: [Int] = []
        for list in 0..<3 {
            window.whenRoom { [window] in
                done.append(list)
                window.asked(for: 200)
            }
        }
        #expect(done == [0])
        window.arrived(size: nil)
        #expect(done == [0, 1])
        for _ in 0..<200 { window.arrived(size: 1 << 20) }
        #expect(done == [0, 1, 2])
    }
}
