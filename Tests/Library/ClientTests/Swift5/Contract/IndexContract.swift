import CouchbaseLiteSwift
import Foundation

/// The declarations of indexes as apps in Swift 5 mode use them: what does not compile here breaks apps.
enum IndexContract {
    static func definitions() -> [IndexConfiguration] {
        let value = ValueIndexConfiguration(["name", "address.city"], where: "type = 'hotel'")
        let array = ArrayIndexConfiguration(path: "contacts[].phones", expressions: ["type"])
        let elements = ArrayIndexConfiguration(path: "tags")
        let _: [String] = value.expressions
        let _: String? = value.where
        let _: String = array.path
        let _: [String]? = elements.expressions
        let text = FullTextIndexConfiguration(["name", "text"], where: "type = 'a'", ignoreAccents: true, language: "en")
        let _: (Bool, Bool, String?) = (FullTextIndexConfiguration.defaultIgnoreAccents, text.ignoreAccents, text.language)
        let _: ([String], String?) = (text.expressions, text.where)
        let plain = FullTextIndexConfiguration(["name"])
        return [value, array, elements, text, plain, ValueIndexConfiguration(["name"])]
    }

    static func use(_ collection: Collection, _ database: Database) throws {
        let indexable: Indexable = collection
        for (number, config) in definitions().enumerated() {
            try indexable.createIndex(withName: "config\(number)", config: config)
        }
        let index: Index = IndexBuilder.valueIndex(
            items: ValueIndexItem.property("name"),
            ValueIndexItem.expression(Function.lower(Expression.property("name")))
        )
        let items: [ValueIndexItem] = [ValueIndexItem.property("name")]
        let _: ValueIndex = IndexBuilder.valueIndex(items: items)
        try collection.createIndex(index, name: "builder")
        let found: QueryIndex? = try collection.index(withName: "builder")
        let _: Collection? = found?.collection
        let _: String? = found?.name
        let _: [String] = try collection.indexes()
        try collection.deleteIndex(forName: "builder")
        try database.createIndex(index, withName: "ofDefault")
        try database.createIndex(ValueIndexConfiguration(["name"]), name: "config")
        let _: [String] = database.indexes
        try database.deleteIndex(forName: "ofDefault")
    }

    static func search(_ collection: Collection) throws {
        let items: [FullTextIndexItem] = [FullTextIndexItem.property("name")]
        let index: FullTextIndex = IndexBuilder.fullTextIndex(items: items)
        index.ignoreAccents(true)
        index.language(nil)
        let other: Index = IndexBuilder.fullTextIndex(items: FullTextIndexItem.property("name"), FullTextIndexItem.property("text"))
            .ignoreAccents(false).language("en")
        try collection.createIndex(index, name: "text")
        try collection.createIndex(other, name: "other")
        let named: FullTextIndexExpressionProtocol = Expression.fullTextIndex("text").from("alias")
        let _: IndexExpressionProtocol = named
        let _: [ExpressionProtocol] = [
            FullTextFunction.match(named, query: "words"), FullTextFunction.rank(named),
            FullTextFunction.match(indexName: "text", query: "words"), FullTextFunction.rank("text"),
        ]
    }

    @available(*, deprecated, message: "Uses the spellings of 2.x and of the previews")
    static func searchAtFirst(_ row: QueryRow) {
        let expression: FullTextExpressionProtocol = FullTextExpression.index("text")
        let _: [ExpressionProtocol] = [
            expression.match("words"), Expression.property("name").match("words"),
            Expression.property("name").notMatch("words"), Expression.fts().rank("name"), Function.rank("name"),
        ]
        if let found = row as? FullTextQueryRow {
            let _: (String?, Int) = (found.fullTextMatched, found.matchCount)
            let _: NSRange = found.textRangeOfMatch(0)
        }
    }

    static func plan(_ query: Query) throws {
        let plan: QueryPlan = try query.plan
        for step in plan.steps {
            let _: (QueryPlan.Step.Kind, Int, String) = (step.kind, step.depth, step.description)
            let _: (String?, String?, UInt64?) = (step.collection, step.index, step.documentCount)
        }
        for advice in plan.advice {
            let _: (String, String, String, String) = (advice.reason, advice.collection, advice.name, advice.statement)
            let _: IndexConfiguration = advice.configuration
        }
        let _: String = plan.description
    }

    @available(*, deprecated, message: "Uses the spellings of the previews")
    static func preview(_ database: Database) throws {
        try database.createIndex(["name", "type"])
        try database.createIndex(["name"], options: .valueIndex)
        try database.createIndex([Expression.property("name")])
        let _: [IndexOptions] = [.fullTextIndex(language: nil, ignoreDiacritics: false), .geoIndex]
        try database.deleteIndex(on: ["name"], type: .valueIndex)
        let _: [IndexType] = [.fullTextIndex, .geoIndex]
    }
}
