"""Tables of SQLite, DuckDB and PostgreSQL: read, joined, published in one transaction, verified there."""

from __future__ import annotations

import json
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import adbc_driver_sqlite.dbapi
import duckdb
import pyarrow as pa
import pytest

import shoal as sh
from shoal.errors import BadInput
from shoal.policy.plan import plan_of
from shoal.policy.policy_file import load_policy
from shoal.run.prepare import read
from shoal.table.database import DatabaseTable, name_parts, opened, quoted, secrets_in
from shoal.table.mysql import _connection_words
from tests import mariadb
from tests.cli.commands import files_in, in_process, shoal
from tests.postgres import PASSWORD, USER, WITHOUT_POSTGRES, has_postgres, running_server

FINE, BROKEN, BAD_INPUT = 0, 1, 2
KINDS = ["sqlite", "duckdb", "postgresql", pytest.param("mysql", marks=pytest.mark.slow)]
PEOPLE = 40
POLICY = """
[data]
url = "{url}"
table = "people"
{data}
[columns]
id = {{ role = "identifier" }}
age = {{ role = "quasi", kind = "number", hierarchy = {{ ranges = [5, 10] }} }}
sex = {{ role = "quasi", hierarchy = {{ flat = true }} }}
ill = {{ role = "sensitive" }}
{columns}
[privacy]
model = "{model}"
k = 2
{privacy}
[output]
table = "published"
{output}
"""
SETS = {
    "data": 'sets = { codes = { table = "codes", key = "person", parent = "id", item = "code" } }',
    "columns": 'codes = { role = "quasi", kind = "set", hierarchy = { flat = true } }',
    "model": "k-km-anonymity",
    "privacy": "m = 2",
}


@pytest.fixture(scope="module")
def server():
    if not has_postgres():
        pytest.skip(WITHOUT_POSTGRES)
    with running_server() as running:
        yield running


@pytest.fixture(scope="module")
def mariadb_server():
    if not mariadb.has_mariadb():
        pytest.skip(mariadb.WITHOUT_MARIADB)
    with mariadb.running_server() as running:
        yield running


SERVERS = {"postgresql": "server", "mysql": "mariadb_server"}


class Base:
    """A database with people and their codes, asked without Shoal."""

    def __init__(self, kind: str, folder: Path, server) -> None:
        self.kind, self.folder, self.server = kind, folder, server
        self.file = folder / f"people.{kind}"
        if kind == "postgresql":
            server.psql(
                "DROP SCHEMA public CASCADE; CREATE SCHEMA public; GRANT ALL ON SCHEMA public TO PUBLIC"
            )
        if kind == "mysql":
            server.sql(f"DROP DATABASE {mariadb.DATABASE}; CREATE DATABASE {mariadb.DATABASE}")
        self.execute("CREATE TABLE people (id INTEGER, age INTEGER, sex TEXT, ill TEXT)")
        self.execute("CREATE TABLE codes (person INTEGER, code TEXT)")
        rows = ", ".join(f"({i}, {20 + i % 7}, '{'fm'[i % 2]}', '{'abc'[i % 3]}')" for i in range(PEOPLE))
        self.execute(f"INSERT INTO people VALUES {rows}")
        codes = ", ".join(f"({i}, 'c{i % 2}'), ({i}, 'd')" for i in range(2, PEOPLE))
        self.execute(f"INSERT INTO codes VALUES {codes}, (0, NULL)")

    @property
    def url(self) -> str:
        return self.server.url() if self.kind in SERVERS else f"{self.kind}:///{self.file.name}"

    def execute(self, sql: str) -> list[tuple[str, ...]]:
        if self.kind == "postgresql":
            return [tuple(line.split("|")) for line in self.server.psql(sql).splitlines()]
        if self.kind == "mysql":
            return [tuple(line.split("\t")) for line in self.server.sql(sql).splitlines()]
        if self.kind == "duckdb":
            with duckdb.connect(self.file) as connection:
                return [tuple(map(str, row)) for row in connection.execute(sql).fetchall()]
        with sqlite3.connect(self.file) as connection:
            rows = [tuple(map(str, row)) for row in connection.execute(sql).fetchall()]
        connection.close()
        return rows

    def tables(self) -> set[str]:
        sql = {
            "sqlite": "SELECT name FROM sqlite_master",
            "duckdb": "SELECT table_name FROM duckdb_tables()",
            "postgresql": "SELECT tablename FROM pg_tables WHERE schemaname = 'public'",
            "mysql": "SHOW TABLES",
        }[self.kind]
        return {name for (name,) in self.execute(sql)}

    def policy(self, name: str = "policy.toml", **parts: str) -> Path:
        defaults = {"data": "", "columns": "", "model": "k-anonymity", "privacy": "", "output": ""}
        path = self.folder / name
        path.write_text(POLICY.format(**{"url": self.url, **defaults, **parts}))
        return path


