"""A release may keep its promise and still carry names: what looks personal is refused."""

import pyarrow as pa
import pytest

import shoal as sh
from shoal.errors import BadInput

COUNT = 200
GIVEN = ["Anna", "Jürgen", "Marta", "Piotr", "Lucía", "Jean", "Katarzyna", "Olav", "Giulia", "Dmitri"]
FAMILY = ["Müller", "Kowalski", "García", "Dupont", "Svensson", "Rossi", "Novák", "Jansen", "Nagy", "Popescu"]
AGE = sh.Quasi(hierarchy=sh.ranges(5, 10, 20))


def people(**columns):
    ages = [str(20 + n % 40) for n in range(COUNT)]
    return pa.table({"age": ages, **columns})


NAMES = [f"{GIVEN[n % 10]} {FAMILY[n * 7 // 10 % 10]}" for n in range(COUNT)]
REMARKS = [f"{GIVEN[n % 10]} came back on day {n}, still in pain and tired." for n in range(COUNT)]
ADDRESSES = [f"u{n}@example.org" for n in range(COUNT)]
ROLES = {
    "quasi": lambda **how: sh.Quasi(hierarchy=sh.flat(), **how),
    "sensitive": sh.Sensitive,
    "insensitive": sh.Insensitive,
}


def released(table, role, name="c1"):
    return sh.anonymize(sh.read(table, {"age": AGE, name: role}), sh.KAnonymity(5))


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize(
    ("values", "what"),
    [(NAMES, "names of people"), (REMARKS, "free text"), (ADDRESSES, "e-mail addresses")],
    ids=["names", "remarks", "addresses"],
)
def test_a_column_that_looks_personal_is_refused_in_every_role(role, values, what):
    with pytest.raises(BadInput, match=f"(?s)looks like {what}.*confirm = true"):
        released(people(c1=values), ROLES[role]())


@pytest.mark.parametrize("role", ROLES)
def test_it_is_published_if_somebody_says_so_and_why(role):
    for how in ({"confirm": True}, {"reason": "invented"}, {"confirm": True, "reason": "  "}):
        with pytest.raises(BadInput, match="looks like"):
            released(people(c1=NAMES), ROLES[role](**how))
    result = released(people(c1=NAMES), ROLES[role](confirm=True, reason="invented"))
    assert result.verdict.holds


def test_a_single_address_stops_the_release():
    wards = [f"ward {n % 8}" for n in range(COUNT - 1)] + ["ask a.b@example.org"]
    with pytest.raises(BadInput, match="would be published with an e-mail address in it"):
        released(people(ward=wards), sh.Insensitive(), "ward")


def test_labels_of_a_hierarchy_are_looked_at_as_well(tmp_path):
    file = tmp_path / "tree.csv"
    file.write_text("".join(f"w{n},ask.a{n // 4}@example.org,*\n" for n in range(8)))
    wards = [f"w{n % 8}" for n in range(COUNT)]
    role = sh.Quasi(hierarchy=str(file))
    thin = people(ward=wards).slice(0, 16)
    with pytest.raises(BadInput, match="e-mail address"):
        sh.anonymize(
            sh.read(thin, {"age": sh.Quasi(hierarchy=sh.flat()), "ward": role}),
            sh.KAnonymity(4),
            algorithm="mondrian",
        )


@pytest.mark.parametrize("told", ["ask 030 1234567", "room 4, (555) 123-4567", "card 4111 1111 1111 1111"])
def test_what_reaches_people_stops_a_release_inside_longer_texts(told):
    wards = [f"ward {n % 8}" for n in range(COUNT - 1)] + [told]
    with pytest.raises(BadInput, match="would be published with a"):
        released(people(ward=wards), sh.Insensitive(), "ward")
    confirmed = sh.Insensitive(confirm=True, reason="numbers of the hospital, not of people")
    assert released(people(ward=wards), confirmed, "ward").verdict.holds


def test_terms_of_disassociated_sets_are_looked_at_as_well():
    wards = [f"0{1000 + n}/12" for n in range(1_500)]  # nearly as telephone numbers are written
    baskets = [[wards[n % 1_500], wards[n * 7 % 1_500]] for n in range(3_000)]
    baskets[3].append("0171/1234567")
    data = sh.read(pa.table({"items": baskets}), {"items": sh.QuasiSet()})
    with pytest.raises(BadInput, match="a telephone number"):
        sh.anonymize(data, sh.Disassociation(k=3, m=2))


def test_items_that_reach_people_are_refused():
    baskets = [[f"u{n % 20}@example.org", f"item{n % 7}"] for n in range(COUNT)]
    data = sh.read(pa.table({"items": baskets}), {"items": sh.QuasiSet(hierarchy=sh.fanout(3))})
    with pytest.raises(BadInput, match="looks like e-mail addresses"):
        sh.anonymize(data, sh.KmAnonymity(k=3, m=2))


def test_groups_named_by_single_values_are_told():
    data = sh.read(people(), {"age": sh.Quasi(hierarchy=sh.fanout(5))})
    assert any("called by values of single records" in notice for notice in data.notices)
