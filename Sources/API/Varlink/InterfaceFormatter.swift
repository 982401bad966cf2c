extension InterfaceDescription {
    /// The interface in canonical layout, with its documentation. Parsing it gives an equal
    /// interface, except for ``text``.
    public var canonicalText: String {
        var text = InterfaceFormatter()
        text.comment(documentation, indent: 0)
        text.output += "interface \(name)\n"
        for member in members { text.member(member) }
        return text.output
    }
}

/// A writer for interface descriptions.
private struct InterfaceFormatter {
    var output = ""

    mutating func comment(_ documentation: String, indent: Int) {
        guard !documentation.isEmpty else { return }
        for line in documentation.split(separator: "\n", omittingEmptySubsequences: false) {
            output += space(indent) + (line.isEmpty ? "#\n" : "# \(line)\n")
        }
    }

    mutating func member(_ member: InterfaceDescription.Member) {
        output += "\n"
        comment(member.documentation, indent: 0)
        switch member.definition {
        case .type(let type):
            output += "type \(member.name) "
            self.type(type, indent: 0)
        case .method(let input, let output):
            self.output += "method \(member.name)"
            fields(input, indent: 0)
            self.output += " -> "
            fields(output, indent: 0)
        case .error(let fields):
            output += "error \(member.name) "
            self.fields(fields, indent: 0)
        }
        output += "\n"
    }

    mutating func type(_ type: InterfaceDescription.TypeReference, indent: Int) {
        switch type {
        case .bool: output += "bool"
        case .int: output += "int"
        case .float: output += "float"
        case .string: output += "string"
        case .object: output += "object"
        case .named(let name): output += name
        case .optional(let wrapped): write("?", before: wrapped, indent: indent)
        case .array(let element): write("[]", before: element, indent: indent)
        case .map(let element): write("[string]", before: element, indent: indent)
        case .structure(let fields): self.fields(fields, indent: indent)
        case .enumeration(let values): output += "(\(values.joined(separator: ", ")))"
        }
    }

    private mutating func write(
        _ prefix: String, before type: InterfaceDescription.TypeReference, indent: Int
    ) {
        output += prefix
        self.type(type, indent: indent)
    }

    /// Writes one field per line if any field is documented, otherwise all fields on one line.
    private mutating func fields(_ fields: [InterfaceDescription.Field], indent: Int) {
        let isMultiline = fields.contains { !$0.documentation.isEmpty }
        output += isMultiline ? "(\n" : "("
        for (index, field) in fields.enumerated() {
            if isMultiline {
                comment(field.documentation, indent: indent + 2)
                output += space(indent + 2)
            }
            output += "\(field.name): "
            type(field.type, indent: indent + 2)
            if index < fields.count - 1 { output += isMultiline ? ",\n" : ", " }
        }
        output += isMultiline ? "\n\(space(indent)))" : ")"
    }

    private func space(_ count: Int) -> String { String(repeating: " ", count: count) }
}
