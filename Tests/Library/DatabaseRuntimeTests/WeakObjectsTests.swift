import DatabaseRuntime
import Testing

@Suite("Objects by position that are not retained")
struct WeakObjectsTests {
    private final class Item: Sendable {}

    @Test("a position has the same object while that is referenced elsewhere, and another one afterwards")
    func identity() {
        let objects = WeakObjects()
        var madeCount = 0
        func object(at position: Int) -> Item? {
            objects.object(at: position) {
                madeCount += 1
                return Item()
            } as? Item
        }
        var first = object(at: 1)
        #expect(first != nil && object(at: 1) === first && madeCount == 1)
        #expect(object(at: 2) !== first && madeCount == 2)
        first = nil
        #expect(object(at: 1) != nil && madeCount == 3)
    }

    @Test("a position for which no object can be made has none")
    func none() {
        let objects = WeakObjects()
        #expect(objects.object(at: 1) { nil } == nil)
        #expect(objects.object(at: 1) { Item() } != nil)
    }
}
