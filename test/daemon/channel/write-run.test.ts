import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ConnectionError } from '../../../daemon/channel/driver-errors.ts';
import { selectSteps } from '../../../daemon/channel/write-step.ts';
import type { Attempt, AttemptResult, WriteOutcome, WriteStep } from '../../../daemon/channel/write-step.ts';
import type { ChannelFailure } from '../../../daemon/channel/channel-record.ts';
import { decide, runWrites } from '../../../daemon/channel/write-run.ts';
import type { Attempted } from '../../../daemon/channel/write-run.ts';
import { GatewayError } from '../../../daemon/base/errors.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const FAILURE = { code: 'MODBUS_ILLEGAL_FUNCTION', message: 'no' } as const;
const ENDED = { code: 'WRITE_CLIENT_GONE', message: 'no longer wanted' } as const;
const DONE: WriteOutcome = { timestampMs: 5 };
const OPEN: WriteOutcome = { failure: FAILURE, outcome: 'UNKNOWN', timestampMs: 5 };
const REFUSED: WriteOutcome = { failure: FAILURE, outcome: 'REFUSED', timestampMs: 5 };
const LOST = new ConnectionError({ code: 'NOT_CONNECTED', detail: 'no link' });
const LOST_FAILURE = { code: 'NOT_CONNECTED', message: 'no link' } as const;
const NEVER_SENT = (): Promise<AttemptResult> => Promise.reject(new Error('a decision sends nothing'));

function createStep(indices: readonly number[], send: WriteStep['send'] = NEVER_SENT): WriteStep {
  return {
    indices,
    unknownCode: 'MODBUS_WRITE_OUTCOME_UNKNOWN',
    send,
    only: (positions) => [
      createStep(
        positions.flatMap((position) => indices[position] ?? []),
        send,
      ),
    ],
  };
}

const STEP = createStep([3, 4, 5]);
const ANEW = createStep([4]);
const START = { hasReached: false, isOver: false };

/** A decision in short: what is noted, which steps are sent next, by their indices. */
function decideShortly(attempted: Attempted, state = START, step = STEP): unknown {
  const decision = decide(step, attempted, state);
  if (decision.action === 'THROW') return decision;
  const noted = decision.outcomes.map((outcome) =>
    outcome === undefined ? undefined : outcome.failure === undefined ? 'DONE' : outcome.outcome,
  );
  if (decision.action === 'HALT') return { action: 'HALT', noted, held: decision.held.code };
  const next = decision.next.map(({ indices }) => indices);
  return { action: 'GO_ON', noted, next, ...(decision.pauseMs === 0 ? {} : { pauseMs: decision.pauseMs }) };
}

