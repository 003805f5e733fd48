"""A room as a list of sections, each with a list of items: the plainest thing that follows batches.

Protocol/rooms.md says how snapshots and batches come, Protocol/merge-rules.md what a stage means.
"""

import collections


class DoesNotFit(Exception):
    """A batch is none of the room that is held. The way out is to join again without `from`."""


#: What a batch does to a thing: its content before and after, None if it is not there. A thing that
#: only moves has the same object twice.
Change = collections.namedtuple("Change", "is_section id was now")


class Section:
    def __init__(self, content):
        self.content = content
        self.items = []

    def __eq__(self, other):
        return (self.content, self.items) == (other.content, other.items)


class Replica:
    def __init__(self):
        #: The revision that is held; None before the first snapshot.
        self.revision = None
        self.sections = []
        #: What the last batch has done.
        self.changes = []
        self._arriving_sections = []
        self._arriving_batch = None

    def __eq__(self, other):
        return (self.revision, self.sections) == (other.revision, other.sections)

    # ---- Snapshots

    def take_snapshot(self, part):
        """Takes a part of a snapshot; the last one replaces all that was held."""
        if part.first:
            self._arriving_sections = []
        for piece in part.pieces:
            if piece.HasField("section"):
                self._arriving_sections.append(Section(piece.section))
            self._arriving_sections[-1].items.extend(piece.items)
        if part.last:
            self.sections = self._arriving_sections
            self.revision = part.revision
            self._arriving_batch = None
            check(sum(len(section.items) for section in self.sections) == part.total_items, part)

    def forget_parts(self):
        """Forgets what has come in part: the connection that was to bring the rest is lost."""
        self._arriving_sections = []
        self._arriving_batch = None

    # ---- Batches

    def take_batch(self, part):
        """Takes a batch, or a piece of one; applies it when it is whole."""
        if self._arriving_batch is None:
            self._arriving_batch = part
        else:
            batch, stages = self._arriving_batch, list(part.stages)
            if part.continued:
                batch.stages[-1].MergeFrom(stages.pop(0))
            batch.stages.extend(stages)
            batch.counts.extend(part.counts)
        if not part.more:
            batch, self._arriving_batch = self._arriving_batch, None
            self.apply(batch)

    def apply(self, batch):
        check(getattr(batch, "from") == self.revision, batch)
        self.changes = []
        for stage in batch.stages:
            try:
                self._reload(stage)
                self._change_sections(stage)
                self._change_items(stage)
            except IndexError as error:
                raise DoesNotFit(batch) from error
        self.revision = batch.to
        check(len(self.sections) == batch.sections, batch)
        for count in batch.counts:
            check(len(self.sections[count.section].items) == count.items, batch)

    def _reload(self, stage):
        for reload in stage.reloads:
            items = self.sections[reload.section].items
            check(items[reload.item].id == reload.content.id, stage)
            self._note(False, items[reload.item], reload.content)
            items[reload.item] = reload.content
        for change in stage.changed_sections:
            section = self.sections[change.section]
            check(section.content.id == change.content.id, stage)
            self._note(True, section.content, change.content)
            section.content = change.content

    def _change_sections(self, stage):
        """Takes out all that goes or moves, then puts what comes at its place, ascending."""
        coming = [(place.section, Section(place.content)) for place in stage.insert_sections]
        going = list(stage.delete_sections)
        for move in stage.move_sections:
            source = getattr(move, "from")
            coming.append((move.to, self.sections[source]))
            going.append(source)
            self._note(True, self.sections[source].content, self.sections[source].content)
        for _, section in coming[: len(stage.insert_sections)]:
            self._note(True, None, section.content)
        for index in stage.delete_sections:
            # The items that are deleted with it are not listed.
            for item in self.sections[index].items:
                self._note(False, item, None)
            self._note(True, self.sections[index].content, None)
        remove(self.sections, going, stage)
        insert(self.sections, coming, stage)

    def _change_items(self, stage):
        """The same, for the items of each section."""
        coming, going = {}, {}
        for place in stage.inserts:
            coming.setdefault(place.section, []).append((place.item, place.content))
            self._note(False, None, place.content)
        for path in stage.deletes:
            going.setdefault(path.section, []).append(path.item)
            self._note(False, self.sections[path.section].items[path.item], None)
        for move in stage.moves:
            item = self.sections[move.from_section].items[move.from_item]
            coming.setdefault(move.to_section, []).append((move.to_item, item))
            going.setdefault(move.from_section, []).append(move.from_item)
            self._note(False, item, item)
        for section, indices in going.items():
            remove(self.sections[section].items, indices, stage)
        for section, arrivals in coming.items():
            insert(self.sections[section].items, arrivals, stage)

    def _note(self, is_section, was, now):
        self.changes.append(Change(is_section, (was if now is None else now).id, was, now))


def remove(elements, indices, stage):
    check(len(set(indices)) == len(indices), stage)
    for index in sorted(indices, reverse=True):
        del elements[index]


def insert(elements, arrivals, stage):
    for index, element in sorted(arrivals, key=lambda arrival: arrival[0]):
        check(index <= len(elements), stage)
        elements.insert(index, element)


def check(holds, message):
    if not holds:
        raise DoesNotFit(message)
