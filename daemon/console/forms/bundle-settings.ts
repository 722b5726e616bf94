import { isSecretMarker } from './secret.ts';
import { isPlain, readFields } from './schema.ts';
import type { Field, Schema } from './schema.ts';

type Settings = Readonly<Record<string, unknown>>;

/**
 * Lists the form fields of a bundle's settings; undefined if no bundle of this name with settings is installed.
 *
 * @param configuration configuration schema of the gateway
 */
export function listBundleFields(configuration: Schema, name: string): readonly Field[] | undefined {
  const bundle = (configuration.properties?.['bundles']?.items?.anyOf ?? []).find(
    ({ properties }) => properties?.['pid']?.const === name,
  );
  const settings = bundle?.properties?.['settings'];
  if (settings === undefined) return undefined;
  const { properties = {}, required = [] } = settings;
  return Object.entries(properties)
    .filter(([, schema]) => isPlain(schema))
    .map(([key, schema]) => ({ name: key, schema, isRequired: required.includes(key) }));
}

/** Returns the settings with the texts of a form. Lists, and secrets that were not entered again, stay as they are. */
export function mergeTexts(
  fields: readonly Field[],
  settings: Settings,
  texts: Readonly<Record<string, string>>,
): Settings {
  const names = new Set(fields.map(({ name }) => name));
  const kept = Object.entries(settings).filter(([name, value]) => !names.has(name) || isSecretMarker(value));
  return { ...Object.fromEntries(kept), ...readFields(fields, texts) };
}
