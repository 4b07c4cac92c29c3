"""Words of many languages that cells of messy tables are made of; English where there are none."""

from __future__ import annotations

from collections.abc import Mapping

Words = Mapping[str, tuple[str, ...]]


def by_language(lines: str) -> dict[str, tuple[str, ...]]:
    """`de: a, b` on each line."""
    pairs = (line.split(":", 1) for line in lines.strip().splitlines())
    return {language.strip(): tuple(word.strip() for word in words.split(",")) for language, words in pairs}


def words_in(line: str) -> tuple[str, ...]:
    return tuple(line.split())


SEX = by_language("""
en: male, female
de: männlich, weiblich
fr: homme, femme
es: hombre, mujer
it: maschio, femmina
pt: masculino, feminino
nl: man, vrouw
sv: man, kvinna
da: mand, kvinde
no: mann, kvinne
fi: mies, nainen
pl: mężczyzna, kobieta
cs: muž, žena
hu: férfi, nő
ro: bărbat, femeie
el: άνδρας, γυναίκα
tr: erkek, kadın
ru: мужской, женский
uk: чоловіча, жіноча
hr: muško, žensko
sk: muž, žena
bg: мъж, жена
ja: 男性, 女性
zh: 男, 女
ko: 남성, 여성
sl: moški, ženska
lt: vyras, moteris
et: mees, naine
lv: vīrietis, sieviete
""")

YES_NO = by_language("""
en: yes, no
de: ja, nein
fr: oui, non
es: sí, no
it: sì, no
pt: sim, não
nl: ja, nee
sv: ja, nej
da: ja, nej
no: ja, nei
fi: kyllä, ei
pl: tak, nie
cs: ano, ne
hu: igen, nem
ro: da, nu
el: ναι, όχι
tr: evet, hayır
ru: да, нет
uk: так, ні
hr: da, ne
sk: áno, nie
bg: да, не
ja: はい, いいえ
zh: 是, 否
ko: 예, 아니오
sl: da, ne
lt: taip, ne
et: jah, ei
lv: jā, nē
""")

UNKNOWN = by_language("""
en: unknown
de: unbekannt
fr: inconnu
es: desconocido
it: sconosciuto
pt: desconhecido
nl: onbekend
sv: okänd
da: ukendt
no: ukjent
fi: tuntematon
pl: nieznany
cs: neznámý
hu: ismeretlen
ro: necunoscut
el: άγνωστο
tr: bilinmiyor
ru: неизвестно
uk: невідомо
hr: nepoznato
sk: neznáme
bg: неизвестно
ja: 不明
zh: 未知
ko: 미상
sl: neznano
lt: nežinoma
et: teadmata
lv: nezināms
""")

MARITAL = by_language("""
en: single, married, divorced, widowed
de: ledig, verheiratet, geschieden, verwitwet
fr: célibataire, marié(e), divorcé(e), veuf/veuve
es: soltero, casado, divorciado, viudo
it: celibe, coniugato, divorziato, vedovo
pt: solteiro, casado, divorciado, viúvo
nl: ongehuwd, gehuwd, gescheiden, verweduwd
sv: ogift, gift, skild, änka/änkling
da: ugift, gift, skilt, enke/enkemand
fi: naimaton, naimisissa, eronnut, leski
pl: kawaler, żonaty, rozwiedziony, wdowiec
cs: svobodný, ženatý, rozvedený, ovdovělý
tr: bekar, evli, boşanmış, dul
ru: холост, женат, разведён, вдовец
ja: 未婚, 既婚, 離婚, 死別
zh: 未婚, 已婚, 离异, 丧偶
""")

EDUCATION = by_language("""
en: primary, lower secondary, upper secondary, bachelor, master, doctorate
de: Hauptschule, Realschule, Abitur, Bachelor, Master, Promotion
fr: brevet, CAP/BEP, baccalauréat, licence, master, doctorat
es: primaria, ESO, bachillerato, grado, máster, doctorado
it: licenza media, diploma, laurea triennale, laurea magistrale, dottorato
nl: basisonderwijs, vmbo, havo, vwo, hbo, wo
pl: podstawowe, zawodowe, średnie, wyższe
ru: начальное, среднее, среднее специальное, высшее
zh: 小学, 初中, 高中, 本科, 硕士, 博士
""")

