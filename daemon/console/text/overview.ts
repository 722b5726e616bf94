import type { Text } from './text.ts';

/** Texts of the overview. */
export const OVERVIEW = {
  attentionOne: { en: '1 item needs attention.', de: '1 Punkt ist zu prüfen.' },
  attentionMany: { en: '{count} items need attention.', de: '{count} Punkte sind zu prüfen.' },
  attentionNone: { en: 'Nothing needs attention.', de: 'Alles in Ordnung.' },
  noneAsked: { en: 'No device has been polled yet.', de: 'Noch kein Gerät wurde abgefragt.' },
  notKnown: {
    en: 'Unknown: the gateway does not respond.',
    de: 'Unbekannt: Das Gateway antwortet nicht.',
  },
  othersPassed: { en: '{count} other checks passed', de: '{count} weitere Prüfungen bestanden' },
  otherPassed: { en: '1 other check passed', de: '1 weitere Prüfung bestanden' },
  allPassed: { en: '{count} checks passed', de: '{count} Prüfungen bestanden' },
  unknown: { en: 'not checked yet: {count}', de: 'noch nicht geprüft: {count}' },
  justNow: { en: 'just now', de: 'gerade eben' },
  ago: { en: '{span} ago', de: 'vor {span}' },
  showChecks: { en: 'Checks', de: 'Prüfungen' },
  hideChecks: { en: 'Hide checks', de: 'Prüfungen ausblenden' },
  more: { en: 'Show all {count}', de: 'Alle {count} anzeigen' },
  fewer: { en: 'Show first {count}', de: 'Die ersten {count} anzeigen' },
  limited: {
    en: 'Only the connections and channels of your assets are checked here. With the permission “{permission}”, this page also checks clock, disk, certificates and bundles.',
    de: 'Hier werden nur Verbindungen und Kanäle Ihrer Assets geprüft. Mit der Berechtigung „{permission}“ prüft diese Seite auch Uhr, Datenträger, Zertifikate und Bundles.',
  },
  nothingChecked: { en: 'No checks available.', de: 'Keine Prüfungen verfügbar.' },
  failed: { en: 'The gateway state is unknown.', de: 'Der Zustand des Gateways ist unbekannt.' },
  since: { en: 'since {time}', de: 'seit {time}' },
  nextTry: { en: 'Next attempt in {span}.', de: 'Nächster Versuch in {span}.' },
  nextTryNow: { en: 'Next attempt now.', de: 'Nächster Versuch jetzt.' },
  noTry: { en: 'No automatic retry.', de: 'Kein automatischer neuer Versuch.' },
  served: { en: 'Assets on this connection: {assets}.', de: 'Assets an dieser Verbindung: {assets}.' },
  unitWrong: { en: '{driver}, {name}: suspended', de: '{driver}, {name}: Abfrage ausgesetzt' },
  unitPart: {
    en: '{driver}, {name}: some addresses do not respond',
    de: '{driver}, {name}: einzelne Adressen antworten nicht',
  },
  unitDo: {
    en: 'Check its power, wiring and unit ID. Other units of the connection are not affected.',
    de: 'Prüfen Sie Versorgung, Verdrahtung und Unit-ID. Andere Teilnehmer der Verbindung sind nicht betroffen.',
  },
  channelWrong: { en: '{name}: a channel fails', de: '{name}: Ein Kanal liefert keinen Wert' },
  channelsWrong: { en: '{name}: {count} channels fail', de: '{name}: {count} Kanäle liefern keinen Wert' },
  channelsDo: {
    en: 'Compare address and data type with the device manual, then correct or disable the channel.',
    de: 'Vergleichen Sie Adresse und Datentyp mit dem Handbuch des Geräts; korrigieren oder deaktivieren Sie dann den Kanal.',
  },
  toChannels: { en: 'Show channels', de: 'Kanäle anzeigen' },
  auditWrong: { en: 'Audit events do not reach {name}', de: 'Audit-Ereignisse erreichen {name} nicht' },
  secretWrong: {
    en: 'Secrets of connection {name} are not readable',
    de: 'Geheimnisse der Verbindung {name} sind nicht lesbar',
  },
  secretDo: {
    en: 'Enter them again under Configuration, or restore the file secrets.key from a backup.',
    de: 'Geben Sie sie unter „Konfiguration“ neu ein, oder stellen Sie die Datei secrets.key aus einer Sicherung wieder her.',
  },
  auditChainWrong: {
    en: 'Audit events were changed outside the gateway',
    de: 'Audit-Ereignisse wurden außerhalb des Gateways verändert',
  },
  auditChainDo: {
    en: 'Compare with earlier exports (“penstock audit verify”), and find out who could write to the store.',
    de: 'Vergleichen Sie mit früheren Exporten („penstock audit verify“), und klären Sie, wer in den Speicher schreiben konnte.',
  },
  auditStoreWrong: {
    en: 'Audit events could not be stored',
    de: 'Audit-Ereignisse konnten nicht gespeichert werden',
  },
  auditStoreDo: {
    en: 'Free space on the disk, or check the kernel log.',
    de: 'Geben Sie Platz auf dem Datenträger frei, oder prüfen Sie das Protokoll des Kernels.',
  },
  auditDo: {
    en: 'Check host, port and certificates of the server. The gateway stores the events until it can send them.',
    de: 'Prüfen Sie Adresse, Port und Zertifikate des Servers. Das Gateway speichert die Ereignisse, bis es sie senden kann.',
  },
  connectionWrong: { en: '{name}: no connection', de: '{name}: keine Verbindung' },
  connectionDo: {
    en: 'Check address, port, network and device power.',
    de: 'Prüfen Sie Adresse, Port, Netzwerk und Versorgung des Geräts.',
  },
  recordingWrong: { en: 'Nothing is recorded', de: 'Es wird nichts aufgezeichnet' },
  recordingDo: {
    en: 'Free space on the disk. Recording resumes automatically; the missing time is shown as a gap.',
    de: 'Geben Sie Platz auf dem Datenträger frei. Die Aufzeichnung läuft dann automatisch weiter; die fehlende Zeit erscheint als Lücke.',
  },
  bundleWrong: { en: 'Bundle {name} failed', de: 'Bundle {name} ist fehlgeschlagen' },
  bundleDo: {
    en: 'Read the cause, then restart the bundle or install another version.',
    de: 'Lesen Sie die Ursache; starten Sie das Bundle dann neu, oder installieren Sie eine andere Version.',
  },
  bundleWaits: {
    en: 'Bundle {name} waits for its settings',
    de: 'Bundle {name} wartet auf seine Einstellungen',
  },
  bundleWaitsDo: {
    en: 'Enter the settings; the bundle then starts.',
    de: 'Geben Sie die Einstellungen ein; das Bundle startet dann.',
  },
  bundleReports: { en: 'Bundle {name} reports a problem', de: 'Bundle {name} meldet ein Problem' },
  bundleReportsDo: {
    en: 'Correct the cause. The bundle continues to run.',
    de: 'Beheben Sie die Ursache. Das Bundle läuft weiter.',
  },
  certificateWarning: {
    en: 'Certificate {name} expires on {day}',
    de: 'Zertifikat {name} läuft am {day} ab',
  },
  certificateWrong: {
    en: 'Certificate {name} cannot be used',
    de: 'Zertifikat {name} ist nicht verwendbar',
  },
  certificateDo: {
    en: 'Replace the file with a new certificate, then run: systemctl reload penstock. Connections stay open.',
    de: 'Ersetzen Sie die Datei durch ein neues Zertifikat, und führen Sie dann aus: systemctl reload penstock. Verbindungen bleiben bestehen.',
  },
  reloadWrong: {
    en: 'The last reload failed',
    de: 'Das letzte Neuladen ist fehlgeschlagen',
  },
  configurationWrong: {
    en: 'The current version of file {name} is not active',
    de: 'Die aktuelle Fassung der Datei {name} ist nicht aktiv',
  },
  reloadDo: {
    en: 'Correct the error, then run: systemctl reload penstock',
    de: 'Beheben Sie den Fehler, und führen Sie dann aus: systemctl reload penstock',
  },
  diskWrong: { en: 'The disk is nearly full', de: 'Der Datenträger ist fast voll' },
  diskDo: {
    en: 'Free space on the data disk; until then changes may be refused.',
    de: 'Geben Sie Platz auf dem Datenträger frei; bis dahin können Änderungen abgelehnt werden.',
  },
  diskUsed: { en: 'Used', de: 'Belegt' },
  diskFree: { en: '{free} of {total} free', de: '{free} von {total} frei' },
  clockWrong: { en: 'The clock is wrong', de: 'Die Uhr geht falsch' },
  clockDo: {
    en: 'Set the clock or enable NTP: timedatectl set-ntp true',
    de: 'Stellen Sie die Uhr, oder aktivieren Sie NTP: timedatectl set-ntp true',
  },
  pending: {
    en: 'Snapshot {snapshot} is not confirmed yet',
    de: 'Snapshot {snapshot} ist noch nicht bestätigt',
  },
  pendingBy: { en: 'Changed by {author}.', de: 'Geändert von {author}.' },
  pendingBack: {
    en: 'Reverts to snapshot {revertTo} in {span} unless confirmed.',
    de: 'Ohne Bestätigung wird in {span} wieder Snapshot {revertTo} aktiv.',
  },
  pendingDo: {
    en: 'Check that the change works, then confirm it.',
    de: 'Prüfen Sie, ob die Änderung wirkt, und bestätigen Sie sie dann.',
  },
  toConfiguration: { en: 'Open configuration', de: 'Konfiguration öffnen' },
  toBundles: { en: 'Open bundles', de: 'Bundles öffnen' },
  tryNow: { en: 'Test now', de: 'Jetzt testen' },
  testing: { en: 'Testing the device …', de: 'Gerät wird getestet …' },
  answered: {
    en: 'Response after {ms} ms.',
    de: 'Antwort nach {ms} ms.',
  },
  connected: {
    en: 'Connected in {ms} ms; nothing to read.',
    de: 'Verbunden nach {ms} ms; nichts zu lesen.',
  },
  testFailed: { en: 'No response after {ms} ms: {message}', de: 'Keine Antwort nach {ms} ms: {message}' },
  check: { en: 'Check', de: 'Prüfung' },
  found: { en: 'Result', de: 'Ergebnis' },
  auditChain: { en: 'chain', de: 'Verkettung' },
  auditStore: { en: 'store', de: 'Speicherung' },
  assets: { en: 'Assets', de: 'Assets' },
  goodOfAll: { en: 'Good / all', de: 'Gut / alle' },
  filterAssets: { en: 'Filter assets', de: 'Assets filtern' },
  matches: { en: '{count} of {all}', de: '{count} von {all}' },
  moreAssets: { en: '{count} more', de: '{count} weitere' },
  fold: { en: 'Show only assets with errors', de: 'Nur Assets mit Fehlern anzeigen' },
  pinned: { en: 'Pinned', de: 'Angeheftet' },
  unpin: { en: 'Unpin {channel}', de: '{channel} lösen' },
  pinUnknown: { en: 'channel does not exist', de: 'Kanal nicht vorhanden' },
  goodHint: {
    en: 'Without device requests, the number of good channels is known only if nothing responds. Open an asset to read it.',
    de: 'Ohne Anfragen an Geräte ist die Zahl guter Kanäle nur bekannt, wenn nichts antwortet. Öffnen Sie ein Asset, um es zu lesen.',
  },
  lastChange: { en: 'Since', de: 'Seit' },
  connections: { en: 'Connections', de: 'Verbindungen' },
  noConnections: {
    en: 'No connections yet. Add a device first.',
    de: 'Noch keine Verbindungen. Fügen Sie zuerst ein Gerät hinzu.',
  },
  connectDevice: { en: 'Add device', de: 'Gerät hinzufügen' },
  requests: { en: 'Requests/s', de: 'Anfragen/s' },
  timeouts: { en: 'Timeouts', de: 'Timeouts' },
  newTimeouts: { en: '{count} in {span}', de: '{count} in {span}' },
  endpoint: { en: 'Address', de: 'Adresse' },
} as const satisfies Readonly<Record<string, Text>>;

