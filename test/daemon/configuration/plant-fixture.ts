import { z } from '../../../daemon/base/schema.ts';
import type { DriverFactory } from '../../../daemon/channel/driver.ts';
import type { LocatedFault } from '../../../daemon/settings/settings-error.ts';
import { formatPath } from '../../../daemon/base/schema.ts';
import type { ProvisionSource } from '../../../daemon/settings/settings-file.ts';
import { parseYaml } from '../../../daemon/settings/yaml-document.ts';
import { findPosition } from '../../../daemon/settings/yaml-positions.ts';

const configSchema = z.strictObject({
  host: z.string(),
  port: z.int().min(1).max(65_535).default(502),
  password: z.string().meta({ writeOnly: true }).optional(),
});
const addressSchema = z.strictObject({ offset: z.int().min(0) });

/** A kind of driver with a few settings; it is only configured here, never created. */
const bench: DriverFactory = {
  type: 'bench',
  configSchema,
  addressSchema,
  describe: () => 'bench',
  checkChannel: () => [],
  create: () => {
    throw new Error('a configuration creates no driver');
  },
};

export const FACTORIES: readonly DriverFactory[] = [bench];

/** A document with one driver and one asset. */
export const PLANT = {
  drivers: [{ pid: 'line1', type: 'bench', host: '192.0.2.7' }],
  assets: [
    {
      pid: 'boiler',
      driver: 'line1',
      channels: [{ name: 'flow', type: 'READ', valueType: 'INTEGER', address: { offset: 1 } }],
    },
  ],
};

/** Creates a provision source as the settings file does. */
export function createSource(name: string, text: string): ProvisionSource {
  const document = parseYaml(Buffer.from(text));
  return {
    name,
    value: document.value,
    locate: ({ path, message }): LocatedFault => ({
      file: name,
      line: findPosition(document.value, document.positions, path).line,
      key: formatPath(path),
      message,
    }),
  };
}
