import Testing

@testable import Replication

@Suite("Pull window")
struct PullWindowTests {
    private let window = PullWindow()

    private func receive(_ count: Int, size: Int) {
        let list = window.lists.add(count, at: .zero)
        for _ in 0..<count { window.arrived(size: size, of: list, at: .zero) }
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
        for number in 1...3 {
            window.whenRoom { [window] in
                done.append(number)
                _ = window.lists.add(200, at: .zero)
            }
        }
        #expect(done == [1])
        window.gaveUp(1, at: .zero)
        #expect(done == [1, 2])
        for _ in 0..<200 { window.arrived(size: 1 << 20, of: 2, at: .zero) }
        #expect(done == [1, 2, 3])
    }
}
