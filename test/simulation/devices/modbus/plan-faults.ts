import type { Random } from '../../world/random.ts';
import type { KeptFault, PlannedFault } from '../../world/truth.ts';

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
  /** Faults that come instead of drawn ones. */
  readonly kept?: readonly KeptFault[] | undefined;
}

type Times = Omit<KeptFault, 'text'>;

/** Draws the faults of one thing: one after the other, at any time, more short ones than long ones. */
export function planFaults(plan: FaultPlan): readonly PlannedFault[] {
  const { name, random, kinds, kept } = plan;
  const times = kept?.filter(({ id }) => id.startsWith(`${name}#`)) ?? drawTimes(plan);
  return times.flatMap(({ id, kind, startMs, endMs }) => {
    const drawn = kinds[kind]?.draw(random.branch(id));
    if (drawn === undefined) return [];
    return [{ id, kind, startMs, endMs, text: `${name} ${drawn.text}`, begin: drawn.begin }];
  });
}

function drawTimes({ name, random, endMs, meanPauseMs, kinds }: FaultPlan): readonly Times[] {
  const names = Object.keys(kinds);
  if (names.length === 0) return [];
  const weights = Object.fromEntries(names.map((kind) => [kind, kinds[kind]?.weight ?? 0]));
  const times: Times[] = [];
  for (let startMs = random.exponential(meanPauseMs); startMs < endMs;) {
    const kind = random.pickWeighted(weights);
    const [leastMs, mostMs] = kinds[kind]?.lastsMs ?? [1, 1];
    const lastsMs = leastMs * (mostMs / leastMs) ** random.fraction();
    times.push({ id: `${name}#${times.length}`, kind, startMs, endMs: startMs + lastsMs });
    startMs += lastsMs + random.exponential(meanPauseMs);
  }
  return times;
}

/** Joins what ends several things. */
export function endAll(...ends: readonly (() => void)[]): () => void {
  return () => {
    for (const end of ends) end();
  };
}
