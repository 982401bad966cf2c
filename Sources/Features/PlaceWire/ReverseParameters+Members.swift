import Varlink

// A general decoder takes longer than the answer's search in the file. These read what is usual;
// anything else is left to it, also to name what is wrong.

extension ReverseParameters {
    /// Reads the parameters of a call; nil if they are unusual.
    package init?(_ members: [String: JSONValue]) {
        guard let latitude = members["latitude"]?.double, let longitude = members["longitude"]?.double else {
            return nil
        }
        let language = members["language"]?.string
        guard members.count == (language == nil ? 2 : 3) else { return nil }
        self.init(latitude: latitude, longitude: longitude, language: language)
    }
}

extension FindParameters {
    /// Reads the parameters of a call; nil if they are unusual.
    package init?(_ members: [String: JSONValue]) {
        guard let text = members["text"]?.string else { return nil }
        var near: Point?
        if let latitude = members["near"]?["latitude"]?.double, let longitude = members["near"]?["longitude"]?.double,
            members["near"]?.object?.count == 2
        {
            near = Point(latitude: latitude, longitude: longitude)
        }
        let country = members["country"]?.string
        let language = members["language"]?.string
        let limit = members["limit"]?.int.flatMap { Int(exactly: $0) }
        let known = [near == nil, country == nil, language == nil, limit == nil].count { !$0 }
        guard members.count == 1 + known else { return nil }
        self.init(text: text, near: near, country: country, language: language, limit: limit)
    }
}
