import { DocumentRefused, UsageError } from './command-error.ts';
import type { SettingOption } from './command-line.ts';

/** Items that the options of a command describe, by the way to their settings in the configuration. */
const WAYS = {
  driver: /^drivers\[\d+\]\./,
  // Channels of an asset are not on its command line.
  asset: /^assets\[\d+\]\.(?!channels\b)/,
  channel: /^assets\[\d+\]\.channels\[\d+\]\./,
} as const;

/** Words of a command that are settings as well. */
const WORDS: Readonly<Record<string, string>> = { pid: 'PID', name: 'CHANNEL' };

/**
 * Names the settings that the gateway has refused as they were typed: `--port 99999: expected at most 65535`.
 *
 * @param settings the options of the command that are settings
 * @returns an error of usage; the same error if it is about something else
 */
export function nameRefusedSettings(
  error: unknown,
  kind: keyof typeof WAYS,
  settings: readonly SettingOption[],
): unknown {
  if (!(error instanceof DocumentRefused)) return error;
  const way = WAYS[kind];
  const { faults } = error;
  if (faults.length === 0 || !faults.every(({ path }) => way.test(path))) return error;
  const named = faults.map(({ path, message }) => {
    const name = nameSetting(path.replace(way, ''), settings);
    return message.startsWith('is ') ? `${name} ${message}` : `${name}: ${message}`;
  });
  return new UsageError(named.join('\n  '));
}

function nameSetting(key: string, settings: readonly SettingOption[]): string {
  const word = WORDS[key];
  if (word !== undefined) return word;
  const parameter = /^parameters\.(.*)$/s.exec(key)?.[1];
  if (parameter !== undefined) return `--parameter ${parameter}`;
  const wanted = normalize(key);
  const typed = settings.findLast(({ name }) => `.${wanted}`.endsWith(`.${normalize(name)}`));
  if (typed === undefined) return `--${key.replace(/^address\./, '')}`;
  return typed.text === undefined ? `--${typed.name}` : `--${typed.name} ${typed.text}`;
}

function normalize(name: string): string {
  return name.replaceAll('-', '').toLowerCase();
}
