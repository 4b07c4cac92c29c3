"""How people write that they do not know."""

from collections.abc import Iterable

from shoal.detect.vocabulary import folded

# In lower case and without accents. `none` and `no` are not here: they are answers.
_TOKENS = frozenset(
    "na|n/a|n.a.|n.a|#n/a|<na>|nan|nat|null|nil|#null!|(null)|-|--|---|–|—|.|..|...|?|??|???|*missing*|missing|"
    "unknown|unk|unk.|not available|not known|not applicable|not specified|unspecified|undefined|no data|no answer|"
    "unbekannt|unbek.|keine angabe|keine angaben|k.a.|k. a.|ka|k/a|o.a.|nicht bekannt|fehlt|"
    "inconnu|inconnue|non renseigne|nr|non disponible|n.c.|nc|sans objet|manquant|"
    "desconocido|desconocida|sin dato|sin datos|s/d|no disponible|no consta|n/d|n.d.|nd|"
    "sconosciuto|sconosciuta|non noto|dato mancante|mancante|desconhecido|desconhecida|nao informado|sem dados|"
    "onbekend|niet bekend|ontbreekt|okand|okant|saknas|ej angivet|ukendt|ukjent|mangler|ikke oplyst|ikke oppgitt|"
    "tuntematon|ei tiedossa|puuttuu|nieznany|nieznana|nieznane|brak|brak danych|nie dotyczy|"
    "neznamy|nezname|neznama|neuvedeno|chybi|neuvedene|ismeretlen|nincs adat|hianyzik|necunoscut|necunoscuta|lipsa|"
    "αγνωστο|αγνωστος|δ/α|bilinmiyor|bilinmeyen|belirsiz|yok|неизвестно|неизвестен|нет данных|не указано|н/д|"
    "невідомо|немає даних|н/в|неизвестна|няма данни|nepoznato|nepoznat|nema podataka|neznano|ni podatka|"
    "nezinoma|nezinomas|nav zinams|nezinams|teadmata|puudub|不明|未知|無し|未回答|不详|没有|알 수 없음|모름|미상|없음|"
    "غير معروف|نامشخص|לא ידוע|अज्ञात".split("|")
)


def missing_tokens(texts: Iterable[str]) -> list[str]:
    """Which of some texts say that a value is missing."""
    return [text for text in texts if folded(text) in _TOKENS]
