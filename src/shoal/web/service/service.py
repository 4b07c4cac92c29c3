"""Everything that pages and the REST interface can do, in one place.

All functions are plain and blocking and may be called from any thread: a page calls them through
`asyncio.to_thread`. What goes wrong is a ShoalError with a readable sentence; BadInput has all problems.

    service.projects    create, all, get, rename            -> Project
    service.delete(project)                                   for good
    service.files       receive, add, pick, offered, all, get              -> StoredFile
    service.remove_file(project, file)                        for good
    service.data        preview, profile, uniqueness          what is in a data file
    service.policies    get, version, edit, undo, redo, take, start, bring, text, problems, meaning
    service.trees       view, lint, upload, edit, choose      hierarchies of columns
    service.jobs        run, compare, check, attack, repeat, all, get, cancel, remove, wait  -> Job
    service.pace        remember, expected                    how long what people wait for takes
    service.results     view, clusters, exports, export, explain, verify, adopt
"""

import threading
from pathlib import Path

from shoal.errors import BadInput, Problem, ShoalError
from shoal.web.service.data import DataFiles
from shoal.web.service.files import Files
from shoal.web.service.helpers import Helpers
from shoal.web.service.jobs import Jobs
from shoal.web.service.limits import ServerLimits
from shoal.web.service.pace import Pace
from shoal.web.service.policies import Policies, files_of
from shoal.web.service.projects import Projects
from shoal.web.service.results import Results
from shoal.web.service.store import Store
from shoal.web.service.trees import TreeService

_HELPERS = 2


class Service:
    """The parts of the service layer over one data folder."""

    def __init__(
        self, folder: Path, *, offered: Path | None = None, limits: ServerLimits | None = None
    ) -> None:
        """Open the data folder; `offered` is the folder that data files may be picked from."""
        self.limits = limits or ServerLimits()
        self.store = Store(folder)
        self.helpers = Helpers(_HELPERS, self.limits.job_memory)
        self.pace = Pace()
        self.projects = Projects(self.store)
        self.files = Files(self.store, self.limits.upload, offered)
        self.data = DataFiles(self.files, self.helpers)
        self.policies = Policies(self.store, self.files, self.data)
        self.trees = TreeService(self.store, self.files, self.policies, self.helpers)
        self.jobs = Jobs(self.store, self.policies, self.limits)
        self.results = Results(self.jobs, self.policies, self.files, self.helpers)

    def delete(self, project: str) -> None:
        """Delete a project with its files, settings and results for good; what it runs is stopped."""
        self.projects.get(project)
        self.jobs.cancel_all(project)
        self.store.remove_project(project)

    def remove_file(self, project: str, file: str) -> str:
        """Remove a file that the settings do not use, for good; its name."""
        name = self.files.get(project, file).name
        if name in files_of(self.policies.get(project)):
            raise BadInput(Problem(f"{name} is in use", "choose another file or hierarchy first"))
        self.files.remove(project, file)
        return name

    def warm(self) -> None:
        """Start a helper in the background, so that the first question is answered soon."""
        threading.Thread(target=self._warm, daemon=True, name="warming").start()

    def close(self) -> None:
        """Stop all jobs and helpers, and let go of the data folder."""
        self.jobs.close()
        self.helpers.close()
        self.store.close()

    def _warm(self) -> None:
        try:
            self.helpers.warm()
        except ShoalError:
            return  # the server is stopping, or the first question will say what is wrong
