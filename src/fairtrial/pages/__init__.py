"""Write self-contained pages of results."""

from fairtrial.pages.results import page_of as page_of
