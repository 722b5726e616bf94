/** Position in a text, counted from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/**
 * Positions of a value and its nested parts in document order: a part precedes the parts inside it.
 */
export interface Positions {
  readonly lines: Uint32Array;
  readonly columns: Uint32Array;
  /** Index of the first part after the nested ones. */
  readonly ends: Uint32Array;
}

/** Collects positions while a text is parsed. */
export class PositionRecorder {
  readonly #lines: number[] = [];
  readonly #columns: number[] = [];
  readonly #ends: number[] = [];

  /** Records the position of a part and of the parts that `read` records inside it. */
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
 * @param value the value of `positions`
 * @returns the position of the part, or of its nearest existing ancestor
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

/** Counts the siblings before `key`; undefined if it is absent or their order is unknown. */
function countBefore(container: unknown, key: string | number): number | undefined {
  if (Array.isArray(container)) return typeof key === 'number' && key < container.length ? key : undefined;
  if (typeof container !== 'object' || container === null) return undefined;
  const keys = Object.keys(container);
  // JavaScript moves index-like keys to the front of an object.
  if (keys.some((name) => /^\d+$/.test(name))) return undefined;
  const place = keys.indexOf(String(key));
  return place < 0 ? undefined : place;
}
