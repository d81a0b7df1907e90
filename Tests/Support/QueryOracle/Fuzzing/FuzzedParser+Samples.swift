extension FuzzedParser {
    static let queries = [
        "SELECT DISTINCT a.b[0] AS x, count(*), {'k': [1, -2.5e3, 'it''s']}.k[1] FROM s.c AS t WHERE NOT a = $p AND b",
        "SELECT ANY v IN a SATISFIES v.x LIKE 'y%' END, CASE x WHEN 1 THEN 2 ELSE 3 END FROM _ GROUP BY c HAVING sum(d)",
        "SELECT meta(x).id FROM _ x LEFT JOIN y ON x.a IN (1,2) UNNEST x.z AS u WHERE match(x.i, \"q\") ORDER BY rank(i)",
        "SELECT `we.ird` FROM _ WHERE (a BETWEEN 1 AND 2 OR b IS NOT VALUED) COLLATE (UNICODE:se NOCASE) LIMIT 1 OFFSET 2;",
        "SELECT EVERY a IN b.c SATISFIES (SOME AND EVERY d IN a SATISFIES d > 1 END) END FROM db CROSS JOIN s.t AS q",
        "SELECT -x, +y, NOT z, a || b || 'c' * 2 % 3 / 4 - 5 <= 6 FROM _default WHERE x IS NOT MISSING AND y IS NULL",
        "SELECT count(DISTINCT a), /* é */ SUM(DISTINCT b.c) AS s -- x\n FROM _ GROUP BY d HAVING array_agg(DISTINCT [e]) != []",
        "WITH w AS (SELECT a FROM _), v AS (SELECT b.a FROM w b) SELECT x.a FROM v x JOIN w ON x.a = w.a LET y = x.a, z = y + 1 WHERE z > y",
        "SELECT t.a FROM (SELECT b AS a FROM _ WHERE c) t UNION ALL SELECT d FROM s.e EXCEPT SELECT f FROM _ ORDER BY a LIMIT $n OFFSET 1",
        "SELECT a FROM _ AS o WHERE a NOT IN (SELECT b FROM _ p WHERE p.c = o.d INTERSECT SELECT e FROM _) GROUP BY a",
        "SELECT EXISTS (SELECT 1 FROM _ WHERE a), $x, meta().deleted, * FROM _ ORDER BY a DESC, b ASC",
    ]

    static let expressions = [
        "name, address.city", "lower(name) COLLATE NOCASE", "a[0].b, `we.ird`", "array_count(x) > 5", "type",
        "CASE WHEN a THEN b END, {'k': v}", "(a = 1) COLLATE (UNICODE CASE NODIAC)", "ANY v IN x SATISFIES v = 1 END",
    ]

    static let jsonQueries = [
        #"{"WHAT":[".name",[".","geo",[0]],["AS",1,"one"]],"FROM":[{"COLLECTION":"s.c","AS":"a"}],"ORDER_BY":["x",["DESC",["$",7]]]}"#,
        #"["AND",["=",[".a"],true],["ANY","v",[".b"],["<",["?v","c"],1.5e3]],["NOT",["LIKE",["?v"],"x%"]]]"#,
        #"{"WHERE":["COLLATE",{"UNICODE":true,"LOCALE":"se"},["IN",[".x"],["[]",1,"\u00e9",null,{"k":["MISSING"]}]]],"LIMIT":10}"#,
        #"{"FROM":[{"AS":"a"},{"AS":"b","JOIN":"LEFT OUTER","ON":["=",[".a.x"],["meta()","b"]]},{"UNNEST":[".a.t"],"AS":"u"}]}"#,
        #"["SELECT",{"WHAT":[["CASE",null,1,2,3],["_.",["META()"],".id"],["count()"]],"GROUP_BY":[[".g"]],"HAVING":["IS VALUED",[".h"]]}]"#,
    ]

    static let predicates = [
        "nickname == 'Bobo' AND age BETWEEN {13, 19}", "ALL children.age < 18 OR NOT (x != nil)", "'Bobo' in children",
        "lowercase(name) ==[cd] \"b\\n\" && coords[LAST] <= -180.5e2",
        "FUNCTION(email, 'REGEXP_LIKE', '.+@.+') == true",
        "TERNARY(2==3, 1, 2) == 1 || foo + 'bar' CONTAINS[c] $X", "NONE a.b BEGINSWITH 'x' OR t MATCHES 'some words'",
        "sum(prices) ** 2 > modulus:by:(a, 0x1F) && TRUEPREDICATE",
        "nickname ==[cd] 'Bo\\'bo' AND (ALL children.age < 18 OR NOT 'x' IN tags) && coords[LAST].x BETWEEN {1, $hi}",
        "TERNARY(2 == 3, a ** 2, -b) != nil || FUNCTION(email, 'REGEXP_LIKE', '.+@.+') == TRUE AND a.#in.@count => 0x1F",
        "name LIKE[c] 'a*?\\\\*' OR s ENDSWITH t AND sum(prices) * 2.5e3 / 4 <> min(a, b) AND text MATCHES $q",
        "NONE a.b IN {1, 'two', {3}} AND CAST(12.5, \"NSDate\") =< modulus:by:(größe[0], 7) + '%' + uppercase(SELF.x)",
    ]

    static let sqlWords = [
        "SELECT ", "FROM ", "WHERE ", " GROUP BY ", " HAVING ", " ORDER BY ", " LIMIT ", " OFFSET ", " AND ", " OR ",
        "NOT ",
        " IS ", " NULL ", " MISSING ", " VALUED ", " IN ", " LIKE ", " BETWEEN ", "ANY v IN ", "EVERY ", "SOME ",
        " SATISFIES ", " END ", "DISTINCT ", " UNION ", " ALL ", " LET x = ", "WITH w AS (", " FROM (SELECT ", ") AS t ", "CASE ", " WHEN ",
        " THEN ", " ELSE ", "EXISTS ", " COLLATE ", "UNICODE", "NOCASE",
        " JOIN ", " ON ", " UNNEST ", " AS ", "_", "a", "b.c", "x[0]", "$p", "1", "2.5", ".5", "1e999", "'s'",
        "99999999999999999999", "count(", "meta(", "match(", "lower(", "(", ")", "[", "]", "{", "}", ",", ":", ".", "*",
        "+", "-", "/", "%", "||", "=", "<=", "<>", "<<", "&", "`q`", "\"", "'", "`", "$", ";", "é", "😀", "\u{0}",
        "\u{301}", "--", "/*", "\n", "meta().deleted", "greatest(", "prediction(", "rank(",
    ]

    static let jsonWords = [
        "[", "]", "{", "}", ",", ":", "\"", "null", "true", "false", "0", "-1", "1.5", "1e400", "123456789012345678901",
        "\"\"",
        #""AND""#, #""NOT""#, #""=""#, #"".a""#, #""?v""#, #""$p""#, #""COLLATE""#, #""ANY""#, #""CASE""#, #""WHAT":"#,
        #""FROM":"#, #""AS":"#, #""JOIN":"#, #""ON":"#, #""UNNEST":"#, #"["."]"#, #"["MISSING"]"#, #""lower()""#,
        #""SELECT""#, #""EXISTS""#, #""\ud83d""#, #""\u0000""#, "é", "\\", #"["_.",1,".x"]"#, #"["[]"]"#, #""LIKE""#,
        #""-""#, #""meta()""#, #""BLOB""#, #""WHERE":"#, "\u{0}",
    ]

    static let predicateWords = [
        " AND ", " OR ", "NOT ", "!", "&&", "||", "(", ")", "[", "]", "{", "}", ",", "==", "!=", "<>", "=<", "=>", "<",
        ">",
        " IN ", " CONTAINS", " BEGINSWITH ", " ENDSWITH ", " LIKE ", " MATCHES ", " BETWEEN ", "[c]", "[cd]", "ANY ",
        "ALL ",
        "NONE ", "SOME ", "SELF", "TRUEPREDICATE", "FALSEPREDICATE", "NULL", "nil", "TRUE", "NO", "$X", "a.b", "a[0]",
        "[FIRST]", "[LAST]", "[SIZE]", "1", "2.5", "0x1F", "'s'", "\"", "'", "\\", "**", "+", "-", "*", "/",
        "FUNCTION(",
        "TERNARY(", "sum(", "lowercase(", "modulus:by:(", "@count", "#", "é", "😀", "\u{0}", ".", "rank(", "SUBQUERY(",
    ]
}
