"""The site: `make docs` builds it without a network, and any warning is an error."""

import sys
from pathlib import Path

import fairtrial

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "extensions"))

from pictures import gather_examples  # noqa: E402

project = "fairtrial"
author = "The fairtrial developers"
project_copyright = author
version = release = fairtrial.__version__

extensions = [
    "api_pages",
    "command_blocks",
    "outside_links",
    "myst_nb",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
templates_path = ["templates"]
exclude_patterns = ["_build", "static", "templates", "examples/*.ipynb"]
highlight_language = "none"

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 4
nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_timeout = 120

autosummary_generate = True
autosummary_ignore_module_all = False
numpydoc_show_class_members = False
autodoc_typehints = "none"

sphinx_gallery_conf = {
    "examples_dirs": str(gather_examples(HERE.parent / "examples", HERE / "_build" / "gallery")),
    "gallery_dirs": "examples",
    "filename_pattern": "/plot_",
    "nested_sections": False,
    "image_scrapers": ("pictures.written_pictures",),
    "reset_argv": "pictures.folder_argument",
    "download_all_examples": False,
    "min_reported_time": 10_000,
    "show_signature": False,
    "write_computation_times": False,
    "within_subsection_order": "FileNameSortKey",
}

mathjax_path = "mathjax/tex-chtml.js"
mathjax3_config = {"options": {"enableMenu": False}}

copybutton_prompt_text = r"\$ |>>> |\.\.\. "
copybutton_prompt_is_regexp = True
copybutton_only_copy_prompt_lines = True

html_theme = "pydata_sphinx_theme"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_context = {"default_mode": "auto"}
html_title = "fairtrial"
html_show_sourcelink = False
html_sidebars = {name: [] for name in ("index", "getting-started", "which-command")}
html_theme_options = {
    "header_links_before_dropdown": 8,
    "navbar_align": "left",
    "navigation_with_keys": False,
    "show_prev_next": True,
    "show_toc_level": 2,
    "footer_start": ["copyright"],
    "footer_end": [],
}
