import QueryLanguage
import Testing

@Suite("Predicate string translation")
struct PredicateTranslationTests {
    /// The tree as JSON.
    private func json(_ text: String) throws -> String {
        QueryJSON.text(of: try PredicateString.parse(text))
    }

    @Test(
        "comparisons are translated to query expressions",
        arguments: [
            ("nickname == 'Bobo'", #"["=",[".nickname"],"Bobo"]"#),
            ("a = 1", #"["=",[".a"],1]"#),
            ("a != 1", #"["!=",[".a"],1]"#),
            ("a <> 1", #"["!=",[".a"],1]"#),
            ("a<1", #"["<",[".a"],1]"#),
            ("a <= 1", #"["<=",[".a"],1]"#),
            ("a =< 1", #"["<=",[".a"],1]"#),
            ("a > 1", #"[">",[".a"],1]"#),
            ("a >= 1", #"[">=",[".a"],1]"#),
            ("a => 1", #"[">=",[".a"],1]"#),
            ("age between {13, 19}", #"["BETWEEN",[".age"],13,19]"#),
            ("x IN {1, 'b', c}", #"["IN",[".x"],["[]",1,"b",[".c"]]]"#),
            ("x IN {}", #"["IN",[".x"],["[]"]]"#),
            ("name in $NAMES", #"["IN",[".name"],["$NAMES"]]"#),
            ("'Bobo' in children", #"["ANY","X",[".children"],["=",["?X"],"Bobo"]]"#),
            ("x == nil", #"["IS",[".x"],["MISSING"]]"#),
            ("NULL != x", #"["IS NOT",[".x"],["MISSING"]]"#),
            ("x < nil", #"["<",[".x"],["MISSING"]]"#),
            ("NULL == nil", #"["IS",["MISSING"],["MISSING"]]"#),
            ("body MATCHES 'linux'", #"["MATCH()","body","linux"]"#),
            ("a.b matches $p", #"["MATCH()","a.b",["$p"]]"#),
        ]
    )
    func comparisons(text: String, tree: String) throws {
        #expect(try json(text) == tree)
    }

    @Test(
        "string patterns are case-sensitive and use the wildcards of NSPredicate",
        arguments: [
            ("s CONTAINS 't'", #"["CONTAINS()",[".s"],"t"]"#),
            ("s BEGINSWITH 'B'", #"["LIKE",[".s"],"B%"]"#),
            (#"s ENDSWITH '0%_\\'"#, #"["LIKE",[".s"],"%0\\%\\_\\\\"]"#),
            ("s BEGINSWITH $p", #"["LIKE",[".s"],["||",["$p"],"%"]]"#),
            ("s ENDSWITH t", #"["LIKE",[".s"],["||","%",[".t"]]]"#),
            ("s LIKE 'a*b?c'", #"["LIKE",[".s"],"a%b_c"]"#),
            ("s LIKE '100%_'", #"["LIKE",[".s"],"100\\%\\_"]"#),
            (#"s LIKE '\\*\\?\\x'"#, #"["LIKE",[".s"],"*?\\\\x"]"#),
        ]
    )
    func patterns(text: String, tree: String) throws {
        #expect(try json(text) == tree)
        guard case .like(_, _, let isCaseSensitive) = try PredicateString.parse(text) else { return }
        #expect(isCaseSensitive)
    }

    @Test(
        "the flags c and d make a comparison ignore case and diacritics",
        arguments: [
            ("name ==[cd] 'Bobo'", #"["COLLATE",{"UNICODE":true,"CASE":false,"DIAC":false},["=",[".name"],"Bobo"]]"#),
            ("name LIKE[C] 'b*'", #"["COLLATE",{"UNICODE":true,"CASE":false},["LIKE",[".name"],"b%"]]"#),
            ("name IN [d] {'a'}", #"["COLLATE",{"UNICODE":true,"DIAC":false},["IN",[".name"],["[]","a"]]]"#),
            ("name ==[n] 'b'", #"["=",[".name"],"b"]"#),
            ("name ==[] 'b'", #"["=",[".name"],"b"]"#),
            ("name ==[c] nil", #"["IS",[".name"],["MISSING"]]"#),
            (
                "ANY tags ==[c] 'b'",
                #"["ANY","X",[".tags"],["COLLATE",{"UNICODE":true,"CASE":false},["=",["?X"],"b"]]]"#
            ),
        ]
    )
    func flags(text: String, tree: String) throws {
        // The order of the options has no effect.
        #expect(try PredicateString.parse(text) == QueryJSON.parseExpression(tree))
    }

    @Test(
        "NOT binds more tightly than AND, and AND more tightly than OR",
        arguments: [
            ("a = 1 AND b = 2 && c = 3", #"["AND",["=",[".a"],1],["=",[".b"],2],["=",[".c"],3]]"#),
            ("a = 1 || b = 2 AND c = 3", #"["OR",["=",[".a"],1],["AND",["=",[".b"],2],["=",[".c"],3]]]"#),
            ("(a = 1 or b = 2) and c = 3", #"["AND",["OR",["=",[".a"],1],["=",[".b"],2]],["=",[".c"],3]]"#),
            ("NOT a = 1 AND !(b = 2)", #"["AND",["NOT",["=",[".a"],1]],["NOT",["=",[".b"],2]]]"#),
            ("!!TRUEPREDICATE", #"["NOT",["NOT",true]]"#),
            ("FALSEPREDICATE OR ((a = 1))", #"["OR",false,["=",[".a"],1]]"#),
        ]
    )
    func logic(text: String, tree: String) throws {
        #expect(try json(text) == tree)
    }

    @Test(
        "quantifiers split their path at the last dot",
        arguments: [
            ("ALL children.age < 18", #"["EVERY","X",[".children"],["<",["?X.age"],18]]"#),
            ("SOME a.b.c = 1", #"["ANY","X",[".a.b"],["=",["?X.c"],1]]"#),
            ("ANY tags = 'a'", #"["ANY","X",[".tags"],["=",["?X"],"a"]]"#),
            ("ANY a[0] = 1", #"["ANY","X",[".a[0]"],["=",["?X"],1]]"#),
            ("NONE a.b > 10", #"["NOT",["ANY","X",[".a"],[">",["?X.b"],10]]]"#),
            ("ANY a IN {1, 2}", #"["ANY","X",[".a"],["IN",["?X"],["[]",1,2]]]"#),
            ("ANY a IN b", #"["ANY","X",[".a"],["ANY","X2",[".b"],["=",["?X2"],["?X"]]]]"#),
            (
                "ANY a = TERNARY('x' IN c, 1, 2)",
                #"["ANY","X",[".a"],["=",["?X"],["CASE",null,["ANY","X2",[".c"],["=",["?X2"],"x"]],1,2]]]"#
            ),
            (
                "TERNARY('x' IN c, 1, 2) IN d",
                #"["ANY","X2",[".d"],["=",["?X2"],["CASE",null,["ANY","X",[".c"],["=",["?X"],"x"]],1,2]]]"#
            ),
        ]
    )
    func quantifiers(text: String, tree: String) throws {
        #expect(try json(text) == tree)
    }

    @Test(
        "predicate values are translated to query expressions",
        arguments: [
            ("a.b.c", #"[".a.b.c"]"#), ("_id", #"["._id"]"#), ("SELF", #"["."]"#), ("SELF.a", #"[".a"]"#),
            ("name.first", #"[".name.first"]"#), ("a.in.like", #"[".a.in.like"]"#), ("first", #"[".first"]"#),
            ("#in", #"[".in"]"#), (#"\like.x"#, #"[".like.x"]"#), ("größe", #"[".größe"]"#),
            ("coords[LAST]", #"[".coords[-1]"]"#), ("coords[first].x", #"[".coords[0].x"]"#), ("a[2]", #"[".a[2]"]"#),
            ("a[-2]", #"[".a[-2]"]"#), ("coords[SIZE]", #"["ARRAY_COUNT()",[".coords"]]"#),
            ("a.@count", #"["ARRAY_COUNT()",[".a"]]"#),
            ("$Name", #"["$Name"]"#), ("'it\\'s \\\"\\n\\t\\r'", #""it's \"\n\t\r""#), (#""it's""#, #""it's""#),
            ("TRUE", "true"), ("yes", "true"), ("NO", "false"), ("FALSE", "false"), ("nil", #"["MISSING"]"#),
            ("12", "12"), ("-12", "-12"), ("0x1F", "31"), ("1.5", "1.5"), (".5", "0.5"), ("1e3", "1000.0"),
            ("- -1", "1"), ("-a", #"["-",[".a"]]"#), ("9223372036854775808", "9223372036854775808.0"),
            ("-9223372036854775808", "-9223372036854775808"), ("- --9223372036854775808", "-9223372036854775808"),
            ("--9223372036854775808", "9223372036854775808.0"), ("-(-9223372036854775808)", "9223372036854775808.0"),
            ("-9223372036854775809", "-9223372036854775809.0"),
            ("{1, a}", #"["[]",1,[".a"]]"#),
            ("a + 1 - 2", #"["-",["+",[".a"],1],2]"#), ("a + b + c", #"["+",[".a"],[".b"],[".c"]]"#),
            ("a - b - c", #"["-",["-",[".a"],[".b"]],[".c"]]"#), ("a * 2 + 1", #"["+",["*",[".a"],2],1]"#),
            ("a * (2 + 1)", #"["*",[".a"],["+",2,1]]"#), ("a / b * c", #"["*",["/",[".a"],[".b"]],[".c"]]"#),
            ("a ** b ** 2", #"["POWER()",[".a"],["POWER()",[".b"],2]]"#), ("-a ** 2", #"["POWER()",["-",[".a"]],2]"#),
            ("foo + 'bar'", #"["||",[".foo"],"bar"]"#), ("a + '-' + b", #"["||",[".a"],"-",[".b"]]"#),
            ("uppercase(a) + b", #"["||",["UPPER()",[".a"]],[".b"]]"#),
            ("modulus:by:(a, 2)", #"["%",[".a"],2]"#), ("from:subtract:(a, 2)", #"["-",[".a"],2]"#),
            ("raise:toPower:(a, 2)", #"["POWER()",[".a"],2]"#), ("abs:(a)", #"["ABS()",[".a"]]"#),
            ("ceiling(a)", #"["CEIL()",[".a"]]"#), ("LENGTH(a)", #"["LENGTH()",[".a"]]"#),
            ("sum(prices)", #"["ARRAY_SUM()",[".prices"]]"#), ("count(a)", #"["ARRAY_COUNT()",[".a"]]"#),
            ("average(a)", #"["ARRAY_AVG()",[".a"]]"#), ("min(a, b)", #"["LEAST()",[".a"],[".b"]]"#),
            ("max(a)", #"["ARRAY_MAX()",[".a"]]"#), ("max(a, b, 3)", #"["GREATEST()",[".a"],[".b"],3]"#),
            ("FUNCTION(email, 'REGEXP_LIKE', '.+@.+')", #"["REGEXP_LIKE()",[".email"],".+@.+"]"#),
            ("TERNARY(2==3, 1, 2)", #"["CASE",null,["=",2,3],1,2]"#), ("ternary.cast", #"[".ternary.cast"]"#),
            (#"CAST(0.5, "NSDate")"#, #""2001-01-01T00:00:00.500Z""#),
        ]
    )
    func expressions(text: String, tree: String) throws {
        let comparison = tree == #"["MISSING"]"# ? "IS" : "="
        let expected = try QueryJSON.parseExpression(#"["\#(comparison)",[".x"],\#(tree)]"#)
        #expect(try PredicateString.parse("x == " + text) == expected)
    }

    @Test("aggregates apply to groups in results, groupings, sort strings and group conditions")
    func aggregates() throws {
        #expect(QueryJSON.text(of: try PredicateString.parseResult("max(a.b)")) == #"["MAX()",[".a.b"]]"#)
        #expect(QueryJSON.text(of: try PredicateString.parseResult("count(1)")) == #"["COUNT()",1]"#)
        #expect(QueryJSON.text(of: try PredicateString.parseResult("min(a, b)")) == #"["LEAST()",[".a"],[".b"]]"#)
        #expect(QueryJSON.text(of: try PredicateString.parseResult("average(a)")) == #"["AVG()",[".a"]]"#)
        #expect(QueryJSON.text(of: try PredicateString.parseGrouping("sum(a)")) == #"["SUM()",[".a"]]"#)
        #expect(QueryJSON.text(of: try PredicateString.parseOrdering("sum(a)").expression) == #"["SUM()",[".a"]]"#)
        #expect(QueryJSON.text(of: try PredicateString.parseGroupCondition("count(1) > 5")) == #"[">",["COUNT()",1],5]"#)
    }

    @Test(
        "sort strings are translated to query orderings",
        arguments: [
            ("name", #"[".name"]"#), ("-name", #"["DESC",[".name"]]"#), (" - name ", #"["DESC",[".name"]]"#),
            ("-name[c]", #"["DESC",["COLLATE",{"UNICODE":true,"CASE":false},[".name"]]]"#),
            ("name[cd]", #"["COLLATE",{"UNICODE":true,"CASE":false,"DIAC":false},[".name"]]"#),
            ("name[] ", #"["COLLATE",{"UNICODE":true},[".name"]]"#),
            ("rank(body)", #"["RANK()","body"]"#), ("-rank(a.b)", #"["DESC",["RANK()","a.b"]]"#),
            ("tags[0].x", #"[".tags[0].x"]"#), ("a + b", #"["+",[".a"],[".b"]]"#),
        ]
    )
    func sortStrings(text: String, tree: String) throws {
        let select = try QueryJSON.parse(#"{"ORDER_BY":[\#(tree)]}"#)
        #expect(try [PredicateString.parseOrdering(text)] == select.ordering)
    }

    @Test("groupings accept a collation, and results do not")
    func groupings() throws {
        let collated = try QueryJSON.parseExpression(#"["COLLATE",{"UNICODE":true,"CASE":false},[".name"]]"#)
        #expect(try PredicateString.parseGrouping("name[c]") == collated)
        #expect(throws: QueryError.self) { try PredicateString.parseResult("name[c]") }
    }
}
