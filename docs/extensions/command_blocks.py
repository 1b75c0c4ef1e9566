"""Indented blocks that begin with a command are coloured as a terminal."""

from docutils import nodes
from pygments.lexers.special import TextLexer
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform

COMMANDS = ("fairtrial ", "python ", "make ", "pip ")


class CommandBlocks(SphinxTransform):
    """Give literal blocks without a language the one that their first line tells."""

    default_priority = 200  # before the language of a page is applied to what has none

    def apply(self, **kwargs: object) -> None:
        for block in self.document.findall(nodes.literal_block):
            text = block.astext()
            if block.get("language", "none") in ("none", "default", "text"):
                if text.startswith("$ "):
                    block["language"] = "console"
                elif text.startswith(COMMANDS):
                    block["language"] = "bash"


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the transform, and a name that Pygments does not know."""
    app.add_transform(CommandBlocks)
    app.add_lexer("csv", TextLexer)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
