import { z } from '../../base/schema.ts';
import {
  sha256Schema,
  storedBundleSchema,
  storedFileSchema,
  storedResourceSchema,
} from '../package/archive/stored-entry.ts';

/** Record of an installed package. A package is installed if its record exists. */
export const installedPackageSchema = z.strictObject({
  name: z.string(),
  version: z.string(),
  /** Name of its directory below that of the package. */
  directory: z.string(),
  /** Position in the order of installation; an update keeps it. */
  position: z.int(),
  /** SHA-256 of the file of the package. */
  sha256: sha256Schema,
  /** Source of the package; absent: a client sent it. */
  url: z.string().optional(),
  installedAtMs: z.number(),
  /** Common name of the trusted signer, if any. */
  signer: z.string().optional(),
  bundles: z.array(storedBundleSchema),
  resources: z.array(storedResourceSchema),
  /** Every file below its directory, sorted by path. */
  files: z.array(storedFileSchema),
});

export type InstalledPackage = z.infer<typeof installedPackageSchema>;
