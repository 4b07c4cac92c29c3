"""From a file that nobody prepared to a release, without a word of advice."""

import re

import pytest

import shoal as sh
from tests.cli.commands import records_of, shoal, text_of
from tests.study import real_files

pytestmark = pytest.mark.xdist_group("real files")  # which share runs that take long

NAMING = ("last_name", "email", "SSN", "phone", "ip", "patient_id")
NUMBER = re.compile(r"\d+(?:[.,]\d+)?")
MONTH = re.compile(r"\b(\d{4})-(\d{2})\b")
YEAR = re.compile(r"\b(?:19|20)\d{2}\b")


@pytest.fixture(scope="module")
def visits():
    return by_name(sh.profile(real_files.visits()))


@pytest.fixture(scope="module", params=["csv", "xlsx"])
def hospital_file(request, tmp_path_factory):
    stays = real_files.stays()
    path = tmp_path_factory.mktemp("hospital") / f"Aufnahmen.{request.param}"
    return stays.write_csv(path) if request.param == "csv" else stays.write_xlsx(path)


@pytest.fixture(scope="module")
def hospital(hospital_file):
    return by_name(sh.profile(hospital_file))


@pytest.fixture(scope="module")
def released(hospital_file):
    """The folder that a newcomer has after three commands; of the workbook by an algorithm that is quick."""
    policy = hospital_file.with_name("starter.toml")
    quickly = ("--set", "algorithm.name=mondrian") if hospital_file.suffix == ".xlsx" else ()
    commands = (("profile", hospital_file, "--policy", policy), ("check", policy), ("run", policy, *quickly))
    for words in commands:
        done = shoal(*words)
        assert done.code == 0, (words, done.err)
    return policy.with_name("starter-out")


def by_name(found):
    return {column.name: column for column in found.columns}


def published_cells(folder, column):
    return [record[column] for record in records_of(folder / "published.csv")]


@pytest.mark.parametrize("name", NAMING)
def test_what_names_a_person_is_an_identifier_though_it_repeats(visits, name):
    assert visits[name].role == "identifier", visits[name].reason


def test_the_patients_are_the_subjects_of_their_visits():
    assert sh.profile(real_files.visits()).subject == "patient_id"


def test_remarks_are_dropped(visits):
    assert visits["remarks"].role == "drop"


def test_other_columns_of_visits_stay(visits):
    stay = ("visit_date", "age", "sex", "zip", "diagnosis", "amount")
    assert {name: visits[name].role for name in stay if visits[name].role in ("identifier", "drop")} == {}
    assert [visits[name].kind for name in ("visit_date", "age", "zip", "amount")] == [
        "date",
        "number",
        "category",
        "number",
    ]


def test_a_file_of_visits_is_seen_as_its_table(tmp_path, visits):
    of_file = by_name(sh.profile(real_files.write_visits(tmp_path / "visits.csv")))
    assert {name: each.role for name, each in of_file.items()} == {
        name: each.role for name, each in visits.items()
    }


def test_roles_of_the_hospital(hospital):
    assert hospital["Name"].role == "identifier"
    assert hospital["Versichertennummer"].role == "identifier"
    assert hospital["Bemerkung"].role == "drop"
    kept = [name for name, column in hospital.items() if column.role not in ("identifier", "drop")]
    assert kept == [name for name in hospital if name not in ("Name", "Versichertennummer", "Bemerkung")]


def test_numbers_and_dates_of_the_hospital(hospital):
    assert {hospital[name].kind for name in ("Gewicht", "Größe")} == {"number"}
    assert {hospital[name].kind for name in ("Geburtsdatum", "Aufnahme")} == {"date"}
    assert hospital["PLZ"].kind == "category"
    assert not hospital["Aufnahme"].ambiguous


def test_a_comma_is_decimal_and_days_come_first(tmp_path):
    columns = by_name(sh.profile(real_files.stays().write_csv(tmp_path / "Aufnahmen.csv")))
    assert columns["Gewicht"].decimal == ","
    assert {columns[name].date_format for name in ("Geburtsdatum", "Aufnahme")} == {"%d.%m.%Y"}


def test_the_release_is_verified(released):
    done = shoal("verify", released / "published.csv", "--certificate", released / "certificate.json")
    assert done.code == 0, done.err


def test_no_name_number_or_remark_is_published(released):
    text = text_of(released / "published.csv")
    stays = real_files.stays()
    for column in ("Name", "Versichertennummer", "Bemerkung"):
        shown = [cell for cell in real_files.texts_of(stays.values(column)) if cell in text]
        assert shown == [], column
    for names in (real_files.FAMILIES, *real_files.GIVEN.values(), real_files.BEMERKT):
        assert [name for name in names if name in text] == []


@pytest.mark.parametrize("column", ["Gewicht", "Größe"])
def test_ranges_go_up_and_are_of_bodies(released, column):
    for cell in set(published_cells(released, column)):
        bounds = [float(number.replace(",", ".")) for number in NUMBER.findall(cell)]
        assert len(bounds) <= 2, cell
        assert bounds == sorted(bounds), cell
        assert all(0 <= bound <= 300 for bound in bounds), cell


def test_published_months_are_those_that_were(released):
    true = {(day.year, day.month) for day in real_files.stays().values("Aufnahme")}
    cells = set(published_cells(released, "Aufnahme"))
    assert {(int(year), int(month)) for cell in cells for year, month in MONTH.findall(cell)} <= true


@pytest.mark.parametrize("column", ["Geburtsdatum", "Aufnahme"])
def test_published_dates_are_generalized_as_dates(released, column):
    cells = set(published_cells(released, column))
    assert all(1930 <= int(year) <= 2030 for cell in cells for year in YEAR.findall(cell))
    assert not any(re.search(r"\d\.\d\d\.", cell) for cell in cells)


def test_unknown_is_missing_and_no_bound_of_a_range(released):
    weights = published_cells(released, "Gewicht")
    assert not any(real_files.UNKNOWN in cell and NUMBER.search(cell) for cell in weights)
