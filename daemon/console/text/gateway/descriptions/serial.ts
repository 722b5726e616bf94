/** Descriptions of settings of serial interfaces and instruments in German, by the sentence of the schema. */
export const GERMAN_SERIAL: Readonly<Record<string, string>> = {
  'Path of the serial line, preferably under /dev/serial/by-id':
    'Pfad der seriellen Schnittstelle, möglichst unter /dev/serial/by-id',
  'Speed of the line, in bits per second': 'Baudrate der Schnittstelle, in Bit pro Sekunde',
  'Bits per second': 'Bit pro Sekunde',
  'Parity bit of each character': 'Paritätsbit jedes Zeichens',
  'Parity bit of a character': 'Paritätsbit eines Zeichens',
  'Stop bits of each character; default: 1 with parity, 2 without':
    'Stoppbits jedes Zeichens; Standard: 1 mit Parität, 2 ohne',
  'Stop bits of a character': 'Stoppbits eines Zeichens',
  'Data bits of each character': 'Datenbits jedes Zeichens',
  'Data bits of a character': 'Datenbits eines Zeichens',
  'RS-485 mode of the line, controlled by its kernel driver':
    'RS-485-Modus der Schnittstelle, gesteuert von ihrem Kernel-Treiber',
  'false disables the RS-485 mode of the line': 'false schaltet den RS-485-Modus der Schnittstelle aus',
  'Level of RTS while sending; inverted while receiving':
    'Pegel von RTS beim Senden; beim Empfangen umgekehrt',
  'Pause between the change of RTS and the first character':
    'Pause zwischen dem Wechsel von RTS und dem ersten Zeichen',
  'Pause between the last character and the change of RTS':
    'Pause zwischen dem letzten Zeichen und dem Wechsel von RTS',
  'Receive while sending, as four wires allow':
    'Beim Senden auch empfangen, was mit vier Drähten möglich ist',
  'Enable the bus termination': 'Abschlusswiderstand einschalten',
  'Flow control: none, or RTS and CTS': 'Flusssteuerung: keine oder RTS und CTS',
  'Flow control: none, RTS and CTS, or XON and XOFF': 'Flusssteuerung: keine, RTS und CTS oder XON und XOFF',
  'Character encoding of texts': 'Zeichenkodierung von Texten',
  'Framing of received bytes': 'Einteilung der empfangenen Bytes in Frames',
  'A delimiter ends each frame and is not part of it':
    'Ein Trennzeichen beendet jeden Frame und gehört nicht dazu',
  'The delimiter, with escapes such as \\r\\n, or hex:0d 0a':
    'Das Trennzeichen, mit Escapes wie \\r\\n, oder hex:0d 0a',
  'All frames have the same length': 'Alle Frames sind gleich lang',
  'Length of a frame in bytes': 'Länge eines Frames in Bytes',
  'Silence on the line ends a frame': 'Eine Sendepause beendet einen Frame',
  'Silence that ends a frame, in milliseconds': 'Sendepause, die einen Frame beendet, in Millisekunden',
  'A field in each frame contains its length': 'Ein Feld in jedem Frame enthält seine Länge',
  'Bytes before the length field': 'Bytes vor dem Längenfeld',
  'Bytes of the length field': 'Bytes des Längenfelds',
  'Byte order of the length field': 'Bytefolge des Längenfelds',
  'Added to the field to get the number of following bytes, for example for a checksum':
    'Wird zum Feld addiert und ergibt die Zahl der folgenden Bytes, zum Beispiel für eine Prüfsumme',
  'Meters by IEC 62056-21: frames are messages and readouts':
    'Zähler nach IEC 62056-21: Frames sind Nachrichten und Auslesungen',
  'C: the gateway requests each readout (modes A, B and C); D: the meter sends without a request':
    'C: Das Gateway fordert jede Auslesung an (Modus A, B und C); D: Der Zähler sendet ohne Anfrage',
  'Speed of the first messages, or of all in mode D, in bits per second':
    'Baudrate der ersten Nachrichten, in Modus D aller, in Bit pro Sekunde',
  'Highest speed that is selected in mode C, in bits per second; default: what the meter offers':
    'Höchste Baudrate, die in Modus C gewählt wird, in Bit pro Sekunde; Standard: was der Zähler anbietet',
  'Data bits, parity and stop bits: 7, even and 1, or 8, none and 1':
    'Datenbits, Parität und Stoppbits: 7, gerade und 1, oder 8, keine und 1',
  'Second character of the sign-on in mode C, where a meter has its own; default: ?':
    'Zweites Zeichen der Anforderung in Modus C, falls der Zähler ein eigenes hat; Standard: ?',
  'Send NUL characters for 2.2 s before each sign-on in mode C, for meters with a battery':
    'In Modus C vor jeder Anforderung 2,2 s lang NUL-Zeichen senden, für Zähler mit Batterie',
  'Repetitions of a readout that was damaged': 'Wiederholungen einer beschädigten Auslesung',
  'Checksum of the frames; default: frames have none': 'Prüfsumme der Frames; Standard: keine',
  'All covered bytes combined by XOR (BCC)': 'Alle abgedeckten Bytes durch XOR verknüpft (BCC)',
  'Form of the checksum: bytes, or hexadecimal digits as text':
    'Form der Prüfsumme: Bytes oder Hexadezimalziffern als Text',
  'Bytes at the beginning of the frame that the checksum does not cover; default: none':
    'Bytes am Anfang des Frames, die die Prüfsumme nicht abdeckt; Standard: keine',
  'Text after whose first occurrence the covered bytes begin, instead of `from`':
    'Text, nach dessen erstem Vorkommen die abgedeckten Bytes beginnen, anstelle von `from`',
  'Text between the covered bytes and the checksum, not covered itself':
    'Text zwischen den abgedeckten Bytes und der Prüfsumme, selbst nicht abgedeckt',
  'Bytes between the checksum and the end of the frame':
    'Bytes zwischen der Prüfsumme und dem Ende des Frames',
  'The checksum follows the delimiter of the framing and covers it':
    'Die Prüfsumme folgt auf das Trennzeichen und deckt es mit ab',
  'Repetitions of a read request after a damaged answer':
    'Wiederholungen einer Leseanfrage nach einer beschädigten Antwort',
  'Sum of the covered bytes modulo 256': 'Summe der abgedeckten Bytes modulo 256',
  'Negated sum of the covered bytes modulo 256 (LRC)':
    'Negierte Summe der abgedeckten Bytes modulo 256 (LRC)',
  'Cyclic redundancy check of 8 bits': 'CRC mit 8 Bit',
  'Cyclic redundancy check of 16 bits': 'CRC mit 16 Bit',
  'Generator polynomial without its highest power, highest power first':
    'Generatorpolynom ohne die höchste Potenz, höchste Potenz zuerst',
  'Initial value of the register': 'Startwert des CRC-Registers',
  'Bytes are processed lowest bit first, as most serial lines do':
    'Bytes werden mit dem niederwertigsten Bit zuerst verarbeitet, wie meist bei seriellen Schnittstellen',
  'Value that is combined with the result by XOR': 'Wert, der durch XOR mit dem Ergebnis verknüpft wird',
  'Order of the two bytes of the checksum': 'Bytefolge der Prüfsumme',
  'Pattern of the responses with which the instrument refuses a request or write':
    'Muster der Antworten, mit denen das Gerät eine Anfrage oder einen Schreibvorgang ablehnt',
  'Maximum frame length in bytes; longer frames are discarded':
    'Höchste Länge eines Frames in Bytes; längere werden verworfen',
  'Longest wait for one response or the next unrequested frame, in milliseconds':
    'Längste Wartezeit auf eine Antwort oder den nächsten Frame ohne Anfrage, in Millisekunden',
  'Pause between a response and the next request, in milliseconds':
    'Pause zwischen einer Antwort und der nächsten Anfrage, in Millisekunden',
};
