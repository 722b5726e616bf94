import type { Text } from './text.ts';

/** Texts of assets, channels and writes. */
export const ASSETS = {
  none: { en: 'No assets yet.', de: 'Noch keine Assets.' },
  noneHint: {
    en: 'An asset names the values of a device. Add a device first.',
    de: 'Ein Asset benennt die Werte eines Geräts. Fügen Sie zuerst ein Gerät hinzu.',
  },
  noneGranted: {
    en: 'You have no access to any asset. Ask an administrator for a grant.',
    de: 'Sie haben auf kein Asset Zugriff. Bitten Sie einen Administrator um eine Freigabe.',
  },
  asset: { en: 'Asset', de: 'Asset' },
  connection: { en: 'Connection', de: 'Verbindung' },
  state: { en: 'State', de: 'Zustand' },
  name: { en: 'Name', de: 'Name' },
  value: { en: 'Value', de: 'Wert' },
  unit: { en: 'Unit', de: 'Einheit' },
  quality: { en: 'Quality', de: 'Qualität' },
  age: { en: 'Age', de: 'Alter' },
  lastMinutes: { en: 'Last 5 min', de: 'Letzte 5 min' },
  action: { en: 'Action', de: 'Aktion' },
  filter: { en: 'Filter', de: 'Filter' },
  all: { en: 'All {count}', de: 'Alle {count}' },
  writable: { en: 'Writable {count}', de: 'Schreibbar {count}' },
  bad: { en: 'Bad {count}', de: 'Schlecht {count}' },
  noMatch: { en: 'No channel name contains “{filter}”.', de: 'Kein Kanalname enthält „{filter}“.' },
  nothingWritable: { en: 'No channel is writable.', de: 'Kein Kanal ist schreibbar.' },
  noChannels: { en: 'This asset has no channels.', de: 'Dieses Asset hat keine Kanäle.' },
  nothingBad: { en: 'All channels are good.', de: 'Alle Kanäle sind gut.' },
  ofGood: { en: '{good} of {all} good', de: '{good} von {all} gut' },
  isGood: { en: 'good', de: 'gut' },
  isUncertain: { en: 'uncertain', de: 'unsicher' },
  isBad: { en: 'bad', de: 'schlecht' },
  isLate: { en: 'late', de: 'verspätet' },
  loading: { en: '', de: '' },
  notYet: { en: 'not read yet', de: 'noch nicht gelesen' },
  writeOnly: { en: 'write only', de: 'nur schreiben' },
  off: { en: 'disabled', de: 'deaktiviert' },
  now: { en: 'now', de: 'jetzt' },
  streamLost: { en: 'No updates since {time}.', de: 'Keine neuen Werte seit {time}.' },
  trend: { en: 'Trend', de: 'Trend' },
  write: { en: 'Write', de: 'Schreiben' },
  pin: { en: 'Pin to the overview', de: 'An die Übersicht heften' },
  pinsFull: {
    en: 'The overview has {count} pinned values, the maximum. Unpin one first.',
    de: 'Die Übersicht hat bereits {count} angeheftete Werte, mehr sind nicht möglich. Lösen Sie zuerst einen.',
  },
  decode: { en: 'Identify the register', de: 'Register bestimmen' },
  editChannels: { en: 'Edit channels', de: 'Kanäle bearbeiten' },
  line: { en: 'Requests', de: 'Anfragen' },
  record: { en: 'Audit', de: 'Audit' },
  lastWrite: {
    en: 'Last written by {identity}, {time}: {value}',
    de: 'Zuletzt geschrieben von {identity}, {time}: {value}',
  },
  lastWriteFailed: {
    en: 'Last write by {identity}, {time}, failed: {value} ({code})',
    de: 'Letztes Schreiben von {identity}, {time}, fehlgeschlagen: {value} ({code})',
  },
  saveCsv: { en: 'CSV', de: 'CSV' },
  writeTitle: { en: 'Write {channel}', de: '{channel} schreiben' },
  currentValue: { en: 'now {value} {unit}', de: 'jetzt {value} {unit}' },
  newValue: { en: 'New value', de: 'Neuer Wert' },
  otherValue: { en: 'Other value …', de: 'Anderer Wert …' },
  check: { en: 'Check', de: 'Prüfen' },
  wouldSend: {
    en: 'Would send {value} {unit}. Nothing is sent yet.',
    de: '{value} {unit} würde gesendet. Noch ist nichts gesendet.',
  },
  writeValue: { en: 'Write {value} {unit}', de: '{value} {unit} schreiben' },
  formerValue: { en: 'Write {value} {unit} again', de: 'Wieder {value} {unit} schreiben' },
  noUndo: { en: 'A write cannot be undone.', de: 'Ein Schreibvorgang lässt sich nicht rückgängig machen.' },
  range: { en: 'from {minimum} to {maximum}', de: 'von {minimum} bis {maximum}' },
  choose: { en: 'Choose the value to send.', de: 'Wählen Sie den Wert, der gesendet wird.' },
  notNumber: { en: '“{text}” is not a number.', de: '„{text}“ ist keine Zahl.' },
  notWhole: { en: '“{text}” is not a whole number.', de: '„{text}“ ist keine ganze Zahl.' },
  on: { en: 'true', de: 'wahr' },
  offValue: { en: 'false', de: 'falsch' },
  readAgain: { en: 'Read', de: 'Lesen' },
  rounded: { en: 'Sent as {value} {unit}.', de: 'Gesendet wurde {value} {unit}.' },
  readBack: { en: 'Device value: {value} {unit}.', de: 'Wert im Gerät: {value} {unit}.' },
  back: { en: 'All assets', de: 'Alle Assets' },
} as const satisfies Readonly<Record<string, Text>>;

