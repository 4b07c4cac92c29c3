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


def test_a_sensitive_item_that_is_marked_stays_sensitive(hospital):
    rows = [f"{'a b' if i % 2 else 'a c'}{' -hiv' if i < 6 else ''}" for i in range(60)]
    columns = {"items": 'role = "quasi", kind = "set", hierarchy = { flat = true }, sensitive = ["-hiv"]'}
    promise = 'model = "km-anonymity"\nk = 5\nm = 2\nl = 2'
    content = "items\n" + "".join(f"{row}\n" for row in rows)
    assert hospital.run(content, columns, privacy=promise, output=MARKED).code == 0
    certificate = hospital.out / "certificate.json"
    assert in_process("verify", hospital.published, "--certificate", certificate).code == 0
    header, *lines = hospital.published.read_text().splitlines()
    assert any("'-hiv" in line for line in lines)
    broken = [line if "'-hiv" in line else f"'-hiv {line}" for line in lines]
    hospital.published.write_text("\n".join([header, *broken]) + "\n")
    assert in_process("verify", hospital.published, "--policy", hospital.policy).code == 1


def test_no_cell_begins_like_a_formula_whatever_stands_before_it(hospital):
    columns = {
        "items": 'role = "quasi", kind = "set", separator = "&", hierarchy = { flat = true }',
        "note": 'role = "insensitive"',
    }
    content = "items,note\n" + "+1&cmd|' /C calc'!A0,\"\n=1+1\"\n" * 20
    done = hospital.run(content, columns, privacy='model = "km-anonymity"\nk = 5\nm = 2', output=MARKED)
    assert done.code == 0, done.err
    for record in records_of(hospital.published):
        assert record == {"items": "'+1&cmd|' /C calc'!A0", "note": "'\n=1+1"}
