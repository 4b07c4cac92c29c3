"""Names of columns: local, English, misleading or none."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Literal

Header = Literal["local", "english", "misleading", "none"]
HEADERS: tuple[Header, ...] = ("local", "english", "misleading", "none")

ENGLISH = {
    "given name": ("first_name", "FirstName", "given_name", "fname", "Forename"),
    "family name": ("last_name", "LastName", "surname", "lname", "Family name"),
    "full name": ("name", "full_name", "PatientName", "Name", "contact_name"),
    "e-mail": ("email", "E-Mail", "email_address", "EMAIL", "mail"),
    "phone": ("phone", "tel", "PhoneNumber", "mobile", "phone_no"),
    "national id": ("ssn", "national_id", "SSN", "NationalID", "personal_number"),
    "tax id": ("tax_id", "TIN", "taxNumber", "tax_no"),
    "VAT id": ("vat_id", "VAT", "vatNumber", "VAT no."),
    "IBAN": ("iban", "IBAN", "bank_account", "accountIban"),
    "credit card": ("credit_card", "card_number", "CardNo", "cc_number"),
    "document number": ("passport_no", "PassportNumber", "id_card", "document_number"),
    "IPv4": ("ip", "ip_address", "IP", "client_ip"),
    "IPv6": ("ip", "ip_address", "ipv6", "remote_addr"),
    "MAC": ("mac", "mac_address", "MAC"),
    "personal page": ("website", "homepage", "url", "profile_url"),
    "UUID": ("uuid", "user_uuid", "person_guid", "GUID"),
    "street address": ("street", "address", "street_address", "addr", "AddressLine1"),
    "full address": ("address", "full_address", "home_address", "Address"),
    "licence plate": ("license_plate", "plate", "car_plate", "registration_no"),
    "user name": ("username", "login", "user_name", "UserName"),
    "device id": ("device_id", "deviceId", "imei_hash", "DEVICE"),
    "long patient number": ("patient_id", "pat_nr", "MRN", "PatientID", "patient_no"),
    "prefixed patient number": ("patient_id", "pat_id", "case_number", "PATIENT_NO"),
    "running patient number": ("patient_id", "id", "pat_nr", "ID", "person_id"),
    "coordinates": ("coordinates", "location", "latlong", "gps"),
    "handle": ("twitter", "handle", "social_media", "instagram"),
    "note": ("note", "notes", "description", "free_text"),
    "remark": ("remarks", "remark", "clinical_notes", "Remark"),
    "comment": ("comment", "comments", "Comment", "feedback"),
    "sex": ("sex", "gender", "SEX", "Gender"),
    "birth date": ("dob", "DOB", "birth_date", "DateOfBirth", "born"),
    "date": ("visit_date", "date", "admission_date", "AdmDate", "discharged_on"),
    "date and time": ("timestamp", "visited_at", "created_at", "AdmissionTime"),
    "written date": ("visit_date", "date", "date_of_visit"),
    "Excel date": ("visit_date", "admission_date", "DateOfBirth"),
    "ambiguous date": ("visit_date", "date", "follow_up_date"),
    "postal code": ("zip", "postcode", "postal_code", "ZIP"),
    "income": ("income", "salary", "annual_income", "GrossIncome"),
    "boolean": ("smoker", "insured", "consent", "is_active"),
    "set of symptoms": ("symptoms", "findings", "Symptoms"),
    "latitude": ("lat", "latitude"),
    "longitude": ("lon", "longitude", "lng"),
    "diagnosis": ("diagnosis", "icd10", "ICD", "main_diagnosis"),
    "count": ("children", "visits", "n_items", "count"),
}

_LOCAL = {
    "de": """given name=Vorname; family name=Nachname; full name=Name; e-mail=E-Mail-Adresse; phone=Telefon;
        national id=Versichertennummer; tax id=Steuernummer; VAT id=USt-IdNr; credit card=Kreditkartennummer;
        document number=Ausweisnummer; IPv4=IP-Adresse; street address=Straße; full address=Anschrift;
        licence plate=Kennzeichen; user name=Benutzername; device id=Geräte-ID;
        long patient number=Patientennummer; prefixed patient number=Fallnummer;
        running patient number=Pat-Nr; coordinates=Koordinaten; note=Beschreibung; remark=Bemerkung;
        comment=Kommentar; sex=Geschlecht; birth date=Geburtsdatum; date=Aufnahmedatum; written date=Datum;
        date and time=Zeitpunkt; Excel date=Aufnahmedatum; ambiguous date=Datum; postal code=PLZ; city=Ort;
        age=Alter; weight=Gewicht; height=Größe; income=Einkommen; diagnosis=Diagnose; department=Station;
        job=Beruf; marital status=Familienstand; education=Schulabschluss; country=Land; region=Bundesland;
        blood group=Blutgruppe; boolean=Raucher; set of symptoms=Symptome; year=Jahr; month=Monat;
        company=Firma""",
    "fr": """given name=Prénom; family name=Nom de famille; full name=Nom; e-mail=Courriel; phone=Téléphone;
        national id=Numéro de sécurité sociale; tax id=Numéro fiscal; credit card=Numéro de carte;
        document number=Numéro de passeport; IPv4=Adresse IP; street address=Rue; full address=Adresse;
        licence plate=Immatriculation; user name=Identifiant; long patient number=Numéro patient;
        prefixed patient number=Numéro de dossier; running patient number=N° patient; remark=Remarques;
        comment=Commentaire; note=Description; sex=Sexe; birth date=Date de naissance; date=Date d'admission;
        written date=Date; date and time=Horodatage; Excel date=Date d'admission; ambiguous date=Date;
        postal code=Code postal; city=Ville; age=Âge; weight=Poids; height=Taille; income=Revenu;
        diagnosis=Diagnostic; department=Service; job=Profession; marital status=Situation familiale;
        country=Pays; region=Région; boolean=Fumeur; set of symptoms=Symptômes; year=Année; month=Mois""",
    "es": """given name=Nombre; family name=Apellidos; full name=Nombre completo; e-mail=Correo electrónico;
        phone=Teléfono; national id=DNI; tax id=NIF; credit card=Número de tarjeta; document number=Pasaporte;
        street address=Calle; full address=Dirección; licence plate=Matrícula; user name=Usuario;
        long patient number=Número de paciente; prefixed patient number=Nº historia;
        running patient number=ID paciente; remark=Observaciones; comment=Comentarios; note=Descripción;
        sex=Sexo; birth date=Fecha de nacimiento; date=Fecha de ingreso; written date=Fecha;
        Excel date=Fecha de ingreso; ambiguous date=Fecha; postal code=Código postal; city=Ciudad; age=Edad;
        weight=Peso; height=Altura; income=Ingresos; diagnosis=Diagnóstico; department=Servicio;
        job=Profesión; marital status=Estado civil; country=País; region=Provincia; boolean=Fumador;
        set of symptoms=Síntomas; year=Año; month=Mes""",
    "it": """given name=Nome; family name=Cognome; full name=Nominativo; e-mail=Posta elettronica;
        phone=Telefono; national id=Codice fiscale; tax id=Partita IVA; document number=Carta d'identità;
        street address=Via; full address=Indirizzo; licence plate=Targa; user name=Nome utente;
        long patient number=Numero paziente; prefixed patient number=Numero cartella;
        running patient number=ID paziente; remark=Osservazioni; comment=Commenti; note=Descrizione;
        sex=Sesso; birth date=Data di nascita; date=Data di ricovero; written date=Data;
        Excel date=Data di ricovero; ambiguous date=Data; postal code=CAP; city=Città; age=Età; weight=Peso;
        height=Altezza; income=Reddito; diagnosis=Diagnosi; department=Reparto; job=Professione;
        marital status=Stato civile; country=Paese; region=Provincia; boolean=Fumatore; year=Anno""",
    "pt": """given name=Nome próprio; family name=Sobrenome; full name=Nome completo; e-mail=E-mail;
        phone=Telefone; national id=CPF; tax id=NIF; document number=Passaporte; street address=Rua;
        full address=Endereço; licence plate=Placa; user name=Usuário; long patient number=Número do paciente;
        prefixed patient number=Prontuário; running patient number=ID do paciente; remark=Observações;
        comment=Comentários; note=Descrição; sex=Sexo; birth date=Data de nascimento; date=Data de internação;
        written date=Data; Excel date=Data de internação; ambiguous date=Data; postal code=CEP; city=Cidade;
        age=Idade; weight=Peso; height=Altura; income=Renda; diagnosis=Diagnóstico; job=Profissão;
        marital status=Estado civil; country=País; region=Estado; boolean=Fumante; year=Ano""",
    "nl": """given name=Voornaam; family name=Achternaam; full name=Naam; e-mail=E-mailadres;
        phone=Telefoonnummer; national id=BSN; document number=Paspoortnummer; street address=Straat;
        full address=Adres; licence plate=Kenteken; user name=Gebruikersnaam;
        long patient number=Patiëntnummer; prefixed patient number=Dossiernummer;
        running patient number=Patiënt-ID; remark=Opmerkingen; comment=Toelichting; note=Omschrijving;
        sex=Geslacht; birth date=Geboortedatum; date=Opnamedatum; written date=Datum; Excel date=Opnamedatum;
        ambiguous date=Datum; postal code=Postcode; city=Plaats; age=Leeftijd; weight=Gewicht; height=Lengte;
        income=Inkomen; job=Beroep; marital status=Burgerlijke staat; country=Land; region=Provincie""",
    "sv": """given name=Förnamn; family name=Efternamn; full name=Namn; e-mail=E-post; phone=Telefon;
        national id=Personnummer; street address=Gata; full address=Adress; licence plate=Registreringsnummer;
        user name=Användarnamn; long patient number=Patientnummer; prefixed patient number=Journalnummer;
        running patient number=Patient-ID; remark=Anmärkning; comment=Kommentar; note=Beskrivning; sex=Kön;
        birth date=Födelsedatum; date=Inskrivningsdatum; written date=Datum; Excel date=Inskrivningsdatum;
        ambiguous date=Datum; postal code=Postnummer; city=Ort; age=Ålder; weight=Vikt; height=Längd;
        income=Inkomst; job=Yrke; marital status=Civilstånd; country=Land; region=Län""",
    "da": """given name=Fornavn; family name=Efternavn; full name=Navn; e-mail=E-mail; phone=Telefon;
        national id=CPR-nummer; street address=Vej; full address=Adresse; user name=Brugernavn;
        long patient number=Patientnummer; prefixed patient number=Journalnummer;
        running patient number=Patient-ID; remark=Bemærkninger; comment=Kommentar; sex=Køn;
        birth date=Fødselsdato; date=Indlæggelsesdato; written date=Dato; ambiguous date=Dato;
        postal code=Postnummer; city=By; age=Alder; weight=Vægt; height=Højde; income=Indkomst""",
    "no": """given name=Fornavn; family name=Etternavn; full name=Navn; e-mail=E-post; phone=Telefon;
        national id=Fødselsnummer; street address=Gate; full address=Adresse; user name=Brukernavn;
        long patient number=Pasientnummer; prefixed patient number=Journalnummer;
        running patient number=Pasient-ID; remark=Merknader; comment=Kommentar; sex=Kjønn;
        birth date=Fødselsdato; date=Innleggelsesdato; written date=Dato; ambiguous date=Dato;
        postal code=Postnummer; city=Sted; age=Alder; weight=Vekt; height=Høyde; income=Inntekt""",
    "fi": """given name=Etunimi; family name=Sukunimi; full name=Nimi; e-mail=Sähköposti; phone=Puhelin;
        national id=Henkilötunnus; street address=Katuosoite; full address=Osoite; user name=Käyttäjätunnus;
        long patient number=Potilasnumero; prefixed patient number=Potilastunnus;
        running patient number=Potilasnumero; remark=Huomautukset; comment=Kommentti; sex=Sukupuoli;
        birth date=Syntymäaika; date=Tulopäivä; written date=Päivämäärä; ambiguous date=Päivämäärä;
        postal code=Postinumero; city=Paikkakunta; age=Ikä; weight=Paino; height=Pituus; income=Tulot""",
    "pl": """given name=Imię; family name=Nazwisko; full name=Imię i nazwisko; e-mail=Adres e-mail;
        phone=Telefon; national id=PESEL; tax id=NIP; document number=Numer dowodu; street address=Ulica;
        full address=Adres; licence plate=Numer rejestracyjny; user name=Nazwa użytkownika;
        long patient number=Numer pacjenta; prefixed patient number=Numer karty;
        running patient number=ID pacjenta; remark=Uwagi; comment=Komentarz; note=Opis; sex=Płeć;
        birth date=Data urodzenia; date=Data przyjęcia; written date=Data; ambiguous date=Data;
        postal code=Kod pocztowy; city=Miasto; age=Wiek; weight=Waga; height=Wzrost; income=Dochód;
        job=Zawód; marital status=Stan cywilny; country=Kraj; region=Województwo""",
    "cs": """given name=Jméno; family name=Příjmení; full name=Celé jméno; e-mail=E-mail; phone=Telefon;
        national id=Rodné číslo; tax id=DIČ; street address=Ulice; full address=Adresa; licence plate=SPZ;
        user name=Uživatelské jméno; long patient number=Číslo pacienta;
        prefixed patient number=Číslo pojištěnce; running patient number=ID pacienta; remark=Poznámka;
        comment=Komentář; note=Popis; sex=Pohlaví; birth date=Datum narození; date=Datum přijetí;
        written date=Datum; ambiguous date=Datum; postal code=PSČ; city=Město; age=Věk; weight=Hmotnost;
        height=Výška; income=Příjem; job=Povolání; marital status=Rodinný stav; country=Země; region=Kraj""",
    "tr": """given name=Ad; family name=Soyad; full name=Ad Soyad; e-mail=E-posta; phone=Telefon;
        national id=TC Kimlik No; street address=Sokak; full address=Adres; licence plate=Plaka;
        user name=Kullanıcı adı; long patient number=Hasta numarası; prefixed patient number=Dosya no;
        running patient number=Hasta no; remark=Notlar; comment=Yorum; sex=Cinsiyet; birth date=Doğum tarihi;
        date=Yatış tarihi; written date=Tarih; ambiguous date=Tarih; postal code=Posta kodu; city=Şehir;
        age=Yaş; weight=Kilo; height=Boy; income=Gelir; job=Meslek; marital status=Medeni durum""",
    "ru": """given name=Имя; family name=Фамилия; full name=ФИО; e-mail=Эл. почта; phone=Телефон;
        national id=СНИЛС; tax id=ИНН; document number=Паспорт; street address=Улица; full address=Адрес;
        licence plate=Госномер; user name=Логин; long patient number=Номер пациента;
        prefixed patient number=Номер карты; running patient number=ID пациента; remark=Примечание;
        comment=Комментарий; note=Описание; sex=Пол; birth date=Дата рождения; date=Дата поступления;
        written date=Дата; ambiguous date=Дата; postal code=Индекс; city=Город; age=Возраст; weight=Вес;
        height=Рост; income=Доход; job=Профессия; marital status=Семейное положение; country=Страна""",
    "ja": """given name=名; family name=姓; full name=氏名; e-mail=メールアドレス; phone=電話番号;
        national id=マイナンバー; street address=番地; full address=住所; user name=ユーザー名;
        long patient number=患者番号; prefixed patient number=診察券番号; running patient number=患者ID;
        remark=備考; comment=コメント; sex=性別; birth date=生年月日; date=入院日; written date=日付;
        ambiguous date=日付; postal code=郵便番号; city=市区町村; age=年齢; weight=体重; height=身長;
        income=年収; job=職業; country=国""",
    "zh": """given name=名; family name=姓; full name=姓名; e-mail=电子邮箱; phone=电话; national id=身份证号;
        street address=街道; full address=地址; licence plate=车牌号; user name=用户名;
        long patient number=病历号; prefixed patient number=住院号; running patient number=患者编号;
        remark=备注; comment=评论; sex=性别; birth date=出生日期; date=入院日期; written date=日期;
        ambiguous date=日期; postal code=邮编; city=城市; age=年龄; weight=体重; height=身高; income=收入;
        job=职业; country=国家""",
}
LOCAL = {
    language: {
        what.strip(): name.strip()
        for what, name in (pair.split("=") for pair in " ".join(text.split()).split(";"))
    }
    for language, text in _LOCAL.items()
}

HIDING = (
    "code",
    "category",
    "type",
    "group",
    "value",
    "status",
    "label",
    "class",
    "kind",
    "field",
    "attribute",
)
ACCUSING = (
    "id_type", "name_of_product", "phone_model", "email_opt_in", "address_type", "customer_segment_id",
    "account_type", "user_group_name", "notes_count", "ip_class",
)  # fmt: skip


def column_names(
    columns: Sequence[tuple[str, str]], header: Header, locale: str, rng: random.Random
) -> list[str]:
    """Names for columns that are each (what they are, harm), all different."""
    if header == "none":
        pattern = rng.choice(("c{}", "column_{}", "V{}"))
        return [pattern.format(place + 1) for place in range(len(columns))]
    names: list[str] = []
    for what, harm in columns:
        name = _name(what, harm, header, locale, rng)
        names.append(name if name not in names else _numbered(name, names))
    return names


def _name(what: str, harm: str, header: Header, locale: str, rng: random.Random) -> str:
    if header == "misleading":
        return rng.choice(ACCUSING if harm == "harmless" else HIDING)
    local = LOCAL.get(locale.partition("_")[0], {})
    if header == "local" and what in local:
        name = local[what]
        return rng.choice((name, name, name.upper(), name.lower().replace(" ", "_")))
    if what in ENGLISH:
        return rng.choice(ENGLISH[what])
    return rng.choice((_snake, _camel, str.upper, str.title))(what)


def _snake(what: str) -> str:
    return what.lower().replace(" ", "_")


def _camel(what: str) -> str:
    return "".join(word.title() for word in what.split())


def _numbered(name: str, taken: Sequence[str]) -> str:
    return next(each for number in range(2, 99) if (each := f"{name}_{number}") not in taken)