@pytest.fixture(params=KINDS)
def base(request, tmp_path):
    server = request.getfixturevalue(SERVERS[request.param]) if request.param in SERVERS else None
    return Base(request.param, tmp_path, server)


@pytest.mark.parametrize("base", ["sqlite", "duckdb", "postgresql", "mysql"], indirect=True)
def test_from_table_to_verified_table(base):
    done = shoal("run", base.policy())
    assert done.code == FINE, done.err
    assert "published table, read back and verified" in done.err
    assert base.tables() == {"people", "codes", "published"}
    classes = Counter(base.execute("SELECT age, sex FROM published"))
    assert sum(classes.values()) == PEOPLE
    assert min(classes.values()) >= 2
    assert len(base.execute("SELECT ill FROM published WHERE ill = 'a'")) == 14
    verified = shoal("verify", "--policy", base.policy())
    assert verified.code == FINE, verified.out
    assert (base.folder / "policy-out" / "certificate.json").is_file()


def test_a_changed_table_is_found_out(base):
    assert shoal("run", base.policy()).code == FINE
    base.execute("UPDATE published SET age = '99' WHERE ill = 'a'")
    base.execute("INSERT INTO published VALUES ('77', 'x', 'a')")
    done = shoal("verify", "--policy", base.policy(), "--table", "published")
    assert done.code == BROKEN
    assert "BROKEN" in done.words


def test_a_child_table_is_a_column_of_sets(base):
    done = shoal("run", base.policy(**SETS), "--json")
    assert done.code == FINE, done.out
    assert done.json["records"] == PEOPLE
    assert set(done.json["columns"]["quasi"]) == {"age", "sex", "codes"}
    assert shoal("verify", "--policy", base.policy(**SETS)).code == FINE
    source = DatabaseTable(url=base.url, table="people", sets={}).beside(base.folder)
    data = sh.read(
        source.url, {"id": sh.Identifier(), "age": sh.Quasi(kind="number"), "sex": sh.Insensitive(),
                     "ill": sh.Sensitive()}, table="people",
    )  # fmt: skip
    assert data.row_count == PEOPLE


def test_records_without_items_have_the_empty_set(base):
    from shoal.policy.plan import plan_of
    from shoal.policy.policy_file import load_policy
    from shoal.table.reading import inspect

    source = plan_of(load_policy(base.policy(**SETS))).data_path
    table = inspect(source)
    sets = dict(zip(table["id"].to_pylist(), map(sorted, table["codes"].to_pylist()), strict=True))
    assert sets[0] == sets[1] == []
    assert sets[2] == ["c0", "d"]
    assert sets[3] == ["c1", "d"]
    assert len(sets) == PEOPLE


@pytest.mark.parametrize("base", ["duckdb", "postgresql"], indirect=True)
def test_a_column_of_arrays_is_a_column_of_sets(base):
    gathered = (
        "SELECT p.*, (SELECT array_agg(code) FROM codes WHERE person = id AND code IS NOT NULL) AS codes"
    )
    base.execute(f"CREATE TABLE visits AS {gathered} FROM people AS p")
    sets = {**SETS, "data": ""}
    policy = base.policy(**sets)
    policy.write_text(policy.read_text().replace('table = "people"', 'table = "visits"'))
    done = shoal("run", policy, "--json")
    assert done.code == FINE, done.out
    assert done.json["records"] == PEOPLE
    assert set(done.json["columns"]["quasi"]) == {"age", "sex", "codes"}
    assert shoal("verify", "--policy", policy).code == FINE
    length = {"duckdb": "len", "postgresql": "cardinality"}[base.kind]
    assert base.execute(f"SELECT sum({length}(codes)) FROM published WHERE codes IS NOT NULL") != [("0",)]
    base.execute("UPDATE published SET age = '99' WHERE ill = 'a'")
    assert shoal("verify", "--policy", policy).code == BROKEN


