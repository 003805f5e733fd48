import SyncModel
import Testing

/// Things, values and operations as a program writes them.
@Suite struct MakingTests {
    @Test func itemsAndSectionsAreMadeOfFields() throws {
        let milk = try Item(
            "milk", ["title": "Milk", "count": 2, "price": 1.5, "done": false, "note": .null],
            kind: "row", size: ListSize(width: 10, height: 20), flags: [.movable])
        #expect(milk["title"] == .text("Milk"))
        #expect(milk["count"] == .number(2))
        #expect(milk["price"] == .number(1.5))
        #expect(milk["done"] == .bool(false))
        #expect(milk["note"] == .null)
        #expect(milk["gone"] == nil)
        #expect(milk.fields.map(\.name.text) == ["count", "done", "note", "price", "title"])
        #expect(milk.kind == "row")
        #expect(milk.flags == [.movable])
        let header = Supplementary("header", ["title": "Main"])
        let main = try ListSection("main", ["title": "Main"], supplementaries: [header])
        #expect(main["title"] == "Main")
        #expect(main.supplementaries.first?["title"] == "Main")
        #expect(main.supplementaries.first?["nothing"] == nil)
    }

    /// What can't be part of a room is an error where it is made.
    @Test func whatCanNotBeIsRefused() {
        #expect(throws: ModelError.badNumber) { try Item("a", ["x": .number(.nan)]) }
        #expect(throws: ModelError.duplicateName("a")) { try Item("a", ["x": ["a": 1, "a": 2]]) }
        #expect(throws: ModelError.badIdentifier) {
            try Identifier(String(repeating: "x", count: 129))
        }
    }

    @Test func valuesAreWrittenAndReadPlainly() {
        let value: Value = ["unit": "g", "list": [1, 2.5, true, .null, "x"]]
        #expect(value["unit"]?.asText == "g")
        #expect(
            value["list"]?.asList == [.number(1), .number(2.5), .bool(true), .null, .text("x")])
        #expect(value["list"]?["unit"] == nil)
        #expect(value.asText == nil)
        #expect(Value.number(3).asNumber == 3)
        #expect(Value.bool(true).asBool == true)
        #expect("\(value)" == #"{"list": [1, 2.5, true, null, "x"], "unit": "g"}"#)
        #expect("\(Value.text("Milk"))" == "Milk")
        #expect("\(Value.number(1e300))" == "1e+300")
        let name = "Milk"
        let text: Value = "\(name)!"
        #expect(text == .text("Milk!"))
    }

    /// Equal values have equal hashes, and two spellings of one glyph are two texts.
    @Test func valuesAreToldApart() throws {
        let (composed, decomposed): (Value, Value) = ("\u{E9}", "e\u{301}")
        #expect(composed != decomposed)
        #expect(Set([composed, decomposed, "\u{E9}"]).count == 2)
        #expect(Value.number(0).hashValue == Value.number(-0.0).hashValue)
        #expect(Set<Value>([.number(0), .number(-0.0), .bool(false), .null]).count == 3)
        #expect(Set<Value>([["a": [1]], ["a": [1]], ["a": [2]], [1]]).count == 3)
        let milk = try Item("milk", ["title": "Milk", "count": 2])
        #expect(Set([milk, try Item("milk", ["count": 2, "title": "Milk"])]).count == 1)
    }

    /// An error that is printed says what is wrong, for people.
    @Test func errorsAreSentences() {
        #expect("\(ModelError.badNumber)" == "a number is not finite")
        let rejection = Rejection(code: .notAllowed, message: "the item may not be moved")
        #expect("\(rejection)" == "the item may not be moved")
    }

    @Test func placesAreNamed() {
        let eggs: Identifier = "eggs"
        #expect(Placement.end(of: "main") == Placement(section: "main"))
        #expect(Placement.start(of: "main") == Placement(section: "main", position: .index(0)))
        #expect(Placement.after(eggs) == Placement(position: .after(eggs)))
        #expect(Placement.before(eggs, trail: ["tea"]).trail == ["tea"])
        #expect(Placement.index(3, in: "main") == Placement(section: "main", position: .index(3)))
        #expect(Placement.index(-1, in: "main").position == .index(0))
        #expect(Placement.index(Int.max).position == .index(UInt64(Int.max)))
        #expect(Placement.end == Placement())
        #expect(Placement.start.position == .index(0))
    }

    @Test func operationsAreMade() throws {
        let milk = try Item("milk", ["title": "Milk"])
        let end = Placement.end(of: "main")
        #expect(
            try ListOperation.insert("milk", ["title": "Milk"], at: end) == .insert(milk, to: end))
        let title = Field(name: "title", value: "Oat milk")
        #expect(
            ListOperation.update("milk", set: ["title": "Oat milk"], unset: ["note"])
                == .update("milk", ItemPatch(set: [title], unset: ["note"])))
        let section = try ListSection("main", ["title": "Oat milk"])
        #expect(
            try ListOperation.insertSection("main", ["title": "Oat milk"])
                == .insertSection(section, to: .end))
        #expect(
            ListOperation.updateSection("main", set: ["title": "Oat milk"])
                == .updateSection("main", SectionPatch(set: [title])))
    }
}
