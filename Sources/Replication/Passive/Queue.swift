/// A queue: what was appended first is taken first.
struct Queue<Element> {
    private var elements: [Element?] = []
    private var start = 0

    var count: Int { elements.count - start }
    var isEmpty: Bool { start == elements.count }

    mutating func append(_ element: Element) {
        elements.append(element)
    }

    /// Amortised constant time.
    mutating func popFirst() -> Element? {
        guard start < elements.count else { return nil }
        defer {
            elements[start] = nil
            start += 1
            if start == elements.count {
                elements.removeAll(keepingCapacity: true)
                start = 0
            } else if start > 64, start > elements.count / 2 {
                elements.removeFirst(start)
                start = 0
            }
        }
        return elements[start]
    }
}
