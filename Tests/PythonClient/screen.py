"""The screen of a view, as Protocol/views.md says that updates change it."""

import collsync_pb2 as pb

from snapshot_json import item_json, section_json


class DoesNotFit(Exception):
    """An update is not one of the screen that is held. The way out is to close the view and open it again."""


#: The categories whose elements show an item; all others show a section.
OF_ITEMS = (pb.CATEGORY_CELL, pb.CATEGORY_ITEM_SUPPLEMENTARY)


class Screen:
    """One view of one connection, with as much of the room as its elements show."""

    def __init__(self, bounds):
        #: The part of the content that is on the screen. Updates shift it, and so does the client.
        self.bounds = bounds
        self.revision = None
        self.content_size = pb.Size()
        #: The number of the last update, for `seen`.
        self.number = 0
        #: Whether the next update has the rest of this screen.
        self.more = False
        #: Key → element, and key → the id of what it shows.
        self.elements = {}
        self.shown = {}
        #: Id → content.
        self.items = {}
        self.sections = {}

    def take(self, head, update):
        """Applies an update as a whole."""
        if update.first:
            self.elements, self.shown, self.items, self.sections = {}, {}, {}, {}
        else:
            check(head.number == self.number + 1, update)
        self.number, self.revision, self.more = head.number, update.revision, update.more
        if update.HasField("content_size"):
            self.content_size = update.content_size
        self.bounds.x += update.shift.x
        self.bounds.y += update.shift.y
        self._change_elements(update)
        self.items.update((item.id, item) for item in update.items)
        self.sections.update((section.id, section) for section in update.sections)
        self._forget_what_nothing_shows(update)

    def _change_elements(self, update):
        for gone in update.disappeared:
            check(gone.key in self.elements, update)
            del self.elements[gone.key], self.shown[gone.key]
        for change in update.changed:
            check(change.key in self.elements, update)
            patch(self.elements[change.key], change.to)
        for new in update.appeared:
            check(new.key not in self.elements, update)
            self.elements[new.key] = pb.Element()
            self.elements[new.key].CopyFrom(new.element)
            self.shown[new.key] = new.id

    def _forget_what_nothing_shows(self, update):
        items, sections = set(), set()
        for key, element in self.elements.items():
            (items if element.category in OF_ITEMS else sections).add(self.shown[key])
        self.items = {id: item for id, item in self.items.items() if id in items}
        self.sections = {id: content for id, content in self.sections.items() if id in sections}
        check(items == self.items.keys() and sections == self.sections.keys(), update)

    # ---- As JSON

    def json(self):
        """The screen as `vectors/session.jsonl` has it, with the elements in order."""
        elements = [element_json(self.elements[key], self.shown[key]) for key in self.elements]
        return {
            "revision": self.revision,
            "bounds": rect_json(self.bounds),
            "contentSize": {"width": self.content_size.width, "height": self.content_size.height},
            "elements": in_order(elements),
            "items": {id: item_json(item) for id, item in self.items.items()},
            "sections": {id: shown_section(content) for id, content in self.sections.items()},
        }


def patch(element, to):
    """Sets the fields that are there; a frame takes the place of the old one as a whole."""
    for field, value in to.ListFields():
        if field.name == "frame":
            element.frame.CopyFrom(value)
        else:
            setattr(element, field.name, value)


def in_order(elements):
    """Elements in one order, whatever order they came in."""
    order = ("category", "section", "item", "kind")
    return sorted(elements, key=lambda element: [str(element.get(key, "")) for key in order])


def element_json(element, id):
    """An element in the form of layouts.md, with what it shows."""
    is_cell = element.category == pb.CATEGORY_CELL
    is_decoration = element.category == pb.CATEGORY_DECORATION
    form = {
        "category": "cell" if is_cell else "decoration" if is_decoration else "supplementary"
    }
    if not is_cell:
        form["kind"] = element.kind
    form["section"] = element.section
    if element.category in OF_ITEMS:
        form["item"] = element.item
    form.update(id=id, frame=rect_json(element.frame), zIndex=element.z_index)
    form["scale"] = element.scale if element.HasField("scale") else 1
    if element.HasField("alpha") and element.alpha != 1:
        form["alpha"] = element.alpha
    if element.hidden:
        form["hidden"] = True
    return form


def rect_json(rect):
    return {"x": rect.x, "y": rect.y, "width": rect.width, "height": rect.height}


def shown_section(content):
    form = section_json(content)
    return form if form["fields"] else {key: form[key] for key in form if key != "fields"}


def check(holds, update):
    if not holds:
        raise DoesNotFit(update)
