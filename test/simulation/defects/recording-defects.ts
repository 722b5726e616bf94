import type { PlantedDefect } from './planted-defect.ts';

const JOURNAL = 'daemon/plant/journal/';
const HISTORY = 'daemon/plant/history/';
const RECORDER = 'daemon/plant/recorder/';

/** Defects of recorders, of the journal and its consumers, and of the history. */
export const RECORDING_DEFECTS: readonly PlantedDefect[] = [
  {
    name: 'recorder-removed-goes-on',
    file: `${RECORDER}recorders.ts`,
    search: '        task.stop();\n',
    replace: '',
    invariants: ['recorded-scope', 'nothing-left'],
  },
  {
    name: 'recorder-interval-leaves-out-unchanged',
    file: `${RECORDER}sample-taker.ts`,
    search: 'const timestampMs = this.#timeOf(state, record, takenAtMs);',
    replace: `const [before] = [Reflect.get(state, 'before'), Reflect.set(state, 'before', record.value)];
      if (record.value !== undefined && before === record.value) continue;
      const timestampMs = this.#timeOf(state, record, takenAtMs);`,
    invariants: ['recording-goes-on'],
  },
  {
    name: 'recorder-deadband-counts-from-last-seen',
    file: 'daemon/plant/asset/read/subscriber-feed.ts',
    search:
      'if (sent.record !== undefined && !mustReport(sent.record, record, deadbandOf(record.name))) return false;',
    replace: `const before = sent.record;
    sent.record = record;
    if (before !== undefined && !mustReport(before, record, deadbandOf(record.name))) return false;`,
    invariants: ['recording-goes-on'],
  },
  {
    name: 'recorder-takes-what-is-seldom-reported',
    file: 'daemon/plant/asset/asset.ts',
    search: '?? Infinity) <= intervalMs;',
    replace: '?? Infinity) <= intervalMs + Infinity;',
    invariants: ['recorded-value', 'recording-goes-on'],
  },
  {
    name: 'recorder-on-change-silent-after-full-disk',
    file: 'daemon/compose/recording/open-recording.ts',
    search: 'if (stop === undefined) recorders.renew();',
    replace: '',
    invariants: ['recording-goes-on'],
  },
  {
    name: 'journal-stays-stopped-after-full-disk',
    file: `${JOURNAL}disk-reserve.ts`,
    search: 'wasFull ? Math.min(RESUME_BYTES, disk.totalBytes * RESUME_SHARE) : 0',
    replace: 'wasFull ? Math.max(RESUME_BYTES, disk.totalBytes * RESUME_SHARE * 20) : 0',
    invariants: ['recording-goes-on'],
  },
  {
    name: 'journal-full-disk-without-gap',
    file: `${JOURNAL}lost-entries.ts`,
    search: 'if (this.#samples === 0) return gaps;',
    replace: 'if (this.#samples >= 0) return gaps;',
    invariants: ['journal-whole'],
  },
  {
    name: 'journal-count-of-gap-wrong',
    file: `${JOURNAL}lost-entries.ts`,
    search: 'toMs: this.#toMs, count: this.#samples }',
    replace: 'toMs: this.#toMs, count: this.#samples + 1 }',
    invariants: ['journal-whole'],
  },
  {
    name: 'journal-batches-swapped',
    file: `${JOURNAL}journal.ts`,
    search: 'const { samples, gaps } = this.#pending.list();',
    replace: `const held = Reflect.get(this, 'held') ?? [];
    const isHeld = this.#batch % 2 === 0 && !this.#isClosed;
    const { samples: taken, gaps } = this.#pending.list();
    Reflect.set(this, 'held', isHeld ? taken : []);
    const samples = isHeld ? [] : [...taken, ...held];`,
    invariants: ['journal-whole'],
  },
  {
    name: 'journal-status-lost-in-encoding',
    file: `${JOURNAL}tag-runs.ts`,
    search: 'const tag = status === undefined ? { quality, recorders } : { quality, recorders, status };',
    replace: 'const tag = { quality, recorders };',
    invariants: ['journal-whole'],
  },
  {
    name: 'journal-quality-lost-in-encoding',
    file: `${JOURNAL}tag-runs.ts`,
    search: 'QUALITIES.indexOf(quality) * 4',
    replace: "(quality === 'GOOD' ? 0 : 4)",
    invariants: ['journal-whole'],
  },
  {
    name: 'journal-recovery-cuts-last-frame',
    file: `${JOURNAL}segment-recovery.ts`,
    search: '    learnNames(names, scanned.frame.names);',
    replace: '    if (scanned.end === bytes.length) break;\n    learnNames(names, scanned.frame.names);',
    invariants: ['journal-whole', 'cursor-kept'],
  },
  {
    name: 'journal-clock-step-makes-all-old',
    file: `${JOURNAL}settled-time.ts`,
    search: 'if (reading.monotonicMs - this.#stepped.monotonicMs >= SETTLING_MS) this.#settle(reading);',
    replace: 'this.#settle(reading);',
    invariants: ['journal-whole', 'history-whole'],
  },
  {
    name: 'journal-retention-without-gap',
    file: `${JOURNAL}reading.ts`,
    search: "this.#addMissing(Math.min(sequence, this.#keptFrom), toMs, 'RETENTION');",
    replace: 'this.next = Math.max(this.next, Math.min(sequence, this.#keptFrom));',
    invariants: ['cursor-kept'],
  },
  {
    name: 'journal-count-of-retention-wrong',
    file: `${JOURNAL}reading.ts`,
    search: 'gap: { reason, fromMs, toMs, count } });',
    replace: 'gap: { reason, fromMs, toMs, count: count + 1 } });',
    invariants: ['cursor-kept'],
  },
  {
    name: 'cursor-saved-ahead',
    file: `${JOURNAL}cursors.ts`,
    search: 'put.run(consumer, cursor.sequence,',
    replace: 'put.run(consumer, cursor.sequence + 1,',
    invariants: ['cursor-kept', 'journal-whole'],
  },
  {
    name: 'cursor-not-saved',
    file: `${JOURNAL}cursors.ts`,
    search: 'if (this.#unsaved.size === 0) return;',
    replace: 'if (this.#unsaved.size >= 0) return;',
    invariants: ['cursor-kept'],
  },
  {
    name: 'history-bucket-border',
    file: `${HISTORY}bucket-order.ts`,
    search: 'Math.floor((timeMs - this.#range.fromMs) / this.#bucketMs)',
    replace: 'Math.max(0, Math.ceil((timeMs - this.#range.fromMs) / this.#bucketMs) - 1)',
    invariants: ['history-whole'],
  },
  {
    name: 'history-open-blocks-lost-after-restart',
    file: `${HISTORY}history-writer.ts`,
    search: 'if (unsaved === undefined || unsaved.sequence > sequence) continue;',
    replace: 'if (unsaved === undefined || unsaved.sequence > 0) continue;',
    invariants: ['history-whole'],
  },
  {
    name: 'history-samples-twice-after-restart',
    file: `${HISTORY}history-writer.ts`,
    search: '(this.#stored.get(key) ?? 0) + 1 - firstSequence',
    replace: '(this.#stored.get(key) ?? 0) - 1000 - firstSequence',
    invariants: ['history-whole'],
  },
  {
    name: 'history-pages-part-samples-of-one-time',
    file: `${HISTORY}sample-order.ts`,
    search: 'if (this.#released >= this.#limit && timeMs > this.#lastMs) {',
    replace: 'if (this.#released >= this.#limit) {',
    invariants: ['history-whole'],
  },
];
