"""A release each night, as a DAG of Airflow: the exit code of `shoal run` decides whether the task failed.

The folder HOSPITAL has the policy and a file for each day; `airflow dags test release 2026-01-31` tries one.
"""

import os
from datetime import datetime

from airflow.providers.standard.operators.bash import BashOperator
from airflow.sdk import DAG

FOLDER = os.environ.get("HOSPITAL", "/data")

with DAG("release", schedule="@daily", start_date=datetime(2026, 1, 1), catchup=False):
    published = BashOperator(
        task_id="publish",
        cwd=FOLDER,
        bash_command="shoal run policy.toml --data {{ ds }}.csv --out releases/{{ ds }} --if-changed",
    )
    verified = BashOperator(
        task_id="verify",
        cwd=FOLDER,
        bash_command=(
            "shoal verify releases/{{ ds }}/published.csv --certificate releases/{{ ds }}/certificate.json"
        ),
    )
    published.set_downstream(verified)
