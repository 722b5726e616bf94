import type { Text } from './text.ts';

/** Permissions of the gateway, in words that continue “may …”. */
export const PERMISSIONS: Readonly<Record<string, Text>> = {
  'rest.admin': { en: 'do everything', de: 'alles tun' },
  'rest.assets': { en: 'read and write all assets', de: 'alle Assets lesen und schreiben' },
  'rest.assets.read': { en: 'read all assets', de: 'alle Assets lesen' },
  'rest.configuration': {
    en: 'change devices and configuration',
    de: 'Geräte und Konfiguration ändern',
  },
  'rest.deploy': { en: 'install and control software', de: 'Software installieren und steuern' },
  'rest.events': { en: 'see events and checks', de: 'Ereignisse und Prüfungen sehen' },
  'rest.identity': { en: 'manage identities', de: 'Identitäten verwalten' },
  'rest.inventory': { en: 'list software and control bundles', de: 'Software auflisten und Bundles steuern' },
  'rest.keystores': { en: 'see and request certificates', de: 'Zertifikate sehen und anfordern' },
  'rest.system': { en: 'see system properties', de: 'Systemeigenschaften sehen' },
};

/** Permissions of bundles, in words that continue “may …”. */
export const BUNDLE_PERMISSIONS: Readonly<Record<string, Text>> = {
  net: { en: 'use the network', de: 'das Netzwerk nutzen' },
  'child-process': { en: 'start other programs', de: 'andere Programme starten' },
  authentication: { en: 'authenticate users', de: 'Benutzer authentifizieren' },
  credentials: { en: 'see credentials in requests', de: 'Anmeldedaten in Anfragen sehen' },
  'identities=any': { en: 'sign in any identity', de: 'jede Identität anmelden' },
};

/** Permissions of bundles with a value. */
export const BUNDLE_SCOPES = {
  device: { en: 'use the device {path}', de: 'das Gerät {path} nutzen' },
  memory: { en: 'use {size} of memory', de: '{size} Arbeitsspeicher nutzen' },
} as const satisfies Readonly<Record<string, Text>>;
