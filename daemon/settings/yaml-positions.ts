/** A place in a text; both count from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/**
 * Positions of a value and of everything inside it, in the order in which they stand: the top comes first, and what is inside a
 * part follows it.
 */
export interface Positions {
  readonly lines: Uint32Array;
  readonly columns: Uint32Array;
  /** Number of the first part that is no longer inside. */
  readonly ends: Uint32Array;
}

/** Collects positions while a text is read. */
export class PositionRecorder {
  readonly #lines: number[] = [];
  readonly #columns: number[] = [];
  readonly #ends: number[] = [];

  /** Notes the place of a part, and of all that `read` reads inside it. */
  record<T>({ line, column }: Position, read: () => T): T {
    const number = this.#lines.push(line) - 1;
    this.#columns.push(column);
    this.#ends.push(0);
    const value = read();
    this.#ends[number] = this.#lines.length;
    return value;
  }

  finish(): Positions {
    return {
      lines: Uint32Array.from(this.#lines),
      columns: Uint32Array.from(this.#columns),
      ends: Uint32Array.from(this.#ends),
    };
  }
}

/**
 * Returns the position of a part of a value.
 *
 * @param value what `positions` belong to
 * @returns the place of the part, or of the nearest one around it that is there
 */
export function findPosition(
  value: unknown,
  { lines, columns, ends }: Positions,
  path: readonly (string | number)[],
): Position {
  let number = 0;
  let part = value;
  for (const key of path) {
    const steps = countBefore(part, key);
    if (steps === undefined) break;
    number += 1;
    for (let step = 0; step < steps; step += 1) number = ends[number] ?? number;
    part = (part as Record<string | number, unknown>)[key];
  }
  return { line: lines[number] ?? 1, column: columns[number] ?? 1 };
}

/** Counts the parts beside `key` that come before it; undefined when it is not there, or their order is not known. */
function countBefore(container: unknown, key: string | number): number | undefined {
  if (Array.isArray(container)) return typeof key === 'number' && key < container.length ? key : undefined;
  if (typeof container !== 'object' || container === null) return undefined;
  const keys = Object.keys(container);
  // An object has keys that look like indices first, wherever they stand in the text.
  if (keys.some((name) => /^\d+$/.test(name))) return undefined;
  const place = keys.indexOf(String(key));
  return place < 0 ? undefined : place;
}
