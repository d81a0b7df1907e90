import QueryLanguage
import Testing

@Suite("SQL of example queries")
struct WorkedExampleTests {
    // Columns differ from the expressions of indexes, which lose booleans: a property is converted by one call, and other paths in
    // columns begin with a dot.
    @Test(
        "an example query is compiled to the expected SQL",
        arguments: [
            (
                "SELECT name, price*2 AS dbl FROM _ WHERE kind = 'tea' AND price <= $max ORDER BY price DESC LIMIT 5",
                """
                SELECT fl_result(_.body, 'name'), fl_result(fl_value(_.body, 'price') * 2) AS dbl \
                FROM kv_default AS _ \
                WHERE (fl_value(_.body, 'kind') = 'tea' AND fl_value(_.body, 'price') <= $_max) AND (_.flags & 1 = 0) \
                ORDER BY fl_value(_.body, 'price') DESC LIMIT MAX(0, 5)
                """
            ),
            // IDs and sequences are not passed through fl_result, which has nothing to convert there.
            (
                """
                SELECT meta(r).id, h.name FROM _ AS r LEFT JOIN shop.hotels AS h ON meta(h).id = r.hotel \
                WHERE r.stars > 3
                """,
                """
                SELECT r.key, fl_result(h.body, 'name') FROM kv_default AS r \
                LEFT JOIN "kv_.shop.hotels" AS h ON (h.key = fl_value(r.body, 'hotel')) \
                WHERE (fl_value(r.body, 'stars') > 3) AND (r.flags & 1 = 0)
                """
            ),
            // count(*) instead of the original's count(fl_root(_.body)): the same number without reading a body.
            (
                "SELECT count(*) FROM _ WHERE ANY t IN tags SATISFIES t.color = 'red' END",
                """
                SELECT fl_result(count(*)) FROM kv_default AS _ \
                WHERE (EXISTS (SELECT 1 FROM fl_each(_.body, 'tags') AS _t \
                WHERE fl_nested_value(_t.body, 'color') = 'red')) AND (_.flags & 1 = 0)
                """
            ),
            (
                "SELECT * FROM shop.hotels WHERE (name = 'Ritz') COLLATE (UNICODE NOCASE)",
                """
                SELECT fl_result(fl_document("shop.hotels".body)) FROM "kv_.shop.hotels" AS "shop.hotels" \
                WHERE fl_value("shop.hotels".body, 'name') COLLATE LCUnicode_C__ = 'Ritz'
                """
            ),
            (
                "SELECT p.name, c.city FROM _ AS p UNNEST p.contacts AS c WHERE c.city LIKE 'S%'",
                #"""
                SELECT fl_result(p.body, 'name'), fl_result(fl_tagged_nested_value(c.body, 'city')) \#
                FROM kv_default AS p JOIN fl_each(p.body, 'contacts') AS c \#
                WHERE (fl_nested_value(c.body, 'city') LIKE 'S%' ESCAPE '\') AND (p.flags & 1 = 0)
                """#
            ),
            // The union replaces the original's view of both tables.
            (
                "SELECT meta().id FROM _ WHERE meta().deleted = FALSE",
                """
                SELECT _.key FROM \
                (SELECT rowid, key, sequence, flags, version, body, expiration FROM kv_default UNION ALL \
                SELECT rowid, key, sequence, flags, version, body, expiration FROM kv_del_default) AS _ \
                WHERE (_.flags & 1 != 0) = fl_bool(0)
                """
            ),
            (
                "SELECT name FROM _ WHERE match(idx, $q) AND price > 1 ORDER BY rank(idx) DESC",
                """
                SELECT _.rowid, offsets(fts1."kv_default::idx"), fl_result(_.body, 'name') \
                FROM kv_default AS _ JOIN "kv_default::idx" AS fts1 ON fts1.docid = _.rowid \
                WHERE (fts1."kv_default::idx" MATCH fl_pattern($_q) AND fl_value(_.body, 'price') > 1) AND (_.flags & 1 = 0) \
                ORDER BY rank(matchinfo(fts1."kv_default::idx")) DESC
                """
            ),
            (
                "SELECT CASE WHEN a IS MISSING THEN [1, NULL] ELSE {'k': a} END, b IS NULL FROM _ OFFSET 3",
                """
                SELECT fl_result(CASE WHEN fl_value(_.body, 'a') IS NULL THEN array_of(1, fl_null()) \
                ELSE dict_of('k', fl_tagged_value(_.body, 'a')) END), \
                fl_boolean_result(fl_value(_.body, 'b') = fl_null()) FROM kv_default AS _ \
                WHERE (_.flags & 1 = 0) LIMIT -1 OFFSET MAX(0, 3)
                """
            ),
        ]
    )
    func translates(query: String, sql: String) throws {
        #expect(try FakeDatabase().compile(query).sql == sql)
    }
}
