"""Links of pages to folders of the repository are text on the site, which does not have them."""

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform


class OutsideLinks(SphinxTransform):
    """Put the text in place of a link that leaves `docs/`."""

    default_priority = 300

    def apply(self, **kwargs: object) -> None:
        """Look at every link of a page."""
        for link in list(self.document.findall(addnodes.pending_xref)):
            if str(link.get("reftarget", "")).startswith("../"):
                link.replace_self(nodes.inline("", "", *link.children))


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the transform."""
    app.add_transform(OutsideLinks)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