const TABLE: readonly (readonly [
  what: string,
  attempted: Attempted,
  decision: unknown,
  state?: typeof START,
])[] = [
  [
    'answered values are noted',
    { kind: 'ANSWERED', outcomes: [DONE, REFUSED, DONE] },
    { action: 'GO_ON', noted: ['DONE', 'REFUSED', 'DONE'], next: [] },
  ],
  [
    'values to retry are sent next',
    { kind: 'ANSWERED', outcomes: [DONE, REFUSED, DONE], retries: [ANEW] },
    { action: 'GO_ON', noted: ['DONE', 'REFUSED', 'DONE'], next: [[4]] },
  ],
  [
    'one value of unknown outcome holds back all that follow, retries included',
    { kind: 'ANSWERED', outcomes: [DONE, OPEN, REFUSED], retries: [ANEW] },
    { action: 'HALT', noted: ['DONE', 'UNKNOWN', 'REFUSED'], held: 'WRITE_HELD_BACK' },
  ],
  [
    'a refused step is noted for each of its values',
    { kind: 'NOTHING_DONE', failure: FAILURE, outcome: 'REFUSED' },
    { action: 'GO_ON', noted: ['REFUSED', 'REFUSED', 'REFUSED'], next: [] },
  ],
  [
    'a step that was not sent does not stop the others',
    { kind: 'NOTHING_DONE', failure: FAILURE, outcome: 'NOT_SENT' },
    { action: 'GO_ON', noted: ['NOT_SENT', 'NOT_SENT', 'NOT_SENT'], next: [] },
  ],
  [
    'a step of which nothing was done is sent in its parts',
    { kind: 'NOTHING_DONE', failure: FAILURE, outcome: 'REFUSED', parts: [[0], [1, 2]] },
    { action: 'GO_ON', noted: ['REFUSED', 'REFUSED', 'REFUSED'], next: [[3], [4, 5]] },
  ],
  [
    'a busy device is asked again after its pause',
    { kind: 'NOTHING_DONE', failure: FAILURE, outcome: 'REFUSED', againMs: 50 },
    { action: 'GO_ON', noted: ['REFUSED', 'REFUSED', 'REFUSED'], next: [[3, 4, 5]], pauseMs: 50 },
  ],
  [
    'a value of which the device took a part holds back all that follow',
    { kind: 'PARTLY_DONE', failure: FAILURE },
    { action: 'HALT', noted: ['UNKNOWN', 'UNKNOWN', 'UNKNOWN'], held: 'WRITE_HELD_BACK' },
  ],
  [
    'the rest of a value is sent after the pause of a busy device, and is partly done until then',
    { kind: 'PARTLY_DONE', failure: FAILURE, rest: { step: ANEW, afterMs: 50 } },
    { action: 'GO_ON', noted: ['UNKNOWN', 'UNKNOWN', 'UNKNOWN'], next: [[4]], pauseMs: 50 },
  ],
  [
    'values that are still wanted are sent without those that were withdrawn',
    { kind: 'CANCELLED', cancellations: [undefined, ENDED, undefined] },
    { action: 'GO_ON', noted: [undefined, 'NOT_SENT', undefined], next: [[3, 5]] },
  ],
  [
    'a step whose values were all withdrawn is not sent',
    { kind: 'CANCELLED', cancellations: [ENDED, ENDED, ENDED] },
    { action: 'GO_ON', noted: ['NOT_SENT', 'NOT_SENT', 'NOT_SENT'], next: [] },
  ],
  [
    'a step that was prepared again for another link is sent in its new form, without what no longer fits',
    { kind: 'PREPARED_AGAIN', refused: [{ index: 5, failure: FAILURE }], steps: [ANEW] },
    { action: 'GO_ON', noted: [undefined, undefined, 'NOT_SENT'], next: [[4]] },
  ],
  [
    'a step without an answer holds back all that follow',
    { kind: 'OPEN', failure: FAILURE },
    { action: 'HALT', noted: ['UNKNOWN', 'UNKNOWN', 'UNKNOWN'], held: 'WRITE_HELD_BACK' },
  ],
  [
    'a link that is down before anything was sent is thrown',
    { kind: 'LOST', error: LOST, failure: LOST_FAILURE },
    { action: 'THROW', error: LOST },
  ],
  [
    'a link that is lost after something was sent leaves the rest unsent',
    { kind: 'LOST', error: LOST, failure: LOST_FAILURE },
    { action: 'HALT', noted: ['NOT_SENT', 'NOT_SENT', 'NOT_SENT'], held: 'NOT_CONNECTED' },
    { hasReached: true, isOver: false },
  ],
  [
    'a run whose time is over has an outcome for each value',
    { kind: 'LOST', error: LOST, failure: FAILURE },
    { action: 'HALT', noted: ['NOT_SENT', 'NOT_SENT', 'NOT_SENT'], held: 'MODBUS_ILLEGAL_FUNCTION' },
    { hasReached: false, isOver: true },
  ],
];

for (const [what, attempted, expected, state] of TABLE) {
  test(`decide: ${what}`, () => assert.deepEqual(decideShortly(attempted, state), expected));
}

test('decide does not split a single value', () => {
  const attempted = { kind: 'NOTHING_DONE', failure: FAILURE, outcome: 'REFUSED', parts: [[0]] } as const;
  assert.deepEqual(decideShortly(attempted, START, createStep([7])), {
    action: 'GO_ON',
    noted: ['REFUSED'],
    next: [],
  });
});

const NO_WITHDRAWAL: { readonly findCancellation?: () => ChannelFailure | undefined } = {};

/** Runs steps whose attempts do what is given, in turn. */
async function run(
  steps: readonly WriteStep[],
  { requests = [NO_WITHDRAWAL, NO_WITHDRAWAL, NO_WITHDRAWAL], signal = new AbortController().signal } = {},
): Promise<readonly string[]> {
  const clock = new ManualClock();
  const findCancellation = (index: number) => requests[index]?.findCancellation?.();
  const outcomes = await runWrites({ steps, findCancellation }, { signal, clock });
  return requests.flatMap((_, index) => {
    const outcome = outcomes.get(index);
    if (outcome === undefined) return [];
    return outcome.failure === undefined ? 'DONE' : `${outcome.outcome} ${outcome.failure.code}`;
  });
}

test('runWrites sends nothing after a value that left and was not answered', async () => {
  const sent: number[] = [];
  const silent = createStep([0], ({ onSend }: Attempt) => {
    sent.push(0);
    onSend();
    return Promise.reject(new GatewayError({ code: 'MODBUS_NO_RESPONSE', detail: 'silent' }));
  });
  const outcomes = await run([
    silent,
    createStep([1, 2], () => {
      sent.push(1);
      return Promise.resolve({ kind: 'ANSWERED', outcomes: [DONE, DONE] });
    }),
  ]);
  assert.deepEqual(sent, [0]);
  assert.deepEqual(outcomes, [
    'UNKNOWN MODBUS_WRITE_OUTCOME_UNKNOWN',
    'NOT_SENT WRITE_HELD_BACK',
    'NOT_SENT WRITE_HELD_BACK',
  ]);
});

