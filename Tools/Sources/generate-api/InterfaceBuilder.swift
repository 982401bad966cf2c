import Varlink

/// Converts the description of one interface to declarations.
struct InterfaceBuilder {
    typealias Field = InterfaceDescription.Field

    private let description: InterfaceDescription
    private let forms: Forms
    private var interface: APIModel.Interface

    init(_ description: InterfaceDescription, forms: Forms) {
        self.description = description
        self.forms = forms
        let text = Documentation(description.documentation).paragraphs.first ?? ""
        interface = APIModel.Interface(
            name: description.name,
            summary: text.firstRange(of: ". ").map { String(text[..<$0.lowerBound]) + "." } ?? text,
            errorType: "")
        interface.errorType = forms.names[description.name] ?? "\(interface.shortName)Error"
    }

    mutating func build() throws -> APIModel.Interface {
        for member in description.members {
            let path = "\(description.name).\(member.name)"
            let comment = Documentation(member.documentation)
            switch member.definition {
            case .type(.enumeration(let values)):
                interface.enumerations.append(
                    .init(name: forms.names[path] ?? member.name, documentation: comment, values: values))
            case .type(.structure(let fields)):
                let members = try self.members(fields, of: path, comment, \.first)
                interface.structures.append(
                    .init(
                        name: forms.names[path] ?? member.name,
                        documentation: comment.paragraphs.isEmpty ? ["The type `\(path)`."] : comment.paragraphs,
                        members: members))
            case .type: throw GenerationError(description: "\(path) is neither a struct nor an enumeration")
            case .method(let input, let output):
                interface.methods.append(
                    .init(
                        name: forms.methods[path] ?? InterfaceBuilder.lowercased(member.name), fullName: path,
                        documentation: comment.paragraphs,
                        parameters: try structure(path + "()", member.name + "Parameters", input, comment, \.first),
                        reply: try structure(path + "->", member.name + "Reply", output, comment, \.last)))
            case .error(let fields):
                interface.errors.append(
                    .init(
                        name: InterfaceBuilder.lowercased(member.name), fullName: path,
                        documentation: comment.paragraphs,
                        members: try members(fields, of: path, comment, \.first)))
            }
        }
        return interface
    }

    /// Adds the parameters or the reply of a method. Returns the name of the type.
    private mutating func structure(
        _ path: String, _ standard: String, _ fields: [Field], _ comment: Documentation,
        _ which: KeyPath<[String], String?>
    ) throws -> String {
        guard !fields.isEmpty else { return "NoParameters" }
        let name = forms.names[path] ?? standard
        let members = try members(fields, of: path, comment, which)
        interface.structures.append(.init(name: name, documentation: [], members: members, users: [path]))
        return name
    }

    /// - Parameter which: Which description of a name is that of a field.
    private mutating func members(
        _ fields: [Field], of path: String, _ comment: Documentation, _ which: KeyPath<[String], String?>
    ) throws -> [APIModel.Member] {
        var documented: String?
        return try fields.map { field in
            let own = Documentation(field.documentation)
            var type = field.type
            var isOptional = false
            if case .optional(let inner) = type { (type, isOptional) = (inner, true) }
            let resolved = try resolve(type, at: "\(path).\(field.name)", own)
            var text = own.paragraphs
            if text.isEmpty, let item = comment.items[field.name]?[keyPath: which] {
                text = [Documentation.sentence(item)]
            }
            if text.isEmpty {
                text = substitute(for: field.name, resolved, after: documented)
            } else {
                documented = field.name
            }
            return APIModel.Member(name: field.name, type: resolved, isOptional: isOptional, documentation: text)
        }
    }

    /// Returns the documentation of a member that has none of its own.
    private func substitute(
        for name: String, _ type: APIModel.MemberType, after documented: String?
    ) -> [String] {
        if forms.flags.contains(name) { return ["See ``\(forms.flagsType)/\(name)``."] }
        switch type {
        case .enumeration(let type), .structure(let type): return ["See ``\(type)``."]
        default: break
        }
        let others = interface.structures.flatMap(\.members).filter { $0.name == name && $0.type == type }
        if let other = others.first(where: { !$0.documentation.contains { $0.hasPrefix("See ``") } }) {
            return other.documentation
        }
        return [documented.map { "See ``\($0)``." } ?? "The member `\(name)`."]
    }

    private mutating func resolve(
        _ type: InterfaceDescription.TypeReference, at path: String, _ comment: Documentation
    ) throws -> APIModel.MemberType {
        if let name = forms.types[path] {
            if case .enumeration(let values) = type { addEnumeration(name, values, comment) }
            return name == Forms.time ? .time : .enumeration(name)
        }
        switch type {
        case .bool: return .bool
        case .int: return .int
        case .float: return .float
        case .string: return .string
        case .object: return .object
        case .array(let element): return .array(try resolve(element, at: path, comment))
        case .named(let name):
            let swiftName = forms.names["\(description.name).\(name)"] ?? name
            if case .enumeration? = description.type(name) { return .enumeration(swiftName) }
            return .structure(swiftName)
        case .optional, .map, .structure, .enumeration:
            throw GenerationError(description: "\(path) needs a declared type, or one in forms.json")
        }
    }

    /// Adds an enumeration that a member declares.
    private mutating func addEnumeration(_ name: String, _ values: [String], _ comment: Documentation) {
        var documentation = comment
        if let form = forms.enumerations[name] { documentation.replace(with: Documentation(form.documentation)) }
        interface.enumerations.append(.init(name: name, documentation: documentation, values: values))
    }

    static func lowercased(_ name: String) -> String { name.prefix(1).lowercased() + name.dropFirst() }
}
