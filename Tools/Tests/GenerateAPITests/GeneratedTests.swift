import Testing

@testable import generate_api

@Suite("The generated API")
struct GeneratedTests {
    private static let repository = #filePath.split(separator: "/").dropLast(4).map { "/\($0)" }.joined()

    @Test func `the files are what the generator writes`() throws {
        let folder = "\(GeneratedTests.repository)/\(Inputs.output)"
        let files = try Inputs(repository: GeneratedTests.repository).generate()
        #expect(files.map(\.name).sorted() == Inputs.names(in: folder))
        for file in files {
            let present = String(decoding: try Inputs.contents("\(folder)/\(file.name)"), as: UTF8.self)
            #expect(present == file.text, "\(file.name) is not current: make generate")
        }
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
