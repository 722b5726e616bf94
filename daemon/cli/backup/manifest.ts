import { check, z } from '../../base/schema.ts';
import { damaged } from './tar-archive.ts';

const manifestSchema = z.strictObject({
  format: z.literal(1),
  /** Release that made the backup. */
  release: z.string().max(64),
  /** Milliseconds since the epoch. */
  timeMs: z.int(),
  host: z.string().max(255),
  /** User and group of the daemon, whose ids differ between machines. */
  daemon: z.strictObject({ uid: z.int().min(0), gid: z.int().min(0) }),
});

/** Description of a backup. */
export type Manifest = Readonly<z.infer<typeof manifestSchema>>;

/** Name of the first entry of a backup. */
export const MANIFEST_NAME = 'manifest.json';

/** Maximum size of a manifest. */
export const MAXIMUM_MANIFEST_BYTES = 65_536;

/** Formats a manifest. */
export function formatManifest(manifest: Manifest): Buffer {
  return Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`);
}

/**
 * Parses a manifest.
 *
 * @throws {ArchiveError} `ARCHIVE_INVALID` if it is damaged, or has the format of a later release
 */
export function parseManifest(content: Buffer): Manifest {
  const checked = check(manifestSchema, parseJson(content));
  if (checked.faults !== undefined) throw damaged('it is no backup of a gateway that this release knows');
  return checked.value;
}

/** Returns true if a release is later than another one; both in the format 1.2.3. */
export function isLaterRelease(release: string, than: string): boolean {
  const [left, right] = [release, than].map((text) => text.split(/[.+~-]/).map(Number));
  const place = [0, 1, 2].find((index) => left?.[index] !== right?.[index]);
  return place !== undefined && (left?.[place] ?? 0) > (right?.[place] ?? 0);
}

function parseJson(content: Buffer): unknown {
  try {
    return JSON.parse(content.toString());
  } catch {
    return undefined;
  }
}
