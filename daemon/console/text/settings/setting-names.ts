import { fill } from '../fill.ts';
import type { Text } from '../text.ts';

/** Names of the settings of connections, with their unit. */
const SETTING_NAMES: Readonly<Record<string, Text>> = {
  host: { en: 'Host', de: 'Host' },
  port: { en: 'Port', de: 'Port' },
  listenPort: { en: 'Port of the gateway', de: 'Port des Gateways' },
  device: { en: 'Serial port', de: 'Serielle Schnittstelle' },
  baudRate: { en: 'Baud rate (bit/s)', de: 'Baudrate (bit/s)' },
  dataBits: { en: 'Data bits', de: 'Datenbits' },
  parity: { en: 'Parity', de: 'Parität' },
  stopBits: { en: 'Stop bits', de: 'Stoppbits' },
  flowControl: { en: 'Flow control', de: 'Flusssteuerung' },
  encoding: { en: 'Character encoding', de: 'Zeichencodierung' },
  framing: { en: 'Framing', de: 'Frame-Format' },
  echo: { en: 'Echo of the adapter', de: 'Echo des Adapters' },
  callDeadlineMs: { en: 'Time limit of a call (ms)', de: 'Zeitgrenze eines Aufrufs (ms)' },
  connectTimeoutMs: { en: 'Connect timeout (ms)', de: 'Timeout beim Verbinden (ms)' },
  connectDelayMs: { en: 'Pause after connecting (ms)', de: 'Pause nach dem Verbinden (ms)' },
  closeAfterIdleMs: { en: 'Close when idle (ms)', de: 'Trennen ohne Anfragen (ms)' },
  responseTimeoutMs: { en: 'Response timeout (ms)', de: 'Antwort-Timeout (ms)' },
  requestTimeoutMs: { en: 'Request timeout (ms)', de: 'Anfrage-Timeout (ms)' },
  delayBetweenRequestsMs: { en: 'Pause between requests (ms)', de: 'Pause zwischen Anfragen (ms)' },
  retries: { en: 'Retries', de: 'Wiederholungen' },
  busyRetries: { en: 'Retries when busy', de: 'Wiederholungen bei Belegung' },
  busyDelayMs: { en: 'Pause when busy (ms)', de: 'Pause bei Belegung (ms)' },
  pipelineDepth: { en: 'Outstanding requests', de: 'Gleichzeitige Anfragen' },
  ignoreUnitIdInAnswers: { en: 'Ignore unit ID of responses', de: 'Unit-ID der Antworten ignorieren' },
  ignoreTransactionId: { en: 'Ignore transaction identifier', de: 'Transaktionsnummer ignorieren' },
  maximumStrayBytes: { en: 'Stray bytes to skip', de: 'Überlesene Bytes' },
  maximumFrameBytes: { en: 'Longest frame (bytes)', de: 'Längster Frame (Bytes)' },
  maximumGap: { en: 'Largest gap (addresses)', de: 'Größte Lücke (Adressen)' },
  maximumRegistersPerRequest: { en: 'Registers per request', de: 'Register je Anfrage' },
  maximumBitsPerRequest: { en: 'Bits per request', de: 'Bits je Anfrage' },
  maximumRegistersPerWrite: { en: 'Registers per write', de: 'Register je Schreibvorgang' },
  maximumBitsPerWrite: { en: 'Bits per write', de: 'Bits je Schreibvorgang' },
  readFunction: { en: 'Read function', de: 'Lesefunktion' },
  writeFunction: { en: 'Write function', de: 'Schreibfunktion' },
  bitWrite: { en: 'Writing single bits', de: 'Schreiben einzelner Bits' },
  joinWrites: { en: 'Join writes', de: 'Schreibvorgänge verbinden' },
  splitValues: { en: 'Split long values', de: 'Lange Werte teilen' },
  scratchOffset: { en: 'Scratch register', de: 'Register zum Überschreiben' },
  wakeUp: { en: 'Wake up the unit', de: 'Teilnehmer wecken' },
  certificateAuthoritiesFile: { en: 'CA certificates (file)', de: 'CA-Zertifikate (Datei)' },
  certificateFile: { en: 'Client certificate (file)', de: 'Client-Zertifikat (Datei)' },
  privateKeyFile: { en: 'Private key (file)', de: 'Privater Schlüssel (Datei)' },
  serverName: { en: 'Name in the certificate', de: 'Name im Zertifikat' },
  endpointUrl: { en: 'Endpoint URL', de: 'Endpunkt-URL' },
  securityMode: { en: 'Security mode', de: 'Sicherheitsmodus' },
  securityPolicy: { en: 'Security policy', de: 'Sicherheitsrichtlinie' },
  userName: { en: 'User name', de: 'Benutzername' },
  password: { en: 'Password', de: 'Passwort' },
  userCertificateFile: { en: 'User certificate (file)', de: 'Benutzerzertifikat (Datei)' },
  userPrivateKeyFile: { en: 'User private key (file)', de: 'Privater Benutzerschlüssel (Datei)' },
  sessionTimeoutMs: { en: 'Session timeout (ms)', de: 'Sitzungs-Timeout (ms)' },
  keepAliveMs: { en: 'Interval of idle requests (ms)', de: 'Anfrageintervall im Leerlauf (ms)' },
  maximumNodesPerRequest: { en: 'Nodes per request', de: 'Knoten je Anfrage' },
  publishingIntervalMs: { en: 'Publishing interval (ms)', de: 'Publishing-Intervall (ms)' },
  acceptUncertain: { en: 'Accept uncertain values', de: 'Unsichere Werte annehmen' },
  refuse: { en: 'Pattern of refusals', de: 'Muster der Ablehnungen' },
};

