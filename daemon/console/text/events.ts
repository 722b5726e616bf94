import type { Text } from './text.ts';

/** What happens in the gateway, in words. */
export const EVENTS = {
  connectionUp: { en: '{driver} is connected', de: '{driver} ist verbunden' },
  connectionDown: { en: '{driver} has no connection', de: '{driver} hat keine Verbindung' },
  unitSuspended: { en: '{driver}, {unit}: suspended', de: '{driver}, {unit}: ausgesetzt' },
  unitAnswering: { en: '{driver}, {unit}: answers again', de: '{driver}, {unit}: antwortet wieder' },
  configuration: { en: 'Configuration {snapshot} is in force', de: 'Konfiguration {snapshot} gilt' },
  installed: { en: '{name} {version} was installed', de: '{name} {version} wurde installiert' },
  uninstalled: { en: '{name} {version} was uninstalled', de: '{name} {version} wurde entfernt' },
  installFailed: {
    en: '{name} {version} could not be installed',
    de: '{name} {version} ließ sich nicht installieren',
  },
  uninstallFailed: {
    en: '{name} {version} could not be uninstalled',
    de: '{name} {version} ließ sich nicht entfernen',
  },
  aPackage: { en: 'A package', de: 'Ein Paket' },
  bundle: { en: 'Bundle {bundle}: {state}', de: 'Bundle {bundle}: {state}' },
  gap: {
    en: 'Events before this one are missing: the gateway keeps the newest 1000 until it stops.',
    de: 'Davor fehlen Ereignisse: Das Gateway hält die neuesten 1000, bis es endet.',
  },
  unknown: { en: '{type}', de: '{type}' },
  none: {
    en: 'Nothing has happened since the gateway started. What happens appears here by itself.',
    de: 'Seit dem Start des Gateways ist nichts geschehen. Was geschieht, erscheint hier von selbst.',
  },
  lost: {
    en: 'No events since {time}; the page tries again by itself.',
    de: 'Keine Ereignisse seit {time}; die Seite versucht es von selbst wieder.',
  },
  title: { en: 'Latest', de: 'Neuestes' },
  all: { en: 'All events', de: 'Alle Ereignisse' },
} as const satisfies Readonly<Record<string, Text>>;

/** States of bundles in words. */
export const BUNDLE_STATES = {
  INSTALLED: { en: 'installed', de: 'installiert' },
  RESOLVED: { en: 'stored, not started', de: 'abgelegt, nicht gestartet' },
  STARTING: { en: 'starting', de: 'startet' },
  ACTIVE: { en: 'running', de: 'läuft' },
  STOPPING: { en: 'stopping', de: 'hält an' },
  FAILED: { en: 'failed', de: 'gescheitert' },
} as const satisfies Readonly<Record<string, Text>>;
