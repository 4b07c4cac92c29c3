"""The papers by name, and where their figures stand."""

PAPERS = {
    "k-anon-cf": "papers.k_anon_cf",
    "km": "papers.km",
    "rt": "papers.rt",
    "lgr": "papers.lgr",
    "disassociation": "papers.disassociation",
}
