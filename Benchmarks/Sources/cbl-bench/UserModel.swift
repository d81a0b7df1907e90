import CouchbaseLiteSwift

/// The document of the workloads as an object.
final class UserModel: Codable {
    struct Address: Codable {
        var street: String
        var zip: Int
        var city: String
    }

    @DocumentID var id: String?
    var type: String
    var name: String
    var admin: Bool
    var age: Int
    var email: String
    var address: Address
    var tags: [String]
    var score: Double

    /// The object that belongs to ``UserDocument/make(_:)``.
    init(_ i: Int) {
        type = "user"
        name = UserDocument.name(i)
        admin = false
        age = UserDocument.age(i)
        email = "user\(i)@example.com"
        address = Address(street: "\(i) park street", zip: 10000 + i % 90000, city: UserDocument.city(i))
        tags = ["a\(i % 7)", "b\(i % 11)", "c\(i % 13)"]
        score = Double(i) * 0.37
        id = UserDocument.id(i)
    }

    /// Read by hand.
    convenience init(_ document: Document) {
        self.init(document, id: document.id)
    }

    /// Read by hand.
    init(_ values: some DictionaryProtocol, id: String?) {
        type = values.string(forKey: "type") ?? ""
        name = values.string(forKey: "name") ?? ""
        admin = values.boolean(forKey: "admin")
        age = values.int(forKey: "age")
        email = values.string(forKey: "email") ?? ""
        let place = values.dictionary(forKey: "address")
        address = Address(
            street: place?.string(forKey: "street") ?? "",
            zip: place?.int(forKey: "zip") ?? 0,
            city: place?.string(forKey: "city") ?? ""
        )
        let list = values.array(forKey: "tags")
        tags = (0..<(list?.count ?? 0)).map { list?.string(at: $0) ?? "" }
        score = values.double(forKey: "score")
        self.id = id
    }

    /// A number that all properties count for.
    var length: Int {
        [type, name, email, address.street, address.city].reduce(tags.joined().utf8.count) { $0 + $1.utf8.count } + age
            + address.zip + (admin ? 1 : 0) + Int(score) + (id?.utf8.count ?? 0)
    }
}
