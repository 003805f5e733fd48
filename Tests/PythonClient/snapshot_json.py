"""A replica as the `snapshot` object of Protocol/json.md."""


def snapshot_json(room, replica):
    sections = [
        dict(section_json(section.content), items=[item_json(item) for item in section.items])
        for section in replica.sections
    ]
    return {"snapshot": {"room": room, "revision": replica.revision, "sections": sections}}


def item_json(item):
    content = {"id": item.id}
    if item.kind:
        content["kind"] = item.kind
    return dict(content, **body_json(item), **flags_json(item.flags))


def section_json(section):
    content = {"id": section.id, "fields": fields_json(section.fields)}
    if section.supplementaries:
        content["supplementaries"] = {
            supplementary.kind: body_json(supplementary)
            for supplementary in section.supplementaries
        }
    return dict(content, **flags_json(section.flags))


def body_json(thing):
    """Fields and size, of an item or a supplementary."""
    content = {}
    if thing.fields:
        content["fields"] = fields_json(thing.fields)
    if thing.HasField("size"):
        content["size"] = {"width": thing.size.width, "height": thing.size.height}
    return content


def flags_json(flags):
    """Those that are false; a flag that is not said is true."""
    off = {field.json_name: False for field, value in flags.ListFields() if not value}
    return {"flags": off} if off else {}


def fields_json(fields):
    return {field.name: value_json(field.value) for field in fields}


def value_json(value):
    kind = value.WhichOneof("kind")
    if kind == "null":
        return None
    if kind == "list":
        return [value_json(element) for element in value.list.values]
    if kind == "object":
        return fields_json(value.object.fields)
    return getattr(value, kind)
