import { delay } from '../base/clock.ts';
import type { Clock } from '../base/clock.ts';
import { createUnknownOutcome, toFailure } from './call-failure.ts';
import type { ChannelFailure } from './channel-record.ts';
import { ConnectionError } from './driver-errors.ts';
import { WriteCancelled } from './cancelled-write.ts';
import type { AttemptResult, WriteOutcome, WriteStep } from './write-step.ts';

/** Result of one attempt, including one without a response. */
export type Attempted =
  | Exclude<AttemptResult, { readonly kind: 'LOST' }>
  /** Nothing was sent: no link, or no time left. */
  | { readonly kind: 'LOST'; readonly error: unknown; readonly failure: ChannelFailure }
  /** Sent, outcome unknown. */
  | { readonly kind: 'OPEN'; readonly failure: ChannelFailure }
  /** Some of its values were cancelled before they were sent: one failure for each value, or undefined. */
  | { readonly kind: 'CANCELLED'; readonly cancellations: readonly (ChannelFailure | undefined)[] };

/** Next action of a run after an attempt. */
export type Decision =
  /** Records the outcomes, one for each value of the step or undefined, and sends `next` before all other steps. */
  | {
      readonly action: 'GO_ON';
      readonly outcomes: readonly (Untimed | undefined)[];
      readonly next: readonly WriteStep[];
      readonly pauseMs: number;
    }
  /** Records the outcomes and sends nothing more; the remaining values return the failure. */
  | { readonly action: 'HALT'; readonly outcomes: readonly Untimed[]; readonly held: ChannelFailure }
  /** Nothing of the run was sent. */
  | { readonly action: 'THROW'; readonly error: unknown };

/** An outcome; without a time, that of the decision applies. */
type Untimed =
  | WriteOutcome
  | Omit<Extract<WriteOutcome, { readonly failure: ChannelFailure }>, 'timestampMs'>;

/** Failure of values that are held back because the outcome of earlier ones is unknown. */
export const HELD_BACK: ChannelFailure = {
  code: 'WRITE_HELD_BACK',
  message: 'the outcome of an earlier write in the request is unknown; not sent',
};

/**
 * Decides the next action of a run after an attempt to send a step.
 *
 * @param state `hasReached`: a device responded before, or may have received something; `isOver`: no time is left
 */
export function decide(
  step: WriteStep,
  attempted: Attempted,
  { hasReached, isOver }: { readonly hasReached: boolean; readonly isOver: boolean },
): Decision {
  switch (attempted.kind) {
    case 'ANSWERED': {
      const { outcomes, retries = [] } = attempted;
      const isOpen = outcomes.some((each) => each.failure !== undefined && each.outcome === 'UNKNOWN');
      return isOpen ? { action: 'HALT', outcomes, held: HELD_BACK } : goOn(outcomes, retries);
    }
    case 'NOTHING_DONE': {
      const { failure, outcome, parts = [], againMs } = attempted;
      const outcomes = step.indices.map(() => ({ failure, outcome }));
      if (againMs !== undefined) return goOn(outcomes, [step], againMs);
      // Splitting a single value changes nothing.
      const isSplit = step.indices.length > 1 && parts.length > 0;
      return goOn(outcomes, isSplit ? parts.flatMap((part) => step.only(part)) : []);
    }
    case 'PARTLY_DONE': {
      const { failure, rest } = attempted;
      const outcomes = step.indices.map(() => ({ failure, outcome: 'UNKNOWN' }) as const);
      if (rest === undefined) return { action: 'HALT', outcomes, held: HELD_BACK };
      return goOn(outcomes, [rest.step], rest.afterMs);
    }
    case 'CANCELLED': {
      const { cancellations } = attempted;
      const wanted = step.indices.flatMap((_, position) =>
        cancellations[position] === undefined ? position : [],
      );
      const outcomes = step.indices.map((_, position) => {
        const failure = cancellations[position];
        return failure === undefined ? undefined : ({ failure, outcome: 'NOT_SENT' } as const);
      });
      return goOn(outcomes, wanted.length === 0 ? [] : step.only(wanted));
    }
    case 'PREPARED_AGAIN': {
      const failures = new Map(attempted.refused.map(({ index, failure }) => [index, failure]));
      const outcomes = step.indices.map((index) => {
        const failure = failures.get(index);
        return failure === undefined ? undefined : ({ failure, outcome: 'NOT_SENT' } as const);
      });
      return goOn(outcomes, attempted.steps);
    }
    case 'OPEN': {
      const { failure } = attempted;
      const outcomes = step.indices.map(() => ({ failure, outcome: 'UNKNOWN' }) as const);
      return { action: 'HALT', outcomes, held: HELD_BACK };
    }
    case 'LOST': {
      const { error, failure: held } = attempted;
      if (!hasReached && !isOver) return { action: 'THROW', error };
      const outcomes = step.indices.map(() => ({ failure: held, outcome: 'NOT_SENT' }) as const);
      return { action: 'HALT', outcomes, held };
    }
  }
}

