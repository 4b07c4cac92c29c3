"""What the name of a column says, in the languages of Europe and a few others."""

import re
from enum import StrEnum
from functools import cache

from shoal.detect.vocabulary import folded


class Says(StrEnum):
    """What a column is called after."""

    PERSON = "a person's name"
    EMAIL = "an e-mail address"
    PHONE = "a telephone number"
    ADDRESS = "an address"
    NUMBER = "a number of a person or a document"
    ONLINE = "a name or an address in a network"
    TEXT = "free text"
    BIRTH = "a date of birth"
    DATE = "a date"
    POSTAL = "a postal code"
    PLACE = "a place"
    JOB = "an occupation"
    THING = "a thing or a kind of it"
    LATITUDE = "a latitude"
    LONGITUDE = "a longitude"
    AGE = "an age"
    SENSITIVE = "something that nobody should learn about a person"


# Words as they stand in a name, in lower case and without accents; `*` stands for any ending or beginning, `=` for
# nothing beside it. Earlier lines win.
_WORDS: tuple[tuple[Says, str], ...] = (
    (
        Says.EMAIL,
        "email* emails mail mails emailadres* mailadresse e_mail* courriel correo* correoelectronico sahkoposti* epost*"
        " eposta elpost* mejl email_address posta_elettronica мейл емейл имейл имэйл почта пошта メール 邮箱 이메일 电子邮件"
        " ηλεκτρονικη_διευθυνση ηλεκτρονικο_ταχυδρομειο",
    ),
    (
        Says.PHONE,
        "phone* tel telephone* telefon* telefoon* handy* handynummer mobile mobiltelefon* mobil mobilnr cell cellphone"
        " puhelin* telefono* telefone* celular cellulare gsm fax faks movil portable telnr tlf tlfnr тел телефон* мобилен"
        " 電話* 电话* 手机 携帯 전화* τηλεφωνο τηλ κινητο telefonszam",
    ),
    (
        Says.LATITUDE,
        "lat latitude latitud breitengrad breite geo_lat y_coord latitudine szelesseg широта enlem",
    ),
    (
        Says.LONGITUDE,
        "lon lng long longitude longitud langengrad laenge geo_lon geo_lng x_coord longitudine долгота boylam",
    ),
    (
        Says.POSTAL,
        "zip zipcode zip_code postal* postcode post_code postleitzahl plz codepostal code_postal cp codigo_postal cap"
        " cep kod_pocztowy psc postnr postnummer postinumero iranyitoszam cod_postal postanski_broj posta_kodu"
        " почтовый_индекс индекс поштовий_індекс пощенски_код ταχυδρομικος_κωδικας τκ 郵便番号 邮编 邮政编码 우편번호"
        " kodpocztowy codigopostal codpostal irsz smerovaci_cislo postnumber pincode",
    ),
    (
        Says.BIRTH,
        "dob birth* birthdate birthday date_of_birth geburt* gebdatum geb_dat gebdat naissance nacimiento nascita"
        " nascimento geboorte* fodelse* fodsel* fodt syntyma* urodzenia data_urodzenia narozeni szuletes* nastere nasterii"
        " rodjenja rodenja rojstva dogum* рождения народження раждане γεννησης 生年月日 出生日期 생년월일 narodenia",
    ),
    (
        Says.TEXT,
        "note notes comment* remark* bemerkung* kommentar* anmerkung* notiz* freitext beschreibung text freetext"
        " observacion* observacao observacoes observations remarque* commentaire* osservazion* annotazion* opmerking*"
        " toelichting anteckning* huomautus* huomio* uwagi uwaga poznamk* megjegyzes* observatii observatie napomen*"
        " opomb* not notlar aciklama комментар* примечан* коментар* примітк* забележк* παρατηρησ* σχολια 備考 备注 비고"
        " feedback message nachricht mensaje messaggio anamnese arztbrief befundtext narrative free_text notas nota"
        " bemaerkning* merknad* komentar* komentarz* コメント 메모 review reviews",
    ),
    (
        Says.ADDRESS,
        "address* addr adres* adresse* anschrift strasse* straße str street* direccion* calle domicilio indirizzo via"
        " endereco rua morada straat* gata gatuadress* gade vej vei osoite* katu ulica ulice cim lakcim utca adresa strada"
        " adresas adrese aadress sokak улица адрес адреса вулиця διευθυνση οδος 住所 地址 주소 wohnort_strasse rue hausnummer",
    ),
    (
        Says.ONLINE,
        "username* user_name login nick nickname handle screen_name benutzername* benutzer utilisateur usuario utente"
        " gebruiker* gebruikersnaam anvandar* brugernavn brukernavn kayttaja* uzytkownik uzivatel felhasznalo* utilizator"
        " korisnik* kullanici логин пользовател* ip ip_address ipaddress ipadresse ipv4 ipv6 mac mac_address macaddress url"
        " website homepage webseite site twitter instagram facebook linkedin device device_id geraet imei imsi cookie"
        " useragent 用户名 ユーザー名 사용자",
    ),
    (
        Says.NUMBER,
        "ssn nino nhs nhs_number mrn npi passport* passnummer pass_nr ausweis* ausweisnr personalausweis* steuer* steuerid"
        " steuernummer ust_id ustid vat vat_id vatid tin ein itin nif nie dni cif cpf cnpj rg nir insee pesel nip regon rodne*"
        " rodne_cislo rc oib jmbg emso egn cnp bsn personnummer personnr cpr cprnr fodselsnummer hetu henkilotunnus"
        " isikukood amka afm αφμ αμκα tckn tc_kimlik tc инн снилс паспорт ипн егн iban bic konto* kontonummer account*"
        " accountno bank_account creditcard credit_card card_number cardnumber card cc_number ccn kreditkarte* karte_nr"
        " kartennummer tarjeta carte_bancaire versichert* *nummer *nummeret svnr sv_nr sozialversicherung* krankenkassennr"
        " licence_plate license_plate plate kennzeichen kfz* immatriculation matricula targa kenteken registration_no"
        " nummerplade rekisterinumero tablica_rejestracyjna rendszam plaka госномер uuid guid personal_id personalid"
        " codice_fiscale partita_iva numero_securite_sociale securite_sociale social_security seguridad_social"
        " taj adoszam szemelyi* identitetskort マイナンバー 身份证* 身份证号 주민등록번호 serial serial_number fiscal_code"
        " adoazonosito medicare patient_no member_no membership_no national_id nationalid tax_id taxid identity*",
    ),
    (
        Says.JOB,
        "job* jobs occupation* beruf* profession* profesion ocupacion professione lavoro profissao beroep functie yrke"
        " stilling stillingsbetegnelse ammatti zawod povolani povolanie foglalkozas ocupatie profesie zanimanje meslek"
        " професси* должност* професія επαγγελμα 職業 职业 직업 position title_of_job",
    ),
    (
        Says.PLACE,
        "city cities town ort wohnort stadt gemeinde ville commune ciudad municipio localidad poblacion citta comune cidade"
        " localidade stad plaats woonplaats gemeente ort_name stadsdel kommun kommune by poststed paikkakunta kaupunki kunta"
        " miasto miejscowosc mesto mesto_obec obec varos telepules oras localitate grad mjesto kraj sehir il ilce город"
        " населенный_пункт місто град населено_място πολη 市区町村 都市 城市 도시 country land pays pais paese pais_origen"
        " maa kraj_pochodzenia zeme krajina orszag tara drzava ulke страна країна държава χωρα 国 国家 国籍 nationality"
        " nationalitat state province provinz bundesland region* regiao regione departement comunidad provincia kanton canton"
        " lan fylke maakunta wojewodztwo kraj_region megye judet zupanija bolge область регион νομος 都道府県 省 district bezirk"
        " county borough ward birthplace place geburtsort lieu destination origin airport station stadtteil quartier venue",
    ),
    (
        Says.THING,
        "product* produkt* produit producto prodotto artikel item items category* kategorie categorie categoria kategori*"
        " kategoria brand marke marque marca model modell type typ tipo art company firma unternehmen entreprise empresa"
        " azienda bedrijf foretag yritys spolka spolecnost ceg companie tvrtka sirket компани* фирма εταιρεια 会社 公司 회사"
        " department abteilung station_name departement service reparto servicio afdeling avdelning osasto oddzial oddeleni"
        " osztaly sectie odjel bolum отдел отделение тмима colour color farbe couleur colore kleur farg farve vari kolor"
        " language sprache langue idioma lingua taal sprak sprog kieli jezyk jazyk nyelv limba jezik dil язык мова γλωσσα"
        " species breed team club school university hospital clinic klinik carrier airline make cause drug medication"
        " medikament diagnosis diagnose* icd* atc* procedure symptom* disease weekday month currency unit status gender sex"
        " geschlecht blood* size grade education marital* familienstand",
    ),
    (
        Says.PERSON,
        "name names fullname full_name firstname first_name lastname last_name surname* forename* given_name givenname"
        " family_name familyname middle_name maiden_name nachname vorname familienname zuname geburtsname patientenname nom"
        " noms prenom prenoms nombre* apellido* nome nomi cognome sobrenome apelido naam voornaam achternaam familienaam namn"
        " fornamn efternamn fornavn efternavn etternavn navn nimi etunimi sukunimi imie imiona nazwisko nazwisko_panienskie"
        " jmeno prijmeni meno priezvisko nev keresztnev vezeteknev csaladnev utonev nume prenume ime prezime priimek vardas"
        " pavarde vards uzvards eesnimi perekonnanimi ad adi soyad soyadi isim ονομα επωνυμο ονοματεπωνυμο имя фамилия"
        " отчество фио име фамилно_име имя_отчество ім'я імя прізвище піб 氏名 名前 姓名 姓 名 이름 성명 성 מספר שם الاسم"
        " =patient =mother =father =spouse =contact contact_person ansprechpartner kontaktperson =arzt =physician =doctor =nurse"
        " =teacher =owner =author =employee =mitarbeiter =kunde =customer =client =cliente =paciente =paziente =passenger"
        " =person nombre_completo",
    ),
    (
        Says.DATE,
        "date* *datum fecha* data dato paiva* pvm dates tarih дата* ημερομηνια 日付 日期 날짜 aufnahme entlassung admission*"
        " discharge* timestamp time zeitpunkt day tag jour dia giorno dag datetime visit_date kelte idopont",
    ),
    (Says.AGE, "age alter edad eta idade leeftijd alder ika wiek vek eletkor varsta dob_age yas возраст вік ηλικια 年齢 年龄 나이"),
    (
        Says.SENSITIVE,
        "outcome result income salary wage religion party orientation hiv einkommen gehalt revenu ingreso* salario"
        " reddito stipendio inkomen lon inntekt tulot dochod plat fizetes venit зарплата доход",
    ),
)
_IDENTIFYING = re.compile(
    r"(^|_)(id|ids|nr|no|num|nummer|number|numero|num|numer|cislo|szam|numar|broj|numarasi|no|номер|αριθμος|番号|编号|번호|"
    r"key|hash|token|identifier|identifikator|identifiant|identificador|identificativo|kennung|kenn|identyfikator|azonosito|"
    r"tunnus|tunniste|pid|uid|sid|rowid|index|pk)(_|$)"
)
_OF_A_KIND = re.compile(
    r"(^|_)(type|typ|types|kind|class|group|segment|model|brand|status|category|level|count|anzahl|total|flag|year|of)(_|$)"
)
_BOUNDARY = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


