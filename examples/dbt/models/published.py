"""A Python model of dbt on DuckDB: the table that people may see."""

import shoal as sh


def model(dbt, session):
    """The release of the people; verified before dbt gets it."""
    dbt.config(materialized="table")
    roles: dict[str, sh.Role] = {
        "age": sh.Quasi(kind="number", hierarchy=sh.ranges(5, 10)),
        "sex": sh.Quasi(hierarchy=sh.flat()),
        "ill": sh.Sensitive(),
    }
    people = sh.read(dbt.ref("people"), roles)
    return sh.anonymize(people, sh.KAnonymity(k=2), algorithm="mondrian").frame
