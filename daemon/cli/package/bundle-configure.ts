import { setTimeout as wait } from 'node:timers/promises';

import { replaceItem } from '../../interface/configuration/configuration.ts';
import { listBundles } from '../../interface/software/bundles.ts';
import type { Bundle } from '../../interface/software/bundles.ts';
import { CommandError, Refused, UsageError } from '../command-error.ts';
import type { SettingOption } from '../command-line.ts';
import { CHANGE_OPTIONS, makeChange } from '../configuration/change.ts';
import type { Invocation } from '../client/client-commands.ts';
import { fetchItems } from '../configuration/configured-item.ts';
import { fetchSchema } from '../configuration/gateway-schema.ts';
import { findSetting, listSettings } from '../configuration/setting.ts';
import type { Setting } from '../configuration/setting.ts';
import { applySettings, isItem, unsetSetting } from '../configuration/setting-edit.ts';
import type { Item } from '../configuration/setting-edit.ts';
import { toPrintable } from '../terminal/table.ts';
import { readTextFile } from '../terminal/text-file.ts';
import { formatSettings } from '../configuration/setting-value.ts';

/** A setting is no option of its own. */
const TERMS = { term: 'setting', prefix: '' };

/** A bundle has 30 seconds to accept settings. */
const VERDICT_LIMIT_MS = 32_000;
const VERDICT_PAUSE_MS = 100;
const STARTING: ReadonlySet<Bundle['state']> = new Set(['STARTING', 'STOPPING']);

const PEM = /-----BEGIN ([A-Z0-9 ]+)-----[^]+?-----END \1-----/;

/** Settings are no options of their own: many are named like those of the connection, such as `url`. */
export const CONFIGURE_OPTIONS = {
  set: { value: 'KEY=VALUE', help: 'setting to change', isRepeated: true },
  unset: { value: 'KEY', help: 'reset a setting to its default', isRepeated: true },
  ...CHANGE_OPTIONS,
} as const;

/** Changes settings of a bundle; without any, lists those that it has. */
export async function configureBundle(invocation: Invocation): Promise<void> {
  const { client, words, options, terminal, show } = invocation;
  const [pid = ''] = words;
  const bundles = await fetchItems(client, 'bundles');
  const before = bundles.items.find((item) => item['pid'] === pid) ?? { pid };
  const known = listSettings((await fetchSchema(client)).getBundle(pid));
  const removed = (options['unset'] ?? []) as readonly string[];
  const settings = await Promise.all(
    ((options['set'] ?? []) as readonly string[]).map((text) => readSetting(parseSetting(text), known)),
  );
  const current: Item = isItem(before['settings']) ? before['settings'] : {};
  if (settings.length + removed.length === 0) {
    show({ pid, settings: current }, () => `${formatKnown(known)}${formatCurrent(current)}`);
    return;
  }
  const left = removed.reduce((item, name) => unsetSetting(item, name, known, TERMS), current);
  await makeChange(invocation, {
    endpoint: replaceItem,
    parameters: { section: 'bundles', pid },
    body: { ...before, settings: await applySettings(left, settings, { known, terminal, prefix: '--set ' }) },
    etag: bundles.etag,
    next: '"penstock bundle list" shows what the bundle reports',
  });
  if (options['dry-run'] !== true) await awaitVerdict(client, pid);
}

/**
 * Waits until the bundle has accepted the settings, or started with them.
 *
 * @throws {CommandError} `BUNDLE_SETTINGS_REFUSED`
 */
