"""A real standalone cluster on loopback: a master and two workers, each a process of its own."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import shoal

SOURCES = Path(shoal.__file__).parents[1]
SECONDS_TO_START = 180

WITHOUT_JAVA = (
    "Spark needs Java 17 or later, and there is none: install it (on Debian: apt-get install"
    " default-jre-headless) or set JAVA_HOME"
)


def java():
    """Whether there is a Java to run Spark with."""
    home = os.environ.get("JAVA_HOME")
    return shutil.which("java") or (home and shutil.which(str(Path(home) / "bin" / "java")))


class Cluster:
    def __init__(self, url, workers):
        self.url, self.workers = url, workers

    def kill_a_worker(self):
        """End a worker and the executors it started, as a machine that loses its power does."""
        worker = self.workers.pop()
        children = subprocess.run(
            ["ps", "-o", "pid=", "--ppid", str(worker.pid)], capture_output=True, text=True, check=False
        )
        for pid in (worker.pid, *map(int, children.stdout.split())):
            os.kill(pid, signal.SIGKILL)
        worker.wait()


@contextmanager
def running_cluster(folder: Path):
    processes = []
    try:
        master, log = _started("org.apache.spark.deploy.master.Master", folder / "master", [])
        processes.append(master)
        url = _wait_for(r"Starting Spark master at (spark://\S+)", log, master)
        workers = []
        for number in range(2):
            arguments = ["--cores", "2", "--memory", "2g", "--work-dir", str(folder / f"work{number}"), url]
            worker, log = _started(
                "org.apache.spark.deploy.worker.Worker", folder / f"worker{number}", arguments
            )
            processes.append(worker)
            workers.append((worker, log))
        for worker, log in workers:
            _wait_for(r"(Successfully registered with master)", log, worker)
        yield Cluster(url, [worker for worker, _ in workers])
    finally:
        for process in reversed(processes):
            process.kill()
            process.wait()


def _started(name, folder, arguments):
    import pyspark

    folder.mkdir(parents=True)
    log = folder / "log"
    home = Path(pyspark.__file__).parent
    environment = {
        **os.environ,
        "SPARK_HOME": str(home),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_DAEMON_MEMORY": "256m",
        "SPARK_LOG_DIR": str(folder),
        "SPARK_LOCAL_DIRS": str(folder),
    }
    command = [str(home / "bin" / "spark-class"), name, "--host", "127.0.0.1", "--port", "0"]
    with log.open("wb") as stream:
        process = subprocess.Popen(
            [*command, "--webui-port", "0", *arguments],
            stdout=stream,
            stderr=subprocess.STDOUT,
            env=environment,
        )
    return process, log


def _wait_for(pattern, log, process):
    until = time.monotonic() + SECONDS_TO_START
    while time.monotonic() < until:
        if found := re.search(pattern, log.read_text(errors="replace")):
            return found[1]
        assert process.poll() is None, log.read_text(errors="replace")
        time.sleep(0.2)
    raise TimeoutError(log.read_text(errors="replace"))


SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.memory": "512m",
    "spark.executor.memory": "600m",
    "spark.executor.cores": "1",
    "spark.cores.max": "2",
    "spark.executorEnv.PYTHONPATH": str(SOURCES),
    "spark.sql.shuffle.partitions": "2",
    "spark.default.parallelism": "2",
    "spark.log.level": "ERROR",
}


def session_on(url, **settings):
    """A small session whose workers use this environment and these sources."""
    os.environ |= environment_of_driver()
    from pyspark.sql import SparkSession

    active = SparkSession.getActiveSession()
    if active is not None and active.sparkContext.master != url:
        active.stop()
    builder = SparkSession.builder.master(url).appName("shoal tests")
    for name, value in {**SETTINGS, **settings}.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def environment_of_driver():
    """What a process needs to know to be a driver on this machine."""
    return {"SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable}


def settings_for_a_command():
    """The same settings for a command of its own."""
    words = [word for setting in SETTINGS.items() for word in ("--conf", "=".join(setting))]
    return {**environment_of_driver(), "PYSPARK_SUBMIT_ARGS": " ".join([*words, "pyspark-shell"])}
