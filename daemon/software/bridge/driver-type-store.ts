import { readChecksummedFile, writeChecksummedFile } from '../../base/file/checksummed-file.ts';
import { z } from '../../base/schema.ts';
import type { DriverDeclaration } from './driver-declaration.ts';

const fileSchema = z.array(
  z.object({ type: z.string(), bundle: z.string(), settings: z.unknown(), address: z.unknown() }),
);

/** Stores the driver types that bundles have declared, so that a configuration can be checked before the bundles run. */
export interface DriverTypeStore {
  /** Lists the declarations of this run and earlier ones. */
  list(): readonly DriverDeclaration[];
  /**
   * Adds a declaration, or replaces the one of the same type; the file is synced when this resolves.
   *
   * @throws when the file cannot be written; the declaration is not stored then
   */
  put(declaration: DriverDeclaration): Promise<void>;
  /**
   * Removes the declarations of these types; the file is synced when this resolves.
   *
   * @throws when the file cannot be written; the declarations stay stored then
   */
  remove(types: ReadonlySet<string>): Promise<void>;
}

/**
 * Opens a file of declarations. It is a separate file, not a table, so that a configuration can be checked while a daemon runs.
 * A missing or damaged file counts as empty: bundles declare their driver types again at each start.
 *
 * @throws when the file cannot be read
 */
export async function openDriverTypeStore(file: string): Promise<DriverTypeStore> {
  const found = await readChecksummedFile(file, fileSchema);
  let declarations: readonly DriverDeclaration[] = found.state === 'INTACT' ? found.value : [];
  let writing = Promise.resolve();
  function change(derive: () => readonly DriverDeclaration[]): Promise<void> {
    const written = writing.then(async () => {
      const changed = derive();
      await writeChecksummedFile(file, changed);
      declarations = changed;
    });
    writing = written.catch(() => undefined);
    return written;
  }
  return {
    list: () => declarations,
    put: (declaration) =>
      change(() => {
        const others = declarations.filter(({ type }) => type !== declaration.type);
        return [...others, declaration].sort((a, b) => (a.type < b.type ? -1 : 1));
      }),
    remove: (types) => change(() => declarations.filter(({ type }) => !types.has(type))),
  };
}