async function awaitVerdict(client: Invocation['client'], name: string): Promise<void> {
  for (const endMs = performance.now() + VERDICT_LIMIT_MS; performance.now() < endMs;) {
    const bundles = await client.call(listBundles).catch((error: unknown) => {
      // Who may change the configuration may not always see bundles.
      if (error instanceof Refused) return [];
      throw error;
    });
    const bundle = bundles.find((each) => each.name === name);
    if (bundle === undefined) return;
    const verdict = findVerdict(bundle);
    if (verdict === 'OTHER') return;
    if (verdict !== undefined) {
      const consequence = 'they are saved, and the bundle does not use them';
      throw new CommandError({
        code: 'BUNDLE_SETTINGS_REFUSED',
        detail: `the bundle refuses the settings: ${toPrintable(verdict.fault)}; ${consequence}`,
      });
    }
    await wait(VERDICT_PAUSE_MS);
  }
}

/** Returns the fault that a bundle found in its settings, or OTHER if it found none; undefined: it has not looked yet. */
function findVerdict({
  settings,
  state,
  status,
  cause,
}: Bundle): 'OTHER' | { readonly fault: string } | undefined {
  if (settings?.state === 'PENDING' || STARTING.has(state)) return undefined;
  // It may have waited for these settings, and starts with them.
  if (state === 'INSTALLED' && cause === undefined) return undefined;
  if (settings?.state === 'REFUSED') return { fault: settings.detail ?? '' };
  if (settings !== undefined || state !== 'ACTIVE') return 'OTHER';
  // It has started with them, and reports first what it thinks of them.
  if (status === undefined) return undefined;
  const check = status.checks?.find((each) => each.name === 'settings' && each.state === 'ERROR');
  return check === undefined ? 'OTHER' : { fault: check.detail };
}

/** @throws {UsageError} */
function parseSetting(text: string): SettingOption {
  const sign = text.indexOf('=');
  if (sign > 0) return { name: text.slice(0, sign), text: text.slice(sign + 1) };
  throw new UsageError(`--set ${text}: expected KEY=VALUE`);
}

/**
 * Reads a setting that is in a file: the text of it, or the PEM texts of a list, else its lines. Secrets are read elsewhere.
 *
 * @throws {UsageError} for an unknown setting
 * @throws {CommandError} `FILE_UNREADABLE`
 */
async function readSetting({ name, text }: SettingOption, known: readonly Setting[]): Promise<SettingOption> {
  const { types, isSecret } = findSetting(name, known, TERMS);
  if (isSecret || text === undefined) return { name, text };
  const isOfFile = text.startsWith('@');
  const isList = types.has('array');
  if (!isOfFile && !(isList && PEM.test(text))) return { name, text };
  const content = isOfFile ? await readTextFile(text.slice(1)) : text;
  if (!isList) return { name, text: content.trimEnd() };
  return { name, text: JSON.stringify(splitList(content)) };
}

function splitList(content: string): readonly string[] {
  const texts = content.match(new RegExp(PEM, 'g'));
  return texts?.map((text) => `${text}\n`) ?? content.split(/\r?\n/).filter((line) => line.trim() !== '');
}

/** Formats the settings that the bundle has: without dashes, because they are values of `--set`. */
function formatKnown(known: readonly Setting[]): string {
  const settings = formatSettings(known).replaceAll(/^ {2}--/gm, '    ');
  return `Settings, for --set KEY=VALUE (a text or list also from a file: KEY=@FILE):\n${settings}`;
}

function formatCurrent(settings: Item): string {
  const lines = Object.entries(settings).map(([name, value]) => `    ${name}: ${describeValue(value)}\n`);
  return lines.length === 0 ? '\nNothing is set.\n' : `\nSet:\n${lines.join('')}`;
}

// A secret comes as a marker.
function describeValue(value: unknown): string {
  if (isItem(value) && value['isSet'] === true) return '(secret)';
  const values = Array.isArray(value) ? value : [value];
  return values
    .map((each) => (typeof each === 'string' ? each : JSON.stringify(each)))
    .map((text) => (PEM.test(text) ? describePem(text) : toPrintable(text)))
    .join(', ');
}

function describePem(text: string): string {
  const [, label = ''] = /BEGIN ([A-Z0-9 ]+)-/.exec(text) ?? [];
  return `(PEM: ${label.toLowerCase()}, ${text.length} characters)`;
}
