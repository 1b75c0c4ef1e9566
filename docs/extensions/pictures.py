"""The gallery: every `examples/plot_*.py` is run with a folder as its argument, and what it writes there is shown."""

import atexit
import shutil
import tempfile
from pathlib import Path
from typing import Any

from sphinx_gallery.scrapers import figure_rst

FOLDER = Path(tempfile.mkdtemp(prefix="fairtrial-gallery-"))
atexit.register(shutil.rmtree, FOLDER, ignore_errors=True)


def gather_examples(examples: Path, target: Path) -> Path:
    """Copy what the gallery shows, and nothing else that lies beside it, to a folder that is made anew."""
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    for path in [examples / "GALLERY_HEADER.rst", *examples.glob("plot_*.py")]:
        shutil.copy2(path, target)
    return target


def written_pictures(block: Any, block_vars: dict[str, Any], gallery_conf: dict[str, Any]) -> str:
    """The pictures that an example wrote, moved to where sphinx-gallery wants them."""
    paths = []
    for picture in sorted(FOLDER.glob("*.png")):
        paths.append(next(block_vars["image_path_iterator"]))
        shutil.move(picture, paths[-1])
    return figure_rst(paths, gallery_conf["src_dir"])


def folder_argument(gallery_conf: dict[str, Any], script_vars: dict[str, Any]) -> list[str]:
    """The arguments of an example."""
    return [str(FOLDER)]
