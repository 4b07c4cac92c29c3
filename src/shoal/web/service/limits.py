"""How much a server takes in and lets a job use."""

from dataclasses import dataclass

from shoal.engine.memory import memory_of_machine

GIB = 2**30


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerLimits:
    """Bytes of one upload, unpacked or not; jobs at once; seconds and bytes of one job.

    `memory` counts what the processes of a job hold together; by default all jobs fit into three quarters of
    the machine.
    """

    upload: int = 2 * GIB
    workers: int = 2
    seconds: float = 6 * 3600.0
    memory: int | None = None

    @property
    def job_memory(self) -> int:
        """The bytes that one job may hold."""
        return self.memory or memory_of_machine() * 3 // 4 // self.workers