def test_a_query_is_data_and_cannot_write(base):
    query = "SELECT id, age, sex, ill FROM people WHERE id < 20"
    policy = base.policy()
    policy.write_text(policy.read_text().replace('table = "people"', f'query = "{query}"'))
    assert shoal("run", policy, "--json").json["records"] == 20
    for harm in ("DELETE FROM people", "SELECT 1) AS p; DROP TABLE people; --"):
        policy.write_text(policy.read_text().replace(query, harm))
        query = harm
        done = shoal("run", policy, "--replace")
        assert done.code == BAD_INPUT
        assert done.errors
    assert "people" in base.tables()
    assert len(base.execute("SELECT id FROM people")) == PEOPLE


def test_an_earlier_release_is_replaced_only_if_asked_and_nothing_else_ever(base):
    assert shoal("run", base.policy()).code == FINE
    done = shoal("run", base.policy(), "--out", base.folder / "other")
    assert done.code == BAD_INPUT
    assert "exists already; add --replace" in done.errors[0]
    assert shoal("run", base.policy(), "--replace").code == FINE
    policy = base.policy()
    policy.write_text(policy.read_text().replace('"published"', '"codes"'))
    done = shoal("run", policy, "--replace")
    assert done.code == BAD_INPUT
    assert "was not written by shoal, so it is not replaced" in done.errors[0]
    assert base.tables() == {"people", "codes", "published"}


NASTY = ['a"; DROP TABLE people; --', "a'; DROP TABLE people; --", "é ü", "select", "x.y", "a%s{}", "a\\b"]


def test_names_and_values_are_never_run_as_sql(base):
    values = "; DROP TABLE people; --"
    columns = ", ".join(f"{quoted(name)} TEXT" for name in NASTY)
    base.execute(f"CREATE TABLE {quoted('t' + NASTY[0])} ({columns})")
    row = ", ".join(f"'{values}'" for _ in NASTY)
    for _ in range(4):
        base.execute(f"INSERT INTO {quoted('t' + NASTY[0])} VALUES ({row})")
    target = 'out"; DROP TABLE people; --'
    lines = [f'{json.dumps(name)} = {{ role = "quasi", hierarchy = {{ flat = true }} }}' for name in NASTY]
    policy = base.folder / "nasty.toml"
    policy.write_text(
        f"[data]\nurl = {json.dumps(base.url)}\ntable = {json.dumps(quoted('t' + NASTY[0]))}\n"
        "[columns]\n" + "\n".join(lines) + '\n[privacy]\nmodel = "k-anonymity"\nk = 2\n'
        f"[output]\ntable = {json.dumps(quoted(target))}\n",
        encoding="utf-8",
    )
    done = shoal("run", policy)
    assert done.code == FINE, done.err
    assert base.tables() == {"people", "codes", "t" + NASTY[0], target}
    assert base.execute(f"SELECT {quoted(NASTY[0])} FROM {quoted(target)}") == [(values,)] * 4
    assert shoal("verify", "--policy", policy).code == FINE


