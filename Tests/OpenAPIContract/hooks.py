"""What schemathesis can't read in the document: how many bytes texts have, and which key comes last."""

import schemathesis

MOST_BYTES = 128


def is_short(value):
    """Whether each text in a value may be a name, which has so many bytes at most."""
    if isinstance(value, str):
        return len(value.encode("utf-8", "surrogatepass")) <= MOST_BYTES
    if isinstance(value, dict):
        return all(is_short(key) and is_short(inner) for key, inner in value.items())
    return not isinstance(value, list) or all(map(is_short, value))


@schemathesis.hook
def filter_path_parameters(context, path_parameters):
    return is_short(path_parameters)


@schemathesis.hook
def filter_query(context, query):
    return is_short(query)


@schemathesis.hook
def filter_body(context, body):
    return is_short(body)


@schemathesis.hook
def before_call(context, case, kwargs):
    """An import is read in one pass, so the items of a section come last."""
    snapshot = case.body.get("snapshot") if isinstance(case.body, dict) else None
    sections = snapshot.get("sections") if isinstance(snapshot, dict) else None
    for section in sections if isinstance(sections, list) else []:
        if isinstance(section, dict) and "items" in section:
            section["items"] = section.pop("items")
