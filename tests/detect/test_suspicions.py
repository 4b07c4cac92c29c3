import random

import pytest

from shoal.detect.look import look_at, suspicion_of
from shoal.detect.suspicion import suspicion_of_items
from tests.detect.columns import column

DRAW = random.Random(3)
GIVEN = [
    "Anna",
    "Jürgen",
    "Marta",
    "Piotr",
    "Lucía",
    "Jean",
    "Katarzyna",
    "Olav",
    "Giulia",
    "Dmitri",
    "Ayşe",
    "Erik",
    "Noor",
    "Tomáš",
    "Eva",
    "Hugo",
]
FAMILY = [
    "Müller",
    "Kowalski",
    "García",
    "Dupont",
    "Svensson",
    "Rossi",
    "Novák",
    "Jansen",
    "Nagy",
    "Popescu",
    "Ivanov",
    "Yılmaz",
    "Hansen",
    "Virtanen",
    "Costa",
    "Becker",
    "Lefèvre",
    "Martínez",
    "Bianchi",
    "Horvat",
    "Lindberg",
    "Zieliński",
    "Fischer",
    "Moreau",
]


def digits(count):
    return "".join(DRAW.choice("0123456789") for _ in range(count))


def many(make, count=200):
    return [make() for _ in range(count)]


PERSONAL = {
    "given names": many(lambda: DRAW.choice(GIVEN)),
    "family names": many(lambda: DRAW.choice(FAMILY)),
    "full names": many(lambda: f"{DRAW.choice(GIVEN)} {DRAW.choice(FAMILY)}"),
    "names the other way round": many(lambda: f"{DRAW.choice(FAMILY)}, {DRAW.choice(GIVEN)}"),
    "e-mail": many(f"{DRAW.choice(GIVEN)}.{digits(3)}@example.org".lower),
    "telephone": many(lambda: f"+49 30 {digits(7)}"),
    "telephone at home": many(lambda: f"0{digits(3)} / {digits(6)}"),
    "IP": many(lambda: f"10.{DRAW.randrange(256)}.{DRAW.randrange(256)}.{DRAW.randrange(256)}"),
    "MAC": many(lambda: ":".join(f"{DRAW.randrange(256):02x}" for _ in range(6))),
    "UUID": many(lambda: f"{DRAW.getrandbits(32):08x}-12ab-4abc-9abc-{DRAW.getrandbits(48):012x}"),
    "URL": many(lambda: f"https://example.org/~{DRAW.choice(GIVEN).lower()}{digits(2)}"),
    "social security": many(
        lambda: f"{DRAW.randrange(100, 700)}-{DRAW.randrange(10, 99)}-{DRAW.randrange(1000, 9999)}"
    ),
    "addresses": many(lambda: f"{DRAW.choice(FAMILY)}straße {DRAW.randrange(1, 200)}"),
    "plates": many(lambda: f"B-{DRAW.choice('ABCDEF')}{DRAW.choice('XYZ')} {digits(4)}"),
    "user names": many(lambda: f"{DRAW.choice(GIVEN).lower()}_{digits(3)}"),
    "patient numbers": many(lambda: f"P-{digits(6)}"),
    "long numbers": many(lambda: f"4{digits(8)}"),
    "running numbers": [str(n) for n in range(1, 301)],
    "running numbers of several rows": [f"{n}.0" for n in range(1, 211) for _ in range(4)],
    "coordinates": many(lambda: f"48.{digits(5)}, 11.{digits(5)}"),
    "remarks": many(
        lambda: (
            f"Patient {DRAW.choice(GIVEN)} was seen again, {DRAW.choice(['well', 'in pain', 'tired'])} today."
        )
    ),
}
HARMLESS = {
    "ages": many(lambda: str(DRAW.randrange(100))),
    "weights": many(lambda: f"{DRAW.uniform(40, 120):.1f}"),
    "sexes": many(lambda: DRAW.choice(["m", "w", "d"])),
    "days": many(lambda: f"{DRAW.randrange(1, 29):02d}.{DRAW.randrange(1, 13):02d}.19{digits(2)}"),
    "diagnoses": many(lambda: f"{DRAW.choice('ABCDEFGHIJ')}{digits(2)}.{digits(1)}"),
    "postal codes": many(lambda: digits(5)),
    "British postal codes": many(lambda: f"SW{DRAW.randrange(1, 20)} {digits(1)}AB"),
    "years": many(lambda: str(DRAW.randrange(1920, 2020))),
    "education": many(lambda: DRAW.choice(["none", "primary", "secondary", "bachelor", "master", "phd"])),
    "bands": many(lambda: DRAW.choice(["<18", "18-24", "25-64", "65+"])),
    "countries": many(lambda: DRAW.choice(["Deutschland", "Frankreich", "Polen", "Italien", "Spanien"])),
    "wages": many(lambda: f"{DRAW.randrange(1_000, 9_000)}.00"),
    "times": many(lambda: f"{DRAW.randrange(24):02d}:{DRAW.randrange(60):02d}"),
    "cholesterol": many(lambda: str(round(DRAW.gauss(220, 45))), 2000),
    "airports": many(lambda: "".join(DRAW.choice("ABDELMNORST") for _ in range(3))),
    "departments": many(lambda: DRAW.choice(["Chirurgie", "Innere", "Geriatrie", "Radiologie"])),
}


