"""A formula in the data does not reach the spreadsheet of whoever opens the published file."""

from tests.cli.commands import in_process, records_of

FORMULA = '=HYPERLINK("http://evil.example";"open me")'
DATA = "age,sex,ill\n" + "".join(
    f"{20 + i % 7},{'fm'[i % 2]},{'a' if i % 2 else '-2+3'}\n" for i in range(12)
)
WITH_FORMULA = DATA + '23,f,"' + FORMULA.replace('"', '""') + '"\n'
MARKED = "neutralize_formulas = true"
MONDRIAN = 'name = "mondrian"'


def ills(hospital) -> set[str]:
    return {record["ill"] for record in records_of(hospital.published)}


def test_formulas_stay_unless_asked(hospital):
    assert hospital.run(WITH_FORMULA, algorithm=MONDRIAN).code == 0
    assert FORMULA in ills(hospital)


def test_formulas_are_marked_on_request_and_the_file_still_passes(hospital):
    done = hospital.run(WITH_FORMULA, algorithm=MONDRIAN, output=MARKED)
    assert done.code == 0, done.err
    assert ills(hospital) == {"a", "'-2+3", "'" + FORMULA}
    certificate = hospital.out / "certificate.json"
    checked = in_process(
        "verify", hospital.published, "--policy", hospital.policy, "--certificate", certificate
    )
    assert checked.code == 0, checked.err


def test_a_form_without_spreadsheet_formulas_refuses_the_option(hospital):
    done = hospital.run(DATA, output=f'path = "published.parquet"\n{MARKED}')
    assert done.code == 2
    assert "delimited text only" in done.err
