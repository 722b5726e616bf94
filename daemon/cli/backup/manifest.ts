import { check, z } from '../../base/schema.ts';
import { damaged } from './tar-archive.ts';

const manifestSchema = z.strictObject({
  format: z.literal(1),
  /** Release that made the backup. */
  release: z.string().max(64),
  /** Milliseconds since the epoch. */
  timeMs: z.int(),
  host: z.string().max(255),
  /** The user and group of the daemon, whose numbers differ from machine to machine. */
  daemon: z.strictObject({ uid: z.int().min(0), gid: z.int().min(0) }),
});

/** What a backup says of itself. */
export type Manifest = Readonly<z.infer<typeof manifestSchema>>;

/** Name of the first entry of a backup. */
export const MANIFEST_NAME = 'manifest.json';

/** Largest manifest that is read. */
export const MAXIMUM_MANIFEST_BYTES = 65_536;

/** Writes a manifest. */
export function formatManifest(manifest: Manifest): Buffer {
  return Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`);
}

/**
 * Reads a manifest.
 *
 * @throws {ArchiveError} `ARCHIVE_INVALID` when it is none, or of a form that only a later release knows
 */
export function parseManifest(content: Buffer): Manifest {
  const checked = check(manifestSchema, parseJson(content));
  if (checked.faults !== undefined) throw damaged('it is no backup of a gateway that this release knows');
  return checked.value;
}

/** Returns whether a release came after another one; both of the form 1.2.3. */
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