/** Names of choices, by the last part of the key and the value in the configuration. */
const CHOICE_NAMES: Readonly<Record<string, Text>> = {
  'table COILS': { en: 'Coils', de: 'Coils' },
  'table DISCRETE_INPUTS': { en: 'Discrete inputs', de: 'Discrete Inputs' },
  'table INPUT_REGISTERS': { en: 'Input registers', de: 'Input-Register' },
  'table HOLDING_REGISTERS': { en: 'Holding registers', de: 'Holding-Register' },
  'table FILE_RECORDS': { en: 'File records', de: 'Dateisätze' },
  'type READ': { en: 'Read only', de: 'Nur lesen' },
  'type WRITE': { en: 'Write only', de: 'Nur schreiben' },
  'type READ_WRITE': { en: 'Read and write', de: 'Lesen und schreiben' },
  'byteOrder BIG_ENDIAN': { en: 'High byte first', de: 'Höherwertiges Byte zuerst' },
  'byteOrder LITTLE_ENDIAN': { en: 'Low byte first', de: 'Niederwertiges Byte zuerst' },
  'wordOrder BIG_ENDIAN': { en: 'High word first', de: 'Höherwertiges Wort zuerst' },
  'wordOrder LITTLE_ENDIAN': { en: 'Low word first', de: 'Niederwertiges Wort zuerst' },
  'padding NUL': { en: 'Zero bytes', de: 'Nullbytes' },
  'padding SPACE': { en: 'Spaces', de: 'Leerzeichen' },
  'scaleOffsetType DEFINED_BY_VALUE_TYPE': { en: 'As the value type', de: 'Wie der Werttyp' },
  'scaleOffsetType DOUBLE': { en: 'Floating point', de: 'Gleitkommazahl' },
  'scaleOffsetType LONG': { en: 'Whole number', de: 'Ganze Zahl' },
  'kind EXPONENT': { en: 'Exponent of ten', de: 'Zehnerexponent' },
  'kind FACTOR': { en: 'Factor', de: 'Faktor' },
  'readFunction READ': { en: 'Read', de: 'Lesen' },
  'readFunction READ_WRITE': { en: 'Read and write', de: 'Lesen und schreiben' },
  'writeFunction AUTO': { en: 'Automatic', de: 'Automatisch' },
  'writeFunction SINGLE': { en: 'One value', de: 'Ein Wert' },
  'writeFunction MULTIPLE': { en: 'Several values', de: 'Mehrere Werte' },
  'bitWrite AUTO': { en: 'Automatic', de: 'Automatisch' },
  'bitWrite MASK': { en: 'Mask', de: 'Maske' },
  'bitWrite READ_MODIFY_WRITE': { en: 'Read, modify, write', de: 'Lesen, ändern, schreiben' },
  'bitWrite REFUSE': { en: 'Refuse', de: 'Ablehnen' },
  'securityMode NONE': { en: 'None', de: 'Keine' },
  'securityMode SIGN': { en: 'Sign', de: 'Signieren' },
  'securityMode SIGN_AND_ENCRYPT': { en: 'Sign and encrypt', de: 'Signieren und verschlüsseln' },
  'parity none': { en: 'None', de: 'Keine' },
  'parity even': { en: 'Even', de: 'Gerade' },
  'parity odd': { en: 'Odd', de: 'Ungerade' },
  'flowControl none': { en: 'None', de: 'Keine' },
  'flowControl rtsCts': { en: 'RTS and CTS', de: 'RTS und CTS' },
  'flowControl xonXoff': { en: 'XON and XOFF', de: 'XON und XOFF' },
};

/** Returns the name of a setting of a connection; undefined if it has none. */
export function nameOfSetting(key: string): string | undefined {
  const text = SETTING_NAMES[key];
  return text === undefined ? undefined : fill(text);
}

/**
 * Returns the name of a choice; the value itself if it has none, as types do, which are names already.
 *
 * @param key of the setting or the channel field: `address.table`
 */
export function nameOfChoice(key: string, value: string): string {
  const text = CHOICE_NAMES[`${key.slice(key.lastIndexOf('.') + 1)} ${value}`];
  return text === undefined ? value : fill(text);
}

/** Returns the name of a choice with its value in parentheses, as in the configuration. */
export function describeChoice(key: string, value: string): string {
  const name = nameOfChoice(key, value);
  return name === value ? value : `${name} (${value})`;
}
