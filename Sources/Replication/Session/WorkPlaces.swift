import Synchronization

/// Places for work that only so many may do at a time, in the whole process.
final class WorkPlaces: Sendable {
    private let free: Mutex<Int>

    init(count: Int) {
        free = Mutex(count)
    }

    /// Takes a place, which has to be given back; false when there is none.
    func take() -> Bool {
        free.withLock { free in
            guard free > 0 else { return false }
            free -= 1
            return true
        }
    }

    func giveBack() {
        free.withLock { $0 += 1 }
    }
}

/// A place that is given back when nobody has it any more.
final class WorkPlace {
    private let places: WorkPlaces

    /// Nil when there is none.
    init?(_ places: WorkPlaces) {
        guard places.take() else { return nil }
        self.places = places
    }

    deinit {
        places.giveBack()
    }
}
