import { z } from '../../daemon/base/schema.ts';
import { parseNodeId } from './node-id.ts';

/** The schema of the options of a scan. */
export const scanOptionsSchema = z.strictObject({
  node: z
    .string()
    .max(8192)
    .refine((text) => parseNodeId(text) !== undefined, 'expected a NodeId, as nsu=urn:maker:device;s=Boiler')
    .optional()
    .describe('The node below which variables are looked for; the folder Objects if absent'),
  depth: z.int().min(1).max(50).default(10).describe('Levels below that node'),
  maximumVariables: z
    .int()
    .min(1)
    .max(10_000)
    .default(1000)
    .describe('Number of variables after which the scan ends'),
});

/** Options of a scan, defaults filled in. */
export type ScanOptions = Readonly<z.infer<typeof scanOptionsSchema>>;
