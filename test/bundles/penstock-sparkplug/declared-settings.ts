import schema from '../../../bundles/penstock-sparkplug/settings.schema.json' with { type: 'json' };
import type { DeclaredSettings } from '../../../bundles/mqtt/settings/settings-reader.ts';
import { readSettings } from '../../../bundles/penstock-sparkplug/settings.ts';
import type { SparkplugSettings } from '../../../bundles/penstock-sparkplug/settings.ts';
import { parseDeclaredSchema } from '../../../daemon/software/bundle/declared-schema.ts';

const checker = parseDeclaredSchema('penstock-sparkplug', schema);

/**
 * Returns settings as the gateway delivers them: checked by the schema of the bundle, with its defaults.
 *
 * @throws if the schema refuses them
 */
export function declareSettings(settings: DeclaredSettings = {}): DeclaredSettings {
  return checker.parse({ brokers: ['mqtt://127.0.0.1'], recorders: ['fast'], ...settings });
}

/** Returns settings for brokers on the loopback. */
export function makeSettings(ports: readonly number[], declared: DeclaredSettings = {}): SparkplugSettings {
  const brokers = ports.map((port) => `mqtt://127.0.0.1:${port}`);
  return readSettings(declareSettings({ brokers, ...declared }), 'north');
}
