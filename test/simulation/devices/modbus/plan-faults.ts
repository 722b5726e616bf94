import type { Random } from '../../world/random.ts';
import type { PlannedFault } from '../../world/truth.ts';

/** A kind of fault that a thing can have. */
export interface FaultKind {
  /** How often it comes, against the other kinds. */
  readonly weight: number;
  /** Milliseconds that it lasts: at least, and at most. */
  readonly lastsMs: readonly [number, number];
  /** Draws one: its text, and what begins it and returns what ends it. */
  readonly draw: (random: Random) => Pick<PlannedFault, 'text' | 'begin'>;
}

export interface FaultPlan {
  /** Name of the thing in ids and texts. */
  readonly name: string;
  readonly random: Random;
  readonly endMs: number;
  /** Milliseconds from the end of one fault to the next, on average. */
  readonly meanPauseMs: number;
  readonly kinds: Readonly<Record<string, FaultKind>>;
}

/** Draws the faults of one thing: one after the other, at any time, more short ones than long ones. */
export function planFaults({ name, random, endMs, meanPauseMs, kinds }: FaultPlan): readonly PlannedFault[] {
  const names = Object.keys(kinds);
  if (names.length === 0) return [];
  const weights = Object.fromEntries(names.map((kind) => [kind, kinds[kind]?.weight ?? 0]));
  const faults: PlannedFault[] = [];
  for (let startMs = random.exponential(meanPauseMs); startMs < endMs;) {
    const kind = kinds[random.pickWeighted(weights)];
    if (kind === undefined) break;
    const [leastMs, mostMs] = kind.lastsMs;
    const lastsMs = leastMs * (mostMs / leastMs) ** random.fraction();
    const id = `${name}#${faults.length}`;
    const { text, begin } = kind.draw(random.branch(id));
    faults.push({ id, startMs, endMs: startMs + lastsMs, text: `${name} ${text}`, begin });
    startMs += lastsMs + random.exponential(meanPauseMs);
  }
  return faults;
}

/** Joins what ends several things. */
export function endAll(...ends: readonly (() => void)[]): () => void {
  return () => {
    for (const end of ends) end();
  };
}
