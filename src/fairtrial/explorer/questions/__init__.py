"""What can be asked, one file per question, and their names."""

from __future__ import annotations

from fairtrial.explorer.answers import Question
from fairtrial.explorer.questions.calibrating import CalibrateQuestion
from fairtrial.explorer.questions.comparing import CompareQuestion, PlanQuestion
from fairtrial.explorer.questions.curves import CurvesQuestion, RegionsQuestion
from fairtrial.explorer.questions.evaluating import EvaluateQuestion
from fairtrial.explorer.questions.fusing import FuseQuestion
from fairtrial.explorer.questions.grouping import GroupsQuestion
from fairtrial.explorer.questions.mistakes import ErrorsQuestion
from fairtrial.explorer.questions.zoo import ZooQuestion

QUESTIONS: dict[str, type[Question]] = {
    "evaluate": EvaluateQuestion,
    "curves": CurvesQuestion,
    "regions": RegionsQuestion,
    "compare": CompareQuestion,
    "plan": PlanQuestion,
    "fuse": FuseQuestion,
    "groups": GroupsQuestion,
    "calibrate": CalibrateQuestion,
    "zoo": ZooQuestion,
    "errors": ErrorsQuestion,
}
"""Questions by the names that the browser has for them."""
