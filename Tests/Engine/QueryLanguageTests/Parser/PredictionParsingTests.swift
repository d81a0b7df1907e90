import QueryLanguage
import Testing

@Suite("Calls of predictive models in SQL++ and JSON")
struct PredictionParsingTests {
    @Test(
        "SQL++ and JSON describe the same call",
        arguments: [
            ("PREDICTION(Model, {'a': b})", #"["PREDICTION()","Model",{"a":[".b"]}]"#),
            ("prediction(`my model`, doc, 'x.y')", #"["prediction()","my model",[".doc"],"x.y"]"#),
            ("PREDICTION(M, {}, label.name)", #"["PREDICTION()","M",{},".label.name"]"#),
            ("PREDICTION(M, {'a': 1}).a.b[0]", #"["_.",["PREDICTION()","M",{"a":1}],".a.b[0]"]"#),
            ("EUCLIDEAN_DISTANCE(a, [1], 2)", #"["EUCLIDEAN_DISTANCE()",[".a"],["[]",1],2]"#),
        ]
    )
    func forms(text: String, json: String) throws {
        let expression = try SQLPlusPlus.parseExpression(text)
        #expect(QueryJSON.text(of: expression) == json)
        #expect(try QueryJSON.parseExpression(json) == expression)
        let written = try #require(SQLPlusPlus.text(of: expression))
        #expect(try SQLPlusPlus.parseExpression(written) == expression)
    }

    @Test("the model is written as a name, and not as text or an expression", arguments: ["'M', {}", "1, {}", "M.N, {}", "M + 1, {}"])
    func models(arguments: String) {
        #expect(throws: QueryError.self) { try SQLPlusPlus.parseExpression("PREDICTION(\(arguments))") }
    }

    @Test("without a parenthesis, prediction is a name")
    func plainNames() throws {
        #expect(try SQLPlusPlus.parseExpression("prediction.sum") == .property([.key("prediction"), .key("sum")]))
        #expect(try SQLPlusPlus.parseExpression("`prediction`") == .property([.key("prediction")]))
    }

    @Test("a name that is defined by LET or as a variable is still that of a model")
    func hiddenNames() throws {
        let select = try SQLPlusPlus.parse(
            "SELECT PREDICTION(m, {'a': m}, m).x FROM _ LET m = 1 WHERE ANY m IN b SATISFIES PREDICTION(m, {}) = 1 END"
        )
        #expect(QueryJSON.text(of: select.items[0].expression) == #"["_.",["PREDICTION()","m",{"a":1},".m"],".x"]"#)
    }
}
