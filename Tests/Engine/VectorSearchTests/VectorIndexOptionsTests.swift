import Testing
import VectorSearch

/// The configuration of an index (Vector search 3, 5, FO-2).
@Suite("Vector index options")
struct VectorIndexOptionsTests {
    private let options = VectorIndexOptions(dimensions: 300, centroids: 8)

    @Test("options are read as they are written")
    func optionsAreReadAsTheyAreWritten() {
        var all = [options]
        all.append(VectorIndexOptions(dimensions: 2, centroids: 64000, metric: .cosine, encoding: .none))
        all.append(
            VectorIndexOptions(
                dimensions: 4096,
                centroids: 20,
                metric: .dot,
                encoding: .product(subquantizers: 512, bits: 12),
                minimumTraining: 1,
                maximumTraining: 100,
                probes: 20,
                isLazy: true
            )
        )
        for options in all { #expect(VectorIndexOptions(text: options.text) == options) }
        #expect(options.text == "dimensions=300,clustering=flat8,encoding=SQ8")
        #expect(all[2].text.hasSuffix("encoding=PQ512x12,minToTrain=1,maxToTrain=100,probes=20,lazyembedding=true"))
    }

    @Test("options of Couchbase Lite are read in any order")
    func optionsOfCouchbaseLiteAreReadInAnyOrder() {
        let text = "lazyindex=true,probes=3,encoding=sq4,clustering=multi2x3,minToTrain=never,metric=euclidean,dimensions=10"
        let options = VectorIndexOptions(text: text)
        #expect(options?.centroids == 16)
        #expect(options?.encoding == .scalar(bits: 4))
        #expect(options?.minimumTraining == Int(UInt32.max))
    }

    @Test(arguments: [
        "", "dimensions", "dimensions=1,centroids=8", "dimensions=-1,centroids=8", "dimensions=99999999999999999999,centroids=8",
        "dimensions=300,centroids=0", "dimensions=300,clustering=flat64001", "dimensions=300,clustering=multi1024x99",
        "dimensions=300,centroids=8,encoding=PQ7x8", "dimensions=300,centroids=8,encoding=PQ2x13",
        "dimensions=300,centroids=8,encoding=SQ5",
        "dimensions=300,centroids=8,probes=9", "dimensions=300,centroids=8,minToTrain=10,maxToTrain=9", "dimensions=300,centroids=8,x=1",
        "dimensions=300,centroids=8,metric=cosine_similarity",
    ])
    func optionsThatMakeNoSenseAreRefused(_ text: String) {
        #expect(VectorIndexOptions(text: text) == nil)
    }

    @Test("subquantizers divide the dimensions")
    func subquantizersDivideTheDimensions() {
        for count in [2, 3, 4, 5, 6, 10, 12, 15, 20, 25, 30, 50, 60, 75, 100, 150, 300] {
            #expect(VectorIndexOptions(dimensions: 300, centroids: 8, encoding: .product(subquantizers: count, bits: 8)).problem == nil)
        }
        for count in [0, 1, 7, 600] {
            #expect(VectorIndexOptions(dimensions: 300, centroids: 8, encoding: .product(subquantizers: count, bits: 8)).problem != nil)
        }
        for bits in [3, 13] {
            #expect(VectorIndexOptions(dimensions: 300, centroids: 8, encoding: .product(subquantizers: 5, bits: bits)).problem != nil)
        }
    }

    @Test("training needs 25 vectors for each centroid")
    func trainingNeeds25VectorsForEachCentroid() {
        #expect(options.effectiveMinimum == 200)
        #expect(options.effectiveMaximum == 800)
        var fixed = options
        (fixed.minimumTraining, fixed.maximumTraining) = (100, 100)
        #expect(fixed.effectiveMinimum == 200)
        #expect(fixed.effectiveMaximum == 200)
        fixed.maximumTraining = 1_000_000
        #expect(fixed.effectiveMaximum == 2048)
        #expect(VectorIndexOptions(dimensions: 300, centroids: 20, minimumTraining: 1, maximumTraining: 100).effectiveMinimum == 500)
        #expect(VectorIndexOptions(dimensions: 300, centroids: 8, encoding: .product(subquantizers: 5, bits: 8)).effectiveMinimum == 6400)
    }

    @Test("the number of probes is that of the query or of the index or the default")
    func theNumberOfProbesIsThatOfTheQueryOrOfTheIndexOrTheDefault() {
        #expect(options.effectiveProbes(requested: 0) == 8)
        #expect(VectorIndexOptions(dimensions: 2, centroids: 316).effectiveProbes(requested: 0) == 8)
        #expect(VectorIndexOptions(dimensions: 2, centroids: 1000).effectiveProbes(requested: 0) == 16)
        var five = options
        five.probes = 5
        #expect(five.effectiveProbes(requested: 0) == 5)
        #expect(five.effectiveProbes(requested: 7) == 7)
        #expect(five.effectiveProbes(requested: 100) == 8)
    }
}
