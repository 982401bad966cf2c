/// A parser of the Varlink interface description language: the common subset without `any`.
struct InterfaceParser {
    typealias Interface = (name: String, documentation: String, members: [InterfaceDescription.Member])
    typealias Field = InterfaceDescription.Field
    typealias TypeReference = InterfaceDescription.TypeReference

    /// The maximum nesting depth of types within one member.
    private static let depthLimit = 32

    private var scanner: InterfaceScanner
    private var depth = 0
    /// The references to named types. The parser checks them at the end, when it knows all types.
    private var references: [(name: String, failure: InterfaceSyntaxError)] = []

    init(_ text: String, documented: Bool) {
        scanner = InterfaceScanner(text, documented: documented)
    }

    mutating func interface() throws(InterfaceSyntaxError) -> Interface {
        try scanner.advance()
        let documentation = scanner.documentation
        try expectWord("interface")
        let name = try name("an interface name such as org.example.thing", where: InterfaceName.isInterface)
        var members: [InterfaceDescription.Member] = []
        var names: Set<String> = []
        while scanner.token != .end {
            let failure = scanner.failure("duplicate member name")
            let member = try member()
            guard names.insert(member.name).inserted else { throw failure }
            members.append(member)
        }
        try checkReferences(among: members)
        return (name, documentation, members)
    }

    private func checkReferences(among members: [InterfaceDescription.Member]) throws(InterfaceSyntaxError) {
        let types = Set(members.compactMap { if case .type = $0.definition { $0.name } else { nil } })
        if let unknown = references.first(where: { !types.contains($0.name) }) { throw unknown.failure }
    }

    private mutating func member() throws(InterfaceSyntaxError) -> InterfaceDescription.Member {
        let documentation = scanner.documentation
        let keyword = scanner.token
        guard [.word("type"), .word("method"), .word("error")].contains(keyword) else {
            throw unexpected("'type', 'method' or 'error'")
        }
        try scanner.advance()
        let name = try name("a name that starts with a capital letter", where: InterfaceName.isMember)
        return .init(name: name, definition: try definition(keyword), documentation: documentation)
    }

    private mutating func definition(_ keyword: InterfaceScanner.Token) throws(InterfaceSyntaxError)
        -> InterfaceDescription.Definition
    {
        switch keyword {
        case .word("type"):
            return .type(try parseStructOrEnumeration())
        case .word("method"):
            let input = try fields()
            try expectPunctuation("->")
            return .method(input: input, output: try fields())
        default:
            return .error(scanner.token == .punctuation("(") ? try fields() : [])
        }
    }

    private mutating func fields() throws(InterfaceSyntaxError) -> [Field] {
        let failure = scanner.failure("expected fields with types, found an enumeration")
        guard case .structure(let fields) = try parseStructOrEnumeration() else { throw failure }
        return fields
    }

    /// Parses a struct or an enumeration. The first entry determines which; `()` is a struct
    /// without fields.
    private mutating func parseStructOrEnumeration() throws(InterfaceSyntaxError) -> TypeReference {
        try enterNestedType()
        defer { depth -= 1 }
        try expectPunctuation("(")
        var fields: [Field] = []
        var values: [String] = []
        var names: Set<String> = []
        while scanner.token != .punctuation(")") {
            let failure = scanner.failure("duplicate entry name")
            let documentation = scanner.documentation
            let name = try name("a field name", where: InterfaceName.isField)
            guard names.insert(name).inserted else { throw failure }
            if scanner.token == .punctuation(":"), values.isEmpty {
                try scanner.advance()
                fields.append(Field(name: name, type: try type(), documentation: documentation))
            } else {
                guard fields.isEmpty else { throw unexpected("':'") }
                values.append(name)
            }
            guard scanner.token == .punctuation(",") else { break }
            try scanner.advance()
            if scanner.token == .punctuation(")") { throw unexpected("a field name") }
        }
        try expectPunctuation(")")
        return values.isEmpty ? .structure(fields) : .enumeration(values)
    }

