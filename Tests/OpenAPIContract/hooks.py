"""What schemathesis can't read in the document: how many bytes texts have, and which key comes last."""

import schemathesis
from hypothesis import strategies

VISIBLE = strategies.characters(codec="utf-8", exclude_categories=["Cc", "Cs"])


def texts(least, most):
    """Texts of so many bytes, most of them short ones."""
    text = strategies.text(VISIBLE, min_size=least, max_size=most)
    return text.filter(lambda text: len(text.encode()) <= most)


schemathesis.openapi.format("name", texts(1, 128))
schemathesis.openapi.format("label", texts(0, 256))


@schemathesis.hook
def before_call(context, case, kwargs):
    """An import is read in one pass, so the items of a section come last."""
    snapshot = case.body.get("snapshot") if isinstance(case.body, dict) else None
    sections = snapshot.get("sections") if isinstance(snapshot, dict) else None
    for section in sections if isinstance(sections, list) else []:
        if isinstance(section, dict) and "items" in section:
            section["items"] = section.pop("items")
