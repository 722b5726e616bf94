import type { Metric } from './exposition.ts';

/** State of the recording. */
export interface MeasuredRecording {
  /** Undefined while samples are recorded. */
  readonly stop: object | undefined;
  readonly journalBytes: number;
  readonly recorders: readonly { readonly pid: string; readonly samples: number }[];
}

/** Describes the metrics of the recording; without recorders they are absent. */
export function describeRecording(recording: () => MeasuredRecording | undefined): readonly Metric[] {
  const one = (valueOf: (measured: MeasuredRecording) => number) => () => {
    const measured = recording();
    return measured === undefined ? [] : [{ value: valueOf(measured) }];
  };
  return [
    {
      name: 'penstock_recording_up',
      type: 'gauge',
      help: '1 while samples are recorded, 0 while the disk refuses them; absent without recorders',
      read: one(({ stop }) => (stop === undefined ? 1 : 0)),
    },
    {
      name: 'penstock_journal_bytes',
      type: 'gauge',
      help: 'Size of the journal on disk, in bytes',
      read: one(({ journalBytes }) => journalBytes),
    },
    {
      name: 'penstock_recorder_samples_total',
      type: 'counter',
      help: 'Samples that a recorder has taken since the start',
      read: () =>
        (recording()?.recorders ?? []).map(({ pid: recorder, samples: value }) => ({
          labels: { recorder },
          value,
        })),
    },
  ];
}
