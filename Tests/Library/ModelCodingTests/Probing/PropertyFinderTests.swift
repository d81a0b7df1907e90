import ModelCoding
import Testing

@Suite("Properties of a certain type")
struct PropertyFinderTests {
    private struct Marked {
        var name = "a"
        var number = 1
        var other = 2
    }
    private class Base {
        var text = "t"
        var number = 1
        var flag = true
    }
    private class Derived: Base { var name = "b" }
    private final class Own: Derived { var ownNumber = 2 }

    @Test("the first property of the type is found, also in later values of the same model")
    func finding() {
        let finder = PropertyFinder<Int>()
        #expect(finder.property(of: Marked()) == 1)
        #expect(finder.property(of: Marked(number: 5)) == 5)
    }

    @Test("a property of a superclass is found each time, unless the class itself has one")
    func inherited() {
        let finder = PropertyFinder<Int>()
        #expect(finder.property(of: Derived()) == 1)
        let derived = Derived()
        derived.number = 7
        #expect(finder.property(of: derived) == 7)
        #expect(finder.property(of: Base()) == 1)
        #expect(finder.property(of: Own()) == 2 && finder.property(of: Own()) == 2)
    }

    @Test("a type without such a property has none each time")
    func missing() {
        let finder = PropertyFinder<Double>()
        #expect(finder.property(of: Own()) == nil)
        #expect(finder.property(of: Own()) == nil)
        #expect(finder.property(of: 5) == nil)
    }
}
