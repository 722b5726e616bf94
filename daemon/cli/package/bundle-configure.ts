import { replaceItem } from '../../interface/configuration/configuration.ts';
import { UsageError } from '../command-error.ts';
import type { SettingOption } from '../command-line.ts';
import { CHANGE_OPTIONS, makeChange } from '../configuration/change.ts';
import type { Invocation } from '../client/client-commands.ts';
import { fetchItems } from '../configuration/configured-item.ts';
import { fetchSchema } from '../configuration/gateway-schema.ts';
import { listSettings } from '../configuration/setting.ts';
import { applySettings, isItem, unsetSetting } from '../configuration/setting-edit.ts';
import type { Item } from '../configuration/setting-edit.ts';
import { toPrintable } from '../terminal/table.ts';
import { formatSettings } from '../configuration/setting-value.ts';

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
  const settings = ((options['set'] ?? []) as readonly string[]).map(parseSetting);
  const current: Item = isItem(before['settings']) ? before['settings'] : {};
  if (settings.length + removed.length === 0) {
    show({ pid, settings: current }, () => `${formatSettings(known)}${formatCurrent(current)}`);
    return;
  }
  const left = removed.reduce((item, name) => unsetSetting(item, name, known), current);
  await makeChange(invocation, {
    endpoint: replaceItem,
    parameters: { section: 'bundles', pid },
    body: { ...before, settings: await applySettings(left, settings, { known, terminal }) },
    etag: bundles.etag,
  });
}

/** @throws {UsageError} */
function parseSetting(text: string): SettingOption {
  const sign = text.indexOf('=');
  if (sign > 0) return { name: text.slice(0, sign), text: text.slice(sign + 1) };
  throw new UsageError(`--set ${text}: expected KEY=VALUE`);
}

function formatCurrent(settings: Item): string {
  const lines = Object.entries(settings).map(([name, value]) => `  ${name}: ${describeValue(value)}\n`);
  return lines.length === 0 ? '\nNothing is set.\n' : `\nSet:\n${toPrintable(lines.join(''))}`;
}

// A secret comes as a marker.
function describeValue(value: unknown): string {
  if (isItem(value) && value['isSet'] === true) return '(secret)';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