LIKERT = by_language("""
en: strongly disagree, disagree, neutral, agree, strongly agree
de: stimme gar nicht zu, stimme nicht zu, teils/teils, stimme zu, stimme voll zu
fr: pas du tout d'accord, pas d'accord, neutre, d'accord, tout à fait d'accord
es: muy en desacuerdo, en desacuerdo, neutral, de acuerdo, muy de acuerdo
it: per niente, poco, abbastanza, molto
sv: instämmer inte alls, instämmer inte, varken eller, instämmer, instämmer helt
ja: 全くそう思わない, そう思わない, どちらでもない, そう思う, とてもそう思う
""")

SYMPTOMS = by_language("""
en: cough, fever, headache, nausea, rash, fatigue, dizziness, chest pain, insomnia, back pain
de: Husten, Fieber, Kopfschmerz, Übelkeit, Ausschlag, Müdigkeit, Schwindel, Brustschmerz, Schlaflosigkeit
fr: toux, fièvre, céphalée, nausée, éruption, fatigue, vertige, insomnie, lombalgie
es: tos, fiebre, cefalea, náuseas, erupción, fatiga, mareo, insomnio, lumbalgia
ru: кашель, лихорадка, головная боль, тошнота, сыпь, усталость, бессонница
ja: 咳, 発熱, 頭痛, 吐き気, 発疹, 疲労, めまい, 不眠
""")

DEPARTMENTS = by_language("""
en: Cardiology, Surgery, Paediatrics, Oncology, Neurology, Emergency, Radiology, Urology
de: Kardiologie, Chirurgie, Pädiatrie, Onkologie, Neurologie, Notaufnahme, Radiologie, Urologie
fr: Cardiologie, Chirurgie, Pédiatrie, Oncologie, Neurologie, Urgences, Radiologie
es: Cardiología, Cirugía, Pediatría, Oncología, Neurología, Urgencias, Radiología
it: Cardiologia, Chirurgia, Pediatria, Oncologia, Neurologia, Pronto soccorso
pl: Kardiologia, Chirurgia, Pediatria, Onkologia, Neurologia, Radiologia
ru: Кардиология, Хирургия, Педиатрия, Онкология, Неврология, Радиология
zh: 心内科, 外科, 儿科, 肿瘤科, 神经科, 急诊科
""")

REMARKS = by_language("""
en: complains of pain since last week, sleeps badly, lives alone since the divorce, wants a second opinion,\
 was brought by her neighbour, no known allergies, takes the tablets irregularly, control in two weeks,\
 afraid of the operation, works night shifts at the harbour, smokes a pack a day,\
 blood pressure too high again
de: klagt seit letzter Woche über Schmerzen, schläft schlecht, lebt seit der Scheidung allein,\
 wünscht eine zweite Meinung, wurde von der Nachbarin gebracht, keine bekannten Allergien,\
 nimmt die Tabletten unregelmäßig, Kontrolle in zwei Wochen, hat Angst vor der Operation
fr: se plaint de douleurs depuis une semaine, dort mal, vit seule depuis le divorce,\
 souhaite un second avis, pas d'allergie connue, contrôle dans deux semaines, craint l'opération
es: se queja de dolor desde hace una semana, duerme mal, vive sola desde el divorcio,\
 pide una segunda opinión, sin alergias conocidas, control en dos semanas, teme la operación
""")

