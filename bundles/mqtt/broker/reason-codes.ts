/** Reason codes of MQTT 5 that a broker may answer with (MQTT 5.0, 2.4). */
const REASONS: Readonly<Record<number, string>> = {
  0x80: 'unspecified error',
  0x81: 'malformed packet',
  0x82: 'protocol error',
  0x83: 'implementation specific error',
  0x84: 'protocol version not supported',
  0x85: 'client identifier not valid',
  0x86: 'bad user name or password',
  0x87: 'not authorized',
  0x88: 'server unavailable',
  0x89: 'server busy',
  0x8a: 'banned',
  0x8b: 'server shutting down',
  0x8c: 'bad authentication method',
  0x8d: 'keep alive timeout',
  0x8e: 'session takeover',
  0x8f: 'topic filter invalid',
  0x90: 'topic name invalid',
  0x93: 'receive maximum exceeded',
  0x94: 'topic alias invalid',
  0x95: 'packet too large',
  0x96: 'message rate too high',
  0x97: 'quota exceeded',
  0x98: 'administrative action',
  0x99: 'payload format invalid',
  0x9a: 'retain not supported',
  0x9b: 'QoS not supported',
  0x9c: 'use another server',
  0x9d: 'server moved',
  0x9f: 'connection rate exceeded',
  0xa0: 'maximum connect time',
};

/** Return codes of CONNACK before MQTT 5 (MQTT 3.1.1, 3.2.2.3). */
const RETURN_CODES: Readonly<Record<number, string>> = {
  1: 'protocol version not supported',
  2: 'client identifier not valid',
  3: 'server unavailable',
  4: 'bad user name or password',
  5: 'not authorized',
};

/** The same in German, of both versions. */
const GERMAN_REASONS: Readonly<Record<number, string>> = {
  1: 'Protokollversion nicht unterstützt',
  2: 'Client-Kennung nicht zulässig',
  3: 'Server nicht verfügbar',
  4: 'Benutzername oder Passwort falsch',
  5: 'keine Berechtigung',
  0x80: 'unbekannter Fehler',
  0x81: 'fehlerhaftes Paket',
  0x82: 'Fehler im Protokoll',
  0x83: 'Fehler des Brokers',
  0x84: 'Protokollversion nicht unterstützt',
  0x85: 'Client-Kennung nicht zulässig',
  0x86: 'Benutzername oder Passwort falsch',
  0x87: 'keine Berechtigung',
  0x88: 'Server nicht verfügbar',
  0x89: 'Server überlastet',
  0x8a: 'gesperrt',
  0x8b: 'Server wird beendet',
  0x8c: 'Art der Anmeldung nicht unterstützt',
  0x8d: 'Keep-Alive abgelaufen',
  0x8e: 'Sitzung von einem anderen Client übernommen',
  0x8f: 'Topic-Filter ungültig',
  0x90: 'Topic ungültig',
  0x93: 'zu viele unbestätigte Nachrichten',
  0x94: 'Topic-Alias ungültig',
  0x95: 'Paket zu groß',
  0x96: 'zu viele Nachrichten',
  0x97: 'Kontingent erschöpft',
  0x98: 'vom Betreiber getrennt',
  0x99: 'Format der Nutzdaten ungültig',
  0x9a: 'Aufbewahren nicht unterstützt',
  0x9b: 'QoS nicht unterstützt',
  0x9c: 'anderen Server verwenden',
  0x9d: 'Server umgezogen',
  0x9f: 'zu viele Verbindungen',
  0xa0: 'maximale Verbindungsdauer erreicht',
};

/** Reason code of a message that is larger than the broker accepts. */
export const PACKET_TOO_LARGE = 0x95;

/** Codes of a refused connection that stay until settings or rights change. */
const PERMANENT: ReadonlySet<number> = new Set([1, 2, 4, 5, 0x84, 0x85, 0x86, 0x87, 0x8a, 0x8c, 0x9a, 0x9b]);

/** Describes a reason code or return code, for example `not authorized (0x87)`. */
export function describeReason(code: number): string {
  const name = REASONS[code] ?? RETURN_CODES[code] ?? 'unknown reason';
  return `${name} (${formatCode(code)})`;
}

/** Describes a code in German. */
export function describeReasonInGerman(code: number): string {
  return `${GERMAN_REASONS[code] ?? 'unbekannter Grund'} (${formatCode(code)})`;
}

function formatCode(code: number): string {
  return `0x${code.toString(16).padStart(2, '0')}`;
}

/** True if a connection that was refused with this code is refused until settings or rights change. */
export function isPermanent(code: number): boolean {
  return PERMANENT.has(code);
}
