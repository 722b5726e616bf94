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