def test_names_and_items_of_child_tables_are_never_run_as_sql(base):
    child, parent, key, item, column = (f"{name}{NASTY[0]}" for name in "cpkis")
    base.execute(f"CREATE TABLE {quoted(parent)} ({quoted(key)} INTEGER, age TEXT)")
    base.execute(f"CREATE TABLE {quoted(child)} ({quoted(key)} INTEGER, {quoted(item)} TEXT)")
    for person in range(4):
        base.execute(f"INSERT INTO {quoted(parent)} VALUES ({person}, '20')")
        base.execute(f"INSERT INTO {quoted(child)} VALUES ({person}, '); DROP TABLE people; --')")
    sets = {"table": quoted(child), "key": key, "parent": key, "item": item}
    written = ", ".join(f"{name} = {json.dumps(value)}" for name, value in sets.items())
    policy = base.folder / "nasty.toml"
    policy.write_text(
        f"[data]\nurl = {json.dumps(base.url)}\ntable = {json.dumps(quoted(parent))}\n"
        f"sets = {{ {json.dumps(column)} = {{ {written} }} }}\n"
        f'[columns]\n{json.dumps(key)} = {{ role = "identifier" }}\n'
        'age = { role = "quasi", hierarchy = { flat = true } }\n'
        f'{json.dumps(column)} = {{ role = "quasi", kind = "set", separator = "|", '
        "hierarchy = { flat = true } }\n"
        '[privacy]\nmodel = "k-km-anonymity"\nk = 2\nm = 2\n[output]\ntable = "published"\n',
        encoding="utf-8",
    )
    done = shoal("run", policy)
    assert done.code == FINE, done.err
    assert base.tables() == {"people", "codes", parent, child, "published"}
    assert shoal("verify", "--policy", policy).code == FINE


@pytest.mark.parametrize("name", ["", "a.b.c.d", 'a"b', "a.", ".a", '"', "a\0b", '"a"b'])
def test_what_is_no_name_of_a_table_is_refused(name):
    with pytest.raises(BadInput, match="is no name of a table"):
        name_parts(name)


def test_names_have_parts():
    assert name_parts("people") == ("people",)
    assert name_parts("hospital.people") == ("hospital", "people")
    assert name_parts('"odd.name"."a""b"') == ("odd.name", 'a"b')


CRASH = """
import os, signal, sys, time
import shoal.run.table_output as output
placed = output.put_in_place
def stop(*words):
    print("written", flush=True)
    time.sleep(60)
output.put_in_place = stop
from shoal.cli.main import main
main()
"""


@pytest.mark.parametrize(
    "base",
    [
        pytest.param("sqlite", marks=pytest.mark.slow),
        pytest.param("duckdb", marks=pytest.mark.slow),
        "postgresql",
        pytest.param("mysql", marks=pytest.mark.slow),
    ],
    indirect=True,
)
def test_a_killed_run_leaves_no_table_and_the_earlier_one(base):
    assert shoal("run", base.policy()).code == FINE
    before = base.tables()
    rows = sorted(base.execute("SELECT * FROM published"))
    words = [sys.executable, "-c", CRASH, "run", str(base.policy()), "--replace"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout.readline() == "written\n"
        running.send_signal(signal.SIGKILL)
    time.sleep(0.5)
    left = base.tables() - before
    if base.kind == "mysql":  # which makes tables outside of transactions: an empty one of another name stays
        assert [base.execute(f"SELECT count(*) FROM {name}") for name in left] == [[("0",)]]
    else:
        assert not left
    assert sorted(base.execute("SELECT * FROM published")) == rows
    assert shoal("run", base.policy(), "--replace").code == FINE
    assert base.tables() == before


def test_a_run_with_duckdb_ends_without_a_word_of_its_library(tmp_path):
    done = in_process("run", Base("duckdb", tmp_path, None).policy(), "--quiet")
    assert (done.code, done.out, done.err) == (FINE, "", "")


def test_a_lost_connection_leaves_no_table_and_no_folder(server, tmp_path):
    base = Base("postgresql", tmp_path, server)
    words = [
        sys.executable,
        "-c",
        CRASH.replace("time.sleep(60)", "input(); placed(*words)"),
        "run",
        str(base.policy()),
    ]
    with subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as running:
        assert running.stdout.readline() == "written\n"
        server.psql(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE state = 'idle in transaction'"
        )
        _, told = running.communicate("\n", timeout=60)
        assert running.returncode == BAD_INPUT, told
    assert "the database refuses" in told
    assert base.tables() == {"people", "codes"}
    assert files_in(tmp_path) == ["policy.toml"]


@pytest.fixture
def small_disk(server):
    """A tablespace for new tables on a disk of 256 kB."""
    disk = server.folder / "disk"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", disk], check=False, capture_output=True
    )
    if mounted.returncode:
        pytest.skip("only those who may mount a file system can fill a disk")
    shutil.chown(disk, "postgres")
    try:
        server.psql(f"CREATE TABLESPACE small LOCATION '{disk}'")
        server.psql("ALTER ROLE postgres SET default_tablespace = 'small'")
        yield
    finally:
        server.psql("ALTER ROLE postgres RESET default_tablespace")
        server.psql("DROP TABLESPACE small")
        subprocess.run(["umount", disk], check=True)


