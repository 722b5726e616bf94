import type { Text } from './text.ts';

/** Descriptions of gateway events. */
export const EVENTS = {
  connectionUp: { en: '{driver} is connected', de: '{driver} ist verbunden' },
  connectionDown: { en: '{driver} has no connection', de: '{driver} hat keine Verbindung' },
  unitSuspended: { en: '{driver}, {unit}: suspended', de: '{driver}, {unit}: Abfrage ausgesetzt' },
  unitAnswering: { en: '{driver}, {unit}: answering again', de: '{driver}, {unit}: antwortet wieder' },
  configuration: {
    en: 'Configuration: snapshot {snapshot} is active',
    de: 'Konfiguration: Snapshot {snapshot} ist aktiv',
  },
  installed: { en: '{name} {version} was installed', de: '{name} {version} wurde installiert' },
  uninstalled: { en: '{name} {version} was uninstalled', de: '{name} {version} wurde deinstalliert' },
  installFailed: {
    en: '{name} {version} could not be installed',
    de: '{name} {version} konnte nicht installiert werden',
  },
  uninstallFailed: {
    en: '{name} {version} could not be uninstalled',
    de: '{name} {version} konnte nicht deinstalliert werden',
  },
  aPackage: { en: 'A package', de: 'Ein Paket' },
  bundle: { en: 'Bundle {bundle}: {state}', de: 'Bundle {bundle}: {state}' },
  recordingStopped: { en: 'Recording has stopped', de: 'Die Aufzeichnung ist gestoppt' },
  historyStopped: {
    en: 'The history no longer stores samples',
    de: 'Der Verlauf speichert keine Messwerte mehr',
  },
  recordingResumed: { en: 'Recording has resumed', de: 'Die Aufzeichnung läuft wieder' },
  gap: {
    en: 'Earlier events are missing: the gateway stores the latest 1,000 until it stops.',
    de: 'Davor fehlen Ereignisse: Das Gateway speichert die neuesten 1.000, bis es beendet wird.',
  },
  unknown: { en: '{type}', de: '{type}' },
  none: {
    en: 'No events since the gateway started. New events appear automatically.',
    de: 'Keine Ereignisse seit dem Start des Gateways. Neue Ereignisse erscheinen automatisch.',
  },
  lost: {
    en: 'No events since {time}; retrying automatically.',
    de: 'Keine Ereignisse seit {time}; neuer Versuch automatisch.',
  },
  title: { en: 'Latest events', de: 'Neueste Ereignisse' },
  all: { en: 'All events', de: 'Alle Ereignisse' },
} as const satisfies Readonly<Record<string, Text>>;

/** Names of bundle states. */
export const BUNDLE_STATES = {
  INSTALLED: { en: 'installed', de: 'installiert' },
  RESOLVED: { en: 'stored, not started', de: 'gespeichert, nicht gestartet' },
  STARTING: { en: 'starting', de: 'wird gestartet' },
  ACTIVE: { en: 'running', de: 'läuft' },
  STOPPING: { en: 'stopping', de: 'wird gestoppt' },
  FAILED: { en: 'failed', de: 'fehlgeschlagen' },
} as const satisfies Readonly<Record<string, Text>>;
