import type { Text } from './text.ts';

/** Texts of packages, bundles and the page About. */
export const SOFTWARE = {
  packages: { en: 'Packages', de: 'Pakete' },
  bundles: { en: 'Bundles', de: 'Bundles' },
  about: { en: 'About', de: 'Über' },
  none: { en: 'No package is installed.', de: 'Es ist kein Paket installiert.' },
  noneHint: {
    en: 'A package contains bundles, which run next to the gateway, and resources such as device templates. Install a file below.',
    de: 'Ein Paket enthält Bundles, die neben dem Gateway laufen, und Ressourcen wie Gerätevorlagen. Installieren Sie unten eine Datei.',
  },
  name: { en: 'Name', de: 'Name' },
  version: { en: 'Version', de: 'Version' },
  package: { en: 'Package', de: 'Paket' },
  noBundles: { en: 'resources only', de: 'nur Ressourcen' },
  uninstallQuestion: {
    en: 'Uninstall {name} {version}? Its bundles stop, and their stored data is deleted: {bundles}.',
    de: '{name} {version} deinstallieren? Die Bundles werden gestoppt, ihre gespeicherten Daten gelöscht: {bundles}.',
  },
  uninstallName: { en: 'Uninstall {name}', de: '{name} deinstallieren' },
  keep: { en: 'Cancel', de: 'Abbrechen' },
  install: { en: 'Install', de: 'Installieren' },
  installTitle: { en: 'Install a package', de: 'Paket installieren' },
  drop: { en: 'Drop a .dp file here, or', de: 'Datei (.dp) hier ablegen oder' },
  choose: { en: 'choose a file', de: 'eine Datei auswählen' },
  onlyOne: { en: 'One file at a time.', de: 'Nur eine Datei auf einmal.' },
  isEmpty: { en: '{name} is empty.', de: '{name} ist leer.' },
  chosen: { en: '{name}, {size}', de: '{name}, {size}' },
  installFile: { en: 'Install {name}', de: '{name} installieren' },
  sending: { en: 'Sending {name}, {size}, for {span}', de: '{name}, {size}, wird gesendet, seit {span}' },
  stop: { en: 'Cancel', de: 'Abbrechen' },
  stopped: { en: 'Cancelled: nothing was installed.', de: 'Abgebrochen: Es wurde nichts installiert.' },
  url: { en: 'URL (https:, http: or file:)', de: 'URL (https:, http: oder file:)' },
  urlWrong: {
    en: '“{text}” is no URL that begins with https:, http: or file:.',
    de: '„{text}“ ist keine URL, die mit https:, http: oder file: beginnt.',
  },
  accepted: { en: 'Accepted by the gateway.', de: 'Vom Gateway angenommen.' },
  operations: { en: 'Operations', de: 'Vorgänge' },
  noOperations: {
    en: 'No package installed or uninstalled yet.',
    de: 'Noch kein Paket installiert oder deinstalliert.',
  },
  COMPLETED: { en: 'completed', de: 'abgeschlossen' },
  FAILED: { en: 'failed', de: 'fehlgeschlagen' },
  failedWhile: { en: 'failed while {phase}, {percent} %', de: 'fehlgeschlagen bei {phase}, {percent} %' },
  runs: { en: '{phase}, {percent} %', de: '{phase}, {percent} %' },
  progress: { en: 'Progress', de: 'Fortschritt' },
  code: { en: '({code})', de: '({code})' },
  unnamed: { en: 'uploaded file', de: 'hochgeladene Datei' },
  took: { en: 'took {span}', de: 'dauerte {span}' },
  may: { en: '{bundle} may: {permissions}', de: '{bundle} darf: {permissions}' },
  time: { en: 'Time', de: 'Zeit' },
  operation: { en: 'Operation', de: 'Vorgang' },
  result: { en: 'Result', de: 'Ergebnis' },
  state: { en: 'State', de: 'Zustand' },
  permissions: { en: 'Permissions', de: 'Berechtigungen' },
  storage: { en: 'Storage', de: 'Speicherplatz' },
  memory: { en: 'Memory: {size}', de: 'Arbeitsspeicher: {size}' },
  settings: { en: 'Settings', de: 'Einstellungen' },
  settingsOf: { en: 'Settings of {name}', de: 'Einstellungen von {name}' },
  secretsKept: {
    en: 'Stored secrets stay unless entered again: {names}.',
    de: 'Gespeicherte Geheimnisse bleiben, wenn sie nicht neu eingegeben werden: {names}.',
  },
  asText: { en: 'Edit as text', de: 'Als Text bearbeiten' },
  usedOf: { en: '{used} of {maximum}', de: '{used} von {maximum}' },
  full: { en: 'full', de: 'voll' },
  restart: { en: 'Restart', de: 'Neu starten' },
  restartRequested: {
    en: 'Restart requested at {time}.',
    de: 'Neustart um {time} angefordert.',
  },
  log: { en: 'Log', de: 'Log' },
  logOf: { en: 'Log of {name}', de: 'Log von {name}' },
  refresh: { en: 'Refresh', de: 'Aktualisieren' },
  copied: { en: 'Copied.', de: 'Kopiert.' },
  byGateway: { en: 'gateway', de: 'Gateway' },
  noLines: {
    en: 'No output since the gateway started.',
    de: 'Keine Ausgaben seit dem Start des Gateways.',
  },
  logHint: {
    en: 'Last 500 lines since the gateway started. Output of the systemd unit is in the journal: journalctl -u penstock-bundle@{name}',
    de: 'Die letzten 500 Zeilen seit dem Start des Gateways. Ausgaben der systemd-Unit stehen im Journal: journalctl -u penstock-bundle@{name}',
  },
  nextStart: { en: 'Next start in {span}.', de: 'Nächster Start in {span}.' },
  nothing: { en: 'nothing else', de: 'nichts weiter' },
  noBundle: {
    en: 'No bundle is installed. Bundles come with packages.',
    de: 'Es ist kein Bundle installiert. Pakete enthalten Bundles.',
  },
  toPackages: { en: 'Open packages', de: 'Pakete öffnen' },
  product: { en: 'Penstock {version}', de: 'Penstock {version}' },
  licence: { en: 'Licence', de: 'Lizenz' },
  licenceOwn: { en: 'Apache License 2.0', de: 'Apache-Lizenz 2.0' },
  parts: { en: 'Third-party components', de: 'Komponenten Dritter' },
  partsWhere: {
    en: 'Licences on the gateway:',
    de: 'Lizenzen auf dem Gateway:',
  },
  bill: { en: 'Bill of materials (CycloneDX)', de: 'Stückliste (CycloneDX)' },
  description: { en: 'Description of the REST interface', de: 'Beschreibung der REST-Schnittstelle' },
  consoleParts: {
    en: 'This page uses Preact, uPlot, CodeMirror and uqr (MIT), and yaml (ISC).',
    de: 'Diese Seite verwendet Preact, uPlot, CodeMirror und uqr (MIT) sowie yaml (ISC).',
  },
} as const satisfies Readonly<Record<string, Text>>;

/** Kinds of operations on packages. */
export const OPERATIONS = {
  INSTALL: { en: 'Install', de: 'Installieren' },
  UNINSTALL: { en: 'Uninstall', de: 'Deinstallieren' },
} as const satisfies Readonly<Record<string, Text>>;

/** Phases of an operation. */
export const OPERATION_PHASES = {
  WAITING: { en: 'waiting', de: 'Warten' },
  RECEIVING: { en: 'receiving', de: 'Empfang' },
  CHECKING: { en: 'checking', de: 'Prüfung' },
  STAGING: { en: 'staging', de: 'Vorbereitung' },
  SWITCHING: { en: 'switching', de: 'Umschaltung' },
  STARTING: { en: 'starting bundles', de: 'Start der Bundles' },
  FINISHED: { en: 'finished', de: 'beendet' },
} as const satisfies Readonly<Record<string, Text>>;

/** States that bundles report. */
export const REPORT_STATES = {
  OK: { en: 'OK', de: 'OK' },
  WARNING: { en: 'Warning', de: 'Warnung' },
  ERROR: { en: 'Error', de: 'Fehler' },
} as const satisfies Readonly<Record<string, Text>>;
