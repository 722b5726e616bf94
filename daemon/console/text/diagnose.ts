import type { Text } from './text.ts';

/** Texts of the log of the gateway, the trace of a line, and the report for support. */
export const DIAGNOSE = {
  log: { en: 'Log', de: 'Log' },
  trace: { en: 'Wire trace', de: 'Mitschnitt' },
  level: { en: 'Level', de: 'Stufe' },
  anyLevel: { en: 'All levels', de: 'Alle Stufen' },
  info: { en: 'Information and more severe', de: 'Information und schwerer' },
  warn: { en: 'Warnings and errors', de: 'Warnungen und Fehler' },
  error: { en: 'Errors', de: 'Fehler' },
  noLines: { en: 'No lines since the gateway started.', de: 'Keine Zeilen seit dem Start des Gateways.' },
  missing: {
    en: 'Lines are missing: more were written than the gateway stores.',
    de: 'Zeilen fehlen: Es wurden mehr geschrieben, als das Gateway speichert.',
  },
  missingFrames: {
    en: 'Frames are missing: more passed than the gateway stores.',
    de: 'Frames fehlen: Es wurden mehr übertragen, als das Gateway speichert.',
  },
  logHint: {
    en: 'The gateway stores the last 1,000 lines since its start. All of them on the gateway: penstock log',
    de: 'Das Gateway speichert die letzten 1.000 Zeilen seit seinem Start. Alle Zeilen auf dem Gateway: penstock log',
  },
  collect: { en: 'Collect for support', de: 'Für den Support sammeln' },
  collecting: { en: 'Collecting …', de: 'Wird gesammelt …' },
  collected: {
    en: 'Saved as {file}. Versions, states, log and configuration, without passwords and keys; names and addresses of the plant are in it.',
    de: 'Gespeichert als {file}. Versionen, Zustände, Log und Konfiguration, ohne Passwörter und Schlüssel; Namen und Adressen der Anlage sind enthalten.',
  },
  notCollected: { en: 'Not collected.', de: 'Nicht gesammelt.' },
  connection: { en: 'Connection', de: 'Verbindung' },
  noLine: {
    en: 'No connection whose bytes can be shown. Modbus, OPC UA and serial connections have a trace.',
    de: 'Keine Verbindung, deren Bytes angezeigt werden können. Modbus-, OPC-UA- und serielle Verbindungen haben einen Mitschnitt.',
  },
  frames: { en: 'Frames: {count}', de: 'Frames: {count}' },
  noFrames: {
    en: 'No bytes since the trace began. Open an asset of the connection to read it.',
    de: 'Keine Bytes seit Beginn des Mitschnitts. Öffnen Sie ein Asset der Verbindung, um es zu lesen.',
  },
  traceHint: {
    en: 'The last 200 frames since this page was opened; of OPC UA, services instead of bytes. The trace ends a minute after the page is closed.',
    de: 'Die letzten 200 Frames seit dem Öffnen dieser Seite; bei OPC UA Dienste statt Bytes. Der Mitschnitt endet eine Minute nach dem Schließen der Seite.',
  },
  direction: { en: 'Direction', de: 'Richtung' },
  SENT: { en: 'sent', de: 'gesendet' },
  RECEIVED: { en: 'received', de: 'empfangen' },
  meaning: { en: 'Meaning', de: 'Bedeutung' },
  noFrame: { en: 'no whole frame', de: 'kein vollständiger Frame' },
  bytes: { en: 'Bytes', de: 'Bytes' },
  details: { en: 'Details', de: 'Details' },
} as const satisfies Readonly<Record<string, Text>>;
