import Synchronization

/// A counting semaphore that never blocks. It limits how many operations of one kind run at the same time in the process.
package final class WorkPermits: Sendable {
    private let limit: Int
    private let acquired = Mutex(0)

    init(count: Int) { limit = count }

    /// The number of permits that are in use.
    package var acquiredCount: Int { acquired.withLock { $0 } }

    /// Acquires a permit. Returns `nil` if no permit is free.
    func acquire() -> WorkPermit? {
        let isAcquired = acquired.withLock { count in
            guard count < limit else { return false }
            count += 1
            return true
        }
        guard isAcquired else { return nil }
        return WorkPermit(self)
    }

    fileprivate func release() { acquired.withLock { $0 -= 1 } }
}

/// A permit that is released when this value is destroyed.
struct WorkPermit: ~Copyable {
    private let permits: WorkPermits

    fileprivate init(_ permits: WorkPermits) { self.permits = permits }

    deinit { permits.release() }
}

/// Limits how many operations of one kind run at the same time in the process, for operations that may take long because of a peer. It
/// never blocks: a holder that gets no permit asks again later.
///
/// A holder without a permit always gets one, even above the limit, so that nobody depends on holders that keep theirs. While others wait, a
/// holder gets no more than its share.
package final class FairPermits: Sendable {
    /// Limits the concurrent downloads of blobs of all sessions in the process.
    package static let downloads = FairPermits(count: 256)

    fileprivate struct Share {
        var count = 0
        var isWaiting = false
    }

    private struct State {
        /// The holders that have permits or wait for them, by number.
        var shares: [Int: Share] = [:]
        var acquiredCount = 0
        var waitingCount = 0
        var lastNumber = 0

        mutating func set(_ number: Int, _ share: Share) {
            let old = shares[number] ?? Share()
            acquiredCount += share.count - old.count
            waitingCount += (share.isWaiting ? 1 : 0) - (old.isWaiting ? 1 : 0)
            shares[number] = share.count > 0 || share.isWaiting ? share : nil
        }
    }

    private let limit: Int
    private let state = Mutex(State())

    init(count: Int) { limit = count }

    /// The number of permits that are in use.
    package var acquiredCount: Int { state.withLock { $0.acquiredCount } }

    fileprivate func newNumber() -> Int {
        state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
    }

    fileprivate func acquire(_ number: Int) -> Bool {
        state.withLock { state in
            var share = state.shares[number] ?? Share()
            let othersWait = state.waitingCount > (share.isWaiting ? 1 : 0)
            let isFair = !othersWait || share.count * state.shares.count < limit
            let isGranted = share.count == 0 || state.acquiredCount < limit && isFair
            if isGranted { share.count += 1 }
            share.isWaiting = !isGranted
            state.set(number, share)
            return isGranted
        }
    }

    fileprivate func change(_ number: Int, _ change: (inout Share) -> Void) {
        state.withLock { state in
            var share = state.shares[number] ?? Share()
            change(&share)
            state.set(number, share)
        }
    }

    /// Acquires permits for one session.
    final class Holder {
        private let permits: FairPermits
        private let number: Int

        init(_ permits: FairPermits) { (self.permits, number) = (permits, permits.newNumber()) }

        deinit { stopWaiting() }

        /// Acquires a permit. Returns `nil` if no permit is available. The holder is then waiting until it gets one.
        func acquire() -> Permit? { permits.acquire(number) ? Permit(permits, number) : nil }

        func stopWaiting() { permits.change(number) { $0.isWaiting = false } }
    }

    /// A permit that is released when this object is deinitialized.
    final class Permit {
        private let permits: FairPermits
        private let number: Int

        fileprivate init(_ permits: FairPermits, _ number: Int) { (self.permits, self.number) = (permits, number) }

        deinit { permits.change(number) { $0.count -= 1 } }
    }
}
