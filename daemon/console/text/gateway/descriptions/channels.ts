/** Descriptions of settings of assets and channels in German, by the sentence of the schema. */
export const GERMAN_CHANNELS: Readonly<Record<string, string>> = {
  'Pid of the driver that serves the asset': 'pid der Verbindung des Assets',
  'Display name': 'Anzeigename',
  'Description for display': 'Beschreibung zur Anzeige',
  'Writes apply scale and offset in reverse; if false, values are sent unchanged':
    'Beim Schreiben werden Skalierung und Wert-Offset umgekehrt angewendet; bei false werden Werte unverändert gesendet',
  'Name, unique within its asset, without white space, commas and the characters # / +':
    'Name, eindeutig im Asset, ohne Leerraum, Kommas und die Zeichen # / +',
  'Direction: READ, WRITE or READ_WRITE': 'Richtung: READ, WRITE oder READ_WRITE',
  'Value type in the REST API; INTEGER has 32 bits, LONG 64':
    'Werttyp in der REST-API; INTEGER hat 32 Bit, LONG 64',
  'Arithmetic used to apply scale and offset': 'Rechenart für Skalierung und Wert-Offset',
  'Factor from the raw value to the value: raw × scale + offset; not 0':
    'Faktor vom Rohwert zum Wert: Rohwert × Faktor + Wert-Offset; nicht 0',
  'Summand from the raw value to the value: raw × scale + offset':
    'Wird zum skalierten Rohwert addiert: Rohwert × Faktor + Wert-Offset',
  'Raw values, before scale and offset, that mean "not available"':
    'Rohwerte, vor Skalierung und Wert-Offset, die „nicht verfügbar“ bedeuten',
  'Scale that the device provides; multiplied by valueScale':
    'Faktor, den das Gerät liefert; wird mit valueScale multipliziert',
  'Name of the channel of the same asset that contains the scale':
    'Name des Kanals desselben Assets, der den Faktor enthält',
  'Address of the scale, if it is no channel': 'Adresse des Faktors, falls er kein Kanal ist',
  'Meaning of the scale: EXPONENT of ten, raw × 10^scale, or FACTOR, raw × scale':
    'Bedeutung des gelieferten Werts: EXPONENT zur Basis 10, Rohwert × 10^Wert, oder FACTOR, Rohwert × Wert',
  'Engineering unit, for display': 'Physikalische Einheit, zur Anzeige',
  'Names of values, shown with the values and accepted in writes':
    'Namen von Werten, zu den Werten angezeigt und beim Schreiben angenommen',
  'Limits and conditions of a write, and its verification':
    'Grenzen und Bedingungen eines Schreibvorgangs und seine Prüfung',
  'Smallest value to send, in the unit of the channel':
    'Kleinster Wert, der gesendet wird, in der Einheit des Kanals',
  'Largest value to send, in the unit of the channel':
    'Größter Wert, der gesendet wird, in der Einheit des Kanals',
  'Maximum difference between the current value and the value to send':
    'Höchste Differenz zwischen dem aktuellen und dem zu sendenden Wert',
  'Maximum change per second since the last write of any client':
    'Höchste Änderung pro Sekunde seit dem letzten Schreibvorgang eines beliebigen Clients',
  'Reads the value back; without it, the confirmation of the device is accepted':
    'Liest den Wert zurück; ohne dies genügt die Bestätigung des Geräts',
  'Maximum difference between the value read back and the value written':
    'Höchste Differenz zwischen dem zurückgelesenen und dem geschriebenen Wert',
  'Milliseconds within which the device must return the value; it is read at least once':
    'Millisekunden, in denen das Gerät den Wert liefern muss; gelesen wird mindestens einmal',
  'Conditions that must all be true when the value is sent':
    'Bedingungen, die beim Senden des Werts alle erfüllt sein müssen',
  'Pid of the asset of the condition; default: the asset of the channel':
    'pid des Assets der Bedingung; Standard: das Asset des Kanals',
  'Name of the channel that is compared': 'Name des Kanals, der verglichen wird',
  'Comparison of the channel value with "value"': 'Vergleich des Kanalwerts mit „value“',
  'Value to compare with': 'Wert, mit dem verglichen wird',
  'Maximum age of the value at the time of the write, in milliseconds; default: unlimited':
    'Höchstes Alter des Werts beim Schreiben, in Millisekunden; Standard: unbegrenzt',
  'A disabled channel is neither read nor written':
    'Ein deaktivierter Kanal wird weder gelesen noch geschrieben',
  'Unit identifier; over TCP 0 and 255 are the device itself, on serial lines 0 is a broadcast':
    'Unit-ID; über TCP sind 0 und 255 das Gerät selbst, seriell ist 0 ein Broadcast',
  'Table of the Modbus data model, or FILE_RECORDS': 'Registertyp des Modbus-Datenmodells oder FILE_RECORDS',
  'For FILE_RECORDS: number of the file': 'Bei FILE_RECORDS: Nummer der Datei',
  'Protocol address, counted from 0: 40001 in manuals is offset 0; in FILE_RECORDS the record number':
    'Protokolladresse, ab 0 gezählt: 40001 in Handbüchern ist 0; bei FILE_RECORDS die Nummer des Datensatzes',
  'Type of the value; optional for COILS and DISCRETE_INPUTS, which are BOOLEAN':
    'Typ des Werts; bei COILS und DISCRETE_INPUTS nicht nötig, sie sind BOOLEAN',
  'Order of the two bytes of each register; LITTLE_ENDIAN swaps them':
    'Bytefolge in jedem Register; LITTLE_ENDIAN vertauscht die zwei Bytes',
  'Order of the registers of a number or time; LITTLE_ENDIAN puts the low word first':
    'Wortfolge einer Zahl oder Zeit; bei LITTLE_ENDIAN niederwertiges Wort zuerst',
  'For BOOLEAN in a register: bit number, 0 is the least significant; of an array, its first bit':
    'Bei BOOLEAN in einem Register: Nummer des Bits, 0 ist das niederwertigste; bei einem Array das erste Bit',
  'For integers of one or two registers: bits that form a number of their own':
    'Bei ganzen Zahlen aus einem oder zwei Registern: Bits, die eine eigene Zahl bilden',
  'Least significant bit of the number; 0 is that of the registers':
    'Niederwertigstes Bit der Zahl; 0 ist das der Register',
  'Number of bits': 'Zahl der Bits',
  'For STRING and BYTES: length in bytes, two per register':
    'Bei STRING und BYTES: Länge in Bytes, zwei je Register',
  'For an array: number of consecutive elements; the value is a JSON array as text':
    'Bei einem Array: Zahl der Elemente hintereinander; der Wert ist ein JSON-Array als Text',
  'For STRING: character encoding; default: utf-8': 'Bei STRING: Zeichenkodierung; Standard: utf-8',
  'For STRING: fill character on writes; default: NUL':
    'Bei STRING: Füllzeichen beim Schreiben; Standard: NUL',
  'For STRING: remove trailing spaces on reads; default: true with padding SPACE':
    'Bei STRING: Leerzeichen am Ende beim Lesen entfernen; Standard: true mit padding SPACE',
  'For times: time zone of the device clock; default: UTC':
    'Bei Zeiten: Zeitzone der Geräteuhr; Standard: UTC',
  'Function codes that write the channel; default: those of the unit':
    'Funktionscodes, die den Kanal schreiben; Standard: die des Teilnehmers',
  'Write the channel in one request with adjacent values; default: as the unit':
    'Den Kanal mit benachbarten Werten in einer Anfrage schreiben; Standard: wie beim Teilnehmer',
  'NodeId, with a namespace index or namespace URI': 'NodeId, mit Index oder URI des Namensraums',
  'Method of the object; the written value is its input arguments':
    'Methode des Objekts; der geschriebene Wert sind ihre Eingangsargumente',
  'Attribute of the node': 'Attribut des Knotens',
  'Index of an array element from 0, or a range such as 0:4; one per dimension of a matrix, such as 1,2':
    'Index eines Array-Elements ab 0 oder ein Bereich wie 0:4; einer je Dimension einer Matrix, wie 1,2',
  'Path of a field of a structure, such as position.x or path[1].x':
    'Pfad eines Felds einer Struktur, wie position.x oder path[1].x',
  'Allows writes of the field; each reads the structure and writes all of its fields':
    'Erlaubt, das Feld zu schreiben; dabei wird die Struktur gelesen und mit allen Feldern geschrieben',
  'Data type of writes; default: the type reported by the server':
    'Datentyp beim Schreiben; Standard: der Typ, den der Server meldet',
  'Interval at which the server samples the value, in milliseconds; default: as requested by listeners':
    'Abstand, in dem der Server den Wert abtastet, in Millisekunden; Standard: wie von den Empfängern verlangt',
  'Maximum changes that the server queues between two reports; the oldest are dropped':
    'Höchste Zahl der Änderungen, die der Server zwischen zwei Meldungen sammelt; die ältesten entfallen',
  'Request that reads the value, with {checksum} where it has one; default: the value is taken from unrequested frames':
    'Anfrage, die den Wert liest, mit {checksum} an der Stelle der Prüfsumme; Standard: Der Wert kommt aus Frames ohne Anfrage',
  'Pattern of the frames that contain the value; default: all frames':
    'Muster der Frames, die den Wert enthalten; Standard: alle Frames',
  'Location of the value in the frame': 'Stelle des Werts im Frame',
  'Pattern with one group around the value': 'Muster mit einer Gruppe um den Wert',
  'Decimal separator of numbers': 'Dezimaltrennzeichen von Zahlen',
  'Offset of the first byte in the frame, from 0': 'Stelle des ersten Bytes im Frame, ab 0',
  'Data type of the bytes': 'Datentyp der Bytes',
  'Order of the bytes of a number or time': 'Bytefolge einer Zahl oder Zeit',
  'For STRING and BYTES: length in bytes; default: up to the end of the frame':
    'Bei STRING und BYTES: Länge in Bytes; Standard: bis zum Ende des Frames',
  'For STRING: remove trailing spaces and NUL': 'Bei STRING: Leerzeichen und NUL am Ende entfernen',
  'For times: time zone of the instrument clock; default: UTC':
    'Bei Zeiten: Zeitzone der Geräteuhr; Standard: UTC',
  'Request that writes; {value} is replaced by the value, {checksum} by the checksum':
    'Anfrage, die schreibt; {value} wird durch den Wert ersetzt, {checksum} durch die Prüfsumme',
  'For framing IEC62056_21: OBIS code of the value in the readout':
    'Bei framing IEC62056_21: OBIS-Kennzahl des Werts in der Auslesung',
  'For `obis`: device address of the meter, on a line with several; default: any meter':
    'Bei `obis`: Geräteadresse des Zählers, falls an der Schnittstelle mehrere sind; Standard: jeder Zähler',
  'For `obis`: which parentheses after the code contain the value, from 0; default: 0':
    'Bei `obis`: in welchen Klammern nach der Kennzahl der Wert ist, ab 0; Standard: 0',
  'For `obis`: unit of the value; what the meter sends is converted, kWh to Wh for example':
    'Bei `obis`: Einheit des Werts; was der Zähler sendet, wird umgerechnet, zum Beispiel kWh in Wh',
  'Decimals of a written number; default: as many as it has':
    'Nachkommastellen einer geschriebenen Zahl; Standard: so viele, wie sie hat',
  'Pattern of the response that confirms a write': 'Muster der Antwort, die einen Schreibvorgang bestätigt',
  'Pattern of the responses that refuse the request or write; default: that of the driver':
    'Muster der Antworten, die Anfrage oder Schreibvorgang ablehnen; Standard: das der Verbindung',
  'Name of the device template that provides channels; channels of the asset modify or follow them':
    'Name der Gerätevorlage, die Kanäle liefert; Kanäle des Assets ändern oder ergänzen sie',
  'Template parameters, by name': 'Parameter der Vorlage, nach Namen',
};
