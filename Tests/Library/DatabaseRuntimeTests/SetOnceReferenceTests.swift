import DatabaseRuntime
import Dispatch
import Synchronization
import Testing

@Suite("References that are set once")
struct SetOnceReferenceTests {
    private final class Counted: Sendable {
        let living: Box
        init(_ living: Box) {
            self.living = living
            living.count.add(1, ordering: .relaxed)
        }
        deinit { living.count.subtract(1, ordering: .relaxed) }
    }
    private final class Box: Sendable {
        let count = Atomic(0)
    }
    private final class Owner: Sendable {
        let reference = SetOnceReference<Counted>()
    }

    @Test("all threads get the object of the first one, and only that object is retained until the owner is released")
    func firstWins() {
        let living = Box()
        for _ in 0..<200 {
            let owner = Owner()
            #expect(owner.reference.load() == nil)
            let seen = Mutex<[ObjectIdentifier]>([])
            DispatchQueue.concurrentPerform(iterations: 8) { _ in
                let object = owner.reference.storeIfNil(Counted(living))
                seen.withLock { $0.append(ObjectIdentifier(object)) }
            }
            #expect(Set(seen.withLock { $0 }).count == 1)
            #expect(living.count.load(ordering: .relaxed) == 1)
            #expect(owner.reference.load().map(ObjectIdentifier.init) == seen.withLock { $0.first })
        }
        #expect(living.count.load(ordering: .relaxed) == 0)
    }
}