# Where Faker makes up names of towns from family names, or has those of another country.
CITIES = by_language("""
en_US: New York, Chicago, Houston, Phoenix, Philadelphia, San Antonio, San Diego, Dallas, Austin, Columbus,\
 Charlotte, Indianapolis, Seattle, Denver, Boston, Nashville, Detroit, Portland, Memphis, Baltimore
en_GB: London, Birmingham, Leeds, Glasgow, Sheffield, Bradford, Liverpool, Edinburgh, Manchester, Bristol,\
 Cardiff, Leicester, Coventry, Nottingham, Newcastle upon Tyne, Sunderland, Brighton, Hull, Plymouth
fr_FR: Paris, Marseille, Lyon, Toulouse, Nice, Nantes, Montpellier, Strasbourg, Bordeaux, Lille, Rennes,\
 Reims, Saint-Étienne, Toulon, Le Havre, Grenoble, Dijon, Angers, Nîmes, Clermont-Ferrand
pt_BR: São Paulo, Rio de Janeiro, Brasília, Salvador, Fortaleza, Belo Horizonte, Manaus, Curitiba, Recife,\
 Goiânia, Belém, Porto Alegre, Guarulhos, Campinas, São Luís, Maceió, Natal, Teresina
no_NO: Oslo, Bergen, Trondheim, Stavanger, Drammen, Fredrikstad, Kristiansand, Sandnes, Tromsø, Sarpsborg,\
 Skien, Ålesund, Sandefjord, Haugesund, Tønsberg, Moss, Porsgrunn, Bodø, Arendal, Hamar
hu_HU: Budapest, Debrecen, Szeged, Miskolc, Pécs, Győr, Nyíregyháza, Kecskemét, Székesfehérvár, Szombathely,\
 Szolnok, Tatabánya, Kaposvár, Érd, Veszprém, Békéscsaba, Zalaegerszeg, Sopron, Eger
tr_TR: İstanbul, Ankara, İzmir, Bursa, Antalya, Adana, Konya, Gaziantep, Şanlıurfa, Mersin, Diyarbakır,\
 Kayseri, Samsun, Denizli, Eskişehir, Trabzon, Malatya, Erzurum, Sakarya
ru_RU: Москва, Санкт-Петербург, Новосибирск, Екатеринбург, Казань, Нижний Новгород, Челябинск, Самара, Омск,\
 Ростов-на-Дону, Уфа, Красноярск, Воронеж, Пермь, Волгоград, Саратов, Тюмень, Томск
uk_UA: Київ, Харків, Одеса, Дніпро, Донецьк, Запоріжжя, Львів, Кривий Ріг, Миколаїв, Вінниця, Херсон,\
 Полтава, Чернігів, Черкаси, Житомир, Суми, Рівне, Тернопіль, Луцьк
bg_BG: София, Пловдив, Варна, Бургас, Русе, Стара Загора, Плевен, Сливен, Добрич, Шумен, Перник, Хасково,\
 Ямбол, Пазарджик, Благоевград, Велико Търново, Враца, Габрово
lt_LT: Vilnius, Kaunas, Klaipėda, Šiauliai, Panevėžys, Alytus, Marijampolė, Mažeikiai, Jonava, Utena
et_EE: Tallinn, Tartu, Narva, Pärnu, Kohtla-Järve, Viljandi, Rakvere, Maardu, Kuressaare, Sillamäe
lv_LV: Rīga, Daugavpils, Liepāja, Jelgava, Jūrmala, Ventspils, Rēzekne, Valmiera, Ogre, Tukums
""")

REGIONS = by_language("""
no_NO: Oslo, Viken, Innlandet, Vestfold, Telemark, Agder, Rogaland, Vestland, Trøndelag, Nordland, Troms
tr_TR: Marmara, Ege, Akdeniz, İç Anadolu, Karadeniz, Doğu Anadolu, Güneydoğu Anadolu
uk_UA: Київська область, Львівська область, Одеська область, Харківська область, Полтавська область
bg_BG: Софийска, Пловдивска, Варненска, Бургаска, Русенска, Старозагорска
lt_LT: Aukštaitija, Žemaitija, Dzūkija, Suvalkija
et_EE: Harjumaa, Tartumaa, Pärnumaa, Ida-Virumaa, Saaremaa
lv_LV: Kurzeme, Zemgale, Vidzeme, Latgale
""")

ICD10 = words_in(
    "I10 E11.9 J45.0 M54.5 F32.1 K21.0 N39.0 J06.9 I25.1 E78.5 C50.9 G43.0 H52.1 L20.9 R51 S72.0 Z38.0 J18.9"
    " I48.0 E03.9 F41.1 K35.8 N18.3 O80 C34.1 G20 M17.1 B34.9 D50.9 A09"
)
ATC = words_in(
    "A10BA02 C09AA05 N02BE01 M01AE01 C07AB02 R03AC02 J01CA04 B01AC06 A02BC01 N06AB04 C10AA05 H03AA01 N05BA01"
    " C08CA01 L04AX03 D07AC01 R06AE07 G03AA07"
)
BLOOD = ("A+", "A-", "B+", "B-", "AB+", "AB-", "0+", "0-")
AGE_BANDS = ("<18", "18-24", "25-34", "35-44", "45-54", "55-64", "65+")
PRODUCTS = (
    "Garden",
    "Books",
    "Toys",
    "Electronics",
    "Groceries",
    "Sports",
    "Clothing",
    "Furniture",
    "Beauty",
)
CURRENCIES = ("EUR", "USD", "GBP", "CHF", "SEK", "PLN", "JPY", "CZK", "TRY")
LANGUAGES = ("en", "de", "fr", "es", "it", "pl", "tr", "ru", "ar", "zh")
GRADES = ("A", "B", "C", "D", "E", "F")
SIZES = ("XS", "S", "M", "L", "XL", "XXL")


def in_language(words: Words, locale: str) -> tuple[str, ...]:
    return words.get(locale.partition("_")[0], words["en"])
