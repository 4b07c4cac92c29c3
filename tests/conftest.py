"""Hypothesis for all tests: no deadlines, because machines are shared and kernels compile once.

`make test` draws the same examples every time; `make test-slow` draws new ones.
"""

import os

from hypothesis import settings

settings.register_profile("same", deadline=None, derandomize=True)
settings.register_profile("new", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))
