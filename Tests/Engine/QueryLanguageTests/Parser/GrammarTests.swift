import QueryLanguage
import Testing

/// The tree of a text, written in the JSON schema.
func json(_ text: String) throws -> String {
    QueryJSON.text(of: try SQLPlusPlus.parseExpression(text))
}

func selectJSON(_ text: String) throws -> String {
    QueryJSON.text(of: try SQLPlusPlus.parse(text))
}

@Suite("SQL++ grammar")
struct GrammarTests {
    @Test(
        "an expression is parsed to the expected tree",
        arguments: [
            ("*", #"["."]"#),
            ("x.*", #"[".x"]"#),
            ("a.b[0]", #"[".a.b[0]"]"#),
            ("a[-1].c", #"[".a[-1].c"]"#),
            ("a.`b.c`[0].`$d`", #"[".a.b\\.c[0].$d"]"#),
            ("`$d`", #"[".\\$d"]"#),
            ("`a``b`", #"[".a`b"]"#),
            ("meta()", #"["meta()"]"#),
            ("META(x)", #"["meta()","x"]"#),
            ("meta().id", #"["_.",["meta()"],".id"]"#),
            ("a == 1", #"["=",[".a"],1]"#),
            ("a <> 1", #"["!=",[".a"],1]"#),
            ("x IS NULL", #"["IS",[".x"],null]"#),
            ("x IS NOT NULL", #"["IS NOT",[".x"],null]"#),
            ("x NOT NULL", #"["IS NOT",[".x"],null]"#),
            ("x IS MISSING", #"["IS",[".x"],["MISSING"]]"#),
            ("x IS NOT MISSING", #"["IS NOT",[".x"],["MISSING"]]"#),
            ("x IS VALUED", #"["IS VALUED",[".x"]]"#),
            ("x IS NOT VALUED", #"["NOT",["IS VALUED",[".x"]]]"#),
            ("x IS y", #"["IS",[".x"],[".y"]]"#),
            ("x IN (1, 2)", #"["IN",[".x"],["[]",1,2]]"#),
            ("x IN [1,2]", #"["IN",[".x"],["[]",1,2]]"#),
            ("x IN ()", #"["IN",[".x"],["[]"]]"#),
            ("x NOT IN (1)", #"["NOT IN",[".x"],["[]",1]]"#),
            ("x LIKE 'a%'", #"["LIKE",[".x"],"a%"]"#),
            ("x NOT LIKE p", #"["NOT",["LIKE",[".x"],[".p"]]]"#),
            ("x BETWEEN 1 AND 2", #"["BETWEEN",[".x"],1,2]"#),
            ("x NOT BETWEEN 1 AND 2 AND y", #"["AND",["NOT",["BETWEEN",[".x"],1,2]],[".y"]]"#),
            ("ANY v IN a SATISFIES v.x = b END", #"["ANY","v",[".a"],["=",["?v.x"],[".b"]]]"#),
            ("some v in a satisfies v[0] end", #"["ANY","v",[".a"],["?v[0]"]]"#),
            ("EVERY v IN a SATISFIES v END", #"["EVERY","v",[".a"],["?v"]]"#),
            ("SOME AND EVERY v IN a SATISFIES v END", #"["ANY AND EVERY","v",[".a"],["?v"]]"#),
            (
                "ANY a IN x SATISFIES (ANY b IN a.y SATISFIES a.z = b END) END",
                #"["ANY","a",[".x"],["ANY","b",["?a.y"],["=",["?a.z"],["?b"]]]]"#
            ),
            ("CASE x WHEN 1 THEN 'a' ELSE 'b' END", #"["CASE",[".x"],1,"a","b"]"#),
            ("CASE WHEN x THEN 1 WHEN y THEN 2 END", #"["CASE",null,[".x"],1,[".y"],2]"#),
            ("e COLLATE (UNICODE:se NOCASE)", #"["COLLATE",{"UNICODE":true,"CASE":false,"LOCALE":"se"},[".e"]]"#),
            ("e COLLATE (NOUNICODE CASE DIAC)", #"["COLLATE",{"UNICODE":false,"CASE":true,"DIAC":true},[".e"]]"#),
            ("e COLLATE nodiac", #"["COLLATE",{"DIAC":false},[".e"]]"#),
            ("Lower(a)", #"["Lower()",[".a"]]"#),
            ("concat(a, 1)", #"["concat()",[".a"],1]"#),
            ("pi()", #"["pi()"]"#),
            ("count(*)", #"["count()",["."]]"#),
            ("match(idx, 'p')", #"["MATCH()","idx","p"]"#),
            ("match(x.`my idx`, $p)", #"["MATCH()","x.my idx",["$p"]]"#),
            ("rank(x.idx)", #"["RANK()","x.idx"]"#),
            ("$name", #"["$name"]"#),
            ("[1, [], 'x']", #"["[]",1,["[]"],"x"]"#),
            ("{'b': 1, \"a\": {}}", #"{"a":{},"b":1}"#),
            ("{}", "{}"),
            ("TRUE", "true"), ("false", "false"), ("Null", "null"), ("MISSING", #"["MISSING"]"#),
            (
                "ANY v IN a SATISFIES EXISTS (SELECT v.x FROM c AS v WHERE v.y = w AND EXISTS (SELECT 1 FROM d WHERE d.x = v.z)) END",
                #"["ANY","v",[".a"],["EXISTS",["SELECT",{"WHAT":[[".v.x"]],"FROM":[{"COLLECTION":"c","AS":"v"}],"#
                    + #""WHERE":["AND",["=",[".v.y"],[".w"]],["EXISTS",["SELECT",{"WHAT":[1],"FROM":[{"COLLECTION":"d"}],"#
                    + #""WHERE":["=",[".d.x"],[".v.z"]]}]]]}]]]"#
            ),
            (
                "ANY v IN a SATISFIES EXISTS (SELECT 1 FROM c WHERE c.x = v.y) END",
                #"["ANY","v",[".a"],["EXISTS",["SELECT",{"WHAT":[1],"FROM":[{"COLLECTION":"c"}],"WHERE":["=",[".c.x"],["?v.y"]]}]]]"#
            ),
            ("EXISTS (SELECT x FROM _)", #"["EXISTS",["SELECT",{"WHAT":[[".x"]],"FROM":[{"COLLECTION":"_"}]}]]"#),
            ("{'x':{'y':[10,20]}}.x.y[1]", #"["_.",{"x":{"y":["[]",10,20]}},".x.y[1]"]"#),
            ("(a).b", #"["_.",[".a"],".b"]"#),
        ]
    )
    func expressions(text: String, tree: String) throws {
        #expect(try json(text) == tree)
    }

    @Test(
        "operators have the documented precedence and are left-associative",
        arguments: [
            ("a OR b AND c", #"["OR",[".a"],["AND",[".b"],[".c"]]]"#),
            ("a AND b AND c AND d", #"["AND",[".a"],[".b"],[".c"],[".d"]]"#),
            ("(a AND b) AND c", #"["AND",["AND",[".a"],[".b"]],[".c"]]"#),
            ("NOT a = b AND c", #"["AND",["NOT",["=",[".a"],[".b"]]],[".c"]]"#),
            ("NOT a LIKE b", #"["LIKE",["NOT",[".a"]],[".b"]]"#),
            ("NOT (a LIKE b)", #"["NOT",["LIKE",[".a"],[".b"]]]"#),
            ("NOT NOT a LIKE b", #"["NOT",["LIKE",["NOT",[".a"]],[".b"]]]"#),
            ("NOT a IN (1)", #"["IN",["NOT",[".a"]],["[]",1]]"#),
            ("(NOT a) IN (1)", #"["IN",["_.",["NOT",[".a"]],"."],["[]",1]]"#),
            ("(NOT a) NOT IN (1)", #"["NOT IN",["NOT",[".a"]],["[]",1]]"#),
            ("(NOT a) LIKE b", #"["LIKE",["_.",["NOT",[".a"]],"."],[".b"]]"#),
            ("(NOT a) IS VALUED", #"["IS VALUED",["_.",["NOT",[".a"]],"."]]"#),
            ("NOT (NOT a) IN (1)", #"["IN",["NOT",["_.",["NOT",[".a"]],"."]],["[]",1]]"#),
            ("NOT a IS VALUED", #"["IS VALUED",["NOT",[".a"]]]"#), ("a IN []", #"["IN",[".a"],null]"#),
            ("a = NOT b = c", #"["=",[".a"],["NOT",["=",[".b"],[".c"]]]]"#),
            ("NOT meta().deleted", #"["NOT",["_.",["meta()"],".deleted"]]"#),
            ("a = b != c", #"["!=",["=",[".a"],[".b"]],[".c"]]"#),
            ("a < b = c > d", #"["=",["<",[".a"],[".b"]],[">",[".c"],[".d"]]]"#),
            ("a + b * c", #"["+",[".a"],["*",[".b"],[".c"]]]"#),
            ("a * b + c", #"["+",["*",[".a"],[".b"]],[".c"]]"#),
            ("a - b - c", #"["-",["-",[".a"],[".b"]],[".c"]]"#),
            ("a + b + c - d + e", #"["+",["-",["+",[".a"],[".b"],[".c"]],[".d"]],[".e"]]"#),
            ("a || b * c || d", #"["*",["||",[".a"],[".b"]],["||",[".c"],[".d"]]]"#),
            ("-a || b", #"["||",["-",[".a"]],[".b"]]"#),
            ("- 5", #"["-",5]"#), ("-5", "-5"), ("- -5", #"["-",-5]"#), ("+a", #"[".a"]"#), ("1-1", #"["-",1,1]"#),
            ("1 - - c", #"["-",1,["-",[".c"]]]"#),
            (
                "a = b AND c = d COLLATE NOCASE",
                #"["COLLATE",{"CASE":false},["AND",["=",[".a"],[".b"]],["=",[".c"],[".d"]]]]"#
            ),
            ("a BETWEEN 1 + 1 AND 2 OR b", #"["OR",["BETWEEN",[".a"],["+",1,1],2],[".b"]]"#),
        ]
    )
    func precedence(text: String, tree: String) throws {
        #expect(try json(text) == tree)
    }

    @Test(
        "the clauses of a query are parsed to the expected tree",
        arguments: [
            (
                """
                SELECT DISTINCT a, b AS x, c y FROM s.c AS k WHERE a GROUP BY a, 'b' HAVING count(*) > 1
                ORDER BY a, b DESC, c ASC, 'd' LIMIT 1 OFFSET $o;
                """,
                #"{"WHAT":[[".a"],["AS",[".b"],"x"],["AS",[".c"],"y"]],"DISTINCT":true,"#
                    + #""FROM":[{"SCOPE":"s","COLLECTION":"c","AS":"k"}],"WHERE":[".a"],"GROUP_BY":[[".a"],[".b"]],"#
                    + #""HAVING":[">",["count()",["."]],1],"#
                    + #""ORDER_BY":[[".a"],["DESC",[".b"]],[".c"],[".d"]],"LIMIT":1,"OFFSET":["$o"]}"#
            ),
            ("SELECT ALL x FROM _", #"{"WHAT":[[".x"]],"FROM":[{"COLLECTION":"_"}]}"#),
            (
                "SELECT x FROM _ OFFSET 1 LIMIT 2",
                #"{"WHAT":[[".x"]],"FROM":[{"COLLECTION":"_"}],"LIMIT":2,"OFFSET":1}"#
            ),
            (
                "SELECT * FROM a JOIN b ON c INNER JOIN d ON e LEFT JOIN f ON g LEFT OUTER JOIN h ON i CROSS JOIN j k",
                #"{"WHAT":[["."]],"FROM":[{"COLLECTION":"a"},{"COLLECTION":"b","JOIN":"INNER","ON":[".c"]},"#
                    + #"{"COLLECTION":"d","JOIN":"INNER","ON":[".e"]},{"COLLECTION":"f","JOIN":"LEFT","ON":[".g"]},"#
                    + #"{"COLLECTION":"h","JOIN":"LEFT OUTER","ON":[".i"]},{"COLLECTION":"j","AS":"k","JOIN":"CROSS"}]}"#
            ),
            (
                "SELECT * FROM a UNNEST a.b AS c UNNEST c.d",
                #"{"WHAT":[["."]],"FROM":[{"COLLECTION":"a"},{"UNNEST":[".a.b"],"AS":"c"},{"UNNEST":[".c.d"]}]}"#
            ),
            // A string without a title or a direction is the path of a property; otherwise it is a string.
            (
                "SELECT 'lit', 'lit' AS x FROM _ ORDER BY 'a' ASC",
                #"{"WHAT":[[".lit"],["AS","lit","x"]],"#
                    + #""FROM":[{"COLLECTION":"_"}],"ORDER_BY":[["ASC","a"]]}"#
            ),
        ]
    )
    func clauses(text: String, tree: String) throws {
        #expect(try selectJSON(text) == tree)
    }

    @Test("index expressions are separated by commas")
    func indexExpressions() throws {
        let expressions = try SQLPlusPlus.parseIndexExpressions("type, name.first, lower(email), 'x.y'")
        #expect(QueryJSON.text(of: expressions) == #"[[".type"],[".name.first"],["lower()",[".email"]],[".x.y"]]"#)
    }
}
