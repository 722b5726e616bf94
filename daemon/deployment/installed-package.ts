import { z } from '../base/schema.ts';
import {
  sha256Schema,
  storedBundleSchema,
  storedFileSchema,
  storedResourceSchema,
} from '../package/stored-entry.ts';

/** What is known of an installed package; its being in the ledger makes it installed. */
export const installedPackageSchema = z.strictObject({
  name: z.string(),
  version: z.string(),
  /** Name of its directory below that of the package. */
  directory: z.string(),
  /** Place in the order of installation; an update keeps it. */
  position: z.int(),
  /** SHA-256 of the file that it came from. */
  sha256: sha256Schema,
  /** Where it came from; absent: it was sent. */
  url: z.string().optional(),
  installedAtMs: z.number(),
  /** Common name of the signer, when the package was signed and the signer is trusted. */
  signer: z.string().optional(),
  bundles: z.array(storedBundleSchema),
  resources: z.array(storedResourceSchema),
  /** Every file below its directory, in the order of paths. */
  files: z.array(storedFileSchema),
});

export type InstalledPackage = z.infer<typeof installedPackageSchema>;
