import schema from '../../../bundles/penstock-mqtt/settings.schema.json' with { type: 'json' };
import type { DeclaredSettings } from '../../../bundles/mqtt/settings/settings-reader.ts';
import { parseDeclaredSchema } from '../../../daemon/software/bundle/declared-schema.ts';

const checker = parseDeclaredSchema('penstock-mqtt', schema);

/**
 * Returns settings as the gateway delivers them: checked by the schema of the bundle, with its defaults.
 *
 * @throws if the schema refuses them
 */
export function declareSettings(settings: DeclaredSettings = {}): DeclaredSettings {
  return checker.parse({ brokers: ['mqtt://127.0.0.1'], recorders: ['fast'], ...settings });
}