def test_a_full_disk_leaves_no_table_and_the_earlier_one(server, tmp_path, request):
    base = Base("postgresql", tmp_path, server)
    assert shoal("run", base.policy()).code == FINE
    before, files = base.tables(), files_in(tmp_path)
    rows = sorted(base.execute("SELECT * FROM published"))
    base.execute(
        "INSERT INTO people SELECT i, 20 + i % 7, 'f', 'a' FROM generate_series(40, 10000) AS numbers(i)"
    )
    request.getfixturevalue("small_disk")
    done = shoal("run", base.policy(), "--replace")
    assert done.code == BAD_INPUT
    assert "No space left on device" in done.err
    assert base.tables() == before
    assert sorted(base.execute("SELECT * FROM published")) == rows
    assert files_in(tmp_path) == files


def test_a_broken_promise_leaves_no_table(base, monkeypatch):
    import shoal.run.table_output as output

    def without_care(database, parts, table, target, create=output.create_release):
        changed = table.set_column(0, "age", pa.array([str(i) for i in range(table.num_rows)]))
        create(database, parts, changed, target)

    monkeypatch.setattr(output, "create_release", without_care)
    done = shoal("run", base.policy())
    assert done.code == BROKEN
    assert base.tables() == {"people", "codes"}
    assert not (base.folder / "policy-out").exists()


def test_passwords_appear_nowhere(server, tmp_path, monkeypatch):
    base = Base("postgresql", tmp_path, server)
    server.psql(f"GRANT SELECT ON people TO {USER}")
    monkeypatch.setenv("SECRET", PASSWORD)
    host = f"?host={server.folder}"
    policy = base.policy(url=f"postgresql://{USER}:${{SECRET}}@/postgres{host}")
    log = tmp_path / "log"
    done = shoal("run", policy, "--log", log, "--set", "privacy.k=3")
    assert done.code == FINE, done.err
    wrong = shoal("run", policy, "--replace", "--set", 'data.table="nowhere"', "--log", log)
    assert wrong.code == BAD_INPUT
    monkeypatch.setenv("SECRET", PASSWORD + "%")
    broken = shoal("check", policy)
    assert broken.code == BAD_INPUT
    assert "the database refuses" in broken.errors[0]
    verified = shoal("verify", "--policy", policy)
    said = "".join(each.out + each.err for each in (done, wrong, broken, verified))
    assert PASSWORD not in said
    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(written) > 8
    assert not [path for path in written if PASSWORD.encode() in path.read_bytes()]


@pytest.mark.slow
def test_passwords_of_mariadb_come_from_the_environment_and_appear_nowhere(
    mariadb_server, tmp_path, monkeypatch
):
    base = Base("mysql", tmp_path, mariadb_server)
    base.execute(f"CREATE OR REPLACE USER {USER}@localhost IDENTIFIED BY '{PASSWORD}'")
    base.execute(f"GRANT ALL ON {mariadb.DATABASE}.* TO {USER}@localhost")
    log = tmp_path / "log"
    with_variable = mariadb_server.url(f"{USER}:${{DB_PASSWORD}}")
    for name, url in (("MYSQL_PWD", mariadb_server.url(USER)), ("DB_PASSWORD", with_variable)):
        monkeypatch.setenv(name, PASSWORD)
        done = shoal("run", base.policy(url=url), "--log", log, "--replace")
        assert done.code == FINE, done.err
        assert PASSWORD not in done.out + done.err
        monkeypatch.delenv(name)
    assert not [
        path for path in tmp_path.rglob("*") if path.is_file() and PASSWORD.encode() in path.read_bytes()
    ]
    monkeypatch.setenv("DB_PASSWORD", f"{PASSWORD};}}x")
    done = shoal("run", base.policy(url=with_variable), "--replace")
    assert done.code == BAD_INPUT
    assert "Access denied" in done.err
    assert PASSWORD not in done.err


