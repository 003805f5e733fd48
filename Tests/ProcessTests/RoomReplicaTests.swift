import Testing

extension ProcessTests {
    /// The tests' own implementation of batches accepts legal ones and refuses all others.
    @Suite struct RoomReplicaTests {
        /// Two sections, `x` with a, b, c and `y` with d.
        private static let start: JSON = [
            "snapshot": [
                "revision": 4,
                "sections": [
                    ["id": "x", "items": [["id": "a"], ["id": "b"], ["id": "c"]]],
                    ["id": "y", "fields": [:], "items": [["id": "d"]]],
                ],
            ]
        ]

        private func room(after batch: String) throws -> RoomReplica {
            var replica = try RoomReplica(snapshot: RoomReplicaTests.start)
            try replica.apply(JSON(batch))
            return replica
        }

        @Test func legalBatchesAreApplied() throws {
            let room = try room(
                after: """
                    {"from":4,"to":9,"stages":[\
                    {"reloads":[{"item":1,"content":{"id":"b","fields":{"n":1}}}]},\
                    {"insertSections":[{"section":0,"content":{"id":"z"}}],\
                    "moveSections":[{"from":1,"to":1}]},\
                    {"deletes":[{"section":2,"item":0}],\
                    "inserts":[{"section":1,"item":0,"content":{"id":"e"}}],\
                    "moves":[{"from":{"section":2,"item":2},"to":{"section":1,"item":1}},\
                    {"from":{"section":2,"item":1},"to":{"section":0,"item":0}}]},\
                    {"deleteSections":[2]}],"sections":2,\
                    "counts":[{"section":0,"items":1},{"section":1,"items":3}]}
                    """)
            #expect(room.revision == 9)
            #expect(room.sectionIdentifiers == ["z", "y"])
            #expect(room.identifiers(in: "z") == ["b"])
            #expect(room.identifiers(in: "y") == ["e", "c", "d"])
            #expect(room.item("b")?["fields"] == ["n": 1])
            #expect(try self.room(after: #"{"from":4,"to":5,"sections":2}"#).identifiers.count == 4)
        }

        @Test(arguments: [
            #"{"from":3,"to":5,"sections":2}"#,
            #"{"from":4,"to":4,"sections":2}"#,
            #"{"from":4,"to":5,"sections":3}"#,
            #"{"from":4,"to":5,"sections":2,"stages":[{}]}"#,
            #"{"from":4,"to":5,"sections":2,"stages":[{"deletes":[{"item":0}]}]}"#,
            #"{"from":4,"to":5,"sections":1,"stages":[{"deleteSections":[1]},{"reloads":[]}]}"#,
            #"{"from":4,"to":5,"sections":1,"stages":[{"deleteSections":[1,1]}]}"#,
            #"{"from":4,"to":5,"sections":2,"stages":[{"reloads":[{"content":{"id":"b"}}]}]}"#,
        ])
        func illegalBatchesAreRefused(batch: String) {
            #expect(throws: TestFailure.self) { try room(after: batch) }
        }

        @Test(arguments: [
            #""deletes":[{"item":0},{"item":0}]"#, #""deletes":[{"item":3}]"#,
            #""deletes":[{"item":0}],"inserts":[{"content":{"id":"a"}}]"#,
            #""deletes":[{"item":0}],"moves":[{"from":{"item":0},"to":{"item":1}}]"#,
            #""inserts":[{"content":{"id":"d"}}]"#, #""inserts":[{"item":5,"content":{"id":"e"}}]"#,
            #""inserts":[{"content":{"id":"e"}}],"moves":[{"from":{"item":1},"to":{}}]"#,
        ])
        func illegalStagesAreRefused(stage: String) {
            for count in 0...5 {
                let batch = """
                    {"from":4,"to":5,"sections":2,"stages":[{\(stage)}],\
                    "counts":[{"section":0,"items":\(count)}]}
                    """
                #expect(throws: TestFailure.self) { try room(after: batch) }
            }
        }
    }
}
