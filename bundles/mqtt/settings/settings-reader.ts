/** Settings that match the schema of a bundle, with its defaults. */
export type DeclaredSettings = Readonly<Record<string, unknown>>;

/** Settings that cannot be used; the message names the setting. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}

/** Reads settings by name. */
export interface SettingsReader {
  /** Undefined if it is absent or empty. */
  text(name: string): string | undefined;
  texts(name: string): readonly string[];
  number(name: string): number;
}

/** Returns a reader, whose methods throw {@link SettingsError} for a setting of another type. */
export function createSettingsReader(declared: DeclaredSettings): SettingsReader {
  const fail = (name: string, expected: string): never => {
    throw new SettingsError(`${name}: expected ${expected}`);
  };
  return {
    text(name) {
      const value = declared[name];
      if (value === undefined || value === '') return undefined;
      return typeof value === 'string' ? value : fail(name, 'text');
    },
    texts(name) {
      const values = declared[name] ?? [];
      if (!Array.isArray(values)) return fail(name, 'a list');
      return values.map((value) => (typeof value === 'string' ? value : fail(name, 'a list of texts')));
    },
    number(name) {
      const value = declared[name];
      return typeof value === 'number' ? value : fail(name, 'a number');
    },
  };
}

/**
 * Reads `recorders`, the names of the recorders whose samples are sent.
 *
 * @throws {SettingsError} for none, and for one that is named twice
 */
export function readRecorders(read: SettingsReader): readonly string[] {
  const names = read.texts('recorders');
  if (names.length === 0) throw new SettingsError('recorders: at least one is required');
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new SettingsError(`recorders: "${twice}" is named twice`);
  return names;
}
