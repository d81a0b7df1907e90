import Testing

@testable import Replication

@Suite("Send window")
struct SendWindowTests {
    /// Simulates a peer that answers a given number of bytes per second, each message one round trip after it was sent.
    private struct Line {
        let window = SendWindow()
        let roundTrip: Duration
        let bytesPerSecond: Double
        let size: Int
        private(set) var time: Duration = .zero
        private(set) var largestCost = 0
        private(set) var answeredCost = 0
        private var workEnds: Duration = .zero
        private var onTheWay: [(ticket: SendWindow.Ticket, answer: Duration)] = []
        private var answeredCount = 0

        init(roundTrip: Duration, bytesPerSecond: Double, size: Int = 300) {
            self.roundTrip = roundTrip
            self.bytesPerSecond = bytesPerSecond
            self.size = size
        }

        mutating func run(for duration: Duration) {
            let end = time + duration
            while true {
                while window.hasRoom {
                    let ticket = window.send(size: size, at: time)
                    let begins = max(workEnds, time + roundTrip / 2)
                    workEnds = begins + .seconds(Double(size + SendWindow.messageCost) / bytesPerSecond)
                    onTheWay.append((ticket, workEnds + roundTrip / 2))
                    largestCost = max(largestCost, window.cost)
                }
                guard answeredCount < onTheWay.count, onTheWay[answeredCount].answer <= end else { break }
                let next = onTheWay[answeredCount]
                answeredCount += 1
                time = next.answer
                window.answered(next.ticket, at: time)
                answeredCost += size + SendWindow.messageCost
            }
            time = end
        }
    }

    @Test(
        "the send window uses more than 80 percent of the bandwidth at round trips of up to 200 milliseconds",
        arguments: [0, 1, 10, 50, 100, 200]
    )
    func throughput(milliseconds: Int) {
        // About 18,000 small documents a second.
        var line = Line(roundTrip: .milliseconds(milliseconds), bytesPerSecond: 10_000_000)
        line.run(for: .seconds(3))
        let before = line.answeredCost
        line.run(for: .seconds(1))
        #expect(line.answeredCost - before > 8_000_000)
    }

    @Test("the send window uses most of the bandwidth for large documents")
    func largeDocuments() {
        var line = Line(roundTrip: .milliseconds(100), bytesPerSecond: 40_000_000, size: 200_000)
        line.run(for: .seconds(5))
        let before = line.answeredCost
        line.run(for: .seconds(2))
        #expect(line.answeredCost - before > 60_000_000)
    }

    @Test("a slow peer has at most about 0.2 seconds of work pending")
    func slowPeer() {
        var line = Line(roundTrip: .milliseconds(1), bytesPerSecond: 2_000_000)
        line.run(for: .seconds(10))
        #expect(line.largestCost < 400_000)
        #expect(line.largestCost > 5 * 556)
    }

    @Test("the size of the send window is bounded even for a long round trip")
    func bounds() {
        var line = Line(roundTrip: .seconds(2), bytesPerSecond: 1e9, size: 1000)
        line.run(for: .seconds(30))
        #expect(line.largestCost <= SendWindow.maximumLimit + 2000)
    }

    @Test("the send window allows ten pending messages unless the messages are very large")
    func minimum() {
        let window = SendWindow()
        var count = 0
        while window.hasRoom {
            _ = window.send(size: 100_000, at: .zero)
            count += 1
        }
        #expect(count == 10)
        let other = SendWindow()
        count = 0
        while other.hasRoom {
            _ = other.send(size: 1 << 20, at: .zero)
            count += 1
        }
        #expect(count == 2)
    }

    @Test("the limits for pending change lists grow with the round trip up to the maximum")
    func lists() {
        let window = SendWindow()
        #expect(window.maximumLists == 5 && window.maximumQueue == 600)
        window.note(roundTrip: .milliseconds(100), at: .zero)
        #expect(window.maximumLists == 30 && window.maximumQueue == 5600)
        window.note(roundTrip: .seconds(9), at: .seconds(100))
        #expect(window.maximumLists == SendWindow.mostLists)
    }
}