/** Outcomes of a write. */
export const WRITE_OUTCOMES = {
  VERIFIED: {
    en: 'Sent and read back with the same value.',
    de: 'Gesendet und mit gleichem Wert zurückgelesen.',
  },
  ACKNOWLEDGED: {
    en: 'Confirmed by the device, not read back.',
    de: 'Vom Gerät bestätigt, nicht zurückgelesen.',
  },
  REFUSED: { en: 'The device did not accept the value.', de: 'Das Gerät hat den Wert nicht angenommen.' },
  NOT_SENT: { en: 'Nothing was sent.', de: 'Es wurde nichts gesendet.' },
  UNKNOWN: {
    en: 'Sent, but no response arrived: the device may have the new value or not. Read the channel before the next write.',
    de: 'Gesendet, aber ohne Antwort: Das Gerät hat den Wert möglicherweise übernommen. Lesen Sie den Kanal vor dem nächsten Schreibvorgang.',
  },
} as const satisfies Readonly<Record<string, Text>>;

/** Reasons for which the gateway ends a stream of values. */
export const STREAM_ENDS = {
  ASSET_CHANGED: {
    en: 'The configuration of the asset or its connection has changed.',
    de: 'Die Konfiguration des Assets oder seiner Verbindung wurde geändert.',
  },
  ASSET_REMOVED: { en: 'The asset no longer exists.', de: 'Das Asset gibt es nicht mehr.' },
  PORT_CLOSED: {
    en: 'The gateway is stopping, or this port is no longer open to the console.',
    de: 'Das Gateway wird beendet, oder dieser Port ist für die Konsole nicht mehr offen.',
  },
  ENDPOINT_DISABLED: { en: 'This endpoint was disabled.', de: 'Dieser Endpunkt wurde deaktiviert.' },
  NOT_AUTHENTICATED: { en: 'Your session has ended.', de: 'Ihre Sitzung ist beendet.' },
  NOT_PERMITTED: {
    en: 'You no longer have the permission or a grant for these values.',
    de: 'Sie haben keine Berechtigung oder Freigabe mehr für diese Werte.',
  },
} as const satisfies Readonly<Record<string, Text>>;