@pytest.mark.slow
def test_long_texts_of_mariadb_are_read_whole(mariadb_server, tmp_path):
    base = Base("mysql", tmp_path, mariadb_server)
    base.execute("ALTER TABLE people CONVERT TO CHARACTER SET utf8mb4")
    base.execute("UPDATE people SET ill = repeat('☃', 5000) WHERE id = 3")
    many = ", ".join(f"(5, 'one-of-many-{number}')" for number in range(400))
    base.execute(f"INSERT INTO codes VALUES {many}")
    policy = base.policy(**SETS)
    roles, table = plan_of(load_policy(policy)).roles, plan_of(load_policy(policy)).data_path
    original = read(table, roles).original
    assert max(map(len, original.coded("ill").domain.texts())) == 5000
    assert max(original.sets("codes").sizes) == 402
    base.execute("INSERT INTO codes SELECT 5, concat(seq, repeat('y', 60000)) FROM seq_1_to_20")
    with pytest.raises(BadInput, match=r"or the items of a record, take more than 1,048,576 bytes"):
        read(table, roles)


def test_whatever_a_url_of_mysql_holds_stays_in_its_place():
    words = _connection_words("mysql://a%3Bb:c%7D%3BUID=root@host:33/base%3Bx?driver=My%20Driver")
    assert words == (
        "Driver={My Driver};SERVER={host};PORT={33};CHARSET={utf8mb4};DATABASE={base;x};UID={a;b};"
        "PWD={c}};UID=root}"
    )
    with pytest.raises(BadInput, match="the url has an option 'ssl'"):
        _connection_words("mysql://host/base?ssl=no")


def test_passwords_come_from_where_libpq_looks(server, tmp_path, monkeypatch):
    base = Base("postgresql", tmp_path, server)
    server.psql(f"GRANT SELECT ON people TO {USER}")
    policy = base.policy(url=f"postgresql://{USER}@/postgres?host={server.folder}")
    assert shoal("check", policy).code == BAD_INPUT
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    assert shoal("check", policy).code == FINE
    monkeypatch.delenv("PGPASSWORD")
    passfile = tmp_path / "pgpass"
    passfile.write_text(f"*:*:*:{USER}:{PASSWORD}\n")
    passfile.chmod(0o600)
    monkeypatch.setenv("PGPASSFILE", str(passfile))
    assert shoal("check", policy).code == FINE
    service = tmp_path / "services"
    service.write_text(f"[hospital]\nhost={server.folder}\nuser={USER}\ndbname=postgres\n")
    monkeypatch.setenv("PGSERVICEFILE", str(service))
    assert shoal("check", base.policy(url="postgresql:///?service=hospital")).code == FINE


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://u:hunter2@h/d",
        "postgresql://h/d?password=hunter2",
        "postgresql://u:${PGUSER}hunter2@h/d",
        "postgresql://h/d?sslpassword=hunter2",
    ],
)
def test_a_password_in_a_policy_is_refused_and_not_repeated(tmp_path, monkeypatch, url):
    monkeypatch.setenv("PGUSER", "somebody")
    path = tmp_path / "policy.toml"
    path.write_text(POLICY.format(url=url, data="", columns="", model="k-anonymity", privacy="", output=""))
    done = shoal("run", path)
    assert done.code == BAD_INPUT
    assert "policy.toml:3: the url holds a password" in done.errors[0]
    assert "hunter2" not in done.err + done.out


def test_passwords_of_urls_are_known():
    assert secrets_in("postgresql://u:p%40ss@h/d?x=1") == ("p%40ss",)
    assert secrets_in("postgresql://u@h/d?password=a&token=b") == ("a", "b")
    assert secrets_in("postgresql://u@h:5432/d") == ()


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ('table = "people"', "", "a database needs data.table or data.query, and not both"),
        ('url = "sqlite', 'path = "x.csv"\nurl = "sqlite', "data.path and data.url exclude each other"),
        ('url = "sqlite:', 'url = "oracle:', "names no database that Shoal reads"),
        ('table = "published"', 'url = "sqlite:///x"', "output.url needs output.table"),
        ("people.sqlite", "nowhere.sqlite", "does not exist"),
        ('table = "people"', 'table = "nobody"', "the database refuses: "),
        ('url = "sqlite:///people.sqlite"', 'path = "x.csv"', "output.table needs a database"),
    ],
)
def test_what_does_not_go_together_is_told(tmp_path, old, new, what):
    policy = Base("sqlite", tmp_path, None).policy()
    policy.write_text(policy.read_text().replace(old, new, 1))
    done = shoal("check", policy)
    assert done.code == BAD_INPUT
    assert any(what in line for line in done.errors), done.errors


