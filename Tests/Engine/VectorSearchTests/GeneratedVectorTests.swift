import Testing

/// The numbers are those of the specification, so that other implementations can be compared (Vector search 11.1).
@Suite("Generated vector")
struct GeneratedVectorTests {
    @Test("the generator makes the specified numbers")
    func theGeneratorMakesTheSpecifiedNumbers() {
        #expect(GeneratedVectors.mix(1) == 0x5692_161d_100b_05e5)
        #expect(GeneratedVectors.uniform(1, 1, 0) == 0.25421381967191103)
        #expect(GeneratedVectors.normal(1, 3, 0) == -2.0560182765541684)
    }

    @Test("the first vector and the first clusters are the specified ones")
    func theFirstVectorAndTheFirstClustersAreTheSpecifiedOnes() {
        let generated = GeneratedVectors()
        #expect(generated.vector(16, 0).prefix(8).elementsEqual([34, 0, 6, 29, 93, 95, 255, 55]))
        #expect((0..<5).map { generated.cluster(16, $0) } == [10, 246, 48, 3, 218])
    }
}
