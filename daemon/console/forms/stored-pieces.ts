/** Writing or removing a long text in one step can delay a key by 40 ms. */
const PIECE_CHARACTERS = 16_384;

/** Steps at a time: a key can come while the page is idle. */
const STEPS_MS = 2;

/** Pieces of a text; a new one is written next to the old one, and is valid once this is. */
interface Pieces {
  readonly generation: 0 | 1;
  readonly count: number;
}

/** Steps in the storage; each takes little time. */
type Steps = Generator<void, void>;

/** Outstanding steps by key. */
const outstanding = new Map<string, Steps>();
let isScheduled = false;

/**
 * Writes a text to the storage of the tab instead of the one there, in steps while the page is idle; what is left is done when
 * it is left. If the text is too large, none is stored.
 *
 * @param parts of the text; each is requested when the ones before it are written
 * @param isLeaving true if there is no time for steps
 */
export function storePieces(key: string, parts: Iterable<string>, isLeaving: boolean): void {
  begin(key, writePieces(key, parts));
  if (isLeaving) finish();
}

/** Removes a text; what it consisted of is removed in steps. */
export function removePieces(key: string): void {
  sessionStorage.removeItem(key);
  begin(key, removeAll(key));
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

function begin(key: string, steps: Steps): void {
  outstanding.set(key, steps);
  schedule();
}

function schedule(): void {
  if (isScheduled) return;
  isScheduled = true;
  addEventListener('pagehide', finish);
  // Safari has no idle times.
  if ('requestIdleCallback' in globalThis) requestIdleCallback(goOn);
  else setTimeout(goOn);
}

function goOn(): void {
  isScheduled = false;
  const [first] = outstanding;
  if (first === undefined) return;
  const end = performance.now() + STEPS_MS;
  do step(...first);
  while (outstanding.get(first[0]) === first[1] && performance.now() < end);
  if (outstanding.size > 0) schedule();
}

/** Does all outstanding steps at once. */
function finish(): void {
  for (const [key, steps] of outstanding) while (outstanding.get(key) === steps) step(key, steps);
}

function step(key: string, steps: Steps): void {
  try {
    if (steps.next().done === true) outstanding.delete(key);
  } catch {
    removePieces(key);
  }
}

function* writePieces(key: string, parts: Iterable<string>): Steps {
  const before = findPieces(key);
  const generation = before?.generation === 0 ? 1 : 0;
  let count = 0;
  for (const part of parts) {
    for (let from = 0; from < part.length; from += PIECE_CHARACTERS) {
      sessionStorage.setItem(keyOf(key, generation, count), part.slice(from, from + PIECE_CHARACTERS));
      count += 1;
      yield;
    }
  }
  // Of a longer text that was not finished.
  yield* removeFrom(key, generation, count);
  sessionStorage.setItem(key, JSON.stringify({ generation, count } satisfies Pieces));
  yield;
  yield* removeFrom(key, generation === 0 ? 1 : 0, 0);
}

function* removeAll(key: string): Steps {
  for (const generation of [0, 1] as const) yield* removeFrom(key, generation, 0);
}

/** Removes the last piece first: if another text interrupts this, no piece is left behind a gap. */
function* removeFrom(key: string, generation: Pieces['generation'], first: number): Steps {
  let end = first;
  while (sessionStorage.getItem(keyOf(key, generation, end)) !== null) end += 1;
  for (let index = end - 1; index >= first; index--) {
    sessionStorage.removeItem(keyOf(key, generation, index));
    yield;
  }
}

function findPieces(key: string): Pieces | undefined {
  const found = sessionStorage.getItem(key);
  return found === null ? undefined : (JSON.parse(found) as Pieces);
}

function keyOf(key: string, generation: Pieces['generation'], index: number): string {
  return `penstock.piece\n${key}\n${generation}\n${index}`;
}
