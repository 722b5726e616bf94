/** Descriptions of settings of Modbus and OPC UA connections in German, by the sentence of the schema. */
export const GERMAN_CONNECTIONS: Readonly<Record<string, string>> = {
  'Persistent identifier, without white space, commas and the characters # / +, not beginning with _':
    'Eindeutiger Name, ohne Leerraum, Kommas und die Zeichen # / +, nicht mit _ am Anfang',
  'Maximum duration of one read or write of an asset, including the time in the queue, in milliseconds':
    'Längste Dauer eines Lese- oder Schreibvorgangs eines Assets mit der Zeit in der Warteschlange, in Millisekunden',
  'Transport: tcp is Modbus TCP': 'Übertragung: tcp ist Modbus TCP',
  'Name or IP address of the device': 'Name oder IP-Adresse des Geräts',
  'Longest wait for the connection, in milliseconds': 'Längste Wartezeit beim Verbinden, in Millisekunden',
  'Pause between connecting and the first request, in milliseconds, for devices that ignore earlier requests':
    'Pause zwischen dem Verbinden und der ersten Anfrage, in Millisekunden, für Geräte, die frühere Anfragen nicht beachten',
  'Close the connection after this many milliseconds without a request; 0: after each read or write; default: never':
    'Verbindung nach so vielen Millisekunden ohne Anfrage trennen; 0: nach jedem Lese- oder Schreibvorgang; Standard: nie',
  'Maximum outstanding requests': 'Höchste Zahl gleichzeitig offener Anfragen',
  'Accept responses with a unit identifier other than that of the request, for devices that send them':
    'Antworten mit einer anderen Unit-ID als der der Anfrage annehmen, für Geräte, die solche senden',
  'Accept responses with any transaction identifier, for devices that send wrong ones; limits the connection to one request at a time':
    'Antworten mit jeder Transaktionsnummer annehmen, für Geräte, die falsche senden; dann ist nur eine Anfrage zugleich offen',
  'Maximum bytes to skip between two responses, for devices that send bytes that are no frame':
    'Höchste Zahl der Bytes, die zwischen zwei Antworten übergangen werden, für Geräte, die Bytes außerhalb von Frames senden',
  'Maximum retries of a read after a lost connection; writes are not retried':
    'Höchste Zahl der Wiederholungen eines Lesevorgangs nach einem Abbruch der Verbindung; Schreibvorgänge werden nicht wiederholt',
  'TCP port of the device': 'TCP-Port des Geräts',
  'Longest wait for one response, in milliseconds; on serial lines plus the transmission time':
    'Längste Wartezeit auf eine Antwort, in Millisekunden; seriell zuzüglich der Übertragungszeit',
  'Maximum number of unused addresses between two channels that one request reads over':
    'Höchste Zahl ungenutzter Adressen zwischen zwei Kanälen, die eine Anfrage mitliest',
  'Maximum registers that one request reads or writes; a read never splits a value':
    'Höchste Zahl der Register, die eine Anfrage liest oder schreibt; Lesen teilt nie einen Wert',
  'Maximum coils or discrete inputs that one request reads or writes':
    'Höchste Zahl der Coils oder Discrete Inputs, die eine Anfrage liest oder schreibt',
  'Minimum pause before a request, after the previous response and request, in milliseconds':
    'Kürzeste Pause vor einer Anfrage, nach der vorigen Antwort und Anfrage, in Millisekunden',
  'Maximum retries of a request that the unit rejected because it was busy':
    'Höchste Zahl der Wiederholungen einer Anfrage, die der Teilnehmer ablehnt, weil er beschäftigt ist',
  'Pause before each retry to a busy unit, in milliseconds':
    'Pause vor jeder Wiederholung an einen beschäftigten Teilnehmer, in Millisekunden',
  'Maximum registers that one request writes, if less than maximumRegistersPerRequest':
    'Höchste Zahl der Register, die eine Anfrage schreibt, falls weniger als maximumRegistersPerRequest',
  'Maximum coils that one request writes, if less than maximumBitsPerRequest':
    'Höchste Zahl der Coils, die eine Anfrage schreibt, falls weniger als maximumBitsPerRequest',
  'Function codes of writes: SINGLE 5 and 6, MULTIPLE 15 and 16, AUTO by the number of values':
    'Funktionscodes beim Schreiben: SINGLE 5 und 6, MULTIPLE 15 und 16, AUTO je nach Zahl der Werte',
  'Function code that reads holding registers: READ 3, READ_WRITE 23 for units that support no other':
    'Funktionscode, der Holding-Register liest: READ 3, READ_WRITE 23 für Teilnehmer, die keinen anderen unterstützen',
  'Register that each read with function code 23 overwrites with 0; default: it writes none':
    'Register, das jedes Lesen mit Funktionscode 23 mit 0 überschreibt; Standard: keines',
  'Method for single bits of registers: MASK uses function code 22, AUTO uses it if supported, else READ_MODIFY_WRITE':
    'Schreiben einzelner Bits von Registern: MASK nutzt Funktionscode 22, AUTO ebenso, falls unterstützt, sonst READ_MODIFY_WRITE',
  'Write adjacent values of one call in one request':
    'Benachbarte Werte eines Aufrufs in einer Anfrage schreiben',
  'Send a value that exceeds the largest write in several requests':
    'Einen Wert, der zu lang für eine Anfrage ist, in mehreren Anfragen senden',
  'The unit sleeps: the first request after a pause only wakes it and may be lost':
    'Der Teilnehmer schläft: Die erste Anfrage nach einer Pause weckt ihn nur und kann verloren gehen',
  'Units with their own settings': 'Teilnehmer mit eigenen Einstellungen',
  'Unit identifier': 'Unit-ID',
  'Maximum retries of a read; the transport defines what is retried':
    'Höchste Zahl der Wiederholungen eines Lesevorgangs; was wiederholt wird, bestimmt die Übertragung',
  'Transport: tcp-tls is Modbus TCP over TLS': 'Übertragung: tcp-tls ist Modbus TCP über TLS',
  'PEM file with the CA certificates that may issue the device certificate':
    'PEM-Datei mit den CA-Zertifikaten, die das Zertifikat des Geräts ausstellen dürfen',
  'PEM file with the client certificate': 'PEM-Datei mit dem Client-Zertifikat',
  'PEM file with the private key of the client certificate':
    'PEM-Datei mit dem privaten Schlüssel des Client-Zertifikats',
  'Name required in the device certificate; default: the host':
    'Name, der im Zertifikat des Geräts stehen muss; Standard: host',
  'Transport: udp is Modbus TCP frames in UDP datagrams':
    'Übertragung: udp ist Modbus-TCP-Frames in UDP-Datagrammen',
  'UDP port of the device': 'UDP-Port des Geräts',
  'Maximum retries of a read without a valid response; writes are not retried':
    'Höchste Zahl der Wiederholungen eines Lesevorgangs ohne gültige Antwort; Schreibvorgänge werden nicht wiederholt',
  'Transport: rtu-over-tcp is RTU frames over TCP, as device servers send them':
    'Übertragung: rtu-over-tcp ist RTU-Frames über TCP, wie serielle Geräteserver sie senden',
  'The adapter echoes what is sent, as some two-wire adapters do':
    'Der Adapter sendet das Gesendete zurück, wie manche Zweidrahtadapter',
  'Transport: tcp-listen is a device that connects to the gateway':
    'Übertragung: tcp-listen ist ein Gerät, das sich mit dem Gateway verbindet',
  'TCP port of the gateway to which the device connects':
    'TCP-Port des Gateways, mit dem sich das Gerät verbindet',
  'How the device is recognized: by exactly one of these':
    'Woran das Gerät erkannt wird: an genau einem davon',
  'IP address from which the device connects': 'IP-Adresse, von der aus sich das Gerät verbindet',
  'Packet that the device sends first, once; text, or hex:01 02':
    'Paket, das das Gerät zuerst sendet, einmal; Text oder hex:01 02',
  'Packet that the device sends first and between responses; text, or hex:01 02':
    'Paket, das das Gerät zuerst und zwischen Antworten sendet; Text oder hex:01 02',
  'Frames over the connection: RTU as on serial lines, MBAP as in Modbus TCP':
    'Frames auf der Verbindung: RTU wie seriell, MBAP wie bei Modbus TCP',
  'Longest wait for the device to connect, in milliseconds':
    'Längste Wartezeit, bis sich das Gerät verbindet, in Millisekunden',
  'Transport: rtu is a serial line in RTU mode':
    'Übertragung: rtu ist eine serielle Schnittstelle im RTU-Modus',
  'Transport: ascii is a serial line in ASCII mode':
    'Übertragung: ascii ist eine serielle Schnittstelle im ASCII-Modus',
  'Endpoint URL of the server: opc.tcp://host:port/path; default port: 4840':
    'Endpunkt-URL des Servers: opc.tcp://host:port/path; Standard für den Port: 4840',
  'Message security: SIGN_AND_ENCRYPT, SIGN, or NONE (unprotected)':
    'Schutz der Nachrichten: SIGN_AND_ENCRYPT, SIGN oder NONE (ungeschützt)',
  'Security algorithms; ignored with NONE': 'Verfahren des Schutzes; ohne Bedeutung bei NONE',
  'Name or IP address required in the server certificate; default: the host of the URL':
    'Name oder IP-Adresse, die im Zertifikat des Servers stehen muss; Standard: der Host der URL',
  'User name; default: anonymous': 'Benutzername; Standard: anonym',
  'Password of the user': 'Passwort des Benutzers',
  'PEM file with the user certificate, instead of a user name':
    'PEM-Datei mit dem Zertifikat des Benutzers, anstelle eines Benutzernamens',
  'PEM file with the RSA private key of the user certificate':
    'PEM-Datei mit dem privaten RSA-Schlüssel des Benutzerzertifikats',
  'Longest wait for a session, in milliseconds': 'Längste Wartezeit auf eine Sitzung, in Millisekunden',
  'Longest wait for one response, in milliseconds': 'Längste Wartezeit auf eine Antwort, in Millisekunden',
  'Time for which the server keeps an inactive session, in milliseconds':
    'Zeit, für die der Server eine unbenutzte Sitzung offen hält, in Millisekunden',
  'Interval of keep-alive requests to an idle server, in milliseconds':
    'Abstand der Keep-alive-Anfragen an einen Server ohne andere Anfragen, in Millisekunden',
  'Maximum nodes of one request; the server may have a lower limit':
    'Höchste Zahl der Knoten einer Anfrage; die Grenze des Servers kann niedriger sein',
  'Interval at which the server reports changes, in milliseconds; default: as requested by listeners':
    'Abstand, in dem der Server Änderungen meldet, in Millisekunden; Standard: wie von den Empfängern verlangt',
  'Return uncertain values, with quality UNCERTAIN, instead of failures':
    'Unsichere Werte mit der Qualität UNCERTAIN liefern, nicht als Fehler',
};
