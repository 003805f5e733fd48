import SyncBytes
import SyncHTTPCodec
import SyncJSON
import SyncServer

/// The routes for programs: a document of OpenAPI 3.1, made from the same table as the answers.
enum OpenAPI {
    /// The document, as JSON.
    static let document: SharedBytes = {
        var writer = JSONWriter()
        writer.write(tree)
        writer.endLine()
        return SharedBytes(copying: writer.bytes)
    }()

    /// The document compressed by gzip, since it is long and always the same.
    static let gzipDocument = GzipEncoder().map {
        SharedBytes($0.encode([document], isLast: true))
    }

    /// The answer to a request for the document.
    static var response: Response {
        var response = Response(
            200, HTTPFields(["Content-Type": "application/json"]), body: document)
        response.gzipBody = gzipDocument
        return response
    }

    static var tree: JSONTree {
        [
            "openapi": "3.1.0",
            "info": [
                "title": "collsync", "version": "1",
                "summary": "Rooms whose items many people order and edit at the same time",
            ],
            "security": [["bearer": []], ["cookie": []], [:]],
            "paths": .object(paths),
            "components": [
                "securitySchemes": [
                    "bearer": ["type": "http", "scheme": "bearer"],
                    "cookie": [
                        "type": "apiKey", "in": "cookie", "name": .text("collsync"),
                    ],
                ],
                "schemas": .object(OpenAPI.schemas),
                "responses": ["Error": error],
            ],
        ]
    }

    /// The routes, by their paths.
    private static var paths: [JSONTree.Member] {
        var paths: [JSONTree.Member] = []
        for route in HTTPService.rooms.routes {
            let operation = JSONTree.Member(
                route.method.lowercased(), Operation(route).tree(of: route))
            let index = paths.firstIndex { $0.key == route.path }
            guard let index, case .object(var members) = paths[index].value else {
                paths.append(.init(route.path, .object([operation])))
                continue
            }
            members.append(operation)
            paths[index].value = .object(members)
        }
        return paths
    }

    private static var error: JSONTree {
        [
            "description": "Why not, and whether to try again",
            "headers": .object(
                ["Retry-After", "Allow", "WWW-Authenticate"].map { field($0) }),
            "content": [
                "application/json": [
                    "schema": reference("Error"),
                    "example": parsed(
                        #"{"error":{"code":"roomNotFound","message":"…","retry":false}}"#),
                ]
            ],
        ]
    }

    /// A header field of an answer.
    fileprivate static func field(_ name: String) -> JSONTree.Member {
        let (text, schema): (String, JSONTree) =
            switch name {
            case "Retry-After":
                ("In how many seconds to try again", ["type": "integer", "minimum": 1])
            case "Allow": ("With 405, the methods of the path", ["type": "string"])
            case "WWW-Authenticate": ("With 401, that a token is asked for", ["const": "Bearer"])
            case Response.warningField:
                ("The options that the layout does not use", ["type": "string"])
            case "ETag": ("The room's identity and revision", ["type": "string"])
            default: ("The cookie", ["type": "string"])
            }
        return .init(name, ["description": .text(text), "schema": schema])
    }

    static func reference(_ schema: String) -> JSONTree {
        ["$ref": .text("#/components/schemas/\(schema)")]
    }
}

extension OpenAPI {
    /// What a route takes and answers.
    struct Operation {
        var summary: String
        /// The schema of the body, and an example; `nil` if it takes none.
        var body: (schema: String, example: String)?
        /// The header fields that mean something.
        var fields: [String] = []
        /// Which of the query must be there.
        var required: [String] = []
        var answers: [Answer]

        struct Answer {
            var status: Int
            var text: String
            var type: String?
            /// The schema of JSON.
            var schema: String?
            var example: String?
            /// The header fields that mean something.
            var fields: [String] = []
        }

        func tree(of route: Route) -> JSONTree {
            var members: [JSONTree.Member] = [
                .init("operationId", .text("\(route)")), .init("summary", .text(summary)),
            ]
            let names = route.path.split(separator: "/").filter { $0.hasPrefix("{") }
                .map { String($0.dropFirst().dropLast()) }
            let parameters =
                names.map { OpenAPI.parameter($0, in: "path", of: route, isRequired: true) }
                + route.query.map {
                    OpenAPI.parameter(
                        $0, in: "query", of: route, isRequired: required.contains($0))
                }
                + fields.map {
                    OpenAPI.parameter($0, in: "header", of: route, isRequired: false)
                }
            if !parameters.isEmpty { members.append(.init("parameters", .list(parameters))) }
            if let body {
                members.append(
                    .init(
                        "requestBody",
                        [
                            "required": true,
                            "content": [
                                "application/json": [
                                    "schema": OpenAPI.reference(body.schema),
                                    "example": OpenAPI.parsed(body.example),
                                ]
                            ],
                        ]))
            }
            members.append(.init("responses", .object(responses(of: route))))
            return .object(members)
        }

        private func responses(of route: Route) -> [JSONTree.Member] {
            let links = OpenAPI.links(after: route)
            return answers.map { .init("\($0.status)", $0.tree(links: links)) } + [
                .init("default", ["$ref": "#/components/responses/Error"])
            ]
        }
    }
}

extension OpenAPI.Operation.Answer {
    /// - Parameter links: what may follow, unless this is a refusal.
    fileprivate func tree(links: [JSONTree.Member]) -> JSONTree {
        var members: [JSONTree.Member] = [.init("description", .text(text))]
        if !fields.isEmpty {
            members.append(.init("headers", .object(fields.map { OpenAPI.field($0) })))
        }
        if let type {
            var content: [JSONTree.Member] = []
            if let schema { content.append(.init("schema", OpenAPI.reference(schema))) }
            if let example {
                let isJSON = type == "application/json"
                content.append(
                    .init("example", isJSON ? OpenAPI.parsed(example) : .text(example)))
            }
            members.append(.init("content", .object([.init(type, .object(content))])))
        }
        if status < 300, !links.isEmpty { members.append(.init("links", .object(links))) }
        return .object(members)
    }
}
