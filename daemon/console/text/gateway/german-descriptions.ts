import { GERMAN_CHANNELS } from './descriptions/channels.ts';
import { GERMAN_CONNECTIONS } from './descriptions/connections.ts';
import { GERMAN_SERIAL } from './descriptions/serial.ts';
import { GERMAN_SETTINGS } from './descriptions/settings.ts';
import { GERMAN_TEMPLATES } from './descriptions/templates.ts';

/** Descriptions of settings, and titles of device templates, in German, by the English words. Loaded on demand: most pages show none. */
export const GERMAN_DESCRIPTIONS: Readonly<Record<string, string>> = {
  ...GERMAN_CONNECTIONS,
  ...GERMAN_SERIAL,
  ...GERMAN_CHANNELS,
  ...GERMAN_SETTINGS,
  ...GERMAN_TEMPLATES,
};
