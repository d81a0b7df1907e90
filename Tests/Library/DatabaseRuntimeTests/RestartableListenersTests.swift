import Synchronization
import Testing

@testable import DatabaseRuntime

@Suite("Listeners that can be stopped and started again")
struct RestartableListenersTests {
    /// A source that records which listeners are registered.
    private final class Source: Sendable {
        let registered = Mutex<[String]>([])

        func register(_ name: String) -> ListenerRemoval {
            registered.withLock { $0.append(name) }
            return { [self] in registered.withLock { $0.removeAll { $0 == name } } }
        }

        var names: [String] { registered.withLock { $0 } }
    }

    @Test("the first listener starts all of them, the permanent one first")
    func firstListener() {
        let (source, listeners) = (Source(), RestartableListeners(permanent: "own"))
        #expect(source.names.isEmpty)
        let removal = listeners.add("a", source.register)
        #expect(source.names == ["own", "a"])
        removal()
        #expect(source.names == ["own"])
    }

    @Test("stopped listeners are registered again by the next start, in the order in which they were added")
    func restart() {
        let (source, listeners) = (Source(), RestartableListeners(permanent: "own"))
        _ = listeners.add("b", source.register)
        _ = listeners.add("a", source.register)
        listeners.stop()
        #expect(source.names.isEmpty)
        listeners.start(source.register)
        #expect(source.names == ["own", "b", "a"])
        listeners.start(source.register)
        #expect(source.names == ["own", "b", "a"])
    }

    @Test("a listener that was removed while all were stopped is not registered again")
    func removalWhileStopped() {
        let (source, listeners) = (Source(), RestartableListeners(permanent: "own"))
        let removal = listeners.add("a", source.register)
        listeners.stop()
        removal()
        listeners.start(source.register)
        #expect(source.names == ["own"])
    }

    @Test("a removed listener is released")
    func release() {
        final class Object: Sendable {}
        let (source, listeners) = (Source(), RestartableListeners<Object?>(permanent: nil))
        weak var object: Object?
        let removal = {
            let new = Object()
            object = new
            return listeners.add(new) { _ in source.register("object") }
        }()
        #expect(object != nil)
        removal()
        #expect(object == nil)
    }
}
