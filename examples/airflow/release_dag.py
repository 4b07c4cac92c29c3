"""A release each night, as a DAG of Airflow: the exit code of `shoal run` decides whether the task failed."""

from datetime import datetime

from airflow.providers.standard.operators.bash import BashOperator
from airflow.sdk import DAG

with DAG("release", schedule="@daily", start_date=datetime(2026, 1, 1), catchup=False):
    published = BashOperator(
        task_id="publish",
        bash_command=(
            "shoal run /data/policy.toml --data /data/{{ ds }}.csv --out /releases/{{ ds }} --if-changed"
        ),
    )
    verified = BashOperator(
        task_id="verify",
        bash_command="cd /releases/{{ ds }} && shoal verify published.csv --certificate certificate.json",
    )
    published.set_downstream(verified)