test('runWrites goes on after a value that did not leave', async () => {
  const unsent = createStep([0], () =>
    Promise.reject(new GatewayError({ code: 'MODBUS_UNIT_SUSPENDED', detail: 'silent' })),
  );
  const done = createStep([1, 2], () => Promise.resolve({ kind: 'ANSWERED', outcomes: [DONE, REFUSED] }));
  assert.deepEqual(await run([unsent, done]), [
    'NOT_SENT MODBUS_UNIT_SUSPENDED',
    'DONE',
    'REFUSED MODBUS_ILLEGAL_FUNCTION',
  ]);
});

test('runWrites asks in the turn of a step which values are still wanted, and sends those', async () => {
  const sent: (readonly number[])[] = [];
  const send = (indices: readonly number[]): WriteStep => ({
    indices,
    unknownCode: 'MODBUS_WRITE_OUTCOME_UNKNOWN',
    send({ throwIfCancelled }) {
      throwIfCancelled();
      sent.push(indices);
      return Promise.resolve({ kind: 'ANSWERED', outcomes: indices.map(() => DONE) });
    },
    only: (positions) => [send(positions.flatMap((position) => indices[position] ?? []))],
  });
  const requests = [NO_WITHDRAWAL, { findCancellation: () => ENDED }, NO_WITHDRAWAL];
  assert.deepEqual(await run([send([0, 1, 2])], { requests }), [
    'DONE',
    'NOT_SENT WRITE_CLIENT_GONE',
    'DONE',
  ]);
  assert.deepEqual(sent, [[0, 2]]);
});

test('runWrites does not take a value for sent that is withdrawn after the device refused its first form', async () => {
  let isOver = false;
  const step = createStep([0], ({ throwIfCancelled, onSend }) => {
    throwIfCancelled();
    onSend();
    isOver = true;
    throwIfCancelled();
    return Promise.reject(new Error('a withdrawn value is not sent'));
  });
  const requests = [{ findCancellation: () => (isOver ? ENDED : undefined) }];
  assert.deepEqual(await run([step], { requests }), ['NOT_SENT WRITE_CLIENT_GONE']);
});

test('runWrites notes the refusal of a busy device when its time ends during the pause', async () => {
  const over = new AbortController();
  const busy = createStep([0], () => {
    setImmediate(() => over.abort(new Error('late')));
    return Promise.resolve({
      kind: 'NOTHING_DONE',
      failure: FAILURE,
      outcome: 'REFUSED',
      againMs: 50,
    });
  });
  const late = createStep([1], ({ signal }) => Promise.reject(signal.reason));
  const requests = [NO_WITHDRAWAL, NO_WITHDRAWAL];
  assert.deepEqual(await run([busy, late], { requests, signal: over.signal }), [
    'REFUSED MODBUS_ILLEGAL_FUNCTION',
    'NOT_SENT DEADLINE_EXCEEDED',
  ]);
});

test('runWrites sends the parts of a step before the steps that follow it', async () => {
  const sent: (readonly number[])[] = [];
  const answer = (step: WriteStep): Promise<AttemptResult> => {
    sent.push(step.indices);
    const isWhole = step.indices.length > 1;
    return Promise.resolve(
      isWhole
        ? { kind: 'NOTHING_DONE', failure: FAILURE, outcome: 'REFUSED', parts: [[0], [1]] }
        : { kind: 'ANSWERED', outcomes: [DONE] },
    );
  };
  const create = (indices: readonly number[]): WriteStep => {
    const step: WriteStep = {
      indices,
      unknownCode: 'MODBUS_WRITE_OUTCOME_UNKNOWN',
      send: () => answer(step),
      only: (positions) => [create(positions.flatMap((position) => indices[position] ?? []))],
    };
    return step;
  };
  assert.deepEqual(await run([create([0, 1]), create([2])]), ['DONE', 'DONE', 'DONE']);
  assert.deepEqual(sent, [[0, 1], [0], [1], [2]]);
});

test('runWrites throws when the link is down before anything was sent, and not after a device has answered', async () => {
  const lost = createStep([1], () => Promise.reject(LOST));
  await assert.rejects(run([lost]), LOST);
  const done = createStep([0], () => Promise.resolve({ kind: 'ANSWERED', outcomes: [DONE] }));
  const last = createStep([2]);
  assert.deepEqual(await run([done, lost, last]), [
    'DONE',
    'NOT_SENT NOT_CONNECTED',
    'NOT_SENT NOT_CONNECTED',
  ]);
});

test('runWrites has sent nothing when the link is down for a step that was prepared again', async () => {
  const lost = createStep([0], () => Promise.reject(LOST));
  const preparedAgain = createStep([0], () =>
    Promise.resolve({ kind: 'PREPARED_AGAIN', refused: [], steps: [lost] }),
  );
  await assert.rejects(run([preparedAgain]), LOST);
});

test('selectSteps keeps whole steps, takes parts of others, and leaves out what is not wanted', () => {
  const whole = createStep([0, 1]);
  const selected = selectSteps([whole, createStep([2, 3, 4]), createStep([5])], [0, 1, 2, 4]);
  assert.equal(selected[0], whole);
  assert.deepEqual(
    selected.map(({ indices }) => indices),
    [
      [0, 1],
      [2, 4],
    ],
  );
});
