import type { Metric } from './exposition.ts';

/** State of the recording. */
export interface MeasuredRecording {
  /** Undefined while samples are recorded. */
  readonly stop: object | undefined;
  /** Undefined while the history stores samples. */
  readonly historyFault: object | undefined;
  readonly historyBytes: number;
  readonly journalBytes: number;
  /** Readers of the journal. */
  readonly consumers: readonly { readonly consumer: string; readonly lagSamples: number }[];
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
      name: 'penstock_history_up',
      type: 'gauge',
      help: '1 while the history stores samples, 0 while it cannot; the journal keeps them then',
      read: one(({ historyFault }) => (historyFault === undefined ? 1 : 0)),
    },
    {
      name: 'penstock_journal_bytes',
      type: 'gauge',
      help: 'Size of the journal on disk, in bytes',
      read: one(({ journalBytes }) => journalBytes),
    },
    {
      name: 'penstock_history_bytes',
      type: 'gauge',
      help: 'Size of the history on disk, in bytes',
      read: one(({ historyBytes }) => historyBytes),
    },
    {
      name: 'penstock_journal_lag_samples',
      type: 'gauge',
      help: 'Samples in the journal that a consumer has not acknowledged',
      read: () =>
        (recording()?.consumers ?? []).map(({ consumer, lagSamples: value }) => ({
          labels: { consumer },
          value,
        })),
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