def test_python_takes_connections_urls_and_relations(tmp_path):
    roles = {
        "id": sh.Identifier(),
        "age": sh.Quasi(kind="number"),
        "sex": sh.Insensitive(),
        "ill": sh.Sensitive(),
    }
    base = Base("duckdb", tmp_path, None)
    with duckdb.connect(base.file) as connection:
        assert sh.read(connection, roles, table="people").row_count == PEOPLE
        relation = connection.sql("SELECT * FROM people WHERE id < 10")
        assert sh.read(relation, roles).row_count == 10
        assert connection.sql("SELECT count(*) FROM people").fetchall() == [(PEOPLE,)]
        with pytest.raises(BadInput, match="give table or query"):
            sh.read(connection, roles)
    base = Base("sqlite", tmp_path, None)
    with adbc_driver_sqlite.dbapi.connect(str(base.file)) as connection:
        assert sh.read(connection, roles, query="SELECT * FROM people WHERE id < 5").row_count == 5
    assert sh.read(f"sqlite:///{base.file}", roles, table="people").row_count == PEOPLE
    with sqlite3.connect(base.file) as own, pytest.raises(BadInput, match="give a url"):
        sh.read(own, roles, table="people")
    own.close()


def test_types_that_arrow_lacks_are_texts(server, tmp_path):
    base = Base("postgresql", tmp_path, server)
    base.execute(
        "CREATE TYPE mood AS ENUM ('sad', 'fine');"
        " CREATE TABLE odd (u uuid, n numeric, m mood, j jsonb, a text[]);"
        " INSERT INTO odd VALUES ('00112233-4455-6677-8899-aabbccddeeff', 1.50, 'sad', '{}', '{x,y}'),"
        " (NULL, NULL, NULL, NULL, NULL)"
    )
    with opened(DatabaseTable(url=base.url, table="odd"), reading=True) as database:
        assert database.read("SELECT 1 AS one").num_rows == 1
    from shoal.table.reading import inspect

    table = inspect(DatabaseTable(url=base.url, table="odd"))
    assert table.to_pylist() == [
        {"u": "00112233-4455-6677-8899-aabbccddeeff", "n": "1.50", "m": "sad", "j": "{}", "a": ["x", "y"]},
        dict.fromkeys("unmja"),
    ]


def test_a_release_of_one_database_can_go_into_another(tmp_path):
    base = Base("sqlite", tmp_path, None)
    done = shoal("run", base.policy(output='url = "duckdb:///other.duckdb"', **SETS))
    assert done.code == FINE, done.err
    with duckdb.connect(tmp_path / "other.duckdb") as connection:
        kinds = dict(connection.sql("SELECT column_name, data_type FROM duckdb_columns()").fetchall())
    assert kinds["codes"] == "VARCHAR[]"


def test_the_web_page_reaches_no_database():
    from shoal.policy.policy_file import parse_policy
    from shoal.web.service.bound import _refuse_unknown_files
    from shoal.web.service.wording import Names

    policy = parse_policy(
        '[data]\nurl = "sqlite:///x"\ntable = "t"\n[columns]\n[privacy]\nmodel = "k-anonymity"\nk = 2\n'
    )
    with pytest.raises(BadInput, match="not databases"):
        _refuse_unknown_files(policy, Names({}))


@pytest.mark.slow
def test_a_comparison_goes_on_only_with_the_same_rows(tmp_path):
    base = Base("sqlite", tmp_path, None)
    words = (
        "compare",
        base.policy(),
        "--algorithms",
        "mondrian",
        "--out",
        tmp_path / "compared",
        "--workers",
        "1",
    )
    done = shoal(*words)
    assert done.code == FINE, done.err
    assert shoal(*words).code == FINE
    base.execute("UPDATE people SET age = 21 WHERE id = 0")
    done = shoal(*words)
    assert done.code == BAD_INPUT
    assert "of other data" in done.errors[0]
