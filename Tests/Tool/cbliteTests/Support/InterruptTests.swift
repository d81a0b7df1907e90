import Dispatch
import Foundation
import Testing

@testable import cblite

@Suite("Handlers of signals", .serialized)
struct InterruptTests {
    @Test("no signal is lost, however soon after the first handler begins it is received")
    func early() {
        for _ in 0..<300 {
            let received = DispatchSemaphore(value: 0)
            let interrupt = Interrupt([SIGUSR2]) { if $0 == SIGUSR2 { received.signal() } }
            kill(getpid(), SIGUSR2)
            let result = received.wait(timeout: .now() + 60)
            interrupt.cancel()
            guard result == .success else { return #expect(result == .success) }
        }
    }

    @Test("the newest handler of a signal is called, and the one before it after its end")
    func nested() {
        let (outer, inner) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let first = Interrupt([SIGUSR2]) { _ in outer.signal() }
        let second = Interrupt([SIGUSR2]) { _ in inner.signal() }
        kill(getpid(), SIGUSR2)
        #expect(inner.wait(timeout: .now() + 60) == .success)
        second.cancel()
        kill(getpid(), SIGUSR2)
        #expect(outer.wait(timeout: .now() + 60) == .success)
        #expect(inner.wait(timeout: .now()) == .timedOut)
        first.cancel()
    }
}