    private mutating func type() throws(InterfaceSyntaxError) -> TypeReference {
        try enterNestedType()
        defer { depth -= 1 }
        switch scanner.token {
        case .punctuation("?"):
            try scanner.advance()
            guard scanner.token != .punctuation("?") else { throw unexpected("a type") }
            return .optional(try type())
        case .punctuation("["):
            return try collection()
        case .punctuation("("):
            return try parseStructOrEnumeration()
        default:
            return try wordType()
        }
    }

    private mutating func collection() throws(InterfaceSyntaxError) -> TypeReference {
        try scanner.advance()
        let isMap = scanner.token == .word("string")
        if isMap { try scanner.advance() }
        try expectPunctuation("]")
        let element = try type()
        return isMap ? .map(element) : .array(element)
    }

    private mutating func wordType() throws(InterfaceSyntaxError) -> TypeReference {
        let builtIn: [String: TypeReference] = [
            "bool": .bool, "int": .int, "float": .float, "string": .string, "object": .object,
        ]
        guard case .word(let word) = scanner.token else { throw unexpected("a type") }
        let failure = scanner.failure("unknown type '\(word)'")
        if let type = builtIn[word] {
            try scanner.advance()
            return type
        }
        guard InterfaceName.isMember(word) else { throw failure }
        references.append((word, failure))
        try scanner.advance()
        return .named(word)
    }

    private mutating func enterNestedType() throws(InterfaceSyntaxError) {
        guard depth < Self.depthLimit else {
            throw scanner.failure("types are nested more than \(Self.depthLimit) levels deep")
        }
        depth += 1
    }

    private mutating func name(_ description: String, where isValid: (String) -> Bool) throws(InterfaceSyntaxError)
        -> String
    {
        guard case .word(let word) = scanner.token, isValid(word) else { throw unexpected(description) }
        try scanner.advance()
        return word
    }

    private mutating func expectWord(_ word: String) throws(InterfaceSyntaxError) {
        guard scanner.token == .word(word) else { throw unexpected("'\(word)'") }
        try scanner.advance()
    }

    private mutating func expectPunctuation(_ text: String) throws(InterfaceSyntaxError) {
        guard scanner.token == .punctuation(text) else { throw unexpected("'\(text)'") }
        try scanner.advance()
    }

    private func unexpected(_ expected: String) -> InterfaceSyntaxError {
        scanner.failure("expected \(expected), found \(scanner.token.description)")
    }
}

/// The naming rules of Varlink.
enum InterfaceName {
    /// Returns whether `name` is a valid interface name: at least two parts with dots between them.
    /// Parts consist of letters, digits and inner hyphens, and the first part starts with a letter.
    static func isInterface(_ name: String) -> Bool {
        let parts = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count >= 2, let first = name.utf8.first, isLetter(first) else { return false }
        return parts.allSatisfy { part in
            guard let first = part.first, let last = part.last else { return false }
            let hyphen = UInt8(ascii: "-")
            return first != hyphen && last != hyphen && part.allSatisfy { isLetter($0) || isDigit($0) || $0 == hyphen }
        }
    }

    /// Returns whether `name` is a valid member name: a capital letter, then letters and digits.
    static func isMember(_ name: String) -> Bool {
        guard let first = name.utf8.first, (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(first) else { return false }
        return name.utf8.allSatisfy { isLetter($0) || isDigit($0) }
    }

    /// Returns whether `name` is a valid field name: a letter, then letters and digits, with single
    /// underscores between them.
    static func isField(_ name: String) -> Bool {
        guard let first = name.utf8.first, isLetter(first) else { return false }
        return name.utf8.split(separator: UInt8(ascii: "_"), omittingEmptySubsequences: false).allSatisfy { part in
            !part.isEmpty && part.allSatisfy { isLetter($0) || isDigit($0) }
        }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }
    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
