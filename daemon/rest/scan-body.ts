import { z } from '../base/schema.ts';
import { jsonBody } from '../interface/endpoint.ts';

const MAXIMUM_BYTES = 65_536;

const wish = {
  options: z.record(z.string(), z.unknown()).default({}).describe('Options of the kind of driver'),
  limitSeconds: z
    .int()
    .min(1)
    .max(86_400)
    .default(900)
    .describe('Seconds after which the scan ends with what was found until then'),
};

/** The body of the scan of a configured connection. */
export const connectionScanBody = jsonBody(
  z.strictObject(wish).meta({ id: 'ConnectionScan' }),
  MAXIMUM_BYTES,
);

/** The body of the scan of a device that need not be configured. */
export const deviceScanBody = jsonBody(
  z
    .strictObject({
      type: z.string().describe('Kind of driver'),
      settings: z.record(z.string(), z.unknown()).describe('Settings of a driver, as far as they are known'),
      ...wish,
    })
    .meta({ id: 'DeviceScan' }),
  MAXIMUM_BYTES,
);
