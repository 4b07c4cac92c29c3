"""A real standalone cluster on loopback: a master and two workers, each a process of its own."""

import os
import re
import shlex
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
SHORT_LIVED = (
    "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"  # compiling Java thoroughly takes longer than the tests
)

WITHOUT_JAVA = (
    "Spark needs Java 17 or later, and there is none: install it (on Debian: apt-get install"
    " default-jre-headless) or set JAVA_HOME"
)


def java():
    """Whether there is a Java to run Spark with."""
    home = os.environ.get("JAVA_HOME")
    return shutil.which("java") or (home and shutil.which(str(Path(home) / "bin" / "java")))


class Cluster:
    """A master and its workers."""

    def __init__(self, folder):
        self._folder = folder
        self._processes = []
        self.workers = []

    def start_master(self):
        """Start the master and find out where it listens."""
        master, log = self._start("master", "org.apache.spark.deploy.master.Master", [])
        self.url = _wait_for(r"Starting Spark master at (spark://\S+)", log, master)

    def start_workers(self, count):
        """Start some workers, and wait until the master knows them."""
        arguments = ["--cores", "2", "--memory", "2g", self.url]
        started = [
            self._start("worker", "org.apache.spark.deploy.worker.Worker", arguments) for _ in range(count)
        ]
        for worker, log in started:
            _wait_for(r"(Successfully registered with master)", log, worker)
            self.workers.append(worker)

    def kill_a_worker(self):
        """End a worker and the executors it started, as a machine that loses its power does."""
        _kill_with_children(self.workers.pop())

    def stop(self):
        """End all processes."""
        for process in reversed(self._processes):
            _kill_with_children(process)

    def _start(self, name, java_class, arguments):
        folder = self._folder / f"{name}{len(self._processes)}"
        process, log = _started(java_class, folder, arguments)
        self._processes.append(process)
        return process, log


def _kill_with_children(process):
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@contextmanager
def running_cluster(folder: Path):
    """One master and two workers."""
    cluster = Cluster(folder)
    try:
        cluster.start_master()
        cluster.start_workers(2)
        yield cluster
    finally:
        cluster.stop()


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
        "SPARK_DAEMON_JAVA_OPTS": SHORT_LIVED,
        "SPARK_LOG_DIR": str(folder),
        "SPARK_LOCAL_DIRS": str(folder),
        "SPARK_WORKER_DIR": str(folder / "work"),
    }
    command = [str(home / "bin" / "spark-class"), name, "--host", "127.0.0.1", "--port", "0"]
    with log.open("wb") as stream:
        process = subprocess.Popen(
            [*command, "--webui-port", "0", *arguments],
            stdout=stream,
            stderr=subprocess.STDOUT,
            env=environment,
            process_group=0,
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
    "spark.driver.extraJavaOptions": SHORT_LIVED,
    "spark.executor.extraJavaOptions": SHORT_LIVED,
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
    return {**environment_of_driver(), "PYSPARK_SUBMIT_ARGS": shlex.join([*words, "pyspark-shell"])}
