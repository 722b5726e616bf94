/** What must hold in every simulated world, whatever fails in it; docs/dev/reliability.md has the same table. */
export const INVARIANTS = {
  'true-value': 'A value with quality GOOD is one that the device had between request and response',
  'write-once':
    'A write that is acknowledged was carried out exactly once, one that was not sent never, one with unknown outcome at most once',
  'write-order': 'Writes to one device are carried out in the order of their requests',
  'answer-shape': 'Every request gets one answer of the documented form, in the documented time',
  recovery: 'When a fault ends, values return within the stated time',
  'healthy-pace': 'A device without fault keeps its pace, whatever others do',
  'newest-value': 'A listener sees the newest value of each channel, or a gap',
  'access-ended':
    'A used token or code, an ended session, a revoked token and a right that was taken away work no more',
  'access-kept': 'A client with a right and valid credentials is accepted',
  'audit-complete': 'What an answer says was done is in the audit log',
  'configuration-kept':
    'What an answer says about the configuration holds until it is changed again, also after a restart',
  'package-whole': 'A package is installed completely or not at all, also after a restart',
  'bundle-restarted':
    'A bundle that ends is restarted after the documented pause, and no longer if it ends too often',
  'recorded-value': 'A recorded sample with quality GOOD is a value that the device had when it was taken',
  'recorded-scope': 'Nothing is recorded that no recorder names',
  'recording-goes-on':
    'What a recorder names is recorded as often as it says; after a fault, a full disk or a restart that continues automatically',
  'journal-whole':
    'The journal has what was recorded, in order and once; what is missing is counted in a gap, or was taken in the last second before a loss of power',
  'cursor-kept':
    'A consumer gets each entry of the journal after its cursor, in order, or a gap that counts those it does not get; a stored cursor never goes back',
  'history-whole':
    'The history shows the samples of the journal, each once and in the order of time; a bucket is what can be computed from them',
  'past-kept':
    'A gateway that goes on in another world has its audit log, snapshots and numbered journal entries from before',
  'nothing-left':
    'When everyone has left, timers, connections, queues and subscriptions are back to what they were',
  'no-defect': 'Nothing that a device, a client or a file does ends in an internal error',
} as const satisfies Readonly<Record<string, string>>;

export type InvariantName = keyof typeof INVARIANTS;

/** An invariant did not hold; a run ends with the first one. */
export class InvariantBroken extends Error {
  readonly invariant: InvariantName;
  readonly atMs: number;

  constructor(invariant: InvariantName, atMs: number, text: string) {
    super(text);
    this.name = 'InvariantBroken';
    this.invariant = invariant;
    this.atMs = atMs;
  }
}
