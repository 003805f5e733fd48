"""Someone who edits a room at random, from what it showed a while ago."""

import copy
import random

import collsync_pb2 as pb


class RandomEditor:
    """Makes transactions for a client.

    It looks at the room only now and then, so most of its bases are stale; it does not name again
    what it deleted itself.
    """

    def __init__(self, client, seed):
        self.client = client
        self.random = random.Random(seed)
        self.seen = copy.deepcopy(client.replica)
        self.deleted = set()
        self.made = 0

    def edit(self):
        if self.random.random() < 0.15:
            self.seen = copy.deepcopy(self.client.replica)
        operations = [self.guarded(self.operation()) for _ in range(self.random.randint(1, 3))]
        has_guards = any(operation.HasField("guard") for operation in operations)
        all_or_none = has_guards and self.random.random() < 0.2
        self.client.submit(operations, base=self.seen.revision, all_or_none=all_or_none)

    def guarded(self, operation):
        """The operation; some with a guard, mostly of what was seen."""
        if self.random.random() < 0.7:
            return operation
        guard = operation.guard
        # A guard of the life since revision 0 has no field.
        guard.SetInParent()
        base = self.seen.revision
        guard.revision = base if self.random.random() < 0.7 else self.random.randint(0, base)
        guard.place = self.random.random() < 0.3
        guard.content = self.random.random() < 0.3
        names = ["count", "note", "title", "missing"]
        guard.fields.extend(self.random.sample(names, self.random.randrange(3)))
        return operation

    def operation(self):
        items = self.item_ids()
        choice = self.random.random()
        if choice < 0.1:
            return self.section_operation()
        if choice < 0.5 or not items:
            return pb.Operation(insert=pb.Insert(item=self.new_item(), to=self.item_place(items)))
        item = self.random.choice(items)
        if choice < 0.7:
            return pb.Operation(move=pb.Move(id=item, to=self.item_place(items)))
        if choice < 0.8:
            fields = [self.field("title", text=f"Seen at {self.seen.revision}")]
            return pb.Operation(update=pb.Update(id=item, set=fields, unset=["note"]))
        if choice < 0.9:
            return pb.Operation(increment=pb.Increment(id=item, field="count", by=1))
        self.deleted.add(item)
        return pb.Operation(delete=pb.Delete(id=item))

    def section_operation(self):
        section = self.random.choice(self.section_ids())
        choice = self.random.random()
        if choice < 0.4:
            new = pb.Section(id=self.new_id("section"), fields=[self.field("title", text="New")])
            insert = pb.InsertSection(section=new, to=self.place(section))
            return pb.Operation(insert_section=insert)
        if choice < 0.6:
            return pb.Operation(move_section=pb.Move(id=section, to=self.place(section)))
        if choice < 0.8 or section == "main":
            header = pb.Supplementary(kind="header", size=pb.Size(width=320, height=44))
            update = pb.UpdateSection(id=section, supplementaries=[header])
            return pb.Operation(update_section=update)
        self.deleted.add(section)
        self.deleted.update(self.item_ids(section))
        return pb.Operation(delete_section=pb.Delete(id=section))

    def item_ids(self, section_id=None):
        """The items it may name, of one section or all."""
        sections = [s for s in self.seen.sections if section_id in (None, s.content.id)]
        ids = [item.id for section in sections for item in section.items]
        return [item for item in ids if item not in self.deleted]

    def section_ids(self):
        """The sections it may name."""
        ids = [section.content.id for section in self.seen.sections]
        return [section for section in ids if section not in self.deleted]

    def item_place(self, items):
        """Somewhere among the items; sometimes with the section named, too."""
        choice = self.random.randrange(4)
        if choice < 2 and items:
            anchor = self.random.choice(items)
            return pb.Placement(after=anchor) if choice == 0 else pb.Placement(before=anchor)
        section = self.random.choice(self.section_ids())
        if choice == 2:
            return pb.Placement(section=section, index=self.random.randrange(20))
        return pb.Placement(section=section)

    def place(self, section):
        """Somewhere among the sections."""
        return self.random.choice(
            [
                pb.Placement(after=section),
                pb.Placement(before=section),
                pb.Placement(index=self.random.randrange(4)),
                pb.Placement(),
            ]
        )

    def new_item(self):
        fields = [
            self.field("done", bool=False),
            self.field("note", null=True),
            self.field("title", text="Made in Python"),
            self.field("weight", double=self.random.random()),
        ]
        flags = pb.ItemFlags(selectable=False)
        size = pb.Size(width=120, height=80.5)
        return pb.Item(id=self.new_id("item"), kind="card", size=size, fields=fields, flags=flags)

    def new_id(self, kind):
        self.made += 1
        return f"{kind}-{self.client.client_id}-{self.made}"

    @staticmethod
    def field(name, **value):
        return pb.Field(name=name, value=pb.Value(**value))
