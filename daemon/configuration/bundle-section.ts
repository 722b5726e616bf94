import { placeFault } from '../base/fault-reason.ts';
import { check } from '../base/schema.ts';
import type { Fault, z } from '../base/schema.ts';
import { UnreadableSecret } from '../base/key/secret-key.ts';
import { createFinding } from '../interface/finding.ts';
import type { Finding } from '../interface/finding.ts';
import type { BundleSettingsItem } from '../settings/bundle-settings.ts';

/** An installed bundle that has settings. */
export interface ConfigurableBundle {
  /** Symbolic name. */
  readonly name: string;
  readonly settingsSchema: z.ZodType<Record<string, unknown>>;
}

/** Sections `bundles` with the defaults filled in, and its faults. */
interface CheckedBundles {
  readonly items: readonly BundleSettingsItem[];
  readonly faults: readonly Fault[];
}

/**
 * Checks the settings of the bundles that are installed. Those of others are accepted as they are: a document may be applied before
 * the packages are installed.
 */
export function checkBundles(
  bundles: readonly ConfigurableBundle[],
  items: readonly BundleSettingsItem[],
): CheckedBundles {
  const faults: Fault[] = [];
  const checked = items.map((item, index) => {
    const schema = bundles.find(({ name }) => name === item.pid)?.settingsSchema;
    if (schema === undefined) return item;
    // What the key cannot open is reported as a warning, and the bundle waits for it.
    if (Object.values(item.settings).some((value) => value instanceof UnreadableSecret)) return item;
    const { value, faults: found } = check(schema, item.settings);
    for (const fault of found ?? []) faults.push(placeFault(['bundles', index, 'settings'], fault));
    return value === undefined ? item : { ...item, settings: value };
  });
  return { items: checked, faults };
}

/** Warns of settings that are not checked, and of secrets that cannot be read. */
export function listBundleWarnings(
  bundles: readonly ConfigurableBundle[],
  items: readonly BundleSettingsItem[],
): readonly Finding[] {
  return items.flatMap(({ pid, settings }) => {
    if (!bundles.some(({ name }) => name === pid))
      return [createFinding('BUNDLE_UNCHECKED', { bundle: pid })];
    return Object.entries(settings)
      .filter(([, value]) => value instanceof UnreadableSecret)
      .map(([key]) => createFinding('BUNDLE_SECRET_UNREADABLE', { bundle: pid, secret: key }));
  });
}
