import Testing

@testable import generate_api

@Suite("The generated API")
struct GeneratedTests {
    private static let repository = #filePath.split(separator: "/").dropLast(4).map { "/\($0)" }.joined()

    @Test func `the files are what the generator writes`() throws {
        let inputs = Inputs(repository: GeneratedTests.repository)
        let files = try inputs.generate()
        #expect(Set(files.map(\.path)) == inputs.present())
        for file in files where !file.isLink {
            let present = try Inputs.contents("\(GeneratedTests.repository)/\(file.path)")
            #expect(String(decoding: present, as: UTF8.self) == file.text, "\(file.path) is not current: make generate")
        }
    }

    @Test func `a change of an interface changes its own files alone`() throws {
        let forms = Array(#"{"interfaces":["io.x.B"]}"#.utf8)
        func files(_ comment: String) throws -> [Generator.File] {
            try Generator.files(
                interfaces: [
                    "io.x.A.varlink": Array("# A. \(comment)\ninterface io.x.A\n\nmethod F() -> ()\n".utf8),
                    "io.x.B.varlink": Array("# B.\ninterface io.x.B\n\nmethod F() -> ()\n".utf8),
                ], forms: forms)
        }
        let (before, after) = (try files("One."), try files("Two."))
        let changed = zip(before, after).filter { $0 != $1 }.map(\.0.path)
        #expect(changed == ["\(Inputs.output)/AMethods.swift"])
        let list = try #require(before.first { $0.path.hasSuffix("/Interface.swift") })
        #expect(list.text.contains("    /// B.\n    case b = \"io.x.B\"\n    /// A.\n    case a = "))
    }

    @Test func `comments become sentences of names`() {
        let comment = Documentation(
            """
            Answers a request. Use another connection
            than that of Serve.

            Parameters:
              a, bc   the first
                      and more
              detectingBaudRate
                the rate
            """)
        #expect(comment.paragraphs == ["Answers a request. Use another connection than that of Serve."])
        #expect(comment.items["a"] == ["the first and more"] && comment.items["bc"] == ["the first and more"])
        #expect(comment.items["detectingBaudRate"] == ["the rate"])
        #expect(Documentation.sentence("the first") == "The first.")
    }
}
