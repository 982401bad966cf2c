package import Varlink

extension InterfaceDescription {
    package func sample(_ fields: [Field]) -> [String: JSONValue] {
        Dictionary(fields.map { ($0.name, sample($0.type)) }) { first, _ in first }
    }

    private func sample(_ type: TypeReference) -> JSONValue {
        switch type {
        case .bool: true
        case .int: 1
        case .float: 1.5
        // Text and time alike.
        case .string: "2026-01-02T03:04:05.678Z"
        case .object: ["a": 1]
        case .optional(let type): sample(type)
        case .array(let type): [sample(type)]
        case .map(let type): ["a": sample(type)]
        case .named(let name): self.type(name).map(sample) ?? .null
        case .structure(let fields): .object(sample(fields))
        case .enumeration(let names): .string(names[0])
        }
    }
}
