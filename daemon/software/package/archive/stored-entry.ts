import { z } from '../../../base/schema.ts';

/** Lower-case hexadecimal. */
export const sha256Schema = z.string().regex(/^[0-9a-f]{64}$/);

/** A file of an installed package: its path below the directory of the version. */
export const storedFileSchema = z.strictObject({
  path: z.string(),
  sizeBytes: z.int(),
  sha256: sha256Schema,
});

/** A bundle of an installed package. */
export const storedBundleSchema = z.strictObject({
  symbolicName: z.string(),
  version: z.string(),
  /** Path of its entry in the package. */
  path: z.string(),
  /** SHA-256 of the entry: two bundles of one version are the same when it is equal. */
  sha256: sha256Schema,
  /** Path below the directory of the version: of its unpacked content, or of the unchanged archive. */
  location: z.string(),
  main: z.string().optional(),
  /** Headers `Penstock-Permissions` and `Penstock-Identities`. */
  permissions: z.string(),
  identities: z.string().optional(),
  /** JSON Schema of its settings, which `Penstock-Settings` names. */
  settings: z.record(z.string(), z.unknown()).optional(),
  /** Headers `Penstock-Memory`, in MiB, and `Penstock-Interface`. */
  memoryMib: z.int().optional(),
  interfaceVersion: z.int().optional(),
});

/** A resource of an installed package. */
export const storedResourceSchema = z.strictObject({
  path: z.string(),
  sha256: sha256Schema,
  /** Path below the directory of the version. */
  location: z.string(),
  processor: z.string().optional(),
});

export type StoredBundle = z.infer<typeof storedBundleSchema>;
export type StoredResource = z.infer<typeof storedResourceSchema>;
export type StoredFile = z.infer<typeof storedFileSchema>;
