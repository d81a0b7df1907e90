/// The reserved words, which are names only between backticks (Query 2.1).
package enum QueryKeyword: String, LanguageKeyword, CaseIterable {
    case and, any, `as`, asc, between, by, `case`, collate, cross, desc, distinct, `else`, end, every, `false`, from, group, having, `in`
    case inner, `is`, join, left, like, limit, missing, natural, not, null, offset, on, or, order, outer, right, satisfies, select, then
    case `true`, unnest, using, valued, when, `where`
}
