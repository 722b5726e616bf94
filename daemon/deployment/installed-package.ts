import { z } from '../base/schema.ts';

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

/** A file of an installed package: its path below the directory of the version. */
const storedFile = z.strictObject({ path: z.string(), sizeBytes: z.int(), sha256 });

const storedBundle = z.strictObject({
  symbolicName: z.string(),
  version: z.string(),
  /** Path of its entry in the package. */
  path: z.string(),
  /** SHA-256 of the entry; what makes two bundles of one version the same. */
  sha256,
  /** Where its files are below the directory of the version: its unpacked content, or the archive as it came. */
  location: z.string(),
  main: z.string().optional(),
  permissions: z.string(),
});

const storedResource = z.strictObject({
  path: z.string(),
  sha256,
  /** Where it is below the directory of the version. */
  location: z.string(),
  processor: z.string().optional(),
});

/** What is known of an installed package; its being in the ledger makes it installed. */
export const installedPackageSchema = z.strictObject({
  name: z.string(),
  version: z.string(),
  /** Name of its directory below that of the package. */
  directory: z.string(),
  /** Place in the order of installation; an update keeps it. */
  position: z.int(),
  /** SHA-256 of the file that it came from. */
  sha256,
  /** Where it came from; absent: it was sent. */
  url: z.string().optional(),
  installedAtMs: z.number(),
  /** Common name of the signer, when the package was signed and the signer is trusted. */
  signer: z.string().optional(),
  bundles: z.array(storedBundle),
  resources: z.array(storedResource),
  /** Every file below its directory, in the order of paths. */
  files: z.array(storedFile),
});

export type InstalledPackage = z.infer<typeof installedPackageSchema>;
export type StoredBundle = InstalledPackage['bundles'][number];
export type StoredResource = InstalledPackage['resources'][number];
export type StoredFile = InstalledPackage['files'][number];