function goOn(outcomes: readonly (Untimed | undefined)[], next: readonly WriteStep[], pauseMs = 0): Decision {
  return { action: 'GO_ON', outcomes, next, pauseMs };
}

/** Values that are sent. */
export interface SentWrites {
  readonly steps: readonly WriteStep[];
  /**
   * Returns the reason that a value was cancelled, by position among the requests; undefined otherwise. Called while
   * the write holds the connection, right before it is sent.
   */
  readonly findCancellation: (index: number) => ChannelFailure | undefined;
}

interface RunOptions {
  /** Ends the run: nothing more is sent. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
}

/**
 * Sends prepared writes in order. It repeats no value that a device may have applied, and sends nothing more after one whose outcome is
 * unknown.
 *
 * @returns one outcome for each value of the steps, by its position among the requests
 * @throws {ConnectionError} when the link was down before anything was sent
 */
export async function runWrites(
  { steps, findCancellation }: SentWrites,
  options: RunOptions,
): Promise<ReadonlyMap<number, WriteOutcome>> {
  const { signal, clock } = options;
  const outcomes = new Map<number, WriteOutcome>();
  const note = (indices: readonly number[], noted: readonly (Untimed | undefined)[]): void => {
    const timestampMs = clock.epochMs();
    for (const [position, index] of indices.entries()) {
      const outcome = noted[position];
      if (outcome !== undefined) outcomes.set(index, { timestampMs, ...outcome });
    }
  };
  const waiting = [...steps];
  let hasReached = false;
  for (let step = waiting.shift(); step !== undefined; step = waiting.shift()) {
    const attempted = await attempt(step, findCancellation, signal);
    const decision = decide(step, attempted, { hasReached, isOver: signal.aborted });
    if (decision.action === 'THROW') throw decision.error;
    hasReached ||= isReached(attempted);
    note(step.indices, decision.outcomes);
    if (decision.action === 'HALT') {
      const { held: failure } = decision;
      const left = waiting.splice(0).flatMap(({ indices }) => indices);
      note(
        left,
        left.map(() => ({ failure, outcome: 'NOT_SENT' })),
      );
    } else if (decision.pauseMs === 0 || (await pause(decision.pauseMs, options))) {
      waiting.unshift(...decision.next);
    }
  }
  return outcomes;
}

async function attempt(
  step: WriteStep,
  findCancellation: SentWrites['findCancellation'],
  signal: AbortSignal,
): Promise<Attempted> {
  let isSent = false;
  const onSend = (): void => {
    isSent = true;
  };
  const throwIfCancelled = (): void => {
    for (const index of step.indices) {
      const failure = findCancellation(index);
      if (failure !== undefined) throw new WriteCancelled(failure);
    }
  };
  try {
    const result = await step.send({ signal, throwIfCancelled, onSend });
    if (result.kind !== 'LOST') return result;
    return { ...result, failure: toFailure(result.error, signal) };
  } catch (error) {
    // An earlier form of the step may have been sent; it had no effect on the device.
    if (error instanceof WriteCancelled) {
      return { kind: 'CANCELLED', cancellations: step.indices.map(findCancellation) };
    }
    const failure = toFailure(error, signal);
    if (isSent) return { kind: 'OPEN', failure: createUnknownOutcome(step.unknownCode, failure.message) };
    if (error instanceof ConnectionError) return { kind: 'LOST', error, failure };
    return { kind: 'NOTHING_DONE', failure, outcome: 'NOT_SENT' };
  }
}

const NOTHING_LEFT: ReadonlySet<Attempted['kind']> = new Set(['LOST', 'CANCELLED', 'PREPARED_AGAIN']);

/** True if a device has responded, or may have received the request. */
function isReached(attempted: Attempted): boolean {
  if (attempted.kind === 'NOTHING_DONE') return attempted.outcome === 'REFUSED';
  return !NOTHING_LEFT.has(attempted.kind);
}

/** Waits; returns true if the run continues. */
async function pause(pauseMs: number, { signal, clock }: RunOptions): Promise<boolean> {
  try {
    await delay(clock, pauseMs, signal);
    return true;
  } catch (error) {
    if (!signal.aborted) throw error;
    return false;
  }
}
