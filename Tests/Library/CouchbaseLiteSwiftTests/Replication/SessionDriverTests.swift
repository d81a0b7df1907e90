#if Replication
import SyncCore
import DocumentStore
import Foundation
import SyncRuntime
import TestSupport
import TestTraits
import Testing

@testable import CouchbaseLiteSwift
@testable import Replication

@Suite("Sessions driven by channels", .ownThreads)
struct SessionDriverTests {
    private final class Driven {
        let folder: DatabaseFolder
        let database: Database
        let session = ScriptedSession()
        let channel = ScriptedChannel()
        let clock = VirtualClock(5000)
        let queue = DispatchQueue(label: "test.driver")
        let reports = Recorder<String>()
        let driver: SessionDriver

        init() throws {
            folder = try DatabaseFolder()
            database = try folder.open()
            driver = SessionDriver(
                session,
                on: channel,
                queue: queue,
                clock: clock,
                opened: { _ in },
                report: { [reports] report in
                    if case .ended(let error) = report { reports.append("ended \(error?.code ?? 0)") }
                }
            )
            try driver.start(watching: [.default], of: database.openFile())
        }

        func tell(_ event: FrameChannelEvent) {
            channel.tell(event)
            settle()
        }

        func settle() {
            for _ in 0..<20 { queue.sync {} }
        }
    }

    @Test("frames are sent while the channel accepts them, and again when it becomes writable")
    func room() throws {
        let driven = try Driven()
        driven.session.queue((0..<10).map { [UInt8($0)] })
        driven.settle()
        #expect(driven.channel.sent.isEmpty)
        driven.channel.setRoom(3)
        driven.tell(.opened(ChannelHandshake()))
        #expect(driven.channel.sent.count == 3)
        #expect(driven.session.timesFull == 1)
        driven.channel.setRoom(100)
        driven.tell(.frame([1]))
        #expect(driven.channel.sent.count == 3)
        driven.tell(.writable)
        #expect(driven.channel.sent == (0..<10).map { [UInt8($0)] })
    }

    @Test("actions that fetching frames has caused are performed when there are no more frames")
    func actionsOfFrames() throws {
        let driven = try Driven()
        driven.tell(.opened(ChannelHandshake()))
        driven.session.queue([[1], [2]])
        driven.session.causeByFetching([.close(code: 4001, reason: "")])
        driven.tell(.frame([1]))
        #expect(driven.channel.sent == [[1], [2]])
        #expect(driven.channel.ends == ["close 4001"])
    }

    @Test("a thousand queued frames are all sent once the channel is open")
    func turns() throws {
        let driven = try Driven()
        driven.session.queue(Array(repeating: [7], count: 1000))
        driven.tell(.opened(ChannelHandshake()))
        #expect(driven.channel.sent.count == 1000)
    }

    @Test("reading is paused while more than 256 KiB of received frames are waiting to be handled")
    func backPressure() throws {
        let driven = try Driven()
        driven.tell(.opened(ChannelHandshake()))
        driven.queue.suspend()
        let frame = [UInt8](repeating: 0, count: 16 << 10)
        for _ in 0..<16 { driven.channel.tell(.frame(frame)) }
        #expect(driven.channel.isReading)
        driven.channel.tell(.frame(frame))
        #expect(!driven.channel.isReading)
        driven.queue.resume()
        driven.settle()
        #expect(driven.channel.isReading)
        #expect(driven.session.notified.filter { $0 == "frame \(16 << 10)" }.count == 17)
    }

    @Test("frames that arrive together are handled in batches limited by size and number")
    func batches() throws {
        let driven = try Driven()
        driven.tell(.opened(ChannelHandshake()))
        driven.queue.suspend()
        for size in Array(repeating: 16_384, count: 7) + Array(repeating: 100, count: 40) {
            driven.channel.tell(.frame([UInt8](repeating: 1, count: size)))
        }
        driven.queue.resume()
        driven.settle()
        // Less than 50,000 bytes at a time, so that each part of a long message is acknowledged.
        #expect(driven.session.frameCounts == [3, 3, 32, 9])
    }

    @Test("a session is notified of commits to its collections only once the channel is open, and of several together")
    func commits() throws {
        let driven = try Driven()
        let collection = try driven.database.defaultCollection()
        try collection.save(document: MutableDocument())
        driven.settle()
        driven.tell(.opened(ChannelHandshake()))
        #expect(driven.session.notified == ["opened"])
        driven.queue.suspend()
        for _ in 0..<3 { try collection.save(document: MutableDocument()) }
        driven.queue.resume()
        driven.settle()
        #expect(driven.session.notified == ["opened", "changed _default._default"])
        try collection.save(document: MutableDocument())
        driven.settle()
        #expect(driven.session.notified.count == 3)
        // The session is not notified of commits to other collections.
        try driven.database.createCollection(name: "other").save(document: MutableDocument())
        driven.settle()
        #expect(driven.session.notified.count == 3)
    }

    @Test("timers fire when they are due unless they are cancelled")
    func timers() throws {
        let driven = try Driven()
        let (first, second) = (SessionTimer(number: 1), SessionTimer(number: 2))
        driven.session.answerNext(with: [
            .setTimer(first, after: .milliseconds(100)), .setTimer(second, after: .microseconds(100_001)),
        ])
        driven.tell(.opened(ChannelHandshake()))
        driven.session.answerNext(with: [.cancelTimer(first)])
        driven.tell(.frame([]))
        driven.clock.advance(by: 100)
        #expect(driven.session.notified == ["opened", "frame 0"])
        driven.clock.advance(by: 1)
        #expect(driven.session.notified == ["opened", "frame 0", "timer"])
    }

    @Test("the end of a session is reported once, and nothing happens after it")
    func end() throws {
        let driven = try Driven()
        driven.session.answerNext(with: [.setTimer(SessionTimer(number: 1), after: .seconds(1))])
        driven.tell(.opened(ChannelHandshake()))
        driven.tell(.closed(ChannelClosure(code: nil, isByPeer: true, error: SyncError(.webSocket, 1006))))
        driven.queue.sync {
            driven.driver.stop()
            driven.driver.abort()
        }
        try driven.database.defaultCollection().save(document: MutableDocument())
        driven.settle()
        #expect(driven.reports.all == ["ended 1006"])
        #expect(driven.session.notified == ["opened", "closed"])
        #expect(driven.clock.appointments.isEmpty)
        #expect(driven.channel.ends.isEmpty)
    }

    @Test("a channel is cancelled without being opened if the file of the session is closed, which ends the other side")
    func closedFile() throws {
        let folder = try DatabaseFolder()
        let database = try folder.open()
        let file = try database.openFile()
        try database.close()
        let channel = ScriptedChannel()
        let driver = SessionDriver(
            ScriptedSession(),
            on: channel,
            queue: DispatchQueue(label: "test.driver"),
            clock: VirtualClock(5000),
            opened: { _ in },
            report: { _ in }
        )
        #expect(throws: (any Error).self) { try driver.start(watching: [.default], of: file) }
        #expect(channel.ends == ["cancel"])
        #expect(!channel.isOpen)
    }

    @Test("a channel that cannot be opened ends the session")
    func noChannel() throws {
        let driven = try Driven()
        driven.tell(.closed(ChannelClosure(code: nil, isByPeer: false, error: SyncError(.network, 2))))
        #expect(driven.reports.all == ["ended 2"])
    }
}
#endif
