import type { Text } from './text.ts';

/** Texts of the page of the bundles that send recorded samples. */
export const NORTH = {
  none: {
    en: 'No bundle sends samples. The packages penstock-mqtt and penstock-sparkplug do.',
    de: 'Kein Bundle sendet Messwerte. Die Pakete penstock-mqtt und penstock-sparkplug leisten das.',
  },
  noneDo: {
    en: 'On the gateway: penstock package install penstock-mqtt',
    de: 'Auf dem Gateway: penstock package install penstock-mqtt',
  },
  notPermitted: {
    en: 'Backlogs are not shown: they require the permissions “{assets}” and “{configuration}”.',
    de: 'Rückstände werden nicht angezeigt: Sie erfordern die Berechtigungen „{assets}“ und „{configuration}“.',
  },
  settings: { en: 'Settings', de: 'Einstellungen' },
  log: { en: 'Log', de: 'Log' },
  noReport: { en: 'No report yet', de: 'Noch keine Meldung' },
  checks: { en: 'Checks of {name}', de: 'Prüfungen von {name}' },
  check: { en: 'Check', de: 'Prüfung' },
  result: { en: 'Result', de: 'Ergebnis' },
  remedy: { en: 'What to do', de: 'Abhilfe' },
  OK: { en: 'OK', de: 'OK' },
  WARNING: { en: 'Warning', de: 'Warnung' },
  ERROR: { en: 'Error', de: 'Fehler' },
  lastBirth: { en: 'Last birth message', de: 'Letzte Birth-Nachricht' },
  noBirth: { en: 'none since the start', de: 'keine seit dem Start' },
  readers: { en: 'Recorders read by {name}', de: 'Recorder, die {name} liest' },
  recorder: { en: 'Recorder', de: 'Recorder' },
  behind: { en: 'Samples behind', de: 'Messwerte im Rückstand' },
  bytes: { en: 'Size', de: 'Größe' },
  span: { en: 'Time behind', de: 'Zeit im Rückstand' },
  upToDate: { en: 'up to date', de: 'aktuell' },
  others: { en: 'Other readers of the recording', de: 'Weitere Leser der Aufzeichnung' },
  othersHint: {
    en: 'The history stores samples at least every 15 minutes; until then it is behind. A bundle that is not installed has its position stored for two days.',
    de: 'Der Verlauf speichert Messwerte mindestens alle 15 Minuten und ist bis dahin im Rückstand. Die Position eines nicht installierten Bundles bleibt zwei Tage gespeichert.',
  },
  reader: { en: 'Reader', de: 'Leser' },
  history: { en: 'History', de: 'Verlauf' },
  counters: { en: 'Counters since the start', de: 'Zähler seit dem Start' },
} as const satisfies Readonly<Record<string, Text>>;

/** Names of the counters that the senders report; those shown first are listed first. */
export const SENDER_COUNTERS = {
  backlog: { en: 'Entries in the backlog', de: 'Einträge im Rückstand' },
  waiting: { en: 'Messages without acknowledgement', de: 'Unbestätigte Nachrichten' },
  heldTopics: { en: 'Refused topics', de: 'Abgelehnte Topics' },
  gaps: { en: 'Gaps of the recording', de: 'Lücken der Aufzeichnung' },
  refused: { en: 'Refused messages', de: 'Abgelehnte Nachrichten' },
  refusedMessages: { en: 'Messages too large for the broker', de: 'Für den Broker zu große Nachrichten' },
  unknownSamples: { en: 'Samples of deleted channels', de: 'Messwerte gelöschter Kanäle' },
  reconnects: { en: 'Reconnects', de: 'Neuverbindungen' },
  hostLosses: { en: 'Losses of the primary host', de: 'Ausfälle des primären Hosts' },
  sent: { en: 'Messages sent', de: 'Gesendete Nachrichten' },
  messages: { en: 'Messages sent', de: 'Gesendete Nachrichten' },
  acknowledged: { en: 'Messages acknowledged', de: 'Bestätigte Nachrichten' },
  samples: { en: 'Samples sent', de: 'Gesendete Messwerte' },
  historicalSamples: { en: 'Samples sent as history', de: 'Nachträglich gesendete Messwerte' },
  births: { en: 'Birth messages', de: 'Birth-Nachrichten' },
  rebirthRequests: { en: 'Requested rebirths', de: 'Angeforderte Rebirths' },
  bdSeq: { en: 'bdSeq', de: 'bdSeq' },
  devices: { en: 'Devices', de: 'Geräte' },
  metrics: { en: 'Metrics', de: 'Metriken' },
  commands: { en: 'Commands', de: 'Befehle' },
  commandErrors: { en: 'Failed commands', de: 'Fehlgeschlagene Befehle' },
  writes: { en: 'Writes', de: 'Schreibvorgänge' },
} as const satisfies Readonly<Record<string, Text>>;
