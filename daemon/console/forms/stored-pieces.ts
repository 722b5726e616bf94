/** Writing or removing a long text in one step can delay a key by 40 ms. */
const PIECE_CHARACTERS = 16_384;

/** Pieces of a text; a new one is written next to the old one, and is valid once this is. */
interface Pieces {
  readonly generation: 0 | 1;
  readonly count: number;
}

const running = new Map<string, ReturnType<typeof setTimeout>>();

/**
 * Writes a text to the storage of the tab in steps, instead of the one there. If it is too large, none is stored.
 *
 * @param isLeaving true if there is no time for steps
 */
export function storePieces(key: string, text: string, isLeaving: boolean): void {
  stop(key);
  const steps = writePieces(key, text);
  const goOn = (): void => {
    try {
      for (let step = steps.next(); step.done !== true; step = steps.next()) {
        if (isLeaving) continue;
        running.set(key, setTimeout(goOn));
        return;
      }
      running.delete(key);
    } catch {
      removePieces(key);
    }
  };
  goOn();
}

/** Removes a text. */
export function removePieces(key: string): void {
  stop(key);
  sessionStorage.removeItem(key);
  for (const generation of [0, 1] as const) removeFrom(key, generation, 0);
}

/** Reads all texts whose key has a prefix. */
export function readPieces(prefix: string): ReadonlyMap<string, string> {
  const keys = Object.keys(sessionStorage).filter((key) => key.startsWith(prefix));
  return new Map(
    keys.flatMap((key): readonly (readonly [string, string])[] => {
      const { generation, count } = findPieces(key) ?? { generation: 0, count: 0 };
      const pieces = Array.from({ length: count }, (_, index) =>
        sessionStorage.getItem(keyOf(key, generation, index)),
      );
      return pieces.length === 0 || pieces.includes(null) ? [] : [[key, pieces.join('')]];
    }),
  );
}

function* writePieces(key: string, text: string): Generator<void, void> {
  const before = findPieces(key);
  const generation = before?.generation === 0 ? 1 : 0;
  const count = Math.ceil(text.length / PIECE_CHARACTERS);
  for (let index = 0; index < count; index++) {
    const from = index * PIECE_CHARACTERS;
    sessionStorage.setItem(keyOf(key, generation, index), text.slice(from, from + PIECE_CHARACTERS));
    yield;
  }
  // Of a longer text that was not finished.
  removeFrom(key, generation, count);
  sessionStorage.setItem(key, JSON.stringify({ generation, count } satisfies Pieces));
  for (let index = 0; index < (before?.count ?? 0); index++) {
    yield;
    sessionStorage.removeItem(keyOf(key, generation === 0 ? 1 : 0, index));
  }
}

function stop(key: string): void {
  clearTimeout(running.get(key));
  running.delete(key);
}

function findPieces(key: string): Pieces | undefined {
  const found = sessionStorage.getItem(key);
  return found === null ? undefined : (JSON.parse(found) as Pieces);
}

function removeFrom(key: string, generation: Pieces['generation'], first: number): void {
  for (let index = first; ; index++) {
    const piece = keyOf(key, generation, index);
    if (sessionStorage.getItem(piece) === null) return;
    sessionStorage.removeItem(piece);
  }
}

function keyOf(key: string, generation: Pieces['generation'], index: number): string {
  return `penstock.piece\n${key}\n${generation}\n${index}`;
}