/** Names of the checks of the gateway. */
export const CHECK_NAMES = {
  clock: { en: 'Clock', de: 'Uhr' },
  disk: { en: 'Disk', de: 'Datenträger' },
  reload: { en: 'Reload', de: 'Neuladen' },
  configuration: { en: 'File', de: 'Datei' },
  certificate: { en: 'Certificate', de: 'Zertifikat' },
  connection: { en: 'Connection', de: 'Verbindung' },
  unit: { en: 'Unit', de: 'Teilnehmer' },
  channel: { en: 'Channels', de: 'Kanäle' },
  secret: { en: 'Secrets of', de: 'Geheimnisse von' },
  auditLog: { en: 'Audit', de: 'Audit' },
  recording: { en: 'Recording', de: 'Aufzeichnung' },
  audit: { en: 'Audit to', de: 'Audit an' },
  bundle: { en: 'Bundle', de: 'Bundle' },
} as const satisfies Readonly<Record<string, Text>>;

/** Results of a check. */
export const CHECK_STATES = {
  GOOD: { en: 'OK', de: 'OK' },
  WARNING: { en: 'warning', de: 'Warnung' },
  WRONG: { en: 'error', de: 'Fehler' },
  UNKNOWN: { en: 'not checked yet', de: 'noch nicht geprüft' },
} as const satisfies Readonly<Record<string, Text>>;
