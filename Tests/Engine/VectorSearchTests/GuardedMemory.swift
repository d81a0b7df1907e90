import Base

/// Memory that ends where the process must not read or write: an access behind its end ends the test.
final class GuardedMemory<Element> {
    /// The last `count` elements before the end.
    let elements: UnsafeMutableBufferPointer<Element>
    private let mapped: UnsafeMutableRawPointer
    private let size: Int

    /// Returns `nil` if the system has no such memory.
    init?(_ content: [Element]) {
        let page = Int(sysconf(Int32(_SC_PAGESIZE)))
        let bytes = content.count * MemoryLayout<Element>.stride
        let used = (bytes + page - 1) / page * page
        size = used + page
        guard let memory = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0), memory != MAP_FAILED else { return nil }
        mapped = memory
        let start = (memory + used - bytes).assumingMemoryBound(to: Element.self)
        elements = UnsafeMutableBufferPointer(start: start, count: content.count)
        _ = elements.initialize(from: content)
        guard mprotect(memory + used, page, PROT_NONE) == 0 else { return nil }
    }

    var base: UnsafeMutablePointer<Element> { elements.baseAddress.unsafelyUnwrapped }

    deinit { munmap(mapped, size) }
}
