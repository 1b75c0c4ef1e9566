"""Expected areas: one number for a whole range of targets, with its interval and a test of two systems."""

from fairtrial.areas.expected import area_intervals, area_tests, expected_areas
from fairtrial.areas.results import Areas

__all__ = ["Areas", "area_intervals", "area_tests", "expected_areas"]
