import Foundation
import HTTPSupport
import SyncJSON
import SyncServer
import Testing

@testable import SyncHTTP

/// The document of the routes for programs.
@Suite struct OpenAPITests {
    private typealias Object = [String: Any]

    private static func document() throws -> Object {
        let client = try HTTPWorld().connect()
        let answer = try client.ask("/v1/openapi.json")
        #expect(answer.head.fields["Content-Type"] == "application/json")
        return try #require(
            try JSONSerialization.jsonObject(with: Data(answer.body)) as? Object)
    }

    @Test func eachRouteIsThereAndNothingElse() throws {
        let paths = try #require(try OpenAPITests.document()["paths"] as? Object)
        var found: [String: [String]] = [:]
        for (path, operations) in paths {
            for (method, operation) in try #require(operations as? Object) {
                let parameters = (operation as? Object)?["parameters"] as? [Object] ?? []
                found["\(method.uppercased()) \(path)"] =
                    parameters
                    .filter { $0["in"] as? String == "query" }
                    .compactMap { $0["name"] as? String }
            }
        }
        let routes = HTTPService.rooms.routes
        #expect(found.count == routes.count)
        for route in routes {
            #expect(found["\(route.method) \(route.path)"] == route.query, "\(route)")
        }
    }

    /// All references of a value.
    private static func references(in value: Any) -> [String] {
        switch value {
        case let object as Object:
            object.flatMap { key, inner in
                key == "$ref" ? [inner as? String ?? ""] : references(in: inner)
            }
        case let list as [Any]: list.flatMap { references(in: $0) }
        default: []
        }
    }

    @Test func eachReferenceHasAPlaceAndEachSchemaAUse() throws {
        let document = try OpenAPITests.document()
        let components = try #require(document["components"] as? Object)
        let schemas = try #require(components["schemas"] as? Object)
        let names = Set(
            OpenAPITests.references(in: document)
                .filter { $0.hasPrefix("#/components/schemas/") }
                .map { String($0.dropFirst("#/components/schemas/".count)) })
        #expect(names == Set(schemas.keys))
    }

    @Test func eachLinkLeadsToARouteByItsParameters() throws {
        let paths = try #require(try OpenAPITests.document()["paths"] as? Object)
        var parameters: [String: Set<String>] = [:]
        var links: [(to: String, with: Set<String>)] = []
        for operations in paths.values {
            for operation in try #require(operations as? Object).values {
                let operation = try #require(operation as? Object)
                let id = try #require(operation["operationId"] as? String)
                let list = operation["parameters"] as? [Object] ?? []
                parameters[id] = Set(list.compactMap { $0["name"] as? String })
                for answer in try #require(operation["responses"] as? Object).values {
                    let found = (answer as? Object)?["links"] as? Object ?? [:]
                    links += try found.values.map { link in
                        let link = try #require(link as? Object)
                        let names = try #require(link["parameters"] as? Object).keys
                        return (try #require(link["operationId"] as? String), Set(names))
                    }
                }
            }
        }
        #expect(links.count > 20)
        for link in links {
            let known = try #require(parameters[link.to], "\(link.to) is no route")
            #expect(link.with.isSubset(of: known), "\(link)")
        }
    }

    @Test func eachExampleIsJSON() {
        for route in HTTPService.rooms.routes {
            let operation = OpenAPI.Operation(route)
            let examples =
                [operation.body?.example].compactMap { $0 }
                + operation.answers.filter { $0.type == "application/json" }
                .compactMap(\.example)
            for example in examples {
                #expect(throws: Never.self, "\(route)") { try JSONTree(parsing: example) }
            }
        }
    }
}
