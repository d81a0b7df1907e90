import Testing

@testable import Base

@Suite("The case of ASCII letters")
struct ASCIICaseTests {
    @Test("only ASCII letters change their case")
    func letters() {
        #expect("aZ09_ÄßﬂKı".asciiUppercased.utf8.elementsEqual("AZ09_ÄßﬂKı".utf8))
        #expect("aZ09_ÄßﬂK\u{212A}".asciiLowercased.utf8.elementsEqual("az09_Äßﬂk\u{212A}".utf8))
    }
}
