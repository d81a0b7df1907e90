import CouchbaseLiteSwift

/// The document of the workloads: number `i` is always the same, so its values can be foretold.
enum UserDocument {
    static func id(_ i: Int) -> String {
        let digits = String(i)
        return "doc-" + String(repeating: "0", count: max(0, 7 - digits.count)) + digits
    }

    static func age(_ i: Int) -> Int { i % 90 }
    static func name(_ i: Int) -> String { "user \(i)" }
    static func city(_ i: Int) -> String { "city \(i % 500)" }

    /// A new document, made as an application makes one: a setter for every property.
    static func make(_ i: Int) -> MutableDocument {
        let address = MutableDictionaryObject()
        address.setString("\(i) park street", forKey: "street")
        address.setInt(10000 + i % 90000, forKey: "zip")
        address.setString(city(i), forKey: "city")
        let tags = MutableArrayObject()
        tags.addString("a\(i % 7)")
        tags.addString("b\(i % 11)")
        tags.addString("c\(i % 13)")
        let document = MutableDocument(id: id(i))
        document.setString("user", forKey: "type")
        document.setString(name(i), forKey: "name")
        document.setBoolean(false, forKey: "admin")
        document.setInt(age(i), forKey: "age")
        document.setString("user\(i)@example.com", forKey: "email")
        document.setDictionary(address, forKey: "address")
        document.setArray(tags, forKey: "tags")
        document.setDouble(Double(i) * 0.37, forKey: "score")
        return document
    }

    /// The document as JSON text, without spaces, and with two digits of the score.
    static func json(_ i: Int) -> String {
        let cents = (Double(i) * 37).rounded()
        let score = "\(Int(cents) / 100).\(Int(cents) % 100 / 10)\(Int(cents) % 10)"
        return """
            {"type":"user","name":"\(name(i))","admin":false,"age":\(age(i)),"email":"user\(i)@example.com",\
            "address":{"street":"\(i) park street","zip":\(10000 + i % 90000),"city":"\(city(i))"},\
            "tags":["a\(i % 7)","b\(i % 11)","c\(i % 13)"],"score":\(score)}
            """
    }
}