@cache
def says(name: str) -> frozenset[Says]:
    """What the name of a column says, all of it."""
    joined = spelled(name)
    parts = set(joined.split("_"))
    found = {
        what
        for what, words in _WORDS
        for word in words.split()
        if _stands_in(folded(word), joined, parts)
    }
    if _IDENTIFYING.search(joined) and not _OF_A_KIND.search(joined):
        found.add(Says.NUMBER)
    if _OF_A_KIND.search(joined):
        found -= {Says.PERSON, Says.NUMBER, Says.ADDRESS, Says.PHONE, Says.ONLINE, Says.EMAIL, Says.TEXT}
        found.add(Says.THING)
    return frozenset(found)


def spelled(name: str) -> str:
    """A column's name in lower case, without accents, its words joined by `_`."""
    return re.sub(r"[\W_]+", "_", folded(_BOUNDARY.sub("_", name))).strip("_")


def is_telling(name: str) -> bool:
    """Whether a name says anything: `c1`, `column_3`, `V7` and `Unnamed: 2` do not."""
    return not re.fullmatch(
        r"(c|col|column|spalte|colonne|columna|field|feld|var|v|x|f|unnamed|unbenannt)?_?\d*", spelled(name)
    )


def _stands_in(word: str, joined: str, parts: set[str]) -> bool:
    if word.startswith("="):
        return joined == word[1:]
    if word.startswith("*"):
        return any(part.endswith(word[1:]) for part in parts)
    if word.endswith("*"):
        stem = word[:-1]
        return any(part.startswith(stem) for part in parts) or joined.startswith(stem)
    if "_" in word:
        return f"_{word}_" in f"_{joined}_"
    if not word.isascii():
        return word in joined
    return word in parts or joined == word
