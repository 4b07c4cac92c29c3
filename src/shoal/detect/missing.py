"""How people write that they do not know."""

import pyarrow as pa
import pyarrow.compute as pc

from shoal.detect.vocabulary import folded

# In lower case and without accents. `none` and `no` are not here: they are answers.
_WRITTEN = (
    "na|n/a|n.a.|n.a|#n/a|<na>|nan|nat|null|nil|#null!|(null)|-|--|---|–|—|.|..|...|?|??|???|*missing*|"
    "missing|unknown|unk|unk.|not available|not known|not applicable|not specified|unspecified|"
    "undefined|no data|no answer|unbekannt|unbek.|keine angabe|keine angaben|k.a.|k. a.|ka|k/a|o.a.|"
    "nicht bekannt|fehlt|inconnu|inconnue|non renseigne|nr|non disponible|n.c.|nc|sans objet|manquant|"
    "desconocido|desconocida|sin dato|sin datos|s/d|no disponible|no consta|n/d|n.d.|nd|sconosciuto|"
    "sconosciuta|non noto|dato mancante|mancante|desconhecido|desconhecida|nao informado|sem dados|"
    "onbekend|niet bekend|ontbreekt|okand|okant|saknas|ej angivet|ukendt|ukjent|mangler|ikke oplyst|"
    "ikke oppgitt|tuntematon|ei tiedossa|puuttuu|nieznany|nieznana|nieznane|brak|brak danych|"
    "nie dotyczy|neznamy|nezname|neznama|neuvedeno|chybi|neuvedene|ismeretlen|nincs adat|hianyzik|"
    "necunoscut|necunoscuta|lipsa|αγνωστο|αγνωστος|δ/α|bilinmiyor|bilinmeyen|belirsiz|yok|неизвестно|"
    "неизвестен|нет данных|не указано|н/д|невідомо|немає даних|н/в|неизвестна|няма данни|nepoznato|"
    "nepoznat|nema podataka|neznano|ni podatka|nezinoma|nezinomas|nav zinams|nezinams|teadmata|puudub|"
    "不明|未知|無し|未回答|不详|没有|알 수 없음|모름|미상|없음|غير معروف|نامشخص|לא ידוע|अज्ञात"
)
MISSING_WORDS = frozenset(_WRITTEN.split("|"))

_WORDS = pa.array(sorted(MISSING_WORDS), type=pa.string())
_FIRST = 2_000
_FEWEST_CODES = 3


def missing_tokens(texts: pa.StringArray) -> list[str]:
    """Which of some texts say that a value is missing; with other accents than usual only among the first."""
    plainly = texts.filter(pc.is_in(pc.utf8_lower(texts), value_set=_WORDS)).to_pylist()
    first = [text for text in texts.slice(0, _FIRST).to_pylist() if folded(text) in MISSING_WORDS]
    found = list(dict.fromkeys((*plainly, *first)))
    return [token for token in found if not _is_one_of_many_codes(token, texts)]


def _is_one_of_many_codes(token: str, texts: pa.StringArray) -> bool:
    """Whether most other values are as many capital letters: `ND` and `NC` are states, and `NA` a country."""
    if not (token.isalpha() and token.isupper() and token.isascii()):
        return False
    alike = pc.mean(pc.match_substring_regex(texts, f"^[A-Z]{{{len(token)}}}$").cast(pa.float64())).as_py()
    return len(texts) > _FEWEST_CODES and alike > 0.8