@pytest.mark.parametrize("what", PERSONAL)
def test_what_names_people_is_found_without_a_name_of_the_column(what):
    assert suspicion_of(column(PERSONAL[what])) is not None


@pytest.mark.parametrize("what", HARMLESS)
def test_what_names_nobody_is_not_accused(what):
    assert suspicion_of(column(HARMLESS[what])) is None


@pytest.mark.parametrize("what", PERSONAL)
def test_evidence_shows_shapes_and_no_value(what):
    suspicion = suspicion_of(column(PERSONAL[what]))
    assert suspicion is not None
    for value in set(PERSONAL[what]):
        assert len(value) < 4 or value not in suspicion.in_words()


@pytest.mark.parametrize("wrong", ['\x01839767990"', "²", "9" * 5000, "٣"])
def test_a_wrong_value_among_numbers_is_no_obstacle(wrong):
    assert suspicion_of(column([*map(str, range(1, 301)), wrong], name="n")) is not None or len(wrong) > 18


def test_each_person_may_have_many_rows():
    assert suspicion_of(column([name for name in set(PERSONAL["full names"]) for _ in range(7)])) is not None


def test_a_few_addresses_among_other_texts_are_enough():
    texts = [f"ward {n}" for n in range(40)] + [
        "write to a.b@example.org",
        "c.d@example.org",
        "x@example.org",
        "y@ex.org",
    ]
    assert suspicion_of(column(texts)) is not None


def test_a_name_alone_accuses_nothing_that_is_chosen_from_a_list():
    assert suspicion_of(column(["a", "b", "c"] * 50, "name_of_product")) is None
    assert suspicion_of(column(HARMLESS["departments"], "id_type")) is None
    regions = ["Western Europe", "Eastern Africa", "Caribbean", "Melanesia", "Central Asia", "Polynesia"]
    assert suspicion_of(column(regions * 30, "un_region_name")) is None


def test_the_order_of_bands_and_scales_is_theirs_and_not_that_of_letters():
    assert look_at(column(HARMLESS["bands"])).order == ("<18", "18-24", "25-64", "65+")
    scale = ("none", "primary", "secondary", "bachelor", "master", "phd")
    assert look_at(column(HARMLESS["education"])).order == scale
    assert look_at(column(["Mai", "März", "Januar", "Juni"])).order == ("Januar", "März", "Mai", "Juni")


def test_classifications_of_digits_are_told_by_the_name_of_their_column():
    codes = [str(DRAW.randrange(1000, 9999)) for _ in range(200)]
    assert look_at(column(codes, "ISCO-08")).prefixes == (3, 2, 1)
    assert look_at(column(codes, "steps")).kind == "number"


def test_items_of_sets_may_be_codes_but_not_addresses():
    assert suspicion_of_items(column([f"item{n}" for n in range(100)])) is None
    assert suspicion_of_items(column([f"u{n}@example.org" for n in range(100)])) is not None


def test_a_name_says_which_of_two_suspicions_it_is():
    phones = many(lambda: f"0{DRAW.choice(['351', '40', '89'])} {DRAW.randrange(10**5, 10**7)}")
    streets = many(lambda: f"{DRAW.choice(['Lindenweg', 'Mühlgasse', 'Am Anger'])} {DRAW.randrange(1, 140)}")
    assert look_at(column(phones, "Telefon")).looks_like == "telephone numbers"
    assert look_at(column(streets, "Straße")).looks_like == "street addresses"


def test_short_remarks_about_people_are_free_text_where_a_column_is_called_so():
    remarks = [f"belt terug over {family}" for family in FAMILY]
    assert suspicion_of(column(remarks * 5, "opmerking")).free_text
    answers = [f"{often} asked about it" for often in ("never", "once", "rarely", "sometimes", "often")]
    assert suspicion_of(column(answers * 100, "opmerking")) is None  # chosen from a list
